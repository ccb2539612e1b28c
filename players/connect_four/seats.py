"""How each kind of compiled player chooses a column of Connect Four.

The match kernel and the Python classes call the same functions, so a player moves alike in
both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bitboard import (
    Rules,
    cell_of,
    column_of,
    drop,
    full_columns,
    landing_cells,
    stack_tops,
    winning_cells,
)
from games.bits import count_bits
from games.compiled import compiled, internal
from games.stream import below, next_word
from genomes.network import (
    ACTIVATION,
    LAYERS,
    RESOLUTION,
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
from genomes.simd import peek, poke
from players.connect_four.graph_seat import (
    keep_trial,
    pick_open_output,
    remember_best,
    seat_graph,
    show_disc,
    value_disc,
)
from players.connect_four.search import find_best
from players.connect_four.tuple_seat import (
    pick_by_tuples,
    seat_tuples,
    show_disc_to_tuples,
    value_disc_by_tuples,
)
from players.lineup import (
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
    COLUMNS_AT,
    DEPTH,
    GRAPH,
    HEAD,
    KIND,
    MINIMAX,
    NETWORK,
    NOISE,
    POLICY,
    RANDOM,
    RELATIVE,
    SHAPE,
    TABLES,
    TAKES_WINS,
    TUPLES,
    WEIGHTS_AT,
    WIDTH_OF_GRAPHS,
)

__all__ = ["choose_move", "decide", "see_disc", "take_seat", "value_moves"]

ONE = np.uint64(1)


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
    if kind == NETWORK:
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
    elif kind == GRAPH:
        seat_graph(rules, lineup, player, scratch, chair)
    elif kind == TUPLES:
        seat_tuples(lineup, player, scratch, chair)
    elif kind == MINIMAX:
        poke(cards, card + CARD_DEPTH, lineup.seats[player, DEPTH])
        poke(cards, card + CARD_LINES_AT, lineup.seats[player, COLUMNS_AT])


@internal
def see_disc(lineup: Any, scratch: Any, chair: int, mover: int, cell: int) -> None:
    """Tells the player on *chair* that *mover* (0: who began) put a disc on *cell*."""
    cards = scratch.cards
    card = chair * CARD_FIELDS
    width = peek(cards, card + CARD_WIDTH)
    if width > 0:
        base = peek(cards, card + CARD_DISCS_AT + mover) + cell * width
        add_column(scratch.sums, peek(cards, card + CARD_SUMS_AT), lineup.columns, base, width)
    elif width == WIDTH_OF_GRAPHS:
        show_disc(lineup, scratch, card, mover, cell)
    elif width:
        show_disc_to_tuples(lineup, scratch, card, mover, cell)


@internal
def choose_move(
    rules: Rules, lineup: Any, chair: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    """The column that the player on *chair* drops a disc into.

    Args:
        rules: The board.
        lineup: The players.
        chair: Whose turn it is. The player has taken that seat and seen all discs.
        own: Its discs.
        other: The opponent's discs.
        full: Bit c: column c is full. At least one is not.
        scratch: What the players know.
    """
    card = chair * CARD_FIELDS
    table = chair >> 1
    stream = scratch.streams[table : table + 1]
    noise = peek(scratch.cards, card + CARD_NOISE)
    kind = peek(scratch.cards, card + CARD_KIND)
    strays = noise > 0 and np.int64(next_word(stream) >> np.uint64(32)) < noise
    if strays or kind == RANDOM:
        return _choose_at_random(rules, full, stream)
    if kind == NETWORK:
        return _choose_by_network(rules, lineup, card, own, other, full, scratch)
    if kind == GRAPH:
        return _choose_by_graph(rules, lineup, card, own, other, full, scratch)
    if kind == TUPLES:
        return _choose_by_tuples(rules, lineup, card, own, other, scratch)
    if kind == MINIMAX:
        return _choose_by_search(rules, lineup, card, own, other, scratch, stream)
    return _choose_by_stack(rules, own, other, full, stream)


@internal
def _choose_by_network(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    head = peek(scratch.cards, card + CARD_HEAD)
    if head == POLICY:
        return _choose_by_policy(rules, lineup, card, full, scratch)
    if head == ACTION:
        return _choose_by_action(rules, lineup, card, full, scratch)
    return _choose_by_value(rules, lineup, card, own, other, full, scratch)


@internal
def _choose_by_policy(rules: Rules, lineup: Any, card: int, full: Any, scratch: Any) -> Any:
    cards = scratch.cards
    allowed = ~full & ((ONE << np.uint64(rules.columns)) - ONE)
    at = peek(cards, card + CARD_SUMS_AT)
    base = peek(cards, card + CARD_WEIGHTS_AT)
    if peek(cards, card + CARD_LAYERS) == 2:
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
        value = _value_after(lineup, card, cell_of(drop(discs, column, rules)), scratch)
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
        value = _value_of(lineup, card, column, scratch)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@internal
def _choose_by_graph(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, full: Any, scratch: Any
) -> Any:
    """By its head, as networks choose; a recurrent graph remembers the position it chose."""
    if peek(scratch.cards, card + CARD_HEAD) == POLICY:
        return pick_open_output(lineup, card, rules.columns, full, scratch)
    discs = own | other
    wins = winning_cells(own, rules) & landing_cells(discs, rules)
    if wins:
        return column_of(wins, rules)
    best = -1
    best_value = 0.0
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_disc(lineup, card, cell_of(drop(discs, column, rules)), scratch)
        if best < 0 or value > best_value:
            best = column
            best_value = value
            keep_trial(card, scratch)
    remember_best(card, scratch)
    return best


@internal
def _choose_by_tuples(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, scratch: Any
) -> Any:
    """The first column that wins at once, else the first whose position has the best value."""
    discs = own | other
    wins = winning_cells(own, rules) & landing_cells(discs, rules)
    if wins:
        return column_of(wins, rules)
    return pick_by_tuples(rules, lineup, card, discs, scratch)


@internal
def _value_after(lineup: Any, card: int, cell: int, scratch: Any) -> Any:
    """The output with one more own disc, on *cell*."""
    cards = scratch.cards
    discs_at = peek(cards, card + CARD_DISCS_AT + peek(cards, card + CARD_SIDE))
    extra = discs_at + cell * peek(cards, card + CARD_WIDTH)
    return _output_with(lineup, card, extra, scratch)


@internal
def _value_of(lineup: Any, card: int, column: int, scratch: Any) -> Any:
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
    if peek(cards, card + CARD_LAYERS) == 2:
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


@internal
def _choose_by_stack(rules: Rules, own: Any, other: Any, full: Any, stream: Any) -> Any:
    """As the test bot does: a stack that it completes or blocks, else any column."""
    column = _find_stack(rules, own, other, full)
    if column >= 0:
        return column
    return _choose_at_random(rules, full, stream)


@internal
def _find_stack(rules: Rules, own: Any, other: Any, full: Any) -> Any:
    """The first column that tops a stack of own discs one short of a line, else of the other's.

    -1 if there is none.
    """
    free = landing_cells(own | other, rules)
    tops = stack_tops(own, rules) & free
    if not tops:
        tops = stack_tops(other, rules) & free
    return column_of(tops, rules) if tops else -1


@internal
def _choose_by_search(
    rules: Rules, lineup: Any, card: int, own: Any, other: Any, scratch: Any, stream: Any
) -> Any:
    """One of the best columns, each as likely; a single one without a draw."""
    depth = peek(scratch.cards, card + CARD_DEPTH)
    lines_at = peek(scratch.cards, card + CARD_LINES_AT)
    best, _ = find_best(rules, lineup.columns, lines_at, scratch.search, own, other, depth)
    choices = count_bits(best)
    if choices > 1:
        for _ in range(below(stream, choices)):
            best &= best - ONE
    return column_of(best, rules)


@internal
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, rules.columns)
        if not (full >> np.uint64(column)) & ONE:
            return column


@internal
def _sit_down(
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


@compiled
def decide(
    rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any, going_on: bool
) -> Any:
    """The column that the first player of *lineup* chooses.

    *side* is 0 if that player began, else 1; a recurrent graph that is *going_on* remembers
    its moves before; the rest as in :func:`choose_move`. Chance comes from the first of
    ``scratch.streams``.
    """
    full = full_columns(own | other, rules)
    _sit_down(rules, lineup, side, own, other, scratch, going_on)
    return choose_move(rules, lineup, side, own, other, full, scratch)


@compiled
def value_moves(
    rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any, values: Any
) -> None:
    """Puts a network's opinion of each open column into *values* (``float64``).

    Its head is a value or an action.
    """
    full = full_columns(own | other, rules)
    _sit_down(rules, lineup, side, own, other, scratch, False)
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            cell = cell_of(drop(own | other, column, rules))
            kind = peek(scratch.cards, side * CARD_FIELDS + CARD_KIND)
            if kind == GRAPH:
                values[column] = value_disc(lineup, side * CARD_FIELDS, cell, scratch)
            elif kind == TUPLES:
                whole = value_disc_by_tuples(lineup, side * CARD_FIELDS, cell, scratch)
                values[column] = whole / RESOLUTION
            elif peek(scratch.cards, side * CARD_FIELDS + CARD_HEAD) == ACTION:
                values[column] = _value_of(lineup, side * CARD_FIELDS, column, scratch)
            else:
                values[column] = _value_after(lineup, side * CARD_FIELDS, cell, scratch)
