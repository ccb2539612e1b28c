"""The points of checks, in games that have more than wins and losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evolve_arena.arena.duel_result import DuelResult


@dataclass(frozen=True)
class CheckPoints:
    """What a check came to in a game of scores: means over its games."""

    points: float
    """Of the champion's seats."""
    against: float
    """Of the opponent's."""
    margin: float
    """How many points more the champion scored."""
    low: float
    high: float
    """The 95 % interval of :attr:`margin`."""
    forbidden: int
    """How many games the champion ended by a move outside the rules."""

    def __str__(self) -> str:
        return format_margin(self.margin, (self.low, self.high))


def find_scores(result: DuelResult) -> CheckPoints | None:
    """The points of a duel; None if it was one of wins and losses alone."""
    if result.sides is None:
        return None
    own, other = result.sides
    return CheckPoints(
        own.points, other.points, result.margin, *result.margin_interval, own.forbidden
    )


def format_margin(margin: float, interval: Sequence[float] | None) -> str:
    """A difference of points and its 95 % interval, if there is one.

    >>> format_margin(4.32, (-0.1, 8.74))
    '+4.3 [-0.1, +8.7]'
    """
    if interval is None or math.isinf(interval[0]):
        return f"{margin:+.1f}"
    return f"{margin:+.1f} [{interval[0]:+.1f}, {interval[1]:+.1f}]"
