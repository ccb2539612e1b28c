"""Tuple networks as genomes: the shapes are the genes, the tables are what is learned.

A tuple is a few cells of a board. What lies on them picks one entry of the tuple's table, and
the value of a position is the sum of all entries picked. The idea goes back to Bledsoe and
Browning (1959); for learning them by playing see Thill, Koch and Konen, PPSN 2012.
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
    """Tuple networks; all of one population have as many tuples of the same length."""

    cells: Cells
    """The genes, shape ``(individuals, tuples, length)``."""
    tables: NDArray[np.float32]
    """What was learned, shape ``(individuals, numbers)``; how it is laid out is the business of
    whoever reads the board. Individuals that need fewer numbers have zeros at the end."""

    AXES: ClassVar = {"cells": ("individual", "tuple", "place"), "tables": ("individual", "number")}
    """What the axes of the arrays are."""

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, place: int) -> TuplePopulation:
        """The individual at *place*, as a population of one."""
        return self.take(np.array([place]))

    def take(self, rows: NDArray[np.int64]) -> TuplePopulation:
        """Copies of the individuals in these *rows*, in that order."""
        return TuplePopulation(self.cells[rows], self.tables[rows])


def join_tuples(populations: Sequence[TuplePopulation]) -> TuplePopulation:
    """All individuals of *populations* (at least one), in the order given."""
    room = max(each.tables.shape[1] for each in populations)
    tables = [
        np.pad(each.tables, ((0, 0), (0, room - each.tables.shape[1]))) for each in populations
    ]
    return TuplePopulation(
        np.concatenate([each.cells for each in populations]), np.concatenate(tables)
    )


@dataclass(frozen=True, eq=False)
class TupleTable:
    """What compiled code knows of a tuple network, beside the numbers in its tables."""

    structure: NDArray[np.int32]
    """See `evolve_arena.genomes.tuple_entries`."""
    readings: int
    """How many entries are read at a time."""
    numbers: int
    """How many numbers the tables have."""


def random_walks(
    rows: int, columns: int, tuples: int, length: int, generator: np.random.Generator
) -> Cells:
    """Random walks of a king, each of *length* different cells, shape ``(tuples, length)``.

    A walk that is at a loss, since all cells around were visited, goes back over them.

    Raises:
        BadValueError: The board has fewer cells than that.
    """
    if not 1 <= length <= rows * columns:
        raise BadValueError(
            f"length is {length}: a board of {columns} by {rows} has room for 1 to {rows * columns}"
        )
    shapes = np.empty((tuples, length), dtype=np.int16)
    for shape in shapes:
        row, column = int(generator.integers(rows)), int(generator.integers(columns))
        visited = [row * columns + column]
        while len(visited) < length:
            down, right = (int(step) for step in generator.integers(-1, 2, size=2))
            if 0 <= row + down < rows and 0 <= column + right < columns:
                row, column = row + down, column + right
                if row * columns + column not in visited:
                    visited.append(row * columns + column)
        shape[:] = visited
    return shapes
