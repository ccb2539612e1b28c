"""Fixed opponents of a learner, compiled: their seats and their moves.

From game to game the learner moves on by one seat; after one game at each seat it meets the next
opponent.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import Stream, next_word
from evolve_arena.core.types import Number, Position
from evolve_arena.players.board.choose import choose_move
from evolve_arena.players.board.rules import SEATS
from evolve_arena.players.board.values import take_slot

Opponents: TypeAlias = Any
"""The packed players, the row of each opponent in turn, where -1 is the learner itself, and a
`BoardWorkspace`; None without opponents."""
HAS_OPPONENTS = False
"""True in copies of this module that `kernel.specialise_board` compiles with opponents."""


@inlined
def seat_opponents(opponents: Opponents, game: Number, rng: Stream) -> Number:
    """Prepare the opponent of the *game* of this number; return the learner's seat.

    Args:
        opponents: The packed players, the row of each opponent in turn, where -1 is the learner
            itself, and a `BoardWorkspace`; or None.
        game: Number of the game, from 0.
        rng: Random stream.

    Returns:
        The learner's seat, from 0; -1 if it plays itself.
    """
    if HAS_OPPONENTS:
        players, rows, room = opponents
        row = rows[game // SEATS % rows.shape[0]]
        if row < 0:
            return np.int64(-1)
        room.streams[0] = next_word(rng)
        for seat in range(SEATS):
            take_slot(players, row, seat, room)
        return np.int64(game % SEATS)
    return np.int64(-1)


@inlined
def ask_opponent(
    opponents: Opponents, seat: Number, state: Position, ply: Number, winning: Number
) -> Number:
    """Return the move of the opponent to move, after so many plies.

    Args:
        opponents: As in :func:`seat_opponents`; their workspace holds the states.
        seat: Seat of the opponent, from 0.
        state: State before the move.
        ply: Number of plies before the move.
        winning: Number of moves that win at once: the first of ``wins`` of the workspace.

    Returns:
        The number of the move; -1 without opponents.
    """
    if HAS_OPPONENTS:
        players, _, room = opponents
        room.plies[0] = ply
        return choose_move(players, seat, state, winning, room)
    return np.int64(-1)
