"""Games from which a network learns the values of moves, by Q-learning, in any compiled board game.

Each player sees a sequence of states, those in which it is to move; the moves of others in
between are part of its environment. After a game each value is moved towards the best value in the
player's next state (Watkins 1989), or towards a return that reaches farther ahead, up to the first
move that was not greedy: Watkins's Q(λ); see Sutton and Barto, "Reinforcement Learning", 2018,
section 12.10.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number, Position
from evolve_arena.evolve.learning.imitation_learning import LessonRoom, list_inputs
from evolve_arena.evolve.learning.layers import Layers, backward, forward, squash
from evolve_arena.evolve.learning.opponents import Opponents, ask_opponent, seat_opponents
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIRST_WINS,
    PLIES,
    TDSettings,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    SEATS,
    SEEN,
    adjudicate,
    adjudicate_at,
    adjudicate_move,
    advance,
    begin,
    find_mover,
    find_result,
    list_moves,
    list_seen,
    list_wins,
    look,
    note_move,
    settle,
)

ONE = np.float32(1.0)


class ActionNotes(NamedTuple):
    """The record of one game, from which a network learns."""

    seen: NDArray[np.uint64]
    """View of the player to move before each ply, ``SEEN`` words each; spare words follow."""
    moves: NDArray[np.int64]
    """The move of each ply; -1 if a fixed opponent made it."""
    movers: NDArray[np.int64]
    """The seat that made each move."""
    values: NDArray[np.float32]
    """The value of the best move at each ply."""
    explored: NDArray[np.uint8]
    """1 for each ply whose move was drawn at random."""
    wins: NDArray[np.int64]
    returns: NDArray[np.float32]
    """Three numbers for each seat: the return of its next move, the value of the best move there,
    and the discount of both one move earlier."""


@compiled
def teach(
    learning: TDSettings,
    rates: Floats,
    layers: Layers,
    rng: Stream,
    notes: ActionNotes,
    room: LessonRoom,
    opponents: Opponents,
    figures: Array,
) -> None:
    """Play games and change the weights of *layers* after each of them.

    Args:
        learning: Settings of play and learning; ``step`` is not used.
        rates: Learning rate of each layer (``float32``).
        layers: Network, whose weights are changed in place.
        rng: Random stream.
        notes: Space for the record of a game.
        room: Space for a position.
        opponents: Fixed opponents, as in `opponents.seat_opponents`; None for self-play.
        figures: The statistics of `tuple_learning.FIGURES`, shape ``(4,)``, to which those of the
            games are added.
    """
    states = room.states
    for game in range(learning.games):
        own = seat_opponents(opponents, game, rng)
        state, plies = _play(learning, layers, rng, notes, room, opponents, own)
        verdict = adjudicate_at(states, state, plies)
        first = find_result(states, state, verdict, 0)
        figures[PLIES] += plies
        figures[FIRST_WINS] += first == 1
        figures[DRAWS] += abs(first) < 1
        figures[ERROR] += _learn(learning, rates, layers, notes, room, state, verdict, plies)


@inlined
def _play(
    learning: TDSettings,
    layers: Layers,
    rng: Stream,
    notes: ActionNotes,
    room: LessonRoom,
    opponents: Opponents,
    own: Number,
) -> Number:
    """Play one game; return its last state and its number of plies."""
    states = room.states
    state, ply = settle(states, begin(states), rng), 0
    outcome = adjudicate(states, state)
    while outcome == GOES_ON and ply < LONGEST:
        seat = find_mover(states, state)
        winning = list_wins(states, state, notes.wins)
        poke(notes.movers, ply, seat)
        if own >= 0 and seat != own:
            move = ask_opponent(opponents, seat, state, ply, winning)
            poke(notes.moves, ply, np.int64(-1))
        else:
            count = list_moves(states, state, room.moves, 0)
            move = _choose(learning, layers, rng, notes, room, seat, state, count, ply)
            poke(notes.moves, ply, move)
        note_move(states, move)
        ply += 1
        state = settle(states, advance(states, state, move, ply), rng)
        outcome = adjudicate_move(states, state, move, ply, outcome, notes.wins, winning)
    return state, ply


@inlined
def _choose(
    learning: TDSettings,
    layers: Layers,
    rng: Stream,
    notes: ActionNotes,
    room: LessonRoom,
    seat: Number,
    state: Position,
    count: Number,
    ply: Number,
) -> Number:
    """Return the first move of the highest value, or a random one; record what *seat* sees."""
    look(room.states, state, seat, notes.seen, ply * SEEN)
    _run(layers, notes, room, ply)
    place = layers.places[-1]
    best = peek(room.moves, 0)
    for number in range(1, count):
        move = peek(room.moves, number)
        if peek(layers.units, place + move) > peek(layers.units, place + best):
            best = move
    poke(notes.values, ply, squash(layers, peek(layers.units, place + best)))
    explores = count > 1 and chance(rng) < learning.exploration
    poke(notes.explored, ply, np.uint8(explores))
    return peek(room.moves, below(rng, count)) if explores else best


@inlined
def _run(layers: Layers, notes: ActionNotes, room: LessonRoom, ply: Number) -> Number:
    """Run the network on the view before a *ply*; return the number of non-zero inputs."""
    seat = peek(notes.movers, ply)
    count = list_seen(room.states, notes.seen, ply * SEEN, room.bits, seat)
    list_inputs(room, count)
    forward(layers, room.sources, room.inputs, count)
    return count


@inlined
def _learn(
    learning: TDSettings,
    rates: Floats,
    layers: Layers,
    notes: ActionNotes,
    room: LessonRoom,
    state: Position,
    verdict: Number,
    plies: Number,
) -> Number:
    """Move the values of a game's moves towards their returns, from the last to the first.

    Returns:
        The sum of the absolute differences between values and returns.
    """
    decay, error = np.float32(learning.decay), 0.0
    discount = np.float32(learning.discount)
    for seat in range(SEATS):  # the end is worth its result, whatever would be played
        result = find_result(room.states, state, verdict, seat)
        _note_return(notes, seat, result, result, ONE)
    for ply in range(plies - 1, -1, -1):
        move, seat = peek(notes.moves, ply), peek(notes.movers, ply)
        if move >= 0:
            following, best = peek(notes.returns, 3 * seat), peek(notes.returns, 3 * seat + 1)
            target = peek(notes.returns, 3 * seat + 2) * (best + decay * (following - best))
            count = _run(layers, notes, room, ply)
            place = layers.places[-1] + move
            missing = target - squash(layers, peek(layers.units, place))
            error += abs(np.float64(missing))
            poke(layers.deltas, place, missing)
            backward(layers, layers.weights, rates, room.sources, room.inputs, count)
            poke(layers.deltas, place, np.float32(0.0))
            value = peek(notes.values, ply)
            explored = peek(notes.explored, ply) > 0
            _note_return(notes, seat, value if explored else target, value, discount)
    return error


@inlined
def _note_return(
    notes: ActionNotes, seat: Number, following: Number, best: Number, discount: Number
) -> None:
    poke(notes.returns, 3 * seat, following)
    poke(notes.returns, 3 * seat + 1, best)
    poke(notes.returns, 3 * seat + 2, discount)
