"""How each kind of compiled player chooses a move of checkers.

The match kernel, learners and the Python classes call the same functions, so a player moves alike
in all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, internal
from evolve_arena.core.stream import below, next_word
from evolve_arena.games.checkers.board import list_moves
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.seat import take_seat
from evolve_arena.genomes.simd import peek
from evolve_arena.players.lineup import KIND, NOISE, RANDOM


@internal
def choose_move(
    lineup: Any, chair: int, own: Any, other: Any, kings: Any, side: int, quiet: int, scratch: Any
) -> Any:
    """The word of the move that the player on *chair* makes.

    Args:
        lineup: The players.
        chair: Whose turn it is: 0 who began, 1 the other. The player has taken that seat.
        own: The pieces of that player, who can move.
        other: The opponent's.
        kings: Which of all of them are kings.
        side: The player's colour: 0 dark, 1 light.
        quiet: How many plies the last move that can't be taken back is ago; that many past
            positions stand in ``scratch.past``
            (:func:`evolve_arena.games.checkers.board.note_position`), and then this one.
        scratch: Room for a match; its stream is where chance comes from.
    """
    player = peek(scratch.chairs, chair)
    stream, moves = scratch.streams, scratch.moves
    noise = lineup.seats[player, NOISE]
    strays = noise > 0 and np.int64(next_word(stream) >> np.uint64(32)) < noise
    count = list_moves(moves, 0, own, other, kings, side)
    if count > 1 and not strays and lineup.seats[player, KIND] != RANDOM:
        count, _ = find_moves(lineup, player, own, other, kings, side, quiet, scratch)
    return peek(moves, below(stream, count) if count > 1 else 0)


@compiled
def decide(
    lineup: Any, chair: int, own: Any, other: Any, kings: Any, side: int, quiet: int, scratch: Any
) -> Any:
    """The word of the move that the first player of *lineup* chooses.

    The arguments are those of :func:`choose_move`, but nobody has to have taken a seat. Chance
    comes from ``scratch.streams``.
    """
    take_seat(lineup, 0, scratch, chair)
    return choose_move(lineup, chair, own, other, kings, side, quiet, scratch)
