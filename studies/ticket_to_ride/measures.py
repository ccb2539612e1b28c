"""Measures of the tables of ``ticket-to-ride`` with intervals, and the published numbers.

The published tables are those of Łabno (2018), read from the printed text. His repository has the
logs of the games that they sum up; cells that do not follow from these have a correction. Both
files keep his row names.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.intervals import mean_interval, t_95
from evolve_arena.arena.self_play import MirrorResult
from evolve_arena.arena.statistics import Z_95, wilson_interval
from evolve_arena.core.types import Array, Number
from evolve_arena.studies.study import read_lines

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number measured on games of one player, or of several with the same settings."""

    value: float
    low: float
    """Lower end of the 95 % interval of :attr:`value`."""
    high: float
    """Upper end of that interval."""
    scatter: float
    """Half-width of the 95 % range of a number from as few games as were published."""
    games: int

    def agrees(self, published: float) -> bool:
        """Return True if chance alone explains the distance to a published number."""
        side = self.value - self.low if published < self.value else self.high - self.value
        return abs(published - self.value) <= math.hypot(self.scatter, side)


def combine(estimates: Sequence[Estimate], most: float = math.inf) -> Estimate:
    """Return the mean estimate over players with the same settings, with Student's interval.

    A single estimate is returned as it is. The interval is clipped at *most*, and at 0 or the
    lowest value if that is below 0.
    """
    if len(estimates) == 1:
        return estimates[0]
    values = [estimate.value for estimate in estimates]
    low, high = mean_interval(values)
    low, high = max(low, min(0.0, *values)), min(high, most)
    among = t_95(len(values) - 1) * statistics.stdev(values)
    scatter = math.hypot(among, statistics.fmean(estimate.scatter for estimate in estimates))
    games = sum(estimate.games for estimate in estimates)
    return Estimate(statistics.fmean(values), low, high, scatter, games)


Estimator = Callable[[MirrorResult, int], Estimate]
"""Function that estimates a number; its second argument is the games behind the published one."""


@dataclass(frozen=True)
class Measure:
    """A row of a table."""

    title: str
    published: str
    """Name of the row in the publication; empty if it has none."""
    estimate: Estimator
    """Function that estimates the row's number from games."""


def _mean_of(values: Callable[[MirrorResult], Values], scale: float = 1.0) -> Estimator:
    """Return an estimator of a mean over seats; *values* has shape ``(games, SEATS)``.

    The interval is that of a ratio of sums over games, as the seats of a game depend on each other:
    Cochran, "Sampling Techniques", 3rd edition (1977), equation 6.13.
    """

    def estimate(result: MirrorResult, published: int) -> Estimate:
        mean, half = _ratio(values(result), result.counted)
        return _symmetric(scale * mean, scale * half, result, published)

    return estimate


def _ratio(values: Values, counted: NDArray[np.bool_]) -> tuple[float, float]:
    rows = counted.any(axis=1)
    seats = counted[rows].sum(axis=1)
    if len(seats) < 2:
        return math.nan, math.nan
    # The variance of a ratio is that of the games' residuals from the mean.
    totals = np.where(counted[rows], values[rows], 0.0).sum(axis=1)
    mean = totals.sum() / seats.sum()
    spread = np.sum((totals - mean * seats) ** 2) * len(seats) / (len(seats) - 1)
    return float(mean), Z_95 * math.sqrt(spread) / float(seats.sum())


def _symmetric(value: float, half: float, result: MirrorResult, published: int) -> Estimate:
    scatter = half * math.sqrt(result.games / published)
    return Estimate(value, value - half, value + half, scatter, result.games)


def _deviation(result: MirrorResult, published: int) -> Estimate:
    """Estimate the standard deviation; its interval is from the variance's (delta method)."""
    square, half = _ratio((_list(result, "points") - result.mean) ** 2, result.counted)
    value = result.deviation
    return _symmetric(value, half / (2.0 * math.sqrt(square)), result, published)


def _median(result: MirrorResult, published: int) -> Estimate:
    """Estimate the median, with the binomial interval between two order statistics.

    As the seats of a game depend on each other, the interval is widened by the same factor as that
    of the mean.
    """
    points = np.sort(result.points)
    _, half = _ratio(_list(result, "points"), result.counted)
    if math.isnan(half):  # of a single game
        return Estimate(math.nan, math.nan, math.nan, math.nan, result.games)
    # Widened by the ratio of the mean's interval to that of independent seats.
    wider = half / (Z_95 * float(points.std(ddof=1)) / math.sqrt(len(points)))
    reach = 0.5 * Z_95 * math.sqrt(len(points)) * wider

    def at(rank: float) -> float:
        return float(points[min(max(round(rank), 0), len(points) - 1)])

    value, middle = result.median, (len(points) - 1) / 2
    far = reach * math.sqrt(result.games / published)
    scatter = (at(middle + far) - at(middle - far)) / 2
    return Estimate(value, at(middle - reach), at(middle + reach), scatter, result.games)


