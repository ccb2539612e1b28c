"""What every game's search has in common, compiled: the worth of a win, and a table of positions.

Alpha-beta in negamax form: a value is what the position is worth to the player to move. A game
has a file of its own with the recursion, which lists and makes moves and values what it finds at
the last ply; it takes these steps from here.

A value depends on the position and the plies left to search, and where players differ in what
they think of positions on who searches: on nothing else, not on the moves that led there, on the
window, nor on what was searched before. So whatever the table holds, from earlier moves, other
matches or other players, the same moves come out as best.

A search's room is one array of ``int64``: how many positions were searched, what else the game
wants to keep there, then the table. An entry is the key and a word of what was found. A key is one
word, all of a position, so no two are ever confused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined
from evolve_arena.core.stream import mix
from evolve_arena.genomes.simd import peek, poke

WIN = 1 << 40
"""More than any evaluation."""
INFINITE = 2 * WIN
UNKNOWN = 3 * WIN
"""What the table answers if it does not know."""

NODES, TABLE_AT = 0, 1
"""Fields of a room; a game that keeps more there has its table farther behind."""

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
"""What a value in the table is."""
DEPTHS, MOVES, BOUNDS = 64, 1024, 4
"""How many there may be, to pack an entry's last word."""


def make_memory(bits: int) -> NDArray[np.int64]:
    """Room for searches, with a table of ``2**bits`` positions; none if *bits* is 0."""
    return np.zeros(TABLE_AT + (2 << bits if bits else 0), dtype=np.int64)


@inlined
def count_node(memory: Any) -> None:
    """One more position was searched."""
    poke(memory, NODES, peek(memory, NODES) + 1)


@inlined
def find_slot(memory: Any, key: Any) -> Any:
    """Where the table keeps the position with *key* (``uint64``, not 0); -1 without a table."""
    entries = (memory.shape[0] - TABLE_AT) >> 1
    if entries == 0:
        return -1
    return TABLE_AT + 2 * np.int64(mix(key) & np.uint64(entries - 1))


@inlined
def probe(memory: Any, slot: Any, key: Any, depth: Any, low: Any, high: Any) -> Any:
    """The position's value or, if that suffices, a bound outside of *low* to *high*.

    :data:`UNKNOWN` if the table holds neither.
    """
    if slot < 0 or peek(memory, slot) != np.int64(key):
        return UNKNOWN
    return _read_value(peek(memory, slot + 1), depth, low, high)


@inlined
def remembered_move(memory: Any, slot: Any, key: Any) -> Any:
    """The best move of the last search of this position, to any depth; -1 if there is none."""
    if slot < 0 or peek(memory, slot) != np.int64(key):
        return -1
    return read_move(peek(memory, slot + 1))


@inlined
def read_move(word: Any) -> Any:
    """The best move that an entry's last *word* holds."""
    return (word >> 6) % MOVES


@inlined
def store(
    memory: Any, slot: Any, key: Any, depth: Any, low: Any, high: Any, value: Any, move: Any
) -> None:
    """Notes what a search with the window *low* to *high* gave."""
    if slot < 0:
        return
    poke(memory, slot, np.int64(key))
    poke(memory, slot + 1, _pack_entry(depth, low, high, value, move))


@inlined
def _pack_entry(depth: Any, low: Any, high: Any, value: Any, move: Any) -> Any:
    """An entry's last word; values have 43 bits, so it is never negative."""
    bound = EXACT
    if value >= high:
        bound = AT_LEAST
    elif value <= low:
        bound = AT_MOST
    return ((((value + INFINITE) << 2) + bound) << 16) + (move << 6) + depth


@inlined
def _read_value(word: Any, depth: Any, low: Any, high: Any) -> Any:
    if word % DEPTHS != depth:
        return UNKNOWN
    value = (word >> 18) - INFINITE
    bound = (word >> 16) % BOUNDS
    if (
        bound == EXACT
        or (bound == AT_LEAST and value >= high)
        or (bound == AT_MOST and value <= low)
    ):
        return value
    return UNKNOWN
