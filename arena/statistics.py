"""What a number of games allows one to say."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

Z_95 = 1.959963984540054


def wilson_interval(points: float, games: int, comparisons: int = 1) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson (1927).

    It stays inside 0 to 1 and says something even at 0 or *games* points. Draws may be
    counted as half a point; the interval is then a little too wide.

    Args:
        points: What was won, 0 to *games*.
        games: How many were played; of none, nothing is known.
        comparisons: How many intervals shall hold together with 95 %, after Bonferroni.

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
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding passes the share


@cache
def z_95(comparisons: int) -> float:
    """The normal distribution's quantile for 95 %, both sides; Bonferroni's for *comparisons*."""
    return Z_95 if comparisons == 1 else NormalDist().inv_cdf(1 - 0.025 / comparisons)


def normal_interval(values: ArrayLike) -> tuple[float, float]:
    """The 95 % interval of the mean of independent *values*, by the normal distribution.

    It is for dozens of values and more. Of fewer than two nothing is known, so that it has no
    ends then.

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
    """An *interval* as JSON has it: None if it has no ends."""
    return list(interval) if all(math.isfinite(end) for end in interval) else None


def json_share(share: float) -> float | None:
    """A *share* as JSON has it: None if it is of no games."""
    return None if math.isnan(share) else share


def elo_difference(share: float) -> float:
    """The Elo difference at which *share* of the points is expected; infinite at 0 and 1.

    >>> round(elo_difference(0.75))
    191
    """
    if share <= 0.0:
        return -math.inf
    if share >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / share - 1.0)
