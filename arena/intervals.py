"""Confidence intervals over a few independent runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from evolve_arena.arena.statistics import wilson_interval


@dataclass(frozen=True)
class Sample:
    """The result of one run."""

    won: float
    games: int

    @property
    def share(self) -> float:
        """The share of points won."""
        return self.won / self.games

    @classmethod
    def pool(cls, results: Iterable[tuple[float, int]]) -> Sample:
        """Pool several results, each the points won and the number of games, into one sample."""
        pairs = list(results)
        return cls(sum(won for won, _ in pairs), sum(games for _, games in pairs))


def mean_share(samples: Sequence[Sample]) -> tuple[float, float, float, int]:
    """Return the mean over runs of the share won, its 95 % interval, and the number of all games.

    The interval of several runs is Student's, clipped to 0 to 1. That of a single one is Wilson's:
    it includes the chance of the games, but not that of evolution.
    """
    shares = [sample.share for sample in samples]
    if len(samples) == 1:
        low, high = wilson_interval(samples[0].won, samples[0].games)
    else:
        low, high = mean_interval(shares)
    games = sum(sample.games for sample in samples)
    return statistics.fmean(shares), max(0.0, low), min(1.0, high), games


def mean_interval(values: Sequence[float], comparisons: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of a mean from two or more independent samples.

    Args:
        values: The samples.
        comparisons: Number of means from which this one was chosen; all their intervals together
            hold with 95 %, after Bonferroni.

    Source: Student, "The probable error of a mean", Biometrika 6 (1908).

    >>> [round(bound, 3) for bound in mean_interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    >>> [round(bound, 3) for bound in mean_interval([1.0, 2.0, 3.0], comparisons=3)]
    [-2.416, 6.416]
    """
    freedom = len(values) - 1
    half = t_95(freedom, comparisons) * statistics.stdev(values) / math.sqrt(len(values))
    return _around(values, half)


def next_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % prediction interval of one more value, which is wider than the mean's.

    >>> [round(bound, 3) for bound in next_interval([1.0, 2.0, 3.0])]
    [-2.968, 6.968]
    """
    half = t_95(len(values) - 1) * statistics.stdev(values) * math.sqrt(1 + 1 / len(values))
    return _around(values, half)


def difference_interval(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two means, of two or more samples each.

    Their variances need not be the same. The degrees of freedom are rounded down, which makes
    the interval a little wider.

    Source: Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34 (1947).

    >>> [round(bound, 3) for bound in difference_interval([4.0, 5.0, 6.0], [1.0, 2.0, 3.0])]
    [0.733, 5.267]
    """
    squares = [statistics.variance(group) / len(group) for group in (values, others)]
    difference = statistics.fmean(values) - statistics.fmean(others)
    if not sum(squares):
        return difference, difference
    parts = zip(squares, (values, others), strict=True)
    freedom = sum(squares) ** 2 / sum(s * s / (len(group) - 1) for s, group in parts)
    half = t_95(max(1, int(freedom + 1e-9))) * math.sqrt(sum(squares))
    return difference - half, difference + half


def _around(values: Sequence[float], half: float) -> tuple[float, float]:
    mean = statistics.fmean(values)
    return mean - half, mean + half


@cache
def t_95(freedom: int, comparisons: int = 1) -> float:
    """Return Student's t for 95 %, both sides, by degrees of freedom.

    Args:
        freedom: Degrees of freedom, 1 or more.
        comparisons: Number of intervals that are to hold together with 95 %, after Bonferroni.

    >>> round(t_95(7), 3)
    2.365
    """
    wanted = 1 - 0.05 / comparisons
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        low, high = (angle, high) if _t_inside(angle, freedom) < wanted else (low, angle)
    return math.sqrt(freedom) * math.tan(angle)


def _t_inside(angle: float, freedom: int) -> float:
    """Return the probability that |t| is at most ``sqrt(freedom) * tan(angle)``.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
    """
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 + odd, freedom, 2):
        term *= (step - 1) / step * math.cos(angle) ** 2
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
