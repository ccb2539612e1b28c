"""How each kind of compiled player chooses a move of a board game.

The match kernel and the Python classes call the same functions, so a player moves alike in both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.genomes.network import (
    LAYERS,
    SIZES,
    activate_sums,
    evaluate_hidden,
    padded,
    pick_output,
)
from evolve_arena.genomes.simd import LANES, add, load, multiply, peek, spread, store
from evolve_arena.players.board.mcts import HAS_DEEP_VALUES, HAS_MCTS, choose_by_rollouts
from evolve_arena.players.board.rules import (
    GOES_ON,
    MOVES,
    count_outcomes,
    find_mover,
    follow,
    happen,
    has_won,
    judge,
    keep_move,
    list_deeper_moves,
    list_moves,
    note_move,
    weigh,
)
from evolve_arena.players.board.values import (
    HAS_GRAPHS,
    HAS_POLICIES,
    HAS_SUMS,
    HAS_TUPLES,
    HAS_VALUES,
    run_player_graph,
    slot_size,
    sum_up,
    take_slot,
    value_leaf,
    value_state,
)
from evolve_arena.players.board.workspace import (
    DEPTH,
    HEAD,
    INPUTS,
    POLICY,
    ROLLOUTS,
    SEARCH,
    TAKES_WINS,
)
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    NOISE,
    RANDOM,
    SHAPE,
    TUPLES,
    WEIGHTS_AT,
)

HAS_SEARCHES = True
"""Whether players search by alpha-beta; see `evolve_arena.players.board.values`."""
HAS_OWN_VALUES = HAS_VALUES or HAS_GRAPHS or HAS_TUPLES

ONE = np.uint64(1)
WIN = 1 << 40
"""More than any evaluation."""
INFINITE = np.int64(2 * WIN)


@inlined
def choose_move(players: Any, slot: int, state: Any, workspace: Any) -> Any:
    """The number of the move that the player in a *slot* makes, whose turn it is."""
    player = peek(workspace.players, slot)
    noise, kind = players.seats[player, NOISE], players.seats[player, KIND]
    strays = noise > 0 and np.int64(next_word(workspace.streams) >> np.uint64(32)) < noise
    count = list_moves(workspace.states, state, workspace.moves, 0)
    if count == 1:
        return peek(workspace.moves, 0)
    if strays or kind == RANDOM:
        return peek(workspace.moves, below(workspace.streams, count))
    if HAS_SUMS and kind in (NETWORK, TUPLES):
        at = slot * slot_size(workspace)
        sum_up(players, player, slot, state, workspace, at, at, True)
    return _choose_own(players, player, slot, state, count, workspace)


@inlined
def _choose_own(
    players: Any, player: int, slot: int, state: Any, count: int, workspace: Any
) -> Any:
    """What a player chooses that does not play at random."""
    kind = players.seats[player, KIND]
    if HAS_MCTS and players.seats[player, ROLLOUTS] > 0:
        return choose_by_rollouts(players, slot, state, count, workspace)
    if HAS_SEARCHES and players.seats[player, DEPTH] > 0:
        return _choose_by_search(players, slot, state, count, workspace)
    if (HAS_POLICIES or HAS_GRAPHS) and players.seats[player, HEAD] == POLICY:
        if HAS_POLICIES and kind == NETWORK:
            return _choose_by_network(players, player, slot, count, workspace)
        if HAS_GRAPHS and kind == GRAPH:
            return _choose_by_graph(players, player, slot, state, count, workspace)
    if HAS_OWN_VALUES and kind < SEARCH:
        return _choose_by_value(players, player, slot, state, count, workspace)
    return np.int64(-1)


@compiled
def decide(players: Any, state: Any, workspace: Any) -> Any:
    """The number of the move that the first of *players* chooses in a *state*."""
    slot = find_mover(workspace.states, state)
    take_slot(players, 0, slot, workspace)
    move = np.int64(choose_move(players, slot, state, workspace))
    note_move(workspace.states, move)
    return move


@compiled
def rate_moves(players: Any, state: Any, workspace: Any, ratings: Any) -> Any:
    """Writes what the first of *players* thinks of each legal move in a *state* into *ratings*.

    Whom it shows a win at once thinks infinitely well of that. Gives how many moves there are; 0 of
    those who think nothing of single moves: random players, and tree search.
    """
    slot = find_mover(workspace.states, state)
    take_slot(players, 0, slot, workspace)
    kind, head = players.seats[0, KIND], players.seats[0, HEAD]
    count = list_moves(workspace.states, state, workspace.moves, 0)
    if kind == RANDOM or (HAS_MCTS and players.seats[0, ROLLOUTS] > 0):
        return np.int64(0)
    if HAS_SUMS and kind in (NETWORK, TUPLES):
        at = slot * slot_size(workspace)
        sum_up(players, 0, slot, state, workspace, at, at, True)
    if HAS_SEARCHES and players.seats[0, DEPTH] > 0:
        for place in range(count):
            trial = follow(workspace.states, 1, state, peek(workspace.moves, place))
            value = _search(players, slot, trial, -INFINITE, workspace)
            ratings[place] = np.inf if value >= WIN else -np.inf if value <= -WIN else value
    elif HAS_POLICIES and head == POLICY and kind == NETWORK:
        shape, base, inputs = _find_last_inputs(players, 0, slot, workspace)
        outputs = _write_outputs(players, shape, base, inputs, workspace.outputs)
        for place in range(count):
            ratings[place] = peek(outputs, keep_move(peek(workspace.moves, place)))
    elif HAS_GRAPHS and head == POLICY and kind == GRAPH:
        run_player_graph(players, 0, slot, state, workspace)
        for place in range(count):
            at = players.seats[0, INPUTS] + keep_move(peek(workspace.moves, place))
            ratings[place] = peek(workspace.values, at)
    elif HAS_OWN_VALUES:
        for place in range(count):
            trial = follow(workspace.states, 1, state, peek(workspace.moves, place))
            verdict = judge(workspace.states, trial)
            if players.seats[0, TAKES_WINS] and has_won(workspace.states, trial, verdict, slot):
                ratings[place] = np.inf
            else:
                ratings[place] = value_state(players, 0, slot, trial, workspace)
    return np.int64(count)


@inlined
def _choose_by_network(players: Any, player: int, slot: int, count: int, workspace: Any) -> Any:
    """The first legal move of the strongest output."""
    shape, base, inputs = _find_last_inputs(players, player, slot, workspace)
    if MOVES <= LANES:
        allowed = np.uint64(0)
        for place in range(count):
            allowed |= ONE << np.uint64(peek(workspace.moves, place))
        return np.int64(pick_output(shape, players.weights, base, inputs, allowed))
    outputs = _write_outputs(players, shape, base, inputs, workspace.outputs)
    return _pick_strongest(outputs, 0, count, workspace)


@inlined
def _find_last_inputs(players: Any, player: int, slot: int, workspace: Any) -> Any:
    """The shape of a policy network, where its last layer stands, and what goes into that."""
    at = slot * slot_size(workspace)
    shape = players.shapes[players.seats[player, SHAPE]]
    base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
    activate_sums(shape, workspace.sums, at, players.columns, 0, False, inputs)
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, players.weights, base, workspace.ping, workspace.pong)
    return shape, base, inputs


@inlined
def _write_outputs(players: Any, shape: Any, base: Any, inputs: Any, outputs: Any) -> Any:
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
def _choose_by_graph(
    players: Any, player: int, slot: int, state: Any, count: int, workspace: Any
) -> Any:
    """The first legal move of the strongest output."""
    run_player_graph(players, player, slot, state, workspace)
    return _pick_strongest(workspace.values, players.seats[player, INPUTS], count, workspace)


@inlined
def _pick_strongest(outputs: Any, at: int, count: int, workspace: Any) -> Any:
    best = peek(workspace.moves, 0)
    for place in range(1, count):
        move = peek(workspace.moves, place)
        if peek(outputs, at + keep_move(move)) > peek(outputs, at + keep_move(best)):
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
        value = value_state(players, player, slot, trial, workspace)
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


@inlined
def _choose_by_search(players: Any, slot: Any, state: Any, count: int, workspace: Any) -> Any:
    """One of the best moves, each as likely."""
    best, equals, chosen = -INFINITE, 0, np.int64(-1)
    for place in range(count):
        move = peek(workspace.moves, place)
        trial = follow(workspace.states, 1, state, move)
        value = _search(players, slot, trial, best - 1, workspace)
        if value > best:
            best, equals, chosen = value, 1, move
        elif value == best:
            equals += 1
            if below(workspace.streams, equals) == 0:
                chosen = move
    return chosen


@inlined
def _search(players: Any, slot: Any, trial: Any, low: Any, workspace: Any) -> Any:
    """What a state after a move, at level 1, is worth to who made it; if not above *low* a bound.

    All that goes into the recursion has the type that it hands on there: where one function exists
    for two combinations of types, calls of itself are not found again in the cache.
    """
    side, depth = np.int64(slot), players.seats[peek(workspace.players, slot), DEPTH]
    asked = players if HAS_DEEP_VALUES else None
    return _value(asked, side, trial, side, depth - 1, low, INFINITE, np.int64(1), workspace)


@compiled
def _value(
    players: Any,
    slot: Any,
    state: Any,
    side: Any,
    depth: int,
    low: Any,
    high: Any,
    level: Any,
    workspace: Any,
) -> Any:
    """What a *state*, at a *level*, is worth to a *side*; a bound if not between *low* and *high*.

    Where chance decides it is the mean, of which all parts are searched in full. Where there is no
    room for deeper levels, it is what the game thinks, or the player in the *slot*.
    """
    if level + 2 > workspace.states.shape[0]:
        return _value_leaf(players, slot, state, side, workspace)
    outcomes = count_outcomes(workspace.states, state)
    if outcomes > 0:
        total = np.int64(0)
        for outcome in range(outcomes):
            trial = happen(workspace.states, level + 1, state, np.int64(outcome))
            total += _value(
                players, slot, trial, side, depth, -INFINITE, INFINITE, level + 1, workspace
            )
        return total // outcomes
    verdict = judge(workspace.states, state)
    if verdict != GOES_ON:
        return np.int64((1 - 2 * side) * verdict * (WIN + depth))
    if depth <= 0:
        return _value_leaf(players, slot, state, side, workspace)
    mover = find_mover(workspace.states, state)
    if mover != side:
        return -_value(players, slot, state, mover, depth, -high, -low, level, workspace)
    moves_at = level * MOVES
    count = list_deeper_moves(workspace.states, state, workspace.moves, moves_at)
    best = -INFINITE
    for place in range(count):
        trial = follow(workspace.states, level + 1, state, peek(workspace.moves, moves_at + place))
        value = _value(players, slot, trial, side, depth - 1, low, high, level + 1, workspace)
        best = max(best, value)
        low = max(low, best)
        if low >= high:
            break
    return best


@inlined
def _value_leaf(players: Any, slot: Any, state: Any, side: Any, workspace: Any) -> Any:
    """What a leaf of the search is worth to a *side*."""
    if HAS_DEEP_VALUES and players.seats[peek(workspace.players, slot), KIND] != SEARCH:
        value = value_leaf(players, slot, state, workspace)
        return value if side == slot else -value
    return weigh(workspace.states, state, side)
