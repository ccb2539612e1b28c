"""Replacement of single tuples of a network, with their weights.

A tuple contributes as much as the sum of its weights' magnitudes: those of entries that are never
read stay 0. Tuples that contribute least give way, so that a network is a population of tuples.

Source: Mahmood and Sutton, "Representation search through generate and test", AAAI Workshop on
Learning Rich Representations from Low-Level Sensors (2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import Floats
from evolve_arena.genomes.tuples import Cells
from evolve_arena.players.tuples import TupleDecoder


class OneTuple(NamedTuple):
    """A tuple and its weights."""

    cells: NDArray[np.int16]
    """The cells, shape ``(length,)``."""
    weights: Floats
    """The weights, shape ``(sides, entries)``."""
    average: Floats
    """Their running mean, of the same shape."""

    @property
    def contribution(self) -> float:
        """Sum of the magnitudes of the weights that play."""
        return float(np.abs(self.average).sum())


def take_apart(
    decoder: TupleDecoder, cells: Cells, weights: Floats, average: Floats
) -> tuple[list[OneTuple], OneTuple]:
    """Return the tuples of a network, the one that contributes most first, and the other weights.

    Args:
        decoder: Decoder of the network.
        cells: Its tuples, shape ``(tuples, length)``.
        weights: Its weights, shape ``(numbers,)``.
        average: Their running mean, of the same shape.
    """
    shapes = [*cells, np.zeros(0, dtype=cells.dtype)]
    parts = zip(shapes, decoder.split(cells, weights), decoder.split(cells, average), strict=True)
    *tuples, rest = (OneTuple(*part) for part in parts)
    return sorted(tuples, key=lambda one: -one.contribution), rest


def put_together(
    decoder: TupleDecoder, tuples: Sequence[OneTuple], rest: OneTuple
) -> tuple[Cells, Floats, Floats]:
    """Return cells, weights and running means of a network; the inverse of :func:`take_apart`.

    Args:
        decoder: Decoder of the network.
        tuples: Its tuples, in the order that they are to have.
        rest: The weights that belong to no tuple.
    """
    cells = np.stack([one.cells for one in tuples])
    room = decoder.table(cells).numbers
    return (
        cells,
        decoder.join([one.weights for one in (*tuples, rest)], room),
        decoder.join([one.average for one in (*tuples, rest)], room),
    )


def mutate_cells(
    cells: NDArray[np.int16], shape: tuple[int, int] | None, count: int, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Return a tuple in which another cell takes the place of one.

    Args:
        cells: The cells, shape ``(length,)``.
        shape: Rows and columns of the board, on which the new cell is a neighbour of another one of
            the tuple; None if there is no board, so that it is any cell.
        count: Number of cells of the board.
        rng: Source of random numbers.
    """
    place = int(rng.integers(len(cells)))
    others = np.delete(cells, place)
    free = np.setdiff1d(np.arange(count), cells)
    if shape and len(others):
        rows, columns = np.divmod(free, shape[1])
        own_rows, own_columns = np.divmod(others, shape[1])
        apart = np.maximum(np.abs(rows[:, None] - own_rows), np.abs(columns[:, None] - own_columns))
        near = free[apart.min(axis=1) <= 1]
        free = near if len(near) else free
    mutant = cells.copy()
    if len(free):
        mutant[place] = rng.choice(free)
    return mutant


def replace_worst(
    decoder: TupleDecoder, tuples: Sequence[OneTuple], number: int, rng: np.random.Generator
) -> list[OneTuple]:
    """Return the tuples with the last ones replaced by mutants of the first, whose weights are 0.

    Args:
        decoder: Decoder of the network.
        tuples: Its tuples, the one that contributes most first.
        number: Number of tuples to replace, at most half of all.
        rng: Source of random numbers.
    """
    kept = list(tuples[: len(tuples) - number])
    shape = decoder.game.grid.shape if decoder.game.symmetry else None
    for parent in tuples[:number]:
        cells = mutate_cells(parent.cells, shape, decoder.cells, rng)
        sides, entries = parent.weights.shape[0], len(decoder.list_entries(cells))
        empty = np.zeros((sides, entries), dtype=np.float32)
        kept.append(OneTuple(cells, empty, empty))
    return kept
