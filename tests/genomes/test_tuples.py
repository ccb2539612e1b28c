"""The shapes of tuples: walks that a king could take, and all lines of a board."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.genomes.tuples import TuplePopulation, draw_shapes, find_lines, random_walks

BOARDS = [(7, 6, 4), (4, 3, 3), (9, 5, 4), (3, 8, 5), (1, 6, 4), (8, 1, 3), (5, 5, 2)]


def steps_of(walk: list[int], rows: int) -> list[int]:
    """How far each cell lies from the nearest one before it, in a king's steps."""
    places = [divmod(cell, rows) for cell in walk]
    return [
        min(max(abs(column - c), abs(row - r)) for c, r in places[:number])
        for number, (column, row) in enumerate(places)
        if number
    ]


@pytest.mark.parametrize(("columns", "rows", "length"), [(7, 6, 8), (4, 3, 12), (1, 6, 4)])
def test_walks_are_those_of_a_king(columns: int, rows: int, length: int) -> None:
    walks = random_walks(columns, rows, 200, length, np.random.default_rng(1))
    assert walks.shape == (200, length)
    assert walks.dtype == np.int16
    for walk in walks.tolist():
        assert len(set(walk)) == length
        assert 0 <= min(walk) <= max(walk) < columns * rows
        assert set(steps_of(walk, rows)) <= {1}


def test_walks_are_drawn_from_the_generator_alone() -> None:
    first, again, other = (
        random_walks(7, 6, 60, 8, np.random.default_rng(seed)) for seed in (5, 5, 6)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    begins = np.bincount(random_walks(7, 6, 4200, 1, np.random.default_rng(1)).ravel())
    assert begins.min() > 60  # of 100 each


@pytest.mark.parametrize("length", [0, 13])
def test_walks_need_room(length: int) -> None:
    with pytest.raises(BadValueError, match="a board of 4 by 3 has room for 1 to 12"):
        random_walks(4, 3, 5, length, np.random.default_rng(1))


@pytest.mark.parametrize(("columns", "rows", "connect"), BOARDS)
def test_lines_are_all_rows_of_cells_in_one_direction(
    columns: int, rows: int, connect: int
) -> None:
    expected = set()
    for cells in itertools.product(range(columns), range(rows), (-1, 0, 1), (-1, 0, 1)):
        column, row, right, up = cells
        line = [(column + k * right, row + k * up) for k in range(connect)]
        if (right or up) and all(0 <= c < columns and 0 <= r < rows for c, r in line):
            expected.add(frozenset(c * rows + r for c, r in line))
    lines = find_lines(columns, rows, connect)
    assert {frozenset(line) for line in lines.tolist()} == expected
    assert len(lines) == len(expected)
    assert lines.dtype == np.int16


def test_there_are_69_lines_on_the_ordinary_board() -> None:
    assert find_lines(7, 6, 4).shape == (69, 4)


def test_shapes_by_name() -> None:
    walks = draw_shapes("walks", 7, 6, 4, 3, 5, np.random.default_rng(2))
    assert np.array_equal(walks, random_walks(7, 6, 3, 5, np.random.default_rng(2)))
    lines = draw_shapes("lines", 7, 6, 4, 3, 5, np.random.default_rng(2))
    assert np.array_equal(lines, find_lines(7, 6, 4))
    with pytest.raises(UnknownNameError, match=r"unknown shape of tuples 'walk'.*'walks'"):
        draw_shapes("walk", 7, 6, 4, 3, 5, np.random.default_rng(2))


def test_a_population_gives_its_members() -> None:
    cells = np.arange(12, dtype=np.int16).reshape(3, 2, 2)
    population = TuplePopulation(cells, np.arange(6, dtype=np.float32).reshape(3, 2))
    assert len(population) == 3
    one = population[1]
    assert one.cells.tolist() == [[[4, 5], [6, 7]]]
    assert one.tables.tolist() == [[2.0, 3.0]]
