"""Values of states by evolved and learned players: outputs of networks, sums of tuples.

A player's observation is kept in a *slot*, the number of its seat, and updated incrementally. A
player that searches has more slots, from MIRROR on: a pair for each level of the search. In games
of chance there is one pair: the state after the other player's move is valued as observed from that
seat, since players are trained to value afterstates as observed by the player who moved.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.dense import (
    activate_first,
    add_inputs,
    add_row,
    add_some_inputs,
    later_layers_at,
    start_first,
)
from evolve_arena.genomes.neat.graph import run_graph
from evolve_arena.genomes.network import (
    ACTIVATION,
    LAYERS,
    RESOLUTION,
    SIZES,
    UNIT,
    activate,
    activate_sums,
    evaluate_hidden,
    padded,
    shallow_output,
    single_output,
    start_sums,
)
from evolve_arena.genomes.simd import (
    LANES,
    add,
    add_int,
    follow_reference,
    halve_sum,
    load,
    load_int,
    multiply,
    peek,
    poke,
    scale_int,
    spread,
    store,
    store_int,
    to_float,
)
from evolve_arena.genomes.tuple_entries import (
    AGAIN,
    BY_SEAT,
    ENTRIES,
    STAGES,
    TURNS,
    count_entries,
    find_table,
    note_change,
    start_readings,
    sum_entries,
    weigh_change,
)
from evolve_arena.players.board.rules import (
    HAS_CHANCE,
    HAS_CHANGES,
    HAS_DESCRIBE_MOVE,
    HAS_FEATURES,
    MOVE_FEATURE_COUNT,
    MOVES,
    SEATS,
    SEEN,
    SEES_CELLS,
    Vector,
    add_columns,
    count_features,
    count_of_move,
    features_at,
    find_changes,
    follow,
    list_bits,
    list_changes,
    look,
    move_features_at,
    moves_again,
    turn_page,
)
from evolve_arena.players.board.workspace import (
    ACTION,
    BINS,
    DENSE,
    ENCODING,
    FEATURES,
    HEAD,
    INPUTS,
    SETTING,
    SLOTS,
    BoardWorkspace,
)
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    INPUTS_AT,
    KIND,
    NETWORK,
    NUMBERS_AT,
    SHAPE,
    TUPLES,
    WEIGHTS_AT,
    PackedPlayers,
)

HAS_POLICIES = True
HAS_VALUES = True
HAS_GRAPHS = True
HAS_TUPLES = True
HAS_DENSE = True
HAS_DEEP_VALUES = True
HAS_LAYERS = True
HAS_OUTPUTS = True
HAS_ACTIONS = True
HAS_KIND_PLAYERS = True
HAS_DENSE_VALUES = True
HAS_DENSE_SIGHT = True
"""True, in this order, if any player is a policy network, a value network, a graph, a tuple network
or a dense network; if any gives a search the values of leaves; if any network has no hidden layer
or more than one; if any network or graph has an output for each move or each kind of moves, values
described moves, or chooses kinds; and if any dense network or graph values states, or observes
planes. Copies compiled for other players have False."""
HAS_NETWORKS = HAS_POLICIES or HAS_VALUES
HAS_SUMS = HAS_NETWORKS or HAS_TUPLES
WEIGHS_MOVES = HAS_ACTIONS and HAS_DESCRIBE_MOVE and (HAS_DENSE or HAS_GRAPHS)

TRIAL = SEATS
"""Slot, after those of the seats, of the state after a tentative move."""
MIRROR = SEATS + 1
LARGEST = 2.0**30 - 1.0
"""Maximum value of a leaf."""


Layer: TypeAlias = "tuple[Array, int, Array]"
"""Shape of a network, index of the weights of a layer, and the inputs of that layer."""


@inlined
def take_slot(
    players: PackedPlayers, player: Integer, slot: Integer, workspace: BoardWorkspace
) -> None:
    """Assign a *player*, a row of the records, to a *slot*, the number of its seat.

    Args:
        players: Packed players.
        player: Row of the player in *players*.
        slot: Number of the seat, or a further slot of a search.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    # Nothing observed yet: all bits 0, and the sums of a network are its biases.
    poke(workspace.players, slot, player)
    if HAS_SUMS:
        for word in range(SEEN):
            poke(workspace.planes, slot * SEEN + word, np.uint64(0))
    kind = players.seats[player, KIND]
    at = slot * slot_size(workspace)
    if HAS_NETWORKS and kind == NETWORK:
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        start_sums(workspace.sums, at, players.columns, players.seats[player, COLUMNS_AT], width)
    elif HAS_TUPLES and kind == TUPLES:
        start_readings(players.columns, players.seats[player, COLUMNS_AT], workspace.sums, at)


