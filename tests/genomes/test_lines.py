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
    return find_lines(rows, columns, 3, length, views.tobytes(), squares=squares), views


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


@pytest.mark.parametrize(("length", "squares"), [(3, False), (4, False), (4, True)])
def test_longer_windows_have_the_values_of_the_shorter_ones_in_them(
    length: int, squares: bool
) -> None:
    small, views = find(8, 8, "all", 2)
    large = find_lines(8, 8, 3, length, views.tobytes(), squares=squares, short_lines=True)
    genome = np.random.default_rng(2).normal(size=(3, small.genes))
    embedded = large.embed(genome, small).astype(np.float32)
    tables = [
        (lines, lines.fill(weights, UNITS, 2**30))
        for lines, weights in ((small, genome.astype(np.float32)), (large, embedded))
    ]
    for board in np.random.default_rng(3).integers(0, 3, (20, 64)):
        values = [
            sum(
                filled[:, first + sum(int(board[cell]) * 3**k for k, cell in enumerate(block))]
                for block, first in zip(lines.blocks, lines.tables, strict=True)
            )
            / UNITS
            for lines, filled in tables
        ]
        assert values[1] == pytest.approx(values[0], abs=0.02)


def test_windows_that_leave_out_short_lines_cannot_have_their_values() -> None:
    (small, _), (large, _) = find(8, 8, "all", 2), find(8, 8, "all", 4)
    with pytest.raises(BadValueError, match="write short_lines = true"):
        large.embed(np.zeros((1, small.genes)), small)
