"""How a network chooses a column of Connect Four by its head, and what it thinks of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import internal
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_of,
    drop,
    landing_cells,
    winning_cells,
)
from evolve_arena.games.connect_four.sitting import HAS_ACTIONS, HAS_DEEP, HAS_POLICIES, HAS_VALUES
from evolve_arena.games.connect_four.workspace import (
    ACTION,
    CARD_ACTIONS_AT,
    CARD_ACTIVATION,
    CARD_DISCS_AT,
    CARD_HEAD,
    CARD_LAYERS,
    CARD_SHAPE,
    CARD_SIDE,
    CARD_SUMS_AT,
    CARD_TAKES_WINS,
    CARD_UNITS,
    CARD_WEIGHTS_AT,
    CARD_WIDTH,
    POLICY,
)
from evolve_arena.genomes.network import (
    LAYERS,
    activate_sums,
    evaluate_hidden,
    pick_output,
    shallow_output,
    shallow_pick,
    single_output,
)
from evolve_arena.genomes.simd import peek

ONE = np.uint64(1)


@internal
def choose_by_network(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    """The column that the network of a *card* drops a disc into.

    The arguments are those of :func:`evolve_arena.games.connect_four.seats.choose_move`.
    """
    head = peek(scratch.cards, card + CARD_HEAD)
    if HAS_POLICIES and head == POLICY:
        return _choose_by_policy(rules, lineup, card, full, scratch)
    if HAS_ACTIONS and head == ACTION:
        return _choose_by_action(rules, lineup, card, full, scratch)
    if HAS_VALUES:
        return _choose_by_value(rules, lineup, card, own, other, full, scratch)
    return -1


@internal
def _choose_by_policy(rules: Rules, lineup: Any, card: int, full: Any, scratch: Any) -> Any:
    cards = scratch.cards
    allowed = ~full & ((ONE << np.uint64(rules.columns)) - ONE)
    at = peek(cards, card + CARD_SUMS_AT)
    base = peek(cards, card + CARD_WEIGHTS_AT)
    if not HAS_DEEP or peek(cards, card + CARD_LAYERS) == 2:
        kind = peek(cards, card + CARD_ACTIVATION)
        units = peek(cards, card + CARD_UNITS)
        return shallow_pick(
            kind, units, scratch.sums, at, lineup.weights, base, scratch.ping, allowed
        )
    shape = lineup.shapes[peek(cards, card + CARD_SHAPE)]
    inputs = scratch.ping
    activate_sums(shape, scratch.sums, at, lineup.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, lineup.weights, base, scratch.ping, scratch.pong)
    return pick_output(shape, lineup.weights, base, inputs, allowed)


@internal
def _choose_by_value(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    """The first column whose position has the best value; a winning one, if it takes wins."""
    discs = own | other
    if peek(scratch.cards, card + CARD_TAKES_WINS):
        wins = winning_cells(own, rules) & landing_cells(discs, rules)
        if wins:
            return column_of(wins, rules)
    best = -1
    best_value = np.float32(0.0)
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_disc_by_network(lineup, card, cell_of(drop(discs, column, rules)), scratch)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@internal
def _choose_by_action(rules: Rules, lineup: Any, card: int, full: Any, scratch: Any) -> Any:
    """The first column of the best value."""
    best = -1
    best_value = np.float32(0.0)
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_column(lineup, card, column, scratch)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@internal
def value_disc_by_network(lineup: Any, card: int, cell: int, scratch: Any) -> Any:
    """The output with one more own disc, on *cell*."""
    cards = scratch.cards
    discs_at = peek(cards, card + CARD_DISCS_AT + peek(cards, card + CARD_SIDE))
    extra = discs_at + cell * peek(cards, card + CARD_WIDTH)
    return _output_with(lineup, card, extra, scratch)


@internal
def value_column(lineup: Any, card: int, column: int, scratch: Any) -> Any:
    """The output of an action network with the number of that *column* as its last input."""
    cards = scratch.cards
    extra = peek(cards, card + CARD_ACTIONS_AT) + column * peek(cards, card + CARD_WIDTH)
    return _output_with(lineup, card, extra, scratch)


@internal
def _output_with(lineup: Any, card: int, extra: Any, scratch: Any) -> Any:
    """The only output, if the column that begins at ``lineup.columns[extra]`` counts as well."""
    cards = scratch.cards
    at = peek(cards, card + CARD_SUMS_AT)
    base = peek(cards, card + CARD_WEIGHTS_AT)
    width = peek(cards, card + CARD_WIDTH)
    if not HAS_DEEP or peek(cards, card + CARD_LAYERS) == 2:
        kind = peek(cards, card + CARD_ACTIVATION)
        return shallow_output(
            kind, width, scratch.sums, at, lineup.columns, extra, lineup.weights, base
        )
    shape = lineup.shapes[peek(cards, card + CARD_SHAPE)]
    inputs = scratch.ping
    activate_sums(shape, scratch.sums, at, lineup.columns, extra, True, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, lineup.weights, base, scratch.ping, scratch.pong)
    return single_output(shape, lineup.weights, base, inputs)
