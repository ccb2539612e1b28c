"""The rules of Connect Four, compiled, on bitboards: any board up to 64 bits.

Bit ``column * (rows + 1) + row`` is a cell, row 0 at the bottom. Each column has one more
bit on top that stays empty, so that lines cannot run from one column into the next.
Columns are numbered from 0, left to right.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.game import Option

ONE = np.uint64(1)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


class Rules(NamedTuple):
    """The size of the board and of a line, as compiled code takes it."""

    columns: Annotated[int, Option(1, 32)] = 7
    """Columns of the board."""
    rows: Annotated[int, Option(1, 63)] = 6
    """Rows of the board; the board with a spare row must fit 64 bits."""
    connect: Annotated[int, Option(2, 63)] = 4
    """How many discs in a row win."""


@inlined
def drop(discs: Any, column: int, rules: Rules) -> Any:
    """The bit on which a disc comes to lie in *column*, which must not be full.

    *discs* are those of both players.
    """
    shift = np.uint64(column * (rules.rows + 1))
    whole = ALL_BITS >> np.uint64(63 - rules.rows)
    return (discs + (ONE << shift)) & (whole << shift)


@inlined
def has_line(discs: Any, rules: Rules) -> Any:
    """Whether the *discs* of one player hold ``connect`` in a row, in any direction."""
    height = np.uint64(rules.rows + 1)
    vertical = _runs(discs, ONE, rules.connect)
    if rules.columns < rules.connect:  # other lines do not fit, and their shifts not into a word
        return vertical != np.uint64(0)
    horizontal = _runs(discs, height, rules.connect)
    rising = _runs(discs, height + ONE, rules.connect)
    falling = _runs(discs, height - ONE, rules.connect)
    return (vertical | horizontal | rising | falling) != np.uint64(0)


@inlined
def _runs(discs: Any, step: Any, connect: int) -> Any:
    """The lowest cell of every run of *connect* discs, *step* bits apart, by doubling."""
    if connect == 4:
        pairs = discs & (discs >> step)
        return pairs & (pairs >> (step + step))
    length = 1
    while length < connect:
        longer = min(length, connect - length)
        discs = discs & (discs >> (step * np.uint64(longer)))
        length += longer
    return discs


@inlined
def landing_cells(discs: Any, rules: Rules) -> Any:
    """Where a disc may come to lie: one bit for each column that is not full."""
    height = np.uint64(rules.rows + 1)
    bottom = ONE
    for _ in range(1, rules.columns):
        bottom = (bottom << height) | ONE
    return (discs + bottom) & ~(bottom << np.uint64(rules.rows))


@inlined
def stack_tops(discs: Any, rules: Rules) -> Any:
    """The cells, free or not, on top of *discs* that stand one short of a line."""
    return _runs(discs, ONE, rules.connect - 1) << np.uint64(rules.connect - 1)


@inlined
def winning_cells(discs: Any, rules: Rules) -> Any:
    """The cells, free or not, on or off the board, where one more disc completes a line."""
    cells = stack_tops(discs, rules)
    if rules.columns >= rules.connect:
        height = np.uint64(rules.rows + 1)
        cells |= _gaps(discs, height, rules.connect)
        cells |= _gaps(discs, height + ONE, rules.connect)
        cells |= _gaps(discs, height - ONE, rules.connect)
    return cells


@inlined
def _gaps(discs: Any, step: Any, connect: int) -> Any:
    """Where one disc makes a run of *connect*, *step* bits apart, whichever place is its own."""
    if connect == 4:
        low, high = discs << step, discs >> step
        two_low, two_high = low & (low << step), high & (high >> step)
        three_low, three_high = low << (step + step), high >> (step + step)
        return (two_low & (three_low | high)) | (two_high & (three_high | low))
    cells = np.uint64(0)
    for below in range(connect):
        run = ALL_BITS
        for place in range(connect):
            if place < below:
                run &= discs << (step * np.uint64(below - place))
            elif place > below:
                run &= discs >> (step * np.uint64(place - below))
        cells |= run
    return cells


@inlined
def mark_if_full(full: Any, bit: Any, column: int, rules: Rules) -> Any:
    """*full* (bit c: column c is full), after a disc came to lie on *bit* in *column*."""
    top = np.uint64(column * (rules.rows + 1) + rules.rows - 1)
    return full | (((bit >> top) & ONE) << np.uint64(column))


@inlined
def cell_of(bit: Any) -> Any:
    """The number of the one set bit."""
    return lowest_bit(bit)


@inlined
def column_of(bits: Any, rules: Rules) -> Any:
    """The column of the lowest of the set *bits*."""
    return lowest_bit(bits) // (rules.rows + 1)


@inlined
def all_cells(rules: Rules) -> Any:
    """How many discs fill the board."""
    return rules.columns * rules.rows


@compiled
def full_columns(discs: Any, rules: Rules) -> Any:
    """Bit c: column c is full."""
    full = np.uint64(0)
    for column in range(rules.columns):
        top = np.uint64(column * (rules.rows + 1) + rules.rows - 1)
        full |= ((discs >> top) & ONE) << np.uint64(column)
    return full


@compiled
def count_sequences(own: Any, other: Any, rules: Rules, depth: int) -> Any:
    """The number of move sequences of *depth* plies that a game may begin with from here.

    *own* are the discs of the player to move. A game that ends earlier counts for none.
    """
    if depth == 0:
        return 1
    if has_line(other, rules):
        return 0
    total = 0
    discs = own | other
    full = full_columns(discs, rules)
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            if depth == 1:
                total += 1
            else:
                total += count_sequences(other, own | drop(discs, column, rules), rules, depth - 1)
    return total
