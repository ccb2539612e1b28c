"""How alike two rankings are: Spearman's and Kendall's rank correlations, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean

from evolve_arena.arena.statistics import Z_95

LEAST = 5
"""Of fewer values an interval says nothing."""


def place_values(values: Sequence[float]) -> list[int]:
    """The place of each value, 1 for the largest; equal ones share the better place.

    >>> place_values([0.3, 0.9, 0.3, 0.1])
    [2, 1, 2, 4]
    """
    return [1 + sum(other > value for other in values) for value in values]


def rank_values(values: Sequence[float]) -> list[float]:
    """The rank of each value, 1 for the largest; equal ones share the mean of their ranks.

    >>> rank_values([0.3, 0.9, 0.3, 0.1])
    [2.5, 1.0, 2.5, 4.0]
    """
    return [
        place + (sum(other == value for other in values) - 1) / 2
        for place, value in zip(place_values(values), values, strict=True)
    ]


def correlate(values: Sequence[float], others: Sequence[float]) -> float:
    """Pearson's correlation, -1 to 1; 0 if one side has the same value everywhere.

    >>> round(correlate([1.0, 2.0, 3.0], [2.0, 4.0, 3.0]), 6)
    0.5
    """
    means = fmean(values), fmean(others)
    steps = [(value - means[0], other - means[1]) for value, other in _pairs(values, others)]
    squares = math.fsum(a * a for a, _ in steps) * math.fsum(b * b for _, b in steps)
    return math.fsum(a * b for a, b in steps) / math.sqrt(squares) if squares else 0.0


def spearman(values: Sequence[float], others: Sequence[float]) -> float:
    """Spearman's rank correlation: Pearson's of the ranks.

    >>> round(spearman([1.0, 2.0, 3.0, 4.0], [10.0, 30.0, 20.0, 90.0]), 6)
    0.8
    """
    return correlate(rank_values(values), rank_values(others))


def kendall(values: Sequence[float], others: Sequence[float]) -> float:
    """Kendall's τ, in the form for ties (τ-b); 0 if one side has the same value everywhere.

    Source: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).

    >>> round(kendall([1.0, 2.0, 3.0, 4.0], [10.0, 30.0, 20.0, 90.0]), 6)
    0.666667
    """
    pairs = _pairs(values, others)
    agreeing = here = there = 0
    for place, (value, other) in enumerate(pairs):
        for earlier, before in pairs[:place]:
            first, second = _sign(value - earlier), _sign(other - before)
            agreeing += first * second
            here += first * first
            there += second * second
    return agreeing / math.sqrt(here * there) if here and there else 0.0


def spearman_interval(value: float, count: int) -> tuple[float, float]:
    """The 95 % interval of Spearman's correlation over *count* things that were ranked.

    Source: Bonett and Wright, "Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations", Psychometrika 65 (2000).

    >>> [round(bound, 3) for bound in spearman_interval(0.5, 28)]
    [0.133, 0.747]
    """
    return _around(value, count, lambda: math.sqrt((1 + value * value / 2) / (count - 3)))


def kendall_interval(value: float, count: int) -> tuple[float, float]:
    """The same for Kendall's τ; source as for :func:`spearman_interval`.

    >>> [round(bound, 3) for bound in kendall_interval(0.5, 28)]
    [0.277, 0.672]
    """
    return _around(value, count, lambda: math.sqrt(0.437 / (count - 4)))


def _around(value: float, count: int, error: Callable[[], float]) -> tuple[float, float]:
    """Fisher's transformation there and back."""
    if count < LEAST:
        return -1.0, 1.0
    if abs(value) >= 1.0:
        return value, value
    middle, half = math.atanh(value), Z_95 * error()
    return math.tanh(middle - half), math.tanh(middle + half)


def _pairs(values: Sequence[float], others: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(values, others, strict=True))


def _sign(number: float) -> int:
    return int(number > 0) - int(number < 0)
