"""Tuple networks as genomes: the shapes are the genes, the tables are learned.

A tuple is a few cells of a board. Their contents pick one entry of the tuple's table, and the value
of a position is the sum of all picked entries. The idea goes back to Bledsoe and Browning (1959);
for learning them by playing see Thill, Koch and Konen, PPSN 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError

Cells = NDArray[np.int16]
"""Cells of tuples, shape ``(..., tuples, length)``; those of a board row by row from the top."""


@dataclass(frozen=True, eq=False)
class TuplePopulation:
    """A population of tuple networks; all have the same number of tuples of the same length."""

    cells: Cells
    """The genes, shape ``(individuals, tuples, length)``."""
    tables: NDArray[np.float32]
    """The learned weights, shape ``(individuals, weights)``, in the layout of the code that reads
    the board. Individuals with fewer weights have zeros at the end."""

    AXES: ClassVar = {"cells": ("individual", "tuple", "place"), "tables": ("individual", "number")}
    """Names of the axes of the arrays."""

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, place: int) -> TuplePopulation:
        """Return the individual at *place*, as a population of one."""
        return self.take(np.array([place]))

    def take(self, rows: NDArray[np.int64]) -> TuplePopulation:
        """Return copies of the individuals in these *rows*, in that order."""
        return TuplePopulation(self.cells[rows], self.tables[rows])


def join_tuples(populations: Sequence[TuplePopulation]) -> TuplePopulation:
    """Join the individuals of *populations* (at least one), in the order given."""
    room = max(each.tables.shape[1] for each in populations)
    tables = [
        np.pad(each.tables, ((0, 0), (0, room - each.tables.shape[1]))) for each in populations
    ]
    return TuplePopulation(
        np.concatenate([each.cells for each in populations]), np.concatenate(tables)
    )


@dataclass(frozen=True, eq=False)
class TupleTable:
    """The structure of a tuple network for compiled code, without the numbers in its tables."""

    structure: NDArray[np.int32]
    """The tuples on the board, in the layout that `evolve_arena.genomes.tuple_entries`
    describes."""
    readings: int
    """Number of readings: table entries whose sum is the value of a position."""
    numbers: int
    """Number of weights in the tables."""


def random_walks(
    rows: int, columns: int, tuples: int, length: int, rng: np.random.Generator
) -> Cells:
    """Draw random walks of a king, each of *length* different cells, shape ``(tuples, length)``.

    A walk whose neighbouring cells were all visited goes back over them.

    Args:
        rows: Number of rows of the board.
        columns: Number of columns of the board.
        tuples: Number of walks, each of which makes a tuple.
        length: Number of cells in each tuple.
        rng: Source of random numbers.

    Raises:
        BadValueError: The board has fewer than *length* cells, or *length* is below 1.
    """
    if not 1 <= length <= rows * columns:
        raise BadValueError(
            f"length is {length}: a board of {columns} by {rows} has room for 1 to {rows * columns}"
        )
    shapes = np.empty((tuples, length), dtype=np.int16)
    for shape in shapes:
        # A step of a king in a random direction, or none; cells off the board are not entered.
        row, column = int(rng.integers(rows)), int(rng.integers(columns))
        visited = [row * columns + column]
        while len(visited) < length:
            down, right = (int(step) for step in rng.integers(-1, 2, size=2))
            if 0 <= row + down < rows and 0 <= column + right < columns:
                row, column = row + down, column + right
                if row * columns + column not in visited:
                    visited.append(row * columns + column)
        shape[:] = visited
    return shapes


def walk_neighbours(
    neighbours: Sequence[Sequence[int]], tuples: int, length: int, rng: np.random.Generator
) -> Cells:
    """Draw random walks on a board of any shape, each of *length* different cells.

    Args:
        neighbours: For each cell the cells next to it. All cells must be connected.
        tuples: Number of walks, each of which makes a tuple.
        length: Number of cells in each tuple.
        rng: Source of random numbers.

    Returns:
        Cells, shape ``(tuples, length)``.

    Raises:
        BadValueError: The board has fewer than *length* cells, or *length* is below 1.
    """
    if not 1 <= length <= len(neighbours):
        raise BadValueError(
            f"length is {length}: a board of {len(neighbours)} cells has room for 1 to"
            f" {len(neighbours)}"
        )
    shapes = np.empty((tuples, length), dtype=np.int16)
    for shape in shapes:
        cell = int(rng.integers(len(neighbours)))
        visited = [cell]
        while len(visited) < length:
            cell = int(rng.choice(neighbours[cell]))
            if cell not in visited:
                visited.append(cell)
        shape[:] = visited
    return shapes


def list_systematic(rows: int, columns: int, length: int, views: NDArray[np.int64]) -> Cells:
    """Return all straight lines and rectangles of *length* cells, shape ``(tuples, length)``.

    Lines are rows, columns and diagonals; rectangles have at least two rows and columns. Of those
    that are images of one another under the board's symmetries only the first one is returned.

    Args:
        rows: Number of rows of the board.
        columns: Number of columns of the board.
        length: Number of cells of each.
        views: Image of each cell under each symmetry, shape ``(views, rows * columns)``.

    Source: Jaśkowski, ICGA Journal 37(2), 2014, for straight lines ("systematic n-tuple networks").

    >>> list_systematic(2, 3, 2, np.arange(6)[None]).tolist()
    [[0, 1], [1, 2], [3, 4], [4, 5], [0, 3], [1, 4], [2, 5], [0, 4], [1, 5], [1, 3], [2, 4]]
    """
    grid = np.arange(rows * columns).reshape(rows, columns)
    # The steps from a shape's first cell to each, for a line in each direction and each rectangle
    along = np.arange(length)
    shapes = [(down * along, right * along) for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))]
    for height in range(2, length // 2 + 1):
        if length % height == 0:
            shapes.append(np.divmod(along, length // height))
    found: list[NDArray[np.int64]] = []
    seen: set[frozenset[int]] = set()
    for down, right in shapes if length > 1 else shapes[:1]:
        for row, column in np.ndindex(rows, columns):
            reached = row + down, column + right
            if min(reached[1]) < 0 or max(reached[0]) >= rows or max(reached[1]) >= columns:
                continue
            cells = grid[reached]
            if frozenset(cells.tolist()) not in seen:
                found.append(cells)
                seen.update(frozenset(view[cells].tolist()) for view in views)
    return np.array(found, dtype=np.int16).reshape(-1, length)
