"""How a graph takes its seat, sees discs and values moves, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.games.connect_four.bitboard import Rules, column_height
from evolve_arena.games.connect_four.workspace import (
    CACHE_DISCS_AT,
    CACHE_FIELDS,
    CACHE_HEAD,
    CACHE_INPUTS,
    CACHE_MEMORY,
    CACHE_NUMBERS_AT,
    CACHE_PLANES,
    CACHE_SIDE,
    CACHE_SLOTS,
    CACHE_STRUCTURE_AT,
    CACHE_TRIAL,
    CACHE_VALUES_AT,
    CACHE_WIDTH,
    HEAD,
    INPUTS,
    PLANES,
    RELATIVE,
    SLOTS,
    TABLES,
    WIDTH_OF_GRAPHS,
)
from evolve_arena.genomes.neat.graph import clear_plane, run_graph
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.packed import COLUMNS_AT, INPUTS_AT, NUMBERS_AT

ONE = np.uint64(1)


@inlined
def seat_graph(rules: Rules, packed: Any, player: int, workspace: Any, slot: int) -> None:
    """Completes the card of a graph and clears what it knows and remembers."""
    caches = workspace.caches
    cache = slot * CACHE_FIELDS
    plane = (slot & 1) & packed.seats[player, RELATIVE]
    row = 2 * rules.columns * column_height(rules)
    discs_at = packed.seats[player, INPUTS_AT]
    values_at = slot * (workspace.values.shape[0] // (2 * TABLES))
    slots, planes = packed.seats[player, SLOTS], packed.seats[player, PLANES]
    poke(caches, cache + CACHE_WIDTH, WIDTH_OF_GRAPHS)
    poke(caches, cache + CACHE_HEAD, packed.seats[player, HEAD])
    poke(caches, cache + CACHE_DISCS_AT, discs_at + plane * row)
    poke(caches, cache + CACHE_DISCS_AT + 1, discs_at + (1 ^ plane) * row)
    poke(caches, cache + CACHE_STRUCTURE_AT, packed.seats[player, COLUMNS_AT])
    poke(caches, cache + CACHE_NUMBERS_AT, packed.seats[player, NUMBERS_AT])
    poke(caches, cache + CACHE_VALUES_AT, values_at)
    poke(caches, cache + CACHE_INPUTS, packed.seats[player, INPUTS])
    poke(caches, cache + CACHE_SLOTS, slots)
    poke(caches, cache + CACHE_PLANES, planes)
    poke(caches, cache + CACHE_MEMORY, 0)
    poke(caches, cache + CACHE_TRIAL, planes - 1)
    clear_plane(workspace.values, values_at, slots * planes)


@inlined
def show_disc(packed: Any, workspace: Any, cache: int, mover: int, cell: int) -> None:
    """Sets the input of a disc on *cell* in all planes."""
    at = peek(workspace.caches, cache + CACHE_DISCS_AT + mover) + 2 * cell
    place = peek(workspace.caches, cache + CACHE_VALUES_AT) + peek(packed.columns, at)
    slots = peek(workspace.caches, cache + CACHE_SLOTS)
    for _ in range(peek(workspace.caches, cache + CACHE_PLANES)):
        poke(workspace.values, place, np.float64(peek(packed.columns, at + 1)))
        place += slots


@inlined
def pick_open_output(packed: Any, cache: int, columns: int, full: Any, workspace: Any) -> Any:
    """Activates the graph: the first of its strongest outputs whose column is not full."""
    at = _run(packed, cache, workspace)
    keep_trial(cache, workspace)
    remember_best(cache, workspace)
    best = -1
    best_value = 0.0
    for column in range(columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = _comparable(peek(workspace.values, at + column))
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@inlined
def value_disc(packed: Any, cache: int, cell: int, workspace: Any) -> Any:
    """The output with one more own disc on *cell*, without remembering anything.

    :func:`keep_trial` and, at the end, :func:`remember_best` do that.
    """
    caches, values = workspace.caches, workspace.values
    discs_at = peek(caches, cache + CACHE_DISCS_AT + peek(caches, cache + CACHE_SIDE))
    at = discs_at + 2 * cell
    memory = peek(caches, cache + CACHE_MEMORY) * peek(caches, cache + CACHE_SLOTS)
    place = peek(caches, cache + CACHE_VALUES_AT) + memory + peek(packed.columns, at)
    poke(values, place, np.float64(peek(packed.columns, at + 1)))
    output = _run(packed, cache, workspace)
    poke(values, place, 0.0)
    return _comparable(peek(values, output))


@inlined
def keep_trial(cache: int, workspace: Any) -> None:
    """What was just activated is the best so far: the plane for trials is now another one."""
    caches = workspace.caches
    if peek(caches, cache + CACHE_PLANES) > 1:
        best = peek(caches, cache + CACHE_TRIAL)
        memory = peek(caches, cache + CACHE_MEMORY)
        poke(caches, cache + CACHE_TRIAL, 3 - best - memory)


@inlined
def remember_best(cache: int, workspace: Any) -> None:
    """What was kept last becomes what the graph remembers."""
    caches = workspace.caches
    if peek(caches, cache + CACHE_PLANES) > 1:
        memory = peek(caches, cache + CACHE_MEMORY)
        trial = peek(caches, cache + CACHE_TRIAL)
        poke(caches, cache + CACHE_MEMORY, 3 - trial - memory)
        poke(caches, cache + CACHE_TRIAL, memory)


@inlined
def _run(packed: Any, cache: int, workspace: Any) -> Any:
    """Activates the graph into the plane for trials; where its outputs then begin."""
    caches = workspace.caches
    values_at = peek(caches, cache + CACHE_VALUES_AT)
    slots = peek(caches, cache + CACHE_SLOTS)
    write_at = values_at + peek(caches, cache + CACHE_TRIAL) * slots
    run_graph(
        packed.columns,
        peek(caches, cache + CACHE_STRUCTURE_AT),
        packed.numbers,
        peek(caches, cache + CACHE_NUMBERS_AT),
        workspace.values,
        values_at + peek(caches, cache + CACHE_MEMORY) * slots,
        write_at,
        workspace.terms,
    )
    return write_at + peek(caches, cache + CACHE_INPUTS)


@inlined
def _comparable(value: Any) -> Any:
    """*value*; what is no number is worse than any."""
    return value if value == value else -np.inf  # noqa: PLR0124
