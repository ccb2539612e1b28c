"""Exported checkers bots, asked by hosts that tell the moves as OpenSpiel numbers them; see `bot`.

It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.games.checkers.templates.bot import act, choose, number_of
from evolve_arena.games.checkers.templates.rules import list_moves, start_position

# --- Moves of the host --------------------------------------------------------------------


def choose_after(told: Sequence[int]) -> int:
    """Returns the action to play after these; every jump of a capture is one of its own."""
    position, jumper = start_position(0), 0
    for action in told:
        position, jumper = act(position, action)
    moves = list_moves(*position[:4])
    moves = [move for move in moves if not jumper or move[1] == jumper]
    return number_of(choose(position, moves=moves))
