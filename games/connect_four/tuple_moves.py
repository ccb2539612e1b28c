"""How a tuple network sits at a table, sees discs and values moves of Connect Four."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.games.connect_four.bitboard import Rules, cell_of, column_height, landing_cells
from evolve_arena.games.connect_four.workspace import (
    CACHE_FIELDS,
    CACHE_SIDE,
    CACHE_STRUCTURE_AT,
    CACHE_SUMS_AT,
    CACHE_TABLES_AT,
    CACHE_WIDTH,
    TABLES,
    WIDTH_OF_TUPLES,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.genomes.tuple_entries import (
    ENTRIES,
    note_change,
    start_readings,
    sum_entries,
    weigh_change,
)
from evolve_arena.players.packed import COLUMNS_AT, INPUTS_AT

ONE = np.uint64(1)


@inlined
def seat_tuples(packed: Any, player: int, workspace: Any, slot: int) -> None:
    """Seats a tuple network before an empty board."""
    caches = workspace.caches
    cache = slot * CACHE_FIELDS
    base = packed.seats[player, COLUMNS_AT]
    at = slot * (workspace.sums.shape[0] // (2 * TABLES))
    side = slot & 1
    table = packed.seats[player, INPUTS_AT] + side * peek(packed.columns, base + ENTRIES)
    poke(caches, cache + CACHE_WIDTH, WIDTH_OF_TUPLES)
    poke(caches, cache + CACHE_STRUCTURE_AT, base)
    poke(caches, cache + CACHE_SUMS_AT, at)
    poke(caches, cache + CACHE_TABLES_AT, table)
    start_readings(packed.columns, base, workspace.sums, at)


@inlined
def show_disc_to_tuples(packed: Any, workspace: Any, cache: int, mover: int, cell: int) -> None:
    """Takes note of a disc of *mover* (0: who began) on *cell*."""
    base = peek(workspace.caches, cache + CACHE_STRUCTURE_AT)
    at = peek(workspace.caches, cache + CACHE_SUMS_AT)
    note_change(packed.columns, base, workspace.sums, at, mover, cell)


@inlined
def pick_by_tuples(rules: Rules, packed: Any, cache: int, discs: Any, workspace: Any) -> Any:
    """The first column of those whose positions have the best value; *discs* are both players'."""
    total = _sum_now(packed, cache, workspace)
    best: Any = -1
    best_value = total
    sign = 1 - 2 * peek(workspace.caches, cache + CACHE_SIDE)
    free = landing_cells(discs, rules)
    while free:
        bit = free & (~free + ONE)
        free ^= bit
        cell = cell_of(bit)
        value = sign * _sum_after(packed, cache, cell, total, workspace)
        if best < 0 or value > best_value:
            best = cell // column_height(rules)
            best_value = value
    return best


@inlined
def value_disc_by_tuples(packed: Any, cache: int, cell: int, workspace: Any) -> Any:
    """What a disc on *cell* is worth to its owner, before tanh, in units of 1/65536."""
    total = _sum_now(packed, cache, workspace)
    sign = 1 - 2 * peek(workspace.caches, cache + CACHE_SIDE)
    return sign * _sum_after(packed, cache, cell, total, workspace)


@inlined
def _sum_now(packed: Any, cache: int, workspace: Any) -> Any:
    """The sum of the entries as they are, from the table that counts after a move."""
    caches = workspace.caches
    return sum_entries(
        packed.columns,
        peek(caches, cache + CACHE_STRUCTURE_AT),
        workspace.sums,
        peek(caches, cache + CACHE_SUMS_AT),
        packed.columns,
        peek(caches, cache + CACHE_TABLES_AT),
        workspace.picked,
        np.int64(0),
    )


@inlined
def _sum_after(packed: Any, cache: int, cell: int, total: Any, workspace: Any) -> Any:
    caches = workspace.caches
    return weigh_change(
        packed.columns,
        peek(caches, cache + CACHE_STRUCTURE_AT),
        workspace.sums,
        peek(caches, cache + CACHE_SUMS_AT),
        peek(caches, cache + CACHE_SIDE),
        cell,
        packed.columns,
        peek(caches, cache + CACHE_TABLES_AT),
        workspace.picked,
        total,
    )
