"""Sweeps: runs of a recipe with several values and seeds, and the effects of these values."""

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
from typing import TYPE_CHECKING

from evolve_arena.arena.duel import duel
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.extras import import_extra
from evolve_arena.core.files import read_file
from evolve_arena.core.html import make_table
from evolve_arena.core.logs import print_status
from evolve_arena.core.types import Json, JsonObject, Settings
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
    from pandas import DataFrame

MAX_RUNS = 10_000
LARGEST = 1 << 16
"""Maximum bytes of a file with a measurement."""
SEED = 1_000_003
"""Seed of the games that measure champions; no check of a run has it."""


@dataclass(frozen=True)
class SweepRow:
    """One run of a sweep, with the score of its champion."""

    name: str
    values: Settings
    """Values of the sweep's keys."""
    seed: int
    score: float
    """Share of the points against the opponent, with draws as half a point; in games that count
    points, the margin per seat."""
    low: float
    """Lower end of the 95 % interval of :attr:`score`, which reflects the games alone."""
    high: float
    """Upper end of that interval."""
    games: int
    """Number of games that measured it."""


@dataclass(frozen=True)
class Effect:
    """Mean score of a setting, or of one value of a key over all values of the others."""

    values: Settings
    """Values by key."""
    score: float
    """Mean over runs."""
    low: float
    """Lower end of the 95 % interval of that mean, from the variance between runs; of a single run,
    from its games."""
    high: float
    """Upper end of that interval."""
    runs: int
    """Number of runs."""


@dataclass(frozen=True)
class Influence:
    """Influence of a key: its best value against its worst, all else being equal."""

    key: str
    best: Json
    """Value with the highest mean score."""
    worst: Json
    """Value with the lowest mean score."""
    difference: float
    """Mean score of the best value minus that of the worst."""
    low: float
    """Lower end of the 95 % interval of :attr:`difference`, from pairs of runs that differ in this
    key alone, corrected for the choice of two values among several; NaN for a single pair."""
    high: float
    """Upper end of that interval."""
    pairs: int
    """Number of pairs of runs."""


class Sweep:
    """Result of a sweep, as :func:`sweep` returns it."""

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
        """True if scores are margins of points, not shares."""
        self.keys = tuple(keys)
        """Keys with several values."""
        self.against = against
        """Opponent that measured the champions."""
        self.rows = rows
        """Runs with their scores."""

    def __getitem__(self, name: str) -> Run:
        """Return the run called *name*."""
        return Run.open(self.folder / name)

    @property
    def settings(self) -> list[Effect]:
        """The mean of each combination of values over its seeds, the best first."""
        return sorted(self._group(self.keys), key=lambda effect: -effect.score)

    def effects(self, key: str) -> list[Effect]:
        """Return the mean of each value of *key*, over all other values and seeds.

        Raises:
            BadValueError: *key* was not varied.
        """
        if key not in self.keys:
            raise BadValueError(f"{quote(key)} was not varied ({', '.join(self.keys)} were)")
        return self._group((key,))

    @property
    def influences(self) -> list[Influence]:
        """The influence of each key with several values, the largest first.

        Each run with the best value is paired with the run with the worst value that has the same
        seed and the same values of all other keys. The interval is Student's, of the mean
        difference in pairs, with Bonferroni's correction for all pairs of values.
        """
        found = [self._compare(key) for key in self.keys if len(self.effects(key)) > 1]
        return sorted(found, key=lambda influence: -influence.difference)

    def _compare(self, key: str) -> Influence:
        effects = sorted(self.effects(key), key=lambda effect: effect.score)
        sides = []
        for effect in (effects[-1], effects[0]):
            rows = [row for row in self.rows if repr(row.values[key]) == repr(effect.values[key])]
            sides.append([row.score for row in rows])  # both in the order of settings and seeds
        differences = [one - other for one, other in zip(*sides, strict=True)]
        low = high = math.nan
        if len(differences) > 1:
            low, high = mean_interval(differences, math.comb(len(effects), 2))
            if not self.by_points:
                low, high = max(-1.0, low), min(1.0, high)
        best, worst = effects[-1].values[key], effects[0].values[key]
        return Influence(key, best, worst, fmean(differences), low, high, len(differences))

    def to_frame(self) -> DataFrame:
        """Return the rows as a pandas DataFrame.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        return import_extra("pandas", "pandas").DataFrame(list(self._list_cells()))

    def plot(self) -> Figure:
        """Draw the effects: a panel for each key, a dot for each run, and means."""
        from evolve_arena.runs.plots.style import OKABE_ITO, new_figure, set_title, style_axes

        figure = new_figure(max(4.5, 3.6 * len(self.keys)), 3.6)
        remark = f"dots: runs; bars: 95 % intervals of means; against {self.against}"
        set_title(figure, "Effects of the settings", [remark])
        panels = figure.subplots(1, len(self.keys), sharey=True, squeeze=False)[0]
        for axes, key in zip(panels, self.keys, strict=True):
            effects = self.effects(key)
            style_axes(axes, title=key, label="score" if axes is panels[0] else "")
            # Dots of single runs, then means with intervals over them.
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
        """Write ``runs.csv`` and ``sweep.png`` into the folder, and return the picture's path."""
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
        """Return the columns and rows of :attr:`settings`, as texts."""
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
        """Return the columns and rows of :attr:`influences`, as texts."""
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

    def to_dict(self) -> JsonObject:
        """Return all results, ready for JSON."""
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

    def _list_cells(self) -> Iterator[JsonObject]:
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
    values: Mapping[str, Sequence[object]],
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
    """Run *recipe* with all combinations of *values* and all *seeds*, several at a time.

    The same call continues a sweep that was stopped; finished runs are not repeated. Each champion
    is then measured in new games, which no run has used.

    Args:
        recipe: Name of a shipped recipe, or path of a file.
        values: Values to try, by dotted key: ``{"variation.step_size": [0.05, 0.1]}``.
        seeds: Number of seeds (1, 2, ...), or the seeds themselves.
        folder: Folder of the runs; ``sweeps/NAME`` if None.
        changes: Changes of the recipe in all runs, as in `evolve_arena.start`.
        against: Opponent that measures champions; the first one of the recipe's checks if None.
        games: Number of games that measure each champion.
        workers: Number of runs at a time; one per core if None.
        executor: ``ray`` for a Ray cluster; None or ``multiprocess`` for this machine.
        address: Address of that cluster; if None, one is started here.
        progress: True to display progress.
        callback: Function that is called after each generation; False stops the sweep.
        allow_process: Permission, as in `evolve_arena.start`, or a function that asks for it.

    Raises:
        BadValueError: There are no values, or *folder* holds runs of other settings.
        UnknownNameError: There is no such recipe or opponent.
        RecipeError: A key or a value is wrong.
        NotPermittedError: The recipe names a program or Python file without permission.
        RunsStoppedError: The sweep was stopped; the same call continues it.
        RunsFailedError: Runs failed; the others are finished.
    """
    numbers = list(range(1, seeds + 1) if isinstance(seeds, int) else seeds)
    check_runs_executor(executor, workers, address)
    where = Path(folder or Path("sweeps") / Path(recipe).stem)
    allow = cache(allow_process) if callable(allow_process) else allow_process
    named = _read_values(values, numbers)
    # A job for each combination and seed; all recipes are checked before any of them runs.
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
    # Run what is not finished, then measure the champions.
    with RunsScreen(quiet=not progress) as screen:
        if progress:
            total = sum(job.recipe.run.generations for job in jobs)
            print_status(
                f"{len(jobs):,} runs in {where}, {total:,} generations in all; each champion then"
                f" plays {games:,} games against {opponent}"
            )

        def report(now: RunsProgress) -> bool:
            return screen.show(now) and (callback is None or callback(now))

        runs = breed(jobs, where, workers, report, executor, address)
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


