"""Straight tuples: as many as published, and tables with the sums of all windows."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array
from evolve_arena.genomes.lines import LineTuples, find_lines
from evolve_arena.players.board.networks import find_symmetries

UNITS = 65536.0


def find(
    rows: int, columns: int, symmetry: str, length: int, *, squares: bool = False
) -> tuple[LineTuples, Array]:
    views = find_symmetries(rows * columns, columns, symmetry).astype(np.int64)
    return find_lines(rows, columns, 3, length, squares, views.tobytes()), views


@pytest.mark.parametrize(
    ("length", "squares", "genes"),
    [(1, False, 30), (2, False, 288), (3, False, 648), (4, False, 1701), (4, True, 2511)],
)
def test_genes_are_as_many_as_published(length: int, squares: bool, genes: int) -> None:
    assert find(8, 8, "all", length, squares=squares)[0].genes == genes


def test_a_position_of_othello_costs_42_look_ups() -> None:
    lines, _ = find(8, 8, "all", 2)
    assert (len(lines.blocks), len(lines.gather)) == (42, 36_081)


BOARDS = [
    (8, 8, "all", 3, True),
    (6, 7, "mirror", 4, True),
    (7, 7, "turn", 3, False),
    (15, 15, "all", 4, False),
    (5, 5, "none", 2, True),
    (3, 3, "all", 3, False),
    (3, 5, "all", 1, True),
]


@pytest.mark.parametrize(("rows", "columns", "symmetry", "length", "squares"), BOARDS)
def test_tables_have_the_sums_of_all_windows(
    rows: int, columns: int, symmetry: str, length: int, squares: bool
) -> None:
    lines, views = find(rows, columns, symmetry, length, squares=squares)
    rng = np.random.default_rng(0)
    genome = rng.normal(size=(1, lines.genes)).astype(np.float32)
    tables = lines.fill(genome, UNITS, 2**30)[0]
    weights = lines.quantise(genome, UNITS, 2**30)[0]

    def value(board: Array) -> int:
        return sum(
            int(tables[first + sum(int(board[cell]) * 3**k for k, cell in enumerate(block))])
            for block, first in zip(lines.blocks, lines.tables, strict=True)
        )

    for _ in range(10):
        board = rng.integers(0, 3, rows * columns)
        # Window by window: each image of a window of each class once
        total = 0
        for window, first in zip(lines.classes, lines.firsts[:-1], strict=True):
            images = {frozenset(map(int, view[list(window)])): view for view in views}
            for view in images.values():
                digits = (int(board[view[cell]]) * 3**k for k, cell in enumerate(window))
                total += int(weights[first + sum(digits)])
        assert value(board) == total
        assert all(value(board[view]) == total for view in views)


def test_a_weight_is_the_mean_over_the_orders_that_symmetries_exchange() -> None:
    lines, _ = find(8, 8, "all", 2)
    genome = np.random.default_rng(1).normal(size=(1, lines.genes)).astype(np.float32)
    again = lines.quantise(genome, UNITS, 2**30)[0] / UNITS
    assert again == pytest.approx(genome[0, lines.same].mean(axis=1), abs=1e-4)


@pytest.mark.parametrize("length", [0, 9])
def test_lengths_out_of_range_are_refused(length: int) -> None:
    with pytest.raises(BadValueError, match=rf"straight is {length}: it must be from 1 to 8"):
        find(8, 8, "all", length)
