"""Exact values of all positions that can be reached from one, by retrograde analysis, compiled.

First the positions are listed, breadth first, each with the positions that its moves, or outcomes
of chance, lead to. Then values go backwards: from the ends of games to the positions before them,
in the order of their distance. A position from which nobody can force a win in this way is a draw,
as both players can avoid the end for ever. With chance events the values are expected results,
found by value iteration.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import hash_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import peek
from evolve_arena.players.board.example import IS_ARRAY, load_state, store_state
from evolve_arena.players.board.proof import TOP
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_PAST,
    LONGEST,
    SIZE,
    adjudicate,
    adjudicate_exhausted,
    count_outcomes,
    find_key,
    find_mover,
    follow,
    happen,
    list_moves,
)

CHANCE, OVER = -1, -2
"""Movers of positions in which chance events come next, and in which the game is over."""
BY_PLY = not HAS_CHANCE and not HAS_PAST
"""True if equal positions after different numbers of moves are listed apart, as LONGEST may matter.
In the other games it does not: wins are found that end the game before, and chance is rarely so
slow."""
PRECISION = 1e-12
"""Change of expected results that ends value iteration."""
MAX_SWEEPS = 100_000


@compiled
def list_positions(
    state: Position,
    plies: Integer,
    states: Array,
    rows: Array,
    table: Array,
    words: Array,
    depths: Array,
    movers: Array,
    firsts: Array,
    edges: Array,
    values: Array,
    moves: Array,
) -> Integer:
    """List all positions that can be reached; return their number, or -1 if there is no room.

    Args:
        state: The position to begin with: a tuple, or row 0 of *states*.
        plies: Number of moves made before.
        states: Rows of states, with room for one more than the most positions.
        rows: Room for states that are tuples, SIZE numbers each (``int64``).
        table: Hash table of positions (``int32``), filled with -1; its length is a power of two.
        words: Array for the keys of the positions (``uint64``); as long as the most positions.
        depths: Array for the number of moves before each of them (``int32``).
        movers: Array for who is to move (``int8``): a seat, CHANCE or OVER.
        firsts: Array for the index of the first of the edges of each, and their end (``int64``).
        edges: Array for the positions that moves or outcomes lead to (``int32``).
        values: Array for values to seat 0 (``float64``), which are set where the game is over.
        moves: Array for a list of moves.
    """
    most, end = words.shape[0], np.int64(0)
    depths[0], at = plies, np.int64(0)
    state = _place(states, rows, at, state)
    _, count = _find_or_add(state, at, states, table, words, depths)
    while at < count:
        firsts[at] = end
        state, ply = _take(states, rows, at), np.int64(depths[at])
        outcomes = count_outcomes(states, state)
        verdict = adjudicate(states, state) if outcomes == 0 else np.int64(GOES_ON)
        if BY_PLY and verdict == GOES_ON and ply >= LONGEST:
            verdict = adjudicate_exhausted(states, state)
        choices = outcomes
        if verdict != GOES_ON:
            movers[at], values[at] = OVER, verdict
        elif outcomes > 0:
            movers[at] = CHANCE
        else:
            movers[at] = find_mover(states, state)
            choices = list_moves(states, state, moves, np.int64(0))
        if end + choices > edges.shape[0]:
            return np.int64(-1)
        for number in range(choices):
            if count >= most:
                return np.int64(-1)
            if outcomes > 0:
                trial = happen(states, count, state, np.int64(number))
            else:
                trial = follow(states, count, state, peek(moves, number))
            depths[count] = ply + (outcomes == 0)
            trial = _place(states, rows, count, trial)
            edges[end], count = _find_or_add(trial, count, states, table, words, depths)
            end += 1
        at += 1
    firsts[count] = end
    return count


@inlined
def _take(states: Array, rows: Array, at: Integer) -> Position:
    """Return the state of position *at*."""
    return np.int64(at) if IS_ARRAY else load_state(rows, at * SIZE)


@inlined
def _place(states: Array, rows: Array, at: Integer, state: Position) -> Position:
    """Store a *state* as that of position *at*; one that is a row is there already."""
    if not IS_ARRAY:
        store_state(rows, at * SIZE, state)
    return state


@inlined
def _find_or_add(
    state: Position, count: Integer, states: Array, table: Array, words: Array, depths: Array
) -> tuple[Integer, Integer]:
    """Return the number of a position, the last one if it is new, and the number of positions."""
    word = identify_at(states, state, np.int64(depths[count]))
    mask = np.uint64(table.shape[0] - 1)
    slot = word & mask
    while table[slot] >= 0:
        if words[table[slot]] == word:
            return np.int64(table[slot]), count
        slot = (slot + np.uint64(1)) & mask
    table[slot], words[count] = count, word
    return count, count + 1


@inlined
def identify_at(states: Array, state: Position, ply: Integer) -> Number:
    """Return the key of a position.

    Args:
        states: Rows of states.
        state: State of the position.
        ply: Number of moves made before.
    """
    word = find_key(states, state)
    return word ^ hash_word(np.uint64(ply), np.uint64(1)) if BY_PLY else word


@compiled
def find_position(
    state: Position, plies: Integer, states: Array, table: Array, words: Array
) -> Integer:
    """Return the number of a listed position, or -1.

    Args:
        state: The position: a tuple, or its row in *states*.
        plies: Number of moves made before.
        states: Rows of states.
        table: Hash table that :func:`list_positions` filled.
        words: Keys of the positions.
    """
    word, mask = identify_at(states, state, np.int64(plies)), np.uint64(table.shape[0] - 1)
    slot = word & mask
    while table[slot] >= 0:
        if words[table[slot]] == word:
            return np.int64(table[slot])
        slot = (slot + np.uint64(1)) & mask
    return np.int64(-1)


@compiled
def propagate(
    count: Integer,
    movers: Array,
    firsts: Array,
    edges: Array,
    values: Array,
    before: Array,
    sources: Array,
    pending: Array,
    queue: Array,
) -> None:
    """Set the *values* of all positions to seat 0, as `proof.prove_moves` counts them.

    Args:
        count: Number of positions.
        movers: Who is to move in each.
        firsts: Index of the first of the edges of each, and their end.
        edges: Positions that moves lead to.
        values: Results where the game is over; the others are set.
        before: Zeros (``int64``), shape ``(count + 2,)``.
        sources: Array for the positions before each, as long as *edges*.
        pending: Array for the number of moves of each that may not lose (``int32``).
        queue: Array for positions whose values are known (``int32``), as long as *values*.
    """
    # Edges backwards, by counting sort
    for edge in range(firsts[count]):
        before[edges[edge] + 2] += 1
    for at in range(count):
        before[at + 2] += before[at + 1]
    for at in range(count):
        pending[at] = firsts[at + 1] - firsts[at]
        for edge in range(firsts[at], firsts[at + 1]):
            target = edges[edge] + 1
            sources[before[target]] = at
            before[target] += 1
    # Positions in the order of their distance from the end
    head, tail = 0, 0
    for at in range(count):
        if movers[at] == OVER and values[at] != 0:
            values[at] *= TOP
            queue[tail] = at
            tail += 1
    while head < tail:
        at = queue[head]
        head += 1
        value = values[at]
        for edge in range(before[at], before[at + 1]):
            source = sources[edge]
            if values[source] != 0:
                continue
            pending[source] -= 1
            # A win for the player to move, or a loss by the last of the moves
            if (value > 0) == (movers[source] == 0) or pending[source] == 0:
                values[source] = value - np.sign(value)
                queue[tail] = source
                tail += 1


@compiled
def iterate(count: Integer, movers: Array, firsts: Array, edges: Array, values: Array) -> Integer:
    """Set the *values* of all positions to seat 0: expected results, from -1 to 1.

    Args:
        count: Number of positions.
        movers: Who is to move in each.
        firsts: Index of the first of the edges of each, and their end.
        edges: Positions that moves or outcomes of chance lead to.
        values: Results where the game is over; the others are set.

    Returns:
        Number of sweeps over all positions.
    """
    for sweep in range(MAX_SWEEPS):
        change = 0.0
        # Backwards, as later positions are mostly listed behind earlier ones
        for at in range(count - 1, -1, -1):
            first, end, mover = firsts[at], firsts[at + 1], movers[at]
            if first == end:
                continue
            if mover == CHANCE:
                value = 0.0
                for edge in range(first, end):
                    value += values[edges[edge]]
                value /= end - first
            else:
                sign = 1.0 - 2.0 * mover
                value = -2.0
                for edge in range(first, end):
                    value = max(value, sign * values[edges[edge]])
                value *= sign
            change = max(change, abs(value - values[at]))
            values[at] = value
        if change < PRECISION:
            return np.int64(sweep + 1)
    return np.int64(-1)
