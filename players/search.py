"""Transposition table and values of wins for alpha-beta search, compiled.

Alpha-beta in negamax form: a value is that of the position for the player to move. The recursion,
which lists moves, makes them and values the leaves, stands in another file and calls these steps.

A value depends on the position and the plies left to search and, where players value positions
differently, on the player that searches: not on the moves before, the window, or earlier
searches. So whatever the table holds, from earlier moves, other matches or other players, the
best moves are the same.

A search's memory is one array of ``int64``: the number of positions searched, then the table. An
entry has two words: the key, and the value with its bound, best move and depth. A key is one word
that holds the whole position, so no two positions are ever confused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import mix
from evolve_arena.core.types import Array, Integer, Number
from evolve_arena.genomes.simd import peek, poke

WIN = 1 << 40
"""Value of a win, above any evaluation."""
INFINITE = 2 * WIN
UNKNOWN = 3 * WIN
"""Result of a look-up that finds nothing of use."""

NODES, TABLE_AT = 0, 1
"""Indices in a memory: the count of nodes, and the first word of the table."""

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
"""Meaning of a value in the table: exact, a lower bound or an upper bound."""
DEPTHS, MOVES, BOUNDS = 64, 1024, 4
"""Radices with which an entry's last word is packed."""


def make_memory(bits: Integer) -> NDArray[np.int64]:
    """Return memory for searches, with a table of ``2**bits`` positions; none if *bits* is 0."""
    return np.zeros(TABLE_AT + (2 << bits if bits else 0), dtype=np.int64)


@inlined
def count_node(memory: Array) -> None:
    """Increment the count of positions searched."""
    poke(memory, NODES, peek(memory, NODES) + 1)


@inlined
def find_slot(memory: Array, key: Number) -> Number:
    """Return the index of the position with *key* (``uint64``, not 0); -1 without a table."""
    entries = (memory.shape[0] - TABLE_AT) >> 1
    if entries == 0:
        return -1
    return TABLE_AT + 2 * np.int64(mix(key) & np.uint64(entries - 1))


@inlined
def probe(
    memory: Array, slot: Integer, key: Number, depth: Integer, low: Number, high: Number
) -> Number:
    """Return the position's value or, if that suffices, a bound outside *low* to *high*.

    :data:`UNKNOWN` if the table holds neither.

    Args:
        memory: Memory of the searches (``int64``); see :func:`make_memory`.
        slot: Index of the position's entry by :func:`find_slot`; -1 without a table.
        key: Key of the position (``uint64``), not 0.
        depth: Plies left to search, 0 to 63; an entry counts only if it has the same.
        low: Lower end of the window: an upper bound suffices if it is no higher.
        high: Upper end of the window: a lower bound suffices if it is no lower.
    """
    if slot < 0 or peek(memory, slot) != np.int64(key):  # no table, or another position
        return UNKNOWN
    return _read_value(peek(memory, slot + 1), depth, low, high)


@inlined
def remembered_move(memory: Array, slot: Integer, key: Number) -> Number:
    """Return the best move of this position's last search, to any depth; -1 if unknown.

    Args:
        memory: Memory of the searches (``int64``); see :func:`make_memory`.
        slot: Index of the position's entry by :func:`find_slot`; -1 without a table.
        key: Key of the position (``uint64``), not 0.
    """
    if slot < 0 or peek(memory, slot) != np.int64(key):
        return -1
    return read_move(peek(memory, slot + 1))


@inlined
def read_move(word: Number) -> Number:
    """Return the best move in an entry's last *word*."""
    return (word >> 6) % MOVES


@inlined
def store(
    memory: Array,
    slot: Integer,
    key: Number,
    depth: Integer,
    low: Number,
    high: Number,
    value: Number,
    move: Integer,
) -> None:
    """Store the result of a search with the window *low* to *high*.

    Args:
        memory: Memory of the searches (``int64``); see :func:`make_memory`.
        slot: Index of the position's entry by :func:`find_slot`; -1 without a table.
        key: Key of the position (``uint64``), not 0.
        depth: Plies searched, 0 to 63.
        low: Lower end of the window: values up to it are upper bounds.
        high: Upper end of the window: values from it on are lower bounds.
        value: Result of the search for the player to move.
        move: Best move, 0 to 1023.
    """
    if slot < 0:
        return
    poke(memory, slot, np.int64(key))  # the newest entry replaces any other
    poke(memory, slot + 1, _pack_entry(depth, low, high, value, move))


@inlined
def _pack_entry(depth: Integer, low: Number, high: Number, value: Number, move: Integer) -> Number:
    """Pack an entry's last word; values have 43 bits, so it is never negative."""
    bound = EXACT  # outside the window, the value is only a bound
    if value >= high:
        bound = AT_LEAST
    elif value <= low:
        bound = AT_MOST
    return ((((value + INFINITE) << 2) + bound) << 16) + (move << 6) + depth


@inlined
def _read_value(word: Number, depth: Integer, low: Number, high: Number) -> Number:
    if word % DEPTHS != depth:
        return UNKNOWN
    # An entry counts if it is exact, or proves a value outside the window.
    value = (word >> 18) - INFINITE
    bound = (word >> 16) % BOUNDS
    if (
        bound == EXACT
        or (bound == AT_LEAST and value >= high)
        or (bound == AT_MOST and value <= low)
    ):
        return value
    return UNKNOWN