@inlined
def seat_of(slot: Integer) -> Integer:
    """Return the seat whose observation a *slot* holds."""
    if HAS_DEEP_VALUES and SEATS == 2 and slot >= MIRROR:
        return (np.int64(slot) - MIRROR) % SEATS
    return np.int64(slot)


@inlined
def slot_at(seat: Integer, level: Integer) -> Integer:
    """Return the slot of the state at a *level* of the search by the player at *seat*."""
    return np.int64(seat) if level == 0 else MIRROR + SEATS * (np.int64(level) - 1) + seat


@inlined
def take_mirror(
    players: PackedPlayers, slot: Integer, state: Position, workspace: BoardWorkspace
) -> None:
    """Let the searching player in a *slot* observe a *state* from the other seat as well.

    For games of chance only.

    Args:
        players: Packed players.
        slot: Slot of the searching player, the number of its seat.
        state: State at the root of the search.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    if HAS_DEEP_VALUES and HAS_CHANCE and SEATS == 2:
        player, mirror = peek(workspace.players, slot), MIRROR + 1 - slot
        take_slot(players, player, mirror, workspace)
        if HAS_SUMS and players.seats[player, KIND] in (NETWORK, TUPLES):
            see_state(players, player, mirror, state, workspace)


@inlined
def slot_size(workspace: BoardWorkspace) -> Integer:
    """Return the number of places for sums in each slot."""
    return workspace.sums.shape[1]


@inlined
def sum_up(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
    source: Integer,
    target: Integer,
    keep: bool,
) -> None:
    """Compute the sums for a *state* from those of the slot's previous observation.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot of the previous observation.
        state: State to observe.
        workspace: See `evolve_arena.players.board.workspace`.
        source: Index of the previous sums.
        target: Index of the new sums.
        keep: True if the new observation replaces the previous one.
    """
    planes, changes = workspace.planes, workspace.changes
    seat = seat_of(slot)
    count = find_changes(workspace.states, state, planes, changes, slot, seat, keep, HAS_TUPLES)
    _add_changes(players, player, count, workspace, source, target)


@inlined
def see_state(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> None:
    """Let the player in a *slot* observe a *state*: update its sums in place.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot of the previous observation, which the new one replaces.
        state: State to observe.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    at = slot * slot_size(workspace)
    reads_tuples = HAS_TUPLES and players.seats[player, KIND] == TUPLES
    if HAS_NETWORKS and not SEES_CELLS and not reads_tuples:
        planes = workspace.planes
        look(workspace.states, state, seat_of(slot), planes, SEATS * SEEN)
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        base = players.seats[player, COLUMNS_AT] + width
        # A block of units at a time stays in a register while all changed bits are added.
        for block in range(0, width, LANES):
            total = load_int(workspace.sums, at + block)
            total = add_columns(planes, slot, players.columns, base + block, width, total)
            store_int(workspace.sums, at + block, total)
        for word in range(SEEN):
            poke(planes, slot * SEEN + word, peek(planes, SEATS * SEEN + word))
    else:  # tuples, and cells, need the list of changes
        sum_up(players, player, slot, state, workspace, at, at, True)


@inlined
def sees_levels(players: PackedPlayers, player: Integer) -> bool:
    """Test whether a searching player has sums, which are kept for each level."""
    if HAS_DEEP_VALUES and HAS_SUMS and not HAS_CHANCE:
        return players.seats[player, KIND] in (NETWORK, TUPLES)
    return False