def _extreme(measure: Callable[[Array], Number], result: MirrorResult, published: int) -> Estimate:
    """Estimate an extreme as its mean over sets of as many games as were published.

    A maximum over more games would be larger.
    """
    count = max(1, result.games // published)
    points = result.results.columns["points"]
    # Sets of every count-th game.
    extremes = []
    for number in range(count):
        counted = result.counted[number::count]
        if counted.any():
            extremes.append(float(measure(points[number::count][counted])))
    if not extremes:
        return Estimate(math.nan, math.nan, math.nan, math.nan, result.games)
    value = statistics.fmean(extremes)
    if len(extremes) == 1:
        return Estimate(value, value, value, math.inf, result.games)
    spread = statistics.stdev(extremes)
    half = Z_95 * spread / math.sqrt(len(extremes))
    return Estimate(value, value - half, value + half, Z_95 * spread, result.games)


def _ended_games(aborted: bool, result: MirrorResult, published: int) -> Estimate:
    """Estimate the number of aborted, or of completed, games among as many as were published."""
    count = result.aborted if aborted else result.games - result.aborted
    shares = count / result.games, *wilson_interval(count, result.games)
    share, low, high = (published * end for end in shares)
    scatter = Z_95 * math.sqrt(max(share, 1.0) * (1.0 - min(share / published, 0.999)))
    return Estimate(share, low, high, scatter, result.games)


def _above(limit: int) -> Estimator:
    return _mean_of(lambda result: (_list(result, "points") > limit).astype(np.float64), 100.0)


def _list(result: MirrorResult, column: str) -> Values:
    return result.results.columns[column].astype(np.float64)


def _rounds(result: MirrorResult, published: int) -> Estimate:
    """Estimate the rounds of all games, aborted ones included, as in Łabno's logs."""
    rounds = _list(result, "rounds")[:, 0]
    half = Z_95 * float(rounds.std(ddof=1)) / math.sqrt(len(rounds)) if len(rounds) > 1 else 0.0
    return _symmetric(float(rounds.mean()), half, result, published)


COMPLETED = "Ukończonych rozgrywek"
TOTALS = ("Zrealizowane bilety", "Niezrealizowane bilety")
"""Rows of tables 5.1 and 5.2 that give sums over all players, while others give means."""
MEASURES = {
    measure.title: measure
    for measure in (
        Measure("minimum", "Minimum", partial(_extreme, np.min)),
        Measure("maximum", "Maksimum", partial(_extreme, np.max)),
        Measure("mean", "Srednia", _mean_of(partial(_list, column="points"))),
        Measure("standard deviation", "Odchylenie standardowe", _deviation),
        Measure("median", "Mediana", _median),
        Measure("completed games", COMPLETED, partial(_ended_games, False)),
        Measure("% above 110", "(%) > 110", _above(110)),
        Measure("% above 120", "(%) > 120", _above(120)),
        Measure("% above 140", "(%) > 140", _above(140)),
        *(
            Measure(f"tickets {end}", name, _mean_of(partial(_list, column=f"tickets_{end}")))
            for end, name in (("done", TOTALS[0]), ("failed", TOTALS[1]))
        ),
        Measure("forbidden moves", "Ruchy zabronione", partial(_ended_games, True)),
        Measure("rounds", "", _rounds),
    )
}
"""All rows of tables 3.1, 4.3, 5.1 and 5.2, by title. A table has the rows of its publication, and
the rounds."""


COUNTS = (2, 3, 4, 5)
"""Numbers of players: a column of a table for each, and one for all games together."""
ALL = "all"

GAMES = {
    "3.1": {"2": 250, "3": 250, "4": 250, "5": 250},
    "4.3": {"2": 250, "3": 250, "4": 240, "5": 260},
    "5.1": {"2": 60, "3": 60, "4": 60, "5": 60},
    "5.2": {"2": 60, "3": 60, "4": 60, "5": 60},
}
"""Number of games that a column sums up; those of table 4.3 as logged, the text says 250 each."""


@dataclass(frozen=True)
class Cell:
    """A published number."""

    printed: float | None
    """As printed; None if there is none."""
    corrected: float | None = None
    """The number in the logs; None if it is the same, or not known."""

    @property
    def value(self) -> float | None:
        """The correct number."""
        return self.printed if self.corrected is None else self.corrected


def read_cell(table: str, row: str, column: str | int) -> Cell:
    """Return a cell of a published table.

    Where tables 5.1 and 5.2 give sums over the players of completed games, the mean is returned.

    Args:
        table: Number of the table, such as ``3.1``.
        row: Name of the row in the publication.
        column: A number of players, ``all``, or in table 6.1 the iteration.
    """
    place = table, row, str(column)
    printed = _read("tables", "value").get(place)
    corrected = _read("errata", "corrected").get(place)
    if printed is not None and table in ("5.1", "5.2") and row in TOTALS:
        printed /= seats_of(table, str(column))
    return Cell(printed, corrected)


def games_of(table: str, column: str | int) -> int:
    """Return the number of games that a column of a table sums up."""
    games = GAMES[table]
    return sum(games.values()) if column == ALL else games[str(column)]


def seats_of(table: str, column: str) -> float:
    """Return the number of seats in completed games of table 5.1 or 5.2."""
    counts = COUNTS if column == ALL else (int(column),)
    completed = _read("tables", "value")
    return sum(count * completed[table, COMPLETED, str(count)] for count in counts)


def column_name(column: str | int) -> str:
    """Return the name of a column in our tables."""
    return "all games" if column == ALL else f"{column} players"


@cache
def _read(name: str, column: str) -> dict[tuple[str, str, str], float]:
    return {
        (line["table"], line["row"], line["column"]): float(line[column])
        for line in read_lines(__package__, f"{name}.csv")
        if line[column]
    }
