"""Supervised learning from positions of recorded games; compiled.

A row is a position in which a player had more than one legal move, as that player saw it: for a
policy before the move, with the legal moves; for a value network after it, with the final result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.evolve.learning.layers import (
    Layers,
    aim_at_choice,
    backward,
    descend,
    forward,
    squash,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    MOVES,
    SEEN,
    adjudicate,
    adjudicate_at,
    advance,
    begin,
    find_mover,
    find_result,
    list_moves,
    list_seen,
    look,
    settle,
)

MOVE_WORDS = (MOVES + 63) // 64
ONE = np.float32(1.0)


class Rows(NamedTuple):
    """Positions to learn from; each array has one item, or a number of words, per position."""

    seen: NDArray[np.uint64]
    """Planes that the player saw, ``SEEN`` words per position; spare words follow at the end."""
    allowed: NDArray[np.uint64]
    """Legal moves as bits, ``MOVE_WORDS`` words per position."""
    moves: NDArray[np.int64]
    """The move that the recorded player chose."""
    seats: NDArray[np.int64]
    """The seat of the player who sees the position."""
    targets: NDArray[np.float32]
    """The result of that player: 1 for a win, -1 for a loss, 0 for a draw of two."""
    games: NDArray[np.int64]
    """The number of the game that the position is from."""


class LessonRoom(NamedTuple):
    """Work space for one position."""

    inputs_of_bits: NDArray[np.int64]
    """The input that each bit of the planes raises, shape ``(bits,)``."""
    factors: NDArray[np.float32]
    """Number by which each bit raises that input, shape ``(bits,)``."""
    sources: NDArray[np.int64]
    """Indices of the inputs of a position that are not 0."""
    inputs: NDArray[np.float32]
    """Values of these inputs."""
    bits: NDArray[np.int64]
    moves: NDArray[np.int64]
    chance: NDArray[np.uint64]
    states: Array


@compiled
def list_rows(
    played: Array, chosen: Array, seeds: Array, afterwards: Number, rows: Rows, room: LessonRoom
) -> Number:
    """Write the positions of games to *rows*; return their number.

    Args:
        played: The moves of each game, shape ``(games, plies)``; -1 after the last one. A game ends
            before a move that is not legal.
        chosen: The player's choice at each ply, of the same shape; -1 where there was none.
        seeds: Seed of each game, shape ``(games,)``.
        afterwards: True for positions after moves, without a game's last one and without games that
            were not played to the end; False for positions before moves.
        rows: Space for one row per choice.
        room: Space for a position.
    """
    states, count = room.states, 0
    for game in range(played.shape[0]):
        room.chance[0] = seeds[game]
        state, first, ply = settle(states, begin(states), room.chance), count, 0
        verdict = adjudicate(states, state)
        while verdict == GOES_ON and ply < played.shape[1] and played[game, ply] >= 0:
            seat, move = find_mover(states, state), np.int64(played[game, ply])
            legal = list_moves(states, state, room.moves, 0)
            if not _allow(room, legal, move, rows.allowed, count * MOVE_WORDS):
                break
            learns = chosen[game, ply] >= 0 and legal > 1
            if learns and not afterwards:
                look(states, state, seat, rows.seen, count * SEEN)
            state = advance(states, state, move, ply + 1)
            if learns and afterwards:
                look(states, state, seat, rows.seen, count * SEEN)
            state, ply = settle(states, state, room.chance), ply + 1
            verdict = adjudicate_at(states, state, ply)
            if learns and not (afterwards and verdict != GOES_ON):
                rows.moves[count], rows.seats[count] = chosen[game, ply - 1], seat
                rows.games[count] = game
                count += 1
        if verdict == GOES_ON and ply < LONGEST:
            count = first if afterwards else count
        for row in range(first, count):
            rows.targets[row] = find_result(states, state, verdict, rows.seats[row])
    return count


@inlined
def _allow(room: LessonRoom, legal: Number, move: Number, allowed: Array, at: Number) -> Number:
    """Set the bits of the legal moves; test if *move* is one of them."""
    found = False
    for word in range(MOVE_WORDS):
        poke(allowed, at + word, np.uint64(0))
    for place in range(legal):
        other = room.moves[place]
        found |= other == move
        word = at + (other >> 6)
        poke(allowed, word, peek(allowed, word) | np.uint64(1) << np.uint64(other & 63))
    return found


@inlined
def list_inputs(room: LessonRoom, count: Number) -> None:
    """Write the inputs that the first *count* listed bits raise."""
    for place in range(count):
        bit = peek(room.bits, place)
        poke(room.sources, place, peek(room.inputs_of_bits, bit))
        poke(room.inputs, place, peek(room.factors, bit))


class Drill(NamedTuple):
    """Settings of supervised learning."""

    batch: int
    """Rows per step."""
    rate: Number
    """Learning rate of Adam (``float32``)."""
    values: bool
    """True for a value network, False for a policy."""


@compiled
def learn_rows(
    drill: Drill,
    layers: Layers,
    moments: Floats,
    gradient: Floats,
    rates: Floats,
    steps: Number,
    rows: Rows,
    room: LessonRoom,
) -> Number:
    """Learn all rows in their order, one step of Adam for each batch.

    Args:
        drill: Settings.
        layers: Network, whose weights are changed in place.
        moments: Adam's two moments of each weight, shape ``(2, weights)``, changed in place.
        gradient: Space for the sum of a batch's gradients, shape ``(weights,)``, all 0.
        rates: Factors of the layers' gradients, 1 for each layer.
        steps: Number of steps taken before.
        rows: Positions, at least one batch.
        room: Space for a position.

    Returns:
        The sum of the losses of all rows: for a policy the negative log-likelihoods of the choices,
        for a value network the squared errors.
    """
    loss, step, output = 0.0, np.int64(steps), layers.places[-1]
    for row in range(rows.moves.shape[0]):
        count = list_seen(room.states, rows.seen, row * SEEN, room.bits, rows.seats[row])
        list_inputs(room, count)
        forward(layers, room.sources, room.inputs, count)
        if drill.values:
            error = rows.targets[row] - squash(layers, peek(layers.units, output))
            poke(layers.deltas, output, error)
            loss += np.float64(error * error)
        else:
            chosen = aim_at_choice(layers, rows.allowed, row * MOVE_WORDS, rows.moves[row])
            loss -= np.log(max(np.float64(chosen), 1e-30))
        backward(layers, gradient, rates, room.sources, room.inputs, count)
        if (row + 1) % drill.batch == 0:
            step += 1
            scale = ONE / np.float32(drill.batch)
            descend(layers, moments, gradient, scale, drill.rate, step)
    return loss
