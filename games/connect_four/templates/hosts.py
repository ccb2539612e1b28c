"""Exported Connect Four bots, asked by hosts that tell the moves or show planes; see `bot`.

It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.games.connect_four.templates.bot import COLUMNS, ROWS, choose, landing_cell

# --- Moves of the host --------------------------------------------------------------------


def choose_after(told: Sequence[int]) -> int:
    """Returns the column to play after these."""
    board = [0] * (COLUMNS * ROWS)
    for ply, column in enumerate(told):
        board[landing_cell(board, column)] = 1 + ply % 2
    return choose(board, 1 + len(told) % 2)


def choose_shown(own: Sequence[int], other: Sequence[int]) -> int:
    """Returns the column to play: own and other say on which cells the players' discs lie."""
    mark = 1 + int(sum(own) < sum(other))
    return choose([mark * a + (3 - mark) * b for a, b in zip(own, other)], mark)  # noqa: B905