def read_sweep(changes: Iterable[str]) -> tuple[dict[str, list[Json]], JsonObject]:
    """Parse texts like ``variation.step_size=0.05,0.1``, with one value or several.

    A comma within brackets, braces or quotes belongs to a value: ``network.hidden=[8],[16,16]``.

    Returns:
        The keys with several values, with these; and the keys with one value, with it.

    Raises:
        RecipeError: A text is not of that form.
        BadValueError: A key occurs twice, or has an empty value.

    >>> read_sweep(["network.hidden=[8],[16,16]", "run.generations=50"])
    ({'network.hidden': [[8], [16, 16]]}, {'run.generations': 50})
    """
    tried: dict[str, list[Json]] = {}
    common: JsonObject = {}
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
    """Split *text* at commas outside of brackets, braces and quotes."""
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
    values: Mapping[str, Sequence[object]], numbers: Sequence[int]
) -> dict[str, list[Json]]:
    """Return the *values* by key, with names in place of functions.

    Raises:
        BadValueError: There are no values, too many runs, or equal values.
    """
    if not values or not numbers or not all(map(len, values.values())):
        raise BadValueError("a sweep needs at least one key with a value, and a seed")
    if "run.seed" in values:
        raise BadValueError(f"run.seed can't be swept: {spell('--seeds', 'seeds')} sets the seeds")
    named = {key: read_changes({key: list(each)})[key] for key, each in values.items()}
    for key, each in {**named, "the seed": numbers}.items():
        texts = [repr(value) for value in each]
        twice = next((text for text in texts if texts.count(text) > 1), None)
        if twice:
            raise BadValueError(f"{key} has the value {quote(twice)} twice")
    if len(numbers) * math.prod(map(len, named.values())) > MAX_RUNS:
        raise BadValueError(f"a sweep has at most {MAX_RUNS:,} runs")
    return named


def _check_opponent(against: str | None, recipes: Sequence[Recipe]) -> str:
    """Return the opponent that measures champions, after checking it in each game of the sweep.

    Raises:
        BadValueError: Neither *against* nor the recipes name one.
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
    """Return the score of a run's champion in new games, and its 95 % interval.

    It is measured once, and then read from a file in the run's directory.
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
    """Write *content* to *path*, and delete unfinished files of killed sweeps."""
    for file in path.parent.glob(f".{path.name}." + "[0-9a-f]" * 8):
        file.unlink(missing_ok=True)
    write_whole(path, content)


def read_measured(file: Path, asked: Sequence[object]) -> tuple[float, float, float] | None:
    """Read a score and its interval from a *file*; None unless it was measured as *asked*."""
    try:
        known = json.loads(read_file(file, LARGEST))
        found = float(known["score"]), float(known["low"]), float(known["high"])
        fits = known["of"] == list(asked)
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None
    score, low, high = found
    return found if fits and -math.inf < low <= score <= high < math.inf else None


def _say(value: object) -> str:
    return re.sub(r"@[0-9a-f]{12}", "", str(value))
