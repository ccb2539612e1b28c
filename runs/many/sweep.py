"""Sweeps: the same recipe with several values and seeds, and what of it mattered."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evolve_arena.arena.duel import duel
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.extras import import_extra
from evolve_arena.core.files import read_file
from evolve_arena.core.html import make_table
from evolve_arena.core.logs import print_status
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import Changes, read_changes
from evolve_arena.runs.consent import Allow, obtain, permit_files
from evolve_arena.runs.many.parallel_runs import (
    Job,
    RunsProgress,
    RunsScreen,
    breed,
    check_runs_executor,
    watch_parts,
)
from evolve_arena.runs.players import name_player
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, parse_changes
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import MEASURED
from evolve_arena.runs.store.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RUNS = 10_000
LARGEST = 1 << 16
"""Bytes of a file with what was measured."""
SEED = 1_000_003
"""Seeds the games by which champions are measured; no check of a run has it."""


@dataclass(frozen=True)
class SweepRow:
    """One run of a sweep, and how good its champion is."""

    name: str
    values: Mapping[str, Any]
    """What was set, by key."""
    seed: int
    score: float
    """The share of the points against the opponent, a draw being half a point; in games that count
    points, by how many points a seat it is ahead."""
    low: float
    """The 95 % interval of :attr:`score`, by the games alone: from here ..."""
    high: float
    """... to here."""
    games: int


@dataclass(frozen=True)
class Effect:
    """What a setting, or one value of it whatever the others are, is worth."""

    values: Mapping[str, Any]
    score: float
    """The mean over runs."""
    low: float
    """The 95 % interval of that mean, by how runs differ (of one run, by its games): from ..."""
    high: float
    """... to this."""
    runs: int


@dataclass(frozen=True)
class Influence:
    """How much a key mattered: the best of its values against the worst, all else being equal."""

    key: str
    best: Any
    worst: Any
    difference: float
    """By how much the mean score is higher with the best value than with the worst."""
    low: float
    """The 95 % interval of :attr:`difference`, by pairs of runs that differ in this key alone; it
    allows for the choice of two values among several. NaN where there is a single pair. From ..."""
    high: float
    """... to this."""
    pairs: int


class Sweep:
    """What came of a sweep. Made by :func:`sweep`."""

    def __init__(
        self,
        folder: Path,
        keys: Sequence[str],
        against: str,
        rows: list[SweepRow],
        *,
        by_points: bool,
    ) -> None:
        self.folder = folder
        self.by_points = by_points
        """Whether scores are points by which champions are ahead, not shares."""
        self.keys = tuple(keys)
        """What was varied."""
        self.against = against
        """Whom the champions were measured against."""
        self.rows = rows
        """One for each run."""

    def __getitem__(self, name: str) -> Run:
        """The run of that name."""
        return Run.open(self.folder / name)

    @property
    def settings(self) -> list[Effect]:
        """Each combination of values, over its seeds, the best first."""
        return sorted(self._group(self.keys), key=lambda effect: -effect.score)

    def effects(self, key: str) -> list[Effect]:
        """Each value of *key*, over all values of the other keys and all seeds, in their order.

        Raises:
            BadValueError: *key* was not varied.
        """
        if key not in self.keys:
            raise BadValueError(f"{quote(key)} was not varied ({', '.join(self.keys)} were)")
        return self._group((key,))

    @property
    def influences(self) -> list[Influence]:
        """How much each key mattered of which there are several values, the most first.

        Each run with the best value has a twin: the run with the worst value that has the same
        seed and the same values of all other keys. The interval is Student's, of the mean of their
        differences, with Bonferroni's correction for all pairs of values.
        """
        found = [self._compare(key) for key in self.keys if len(self.effects(key)) > 1]
        return sorted(found, key=lambda influence: -influence.difference)

    def _compare(self, key: str) -> Influence:
        effects = sorted(self.effects(key), key=lambda effect: effect.score)
        sides = []
        for effect in (effects[-1], effects[0]):
            rows = [row for row in self.rows if repr(row.values[key]) == repr(effect.values[key])]
            sides.append([row.score for row in rows])  # in the order of the others and the seeds
        differences = [one - other for one, other in zip(*sides, strict=True)]
        low = high = math.nan
        if len(differences) > 1:
            low, high = mean_interval(differences, math.comb(len(effects), 2))
            if not self.by_points:
                low, high = max(-1.0, low), min(1.0, high)
        best, worst = effects[-1].values[key], effects[0].values[key]
        return Influence(key, best, worst, fmean(differences), low, high, len(differences))

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        return import_extra("pandas", "pandas").DataFrame(list(self._list_cells()))

    def plot(self) -> Figure:
        """What mattered, as a picture: a panel for each key, a dot for each run, and means."""
        from evolve_arena.runs.plots.style import OKABE_ITO, new_figure, set_title, style_axes

        figure = new_figure(max(4.5, 3.6 * len(self.keys)), 3.6)
        remark = f"dots: runs; bars: 95 % intervals of means; against {self.against}"
        set_title(figure, "What mattered", [remark])
        panels = figure.subplots(1, len(self.keys), sharey=True, squeeze=False)[0]
        for axes, key in zip(panels, self.keys, strict=True):
            effects = self.effects(key)
            style_axes(axes, title=key, label="score" if axes is panels[0] else "")
            for place, effect in enumerate(effects):
                value = effect.values[key]
                dots = [row.score for row in self.rows if repr(row.values[key]) == repr(value)]
                axes.plot([place] * len(dots), dots, "o", color="#AAAAAA", markersize=4)
            means = [effect.score for effect in effects]
            bars = [
                [effect.score - effect.low for effect in effects],
                [effect.high - effect.score for effect in effects],
            ]
            places = range(len(effects))
            axes.errorbar(places, means, bars, fmt="o-", color=OKABE_ITO[0], capsize=4)
            axes.set_xticks(list(places), [_say(effect.values[key]) for effect in effects])
            axes.margins(x=0.15)
        return figure

    def write(self) -> Path:
        """Writes ``runs.csv`` and ``sweep.png`` into the folder, and gives the picture's place."""
        from evolve_arena.runs.plots.style import render

        text = io.StringIO()
        cells = list(self._list_cells())
        writer = csv.DictWriter(text, list(cells[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(cells)
        _write(self.folder / "runs.csv", text.getvalue().encode())
        picture = self.folder / "sweep.png"
        _write(picture, render(self.plot(), picture.suffix))
        return picture

    def table(self) -> tuple[list[str], list[tuple[str, ...]]]:
        """The columns and rows of :attr:`settings`, as texts."""
        rows = [
            (
                *(_say(effect.values[key]) for key in self.keys),
                f"{effect.score:.3f}",
                f"{effect.low:.3f} to {effect.high:.3f}",
                str(effect.runs),
            )
            for effect in self.settings
        ]
        return [*self.keys, "score", "95 % interval", "runs"], rows

    def influence_table(self) -> tuple[list[str], list[tuple[str, ...]]]:
        """The columns and rows of :attr:`influences`, as texts."""
        rows: list[tuple[str, ...]] = [
            (
                each.key,
                _say(each.best),
                _say(each.worst),
                f"{each.difference:.3f}",
                "-" if math.isnan(each.low) else f"{each.low:.3f} to {each.high:.3f}",
            )
            for each in self.influences
        ]
        return ["key", "best", "worst", "difference", "95 % interval"], rows

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        influences = [asdict(each) for each in self.influences]
        for each in influences:
            if math.isnan(each["low"]):
                each["low"] = each["high"] = None
        return {
            "folder": str(self.folder),
            "against": self.against,
            "settings": [asdict(effect) for effect in self.settings],
            "influences": influences,
            "runs": [asdict(row) for row in self.rows],
        }

    def __repr__(self) -> str:
        return f"<Sweep {str(self.folder)!r}: {len(self.rows)} runs over {', '.join(self.keys)}>"

    def _repr_html_(self) -> str:
        return make_table(f"{self.folder}: means against {self.against}", *self.table())

    def _list_cells(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            told = {"score": row.score, "low_95": row.low, "high_95": row.high, "games": row.games}
            yield {"run": row.name, **row.values, "seed": row.seed, **told}

    def _group(self, keys: Sequence[str]) -> list[Effect]:
        found: dict[str, list[SweepRow]] = {}
        for row in self.rows:
            found.setdefault(repr([row.values[key] for key in keys]), []).append(row)
        effects = []
        for rows in found.values():
            scores = [row.score for row in rows]
            low, high = mean_interval(scores) if len(rows) > 1 else (rows[0].low, rows[0].high)
            if not self.by_points:
                low, high = max(0.0, low), min(1.0, high)
            values = {key: rows[0].values[key] for key in keys}
            effects.append(Effect(values, fmean(scores), low, high, len(rows)))
        return effects


def sweep(
    recipe: str,
    values: Mapping[str, Sequence[Any]],
    *,
    seeds: int | Sequence[int] = 3,
    folder: Path | str | None = None,
    changes: Changes = (),
    against: str | None = None,
    games: int = 1000,
    workers: int | None = None,
    executor: str | None = None,
    address: str | None = None,
    progress: bool = False,
    callback: Callable[[RunsProgress], bool] | None = None,
    allow_process: Allow = False,
) -> Sweep:
    """Runs *recipe* with all combinations of *values* and all *seeds*, several at a time.

    The runs lie in *folder*. The same call goes on with a sweep that was stopped: what is finished
    is not run again. Each champion is then measured anew, in games that no run has seen.

    Args:
        recipe: The name of a shipped recipe, or the path of a file.
        values: What is tried, by dotted key: ``{"variation.step_size": [0.05, 0.1]}``.
        seeds: How many (1, 2, ...), or which.
        folder: Where the runs lie; ``sweeps/NAME`` if None.
        changes: What all runs have in common; see `evolve_arena.start`.
        against: Whom champions are measured against; the first opponent of the recipe's checks if
            None.
        games: In how many games each.
        workers: How many runs go on at a time; one per core if None.
        executor: ``ray`` lets them go on in a Ray cluster; None or ``multiprocess`` here.
        address: Where that cluster is, if it is not to be started here.
        progress: Whether to show how far the runs are.
        callback: Is told of each generation, and stops the sweep by giving False.
        allow_process: As `evolve_arena.start` takes it.

    Raises:
        BadValueError: There is nothing to try, or *folder* holds runs of other settings.
        UnknownNameError: There is no such opponent.
        RecipeError: A key or a value is wrong.
        RunsStoppedError: It was stopped; the same call goes on.
        RunsFailedError: Runs failed; the others are finished.
    """
    numbers = list(range(1, seeds + 1) if isinstance(seeds, int) else seeds)
    check_runs_executor(executor, workers, address)
    where = Path(folder or Path("sweeps") / Path(recipe).stem)
    allow = cache(allow_process) if callable(allow_process) else allow_process
    named = _read_values(values, numbers)
    jobs: list[Job] = []
    asked = []
    common, permit = read_changes(changes), permit_files(allow)
    for combination in itertools.product(*named.values()):
        setting = dict(zip(named, combination, strict=True))
        for seed in numbers:
            made = load_recipe(recipe, {**common, **setting, "run.seed": seed}, permit)
            words = [f"{key.rpartition('.')[2]}-{_say(value)}" for key, value in setting.items()]
            name = re.sub(r"[^\w.=-]+", "_", "-".join([*words, f"seed-{seed}"]))[:150]
            if any(job.name == name for job in jobs):
                name = f"{name}-{len(jobs) + 1}"
            jobs.append(Job(name, obtain(made, allow)))
            asked.append((setting, seed))
    opponent = _check_opponent(against, [job.recipe for job in jobs])
    with RunsScreen(quiet=not progress) as screen:
        if progress:
            total = sum(job.recipe.run.generations for job in jobs)
            print_status(
                f"{len(jobs):,} runs in {where}, {total:,} generations in all; each champion then"
                f" plays {games:,} games against {opponent}"
            )

        def tell(now: RunsProgress) -> bool:
            return screen.show(now) and (callback is None or callback(now))

        runs = breed(jobs, where, workers, tell, executor, address)
        rows = []
        names = [job.name for job in jobs]
        measured = watch_parts(names, "champions measured", where, screen.show)
        for job, (setting, seed), name in zip(jobs, asked, measured, strict=True):
            score, low, high = _measure(runs[name], job.recipe, opponent, games)
            rows.append(SweepRow(name, setting, seed, score, low, high, games))
    by_points = "points" in jobs[0].recipe.spec.columns
    result = Sweep(where, list(named), opponent, rows, by_points=by_points)
    result.write()
    return result


def read_sweep(changes: Iterable[str]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """What texts like ``variation.step_size=0.05,0.1`` say is tried, and what is set for all.

    A comma within brackets, braces or quotes belongs to a value: ``network.hidden=[8],[16,16]``.

    Returns:
        The keys that have several values, with these; and those that have one, with it.

    Raises:
        RecipeError: A text is not of that form.
        BadValueError: A key comes twice, or has an empty value.

    >>> read_sweep(["network.hidden=[8],[16,16]", "run.generations=50"])
    ({'network.hidden': [[8], [16, 16]]}, {'run.generations': 50})
    """
    tried: dict[str, list[Any]] = {}
    common: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        parts = [part.strip() for part in _split(text)] if equals else []
        if len(parts) > 1 and not all(parts):
            raise BadValueError(f"--set {quote(change)}: a value is missing beside a comma")
        found = [parse_changes([f"{key}={part}"]) for part in parts] or [parse_changes([change])]
        name = next(iter(found[0]))
        if name in tried or name in common:
            raise BadValueError(f"--set {name} is given twice: write {name}=ONE,OTHER")
        if len(found) > 1:
            tried[name] = [each[name] for each in found]
        else:
            common[name] = found[0][name]
    return tried, common


def _split(text: str) -> list[str]:
    """The parts of *text* between commas that stand in no brackets, braces or quotes."""
    parts, begin, depth, quoted = [], 0, 0, ""
    for place, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        else:
            depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not quoted and depth <= 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def _read_values(
    values: Mapping[str, Sequence[Any]], numbers: Sequence[int]
) -> dict[str, list[Any]]:
    """The *values* by key, with functions among them by name.

    Raises:
        BadValueError: There is nothing to try, or too much, or the same twice.
    """
    if not values or not numbers or not all(map(len, values.values())):
        raise BadValueError("a sweep needs at least one key with a value, and a seed")
    if "run.seed" in values:
        raise BadValueError(f"run.seed is no key of a sweep: {spell('--seeds', 'seeds')} sets it")
    named = {key: read_changes({key: list(each)})[key] for key, each in values.items()}
    for key, each in {**named, "the seed": numbers}.items():
        texts = [repr(value) for value in each]
        twice = next((text for text in texts if texts.count(text) > 1), None)
        if twice:
            raise BadValueError(f"{key} has the value {quote(twice)} twice")
    if len(numbers) * math.prod(map(len, named.values())) > MOST_RUNS:
        raise BadValueError(f"a sweep has at most {MOST_RUNS:,} runs")
    return named


def _check_opponent(against: str | None, recipes: Sequence[Recipe]) -> str:
    """Whom champions are measured against, who is there and ready in each game of the sweep.

    Raises:
        BadValueError: Nobody is named, neither here nor in the recipes.
        ArenaError: There is no such player.
    """
    named = [against and name_player(against), *recipes[0].check.opponents]
    opponent = next((name for name in named if name), None)
    if opponent is None:
        raise BadValueError(
            f"the recipe has no check.opponents: name one with {spell('--against', 'against=')}"
        )
    for recipe in {repr(recipe.game): recipe for recipe in recipes}.values():
        with closing(make_player(opponent, recipe.make_game(), recipe.check_permitted)) as player:
            player.check_ready()
    return opponent


def _measure(run: Run, recipe: Recipe, opponent: str, games: int) -> tuple[float, float, float]:
    """How good a run's champion is, in games that it has not seen, and the 95 % interval.

    It is measured once: the figures are kept beside the run.
    """
    champion = run.champion
    asked = [opponent, games, champion.remarks.get("generation"), run.population_sha256]
    file = run.path / MEASURED
    if known := read_measured(file, asked):
        return known
    game = recipe.make_game()
    with closing(make_player(opponent, game, recipe.check_permitted)) as other:
        other.check_ready()
        result = duel(game, champion, other, games=games, seed=SEED)
    score, (low, high) = result.score, result.score_interval
    if result.sides:
        score, (low, high) = result.margin, result.margin_interval
    content = {"of": asked, "score": score, "low": low, "high": high}
    _write(file, json.dumps(content).encode())
    return score, low, high


def _write(path: Path, content: bytes) -> None:
    """Writes *content* to *path*, and deletes what killed sweeps had begun to write there."""
    for file in path.parent.glob(f".{path.name}." + "[0-9a-f]" * 8):
        file.unlink(missing_ok=True)
    write_whole(path, content)


def read_measured(file: Path, asked: Sequence[Any]) -> tuple[float, float, float] | None:
    """The score and its interval in a *file*; None if it has none, or not of what is *asked*."""
    try:
        known = json.loads(read_file(file, LARGEST))
        found = float(known["score"]), float(known["low"]), float(known["high"])
        fits = known["of"] == list(asked)
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None
    score, low, high = found
    return found if fits and -math.inf < low <= score <= high < math.inf else None


def _say(value: Any) -> str:
    return re.sub(r"@[0-9a-f]{12}", "", str(value))
