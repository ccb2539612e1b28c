"""How tuples read the board: numbers of entries, and that they are kept up to date."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.tuples_numpy import find_places
from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.tuple_table import (
    MOST_ENTRIES,
    make_table,
    show_entries,
)
from evolve_arena.genomes.tuple_entries import note_change, start_readings
from evolve_arena.genomes.tuples import Cells, TupleTable, find_lines, random_walks

BOARDS = [Rules(7, 6, 4), Rules(4, 3, 3), Rules(9, 5, 4), Rules(2, 8, 4), Rules(12, 2, 2)]


def draw(rules: Rules, length: int = 6, tuples: int = 25) -> Cells:
    generator = np.random.default_rng(3)
    return random_walks(rules.columns, rules.rows, tuples, length, generator)


def start(table: TupleTable, rules: Rules) -> NDArray[np.int32]:
    entries = np.zeros(table.readings, dtype=np.int32)
    start_readings(table.structure, 0, entries, 0)
    return entries


def states_of(columns: list[list[int]], rules: Rules) -> NDArray[np.int64]:
    """The state of each cell, given the owners of the discs in each column."""
    board = []
    for discs in columns:
        states = [1 + owner for owner in discs] + [3] + [0] * rules.rows
        board += states[: rules.rows]
    return np.array(board)


@pytest.mark.parametrize("rules", BOARDS)
@pytest.mark.parametrize("shape", ["walks", "lines"])
def test_entries_are_those_of_the_cells_whatever_is_played(rules: Rules, shape: str) -> None:
    """Also discs out of turn, which games never show, but numbers must bear."""
    cells = find_lines(*rules[:3]) if shape == "lines" else draw(rules)
    table = make_table(cells, rules)
    places = find_places(rules, cells)
    assert len(np.unique(places)) == len(places) == table.numbers // 2
    assert table.readings == 2 * len(cells)
    column, row = np.divmod(cells.astype(np.int64), rules.rows)
    mirrored = (rules.columns - 1 - column) * rules.rows + row
    # The readings of a tuple follow each other: as it stands, then in the mirror.
    both = np.stack([cells.astype(np.int64), mirrored], axis=1).reshape(-1, cells.shape[1])
    offsets = np.repeat(np.arange(len(cells)), 2) * 4 ** cells.shape[1]
    powers = 4 ** np.arange(cells.shape[1])
    chance = random.Random(1)
    positions = 0
    for _ in range(15):
        entries = start(table, rules)
        columns: list[list[int]] = [[] for _ in range(rules.columns)]
        for _ in range(rules.columns * rules.rows + 1):
            expected = states_of(columns, rules)[both] @ powers + offsets
            assert np.array_equal(places[entries[: table.readings]], expected)
            positions += 1
            free = [c for c in range(rules.columns) if len(columns[c]) < rules.rows]
            if free:
                place, owner = chance.choice(free), chance.randrange(2)
                cell = place * (rules.rows + 1) + len(columns[place])
                note_change(table.structure, 0, entries, 0, owner, cell)
                columns[place].append(owner)
    assert positions > 15 * rules.columns * rules.rows


@pytest.mark.parametrize("rules", BOARDS)
def test_entries_are_shown_as_states_of_cells(rules: Rules) -> None:
    cells = draw(rules)
    shown = [show_entries(tuple_, rules) for tuple_ in cells]
    digits = 4 ** np.arange(cells.shape[1])
    places = [states @ digits + number * 4**6 for number, states in enumerate(shown)]
    assert np.array_equal(np.concatenate(places), find_places(rules, cells))


def test_a_structure_may_stand_behind_others() -> None:
    rules = BOARDS[0]
    table = make_table(draw(rules), rules)
    moved = np.concatenate([np.full(17, 99, dtype=np.int32), table.structure])
    alone = start(table, rules)
    behind = np.full(5 + len(alone), -1, dtype=np.int32)
    start_readings(moved, 17, behind, 5)
    for cell in (0, 1, 21, 2, 42):
        note_change(table.structure, 0, alone, 0, cell % 2, cell)
        note_change(moved, 17, behind, 5, cell % 2, cell)
        assert np.array_equal(behind[5:], alone)
    assert behind[:5].tolist() == [-1] * 5


@pytest.mark.parametrize("rules", [Rules(3, 3, 3), Rules(2, 5, 3)])
def test_what_can_not_occur_has_no_entry(rules: Rules) -> None:
    cells = draw(rules, length=5, tuples=6)
    fillings = [states for h in range(rules.rows + 1) for states in product((1, 2), repeat=h)]
    count = 0
    for tuple_ in cells.tolist():
        seen = set()
        for columns in product(fillings, repeat=rules.columns):
            board = states_of([[owner - 1 for owner in column] for column in columns], rules)
            seen.add(tuple(board[tuple_].tolist()))
        count += len(seen)
    assert make_table(cells, rules).numbers == 2 * count


def test_of_eight_cells_one_combination_in_thirteen_occurs() -> None:
    rules = BOARDS[0]
    entries = make_table(draw(rules, length=8, tuples=60), rules).numbers // 2
    assert 0.05 < entries / (60 * 4**8) < 0.1


def test_boards_that_are_too_high_and_tuples_that_are_too_long() -> None:
    high = Rules(2, 13, 4)
    with pytest.raises(BadValueError, match="13 rows: tuple networks read boards of up to 12"):
        make_table(draw(high), high)
    wide = Rules(16, 3, 4)
    bottom = np.tile(np.arange(16, dtype=np.int16) * 3 + 1, (1, 1))
    assert MOST_ENTRIES < 5**16
    with pytest.raises(BadValueError, match=r"network.length is 16: .*; network.length=13 would"):
        make_table(bottom, wide)
