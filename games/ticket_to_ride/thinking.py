"""The forward pass of networks and graphs for Ticket to Ride, compiled.

What they see stands in ``room.inputs``: features as counted, and behind them, for those that weigh
moves, what :mod:`evolve_arena.games.ticket_to_ride.situation` and
:mod:`evolve_arena.games.ticket_to_ride.move_features` write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import hidden, internal
from evolve_arena.games.ticket_to_ride.inputs import scale_of
from evolve_arena.games.ticket_to_ride.room import FEATURES, INPUTS, SLOTS
from evolve_arena.games.ticket_to_ride.situation import MOVES_AT
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
from evolve_arena.players.lineup import COLUMNS_AT, GRAPH, KIND, NUMBERS_AT, SHAPE, WEIGHTS_AT

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


@internal
def weigh_decisions(lineup: Any, player: int, room: Any) -> None:
    """Writes to ``room.worths`` what the *player* thinks of each of the four decisions."""
    if HAS_GRAPHS and (not HAS_NETWORKS or lineup.seats[player, KIND] == GRAPH):
        inputs = _run(lineup, player, room)
        for place in range(DECISIONS):
            poke(room.worths, place, peek(room.values, inputs + place))
        return
    shape = lineup.shapes[lineup.seats[player, SHAPE]]
    weights, at = lineup.weights, lineup.seats[player, WEIGHTS_AT]
    start_first(shape, weights, at, room.base)
    count = lineup.seats[player, FEATURES]
    add_inputs(shape, weights, at, room.inputs, 0, count, room.base, room.base)
    activate_first(shape, room.base, room.ping)
    at = later_layers_at(shape, at)
    evaluate_later(shape, weights, at, room.ping, room.pong, room.base)
    for place in range(DECISIONS):
        poke(room.worths, place, np.float64(peek(room.base, place)))


@internal
def begin_weighing(lineup: Any, player: int, room: Any) -> None:
    """Works out what all moves of a state have in common, for a *player* that weighs moves."""
    if HAS_GRAPHS and (not HAS_NETWORKS or lineup.seats[player, KIND] == GRAPH):
        return
    shape = lineup.shapes[lineup.seats[player, SHAPE]]
    at = lineup.seats[player, WEIGHTS_AT]
    start_first(shape, lineup.weights, at, room.base)
    add_inputs(shape, lineup.weights, at, room.inputs, 0, MOVES_AT, room.base, room.base)


@internal
def weigh_move(lineup: Any, player: int, room: Any, count: int) -> Any:
    """What the *player* thinks of a move (``float64``).

    Its inputs stand in ``room.inputs``; *count* of them are not 0, those in ``room.places``.
    """
    if HAS_GRAPHS and (not HAS_NETWORKS or lineup.seats[player, KIND] == GRAPH):
        inputs = _run(lineup, player, room)
        return peek(room.values, inputs)
    shape = lineup.shapes[lineup.seats[player, SHAPE]]
    weights, at = lineup.weights, lineup.seats[player, WEIGHTS_AT]
    add_some_inputs(shape, weights, at, room.inputs, room.places, count, room.base, room.ping)
    activate_first(shape, room.ping, room.ping)
    at = later_layers_at(shape, at)
    at, last = evaluate_hidden(shape, weights, at, room.ping, room.pong)
    return np.float64(single_output(shape, weights, at, last))


@internal
def _run(lineup: Any, player: int, room: Any) -> Any:
    """Activates a graph; gives the slot of its first output."""
    inputs = lineup.seats[player, INPUTS]
    features = lineup.seats[player, FEATURES]
    for place in range(inputs):
        scale = scale_of(place) if place < features else 1.0
        poke(room.values, place, np.float64(peek(room.inputs, place)) * scale)
    structure, numbers = lineup.seats[player, COLUMNS_AT], lineup.seats[player, NUMBERS_AT]
    slots = lineup.seats[player, SLOTS]
    _activate(lineup.columns, structure, lineup.numbers, numbers, room.values, slots)
    return inputs


@hidden
def _activate(
    structure: Any, structure_at: int, numbers: Any, numbers_at: int, values: Any, slots: int
) -> None:
    """Runs a graph whose inputs stand in *values*.

    What others left in the plane does not matter: inputs are all written, and every step fills its
    slot before another reads it.
    """
    run_graph(structure, structure_at, numbers, numbers_at, values, 0, 0, values[slots:])
