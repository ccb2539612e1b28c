"""The inside of exported checkers bots that add up features; see `bot`.

The numbers that stand here (pieces alone, all worth nothing) only make this file a module that
tools can check. It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from base64 import b64decode
from struct import unpack

from evolve_arena.games.checkers.templates.features import count_features

# --- The player ---------------------------------------------------------------------------
WORTH = """
"""
# --- How it values positions --------------------------------------------------------------


def begin(own: int, other: int, kings: int, side: int) -> int:
    """What to keep while looking ahead: nothing."""
    return 0


def follow(sums: int, kings: int, side: int, searcher: int, move: tuple[int, ...]) -> int:
    """What is kept after a move: nothing."""
    return sums


def value_board(own: int, other: int, kings: int, side: int, searcher: int, sums: int) -> int:
    """What the position is worth to the player to move, in units of 2**-20.

    searcher, dark (0) or light (1), is the player who looks ahead and in whose eyes it is worth
    that.
    """
    active, passive = (own, other) if side == searcher else (other, own)
    total = 0
    place = 0
    for count in count_features(active, passive, kings, searcher):
        total += TABLES[place + (count if count < 32 else 31)]
        place += 32
    return total if side == searcher else -total


def unpack_tables() -> tuple[int, ...]:
    """What each value of each feature adds, feature by feature, 32 numbers each."""
    data = b64decode(WORTH)
    return unpack(f"<{len(data) // 4}i", data)


TABLES = unpack_tables()
