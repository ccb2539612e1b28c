"""What every game's search has in common, compiled: the worth of a win, and a table of positions.

Alpha-beta in negamax form: a value is what the position is worth to the player to move. A game
has a file of its own with the recursion, which lists and makes moves and values what it finds at
the last ply (:mod:`players.minimax` is Connect Four's); it takes these steps from here.

A value depends on the position and the plies left to search, on nothing else: not on the moves
that led there, on the window, nor on what was searched before. So whatever the table holds, from
earlier moves, other matches or other players, the same moves come out as best.

A search's room is one array of ``int64``: how many positions were searched, then the table, two
words to an entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.compiled import internal
from games.stream import mix
from genomes.simd import peek, poke

__all__ = [
    "INFINITE",
    "NODES",
    "UNKNOWN",
    "count_node",
    "find_slot",
    "losing",
    "make_room",
    "probe",
    "remembered_move",
    "store",
    "winning",
]

WIN = 1_000_000
"""More than any evaluation."""
INFINITE = 2 * WIN
UNKNOWN = 3 * WIN
"""What the table answers if it does not know."""

NODES, TABLE_AT = 0, 1
"""Fields of a room."""

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
"""What a value in the table is."""
DEPTHS, MOVES, BOUNDS = 64, 1024, 4
"""How many there may be, to pack an entry's second word."""


def make_room(bits: int) -> NDArray[np.int64]:
    """Room for searches, with a table of ``2**bits`` positions; none if *bits* is 0."""
    return np.zeros(TABLE_AT + (2 << bits if bits else 0), dtype=np.int64)


@internal
def winning(depth: int) -> Any:
    """What it is worth to win with the next move, with *depth* plies left: soon is better."""
    return WIN + depth


@internal
def losing(depth: int) -> Any:
    """What it is worth if the opponent wins with the next move but one, at least."""
    return 1 - WIN - depth


@internal
def count_node(room: Any) -> None:
    """One more position was searched."""
    poke(room, NODES, peek(room, NODES) + 1)


@internal
def find_slot(room: Any, key: Any) -> Any:
    """Where the table keeps the position with *key* (``uint64``, not 0); -1 without a table."""
    entries = (room.shape[0] - TABLE_AT) >> 1
    if entries == 0:
        return -1
    return TABLE_AT + 2 * np.int64(mix(key) & np.uint64(entries - 1))


@internal
def probe(room: Any, slot: int, key: Any, depth: int, low: int, high: int) -> Any:
    """The position's value or, if that suffices, a bound outside of *low* to *high*.

    :data:`UNKNOWN` if the table holds neither.
    """
    if slot < 0 or peek(room, slot) != np.int64(key):
        return UNKNOWN
    word = peek(room, slot + 1)
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


@internal
def remembered_move(room: Any, slot: int, key: Any) -> Any:
    """The best move of the last search of this position, to any depth; -1 if there is none."""
    if slot < 0 or peek(room, slot) != np.int64(key):
        return -1
    return (peek(room, slot + 1) >> 6) % MOVES


@internal
def store(
    room: Any, slot: int, key: Any, depth: int, low: int, high: int, value: int, move: int
) -> None:
    """Notes what a search with the window *low* to *high* gave."""
    if slot < 0:
        return
    bound = EXACT
    if value >= high:
        bound = AT_LEAST
    elif value <= low:
        bound = AT_MOST
    poke(room, slot, np.int64(key))
    poke(room, slot + 1, ((((value + INFINITE) << 2) + bound) << 16) + (move << 6) + depth)
