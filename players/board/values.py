"""What players that were bred or learned think of states: the outputs of networks, sums of tuples.

Each sits in a *slot*, the number of its seat, and sees the board from there. A player that searches
has more slots, from MIRROR on: a pair for each level, in which it sees the states that it searches.
Where chance decides there is one pair: a state after the other player's move is valued as that one
sees it, since bred players and learners value what the player who has just moved sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
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
    READINGS,
    TURNS,
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
"""The kinds of players there are; True if some of them give the values of leaves of searches, if
networks have no hidden layer, or more than one, if any network or graph has an output for each move
or each kind of moves, weighs moves, chooses kinds, and if one over numbers, or a graph, values
states, or sees planes. Copies of this file are compiled for fewer."""
HAS_NETWORKS = HAS_POLICIES or HAS_VALUES
HAS_SUMS = HAS_NETWORKS or HAS_TUPLES
WEIGHS_MOVES = HAS_ACTIONS and HAS_DESCRIBE_MOVE and (HAS_DENSE or HAS_GRAPHS)

TRIAL = SEATS
"""What stands where the players at the seats would have one more: a move that is tried."""
MIRROR = SEATS + 1
LARGEST = 2.0**30 - 1.0
"""No value of a leaf is above it."""


@inlined
def take_slot(players: Any, player: int, slot: int, workspace: Any) -> None:
    """Lets a *player*, a row, play in a *slot*, which is the number of its seat."""
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
def seat_of(slot: Any) -> Any:
    """The seat from which is seen what is seen in a *slot*."""
    if HAS_DEEP_VALUES and SEATS == 2 and slot >= MIRROR:
        return (np.int64(slot) - MIRROR) % SEATS
    return np.int64(slot)


@inlined
def slot_at(seat: Any, level: Any) -> Any:
    """The slot in which a player that searches from a *seat* has seen the state at a *level*."""
    return np.int64(seat) if level == 0 else MIRROR + SEATS * (np.int64(level) - 1) + seat


@inlined
def take_mirror(players: Any, slot: Any, state: Any, workspace: Any) -> None:
    """Let the player in a *slot*, who searches, look at a *state* from the other seat as well.

    That is for games of chance alone.
    """
    if HAS_DEEP_VALUES and HAS_CHANCE and SEATS == 2:
        player, mirror = peek(workspace.players, slot), MIRROR + 1 - slot
        take_slot(players, player, mirror, workspace)
        if HAS_SUMS and players.seats[player, KIND] in (NETWORK, TUPLES):
            see_state(players, player, mirror, state, workspace)


@inlined
def slot_size(workspace: Any) -> Any:
    """How many sums there are in a slot."""
    return workspace.sums.shape[1]


@inlined
def sum_up(
    players: Any,
    player: int,
    slot: int,
    state: Any,
    workspace: Any,
    source: int,
    target: int,
    keep: Any,
) -> None:
    """Puts the sums for a *state* at place *target*, from those of what was seen before.

    These stand at place *source*. If it is to *keep* them, the state has been seen.
    """
    planes, changes = workspace.planes, workspace.changes
    seat = seat_of(slot)
    count = find_changes(workspace.states, state, planes, changes, slot, seat, keep, HAS_TUPLES)
    _add_changes(players, player, count, workspace, source, target)


@inlined
def see_state(players: Any, player: int, slot: int, state: Any, workspace: Any) -> None:
    """Lets the player in a *slot* see a *state*: its sums are those of it."""
    at = slot * slot_size(workspace)
    reads_tuples = HAS_TUPLES and players.seats[player, KIND] == TUPLES
    if HAS_NETWORKS and not SEES_CELLS and not reads_tuples:
        planes = workspace.planes
        look(workspace.states, state, seat_of(slot), planes, SEATS * SEEN)
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        base = players.seats[player, COLUMNS_AT] + width
        for block in range(0, width, LANES):
            total = load_int(workspace.sums, at + block)
            total = add_columns(planes, slot, players.columns, base + block, width, total)
            store_int(workspace.sums, at + block, total)
        for word in range(SEEN):
            poke(planes, slot * SEEN + word, peek(planes, SEATS * SEEN + word))
    else:
        sum_up(players, player, slot, state, workspace, at, at, True)


@inlined
def sees_levels(players: Any, player: int) -> Any:
    """Test if a player that searches has sums, which are kept for each level."""
    if HAS_DEEP_VALUES and HAS_SUMS and not HAS_CHANCE:
        return players.seats[player, KIND] in (NETWORK, TUPLES)
    return False


@inlined
def see_deeper(
    players: Any, player: int, seat: Any, level: Any, state: Any, workspace: Any
) -> None:
    """Let a player that searches from a *seat* see a *state* at a *level*; see :func:`slot_at`."""
    above, slot, size = slot_at(seat, level - 1), slot_at(seat, level), slot_size(workspace)
    planes = workspace.planes
    for word in range(SEEN):
        poke(planes, slot * SEEN + word, peek(planes, above * SEEN + word))
    sum_up(players, player, slot, state, workspace, above * size, slot * size, True)


@inlined
def change_deeper(
    players: Any, player: int, seat: Any, level: Any, state: Any, move: Any, workspace: Any
) -> None:
    """Compute the sums at a *level* after a *move*, from those of the *state* one level above."""
    count = list_changes(workspace.states, state, move, seat, workspace.changes)
    above, slot, size = slot_at(seat, level - 1), slot_at(seat, level), slot_size(workspace)
    _add_changes(players, player, count, workspace, above * size, slot * size)


@inlined
def _add_changes(
    players: Any, player: int, count: Any, workspace: Any, source: int, target: int
) -> None:
    """Add so many listed changes to the sums at place *source*; put these at *target*."""
    sums, columns = workspace.sums, players.columns
    if HAS_TUPLES and (not HAS_NETWORKS or players.seats[player, KIND] == TUPLES):
        structure = players.seats[player, COLUMNS_AT]
        if source != target:
            for reading in range(peek(columns, structure + READINGS)):
                poke(sums, target + reading, peek(sums, source + reading))
        for place in range(count):
            change = peek(workspace.changes, place)
            went = change < 0
            note_change(columns, structure, sums, target, np.int64(went), change ^ -np.int64(went))
    elif HAS_NETWORKS:
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        base = players.seats[player, COLUMNS_AT] + width
        add_listed(workspace, count, columns, base, width, source, target)


@inlined
def add_listed(
    workspace: Any, count: Any, columns: Any, base: Any, width: Any, source: Any, target: Any
) -> None:
    """Put sums at place *target*: those at place *source*, and columns of so many listed changes.

    A column has *width* numbers; that of bit 0 begins at place *base*.
    """
    changes, sums = workspace.changes, workspace.sums
    for block in range(0, width, LANES):
        total = load_int(sums, source + block)
        total = _add_listed(changes, count, columns, base + block, width, total)
        store_int(sums, target + block, total)


@inlined
def value_move(players: Any, player: int, slot: int, state: Any, move: Any, workspace: Any) -> Any:
    """The value that a player gives to a *move* in a *state* that it has seen."""
    kind, trial = players.seats[player, KIND], state
    knows_changes = not (HAS_GRAPHS or HAS_DENSE) or kind in (NETWORK, TUPLES)
    if HAS_CHANGES and (HAS_VALUES or HAS_TUPLES) and knows_changes:
        count = list_changes(workspace.states, state, move, slot, workspace.changes)
        if HAS_TUPLES and kind == TUPLES and knows_turns(players, player):
            trial = follow(workspace.states, 1, state, move)
        return value_changes(players, player, slot, trial, count, workspace)
    trial = follow(workspace.states, 1, state, move)
    return value_state(players, player, slot, trial, workspace)


@inlined
def value_changes(
    players: Any, player: int, slot: int, trial: Any, count: Any, workspace: Any
) -> Any:
    """The value of a *trial* to a player, after so many listed changes of what it has seen."""
    size = slot_size(workspace)
    _add_changes(players, player, count, workspace, slot * size, TRIAL * size)
    return _value_sums(players, player, slot, trial, workspace, TRIAL * size)


@inlined
def value_state(players: Any, player: int, slot: int, trial: Any, workspace: Any) -> Any:
    """What a player thinks of a state that may come."""
    kind = players.seats[player, KIND]
    if HAS_DENSE and kind == DENSE:
        return _value_dense(players, player, slot, trial, workspace)
    if HAS_GRAPHS and (not HAS_SUMS or kind == GRAPH):
        run_player_graph(players, player, slot, trial, workspace)
        return peek(workspace.values, players.seats[player, INPUTS])
    if HAS_VALUES or HAS_TUPLES:
        if HAS_VALUES and kind == NETWORK and is_shallow(players, player):
            return _value_shallow(players, player, slot, trial, workspace)
        size = slot_size(workspace)
        sum_up(players, player, slot, trial, workspace, slot * size, TRIAL * size, False)
        return _value_sums(players, player, slot, trial, workspace, TRIAL * size)
    return 0.0


@inlined
def _value_sums(players: Any, player: int, slot: int, trial: Any, workspace: Any, at: Any) -> Any:
    """The value that a player gives to a *trial* whose sums begin at place *at*."""
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
def is_shallow(players: Any, player: int) -> Any:
    """Test if a player is a value network with one hidden layer, as most networks are."""
    if HAS_VALUES and players.seats[player, KIND] == NETWORK:
        if not HAS_LAYERS:
            return True
        return players.shapes[np.uint64(players.seats[player, SHAPE]), LAYERS] == 2
    return False


@inlined
def find_layers(players: Any, player: int, slot: int, workspace: Any) -> Any:
    """The record of such a network, to be read once for all moves.

    Returns:
        Its activation, the padded width of its hidden layer, the place of the column of bit 0, that
        of its sums, and that of its last layer.
    """
    row = np.uint64(players.seats[player, SHAPE])
    width = padded(players.shapes[row, SIZES + 1])
    base = players.seats[player, COLUMNS_AT] + width
    at = slot * slot_size(workspace)
    return players.shapes[row, ACTIVATION], width, base, at, players.seats[player, WEIGHTS_AT]


@inlined
def value_listed(players: Any, layers: Any, count: Any, workspace: Any) -> Any:
    """The value of such a network after so many listed changes of the state that it has seen."""
    sums, changes, columns = workspace.sums, workspace.changes, players.columns
    kind, width, base, at, row = layers
    first = peek(changes, 0)
    if count == 1 and first >= 0:
        column = base + width * first
        return np.float64(
            shallow_output(kind, width, sums, at, columns, column, players.weights, row)
        )
    output = spread(np.float32(0.0))
    for block in range(0, width, LANES):
        total = load_int(sums, at + block)
        total = _add_listed(changes, count, columns, base + block, width, total)
        value = activate(multiply(to_float(total), spread(UNIT)), kind)
        output = add(output, multiply(value, load(players.weights, row + LANES + block)))
    return np.float64(halve_sum(output) + peek(players.weights, row))


@inlined
def _value_shallow(players: Any, player: int, slot: int, trial: Any, workspace: Any) -> Any:
    """The value that such a network gives to a *trial*, in one go."""
    planes, columns = workspace.planes, players.columns
    layers = find_layers(players, player, slot, workspace)
    kind, width, base, at, row = layers
    if SEES_CELLS or width > LANES:
        states, changes = workspace.states, workspace.changes
        seat = seat_of(slot)
        count = find_changes(states, trial, planes, changes, slot, seat, False, False)
        return value_listed(players, layers, count, workspace)
    look(workspace.states, trial, seat_of(slot), planes, SEATS * SEEN)
    output = spread(np.float32(0.0))
    for block in range(0, width, LANES):
        total = load_int(workspace.sums, at + block)
        total = add_columns(planes, slot, columns, base + block, width, total)
        value = activate(multiply(to_float(total), spread(UNIT)), kind)
        output = add(output, multiply(value, load(players.weights, row + LANES + block)))
    return np.float64(halve_sum(output) + peek(players.weights, row))


@inlined
def _add_listed(changes: Any, count: Any, columns: Any, base: Any, width: Any, total: Any) -> Any:
    """*total*, and the parts of columns of so many *changes*."""
    for place in range(count):
        change = peek(changes, place)
        if SEES_CELLS:  # a branch would often be guessed wrongly
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
def knows_turns(players: Any, player: int) -> Any:
    """Test if a tuple network has numbers of its own for positions in which it moves again."""
    return peek(players.columns, players.seats[player, COLUMNS_AT] + TURNS) == AGAIN


@inlined
def _find_table(players: Any, player: int, slot: int) -> Any:
    """The place where the numbers of a tuple network begin that count after moves of its seat."""
    structure, table = players.seats[player, COLUMNS_AT], players.seats[player, INPUTS_AT]
    if peek(players.columns, structure + TURNS) == BY_SEAT:
        table += seat_of(slot) * peek(players.columns, structure + ENTRIES)
    return table


@inlined
def is_tuple_network(players: Any, player: int) -> Any:
    """Test if a player is a tuple network without such numbers."""
    return players.seats[player, KIND] == TUPLES and not knows_turns(players, player)


@inlined
def sum_seen(players: Any, player: int, slot: int, workspace: Any) -> Any:
    """The sum of a tuple network for what it has seen; what it picks is noted."""
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
def weigh_bit(players: Any, player: int, slot: int, change: Any, total: Any, workspace: Any) -> Any:
    """The sum of a tuple network after one *change* of what gave the *total* of `sum_seen`."""
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
def _sum_tuples(players: Any, player: int, slot: int, trial: Any, workspace: Any, at: Any) -> Any:
    structure, table = players.seats[player, COLUMNS_AT], _find_table(players, player, slot)
    if knows_turns(players, player) and moves_again(workspace.states, trial, seat_of(slot)):
        table += peek(players.columns, structure + ENTRIES)
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
def run_player_graph(players: Any, player: int, slot: int, state: Any, workspace: Any) -> None:
    """Activates a graph before a *state*; its outputs then stand behind its inputs."""
    fill_inputs(players, player, slot, state, workspace, workspace.values)
    _run_graph(players, player, workspace)


@inlined
def _run_graph(players: Any, player: int, workspace: Any) -> None:
    seats, values = players.seats, workspace.values
    structure, numbers = seats[player, COLUMNS_AT], seats[player, NUMBERS_AT]
    rest = values[seats[player, SLOTS] :]
    run_graph(players.columns, structure, players.numbers, numbers, values, 0, 0, rest)


@inlined
def fill_inputs(
    players: Any, player: int, slot: int, state: Any, workspace: Any, inputs: Any
) -> None:
    """Puts what a player sees or counts in a *state* into the first of *inputs*, the others as 0.

    That is for graphs, and networks over numbers.
    """
    seats, seat = players.seats, seat_of(slot)
    if HAS_FEATURES and seats[player, ENCODING] == FEATURES:
        values, count = workspace.values, _count_numbers(players, player, state, seat, workspace)
        bins = seats[player, BINS]
        if bins == 0:
            for place in range(count):
                poke(inputs, place, np.float32(peek(values, features_at(values) + place)))
            return
        for place in range(seats[player, INPUTS]):
            poke(inputs, place, 0.0)
        for place in range(count):
            poke(inputs, bins * place + _find_bin(workspace, place, bins), 1.0)
    elif HAS_DENSE_SIGHT:
        _fill_sight(players, player, state, seat, workspace, inputs)


@inlined
def _fill_sight(
    players: Any, player: int, state: Any, seat: Any, workspace: Any, inputs: Any
) -> None:
    """The same for a player that counts no numbers, from its *seat*."""
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
def _count_numbers(players: Any, player: int, state: Any, seat: Any, workspace: Any) -> Any:
    """Let the file count as many features as a player reads; give their number."""
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
def _find_bin(workspace: Any, place: Any, bins: Any) -> Any:
    """Which of so many *bins* the value of the counted feature at a *place* falls into."""
    value = peek(workspace.values, features_at(workspace.values) + place)
    return np.int64(min(max(value, 0.0), np.float64(bins - 1)))


# Networks over numbers


@inlined
def _value_dense(players: Any, player: int, slot: int, state: Any, workspace: Any) -> Any:
    """The value that a network over numbers gives to a *state*."""
    count = np.int64(0)
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        count = _count_numbers(players, player, state, seat_of(slot), workspace)
        if players.shapes[players.seats[player, SHAPE], LAYERS] == 1:
            return _add_up(players, player, count, workspace)
    shape, base, inputs = _run_counted(players, player, slot, state, count, workspace)
    return np.float64(single_output(shape, players.weights, base, inputs))


@inlined
def _add_up(players: Any, player: int, count: Any, workspace: Any) -> Any:
    """The value of a network without hidden units over *count* features: its only sum, in order.

    Features are read one by one, as they were written: many at once are waited for.
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
def run_dense(players: Any, player: int, slot: int, state: Any, workspace: Any) -> Any:
    """Run all layers but the last one before a *state*.

    Returns:
        The network's shape, where its last layer stands, and what goes into that.
    """
    count = np.int64(0)
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        count = _count_numbers(players, player, state, seat_of(slot), workspace)
    return _run_counted(players, player, slot, state, count, workspace)


