"""Games of Connect Four that a tuple network plays against itself; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, chance
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIRST_WINS,
    PLIES,
    LearningSettings,
    TupleWorkspace,
    learn,
    note_position,
)
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_height,
    count_moves,
    drop,
    hide_steal,
    is_full,
    is_tight,
    landing_cells,
    mark_if_full,
    may_steal,
    winning_cells,
)
from evolve_arena.genomes.simd import peek
from evolve_arena.genomes.tuple_entries import (
    ENTRIES,
    READINGS,
    note_change,
    start_readings,
    sum_entries,
    weigh_change,
)

ONE = np.uint64(1)


@compiled
def teach(
    rules: Rules,
    learning: LearningSettings,
    structure: Any,
    tables: Any,
    stream: Any,
    workspace: TupleWorkspace,
    figures: Any,
) -> None:
    """Plays games and changes *tables*, flat, after each of them.

    Args:
        rules: The board.
        learning: How to play and learn.
        structure: See :mod:`evolve_arena.genomes.tuple_entries`.
        tables: The numbers after moves of who began, then those after moves of the other.
        stream: Chance.
        workspace: Memory that is used again and again.
        figures: What `evolve_arena.evolve.learning.tuple_learning` counts; it is added.
    """
    for _ in range(learning.games):
        plies, outcome = _play(rules, learning, structure, tables, stream, workspace)
        figures[PLIES] += plies
        figures[FIRST_WINS] += outcome > 0
        figures[DRAWS] += outcome == 0
        chosen = outcome != 0 or not peek(workspace.explored, plies - 1)
        readings = peek(structure, READINGS)
        figures[ERROR] += learn(learning, readings, tables, plies, outcome, chosen, workspace)


@inlined
def _play(
    rules: Rules,
    learning: LearningSettings,
    structure: Any,
    tables: Any,
    stream: Any,
    workspace: TupleWorkspace,
) -> Any:
    """Plays one game: how many plies, and 1, 0 or -1 for who began.

    A move that wins is taken at once. It counts as a ply of its own: nothing is to be learned
    about the position after it, nor about a full board.
    """
    readings = peek(structure, READINGS)
    own = other = full = np.uint64(0)
    start_readings(structure, 0, workspace.entries, 0)
    ply = 0
    while not is_full(rules, ply, own | other):
        side = ply & 1
        if winning_cells(own, rules) & landing_cells(own | other, rules):
            return ply + 1, 1 - 2 * side
        table = side * peek(structure, ENTRIES)
        explores = chance(stream) < learning.exploration
        zero = np.float32(0.0)
        total = zero
        closed = hide_steal(rules, side, own, full)
        if explores:
            column = _choose_at_random(rules, closed, stream)
        else:
            total = sum_entries(
                structure, 0, workspace.entries, 0, tables, table, workspace.now, zero
            )
            column, total = _choose(
                rules, structure, tables, table, side, own | other, total, workspace
            )
            if may_steal(rules, closed):
                stolen = _sum_after_steal(structure, tables, table, other, workspace)
                if -stolen > -total:  # who steals is the second player
                    column, total = rules.columns, stolen
        if is_tight(rules) and column == rules.columns:
            bit, other = other, np.uint64(0)
            start_readings(structure, 0, workspace.entries, 0)
        else:
            bit = drop(own | other, column, rules)
            full = mark_if_full(full, bit, column, rules)
        note_change(structure, 0, workspace.entries, 0, side, cell_of(bit))
        if explores:
            total = sum_entries(
                structure, 0, workspace.entries, 0, tables, table, workspace.now, zero
            )
        note_position(workspace, ply, 0, readings, table, total, explores)
        own, other = other, own | bit
        ply += 1
    return ply, 0


@inlined
def _sum_after_steal(structure: Any, tables: Any, table: int, disc: Any, workspace: Any) -> Any:
    """The sum after STEAL of the only *disc*; the board is then shown as it was."""
    zero = np.float32(0.0)
    start_readings(structure, 0, workspace.entries, 0)
    note_change(structure, 0, workspace.entries, 0, 1, cell_of(disc))
    total = sum_entries(structure, 0, workspace.entries, 0, tables, table, workspace.now, zero)
    start_readings(structure, 0, workspace.entries, 0)
    note_change(structure, 0, workspace.entries, 0, 0, cell_of(disc))
    return total


@inlined
def _choose(
    rules: Rules,
    structure: Any,
    tables: Any,
    table: int,
    side: int,
    discs: Any,
    total: Any,
    workspace: TupleWorkspace,
) -> Any:
    """The best column for who is to move, the first of equal ones, and the sum after it."""
    best: Any = -1
    best_total = total
    sign = np.float32(1 - 2 * side)
    free = landing_cells(discs, rules)
    while free:
        bit = free & (~free + ONE)
        free ^= bit
        cell = cell_of(bit)
        after = weigh_change(
            structure, 0, workspace.entries, 0, side, cell, tables, table, workspace.now, total
        )
        if best < 0 or sign * after > sign * best_total:
            best = cell // column_height(rules)
            best_total = after
    return best, best_total


@inlined
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, count_moves(rules))
        if not (full >> np.uint64(column)) & ONE:
            return column
