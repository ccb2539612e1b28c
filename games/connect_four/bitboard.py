"""The rules of Connect Four, compiled, on bitboards: any board up to 64 cells.

Bit ``column * (rows + 1) + row`` is a cell, row 0 at the bottom. Each column has one more
bit on top that stays empty, so that lines cannot run from one column into the next.
Columns are numbered from 0, left to right.

Where that takes more than 64 bits, or the second player may STEAL, rules are :class:`TightRules`:
bit ``column * rows + row`` is a cell, and masks keep lines within columns. Numba compiles all code
once for each type of rules, so the usual board's code knows nothing of this. The move STEAL has
the number that the next column would have, as if it were a disc on the first bit behind the board.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba.core import types

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined, instruction
from evolve_arena.core.game import Option

ONE = np.uint64(1)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


class Rules(NamedTuple):
    """The size of the board and of a line, as compiled code takes it."""

    columns: Annotated[int, Option(1, 32)] = 7
    """Columns of the board."""
    rows: Annotated[int, Option(1, 63)] = 6
    """Rows of the board, which has 64 cells at most."""
    connect: Annotated[int, Option(2, 63)] = 4
    """How many discs in a row win."""
    steal: Annotated[int, Option(0, 1)] = 0
    """Whether the second player's first action may be STEAL: the one disc on the board becomes
    his own. Such a board has 63 cells at most."""

    @property
    def height(self) -> int:
        """How many bits a column has."""
        return self.rows + 1

    @property
    def moves(self) -> int:
        """How many numbers moves have: the columns, and the last one for STEAL."""
        return self.columns + self.steal


class TightRules(Rules):
    """Rules of a board without spare bits, or with STEAL."""

    @property
    def height(self) -> int:
        """How many bits a column has."""
        return self.rows


def make_rules(columns: int = 7, rows: int = 6, connect: int = 4, steal: int = 0) -> Rules:
    """The rules as the type for which compiled code plays them."""
    tight = steal or columns * (rows + 1) > 64
    return (TightRules if tight else Rules)(columns, rows, connect, steal)


@instruction
def is_tight(typing: Any, rules: Any) -> Any:
    """Whether rules are :class:`TightRules`: known when code is compiled."""
    tight = issubclass(rules.instance_class, TightRules)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.boolean, tight)

    return types.boolean(rules), generate


@inlined
def column_height(rules: Rules) -> Any:
    """How many bits a column has."""
    if is_tight(rules):
        return rules.rows
    return rules.rows + 1


@inlined
def count_moves(rules: Rules) -> Any:
    """How many numbers moves have: the columns, and the last one for STEAL."""
    if is_tight(rules):
        return rules.columns + rules.steal
    return rules.columns


@inlined
def hide_steal(rules: Rules, side: int, own: Any, full: Any) -> Any:
    """*full*, with the bit of STEAL as if it were a full column, unless *side* may play it now."""
    if is_tight(rules) and (not rules.steal or side == 0 or own):
        return full | (ONE << np.uint64(rules.columns))
    return full


@inlined
def may_steal(rules: Rules, full: Any) -> Any:
    """Whether STEAL is not hidden in *full*."""
    return is_tight(rules) and not (full >> np.uint64(rules.columns)) & ONE


@inlined
def steal_bit(rules: Rules) -> Any:
    """The bit that stands for STEAL among cells; :func:`column_of` gives its number."""
    return ONE << np.uint64(rules.columns * rules.rows)


@inlined
def bottom_cells(rules: Rules) -> Any:
    """The lowest cell of each column."""
    height = np.uint64(column_height(rules))
    cells = ONE
    for _ in range(1, rules.columns):
        cells = (cells << height) | ONE
    return cells


@inlined
def board_cells(rules: Rules, bottom: Any) -> Any:
    """All cells."""
    return (bottom << np.uint64(rules.rows)) - bottom


@inlined
def free_cells(rules: Rules, bottom: Any, discs: Any) -> Any:
    """Where a disc may come to lie."""
    if is_tight(rules):
        return ~discs & ((discs << ONE) | bottom) & board_cells(rules, bottom)
    return (discs + bottom) & board_cells(rules, bottom)


@inlined
def drop(discs: Any, column: int, rules: Rules) -> Any:
    """The bit on which a disc comes to lie in *column*, which must not be full.

    *discs* are those of both players.
    """
    height = column_height(rules)
    shift = np.uint64(column * height)
    whole = ALL_BITS >> np.uint64(64 - height)
    return (discs + (ONE << shift)) & (whole << shift)


@inlined
def has_line(discs: Any, rules: Rules) -> Any:
    """Whether the *discs* of one player hold ``connect`` in a row, in any direction."""
    if is_tight(rules):
        return _has_line_within(discs, rules)
    height = np.uint64(rules.rows + 1)
    vertical = _runs(discs, ONE, rules.connect)
    if rules.columns < rules.connect:  # other lines do not fit, and their shifts not into a word
        return vertical != np.uint64(0)
    horizontal = _runs(discs, height, rules.connect)
    rising = _runs(discs, height + ONE, rules.connect)
    falling = _runs(discs, height - ONE, rules.connect)
    return (vertical | horizontal | rising | falling) != np.uint64(0)


@inlined
def _has_line_within(discs: Any, rules: Rules) -> Any:
    """The same for tight boards: lines that go up or down begin where they have room."""
    height = np.uint64(rules.rows)
    low = _low_cells(rules)
    found = _runs(discs, ONE, rules.connect) & low
    if rules.columns < rules.connect:
        return found != np.uint64(0)
    found |= _runs(discs, height, rules.connect)
    if rules.rows >= rules.connect:
        found |= _runs(discs, height + ONE, rules.connect) & low
        high = low << np.uint64(rules.connect - 1)
        found |= _runs(discs, height - ONE, rules.connect) & high
    return found != np.uint64(0)


@inlined
def _low_cells(rules: Rules) -> Any:
    """The cells above which there are at least ``connect`` - 1 others."""
    if rules.rows < rules.connect:
        return np.uint64(0)
    bottom = bottom_cells(rules)
    return (bottom << np.uint64(rules.rows - rules.connect + 1)) - bottom


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
    if is_tight(rules):
        return free_cells(rules, bottom_cells(rules), discs)
    height = np.uint64(rules.rows + 1)
    bottom = ONE
    for _ in range(1, rules.columns):
        bottom = (bottom << height) | ONE
    return (discs + bottom) & ~(bottom << np.uint64(rules.rows))


@inlined
def stack_tops(discs: Any, rules: Rules) -> Any:
    """The cells, free or not, on top of *discs* that stand one short of a line."""
    stacks = _runs(discs, ONE, rules.connect - 1)
    if is_tight(rules):
        stacks &= _low_cells(rules)
    return stacks << np.uint64(rules.connect - 1)


@inlined
def winning_cells(discs: Any, rules: Rules) -> Any:
    """The cells, free or not, on or off the board, where one more disc completes a line."""
    cells = stack_tops(discs, rules)
    if is_tight(rules):
        if rules.columns >= rules.connect:
            cells |= _gaps_within(discs, rules)
    elif rules.columns >= rules.connect:
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
def _gaps_within(discs: Any, rules: Rules) -> Any:
    """The same for tight boards, in all three directions that run across columns."""
    height = np.uint64(rules.rows)
    bottom = bottom_cells(rules)
    board = board_cells(rules, bottom)
    above = board ^ bottom
    below = board ^ (bottom << np.uint64(rules.rows - 1))
    connect = rules.connect
    cells = _gaps_where(discs, height, connect, board, board)
    cells |= _gaps_where(discs, height + ONE, connect, above, below)
    return cells | _gaps_where(discs, height - ONE, connect, below, above)


@inlined
def _gaps_where(discs: Any, step: Any, connect: int, low: Any, high: Any) -> Any:
    """What :func:`_gaps` gives within a board.

    Only cells of *low* have another one *step* bits below them, only those of *high* one above.
    """
    cells = np.uint64(0)
    for below in range(connect):
        run, lower, upper = ALL_BITS, discs, discs
        for place in range(1, connect):
            if place <= below:
                lower = (lower << step) & low
                run &= lower
            else:
                upper = (upper >> step) & high
                run &= upper
        cells |= run
    return cells


@inlined
def mark_if_full(full: Any, bit: Any, column: int, rules: Rules) -> Any:
    """*full* (bit c: column c is full), after a disc came to lie on *bit* in *column*."""
    top = np.uint64(column * column_height(rules) + rules.rows - 1)
    return full | (((bit >> top) & ONE) << np.uint64(column))


@inlined
def cell_of(bit: Any) -> Any:
    """The number of the one set bit."""
    return lowest_bit(bit)


@inlined
def column_of(bits: Any, rules: Rules) -> Any:
    """The column of the lowest of the set *bits*."""
    return lowest_bit(bits) // column_height(rules)


@inlined
def all_cells(rules: Rules) -> Any:
    """How many discs fill the board."""
    return rules.columns * rules.rows


@inlined
def is_full(rules: Rules, plies: int, discs: Any) -> Any:
    """Whether *discs* fill the board, after so many *plies*."""
    if is_tight(rules):
        return discs == board_cells(rules, bottom_cells(rules))
    return plies == all_cells(rules)


@compiled
def full_columns(discs: Any, rules: Rules) -> Any:
    """Bit c: column c is full."""
    full = np.uint64(0)
    for column in range(rules.columns):
        top = np.uint64(column * column_height(rules) + rules.rows - 1)
        full |= ((discs >> top) & ONE) << np.uint64(column)
    return full


@compiled
def count_sequences(own: Any, other: Any, rules: Rules, depth: int) -> Any:
    """The number of move sequences of *depth* plies that a game may begin with from here.

    *own* are the discs of the player to move. A game that ends earlier counts for none. Nobody
    may STEAL any more.
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