@inlined
def _run_counted(
    players: Any, player: int, slot: int, state: Any, count: Any, workspace: Any
) -> Any:
    """The same after a *count* of features, if it is one that reads them."""
    shape, seat = players.shapes[players.seats[player, SHAPE]], seat_of(slot)
    weights, at = players.weights, players.seats[player, WEIGHTS_AT]
    start_first(shape, weights, at, workspace.ping)
    if HAS_FEATURES and players.seats[player, ENCODING] == FEATURES:
        bins = players.seats[player, BINS]
        if bins > 0:
            for place in range(count):
                number = bins * place + _find_bin(workspace, place, bins)
                add_row(shape, weights, at, number, workspace.ping)
        else:
            numbers = workspace.values[features_at(workspace.values) :]
            add_inputs(shape, weights, at, numbers, 0, count, workspace.ping, workspace.ping)
    elif HAS_DENSE_SIGHT:
        count, inputs = players.seats[player, INPUTS], workspace.outputs[padded(MOVES) :]
        _fill_sight(players, player, state, seat, workspace, inputs)
        add_inputs(shape, weights, at, inputs, 0, count, workspace.ping, workspace.ping)
    return _run_later(players, shape, at, workspace)


@inlined
def _run_later(players: Any, shape: Any, at: Any, workspace: Any) -> Any:
    """The same, once the sums of the first layer stand in ``workspace.ping``."""
    base, inputs = later_layers_at(shape, at), workspace.ping
    activate_first(shape, workspace.ping, workspace.ping)
    if shape[LAYERS] > 2:
        weights, pong = players.weights, workspace.pong
        base, inputs = evaluate_hidden(shape, weights, base, workspace.ping, pong)
    return shape, base, inputs


