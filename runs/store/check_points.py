"""Points of checks, in games that count points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evolve_arena.arena.duel_result import DuelResult


@dataclass(frozen=True)
class CheckPoints:
    """Result of a check in a game that counts points: means over its games."""

    points: float
    """Points of the champion's seats."""
    against: float
    """Points of the opponent's seats."""
    margin: float
    """Points of the champion minus points of the opponent."""
    low: float
    high: float
    """The 95 % interval of :attr:`margin`."""
    forbidden: int
    """Number of games that the champion ended by an illegal move."""

    def __str__(self) -> str:
        return format_margin(self.margin, (self.low, self.high))


def find_scores(result: DuelResult) -> CheckPoints | None:
    """Return the points of a duel; None if its game does not count points."""
    if result.sides is None:
        return None
    own, other = result.sides
    return CheckPoints(
        own.points, other.points, result.margin, *result.margin_interval, own.forbidden
    )


def format_margin(margin: float, interval: Sequence[float] | None) -> str:
    """Format a difference of points, with its 95 % interval if there is one.

    >>> format_margin(4.32, (-0.1, 8.74))
    '+4.3 [-0.1, +8.7]'
    """
    if interval is None or math.isinf(interval[0]):
        return f"{margin:+.1f}"
    return f"{margin:+.1f} [{interval[0]:+.1f}, {interval[1]:+.1f}]"
