"""How each kind of compiled player sits down to Connect Four, and sees discs."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import internal
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.graph_seat import seat_graph, show_disc
from evolve_arena.games.connect_four.tuple_seat import seat_tuples, show_disc_to_tuples
from evolve_arena.games.connect_four.workspace import (
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
    RELATIVE,
    TABLES,
    TAKES_WINS,
    WIDTH_OF_GRAPHS,
)
from evolve_arena.genomes.network import ACTIVATION, LAYERS, SIZES, add_column, padded, start_sums
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
