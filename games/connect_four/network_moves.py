"""How a network chooses a column of Connect Four by its head, and what it thinks of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_height,
    column_of,
    count_moves,
    drop,
    is_tight,
    landing_cells,
    winning_cells,
)
from evolve_arena.games.connect_four.graph_moves import seat_graph, show_disc, value_disc
from evolve_arena.games.connect_four.tuple_moves import (
    seat_tuples,
    show_disc_to_tuples,
    value_disc_by_tuples,
)
from evolve_arena.games.connect_four.workspace import (
    ACTION,
    CACHE_ACTIONS_AT,
    CACHE_ACTIVATION,
    CACHE_DEPTH,
    CACHE_DISCS_AT,
    CACHE_FIELDS,
    CACHE_HEAD,
    CACHE_KIND,
    CACHE_LAYERS,
    CACHE_LINES_AT,
    CACHE_NOISE,
    CACHE_PLAYER,
    CACHE_SHAPE,
    CACHE_SIDE,
    CACHE_SUMS_AT,
    CACHE_TAKES_WINS,
    CACHE_UNITS,
    CACHE_WEIGHTS_AT,
    CACHE_WIDTH,
    DEPTH,
    HEAD,
    MINIMAX,
    POLICY,
    RELATIVE,
    TABLES,
    TAKES_WINS,
    VALUE,
    WIDTH_OF_GRAPHS,
)
from evolve_arena.genomes.network import (
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
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.packed import (
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


@inlined
def choose_by_network(
    rules: Rules, packed: Any, cache: int, own: Any, other: Any, full: Any, workspace: Any
) -> Any:
    """The column that the network of a *cache* drops a disc into.

    The arguments are those of :func:`evolve_arena.games.connect_four.kernel.choose_move`.
    """
    head = peek(workspace.caches, cache + CACHE_HEAD)
    if HAS_POLICIES and head == POLICY:
        return _choose_by_policy(rules, packed, cache, full, workspace)
    if HAS_ACTIONS and head == ACTION:
        return _choose_by_action(rules, packed, cache, full, workspace)
    if HAS_VALUES:
        return _choose_by_value(rules, packed, cache, own, other, full, workspace)
    return -1


@inlined
def _choose_by_policy(rules: Rules, packed: Any, cache: int, full: Any, workspace: Any) -> Any:
    caches = workspace.caches
    allowed = ~full & ((ONE << np.uint64(count_moves(rules))) - ONE)
    at = peek(caches, cache + CACHE_SUMS_AT)
    base = peek(caches, cache + CACHE_WEIGHTS_AT)
    if not HAS_DEEP or peek(caches, cache + CACHE_LAYERS) == 2:
        kind = peek(caches, cache + CACHE_ACTIVATION)
        units = peek(caches, cache + CACHE_UNITS)
        return shallow_pick(
            kind, units, workspace.sums, at, packed.weights, base, workspace.ping, allowed
        )
    shape = packed.shapes[peek(caches, cache + CACHE_SHAPE)]
    inputs = workspace.ping
    activate_sums(shape, workspace.sums, at, packed.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, packed.weights, base, workspace.ping, workspace.pong)
    return pick_output(shape, packed.weights, base, inputs, allowed)


@inlined
def _choose_by_value(
    rules: Rules, packed: Any, cache: int, own: Any, other: Any, full: Any, workspace: Any
) -> Any:
    """The first column whose position has the best value; a winning one, if it takes wins."""
    discs = own | other
    if peek(workspace.caches, cache + CACHE_TAKES_WINS):
        wins = winning_cells(own, rules) & landing_cells(discs, rules)
        if wins:
            return column_of(wins, rules)
    best = -1
    best_value = np.float32(0.0)
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_disc_by_network(packed, cache, cell_of(drop(discs, column, rules)), workspace)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@inlined
def _choose_by_action(rules: Rules, packed: Any, cache: int, full: Any, workspace: Any) -> Any:
    """The first column of the best value."""
    best = -1
    best_value = np.float32(0.0)
    for column in range(count_moves(rules)):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_column(packed, cache, column, workspace)
        if best < 0 or value > best_value:
            best = column
            best_value = value
    return best


@inlined
def value_disc_by_network(packed: Any, cache: int, cell: int, workspace: Any) -> Any:
    """The output with one more own disc, on *cell*."""
    caches = workspace.caches
    discs_at = peek(caches, cache + CACHE_DISCS_AT + peek(caches, cache + CACHE_SIDE))
    extra = discs_at + cell * peek(caches, cache + CACHE_WIDTH)
    return _output_with(packed, cache, extra, workspace)


@inlined
def value_column(packed: Any, cache: int, column: int, workspace: Any) -> Any:
    """The output of an action network with the number of that *column* as its last input."""
    caches = workspace.caches
    extra = peek(caches, cache + CACHE_ACTIONS_AT) + column * peek(caches, cache + CACHE_WIDTH)
    return _output_with(packed, cache, extra, workspace)


@inlined
def _output_with(packed: Any, cache: int, extra: Any, workspace: Any) -> Any:
    """The only output, if the column that begins at ``packed.columns[extra]`` counts as well."""
    caches = workspace.caches
    at = peek(caches, cache + CACHE_SUMS_AT)
    base = peek(caches, cache + CACHE_WEIGHTS_AT)
    width = peek(caches, cache + CACHE_WIDTH)
    if not HAS_DEEP or peek(caches, cache + CACHE_LAYERS) == 2:
        kind = peek(caches, cache + CACHE_ACTIVATION)
        return shallow_output(
            kind, width, workspace.sums, at, packed.columns, extra, packed.weights, base
        )
    shape = packed.shapes[peek(caches, cache + CACHE_SHAPE)]
    inputs = workspace.ping
    activate_sums(shape, workspace.sums, at, packed.columns, extra, True, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, packed.weights, base, workspace.ping, workspace.pong)
    return single_output(shape, packed.weights, base, inputs)


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


@inlined
def init_player(rules: Rules, packed: Any, player: int, workspace: Any, slot: int) -> None:
    """Seats the *player*, a row of the packed players, on a *slot* before an empty board."""
    caches = workspace.caches
    cache = slot * CACHE_FIELDS
    side = slot & 1
    kind = packed.seats[player, KIND]
    poke(caches, cache + CACHE_KIND, kind)
    poke(caches, cache + CACHE_NOISE, packed.seats[player, NOISE])
    poke(caches, cache + CACHE_SIDE, side)
    poke(caches, cache + CACHE_WIDTH, 0)
    if is_tight(rules):
        poke(caches, cache + CACHE_PLAYER, player)
    if HAS_NETWORKS and kind == NETWORK:
        row = packed.seats[player, SHAPE]
        units = packed.shapes[row, SIZES + 1]
        width = padded(units)
        sums_at = slot * (workspace.sums.shape[0] // (2 * TABLES))
        columns_at = packed.seats[player, COLUMNS_AT]
        plane = side & packed.seats[player, RELATIVE]
        bits = rules.columns * column_height(rules)
        poke(caches, cache + CACHE_HEAD, packed.seats[player, HEAD])
        poke(caches, cache + CACHE_SHAPE, row)
        poke(caches, cache + CACHE_LAYERS, packed.shapes[row, LAYERS])
        poke(caches, cache + CACHE_ACTIVATION, packed.shapes[row, ACTIVATION])
        poke(caches, cache + CACHE_UNITS, units)
        poke(caches, cache + CACHE_WIDTH, width)
        poke(caches, cache + CACHE_SUMS_AT, sums_at)
        poke(caches, cache + CACHE_WEIGHTS_AT, packed.seats[player, WEIGHTS_AT])
        poke(caches, cache + CACHE_DISCS_AT, columns_at + (1 + plane * bits) * width)
        poke(caches, cache + CACHE_DISCS_AT + 1, columns_at + (1 + (1 ^ plane) * bits) * width)
        poke(caches, cache + CACHE_TAKES_WINS, packed.seats[player, TAKES_WINS])
        poke(caches, cache + CACHE_ACTIONS_AT, columns_at + (1 + 2 * bits) * width)
        start_sums(workspace.sums, sums_at, packed.columns, columns_at, width)
    elif HAS_GRAPHS and kind == GRAPH:
        seat_graph(rules, packed, player, workspace, slot)
    elif HAS_TUPLES and kind == TUPLES:
        seat_tuples(packed, player, workspace, slot)
    elif HAS_SEARCHES and kind == MINIMAX:
        poke(caches, cache + CACHE_DEPTH, packed.seats[player, DEPTH])
        poke(caches, cache + CACHE_LINES_AT, packed.seats[player, COLUMNS_AT])


@inlined
def see_disc(packed: Any, workspace: Any, slot: int, mover: int, cell: int) -> None:
    """Tells the player on *slot* that *mover* (0: who began) put a disc on *cell*."""
    caches = workspace.caches
    cache = slot * CACHE_FIELDS
    width = peek(caches, cache + CACHE_WIDTH)
    if HAS_NETWORKS and width > 0:
        base = peek(caches, cache + CACHE_DISCS_AT + mover) + cell * width
        add_column(workspace.sums, peek(caches, cache + CACHE_SUMS_AT), packed.columns, base, width)
    elif HAS_GRAPHS and width == WIDTH_OF_GRAPHS:
        show_disc(packed, workspace, cache, mover, cell)
    elif HAS_TUPLES and width:
        show_disc_to_tuples(packed, workspace, cache, mover, cell)


@inlined
def begin_match(
    rules: Rules, packed: Any, side: int, own: Any, other: Any, workspace: Any, going_on: bool
) -> None:
    """Seats the packed players' first player at the first table, before a board with discs.

    A player who is *going_on* sits there already and has seen some of them; only graphs, to
    whom it makes no difference to see a disc again, may do that.
    """
    if not going_on:
        init_player(rules, packed, 0, workspace, side)
    for cell in range(rules.columns * column_height(rules)):
        bit = ONE << np.uint64(cell)
        if own & bit:
            see_disc(packed, workspace, side, side, cell)
        elif other & bit:
            see_disc(packed, workspace, side, 1 - side, cell)


@inlined
def prefers_steal(
    rules: Rules, packed: Any, slot: int, disc: Any, full: Any, workspace: Any
) -> Any:
    """Whether who values positions thinks more of STEAL than of each column.

    The player on *slot* has seen the only *disc*, the first player's. What it is worth to own that
    one is what a disc on its cell is worth on the empty board. Others choose otherwise: False.
    """
    cache = slot * CACHE_FIELDS
    kind = peek(workspace.caches, cache + CACHE_KIND)
    is_network = HAS_NETWORKS and kind == NETWORK
    is_graph = HAS_GRAPHS and kind == GRAPH
    if is_network or is_graph:
        if peek(workspace.caches, cache + CACHE_HEAD) != VALUE:
            return False
    elif not (HAS_TUPLES and kind == TUPLES):
        return False
    init_player(rules, packed, peek(workspace.caches, cache + CACHE_PLAYER), workspace, slot)
    stolen = value_cell(packed, cache, cell_of(disc), workspace)
    see_disc(packed, workspace, slot, 0, cell_of(disc))
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE and not stolen > value_cell(
            packed, cache, cell_of(drop(disc, column, rules)), workspace
        ):
            return False
    return True


@inlined
def value_cell(packed: Any, cache: int, cell: int, workspace: Any) -> Any:
    """What a player who values positions thinks of an own disc on *cell*, whatever its kind."""
    kind = peek(workspace.caches, cache + CACHE_KIND)
    value: Any = 0.0
    if HAS_GRAPHS and kind == GRAPH:
        value = value_disc(packed, cache, cell, workspace)
    elif HAS_TUPLES and kind == TUPLES:
        value = value_disc_by_tuples(packed, cache, cell, workspace) / RESOLUTION
    elif HAS_VALUES and kind == NETWORK:
        value = np.float64(value_disc_by_network(packed, cache, cell, workspace))
    return value
