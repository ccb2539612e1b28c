"""Fixed opponents of a learner, compiled: who sits where, and what they play.

Games alternate: in each the learner has the next seat, and after a game at each seat it meets the
next opponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import next_word
from evolve_arena.players.board.choose import choose_move
from evolve_arena.players.board.rules import SEATS
from evolve_arena.players.board.values import take_slot

HAS_OPPONENTS = False
"""True if there are some; see `kernel.specialise_board`."""


@inlined
def seat_opponents(opponents: Any, game: Any, stream: Any) -> Any:
    """Let opponents sit down for the *game* of a number; give the learner's seat.

    Args:
        opponents: The packed players, the row of each opponent in turn, where -1 is the learner
            itself, and a `Workspace`; or None.
        game: From 0 on.
        stream: Chance.

    Returns:
        -1 if the learner plays itself.
    """
    if HAS_OPPONENTS:
        players, rows, room = opponents
        row = rows[game // SEATS % rows.shape[0]]
        if row < 0:
            return np.int64(-1)
        room.streams[0] = next_word(stream)
        for slot in range(SEATS):
            take_slot(players, row, slot, room)
        return np.int64(game % SEATS)
    return np.int64(-1)


@inlined
def ask_opponent(opponents: Any, side: Any, state: Any, ply: Any, winning: Any) -> Any:
    """The move of the opponent whose turn it is, before which so many plies were played.

    Its workspace holds the states, and the first *winning* of its wins win at once.
    """
    if HAS_OPPONENTS:
        players, _, room = opponents
        room.plies[0] = ply
        return choose_move(players, side, state, winning, room)
    return np.int64(-1)
