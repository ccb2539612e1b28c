"""The inside of exported checkers bots that are NEAT graphs; see `bot`.

The sizes that stand here only make this file a module that tools can check. It must stay free of
everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from evolve_arena.games.checkers.templates.features import count_features
from evolve_arena.runs.export.templates.graph import activate

# --- The player ---------------------------------------------------------------------------
INPUT_SCALE = 0.125
INPUTS, SLOTS = 4, 5
# --- How it values positions --------------------------------------------------------------

LARGEST = float(1 << 39)


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
    plane = [INPUT_SCALE * count for count in count_features(active, passive, kings, searcher)]
    output = activate(plane + [0.0] * (SLOTS - INPUTS))[INPUTS] * (1 << 20)
    if not abs(output) <= LARGEST:
        output = LARGEST if output > 0.0 else -LARGEST if output < 0.0 else 0.0
    return round(output) if side == searcher else -round(output)
