"""Table entries of tuples on a board with stacks, whose columns fill up from below.

A cell has one of four states: empty and out of reach, own piece, opponent's piece, or empty and
next to be filled. Of the ``4 ** cells`` combinations only those that can occur are numbered: below
a piece there are pieces, above an empty cell there are empty ones. For walks of eight cells that is
about one in thirteen, so that tables fit into the processor's cache.

The states of a tuple's cells in one column are numbered in the order of the column's states: from
few pieces to many, and then by their owners, as bits, the lowest piece in the lowest bit, 1 for the
opponent. So a piece always adds the same number to the index of an entry, whatever surrounds it.
This order is part of the file format of players.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError

MAX_ROWS = 12
"""Maximum rows of a column, which has 8191 states then."""
STATES = ("empty, not yet in reach", "next to be filled")
"""Names of the states of empty cells: state 0, and the state after those of pieces."""
NEXT = 3


@dataclass(frozen=True, eq=False)
class Stack:
    """Cells of a tuple in one column."""

    heights: list[int]
    """Heights of the cells: numbers of cells below each, ascending."""
    adds: NDArray[np.int64]
    """Number that each state of the column adds to the index of the entry."""


def list_column_states(rows: int) -> list[tuple[int, ...]]:
    """List for each state of a column the states of its cells, from below.

    Raises:
        BadValueError: There are more than MAX_ROWS rows.
    """
    if rows > MAX_ROWS:
        raise BadValueError(f"{rows} rows: tuple networks read stacks of up to {MAX_ROWS}")
    states = []
    for pieces in range(rows + 1):  # from an empty column to a full one
        for bits in range(2**pieces):
            owners = [1 + (bits >> row & 1) for row in range(pieces)]
            states.append((*owners, NEXT, *[0] * rows)[:rows])
    return states


@lru_cache(maxsize=128)
def _number_column(rows: int, heights: tuple[int, ...]) -> tuple[NDArray[np.int64], int]:
    """Return the number of the contents of *heights* for each column state, and their count."""
    numbers: dict[tuple[int, ...], int] = {}
    seen = (tuple(state[height] for height in heights) for state in list_column_states(rows))
    return np.array([numbers.setdefault(part, len(numbers)) for part in seen]), len(numbers)


def number_entries(
    cells: NDArray[np.int64], shape: tuple[int, int]
) -> tuple[dict[int, Stack], int]:
    """Return the stacks of a tuple by column, and the number of its entries.

    Args:
        cells: Cells of the tuple, numbered row by row from the top, shape ``(length,)``.
        shape: Rows and columns of the board.
    """
    rows, columns = shape
    # Mixed radix: the states of each column are one digit of the entry's index.
    stacks, size = dict[int, Stack](), 1
    for column in sorted({int(cell) % columns for cell in cells}):
        heights = sorted(rows - 1 - int(c) // columns for c in cells if c % columns == column)
        order, count = _number_column(rows, tuple(heights))
        stacks[column] = Stack(heights, size * order)
        size *= count
    return stacks, size


def list_terms(stacks: dict[int, Stack], shape: tuple[int, int]) -> list[tuple[int, int, int]]:
    """List the cells that a tuple reads, and the numbers that an own and an opponent's piece add.

    It reads its cells and those below them, since a piece below a cell makes it the next to fill.
    """
    rows, columns = shape
    terms = []
    for column, stack in stacks.items():
        for height in range(rows):
            if {height, height + 1} & set(stack.heights):
                cell = (rows - 1 - height) * columns + column
                # Column states with so many pieces begin at these numbers; see list_column_states.
                before, after = 2**height - 1, 2 ** (height + 1) - 1
                own, other = (stack.adds[after + (k << height)] for k in range(2))
                start = stack.adds[before]
                terms.append((cell, int(own - start), int(other - start)))
    return terms


def list_tuples(
    tuples: NDArray[np.integer], shape: tuple[int, int]
) -> tuple[list[tuple[int, list[tuple[int, int, int]]]], int]:
    """Return the first entry and the terms of each of the *tuples*, and the number of all entries.

    Args:
        tuples: Cells, numbered row by row from the top, shape ``(tuples, length)``.
        shape: Rows and columns of the board.
    """
    found, first = [], 0
    for cells in tuples:
        stacks, entries = number_entries(cells.astype(np.int64), shape)
        found.append((first, list_terms(stacks, shape)))
        first += entries
    return found, first


def show_entries(cells: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the states of a tuple's *cells* for each of its entries, shape ``(entries, cells)``.

    States: 0 for out of reach, 1 for an own piece, 2 for the opponent's, 3 for next to be filled.
    """
    rows, columns = shape
    states = list_column_states(rows)
    shown = np.zeros((1, len(cells)), dtype=np.int64)
    # Column by column, repeat the entries so far for each state of the column.
    for column in np.unique(cells % columns):
        places = np.flatnonzero(cells % columns == column)
        heights = rows - 1 - cells[places] // columns
        parts = list(dict.fromkeys(tuple(state[height] for height in heights) for state in states))
        entries = len(shown)
        shown = np.tile(shown, (len(parts), 1))
        shown[:, places] = np.repeat(np.array(parts, dtype=np.int64), entries, axis=0)
    return shown
