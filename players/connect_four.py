"""How each kind of compiled player chooses a column of Connect Four.

The match kernel and the Python classes call the same functions, so a player moves alike in
both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.compiled import compiled, inlined
from games.connect_four import Rules, cell_of, drop, full_columns, has_line
from games.stream import below, next_word
from genomes.network import (
    LAYERS,
    activate_sums,
    add_column,
    evaluate_hidden,
    pick_output,
    single_output,
    start_sums,
)
from players.lineup import (
    COLUMNS_AT,
    HEAD,
    KIND,
    NETWORK,
    NOISE,
    POLICY,
    RELATIVE,
    SHAPE,
    TEST_BOT,
    WEIGHTS_AT,
    first_width,
)

__all__ = ["choose_move", "column_base", "decide", "value_moves"]

ONE = np.uint64(1)


@inlined
def choose_move(
    rules: Rules,
    lineup: Any,
    seat: int,
    side: int,
    own: Any,
    other: Any,
    full: Any,
    scratch: Any,
    at: int,
) -> Any:
    """The column that the player in *seat* of the *lineup* drops a disc into.

    Args:
        rules: The board.
        lineup: The players.
        seat: Whose turn it is, a row of the lineup's seats.
        side: 0 if that player began, else 1.
        own: Its discs.
        other: The opponent's discs.
        full: Bit c: column c is full. At least one is not.
        scratch: Room, and the match's stream.
        at: Where the player's running sums, which are up to date, begin in ``scratch.sums``.
    """
    noise = lineup.seats[seat, NOISE]
    if noise > 0 and np.int64(next_word(scratch.stream) >> np.uint64(32)) < noise:
        return _choose_at_random(rules, full, scratch.stream)
    kind = lineup.seats[seat, KIND]
    if kind == NETWORK:
        if lineup.seats[seat, HEAD] == POLICY:
            return _choose_by_policy(rules, lineup, seat, full, scratch, at)
        return _choose_by_value(rules, lineup, seat, side, own, other, full, scratch, at)
    if kind == TEST_BOT:
        column = _find_stack(rules, own, other, full)
        if column >= 0:
            return column
    return _choose_at_random(rules, full, scratch.stream)


@inlined
def column_base(rules: Rules, lineup: Any, seat: int, side: int, mover: int, cell: int) -> Any:
    """Where a disc's column begins in ``lineup.columns``, as the network in *seat* sees it.

    *side* and *mover* are 0 or 1: where the network sits, and who put the disc on *cell*.
    """
    plane = mover ^ (side & lineup.seats[seat, RELATIVE])
    bits = rules.columns * (rules.rows + 1)
    place = 1 + plane * bits + cell
    return lineup.seats[seat, COLUMNS_AT] + place * first_width(lineup, seat)


@inlined
def _choose_by_policy(
    rules: Rules, lineup: Any, seat: int, full: Any, scratch: Any, at: int
) -> Any:
    shape = lineup.shapes[lineup.seats[seat, SHAPE]]
    allowed = ~full & ((ONE << np.uint64(rules.columns)) - ONE)
    base = lineup.seats[seat, WEIGHTS_AT]
    inputs = scratch.ping
    activate_sums(shape, scratch.sums, at, lineup.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, lineup.weights, base, scratch.ping, scratch.pong)
    return pick_output(shape, lineup.weights, base, inputs, allowed)


@inlined
def _choose_by_value(
    rules: Rules,
    lineup: Any,
    seat: int,
    side: int,
    own: Any,
    other: Any,
    full: Any,
    scratch: Any,
    at: int,
) -> Any:
    """The first column that wins at once, else the first whose position has the best value."""
    best = -1
    best_value = np.float32(0.0)
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        bit = drop(own | other, column, rules)
        if has_line(own | bit, rules):
            return column
        value = _value_after(rules, lineup, seat, side, bit, scratch, at)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@inlined
def _value_after(
    rules: Rules, lineup: Any, seat: int, side: int, bit: Any, scratch: Any, at: int
) -> Any:
    shape = lineup.shapes[lineup.seats[seat, SHAPE]]
    extra = column_base(rules, lineup, seat, side, side, cell_of(bit))
    base = lineup.seats[seat, WEIGHTS_AT]
    inputs = scratch.ping
    activate_sums(shape, scratch.sums, at, lineup.columns, extra, True, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, lineup.weights, base, scratch.ping, scratch.pong)
    return single_output(shape, lineup.weights, base, inputs)


@inlined
def _find_stack(rules: Rules, own: Any, other: Any, full: Any) -> Any:
    """The first column that tops a stack of own discs one short of a line, else of the other's.

    -1 if there is none.
    """
    answer = -1
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        bit = drop(own | other, column, rules)
        if cell_of(bit) - column * (rules.rows + 1) < rules.connect - 1:
            continue
        stack = np.uint64(0)
        for below_top in range(1, rules.connect):
            stack |= bit >> np.uint64(below_top)
        if own & stack == stack:
            return column
        if answer < 0 and other & stack == stack:
            answer = column
    return answer


@inlined
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, rules.columns)
        if not (full >> np.uint64(column)) & ONE:
            return column


@inlined
def _sum_position(
    rules: Rules, lineup: Any, seat: int, side: int, own: Any, other: Any, scratch: Any
) -> None:
    width = first_width(lineup, seat)
    start_sums(scratch.sums, 0, lineup.columns, lineup.seats[seat, COLUMNS_AT], width)
    for cell in range(rules.columns * (rules.rows + 1)):
        bit = ONE << np.uint64(cell)
        mover = -1
        if own & bit:
            mover = side
        elif other & bit:
            mover = 1 - side
        if mover >= 0:
            base = column_base(rules, lineup, seat, side, mover, cell)
            add_column(scratch.sums, 0, lineup.columns, base, width)


@compiled
def decide(rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any) -> Any:
    """The column that the first player of *lineup* chooses; arguments as in `choose_move`."""
    full = full_columns(own | other, rules)
    if lineup.seats[0, KIND] == NETWORK:
        _sum_position(rules, lineup, 0, side, own, other, scratch)
    return choose_move(rules, lineup, 0, side, own, other, full, scratch, 0)


@compiled
def value_moves(
    rules: Rules, lineup: Any, side: int, own: Any, other: Any, scratch: Any, values: Any
) -> None:
    """Puts a value network's opinion of each open column into *values* (``float32``)."""
    full = full_columns(own | other, rules)
    _sum_position(rules, lineup, 0, side, own, other, scratch)
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            bit = drop(own | other, column, rules)
            values[column] = _value_after(rules, lineup, 0, side, bit, scratch, 0)
