"""λ-returns of a game's positions, towards which TD(λ) draws their values; compiled.

Two players share one sequence of positions, those after each ply, valued for who began: what one
of them wins the other loses. Of more players each has a sequence of its own, of the positions that
it moved to, valued for itself: what others play in between is part of its surroundings. So have
those who meet fixed opponents. A return ends where the next move of its sequence was played at
random: what follows was not chosen.
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
"""Numbers of a sequence: the value of its next position, the return from there on, and 1 if the
move to it was chosen, 0 if it was played at random."""
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
    """Begin the sequences of a game at its end, and count the game.

    Args:
        states: The rows of states.
        state: The last one.
        verdict: 1, 0, -1 for the player who began, of two.
        plies: The number of plies.
        workspace: Notes of the game: ``movers``, ``explored``; ``ends`` is written.
        figures: What `evolve_arena.evolve.learning.tuple_learning` counts; it is added.
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
    """Test if the position after a *ply* is learned from, and find its return.

    To be asked for from the last ply but one down to the first.

    Args:
        learning: How to learn.
        ply: The number of the ply, from 0 on.
        own: The learner's seat; -1 if it plays itself.
        workspace: Notes of the game: ``movers``, ``values`` of its sequence, ``explored``.
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
