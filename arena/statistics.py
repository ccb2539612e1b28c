"""Confidence intervals of shares and means over games, and Elo differences."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

Z_95 = 1.959963984540054
"""The two-sided 95 % quantile of the normal distribution."""


def wilson_interval(points: float, games: int, comparisons: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of a share, after Wilson (1927).

    It stays inside 0 to 1 and is informative even at 0 or *games* points. Draws may be counted as
    half a point; the interval is then a little too wide.

    Args:
        points: Points won, 0 to *games*.
        games: Number of games; without games the interval is 0 to 1.
        comparisons: Number of intervals that shall hold together with 95 %, after Bonferroni.

    >>> [round(bound, 3) for bound in wilson_interval(90, 100)]
    [0.826, 0.945]
    >>> [round(bound, 3) for bound in wilson_interval(90, 100, comparisons=4)]
    [0.8, 0.953]
    """
    if games == 0:
        return 0.0, 1.0
    share = points / games
    z = z_95(comparisons)
    square = z * z
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = (
        z
        / (1 + square / games)
        * math.sqrt(share * (1 - share) / games + square / (4 * games * games))
    )
    low, high = middle - half, middle + half
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # in spite of rounding errors


@cache
def z_95(comparisons: int) -> float:
    """Return the normal distribution's two-sided 95 % quantile, with Bonferroni's correction."""
    return Z_95 if comparisons == 1 else NormalDist().inv_cdf(1 - 0.025 / comparisons)


def normal_interval(values: ArrayLike) -> tuple[float, float]:
    """Return the 95 % interval of the mean of independent *values*, by the normal distribution.

    It is for dozens of values and more. For fewer than two values it is infinite.

    >>> [round(bound, 2) for bound in normal_interval([1.0, 2.0, 3.0, 4.0])]
    [1.23, 3.77]
    """
    array = np.asarray(values, dtype=np.float64)
    if len(array) < 2:
        return -math.inf, math.inf
    half = Z_95 * float(array.std(ddof=1)) / math.sqrt(len(array))
    middle = float(array.mean())
    return middle - half, middle + half


def json_interval(interval: tuple[float, float]) -> list[float] | None:
    """Return an *interval* as JSON: None if it is infinite."""
    return list(interval) if all(math.isfinite(end) for end in interval) else None


def json_share(share: float) -> float | None:
    """Return a *share* as JSON: None for the share of no games."""
    return None if math.isnan(share) else share


def elo_difference(share: float) -> float:
    """Return the Elo difference at which *share* of the points is expected; infinite at 0 and 1.

    >>> round(elo_difference(0.75))
    191
    """
    if share <= 0.0:
        return -math.inf
    if share >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / share - 1.0)
