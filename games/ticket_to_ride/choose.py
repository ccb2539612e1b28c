"""How each kind of compiled player chooses a move of Ticket to Ride.

The match kernel, learners and the Python classes call the same functions, so a player moves alike
in all of them. Nobody looks at what a seat may not know: a state and what
:func:`evolve_arena.games.ticket_to_ride.views.hide` leaves of it give the same move.

The forward pass of networks and graphs for Ticket to Ride, compiled.

What they see stands in ``network.inputs``: features as counted, and behind them, for those that
weigh moves, what :mod:`evolve_arena.games.ticket_to_ride.situation` and
:mod:`evolve_arena.games.ticket_to_ride.move_features` write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.games.ticket_to_ride.features import fill_features
from evolve_arena.games.ticket_to_ride.inputs import scale_of
from evolve_arena.games.ticket_to_ride.layout import KEEP, KEEP_FIRST, PHASE, TO_MOVE, TURN
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.move_features import describe_move
from evolve_arena.games.ticket_to_ride.options import LACKING_KEPT
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.pruning import prune_moves
from evolve_arena.games.ticket_to_ride.rule import (
    DRAW_CARDS,
    carry_out,
    choose_tickets,
    rule_decision,
)
from evolve_arena.games.ticket_to_ride.situation import MOVES_AT, describe_situation
from evolve_arena.games.ticket_to_ride.survey import survey
from evolve_arena.games.ticket_to_ride.workspace import (
    DECISION,
    FEATURES,
    FORBIDS,
    HEAD,
    INPUTS,
    RULE,
    SLOTS,
    VARIANT,
)
from evolve_arena.genomes.dense import (
    activate_first,
    add_inputs,
    add_some_inputs,
    evaluate_later,
    later_layers_at,
    start_first,
)
from evolve_arena.genomes.neat.graph import run_graph
from evolve_arena.genomes.network import evaluate_hidden, single_output
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NETWORK,
    NOISE,
    NUMBERS_AT,
    RANDOM,
    SHAPE,
    WEIGHTS_AT,
)


@compiled
def choose_move(rules: Any, packed: Any, player: int, state: Any, workspace: Any) -> Any:
    """The number of the move of the seat whose turn it is, or ``FORBIDDEN``.

    Args:
        rules: The options of the game.
        packed: The players.
        player: The row of who sits there.
        state: The state, or what that seat may know of it; the game is not over.
        workspace: Room for a match
            (:class:`~evolve_arena.games.ticket_to_ride.workspace.TicketWorkspace`); chance comes
            from ``workspace.streams``.
    """
    noise, kind = packed.seats[player, NOISE], packed.seats[player, KIND]
    if noise > 0 and np.int64(next_word(workspace.streams) >> np.uint64(32)) < noise:
        kind = RANDOM
    thinks = (HAS_NETWORKS and kind == NETWORK) or (HAS_GRAPHS and kind == GRAPH)
    decides = HAS_DECISIONS and thinks and packed.seats[player, HEAD] == DECISION
    seat, phase, variant = state[TO_MOVE], state[PHASE], packed.seats[player, VARIANT]
    by_rule = (HAS_RULE and kind == RULE) or (decides and phase != TURN)
    moves, network, count = workspace.moves, workspace.network, 0
    if (HAS_RULE or HAS_DECISIONS) and by_rule:
        if phase in (KEEP_FIRST, KEEP):
            return choose_tickets(rules, state, seat, variant, workspace)
    else:
        count = list_moves(rules, state, moves)
        if not thinks:
            return peek(moves, below(workspace.streams, count) if count > 1 else 0)
        if count == 1 and not decides:
            return peek(moves, 0)
    plans = phase == TURN or not by_rule or not variant & LACKING_KEPT
    if (HAS_RULE or HAS_THINKERS) and plans:
        prepare_turn(rules, state, seat, variant, workspace)
    if HAS_THINKERS and not by_rule:
        features = packed.seats[player, FEATURES]
        fill_features(rules, state, seat, features, variant, workspace, network.inputs)
        if HAS_MOVES and not decides:
            return _play_best_move(packed, player, state, count, workspace)
        if HAS_DECISIONS:
            weigh_decisions(packed, player, network)
    if HAS_RULE or HAS_DECISIONS:
        return _carry_out(rules, packed, player, state, by_rule, workspace)
    return peek(moves, 0)


@compiled
def begin_match(workspace: Any) -> None:
    """Forgets what is known of the seats of the match before.

    No move depends on it: what is known is always checked. It makes sure that a match takes the
    same steps whatever was played before.
    """
    for place in range(workspace.seats.shape[0]):
        poke(workspace.seats, place, np.uint64(0))
    for place in range(workspace.network.keys.shape[0]):
        poke(workspace.network.keys, place, np.uint64(0))


@inlined
def _carry_out(
    rules: Any, packed: Any, player: int, state: Any, by_rule: bool, workspace: Any
) -> Any:
    """Decides *by_rule*, or by what a network has thought of each decision, and carries it out.

    A network that is kept from what is impossible has its next best decision carried out then.
    """
    seat, variant, worths = state[TO_MOVE], packed.seats[player, VARIANT], workspace.network.worths
    decision = DRAW_CARDS
    if not by_rule:
        decision = _strongest(worths)
    elif state[PHASE] == TURN:
        decision = rule_decision(rules, state, seat, variant, workspace)
    for _ in range(DECISIONS):
        move = carry_out(rules, state, seat, variant, decision, workspace)
        if move >= 0 or by_rule or not packed.seats[player, FORBIDS]:
            return np.int64(move)
        poke(worths, decision, -np.inf)
        decision = _strongest(worths)
    return peek(workspace.moves, 0)


@inlined
def _strongest(worths: Any) -> int:
    """The first of the strongest outputs; those that are no numbers are weaker than all others."""
    best = 0
    for place in range(1, DECISIONS):
        if worths[place] > worths[best] or worths[best] != worths[best]:
            best = place
    return best


@inlined
def _play_best_move(packed: Any, player: int, state: Any, count: int, workspace: Any) -> Any:
    """The first of the moves of which the network thinks most; there are *count* legal ones."""
    seat, moves, network = state[TO_MOVE], workspace.moves, workspace.network
    survey(state, seat, workspace)
    describe_situation(state, seat, workspace)
    begin_weighing(packed, player, network)
    count = prune_moves(state, seat, moves, count, network)
    best, chosen = -np.inf, peek(moves, 0)
    for place in range(count):
        move = peek(moves, place)
        told = describe_move(state, seat, move, network)
        worth = weigh_move(packed, player, network, told)
        if worth > best:
            best, chosen = worth, move
    return chosen


@compiled
def weigh_moves(
    rules: Any, packed: Any, state: Any, workspace: Any, inputs: Any, worths: Any
) -> int:
    """What the first player, who weighs moves, is told of each one, and what it thinks of it.

    The moves stand in ``workspace.moves`` then; those that nobody weighs are left out.

    Args:
        rules: The options of the game.
        packed: The players.
        state: The state; the game is not over.
        workspace: Room for a match.
        inputs: Gets a row for each move, features as counted.
        worths: Gets a number for each move.

    Returns:
        How many moves there are.
    """
    seat, moves, network = state[TO_MOVE], workspace.moves, workspace.network
    features, variant = packed.seats[0, FEATURES], packed.seats[0, VARIANT]
    count = list_moves(rules, state, moves)
    prepare_turn(rules, state, seat, variant, workspace)
    fill_features(rules, state, seat, features, variant, workspace, network.inputs)
    survey(state, seat, workspace)
    describe_situation(state, seat, workspace)
    begin_weighing(packed, 0, network)
    count = prune_moves(state, seat, moves, count, network)
    for place in range(count):
        told = describe_move(state, seat, peek(moves, place), network)
        for number in range(inputs.shape[1]):
            inputs[place, number] = peek(network.inputs, number)
        worths[place] = weigh_move(packed, 0, network, told)
    return count


HAS_NETWORKS = True
HAS_GRAPHS = True
HAS_DECISIONS = True
HAS_MOVES = True
HAS_RULE = True
"""What players there are: networks and graphs, by their heads, and the rule player. Copies of this
file are compiled for fewer (see `GameSpec.kernel`)."""

HAS_THINKERS = HAS_NETWORKS or HAS_GRAPHS

DECISIONS = 4
"""Outputs of who decides what kind of thing to do."""


@inlined
def weigh_decisions(packed: Any, player: int, network: Any) -> None:
    """Writes to ``network.worths`` what the *player* thinks of each of the four decisions."""
    if HAS_GRAPHS and (not HAS_NETWORKS or packed.seats[player, KIND] == GRAPH):
        inputs = _run(packed, player, network)
        for place in range(DECISIONS):
            poke(network.worths, place, peek(network.values, inputs + place))
        return
    shape = packed.shapes[packed.seats[player, SHAPE]]
    weights, at = packed.weights, packed.seats[player, WEIGHTS_AT]
    start_first(shape, weights, at, network.base)
    count = packed.seats[player, FEATURES]
    add_inputs(shape, weights, at, network.inputs, 0, count, network.base, network.base)
    activate_first(shape, network.base, network.ping)
    at = later_layers_at(shape, at)
    evaluate_later(shape, weights, at, network.ping, network.pong, network.base)
    for place in range(DECISIONS):
        poke(network.worths, place, np.float64(peek(network.base, place)))


@inlined
def begin_weighing(packed: Any, player: int, network: Any) -> None:
    """Works out what all moves of a state have in common, for a *player* that weighs moves."""
    if HAS_GRAPHS and (not HAS_NETWORKS or packed.seats[player, KIND] == GRAPH):
        return
    shape = packed.shapes[packed.seats[player, SHAPE]]
    at = packed.seats[player, WEIGHTS_AT]
    start_first(shape, packed.weights, at, network.base)
    add_inputs(shape, packed.weights, at, network.inputs, 0, MOVES_AT, network.base, network.base)


@inlined
def weigh_move(packed: Any, player: int, network: Any, count: int) -> Any:
    """What the *player* thinks of a move (``float64``).

    Its inputs stand in ``network.inputs``; *count* of them are not 0, those in ``network.places``.
    """
    if HAS_GRAPHS and (not HAS_NETWORKS or packed.seats[player, KIND] == GRAPH):
        inputs = _run(packed, player, network)
        return peek(network.values, inputs)
    shape = packed.shapes[packed.seats[player, SHAPE]]
    weights, at = packed.weights, packed.seats[player, WEIGHTS_AT]
    add_some_inputs(
        shape, weights, at, network.inputs, network.places, count, network.base, network.ping
    )
    activate_first(shape, network.ping, network.ping)
    at = later_layers_at(shape, at)
    at, last = evaluate_hidden(shape, weights, at, network.ping, network.pong)
    return np.float64(single_output(shape, weights, at, last))


@inlined
def _run(packed: Any, player: int, network: Any) -> Any:
    """Activates a graph; gives the slot of its first output."""
    inputs = packed.seats[player, INPUTS]
    features = packed.seats[player, FEATURES]
    for place in range(inputs):
        scale = scale_of(place) if place < features else 1.0
        poke(network.values, place, np.float64(peek(network.inputs, place)) * scale)
    structure, numbers = packed.seats[player, COLUMNS_AT], packed.seats[player, NUMBERS_AT]
    slots = packed.seats[player, SLOTS]
    _activate(packed.columns, structure, packed.numbers, numbers, network.values, slots)
    return inputs


@compiled
def _activate(
    structure: Any, structure_at: int, numbers: Any, numbers_at: int, values: Any, slots: int
) -> None:
    """Runs a graph whose inputs stand in *values*.

    What others left in the plane does not matter: inputs are all written, and every step fills its
    slot before another reads it.
    """
    run_graph(structure, structure_at, numbers, numbers_at, values, 0, 0, values[slots:])
