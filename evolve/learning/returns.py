"""λ-returns of a game's positions, the targets of their values in TD(λ); compiled.

Two players share one sequence of positions, those after each ply, valued for the first player: what
one of them wins the other loses. Of more players each has a sequence of its own, of the positions
that it moved to, valued for itself: the moves of others in between are part of its environment. A
learner that meets fixed opponents has a sequence of its own, too. A return ends where the next move
of its sequence was played at random, since what follows was not chosen.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.types import Array, Number, Position, Record
from evolve_arena.evolve.learning.tuple_learning import DRAWS, FIRST_WINS, PLIES, TDSettings
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import SEATS, find_result

SEQUENCES = 1 if SEATS == 2 else SEATS
FIELDS = 3
"""Count of numbers kept for a sequence: the value of its next position, the return from there on,
and 1 if the move to it was chosen, 0 if it was played at random."""
ONE = np.float32(1.0)


@inlined
def find_sign(seat: Number) -> Number:
    """Return the factor by which a value for a *seat* becomes a value of its sequence."""
    return np.float32(1 - 2 * seat) if SEATS == 2 else ONE


@inlined
def end_game(
    states: Position,
    state: Position,
    verdict: Number,
    plies: Number,
    workspace: Record,
    figures: Array,
) -> None:
    """Set each sequence's return to the result of a finished game, and count the game.

    Args:
        states: Array of states of the game.
        state: Last state of the game.
        verdict: Result as the rules give it; of two players 1, 0 or -1 for the first one.
        plies: Number of plies of the game.
        workspace: Record of the game: ``movers``, ``explored``; ``ends`` is written.
        figures: The statistics of `tuple_learning.FIGURES`, shape ``(4,)``, to which those of the
            game are added.
    """
    for place in range(SEQUENCES):
        result = np.float32(verdict)
        if SEATS > 2:
            result = find_result(states, state, verdict, place)
        _note(workspace, place, result, result, ONE)
    if plies > 0:
        last = np.int64(0) if SEATS == 2 else peek(workspace.movers, plies - 1)
        chosen = np.float32(not peek(workspace.explored, plies - 1))
        poke(workspace.ends, FIELDS * last + 2, chosen)
    first = peek(workspace.ends, 0)
    figures[PLIES] += plies
    figures[FIRST_WINS] += first == ONE
    figures[DRAWS] += abs(first) < ONE


@inlined
def find_return(learning: TDSettings, ply: Number, own: Number, workspace: Record) -> Number:
    """Test if the value of the position after a *ply* is to be learned, and find its return.

    Call this function for each ply, from the last but one down to the first.

    Args:
        learning: Settings of learning.
        ply: Index of the ply, from 0.
        own: The learner's seat; -1 if it plays itself.
        workspace: Record of the game: ``movers``, ``values`` of its sequence, ``explored``.
    """
    seat = peek(workspace.movers, ply)
    place = np.int64(0) if SEATS == 2 else seat
    value = peek(workspace.values, ply)
    following = peek(workspace.ends, FIELDS * place)
    result = peek(workspace.ends, FIELDS * place + 1)
    learns = own < 0 or seat == own
    if learns:
        learns = peek(workspace.ends, FIELDS * place + 2) > 0
        if learns:
            mixed = (1.0 - learning.decay) * following + learning.decay * result
            result = np.float32(learning.discount * mixed)
        else:
            result = value
        chosen = np.float32(not peek(workspace.explored, ply))
        _note(workspace, place, value, result, chosen)
    return learns, result


@inlined
def _note(
    workspace: Record, place: Number, following: Number, result: Number, chosen: Number
) -> None:
    poke(workspace.ends, FIELDS * place, following)
    poke(workspace.ends, FIELDS * place + 1, result)
    poke(workspace.ends, FIELDS * place + 2, chosen)