# Players that give values to moves


@inlined
def weighs_moves(players: Any, player: int) -> Any:
    """Test if a player gives a value to each move by what is told of it."""
    return WEIGHS_MOVES and players.seats[player, HEAD] == ACTION


@inlined
def look_before(players: Any, player: int, slot: int, state: Any, workspace: Any) -> None:
    """Let a player that weighs moves look at the *state* on the board, once for all moves."""
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
def _sums_at(workspace: Any) -> Any:
    """The place in ``outputs`` of the sums of the first layer, of what :func:`look_before` saw."""
    return workspace.outputs.shape[0] - workspace.ping.shape[0]


@inlined
def weigh_move(players: Any, player: int, slot: int, state: Any, move: Any, workspace: Any) -> Any:
    """The value that such a player gives to a *move* in the *state* that it looked at."""
    values, first = workspace.values, players.seats[player, INPUTS] - MOVE_FEATURE_COUNT
    notes, setting = workspace.notes, players.seats[player, SETTING]
    count_of_move(workspace.states, state, move, slot, values, notes, setting)
    if HAS_GRAPHS and (not HAS_DENSE or players.seats[player, KIND] == GRAPH):
        for place in range(MOVE_FEATURE_COUNT):
            poke(values, first + place, np.float32(peek(values, move_features_at(values) + place)))
        _run_graph(players, player, workspace)
        return peek(values, players.seats[player, INPUTS])
    inputs, sums = workspace.outputs[padded(MOVES) :], workspace.outputs[_sums_at(workspace) :]
    told, places = 0, workspace.changes  # what tells moves of several kinds apart is mostly 0
    for place in range(MOVE_FEATURE_COUNT):
        number = np.float32(peek(values, move_features_at(values) + place))
        poke(inputs, first + place, number)
        poke(places, told, first + place)
        told += number != np.float32(0.0)
    shape, weights = players.shapes[players.seats[player, SHAPE]], players.weights
    at = players.seats[player, WEIGHTS_AT]
    add_some_inputs(shape, weights, at, inputs, places, told, sums, workspace.ping)
    shape, base, inputs = _run_later(players, shape, at, workspace)
    return np.float64(single_output(shape, weights, base, inputs))


