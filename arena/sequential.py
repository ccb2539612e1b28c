"""Which of two players is stronger, in as few games as it takes to see."""

from __future__ import annotations

from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.statistics import Z_95, wilson_interval, z_95

FIRST_LOOK = 100
"""After so many games it is looked whether one is stronger, and whenever they have doubled."""


def list_looks(most: int) -> list[int]:
    """After how many games to look, the last time after *most*.

    >>> list_looks(1000)
    [100, 200, 400, 800, 1000]
    """
    looks = []
    games = FIRST_LOOK
    while games < most:
        looks.append(games)
        games *= 2
    return [*looks, most]


def find_stronger(result: DuelResult, looks: int) -> int:
    """Return 0 if the first player is stronger, 1 if the second is, and -1 if that is open.

    Draws say nothing of it: of the games that somebody won, the 95 % interval of the share must
    not contain a half. In games that count points, that of the margin must not contain 0.
    Forfeits count as lost.

    Args:
        result: The games so far.
        looks: How often it is looked in all. All intervals are so wide that together they hold with
            95 %.
    """
    forfeits = [0, 0]
    for forfeit in result.forfeits:
        forfeits[forfeit.player] += forfeit.games
    if result.sides:
        half = (result.margin_interval[1] - result.margin) * z_95(looks) / Z_95
        low, high, middle = result.margin - half, result.margin + half, 0.0
    else:
        wins, losses = result.wins + forfeits[1], result.losses + forfeits[0]
        low, high = wilson_interval(wins, wins + losses, looks)
        middle = 0.5
    return 0 if low > middle else 1 if high < middle else -1
