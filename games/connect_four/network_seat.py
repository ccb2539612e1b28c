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
from evolve_arena.games.connect_four.graph_seat import seat_graph, show_disc
from evolve_arena.games.connect_four.tuple_seat import seat_tuples, show_disc_to_tuples
from evolve_arena.games.connect_four.workspace import (
    ACTION,
    CARD_ACTIONS_AT,
    CARD_ACTIVATION,
    CARD_DEPTH,
    CARD_DISCS_AT,
    CARD_FIELDS,
    CARD_HEAD,
    CARD_KIND,
    CARD_LAYERS,
    CARD_LINES_AT,
    CARD_NOISE,
    CARD_SHAPE,
    CARD_SIDE,
    CARD_SUMS_AT,
    CARD_TAKES_WINS,
    CARD_UNITS,
    CARD_WEIGHTS_AT,
    CARD_WIDTH,
    DEPTH,
    HEAD,
    MINIMAX,
    POLICY,
    RELATIVE,
    TABLES,
    TAKES_WINS,
    WIDTH_OF_GRAPHS,
)
from evolve_arena.genomes.network import (
    ACTIVATION,
    LAYERS,
    SIZES,
    activate_sums,
    add_column,
    evaluate_hidden,
    padded,
    pick_output,
    shallow_output,
    shallow_pick,
    single_output,
    start_sums,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.lineup import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NETWORK,
    NOISE,
    SHAPE,
    TUPLES,
    WEIGHTS_AT,
)

ONE = np.uint64(1)


@internal
def choose_by_network(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    """The column that the network of a *card* drops a disc into.

    The arguments are those of :func:`evolve_arena.games.connect_four.kernel.choose_move`.
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


HAS_POLICIES = True
HAS_VALUES = True
HAS_ACTIONS = True
HAS_DEEP = True
HAS_GRAPHS = True
HAS_TUPLES = True
HAS_SEARCHES = True
HAS_TEST_BOTS = True
"""What players there are: networks by their heads, those with more or fewer than one hidden layer,
and other kinds. Copies of these files are compiled for fewer (see `GameSpec.kernel`)."""
HAS_NETWORKS = HAS_POLICIES or HAS_VALUES or HAS_ACTIONS


@internal
def take_seat(rules: Rules, lineup: Any, player: int, scratch: Any, chair: int) -> None:
    """Seats the *player*, a row of the lineup's seats, on a *chair* before an empty board."""
    cards = scratch.cards
    card = chair * CARD_FIELDS
    side = chair & 1
    kind = lineup.seats[player, KIND]
    poke(cards, card + CARD_KIND, kind)
    poke(cards, card + CARD_NOISE, lineup.seats[player, NOISE])
    poke(cards, card + CARD_SIDE, side)
    poke(cards, card + CARD_WIDTH, 0)
    if HAS_NETWORKS and kind == NETWORK:
        row = lineup.seats[player, SHAPE]
        units = lineup.shapes[row, SIZES + 1]
        width = padded(units)
        sums_at = chair * (scratch.sums.shape[0] // (2 * TABLES))
        columns_at = lineup.seats[player, COLUMNS_AT]
        plane = side & lineup.seats[player, RELATIVE]
        bits = rules.columns * (rules.rows + 1)
        poke(cards, card + CARD_HEAD, lineup.seats[player, HEAD])
        poke(cards, card + CARD_SHAPE, row)
        poke(cards, card + CARD_LAYERS, lineup.shapes[row, LAYERS])
        poke(cards, card + CARD_ACTIVATION, lineup.shapes[row, ACTIVATION])
        poke(cards, card + CARD_UNITS, units)
        poke(cards, card + CARD_WIDTH, width)
        poke(cards, card + CARD_SUMS_AT, sums_at)
        poke(cards, card + CARD_WEIGHTS_AT, lineup.seats[player, WEIGHTS_AT])
        poke(cards, card + CARD_DISCS_AT, columns_at + (1 + plane * bits) * width)
        poke(cards, card + CARD_DISCS_AT + 1, columns_at + (1 + (1 ^ plane) * bits) * width)
        poke(cards, card + CARD_TAKES_WINS, lineup.seats[player, TAKES_WINS])
        poke(cards, card + CARD_ACTIONS_AT, columns_at + (1 + 2 * bits) * width)
        start_sums(scratch.sums, sums_at, lineup.columns, columns_at, width)
    elif HAS_GRAPHS and kind == GRAPH:
        seat_graph(rules, lineup, player, scratch, chair)
    elif HAS_TUPLES and kind == TUPLES:
        seat_tuples(lineup, player, scratch, chair)
    elif HAS_SEARCHES and kind == MINIMAX:
        poke(cards, card + CARD_DEPTH, lineup.seats[player, DEPTH])
        poke(cards, card + CARD_LINES_AT, lineup.seats[player, COLUMNS_AT])


@internal
def see_disc(lineup: Any, scratch: Any, chair: int, mover: int, cell: int) -> None:
    """Tells the player on *chair* that *mover* (0: who began) put a disc on *cell*."""
    cards = scratch.cards
    card = chair * CARD_FIELDS
    width = peek(cards, card + CARD_WIDTH)
    if HAS_NETWORKS and width > 0:
        base = peek(cards, card + CARD_DISCS_AT + mover) + cell * width
        add_column(scratch.sums, peek(cards, card + CARD_SUMS_AT), lineup.columns, base, width)
    elif HAS_GRAPHS and width == WIDTH_OF_GRAPHS:
        show_disc(lineup, scratch, card, mover, cell)
    elif HAS_TUPLES and width:
        show_disc_to_tuples(lineup, scratch, card, mover, cell)


@internal
def sit_down(
    rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any, going_on: bool
) -> None:
    """Seats the lineup's first player at the first table, before a board with discs.

    A player who is *going_on* sits there already and has seen some of them; only graphs, to
    whom it makes no difference to see a disc again, may do that.
    """
    if not going_on:
        take_seat(rules, lineup, 0, scratch, side)
    for cell in range(rules.columns * (rules.rows + 1)):
        bit = ONE << np.uint64(cell)
        if own & bit:
            see_disc(lineup, scratch, side, side, cell)
        elif other & bit:
            see_disc(lineup, scratch, side, 1 - side, cell)
