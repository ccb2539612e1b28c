"""How tuples read a board whose columns fill up from below.

A cell is in one of four states: empty and out of reach, the first player's, the second one's,
or empty and next to be filled. Of the ``4 ** cells`` combinations only those are numbered that
can occur: below a disc there are discs, above an empty cell there are empty ones. That leaves
about one in thirteen for walks of eight cells, so the tables fit into the processor's cache.

Each tuple is read twice, as it stands and in the mirror; both readings share its table. Each
entry is there twice: for positions that the first player has moved to, and the second.

All of that is told to compiled code as a structure (see `evolve_arena.genomes.tuple_entries`). The
places of the board are its bits; a change is a disc of the first player, or one of the second. It
concerns a reading if it lies on the tuple or makes a cell of it reachable.

What the cells of a tuple in one column can show is numbered in the order of the column's states:
from few discs to many, and then by their owners, as bits, the lowest disc the lowest bit, 1 for
the second player. So the owners of discs add the same to a number whatever lies around them, and
a disc always adds the same. That order is part of the format of stored players.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.genomes.tuple_entries import (
    ENTRIES,
    FIELDS,
    FIRST_AT,
    READINGS,
    STARTS_AT,
)
from evolve_arena.genomes.tuples import Cells, TupleTable
from evolve_arena.players.tuples import explain_too_large

MOST_ROWS = 12
"""A column of so many rows has 8191 states; more would take too much room."""
MOST_ENTRIES = 2**27
"""Twice as many numbers take a gibibyte."""


def make_table(cells: Cells, rules: Rules) -> TupleTable:
    """The table of tuples of *cells*, shape ``(tuples, length)``, on the board of *rules*.

    Raises:
        BadValueError: The board has more than :data:`MOST_ROWS` rows, or the tuples have more
            than :data:`MOST_ENTRIES` entries.
    """
    if rules.rows > MOST_ROWS:
        raise BadValueError(f"{rules.rows} rows: tuple networks read boards of up to {MOST_ROWS}")
    states = _list_states(rules.rows)
    readings: list[dict[int, _Part]] = []
    first, entries = [], 0
    for shape in cells:
        parts, size = _number_entries([divmod(int(cell), rules.rows) for cell in shape], states)
        mirrored = {rules.columns - 1 - column: part for column, part in parts.items()}
        for reading in (parts, mirrored):
            readings.append(reading)
            first.append(entries + sum(int(part.entries[0]) for part in reading.values()))
        entries += size
        if entries > MOST_ENTRIES:
            raise explain_too_large(
                cells.shape,
                MOST_ENTRIES,
                lambda length: sum(
                    _number_entries([divmod(int(cell), rules.rows) for cell in shape], states)[1]
                    for shape in cells[:, :length]
                ),
            )
    members = _list_members(readings, rules)
    deltas = _list_deltas(readings, members, rules)
    starts = np.cumsum([0, *(len(some) for some in members)])
    parts_of_all = [starts, np.concatenate([*members, []]), deltas, np.array(first)]
    places = np.cumsum([FIELDS, *(len(part) for part in parts_of_all[:-1])])
    head = np.zeros(FIELDS)
    head[[READINGS, ENTRIES]] = len(readings), entries
    head[STARTS_AT : FIRST_AT + 1] = places
    structure = np.concatenate([head, *parts_of_all]).astype(np.int32)
    return TupleTable(structure, len(readings), 2 * entries)


def show_entries(shape: Cells, rules: Rules) -> NDArray[np.int8]:
    """What the entries of one tuple stand for: the states of its cells.

    Args:
        shape: Its cells, shape ``(length,)``.
        rules: The board.

    Returns:
        Shape ``(entries, length)``: 0 is out of reach, 1 and 2 are the players' discs, 3 is next
        to be filled.
    """
    states = _list_states(rules.rows)
    column_of, row_of = np.divmod(shape.astype(np.int64), rules.rows)
    shown = np.zeros((1, len(shape)), dtype=np.int8)
    for column in np.unique(column_of):
        places = np.flatnonzero(column_of == column)
        parts = list(dict.fromkeys(tuple(state[row] for row in row_of[places]) for state in states))
        entries = len(shown)
        shown = np.tile(shown, (len(parts), 1))
        shown[:, places] = np.repeat(np.array(parts, dtype=np.int8), entries, axis=0)
    return shown


@dataclass(frozen=True, eq=False)
class _Part:
    """The cells of a tuple that stand in one column."""

    rows: list[int]
    entries: NDArray[np.int64]
    """What each state of the column adds to the number of the entry."""


def _list_states(rows: int) -> list[tuple[int, ...]]:
    """The states of the cells of a column, from below, for each state of the column."""
    states = []
    for discs in range(rows + 1):
        for bits in range(2**discs):
            owners = [1 + (bits >> row & 1) for row in range(discs)]
            states.append((*owners, 3, *[0] * rows)[:rows])
    return states


def _number_entries(
    cells: list[tuple[int, int]], states: list[tuple[int, ...]]
) -> tuple[dict[int, _Part], int]:
    """The parts of a tuple by column, and how many entries it has."""
    parts, size = {}, 1
    for column in sorted({column for column, _ in cells}):
        rows = sorted(row for place, row in cells if place == column)
        numbers: dict[tuple[int, ...], int] = {}
        seen = [tuple(state[row] for row in rows) for state in states]
        order = [numbers.setdefault(part, len(numbers)) for part in seen]
        parts[column] = _Part(rows, size * np.array(order))
        size *= len(numbers)
    return parts, size


def _list_members(readings: list[dict[int, _Part]], rules: Rules) -> list[list[int]]:
    """For each bit of the board the readings that a disc there concerns."""
    members: list[list[int]] = []
    for column in range(rules.columns):
        for row in range(rules.rows):
            concerned = []
            for number, parts in enumerate(readings):
                if column in parts and {row, row + 1} & set(parts[column].rows):
                    concerned.append(number)
            members.append(concerned)
        members += [[]] * (rules.height - rules.rows)  # a bit on top of the column stays empty
    return members


def _list_deltas(
    readings: list[dict[int, _Part]], members: list[list[int]], rules: Rules
) -> NDArray[np.int64]:
    """What a disc on each cell adds, shown by columns in which all discs below are the first's."""
    deltas: list[int] = []
    for bit, concerned in enumerate(members):
        column, discs = divmod(bit, rules.height)
        before, after = 2**discs - 1, 2 ** (discs + 1) - 1
        for owner in range(2):
            for number in concerned:
                part = readings[number][column].entries
                deltas.append(int(part[after + (owner << discs)] - part[before]))
    return np.array(deltas, dtype=np.int64)
