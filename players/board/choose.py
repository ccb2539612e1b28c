"""How each kind of compiled player chooses a move of a board game.

The match kernel and the Python classes call the same functions, so a player moves alike in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.genomes.neat.graph import run_graph
from evolve_arena.genomes.network import (
    ACTIVATION,
    LAYERS,
    SIZES,
    UNIT,
    activate,
    activate_sums,
    evaluate_hidden,
    padded,
    pick_output,
    single_output,
    start_sums,
)
from evolve_arena.genomes.simd import (
    LANES,
    add,
    add_int,
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
from evolve_arena.genomes.tuple_entries import READINGS, note_change, start_readings, sum_entries
from evolve_arena.players.board.rules import (
    GOES_ON,
    MOVES,
    SEATS,
    SEEN,
    SEES_CELLS,
    add_columns,
    count_outcomes,
    find_changes,
    find_mover,
    follow,
    happen,
    has_won,
    judge,
    list_bits,
    list_moves,
    look,
    weigh,
)
from evolve_arena.players.board.workspace import (
    DEPTH,
    HEAD,
    INPUTS,
    POLICY,
    SEARCH,
    SLOTS,
    TAKES_WINS,
)
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    INPUTS_AT,
    KIND,
    NETWORK,
    NOISE,
    NUMBERS_AT,
    RANDOM,
    SHAPE,
    TUPLES,
    WEIGHTS_AT,
)

HAS_POLICIES = True
HAS_VALUES = True
HAS_GRAPHS = True
HAS_TUPLES = True
HAS_SEARCHES = True
"""What players there are; copies of this file are compiled for fewer."""
HAS_NETWORKS = HAS_POLICIES or HAS_VALUES
HAS_SUMS = HAS_NETWORKS or HAS_TUPLES
HAS_OWN_VALUES = HAS_VALUES or HAS_GRAPHS or HAS_TUPLES

ONE = np.uint64(1)
TRIAL = SEATS
"""What stands where the players at the seats would have one more: a move that is tried."""
WIN = 1 << 40
"""More than any evaluation."""
INFINITE = np.int64(2 * WIN)


@inlined
def take_slot(players: Any, player: int, slot: int, workspace: Any) -> None:
    """Lets a *player*, a row, play in a *slot*, which is the number of its seat."""
    poke(workspace.players, slot, player)
    if HAS_SUMS:
        for word in range(SEEN):
            poke(workspace.planes, slot * SEEN + word, np.uint64(0))
    kind = players.seats[player, KIND]
    at = slot * _slot_size(workspace)
    if HAS_NETWORKS and kind == NETWORK:
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        start_sums(workspace.sums, at, players.columns, players.seats[player, COLUMNS_AT], width)
    elif HAS_TUPLES and kind == TUPLES:
        start_readings(players.columns, players.seats[player, COLUMNS_AT], workspace.sums, at)


@inlined
def choose_move(players: Any, slot: int, state: Any, workspace: Any) -> Any:
    """The number of the move that the player in a *slot* makes, whose turn it is."""
    player = peek(workspace.players, slot)
    noise, kind = players.seats[player, NOISE], players.seats[player, KIND]
    strays = noise > 0 and np.int64(next_word(workspace.streams) >> np.uint64(32)) < noise
    count = list_moves(workspace.states, state, workspace.moves, 0)
    if count == 1:
        return peek(workspace.moves, 0)
    if not strays:
        if HAS_SUMS and kind in (NETWORK, TUPLES):
            at = slot * _slot_size(workspace)
            _sum_up(players, player, slot, state, workspace, at, at, True)
        if (HAS_POLICIES or HAS_GRAPHS) and players.seats[player, HEAD] == POLICY:
            if HAS_POLICIES and kind == NETWORK:
                return _choose_by_network(players, player, slot, count, workspace)
            if HAS_GRAPHS and kind == GRAPH:
                return _choose_by_graph(players, player, slot, state, count, workspace)
        if HAS_OWN_VALUES and RANDOM < kind < SEARCH:
            return _choose_by_value(players, player, slot, state, count, workspace)
        if HAS_SEARCHES and kind == SEARCH:
            return _choose_by_search(state, count, players.seats[player, DEPTH], workspace)
    return peek(workspace.moves, below(workspace.streams, count))


@compiled
def decide(players: Any, state: Any, workspace: Any) -> Any:
    """The number of the move that the first of *players* chooses in a *state*."""
    slot = find_mover(workspace.states, state)
    take_slot(players, 0, slot, workspace)
    return np.int64(choose_move(players, slot, state, workspace))


@inlined
def _slot_size(workspace: Any) -> Any:
    """How many sums there are in a slot."""
    return workspace.sums.shape[0] // (SEATS + 1)


@inlined
def _sum_up(
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
    changes, sums, columns = workspace.changes, workspace.sums, players.columns
    count = find_changes(workspace.states, state, workspace.planes, changes, slot, keep)
    if HAS_TUPLES and (not HAS_NETWORKS or players.seats[player, KIND] == TUPLES):
        structure = players.seats[player, COLUMNS_AT]
        if source != target:
            for reading in range(peek(columns, structure + READINGS)):
                poke(sums, target + reading, peek(sums, source + reading))
        for place in range(count):
            change = peek(changes, place)
            went = change < 0
            note_change(columns, structure, sums, target, np.int64(went), change ^ -np.int64(went))
    elif HAS_NETWORKS:
        width = padded(players.shapes[players.seats[player, SHAPE], SIZES + 1])
        base = players.seats[player, COLUMNS_AT] + width
        for block in range(0, width, LANES):
            total = load_int(sums, source + block)
            total = _add_listed(changes, count, columns, base + block, width, total)
            store_int(sums, target + block, total)


@inlined
def _choose_by_network(players: Any, player: int, slot: int, count: int, workspace: Any) -> Any:
    """The first legal move of the strongest output."""
    at = slot * _slot_size(workspace)
    shape = players.shapes[players.seats[player, SHAPE]]
    base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
    activate_sums(shape, workspace.sums, at, players.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, players.weights, base, workspace.ping, workspace.pong)
    if MOVES <= LANES:
        allowed = np.uint64(0)
        for place in range(count):
            allowed |= ONE << np.uint64(peek(workspace.moves, place))
        return np.int64(pick_output(shape, players.weights, base, inputs, allowed))
    outputs = workspace.outputs
    if shape[LAYERS] == 1:
        outputs = inputs
    else:
        width = padded(MOVES)
        for block in range(0, width, LANES):
            total = load(players.weights, base + block)
            row = base + width + block
            for unit in range(shape[SIZES + shape[LAYERS] - 1]):
                term = multiply(spread(peek(inputs, unit)), load(players.weights, row))
                total = add(total, term)
                row += width
            store(outputs, block, total)
    return _pick_strongest(outputs, 0, count, workspace)


@inlined
def _choose_by_graph(
    players: Any, player: int, slot: int, state: Any, count: int, workspace: Any
) -> Any:
    """The first legal move of the strongest output."""
    _run_graph(players, player, slot, state, workspace)
    return _pick_strongest(workspace.values, players.seats[player, INPUTS], count, workspace)


@inlined
def _pick_strongest(outputs: Any, at: int, count: int, workspace: Any) -> Any:
    best = peek(workspace.moves, 0)
    for place in range(1, count):
        move = peek(workspace.moves, place)
        if peek(outputs, at + move) > peek(outputs, at + best):
            best = move
    return best


@inlined
def _choose_by_value(
    players: Any, player: int, slot: int, state: Any, count: int, workspace: Any
) -> Any:
    """The first move that leads to the state of the best value, or wins at once."""
    takes_wins = players.seats[player, TAKES_WINS]
    best, best_value = np.int64(-1), 0.0
    for place in range(count):
        move = peek(workspace.moves, place)
        trial = follow(workspace.states, 1, state, move)
        if takes_wins:
            verdict = judge(workspace.states, trial)
            if has_won(workspace.states, trial, verdict, slot):
                return move
        value = _value_trial(players, player, slot, trial, workspace)
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _value_trial(players: Any, player: int, slot: int, trial: Any, workspace: Any) -> Any:
    """What a player thinks of a state to which it may move."""
    kind = players.seats[player, KIND]
    if HAS_GRAPHS and (not HAS_SUMS or kind == GRAPH):
        _run_graph(players, player, slot, trial, workspace)
        return peek(workspace.values, players.seats[player, INPUTS])
    value = 0.0
    if HAS_VALUES or HAS_TUPLES:
        size = _slot_size(workspace)
        if HAS_VALUES and kind == NETWORK:
            shape = players.shapes[players.seats[player, SHAPE]]
            if shape[LAYERS] == 2:
                return _value_shallow(players, player, slot, trial, workspace)
        _sum_up(players, player, slot, trial, workspace, slot * size, TRIAL * size, False)
        if HAS_TUPLES and (not HAS_VALUES or kind == TUPLES):
            value = np.float64(_sum_tuples(players, player, TRIAL * size, workspace))
        elif HAS_VALUES:
            shape = players.shapes[players.seats[player, SHAPE]]
            base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
            activate_sums(shape, workspace.sums, TRIAL * size, players.columns, 0, False, inputs)
            if shape[LAYERS] > 2:
                base, inputs = evaluate_hidden(
                    shape, players.weights, base, workspace.ping, workspace.pong
                )
            value = np.float64(single_output(shape, players.weights, base, inputs))
    return value


@inlined
def _value_shallow(players: Any, player: int, slot: int, trial: Any, workspace: Any) -> Any:
    """The same for a network with one hidden layer, in one go: most networks are such."""
    planes, changes, columns = workspace.planes, workspace.changes, players.columns
    shape = players.shapes[players.seats[player, SHAPE]]
    width = padded(shape[SIZES + 1])
    base = players.seats[player, COLUMNS_AT] + width
    count, listed = 0, SEES_CELLS or width > LANES
    if listed:
        count = find_changes(workspace.states, trial, planes, changes, slot, False)
    else:
        look(workspace.states, trial, slot, planes, SEATS * SEEN)
    at, row = slot * _slot_size(workspace), players.seats[player, WEIGHTS_AT]
    output = spread(np.float32(0.0))
    for block in range(0, width, LANES):
        total = load_int(workspace.sums, at + block)
        if listed:
            total = _add_listed(changes, count, columns, base + block, width, total)
        else:
            total = add_columns(planes, slot, columns, base + block, width, total)
        value = activate(multiply(to_float(total), spread(UNIT)), shape[ACTIVATION])
        term = multiply(value, load(players.weights, row + LANES + block))
        output = add(output, term)
    return np.float64(halve_sum(output) + players.weights[row])


@inlined
def _add_listed(changes: Any, count: Any, columns: Any, base: Any, width: Any, total: Any) -> Any:
    """*total*, and the parts of columns of so many *changes*."""
    for place in range(count):
        change = peek(changes, place)
        if change >= 0:
            total = add_int(total, load_int(columns, base + change * width))
        else:
            column = load_int(columns, base + ~change * width)
            total = add_int(total, scale_int(column, np.int32(-1)))
    return total


@inlined
def _sum_tuples(players: Any, player: int, at: int, workspace: Any) -> Any:
    return sum_entries(
        players.columns,
        players.seats[player, COLUMNS_AT],
        workspace.sums,
        at,
        players.columns,
        players.seats[player, INPUTS_AT],
        workspace.picked,
        np.int64(0),
    )


@inlined
def _run_graph(players: Any, player: int, slot: int, state: Any, workspace: Any) -> None:
    """Activates a graph before a *state*; its outputs then stand behind its inputs."""
    seats, values = players.seats, workspace.values
    inputs, slots = seats[player, INPUTS], seats[player, SLOTS]
    for place in range(inputs):
        poke(values, place, 0.0)
    table = seats[player, INPUTS_AT]
    for number in range(
        list_bits(workspace.states, state, workspace.planes, workspace.changes, slot)
    ):
        at = table + 2 * peek(workspace.changes, number)
        place = peek(players.columns, at)
        poke(values, place, peek(values, place) + np.float64(peek(players.columns, at + 1)))
    structure, numbers = seats[player, COLUMNS_AT], seats[player, NUMBERS_AT]
    run_graph(players.columns, structure, players.numbers, numbers, values, 0, 0, values[slots:])


@inlined
def _choose_by_search(state: Any, count: int, depth: int, workspace: Any) -> Any:
    """One of the best moves, each as likely.

    All that goes into the recursion has the type that it hands on there: where one function exists
    for two combinations of types, calls of itself are not found again in the cache.
    """
    best, equals, chosen = -INFINITE, 0, np.int64(-1)
    side = find_mover(workspace.states, state)
    for place in range(count):
        move = peek(workspace.moves, place)
        trial = follow(workspace.states, 1, state, move)
        value = _value(trial, side, depth - 1, best - 1, INFINITE, np.int64(1), workspace)
        if value > best:
            best, equals, chosen = value, 1, move
        elif value == best:
            equals += 1
            if below(workspace.streams, equals) == 0:
                chosen = move
    return chosen


@compiled
def _value(
    state: Any, side: Any, depth: int, low: Any, high: Any, level: Any, workspace: Any
) -> Any:
    """What a *state*, at a *level*, is worth to a *side*; a bound if not between *low* and *high*.

    Where chance decides it is the mean, of which all parts are searched in full. Where there is no
    room for deeper levels, the game says what it thinks.
    """
    if level + 2 > workspace.states.shape[0]:
        return weigh(workspace.states, state, side)
    outcomes = count_outcomes(workspace.states, state)
    if outcomes > 0:
        total = np.int64(0)
        for outcome in range(outcomes):
            trial = happen(workspace.states, level + 1, state, np.int64(outcome))
            total += _value(trial, side, depth, -INFINITE, INFINITE, level + 1, workspace)
        return total // outcomes
    verdict = judge(workspace.states, state)
    if verdict != GOES_ON:
        return np.int64((1 - 2 * side) * verdict * (WIN + depth))
    if depth <= 0:
        return weigh(workspace.states, state, side)
    mover = find_mover(workspace.states, state)
    if mover != side:
        return -_value(state, mover, depth, -high, -low, level, workspace)
    moves_at = level * MOVES
    count = list_moves(workspace.states, state, workspace.moves, moves_at)
    best = -INFINITE
    for place in range(count):
        trial = follow(workspace.states, level + 1, state, peek(workspace.moves, moves_at + place))
        value = _value(trial, side, depth - 1, low, high, level + 1, workspace)
        best = max(best, value)
        low = max(low, best)
        if low >= high:
            break
    return best