@inlined
def find_last_inputs(players: Any, player: int, slot: int, state: Any, workspace: Any) -> Any:
    """The shape of a policy network, where its last layer stands, and what goes into that."""
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
def write_outputs(players: Any, shape: Any, base: Any, inputs: Any, outputs: Any) -> Any:
    """Where all outputs of a policy network stand, whose last layer's *inputs* are known."""
    if shape[LAYERS] == 1:
        return inputs
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
def write_policy(players: Any, player: int, seat: Any, state: Any, workspace: Any) -> None:
    """Put the outputs of a policy for a *state*, as a *seat* sees it, into ``outputs``, by move.

    Whatever the players have seen before stays noted.
    """
    outputs, kind = workspace.outputs, players.seats[player, KIND]
    if HAS_GRAPHS and (not (HAS_POLICIES or HAS_DENSE) or kind == GRAPH):
        run_player_graph(players, player, seat, state, workspace)
        first = players.seats[player, INPUTS]
        for move in range(MOVES):
            poke(outputs, move, np.float32(peek(workspace.values, first + move)))
        return
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
        if shape[LAYERS] == 1:
            for move in range(MOVES):
                poke(outputs, move, peek(found, move))


@compiled
def value_leaf(asked: Any, slot: Any, state: Any) -> Any:
    """What the player in a *slot* thinks of a *state*, in whole units of 1/65536.

    It has seen the state on the board. What is no number counts as the lowest value. *asked* is a
    reference to the players and the workspace.
    """
    players, workspace = follow_reference(asked)
    # In the other's seat sits another player, but who searches values this, too; see take_mirror.
    player: Any = np.uint64(peek(workspace.players, slot if HAS_CHANCE else seat_of(slot)))
    return _round(players, player, value_state(players, player, slot, state, workspace))


@compiled
def value_summed(asked: Any, slot: Any, state: Any) -> Any:
    """The value of a *state* like :func:`value_leaf`, by sums that stand in the *slot* already."""
    players, workspace = follow_reference(asked)
    player: Any = np.uint64(peek(workspace.players, seat_of(slot)))
    at = slot * slot_size(workspace)
    return _round(players, player, _value_sums(players, player, slot, state, workspace, at))


@inlined
def _round(players: Any, player: Any, value: Any) -> Any:
    """A *value* in whole units of 1/65536; sums of tuples are in these units."""
    if players.seats[player, KIND] != TUPLES:
        value *= RESOLUTION
    return np.int64(min(value, LARGEST) if value > -LARGEST else -LARGEST)
