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
    MOVES,
    SIZE,
    adjudicate,
    adjudicate_exhausted,
    count_outcomes,
    find_endgame,
    find_key,
    find_mover,
    follow,
    happen,
    list_moves,
    take_endgame,
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
FAR = np.int64(1 << 14)
"""Number of plies to an end that is not there, above any other."""
LEAVES, TOO_MANY = -1, -2
"""Results of listing moves: one leaves the endgames; there is no room."""


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


@inlined
def _turn_edges(count: Integer, firsts: Array, edges: Array, before: Array, sources: Array) -> None:
    """Write the positions before each into *sources*, by counting sort, and where they begin."""
    for edge in range(firsts[count]):
        before[edges[edge] + 2] += 1
    for at in range(count):
        before[at + 2] += before[at + 1]
    for at in range(count):
        for edge in range(firsts[at], firsts[at + 1]):
            target = edges[edge] + 1
            sources[before[target]] = at
            before[target] += 1


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
    _turn_edges(count, firsts, edges, before, sources)
    for at in range(count):
        pending[at] = firsts[at + 1] - firsts[at]
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


# Endgames that the file numbers, group by group: all positions of a group are listed, whether they
# can be reached or not, and moves lead to the same group or to earlier ones, which are solved.


@compiled
def list_group(
    first: Integer,
    size: Integer,
    table: Array,
    movers: Array,
    wins: Array,
    losses: Array,
    pending: Array,
    firsts: Array,
    edges: Array,
    moves: Array,
    states: Array,
) -> Integer:
    """List the moves of all positions of a group; return their number, or LEAVES or TOO_MANY.

    Args:
        first: Number of the group's first endgame.
        size: Number of the group's endgames.
        table: Values of all endgames (``int16``), set up to *first*.
        movers: Array for who is to move (``int8``), or OVER: such positions stand for nothing.
        wins: Array for the fewest plies to a win by the moves that leave the group (``int16``);
            FAR if there is none.
        losses: Array for the most plies to a loss by them (``int16``).
        pending: Array for the number of moves that stay in the group, or draw (``int32``).
        firsts: Array for the index of the first of the edges of each, and their end (``int64``).
        edges: Array for the positions of the group that moves lead to (``int32``); longer than
            *moves*, as so much must be free before each list.
        moves: Array for the lists of a turn's moves, one behind another.
        states: Rows of states.
    """
    end = np.int64(0)
    for at in range(size):
        firsts[at], movers[at], wins[at], losses[at], pending[at] = end, OVER, FAR, 0, 0
        state = take_endgame(first + at)
        if find_endgame(state) == first + at and adjudicate(states, state) == GOES_ON:
            movers[at] = find_mover(states, state)
            end = _list_turns(
                *(state, np.int64(at), np.int64(movers[at]), np.int64(0), first, size, end),
                *(table, wins, losses, pending, edges, moves, states),
            )
            if end < 0:
                return end
    firsts[size] = end
    return end


@compiled
def _list_turns(
    state: Position,
    at: Integer,
    mover: Integer,
    level: Integer,
    first: Integer,
    size: Integer,
    end: Integer,
    table: Array,
    wins: Array,
    losses: Array,
    pending: Array,
    edges: Array,
    moves: Array,
    states: Array,
) -> Integer:
    """List the moves in a *state*; those after which a turn goes on are followed to its end."""
    begin = level * MOVES
    if begin + MOVES > moves.shape[0] or end + moves.shape[0] > edges.shape[0]:
        return np.int64(TOO_MANY)
    for place in range(begin, begin + list_moves(states, state, moves, begin)):
        trial = follow(states, np.int64(0), state, peek(moves, place))
        verdict, number, known = adjudicate(states, trial), np.int64(-1), np.int64(1)
        if verdict != GOES_ON:
            known *= (1 - 2 * mover) * verdict
        else:
            number = find_endgame(trial)
            same = find_mover(states, trial) == mover
            if number < 0 and same:
                end = _list_turns(
                    *(trial, at, mover, level + 1, first, size, end),
                    *(table, wins, losses, pending, edges, moves, states),
                )
                if end < 0:
                    return end
                continue
            if not 0 <= number < first + size:
                return np.int64(LEAVES)
            if number >= first:
                edges[end] = number - first
                end += 1
            else:
                known = np.int64(table[number]) * (1 if same else -1)
        if number >= first or known == 0:
            pending[at] += 1
        elif known > 0:
            wins[at] = min(np.int64(wins[at]), known + 1)
        else:
            losses[at] = max(np.int64(losses[at]), 1 - known)
    return end


@compiled
def solve_group(
    size: Integer,
    values: Array,
    movers: Array,
    wins: Array,
    losses: Array,
    pending: Array,
    firsts: Array,
    edges: Array,
    before: Array,
    sources: Array,
    heads: Array,
    links: Array,
) -> None:
    """Set the *values* of a group's positions to the player to move.

    A value is 1 plus the turns to a win, minus that for a loss, 0 for a draw; whoever wins hurries,
    and the other player delays the end.

    Args:
        size: Number of positions.
        values: Array for the values (``int16``), all 0.
        movers: Who is to move in each; see :func:`list_group`.
        wins: Plies to a win by moves that leave the group.
        losses: Plies to a loss by them.
        pending: Number of moves that stay in the group, or draw.
        firsts: Index of the first of the edges of each, and their end.
        edges: Positions of the group that moves lead to.
        before: Zeros (``int64``), shape ``(size + 2,)``.
        sources: Array for the positions before each, as long as *edges*.
        heads: Array for the first position of each value (``int32``), filled with -1.
        links: Array for lists of positions (``int32``), shape ``(3 * size, 2)``.
    """
    _turn_edges(size, firsts, edges, before, sources)
    # Positions wait in a list for each value; when its turn comes, no sooner end is possible.
    used = np.int64(0)
    for at in range(size):
        if movers[at] == OVER:
            continue
        if wins[at] < FAR:
            used = _wait(at, np.int64(wins[at]), heads, links, used)
        elif pending[at] == 0:
            used = _wait(at, max(np.int64(losses[at]), np.int64(1)), heads, links, used)
    for value in range(1, heads.shape[0] - 1):
        link = np.int64(heads[value])
        while link >= 0:
            place, link = np.int64(links[link, 0]), np.int64(links[link, 1])
            if values[place] != 0:
                continue
            is_won = wins[place] < FAR
            values[place] = value if is_won else -value
            for edge in range(before[place], before[place + 1]):
                source = np.int64(sources[edge])
                if values[source] != 0:
                    continue
                if is_won == (movers[source] == movers[place]):
                    if value + 1 < wins[source]:
                        wins[source] = value + 1
                        used = _wait(source, np.int64(value + 1), heads, links, used)
                    continue
                pending[source] -= 1
                losses[source] = max(np.int64(losses[source]), np.int64(value + 1))
                if pending[source] == 0 and wins[source] == FAR:
                    used = _wait(source, np.int64(losses[source]), heads, links, used)


@inlined
def _wait(at: Integer, value: Integer, heads: Array, links: Array, used: Integer) -> Integer:
    """Put a position into the list of those with a *value*; return the number of links in use."""
    value = min(value, np.int64(heads.shape[0] - 1))
    links[used, 0], links[used, 1], heads[value] = at, heads[value], used
    return used + 1
