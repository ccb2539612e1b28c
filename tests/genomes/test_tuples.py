"""The shapes of tuples: walks that a king could take."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.tuples import (
    TuplePopulation,
    list_systematic,
    random_walks,
    walk_neighbours,
)
from evolve_arena.players.board.networks import find_symmetries


def steps_of(walk: list[int], columns: int) -> list[int]:
    """Return distances of each cell from the nearest one before it, in a king's steps."""
    places = [divmod(cell, columns) for cell in walk]
    return [
        min(max(abs(column - c), abs(row - r)) for r, c in places[:number])
        for number, (row, column) in enumerate(places)
        if number
    ]


@pytest.mark.parametrize(("rows", "columns", "length"), [(6, 7, 8), (3, 4, 12), (6, 1, 4)])
def test_walks_are_those_of_a_king(rows: int, columns: int, length: int) -> None:
    walks = random_walks(rows, columns, 200, length, np.random.default_rng(1))
    assert walks.shape == (200, length)
    assert walks.dtype == np.int16
    for walk in walks.tolist():
        assert len(set(walk)) == length
        assert 0 <= min(walk) <= max(walk) < columns * rows
        assert set(steps_of(walk, columns)) <= {1}


def test_walks_begin_anywhere() -> None:
    begins = np.bincount(random_walks(6, 7, 4200, 1, np.random.default_rng(1)).ravel())
    assert begins.min() > 60  # of 100 each


@pytest.mark.parametrize("length", [0, 13])
def test_walks_need_room(length: int) -> None:
    with pytest.raises(BadValueError, match="a board of 4 by 3 has room for 1 to 12"):
        random_walks(3, 4, 5, length, np.random.default_rng(1))


@pytest.mark.parametrize("length", [1, 4, 9])
def test_walks_to_listed_neighbours(length: int) -> None:
    """On a ring of nine cells, walks fill an arc."""
    ring = [[(cell - 1) % 9, (cell + 1) % 9] for cell in range(9)]
    walks = walk_neighbours(ring, 300, length, np.random.default_rng(1))
    assert walks.shape == (300, length)
    assert walks.dtype == np.int16
    assert set(walks[:, 0].tolist()) == set(range(9))
    for walk in walks.tolist():
        arc = {frozenset((begin + step) % 9 for step in range(length)) for begin in range(9)}
        assert len(set(walk)) == length
        assert frozenset(walk) in arc
    with pytest.raises(BadValueError, match="a board of 9 cells has room for 1 to 9"):
        walk_neighbours(ring, 1, 10, np.random.default_rng(1))


def test_systematic_tuples_are_all_lines_and_rectangles() -> None:
    """On 8 by 8 cells, which have eight images: four rows, a diagonal, and rectangles of 2 by 4."""
    views = find_symmetries(64, 8, "all")
    cells = list_systematic(8, 8, 8, views).astype(np.int64)
    seen = [frozenset(view[one].tolist()) for one in cells for view in views]
    rows, columns = np.divmod(cells, 8)
    tall, wide = np.ptp(rows, axis=1) + 1, np.ptp(columns, axis=1) + 1
    lines = tall * wide != 8
    assert lines.sum() == 1  # the main diagonal; rows are as large as their frames
    assert (tall[lines] == 8) & (wide[lines] == 8)
    # 16 rows and columns, two diagonals, and 7 by 5 places of each kind of rectangle
    assert len(set(seen)) == 16 + 2 + 2 * 7 * 5
    assert len(cells) == len({frozenset(seen[8 * k : 8 * k + 8]) for k in range(len(cells))})


def test_systematic_tuples_without_room() -> None:
    assert list_systematic(3, 3, 5, np.arange(9)[None]).shape == (0, 5)
    assert list_systematic(3, 3, 1, np.arange(9)[None]).tolist() == [[k] for k in range(9)]
    assert len(list_systematic(3, 3, 4, np.arange(9)[None])) == 4  # squares


def test_a_population_gives_its_members() -> None:
    cells = np.arange(12, dtype=np.int16).reshape(3, 2, 2)
    population = TuplePopulation(cells, np.arange(6, dtype=np.float32).reshape(3, 2))
    assert len(population) == 3
    one = population[1]
    assert one.cells.tolist() == [[[4, 5], [6, 7]]]
    assert one.tables.tolist() == [[2.0, 3.0]]