@inlined
def see_deeper(
    players: PackedPlayers,
    player: Integer,
    seat: Integer,
    level: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> None:
    """Let the searching player at *seat* observe a *state* at *level*; see :func:`slot_at`.

    Args:
        players: Packed players.
        player: Row of the player.
        seat: Seat of the searching player.
        level: Number of moves from the root of the search to the state, 1 or more.
        state: State at that level.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    # The observation above is copied, then updated with the sums.
    above, slot, size = slot_at(seat, level - 1), slot_at(seat, level), slot_size(workspace)
    planes = workspace.planes
    for word in range(SEEN):
        poke(planes, slot * SEEN + word, peek(planes, above * SEEN + word))
    sum_up(players, player, slot, state, workspace, above * size, slot * size, True)


@inlined
def change_deeper(
    players: PackedPlayers,
    player: Integer,
    seat: Integer,
    level: Integer,
    state: Position,
    move: Integer,
    workspace: BoardWorkspace,
) -> None:
    """Compute the sums at *level* after a *move* from those of the *state* one level above.

    Args:
        players: Packed players.
        player: Row of the player.
        seat: Seat of the searching player.
        level: Number of moves from the root of the search, this one included.
        state: State before the move.
        move: Number of a legal move, which is not played.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    count = list_changes(workspace.states, state, move, seat, workspace.changes)
    above, slot, size = slot_at(seat, level - 1), slot_at(seat, level), slot_size(workspace)
    _add_changes(players, player, count, workspace, above * size, slot * size)


@inlined
def _add_changes(
    players: PackedPlayers,
    player: Integer,
    count: Integer,
    workspace: BoardWorkspace,
    source: Integer,
    target: Integer,
) -> None:
    """Add *count* listed changes to the sums at index *source*; write the result to *target*."""
    sums, columns = workspace.sums, players.columns
    if HAS_TUPLES and (not HAS_NETWORKS or players.seats[player, KIND] == TUPLES):
        structure = players.seats[player, COLUMNS_AT]
        if source != target:  # tuples update their table indices in place
            for reading in range(count_entries(columns, structure)):
                poke(sums, target + reading, peek(sums, source + reading))
        for place in range(count):  # of a cleared bit the complement is listed
            change = peek(workspace.changes, place)
            went = change < 0
            note_change(columns, structure, sums, target, np.int64(went), change ^ -np.int64(went))
    elif HAS_NETWORKS:  # the biases come first in the columns
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        base = players.seats[player, COLUMNS_AT] + width
        add_listed(workspace, count, columns, base, width, source, target)


@inlined
def add_listed(
    workspace: BoardWorkspace,
    count: Integer,
    columns: Array,
    base: Integer,
    width: Integer,
    source: Integer,
    target: Integer,
) -> None:
    """Add the columns of *count* listed changes to the sums at *source*; write them to *target*.

    Args:
        workspace: Holds the list in ``changes`` and the sums in ``sums``.
        count: Number of listed changes.
        columns: Weights of the first layers (``int32``), a column for each bit.
        base: Index in *columns* of the column of bit 0.
        width: Number of weights in a column, padded to whole vectors.
        source: Index of the previous sums.
        target: Index of the new sums; it may be *source*.
    """
    changes, sums = workspace.changes, workspace.sums
    for block in range(0, width, LANES):
        total = load_int(sums, source + block)
        total = _add_listed(changes, count, columns, base + block, width, total)
        store_int(sums, target + block, total)


@inlined
def value_move(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    move: Integer,
    workspace: BoardWorkspace,
) -> Number:
    """Return a player's value of a *move* in a *state* that it has observed.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat of the player, whose observation is of *state*.
        state: State before the move.
        move: Number of a legal move.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    kind, trial = players.seats[player, KIND], state
    knows_changes = not (HAS_GRAPHS or HAS_DENSE) or kind in (NETWORK, TUPLES)
    # Without playing the move, if the file lists its changes
    if HAS_CHANGES and (HAS_VALUES or HAS_TUPLES) and knows_changes:
        count = list_changes(workspace.states, state, move, slot, workspace.changes)
        if HAS_TUPLES and kind == TUPLES and knows_turns(players, player):
            trial = follow(workspace.states, 1, state, move)
        return value_changes(players, player, slot, trial, count, workspace)
    trial = follow(workspace.states, 1, state, move)
    return value_state(players, player, slot, trial, workspace)


@inlined
def value_changes(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    trial: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Number:
    """Return a player's value of *trial*, given its *count* listed changes.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot of the observation before the changes.
        trial: Afterstate; read only for tuple networks for which :func:`knows_turns` holds.
        count: Number of changes in ``workspace.changes``, as :func:`list_changes` writes them.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    size = slot_size(workspace)
    _add_changes(players, player, count, workspace, slot * size, TRIAL * size)
    return _value_sums(players, player, slot, trial, workspace, TRIAL * size)


@inlined
def value_state(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    trial: Position,
    workspace: BoardWorkspace,
) -> Number:
    """Return a player's value of an afterstate, *trial*.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot of the player's last observation, which does not change.
        trial: State after the move.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    # Networks and graphs that start from all inputs
    kind = players.seats[player, KIND]
    if HAS_DENSE and kind == DENSE:
        return _value_dense(players, player, slot, trial, workspace)
    if HAS_GRAPHS and (not HAS_SUMS or kind == GRAPH):
        run_player_graph(players, player, slot, trial, workspace)
        return peek(workspace.values, players.seats[player, INPUTS])
    # Networks and tuples that update the sums of their last observation
    if HAS_VALUES or HAS_TUPLES:
        if HAS_VALUES and kind == NETWORK and is_shallow(players, player):
            return _value_shallow(players, player, slot, trial, workspace)
        size = slot_size(workspace)
        sum_up(players, player, slot, trial, workspace, slot * size, TRIAL * size, False)
        return _value_sums(players, player, slot, trial, workspace, TRIAL * size)
    return 0.0


@inlined
def _value_sums(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    trial: Position,
    workspace: BoardWorkspace,
    at: Integer,
) -> Number:
    """Return a player's value of *trial*, whose sums begin at index *at*."""
    value = 0.0
    if HAS_TUPLES and (not HAS_VALUES or players.seats[player, KIND] == TUPLES):
        value = np.float64(_sum_tuples(players, player, slot, trial, workspace, at))
    elif HAS_VALUES:
        shape = players.shapes[players.seats[player, SHAPE]]
        base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
        activate_sums(shape, workspace.sums, at, players.columns, 0, False, inputs)
        if shape[LAYERS] > 2:
            base, inputs = evaluate_hidden(
                shape, players.weights, base, workspace.ping, workspace.pong
            )
        value = np.float64(single_output(shape, players.weights, base, inputs))
    return value


@inlined
def is_shallow(players: PackedPlayers, player: Integer) -> Number:
    """Test whether a player is a value network with one hidden layer, the most common kind."""
    if HAS_VALUES and players.seats[player, KIND] == NETWORK:
        if not HAS_LAYERS:
            return True
        return players.shapes[np.uint64(players.seats[player, SHAPE]), LAYERS] == 2
    return False


@inlined
def find_layers(
    players: PackedPlayers, player: Integer, slot: Integer, workspace: BoardWorkspace
) -> tuple[int, ...]:
    """Read the record of a shallow network, once for all moves.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot that holds the player's observation.
        workspace: See `evolve_arena.players.board.workspace`.

    Returns:
        Activation, padded width of the hidden layer, and the indices of the column of bit 0, of the
        sums, and of the last layer.
    """
    row = np.uint64(players.seats[player, SHAPE])
    width = padded(players.shapes[row, SIZES + 1])
    base = players.seats[player, COLUMNS_AT] + width
    at = slot * slot_size(workspace)
    return players.shapes[row, ACTIVATION], width, base, at, players.seats[player, WEIGHTS_AT]


@inlined
def value_listed(
    players: PackedPlayers, layers: tuple[int, ...], count: Integer, workspace: BoardWorkspace
) -> Number:
    """Return a shallow network's value after *count* listed changes of its observation.

    Args:
        players: Packed players.
        layers: Record of the network, as :func:`find_layers` reads it.
        count: Number of changes in ``workspace.changes``, as :func:`list_changes` writes them.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    sums, changes, columns = workspace.sums, workspace.changes, players.columns
    kind, width, base, at, row = layers
    first = peek(changes, 0)
    if count == 1 and first >= 0:  # the common case: one piece was added
        column = base + width * first
        return np.float64(
            shallow_output(kind, width, sums, at, columns, column, players.weights, row)
        )
    # Hidden units block by block, added up at once with the weights of the output
    output = spread(np.float32(0.0))
    for block in range(0, width, LANES):
        total = load_int(sums, at + block)
        total = _add_listed(changes, count, columns, base + block, width, total)
        value = activate(multiply(to_float(total), spread(UNIT)), kind)
        output = add(output, multiply(value, load(players.weights, row + LANES + block)))
    return np.float64(halve_sum(output) + peek(players.weights, row))


@inlined
def _value_shallow(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    trial: Position,
    workspace: BoardWorkspace,
) -> Number:
    """Return a shallow network's value of *trial*, without storing its sums."""
    planes, columns = workspace.planes, players.columns
    layers = find_layers(players, player, slot, workspace)
    kind, width, base, at, row = layers
    # Several blocks share a list of changes; a single one reads the words of bits.
    if SEES_CELLS or width > LANES:
        states, changes = workspace.states, workspace.changes
        seat = seat_of(slot)
        count = find_changes(states, trial, planes, changes, slot, seat, False, False)
        return value_listed(players, layers, count, workspace)
    # The whole network for a block of hidden units at a time
    look(workspace.states, trial, seat_of(slot), planes, SEATS * SEEN)
    output = spread(np.float32(0.0))
    for block in range(0, width, LANES):
        total = load_int(workspace.sums, at + block)
        total = add_columns(planes, slot, columns, base + block, width, total)
        value = activate(multiply(to_float(total), spread(UNIT)), kind)
        output = add(output, multiply(value, load(players.weights, row + LANES + block)))
    return np.float64(halve_sum(output) + peek(players.weights, row))


@inlined
def _add_listed(
    changes: Array, count: Integer, columns: Array, base: Integer, width: Integer, total: Vector
) -> Vector:
    """Add one vector of the columns of *count* *changes* to *total*."""
    for place in range(count):
        change = peek(changes, place)
        if SEES_CELLS:  # without a branch, which would often be mispredicted
            sign = change >> 63
            column = load_int(columns, base + (change ^ sign) * width)
            total = add_int(total, scale_int(column, np.int32(sign | 1)))
        elif change >= 0:
            total = add_int(total, load_int(columns, base + change * width))
        else:
            column = load_int(columns, base + ~change * width)
            total = add_int(total, scale_int(column, np.int32(-1)))
    return total


@inlined
def knows_turns(players: PackedPlayers, player: Integer) -> Number:
    """Test whether a tuple network has separate weights for positions where it moves again."""
    return peek(players.columns, players.seats[player, COLUMNS_AT] + TURNS) == AGAIN


@inlined
def _find_table(players: PackedPlayers, player: Integer, slot: Integer) -> Integer:
    """Return the index of a tuple network's weights for afterstates of its seat.

    The network has no weights for stages of a game, or for moving again.
    """
    structure, table = players.seats[player, COLUMNS_AT], players.seats[player, INPUTS_AT]
    if peek(players.columns, structure + TURNS) == BY_SEAT:
        table += seat_of(slot) * peek(players.columns, structure + ENTRIES)
    return table


@inlined
def is_tuple_network(players: PackedPlayers, player: Integer) -> bool:
    """Test whether a player is a tuple network whose weights are the same whatever it moves."""
    stages = peek(players.columns, players.seats[player, COLUMNS_AT] + STAGES)
    is_tuples = players.seats[player, KIND] == TUPLES
    return is_tuples and stages == 0 and not knows_turns(players, player)


@inlined
def sum_seen(
    players: PackedPlayers, player: Integer, slot: Integer, workspace: BoardWorkspace
) -> Integer:
    """Return a tuple network's sum for its observation; record the entries it picks.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot that holds the player's observation.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    return sum_entries(
        players.columns,
        players.seats[player, COLUMNS_AT],
        workspace.sums,
        slot * slot_size(workspace),
        players.columns,
        _find_table(players, player, slot),
        workspace.picked,
        np.int64(0),
    )


@inlined
def weigh_bit(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    change: Integer,
    total: Number,
    workspace: BoardWorkspace,
) -> Integer:
    """Return a tuple network's sum after one *change* of the observation with sum *total*.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot of the observation before the change.
        change: Index of the bit if it is set, complement of the index if it is cleared.
        total: Sum by :func:`sum_seen` for the observation before the change.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    went = np.int64(change < 0)
    return weigh_change(
        players.columns,
        players.seats[player, COLUMNS_AT],
        workspace.sums,
        slot * slot_size(workspace),
        went,
        change ^ -went,
        players.columns,
        _find_table(players, player, slot),
        workspace.picked,
        total,
    )


@inlined
def _sum_tuples(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    trial: Position,
    workspace: BoardWorkspace,
    at: Integer,
) -> Integer:
    structure, side = players.seats[player, COLUMNS_AT], np.int64(0)
    turns = peek(players.columns, structure + TURNS)
    if turns == BY_SEAT:
        side += seat_of(slot)
    elif turns == AGAIN:
        side += moves_again(workspace.states, trial, seat_of(slot))
    table = find_table(players.columns, structure, workspace.sums, at, side)
    table += players.seats[player, INPUTS_AT]
    return sum_entries(
        players.columns,
        structure,
        workspace.sums,
        at,
        players.columns,
        table,
        workspace.picked,
        np.int64(0),
    )


@inlined
def run_player_graph(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> None:
    """Activate a graph for a *state*; its outputs follow its inputs in ``values``.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat that observes, or its slot in a search.
        state: State to observe.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    fill_inputs(players, player, slot, state, workspace, workspace.values)
    _run_graph(players, player, workspace)


@inlined
def _run_graph(players: PackedPlayers, player: Integer, workspace: BoardWorkspace) -> None:
    seats, values = players.seats, workspace.values
    structure, numbers = seats[player, COLUMNS_AT], seats[player, NUMBERS_AT]
    rest = values[seats[player, SLOTS] :]
    run_graph(players.columns, structure, players.numbers, numbers, values, 0, 0, rest)


@inlined
def fill_inputs(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
    inputs: Array,
) -> None:
    """Write a player's observation or features of a *state* into *inputs*.

    For graphs and dense networks.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat that observes, or its slot in a search.
        state: State to observe.
        workspace: See `evolve_arena.players.board.workspace`.
        inputs: Array for the inputs (``float32`` or ``float64``), with room for the number in the
            player's record (INPUTS).
    """
    seats, seat = players.seats, seat_of(slot)
    if HAS_FEATURES and seats[player, ENCODING] == FEATURES:
        values, count = workspace.values, _count_numbers(players, player, state, seat, workspace)
        bins = seats[player, BINS]
        if bins == 0:  # the values themselves, rounded to single precision
            for place in range(count):
                poke(inputs, place, np.float32(peek(values, features_at(values) + place)))
            return
        # One-hot encoding: each feature has an input for each of its bins.
        for place in range(seats[player, INPUTS]):
            poke(inputs, place, 0.0)
        for place in range(count):
            poke(inputs, bins * place + _find_bin(workspace, place, bins), 1.0)
    elif HAS_DENSE_SIGHT:
        _fill_sight(players, player, state, seat, workspace, inputs)


@inlined
def _fill_sight(
    players: PackedPlayers,
    player: Integer,
    state: Position,
    seat: Integer,
    workspace: BoardWorkspace,
    inputs: Array,
) -> None:
    """Write the observation of *seat* into *inputs*, for a player without features."""
    # A table leads from each bit to its input and to the number that it adds there.
    table = players.seats[player, INPUTS_AT]
    for place in range(players.seats[player, INPUTS]):
        poke(inputs, place, 0.0)
    for number in range(
        list_bits(workspace.states, state, workspace.planes, workspace.changes, seat)
    ):
        at = table + 2 * peek(workspace.changes, number)
        place = peek(players.columns, at)
        poke(inputs, place, peek(inputs, place) + peek(players.columns, at + 1))


@inlined
def _count_numbers(
    players: PackedPlayers,
    player: Integer,
    state: Position,
    seat: Integer,
    workspace: BoardWorkspace,
) -> Integer:
    """Let the file compute as many features as a player reads; return their number."""
    seats = players.seats
    read = seats[player, INPUTS]
    if HAS_DESCRIBE_MOVE and seats[player, HEAD] == ACTION:
        read -= MOVE_FEATURE_COUNT
    count = read // max(seats[player, BINS], 1)
    setting = seats[player, SETTING]
    notes, values = workspace.notes, workspace.values
    count_features(workspace.states, state, seat, values, count, notes, setting)
    return count


@inlined
def _find_bin(workspace: BoardWorkspace, place: Integer, bins: Integer) -> Integer:
    """Return the bin, from 0 to *bins* - 1, of the value of the feature number *place*."""
    value = peek(workspace.values, features_at(workspace.values) + place)
    return np.int64(min(max(value, 0.0), np.float64(bins - 1)))


# Dense networks, whose inputs are any numbers


@inlined
def _value_dense(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> Number:
    """Return a dense network's value of a *state*."""
    count = np.int64(0)
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        count = _count_numbers(players, player, state, seat_of(slot), workspace)
        if players.shapes[players.seats[player, SHAPE], LAYERS] == 1:
            return _add_up(players, player, count, workspace)
    shape, base, inputs = _run_counted(players, player, slot, state, count, workspace)
    return np.float64(single_output(shape, players.weights, base, inputs))


@inlined
def _add_up(
    players: PackedPlayers, player: Integer, count: Integer, workspace: BoardWorkspace
) -> Number:
    """Return the value of a linear network over *count* features: one sum, in order.

    Features are read one by one, as they were written: a vector load would stall on these stores.
    """
    values, weights, bins = workspace.values, players.weights, players.seats[player, BINS]
    at = players.seats[player, WEIGHTS_AT]
    total, first = peek(weights, at), features_at(values)
    for place in range(count):
        if bins > 0:
            number = bins * place + _find_bin(workspace, place, bins)
            total += peek(weights, at + LANES * (1 + number))
        else:
            weight = peek(weights, at + LANES * (1 + place))
            total += np.float32(peek(values, first + place)) * weight
    return np.float64(total)


@inlined
def run_dense(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> Layer:
    """Run all layers of a dense network but the last one for a *state*.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat that observes, or its slot in a search.
        state: State to observe.
        workspace: See `evolve_arena.players.board.workspace`.

    Returns:
        Shape of the network, index of its last layer, and inputs of that layer.
    """
    count = np.int64(0)
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        count = _count_numbers(players, player, state, seat_of(slot), workspace)
    return _run_counted(players, player, slot, state, count, workspace)


@inlined
def _run_counted(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    count: Integer,
    workspace: BoardWorkspace,
) -> Layer:
    """Run the layers as :func:`run_dense` does, once *count* features are computed."""
    shape, seat = players.shapes[players.seats[player, SHAPE]], seat_of(slot)
    weights, at = players.weights, players.seats[player, WEIGHTS_AT]
    start_first(shape, weights, at, workspace.ping)
    # The first layer: one-hot inputs select rows, other inputs are multiplied.
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        bins = players.seats[player, BINS]
        if bins > 0:
            for place in range(count):
                number = bins * place + _find_bin(workspace, place, bins)
                add_row(shape, weights, at, number, workspace.ping)
        else:  # features are the inputs
            numbers = workspace.values[features_at(workspace.values) :]
            add_inputs(shape, weights, at, numbers, 0, count, workspace.ping, workspace.ping)
    elif HAS_DENSE_SIGHT:  # observed bits are the inputs
        count, inputs = players.seats[player, INPUTS], workspace.outputs[padded(MOVES) :]
        _fill_sight(players, player, state, seat, workspace, inputs)
        add_inputs(shape, weights, at, inputs, 0, count, workspace.ping, workspace.ping)
    return _run_later(players, shape, at, workspace)


@inlined
def _run_later(
    players: PackedPlayers, shape: Array, at: Integer, workspace: BoardWorkspace
) -> Layer:
    """Run the later layers on the sums of the first layer in ``workspace.ping``."""
    base, inputs = later_layers_at(shape, at), workspace.ping
    activate_first(shape, workspace.ping, workspace.ping)
    if shape[LAYERS] > 2:
        weights, pong = players.weights, workspace.pong
        base, inputs = evaluate_hidden(shape, weights, base, workspace.ping, pong)
    return shape, base, inputs


# Action heads: players that value described moves


@inlined
def weighs_moves(players: PackedPlayers, player: Integer) -> bool:
    """Test whether a player values moves by their features (action head)."""
    return WEIGHS_MOVES and players.seats[player, HEAD] == ACTION


@inlined
def look_before(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> None:
    """Compute the part of an action network's first layer that is the same for all moves.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat of the player, which is to move.
        state: State before the moves.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    turn_page(workspace.notes)
    if HAS_GRAPHS and (not HAS_DENSE or players.seats[player, KIND] == GRAPH):
        fill_inputs(players, player, slot, state, workspace, workspace.values)
        return
    inputs = workspace.outputs[padded(MOVES) :]
    sums = workspace.outputs[_sums_at(workspace) :]
    fill_inputs(players, player, slot, state, workspace, inputs)
    shape = players.shapes[players.seats[player, SHAPE]]
    weights, at = players.weights, players.seats[player, WEIGHTS_AT]
    count = players.seats[player, INPUTS] - MOVE_FEATURE_COUNT
    start_first(shape, weights, at, sums)
    add_inputs(shape, weights, at, inputs, 0, count, sums, sums)


@inlined
def _sums_at(workspace: BoardWorkspace) -> Integer:
    """Return the index in ``outputs`` of the first layer's sums by :func:`look_before`."""
    return workspace.outputs.shape[0] - workspace.ping.shape[0]


@inlined
def weigh_move(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    move: Integer,
    workspace: BoardWorkspace,
) -> Number:
    """Return an action network's value of a *move*, after :func:`look_before` of the *state*.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Seat of the player, which is to move.
        state: State before the move.
        move: Number of a legal move, which is not played.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    values, first = workspace.values, players.seats[player, INPUTS] - MOVE_FEATURE_COUNT
    notes, setting = workspace.notes, players.seats[player, SETTING]
    count_of_move(workspace.states, state, move, slot, values, notes, setting)
    if HAS_GRAPHS and (not HAS_DENSE or players.seats[player, KIND] == GRAPH):
        for place in range(MOVE_FEATURE_COUNT):
            poke(values, first + place, np.float32(peek(values, move_features_at(values) + place)))
        _run_graph(players, player, workspace)
        return peek(values, players.seats[player, INPUTS])
    # A dense network adds the features of the move to the sums for the state.
    inputs, sums = workspace.outputs[padded(MOVES) :], workspace.outputs[_sums_at(workspace) :]
    told, places = 0, workspace.changes  # sparse: most features of a move are 0
    for place in range(MOVE_FEATURE_COUNT):
        number = np.float32(peek(values, move_features_at(values) + place))
        poke(inputs, first + place, number)
        poke(places, told, first + place)
        told += number != np.float32(0.0)
    # The rest of the layers
    shape, weights = players.shapes[players.seats[player, SHAPE]], players.weights
    at = players.seats[player, WEIGHTS_AT]
    add_some_inputs(shape, weights, at, inputs, places, told, sums, workspace.ping)
    shape, base, inputs = _run_later(players, shape, at, workspace)
    return np.float64(single_output(shape, weights, base, inputs))


@inlined
def find_last_inputs(
    players: PackedPlayers,
    player: Integer,
    slot: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> Layer:
    """Return a policy network's shape, the index of its last layer, and that layer's inputs.

    Args:
        players: Packed players.
        player: Row of the player.
        slot: Slot whose observation is of *state*.
        state: State in which the player is to move.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    if HAS_DENSE and (not HAS_POLICIES or players.seats[player, KIND] == DENSE):
        return run_dense(players, player, slot, state, workspace)
    at = slot * slot_size(workspace)
    shape = players.shapes[players.seats[player, SHAPE]]
    base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
    activate_sums(shape, workspace.sums, at, players.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, players.weights, base, workspace.ping, workspace.pong)
    return shape, base, inputs


@inlined
def write_outputs(
    players: PackedPlayers, shape: Array, base: Integer, inputs: Array, outputs: Array
) -> Array:
    """Compute all outputs of a policy network from its last layer's *inputs*; return them.

    Args:
        players: Packed players.
        shape: Shape of the network, a row of ``players.shapes``.
        base: Index in ``players.weights`` of the last layer's biases; its weights follow.
        inputs: Inputs of the last layer (``float32``).
        outputs: Array for the outputs (``float32``), as long as MOVES padded to whole vectors; not
            used without a hidden layer, as *inputs* are the outputs then.
    """
    if shape[LAYERS] == 1:
        return inputs
    # Biases, then the products of all units, for a block of outputs at a time
    width = padded(MOVES)
    for block in range(0, width, LANES):
        total = load(players.weights, base + block)
        row = base + width + block
        for unit in range(shape[SIZES + shape[LAYERS] - 1]):
            term = multiply(spread(peek(inputs, unit)), load(players.weights, row))
            total = add(total, term)
            row += width
        store(outputs, block, total)
    return outputs


@inlined
def write_policy(
    players: PackedPlayers,
    player: Integer,
    seat: Integer,
    state: Position,
    workspace: BoardWorkspace,
) -> None:
    """Write a policy's outputs for a *state*, as observed by *seat*, into ``outputs``, by move.

    Stored observations of the players do not change.

    Args:
        players: Packed players.
        player: Row of the player.
        seat: Seat to move.
        state: State in which it is to move.
        workspace: See `evolve_arena.players.board.workspace`.
    """
    outputs, kind = workspace.outputs, players.seats[player, KIND]
    if HAS_GRAPHS and (not (HAS_POLICIES or HAS_DENSE) or kind == GRAPH):
        run_player_graph(players, player, seat, state, workspace)
        first = players.seats[player, INPUTS]
        for move in range(MOVES):
            poke(outputs, move, np.float32(peek(workspace.values, first + move)))
        return
    # Sums of a network are computed anew, in the slot of tentative moves.
    slot = seat
    if HAS_POLICIES and kind == NETWORK:
        slot, at = TRIAL, TRIAL * slot_size(workspace)
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        start_sums(workspace.sums, at, players.columns, players.seats[player, COLUMNS_AT], width)
        count = list_bits(workspace.states, state, workspace.planes, workspace.changes, seat)
        _add_changes(players, player, count, workspace, at, at)
    if HAS_POLICIES or HAS_DENSE:
        shape, base, inputs = find_last_inputs(players, player, slot, state, workspace)
        found = write_outputs(players, shape, base, inputs, outputs)
        if shape[LAYERS] == 1:  # without a hidden layer, the sums are the outputs
            for move in range(MOVES):
                poke(outputs, move, peek(found, move))


@compiled
def value_leaf(asked: object, slot: Integer, state: Position) -> Integer:
    """Return the value of a leaf *state* to the player in a *slot*, in units of 1/65536.

    NaN becomes the lowest value.

    Args:
        asked: Reference to the players and the workspace.
        slot: Slot of the player, which has observed the state on the board.
        state: State at the leaf.
    """
    players, workspace = follow_reference(asked)
    # The searching player also values leaves from the opponent's seat; see take_mirror.
    player: Number = np.uint64(peek(workspace.players, slot if HAS_CHANCE else seat_of(slot)))
    return _round(players, player, value_state(players, player, slot, state, workspace))


@compiled
def value_summed(asked: object, slot: Integer, state: Position) -> Integer:
    """Return the value as :func:`value_leaf` does, by sums already stored in the *slot*.

    Args:
        asked: Reference to the players and the workspace.
        slot: Slot of the state's level in the search; see :func:`slot_at`.
        state: State at the leaf.
    """
    players, workspace = follow_reference(asked)
    player: Number = np.uint64(peek(workspace.players, seat_of(slot)))
    at = slot * slot_size(workspace)
    return _round(players, player, _value_sums(players, player, slot, state, workspace, at))


@inlined
def _round(players: PackedPlayers, player: Integer, value: Number) -> Integer:
    """Round a *value* to units of 1/65536; sums of tuples are in these units already."""
    if players.seats[player, KIND] != TUPLES:
        value *= RESOLUTION
    return np.int64(min(value, LARGEST) if value > -LARGEST else -LARGEST)
