"""How each kind of compiled player chooses a column of Connect Four.

The match kernel and the Python classes call the same functions, so a player moves alike in
both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, internal
from evolve_arena.core.stream import below, next_word
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_of,
    drop,
    full_columns,
    landing_cells,
    stack_tops,
    winning_cells,
)
from evolve_arena.games.connect_four.graph_seat import (
    keep_trial,
    pick_open_output,
    remember_best,
    value_disc,
)
from evolve_arena.games.connect_four.network_seat import (
    HAS_GRAPHS,
    HAS_NETWORKS,
    HAS_SEARCHES,
    HAS_TEST_BOTS,
    HAS_TUPLES,
    choose_by_network,
    sit_down,
)
from evolve_arena.games.connect_four.search import find_best
from evolve_arena.games.connect_four.tuple_seat import pick_by_tuples
from evolve_arena.games.connect_four.workspace import (
    CARD_DEPTH,
    CARD_FIELDS,
    CARD_HEAD,
    CARD_KIND,
    CARD_LINES_AT,
    CARD_NOISE,
    MINIMAX,
    POLICY,
)
from evolve_arena.genomes.simd import peek
from evolve_arena.players.lineup import GRAPH, NETWORK, RANDOM, TUPLES

ONE = np.uint64(1)


@internal
def choose_move(  # noqa: PLR0911  (one for each kind)
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
    if HAS_NETWORKS and kind == NETWORK:
        return choose_by_network(rules, lineup, card, own, other, full, scratch)
    if HAS_GRAPHS and kind == GRAPH:
        return _choose_by_graph(rules, lineup, card, own, other, full, scratch)
    if HAS_TUPLES and kind == TUPLES:
        return _choose_by_tuples(rules, lineup, card, own, other, scratch)
    if HAS_SEARCHES and kind == MINIMAX:
        return _choose_by_search(rules, lineup, card, own, other, scratch, stream)
    if HAS_TEST_BOTS:
        return _choose_by_stack(rules, own, other, full, stream)
    return _choose_at_random(rules, full, stream)


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
    sit_down(rules, lineup, side, own, other, scratch, going_on)
    return choose_move(rules, lineup, side, own, other, full, scratch)


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
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, rules.columns)
        if not (full >> np.uint64(column)) & ONE:
            return column
