"""Proof of exact values by alpha-beta search to the end of the game, compiled.

The value of a position is 0 for a draw, and else TOP less the number of plies to the end of the
game: positive for a win, which should come soon, negative for a loss, which should come late. It
depends on the position alone, so an entry of the transposition table holds for searches from
anywhere: it is exact, or a lower or an upper bound.

Where the maximum number of moves (LONGEST) ends a game that would go on, values depend on the
number of moves made, too; then keys include it.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import hash_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.board.alpha_beta import (
    KEPT,
    LIMIT,
    LIST,
    LISTS_AT,
    SAFE,
    SKIPS_ADJUDICATION,
    bring_forward,
    is_aborted,
    note_cutoff,
    promise_all,
    wins_at_once,
)
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_WINS,
    LONGEST,
    adjudicate,
    adjudicate_exhausted,
    find_key,
    find_mover,
    follow,
    list_moves,
    list_safe,
)
from evolve_arena.players.search import (
    NODES,
    UNKNOWN,
    count_node,
    find_slot,
    probe,
    remembered_move,
    store,
)

TOP = np.int64(1 << 20)
"""Value of a game that is won now."""
MAX_LEVELS = 1000
"""Maximum plies of a search, which is recursive."""
WEIGHT = np.int64(8)
"""Depth, for the history of cutoffs, that each of them counts as."""
PROVEN, TOUCHED, ABORTED = 0, 1, 2
"""Results of :func:`prove_moves`: values are proven; LONGEST ended a game; the limit is reached."""


@compiled
def prove_moves(
    state: Position,
    plies: Integer,
    by_ply: Integer,
    distance: Integer,
    moves: Array,
    count: Integer,
    values: Array,
    states: Array,
    room: Array,
    memory: Array,
) -> Integer:
    """Write the exact values of listed *moves*, for the player to move, into *values*.

    Args:
        state: State before the moves: a tuple, or its row in *states*, which is 0.
        plies: Number of moves made before.
        by_ply: 1 if values depend on the number of moves made, else 0.
        distance: 1 for values as above; 0 for their signs, which are proven sooner.
        moves: Legal moves (``int64``).
        count: Number of moves.
        values: Array for the values (``int64``), shape ``(count,)``.
        states: Rows of states.
        room: Lists of the search; see `evolve_arena.players.board.alpha_beta`.
        memory: Transposition table; see `evolve_arena.players.search`.
    """
    side = np.int64(find_mover(states, state))
    poke(memory, NODES, np.int64(0))
    for place in range(count):
        trial = follow(states, np.int64(1), state, peek(moves, place))
        # MTD(f): null windows that close in on the value, from 0 on
        least, most, value = -TOP, TOP, np.int64(0)
        while least < most:
            bound = value + 1 if value == least else value
            value = np.int64(
                _value(
                    *(trial, side, bound - 1, bound, np.int64(1), np.int64(plies)),
                    *(np.int64(by_ply), states, room, memory),
                )
            )
            if _is_given_up(room, memory):
                return np.int64(TOUCHED if peek(room, LIMIT) < 0 else ABORTED)
            if value < bound:
                most = value
            else:
                least = value
            if not distance and (least > 0 or most < 0):
                break
        poke(values, place, value if distance else np.int64(least > 0) - np.int64(most < 0))
    return np.int64(PROVEN)


@compiled
def _value(  # noqa: PLR0911, PLR0912
    state: Position,
    side: Integer,
    low: Number,
    high: Number,
    level: Integer,
    plies: Integer,
    by_ply: Integer,
    states: Array,
    room: Array,
    memory: Array,
) -> Integer:
    """Return the value to a *side* of the *state* to which it has moved, or a bound of it.

    The value counts the plies from the state before that move.

    Args:
        state: State at that *level*.
        side: Seat that moved last.
        low: Lower end of the window: values up to it are upper bounds.
        high: Upper end of the window: values from it on are lower bounds.
        level: Number of moves since the root.
        plies: Number of moves made before the root.
        by_ply: 1 if values depend on the number of moves made, else 0.
        states: Rows of states.
        room: Lists of the search.
        memory: Transposition table.
    """
    # The end of the game; room[LIMIT] below 0 ends the search, as LONGEST matters.
    at_end = plies + level >= LONGEST
    if at_end or level == 1 or not SKIPS_ADJUDICATION:
        verdict = adjudicate(states, state)
        if verdict == GOES_ON and at_end:
            if not by_ply:
                poke(room, LIMIT, np.int64(-1))
                return np.int64(0)
            verdict = adjudicate_exhausted(states, state)
        if verdict != GOES_ON:
            return np.int64((1 - 2 * side) * verdict * (TOP - 1))
    if level >= MAX_LEVELS:  # not proven: as if the limit of nodes were reached
        poke(memory, NODES, peek(room, LIMIT) + 1)
        return np.int64(0)
    mover = np.int64(find_mover(states, state))
    # From here on, values are those of the player to move, and count the plies from here.
    sign = np.int64(1 if mover == side else -1)
    if sign < 0:
        low, high = -high, -low
    low, high = _farther(low), _farther(high)
    if HAS_WINS and (sign > 0 or level == 1 or not SAFE) and wins_at_once(states, state, room):
        return sign * _nearer(TOP - 1)
    # No win comes sooner than in one ply.
    if low >= TOP - 1 or high <= 1 - TOP:
        return sign * _nearer(TOP - 1 if low > 0 else 1 - TOP)
    # The transposition table
    key, place, hint = find_key(states, state), np.int64(-1), np.int64(-1)
    if by_ply:
        key ^= hash_word(np.uint64(plies + level), np.uint64(1))
    if key != np.uint64(0):
        place = np.int64(find_slot(memory, key))
        known = np.int64(probe(memory, place, key, np.int64(0), low, high))
        if known != UNKNOWN:
            return sign * _nearer(known)
        hint = np.int64(remembered_move(memory, place, key))
    # Moves: all, or those that do not let the other player win at once
    at = np.int64(LISTS_AT + level * LIST)
    if SAFE:
        count = list_safe(states, state, room, at)
        if count == 0:
            return sign * _nearer(2 - TOP)
    else:
        count = list_moves(states, state, room, at)
    count_node(memory)
    if _is_given_up(room, memory):
        return np.int64(0)
    promise_all(states, state, mover, room, at, count, hint)
    best, best_move, floor = -TOP, np.int64(0), low
    for number in range(at, at + count):
        bring_forward(room, number, at + count)
        move = peek(room, number)
        trial = follow(states, level + 1, state, move)
        value = np.int64(
            _value(
                *(trial, mover, floor, high, level + 1, plies, by_ply),
                *(states, room, memory),
            )
        )
        if _is_given_up(room, memory):
            return np.int64(0)
        if value > best:
            best, best_move = value, move
            floor = max(floor, best)
            if best >= high:
                note_cutoff(room, mover, move, WEIGHT)
                break
    if place >= 0:
        store(memory, place, key, np.int64(0), low, high, best, best_move & KEPT)
    return sign * _nearer(best)


@inlined
def _is_given_up(room: Array, memory: Array) -> Number:
    """Test whether a search ends without a result, by the limit of nodes or by LONGEST."""
    return is_aborted(room, memory) or peek(room, LIMIT) < 0


@inlined
def _nearer(value: Number) -> Integer:
    """Return the value one ply earlier: less, as the end of the game is farther away."""
    return np.int64(value - (value > 0) + (value < 0))


@inlined
def _farther(value: Number) -> Integer:
    """Return the bound one ply later: the inverse of :func:`_nearer`."""
    return np.int64(value + (value > 0) - (value < 0))
