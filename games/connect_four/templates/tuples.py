"""The inside of exported bots that are tuple networks; see `bot`.

The network that stands here (a board of two cells, one tuple, all numbers zero) only makes this
file a module that tools can check. It must stay free of everything but Python 3.8 and its
standard library.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b85decode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any
from zlib import decompress

# --- The network --------------------------------------------------------------------------
COLUMNS, ROWS = 2, 1
TAKES_WINS = True
TUPLES = [
    [(0, 0), (1, 0)],
]
NUMBERS = """
c-muNpbh{407w7<
"""
# --- How the network decides --------------------------------------------------------------

# A cell's state is 0: empty, below it is another empty one; 1 or 2: a disc; 3: empty, next to be
# filled. A tuple's entry says which states its cells are in, so far as they can occur; column by
# column. All tuples are read twice, as they stand and in the mirror. After a move of the first
# player the first half of the numbers counts, after one of the other the second half, in whole
# units of 1/65536: sums are exact, and the best move is the arena's.


def see(board: Sequence[int], mark: int) -> list[list[int]]:
    """The states of the cells of each column, from below."""
    columns = []
    for column in range(COLUMNS):
        discs = [owner for owner in board[column::COLUMNS] if owner]
        columns.append(fill(discs[::-1]))
    return columns


def decide(seen: list[list[int]], mark: int, cells: Mapping[int, int]) -> int:
    """The first of the open columns whose position after the move has the largest sum."""
    entries = [0] * (2 * len(TUPLES))
    for column, states in enumerate(seen):
        for reading, look, numbers in READINGS[column]:
            entries[reading] += numbers[look(states)]
    table, sign = TABLES[mark - 1], 3 - 2 * mark
    best, best_value = -1, 0
    for column in cells:
        states = seen[column]
        after = fill([state for state in states if state in (1, 2)] + [mark])
        changed = list(entries)
        for reading, look, numbers in READINGS[column]:
            changed[reading] += numbers[look(after)] - numbers[look(states)]
        value = sign * sum(table[entry] for entry in changed)
        if best < 0 or value > best_value:
            best, best_value = column, value
    return best


def fill(discs: list[int]) -> list[int]:
    """The states of a column that holds these discs."""
    return (discs + [3] + [0] * ROWS)[:ROWS]


@lru_cache(maxsize=None)  # noqa: UP033  (Python 3.8 has no cache)
def number_states(rows: tuple[int, ...]) -> tuple[Any, dict[Any, int]]:
    """What looks at some cells of a column, and a number for everything it can see there."""
    look = itemgetter(*rows)
    numbers: dict[Any, int] = {}
    for height in range(ROWS + 1):
        for bits in range(2**height):
            states = fill([1 + (bits >> row) % 2 for row in range(height)])
            numbers.setdefault(look(states), len(numbers))
    return look, numbers


def make_readings() -> list[list[tuple[int, Any, dict[Any, int]]]]:
    """For each column which readings look at it, with what, and the part of their entries."""
    readings: list[list[tuple[int, Any, dict[Any, int]]]] = [[] for _ in range(COLUMNS)]
    start = 0
    for place, cells in enumerate(TUPLES):
        size, first = 1, start
        for column in sorted({column for column, _ in cells}):
            rows = tuple(sorted({row for where, row in cells if where == column}))
            look, numbers = number_states(rows)
            parts = {seen: first + size * number for seen, number in numbers.items()}
            readings[column].append((2 * place, look, parts))
            readings[COLUMNS - 1 - column].append((2 * place + 1, look, parts))
            size, first = size * len(numbers), 0
        start += size
    return readings


def unpack_tables() -> tuple[Any, Any]:
    """The numbers after a move of the first player, and those after one of the other."""
    data = decompress(b85decode("".join(NUMBERS.split())))
    count = len(data) // 4
    mixed = bytearray(len(data))
    for byte in range(4):  # they stand apart: first the lowest bytes of all numbers, and so on
        mixed[byte::4] = data[byte * count : (byte + 1) * count]
    folded = array("I", bytes(mixed))
    if sys.byteorder == "big":
        folded.byteswap()
    # Even numbers stand for 0, 1, 2 and so on, odd ones for -1, -2, -3.
    numbers = array("i", [number >> 1 ^ -(number & 1) for number in folded])
    return numbers[: count // 2], numbers[count // 2 :]


READINGS = make_readings()
TABLES = unpack_tables()
