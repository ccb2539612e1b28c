"""Sequential tests of the stronger of two players, in as few games as possible."""

from __future__ import annotations

from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.statistics import Z_95, wilson_interval, z_95

FIRST_LOOK = 100
"""Games before the first test; later ones follow whenever their number has doubled."""


def list_looks(most: int) -> list[int]:
    """Return the numbers of games after which to test, the last one being *most*.

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
    """Return 0 if the first player is stronger, 1 if the second is, and -1 if that is undecided.

    Draws are left out: the 95 % interval of the share of decisive games must not contain a half. In
    games with points, that of the margin must not contain 0. Forfeits count as losses.

    Args:
        result: The games so far.
        looks: Number of tests in total. All intervals are wide enough to hold together with 95 %.
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
