"""Sweeps: the same recipe with several values and seeds, and what of it mattered."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evolve_arena.arena.duel import duel
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.extras import import_extra
from evolve_arena.core.files import read_file
from evolve_arena.core.html import make_table
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import Changes, read_changes
from evolve_arena.runs.consent import Allow, obtain, permit_files
from evolve_arena.runs.directory import MEASURED
from evolve_arena.runs.files import write_whole
from evolve_arena.runs.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.several import Job, RunsProgress, RunsScreen, breed

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
                dots = [row.score for row in self.rows if row.values[key] == value]
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
        from evolve_arena.runs.plots.style import save

        text = io.StringIO()
        cells = list(self._list_cells())
        writer = csv.DictWriter(text, list(cells[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(cells)
        write_whole(self.folder / "runs.csv", text.getvalue().encode())
        return save(self.plot(), self.folder / "sweep.png")

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
    progress: bool = False,
    callback: Callable[[RunsProgress], bool] | None = None,
    allow_process: Allow = False,
) -> Sweep:
    """Runs *recipe* with all combinations of *values* and all *seeds*, several at a time.

    The runs lie in *folder*. The same call goes on with a sweep that was stopped: what is finished
    is not run again. Each champion is then measured anew, in games that no run has seen.

    Args:
        recipe: The name of a shipped recipe, or the path of a file.
        values: What is tried, by dotted key: ``{"method.mutation_strength": [0.05, 0.1]}``.
        seeds: How many (1, 2, ...), or which.
        folder: Where the runs lie; ``sweeps/NAME`` if None.
        changes: What all runs have in common; see `evolve_arena.start`.
        against: Whom champions are measured against; the first opponent of the recipe's checks if
            None.
        games: In how many games each.
        workers: How many runs go on at a time; one per core if None.
        progress: Whether to show how far the runs are.
        callback: Is told of each generation, and stops the sweep by giving False.
        allow_process: As `evolve_arena.start` takes it.

    Raises:
        BadValueError: There is nothing to try, or *folder* holds runs of other settings.
        RecipeError: A key or a value is wrong.
        RunsStoppedError: It was stopped; the same call goes on.
        RunsFailedError: Runs failed; the others are finished.
    """
    numbers = list(range(1, seeds + 1) if isinstance(seeds, int) else seeds)
    if not values or not numbers or not all(map(len, values.values())):
        raise BadValueError("a sweep needs at least one key with a value, and a seed")
    where = Path(folder or Path("sweeps") / Path(recipe).stem)
    common, permit = read_changes(changes), permit_files(allow_process)
    named = {key: read_changes({key: list(each)})[key] for key, each in values.items()}
    jobs: list[Job] = []
    asked = []
    if len(numbers) * math.prod(map(len, named.values())) > MOST_RUNS:
        raise BadValueError(f"a sweep has at most {MOST_RUNS:,} runs")
    for combination in itertools.product(*named.values()):
        setting = dict(zip(named, combination, strict=True))
        for seed in numbers:
            made = load_recipe(recipe, {**common, **setting, "run.seed": seed}, permit)
            words = [f"{key.rpartition('.')[2]}-{_say(value)}" for key, value in setting.items()]
            name = re.sub(r"[^\w.=-]+", "_", "-".join([*words, f"seed-{seed}"]))[:150]
            if any(job.name == name for job in jobs):
                name = f"{name}-{len(jobs) + 1}"
            jobs.append(Job(name, obtain(made, allow_process)))
            asked.append((setting, seed))
    with RunsScreen(quiet=not progress) as screen:

        def tell(now: RunsProgress) -> bool:
            return screen.show(now) and (callback is None or callback(now))

        runs = breed(jobs, where, workers, tell)
    opponent = against or jobs[0].recipe.check.opponents[0]
    rows = []
    for job, (setting, seed) in zip(jobs, asked, strict=True):
        score, low, high = _measure(runs[job.name], job.recipe, opponent, games)
        rows.append(SweepRow(job.name, setting, seed, score, low, high, games))
    by_points = "points" in jobs[0].recipe.spec.columns
    result = Sweep(where, list(named), opponent, rows, by_points=by_points)
    result.write()
    return result


def _measure(run: Run, recipe: Recipe, opponent: str, games: int) -> tuple[float, float, float]:
    """How good a run's champion is, in games that it has not seen, and the 95 % interval.

    It is measured once: the figures are kept beside the run.
    """
    champion = run.champion
    asked = [opponent, games, champion.remarks.get("generation"), run.population_sha256]
    file = run.path / MEASURED
    with suppress(OSError, ValueError, LookupError, TypeError):  # else it is measured anew
        known = json.loads(read_file(file, LARGEST))
        if known["of"] == asked:
            return float(known["score"]), float(known["low"]), float(known["high"])
    game = recipe.make_game()
    with closing(make_player(opponent, game, recipe.check_permitted)) as other:
        other.check_ready()
        result = duel(game, champion, other, games=games, seed=SEED)
    score, (low, high) = result.score, result.score_interval
    if result.sides:
        score, (low, high) = result.margin, result.margin_interval
    content = {"of": asked, "score": score, "low": low, "high": high}
    write_whole(file, json.dumps(content).encode())
    return score, low, high


def _say(value: Any) -> str:
    return re.sub(r"@[0-9a-f]{12}", "", str(value))
