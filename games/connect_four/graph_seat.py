"""How a graph takes its seat, sees discs and values moves, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import internal
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.workspace import (
    CARD_DISCS_AT,
    CARD_FIELDS,
    CARD_HEAD,
    CARD_INPUTS,
    CARD_MEMORY,
    CARD_NUMBERS_AT,
    CARD_PLANES,
    CARD_SIDE,
    CARD_SLOTS,
    CARD_STRUCTURE_AT,
    CARD_TRIAL,
    CARD_VALUES_AT,
    CARD_WIDTH,
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


@internal
def seat_graph(rules: Rules, packed: Any, player: int, workspace: Any, slot: int) -> None:
    """Completes the card of a graph and clears what it knows and remembers."""
    cards = workspace.cards
    card = slot * CARD_FIELDS
    plane = (slot & 1) & packed.seats[player, RELATIVE]
    row = 2 * rules.columns * (rules.rows + 1)
    discs_at = packed.seats[player, INPUTS_AT]
    values_at = slot * (workspace.values.shape[0] // (2 * TABLES))
    slots, planes = packed.seats[player, SLOTS], packed.seats[player, PLANES]
    poke(cards, card + CARD_WIDTH, WIDTH_OF_GRAPHS)
    poke(cards, card + CARD_HEAD, packed.seats[player, HEAD])
    poke(cards, card + CARD_DISCS_AT, discs_at + plane * row)
    poke(cards, card + CARD_DISCS_AT + 1, discs_at + (1 ^ plane) * row)
    poke(cards, card + CARD_STRUCTURE_AT, packed.seats[player, COLUMNS_AT])
    poke(cards, card + CARD_NUMBERS_AT, packed.seats[player, NUMBERS_AT])
    poke(cards, card + CARD_VALUES_AT, values_at)
    poke(cards, card + CARD_INPUTS, packed.seats[player, INPUTS])
    poke(cards, card + CARD_SLOTS, slots)
    poke(cards, card + CARD_PLANES, planes)
    poke(cards, card + CARD_MEMORY, 0)
    poke(cards, card + CARD_TRIAL, planes - 1)
    clear_plane(workspace.values, values_at, slots * planes)


@internal
def show_disc(packed: Any, workspace: Any, card: int, mover: int, cell: int) -> None:
    """Sets the input of a disc on *cell* in all planes."""
    at = peek(workspace.cards, card + CARD_DISCS_AT + mover) + 2 * cell
    place = peek(workspace.cards, card + CARD_VALUES_AT) + peek(packed.columns, at)
    slots = peek(workspace.cards, card + CARD_SLOTS)
    for _ in range(peek(workspace.cards, card + CARD_PLANES)):
        poke(workspace.values, place, np.float64(peek(packed.columns, at + 1)))
        place += slots


@internal
def pick_open_output(packed: Any, card: int, columns: int, full: Any, workspace: Any) -> Any:
    """Activates the graph: the first of its strongest outputs whose column is not full."""
    at = _run(packed, card, workspace)
    keep_trial(card, workspace)
    remember_best(card, workspace)
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


@internal
def value_disc(packed: Any, card: int, cell: int, workspace: Any) -> Any:
    """The output with one more own disc on *cell*, without remembering anything.

    :func:`keep_trial` and, at the end, :func:`remember_best` do that.
    """
    cards, values = workspace.cards, workspace.values
    discs_at = peek(cards, card + CARD_DISCS_AT + peek(cards, card + CARD_SIDE))
    at = discs_at + 2 * cell
    memory = peek(cards, card + CARD_MEMORY) * peek(cards, card + CARD_SLOTS)
    place = peek(cards, card + CARD_VALUES_AT) + memory + peek(packed.columns, at)
    poke(values, place, np.float64(peek(packed.columns, at + 1)))
    output = _run(packed, card, workspace)
    poke(values, place, 0.0)
    return _comparable(peek(values, output))


@internal
def keep_trial(card: int, workspace: Any) -> None:
    """What was just activated is the best so far: the plane for trials is now another one."""
    cards = workspace.cards
    if peek(cards, card + CARD_PLANES) > 1:
        best = peek(cards, card + CARD_TRIAL)
        memory = peek(cards, card + CARD_MEMORY)
        poke(cards, card + CARD_TRIAL, 3 - best - memory)


@internal
def remember_best(card: int, workspace: Any) -> None:
    """What was kept last becomes what the graph remembers."""
    cards = workspace.cards
    if peek(cards, card + CARD_PLANES) > 1:
        memory = peek(cards, card + CARD_MEMORY)
        trial = peek(cards, card + CARD_TRIAL)
        poke(cards, card + CARD_MEMORY, 3 - trial - memory)
        poke(cards, card + CARD_TRIAL, memory)


@internal
def _run(packed: Any, card: int, workspace: Any) -> Any:
    """Activates the graph into the plane for trials; where its outputs then begin."""
    cards = workspace.cards
    values_at = peek(cards, card + CARD_VALUES_AT)
    slots = peek(cards, card + CARD_SLOTS)
    write_at = values_at + peek(cards, card + CARD_TRIAL) * slots
    run_graph(
        packed.columns,
        peek(cards, card + CARD_STRUCTURE_AT),
        packed.numbers,
        peek(cards, card + CARD_NUMBERS_AT),
        workspace.values,
        values_at + peek(cards, card + CARD_MEMORY) * slots,
        write_at,
        workspace.terms,
    )
    return write_at + peek(cards, card + CARD_INPUTS)


@internal
def _comparable(value: Any) -> Any:
    """*value*; what is no number is worse than any."""
    return value if value == value else -np.inf  # noqa: PLR0124
