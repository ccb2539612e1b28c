"""The history of a run as arrays, read at one instant, also while the run is being written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
from deap import tools
from numpy.typing import NDArray

from evolve_arena.arena.crosstable import Rating, rate_players
from evolve_arena.core.errors import BadValueError, UnknownNameError, quote, spell
from evolve_arena.core.extras import import_extra
from evolve_arena.core.html import make_table
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.evolve.settings.population_based_training import GENES
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.history import ChampionMatch, Check, History, SolvedPositions

if TYPE_CHECKING:
    from pandas import DataFrame

Column = NDArray[np.float64]

CHECK_COLUMNS = (
    *("generation", "opponent", "games", "won", "drawn", "lost"),
    *("share_won", "low_95", "high_95"),
)
"""The columns of a table of checks; the last two are the ends of the 95 % interval."""
MAX_ROWS = 20
"""Maximum number of checks that a notebook displays."""
AXES = ("generation", "games", "seconds")
"""Horizontal axes of curves: generations, or games or seconds of breeding until then."""
MAX_POINTS = 250
"""Maximum points of a curve; longer ones are averaged over equal stretches of generations."""


@dataclass(frozen=True)
class MeanCheck(Check):
    """Checks of several runs: the games of all, and the range over runs in place of intervals."""

    range: tuple[float, float] = (math.nan, math.nan)
    """Lowest and highest share won."""

    @property
    def band(self) -> tuple[float, float]:
        """Ends of the band that pictures draw around :attr:`won`."""
        return self.range


@dataclass(frozen=True, eq=False)
class Record:
    """A run's history as arrays."""

    name: str
    title: str
    """Title of the recipe."""
    statistics: dict[str, Column]
    """Statistics of the method by name, one value per generation; NaN where one is missing.
    ``generation`` is one of them."""
    checks: list[Check]
    species: dict[int, dict[int, int]] = field(default_factory=dict)
    """Number of individuals of each species, by the species' number and then by generation."""
    islands: IslandsConfig | None = None
    """Section ``[islands]`` of the recipe."""
    seed: int = 0
    ratings: dict[int, Rating] = field(default_factory=dict)
    """Elo ratings of the run's champions among each other, by generation; that of generation 0 is
    0. Empty unless `run.champion` is ``strongest``."""
    ranges: dict[str, tuple[Column, Column]] = field(default_factory=dict)
    """Lowest and highest value of each statistic in several runs, of which this is the mean."""
    positions: list[SolvedPositions] = field(default_factory=list)
    """Positions that champions solved, if `check.positions` names any."""
    axis: str = "generation"
    """Unit of the numbers called ``generation``, one of :data:`AXES`; see :meth:`over`."""

    def __getitem__(self, name: str) -> Column:
        """Return the statistic called *name*, one value per generation.

        Raises:
            UnknownNameError: The run has no such statistic.
        """
        if name not in self.statistics:
            raise UnknownNameError("figure", name, self.statistics)
        return self.statistics[name]

    def logbook(self) -> tools.Logbook:
        """Return all statistics as a ``deap.tools.Logbook``, with a record per generation."""
        logbook = tools.Logbook()
        logbook.header = list(self.statistics)
        for row in zip(*(column.tolist() for column in self.statistics.values()), strict=True):
            logbook.record(**dict(zip(self.statistics, row, strict=True)))
        return logbook

    def to_frame(self) -> DataFrame:
        """Return all statistics as a pandas DataFrame, with a row per generation.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        pandas = import_extra("pandas", "pandas")
        return pandas.DataFrame(self.statistics).set_index("generation")

    def checks_to_frame(self) -> DataFrame:
        """Return all checks as a pandas DataFrame, with a row per generation and opponent.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        pandas = import_extra("pandas", "pandas")
        return pandas.DataFrame(self._list_checks(), columns=CHECK_COLUMNS)

    def ratings_to_frame(self) -> DataFrame:
        """Return the ratings of the champions as a pandas DataFrame, with a row per check.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        pandas = import_extra("pandas", "pandas")
        rows = [(g, each.elo, *each.interval) for g, each in self.ratings.items()]
        return pandas.DataFrame(rows, columns=("generation", "elo", "low_95", "high_95"))

    def _list_checks(self) -> list[tuple[int, str, int, int, int, int, float, float, float]]:
        return [
            (c.generation, c.opponent, c.games, c.wins, c.draws, c.losses, c.won, *c.win_interval)
            for c in self.checks
        ]

    def over(self, axis: str) -> Record:
        """Return this history with games or seconds until then in place of generations.

        Checks and ratings of generations before which games are not known are left out.

        Args:
            axis: One of :data:`AXES`. Seconds are those of breeding, without checks.

        Raises:
            BadValueError: There is no such axis.
        """
        if axis not in AXES:
            told = f"{spell('--x', 'x')} is {quote(axis)}"
            raise BadValueError(f"{told}: it must be one of {', '.join(AXES)}")
        if axis == "generation" or not self.generations:
            return replace(self, axis=axis)
        spent = np.cumsum([0.0, *self[axis]])  # the last check comes after all generations
        numbers = [*self["generation"], self["generation"][-1] + 1]
        places = dict(zip(numbers, spent.tolist(), strict=True))
        return replace(
            self,
            axis=axis,
            statistics={**self.statistics, "generation": spent[:-1]},
            checks=[
                replace(check, generation=places[check.generation])
                for check in self.checks
                if check.generation in places
            ],
            positions=[
                replace(each, generation=places[each.generation])
                for each in self.positions
                if each.generation in places
            ],
            species={
                number: {places[g]: size for g, size in sizes.items() if g in places}
                for number, sizes in self.species.items()
            },
            ratings={places[g]: each for g, each in self.ratings.items() if g in places},
        )

    def __repr__(self) -> str:
        figures = ", ".join(self.statistics)
        return f"History of {self.name}: {self.generations} generations of {figures}"

    def _repr_html_(self) -> str:
        rows = [
            (*row[:-3], *(f"{share:.3f}" for share in row[-3:]))
            for row in self._list_checks()[-MAX_ROWS:]
        ]
        title = f"{self.name}: {self.generations} generations, the last checks"
        return make_table(title, CHECK_COLUMNS, rows)

    @property
    def generations(self) -> int:
        """Number of generations played so far."""
        return len(self.statistics.get("generation", ()))

    @property
    def opponents(self) -> list[str]:
        """Names of the opponents in checks, sorted."""
        return sorted({check.opponent for check in self.checks})

    @property
    def adapts(self) -> bool:
        """True if the step size of mutation changes."""
        strengths = self.statistics.get("mutation_strength", np.zeros(0))
        return bool(len(strengths) and np.nanmin(strengths) < np.nanmax(strengths))

    @property
    def tunes(self) -> bool:
        """True if settings of learning are genes."""
        return GENES[0] in self.statistics

    @property
    def grows(self) -> bool:
        """True if networks differ in size."""
        return "connections" in self.statistics

    @property
    def scores(self) -> bool:
        """True if checks have points."""
        return any(check.scores for check in self.checks)

    @property
    def learns(self) -> bool:
        """True if individuals learn by self-play, so that they have no fitness."""
        return "error" in self.statistics


def read_file(file: Path, name: str, title: str) -> Record:
    """Read the history of the run called *name* from a *file*; it is empty if there is no file.

    Args:
        file: Database with the run's history.
        name: Name of the run, as legends show it.
        title: Title of the run's recipe.

    Raises:
        StorageError: The history is damaged.
    """
    if not file.is_file():
        return Record(name, title, {}, [])
    with History(file) as history:
        table = history.generations()
        checks = history.checks()
        species, positions = history.species(), history.positions()
        ratings = rate_champions(history.champion_matches())
    shortest = min(len(column) for column in table.values())
    columns = {key: np.array(cells[:shortest], dtype=float) for key, cells in table.items()}
    return Record(name, title, columns, checks, species, ratings=ratings, positions=positions)


def blocks(column: Column, most: int = MAX_POINTS) -> Column:
    """Average *column* over equal stretches, so that at most *most* points remain.

    The last stretch may be shorter.

    >>> blocks(np.array([1.0, 3.0, 5.0, 7.0, 9.0]), most=3).tolist()
    [2.0, 6.0, 9.0]
    """
    width = stretch(len(column), most)
    starts = np.arange(0, len(column), width)
    if width == 1 or not len(starts):
        return column
    sizes = np.diff([*starts, len(column)])
    return np.asarray(np.add.reduceat(column, starts) / sizes, dtype=np.float64)


def stretch(count: int, most: int = MAX_POINTS) -> int:
    """Return the number of generations that :func:`blocks` averages into one point."""
    return max(1, -(-count // most))


def average(records: Sequence[Record], name: str) -> Record:
    """Return the mean of several runs of one recipe, with the range of each value over the runs.

    It reaches as far as the shortest run. Ratings, species, islands and solved positions are not
    averaged.

    Args:
        records: Histories of the runs, at least one.
        name: Name of the mean, as legends show it.
    """
    shortest = min(record.generations for record in records)
    names = [
        key for key in records[0].statistics if all(key in each.statistics for each in records)
    ]
    columns = {key: np.array([each[key][:shortest] for each in records]) for key in names}
    found = [{(c.generation, c.opponent): c for c in record.checks} for record in records]
    return Record(
        name,
        records[0].title,
        {key: column.mean(axis=0) for key, column in columns.items()},
        [
            _pool([each[key] for each in found])
            for key in found[0]
            if all(key in each for each in found)
        ],
        ranges={key: (column.min(axis=0), column.max(axis=0)) for key, column in columns.items()},
    )


def _pool(checks: Sequence[Check]) -> MeanCheck:
    """Return the sum of checks of the same generation and opponent in several runs."""
    shares = [check.won for check in checks]
    return MeanCheck(
        checks[0].generation,
        checks[0].opponent,
        sum(check.wins for check in checks),
        sum(check.draws for check in checks),
        sum(check.losses for check in checks),
        sum(check.distinct_games for check in checks),
        _pool_points([check.scores for check in checks if check.scores]),
        tuple(forfeit for check in checks for forfeit in check.forfeits),
        (min(shares), max(shares)),
    )


def _pool_points(points: Sequence[CheckPoints]) -> CheckPoints | None:
    """Return the means of several checks' points, with the range of margins as the interval."""
    if not points:
        return None
    margins = [each.margin for each in points]
    return CheckPoints(
        fmean(each.points for each in points),
        fmean(each.against for each in points),
        fmean(margins),
        min(margins),
        max(margins),
        sum(each.forbidden for each in points),
    )


def rate_champions(matches: Sequence[ChampionMatch]) -> dict[int, Rating]:
    """Return Elo ratings of a run's champions by generation, from their *matches* with each other.

    The rating of the earliest is 0. Champions that no chain of matches connects with it, as after
    the loss of a part of the history, are left out.
    """
    generations = sorted({g for match in matches for g in (match.generation, match.opponent)})
    if not generations:
        return {}
    places = {generation: place for place, generation in enumerate(generations)}
    # Fill the crosstable: points and games of each champion against each other one.
    points, games = np.zeros((2, len(places), len(places)))
    for match in matches:
        one, two = places[match.generation], places[match.opponent]
        points[one, two] += match.wins + match.draws / 2
        points[two, one] += match.losses + match.draws / 2
        games[one, two] += match.finished
        games[two, one] += match.finished
    ratings = zip(generations, rate_players(points, games, anchor=0), strict=True)
    return {generation: each for generation, each in ratings if math.isfinite(each.error)}
