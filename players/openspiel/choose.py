"""Choice of moves by networks in games whose rules are not compiled, for many turns at once.

Observations are rows of ``float32``. Inputs that are 1 add a column of whole numbers to the sums of
the first layer, as in compiled games; other values add products of ``float32``. Both are added in a
fixed order, so the same network gives the same bits on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes.neat.graph import run_graph
from evolve_arena.genomes.network import (
    ACTIVATION,
    LAYERS,
    SIZES,
    UNIT,
    activate,
    evaluate_hidden,
    padded,
    single_output,
)
from evolve_arena.genomes.simd import (
    LANES,
    add,
    add_int,
    load,
    load_int,
    multiply,
    peek,
    poke,
    spread,
    store,
    to_float,
)
from evolve_arena.players.board.workspace import HEAD, INPUTS, POLICY, SLOTS
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NUMBERS_AT,
    SHAPE,
    WEIGHTS_AT,
    PackedPlayers,
)

if TYPE_CHECKING:
    from evolve_arena.players.openspiel.matches import SpielWorkspace

HAS_NETWORKS = True
HAS_GRAPHS = True
"""True if any player is a network, or a graph; False in copies compiled for other players."""
PLAYER, SEAT, ROW, COUNT, MOVES_AT = range(5)
"""Fields of a turn: row of the player, seat, first row of its observations, number of moves, and
index of the first one."""
NOTHING = np.float32(0.0)


@compiled
def choose(
    players: PackedPlayers,
    turns: Array,
    moves: Array,
    rows: Floats,
    seats: int,
    picks: Array,
    workspace: SpielWorkspace,
) -> None:
    """Write the choice of each of the *turns* into *picks*.

    Args:
        players: Packed players.
        turns: Turns, shape ``(turns, 5)``; see :data:`PLAYER` and the other fields.
        moves: Actions of all turns, one turn after the other, shape ``(moves,)``; they are also the
            indices of a policy's outputs.
        rows: Observations, shape ``(rows, inputs)``: of the position for a policy, else of each
            afterstate. The last inputs, for the seats, are filled in here.
        seats: Number of seats.
        picks: Index of the first best move among those of each turn, shape ``(turns,)``.
        workspace: See `evolve_arena.players.openspiel.matches`.
    """
    for turn in range(turns.shape[0]):
        player, seat, first = turns[turn, PLAYER], turns[turn, SEAT], turns[turn, ROW]
        count, at = turns[turn, COUNT], turns[turn, MOVES_AT]
        is_policy = players.seats[player, HEAD] == POLICY
        # The last inputs tell the own seat.
        for row in range(first, first + (1 if is_policy else count)):
            for other in range(seats):
                rows[row, rows.shape[1] - seats + other] = np.float32(other == seat)
        # The first move of the highest output or value
        best, best_value = np.int64(0), 0.0
        if is_policy:
            _run_policy(players, player, rows, first, moves, at, count, workspace)
        for place in range(count):
            value = 0.0
            if is_policy:
                value = np.float64(peek(workspace.outputs, place))
            else:
                value = _value_row(players, player, rows, first + place, workspace)
            if place == 0 or value > best_value:
                best, best_value = np.int64(place), value
        picks[turn] = best


@inlined
def _value_row(
    players: PackedPlayers, player: int, rows: Floats, row: int, workspace: SpielWorkspace
) -> Number:
    """Return a player's value of the observation in a *row*."""
    if HAS_GRAPHS and (not HAS_NETWORKS or players.seats[player, KIND] == GRAPH):
        _run_graph(players, player, rows, row, workspace)
        return peek(workspace.values, players.seats[player, INPUTS])
    value = 0.0
    if HAS_NETWORKS:
        shape = players.shapes[players.seats[player, SHAPE]]
        base, inputs = _run_hidden(players, player, rows, row, workspace)
        value = np.float64(single_output(shape, players.weights, base, inputs))
    return value


@inlined
def _run_policy(
    players: PackedPlayers,
    player: int,
    rows: Floats,
    row: int,
    moves: Array,
    moves_at: int,
    count: int,
    workspace: SpielWorkspace,
) -> None:
    """Write the outputs for the legal moves into ``workspace.outputs``."""
    # The outputs of a graph, or those of the last layer of a network
    outputs = workspace.outputs
    if HAS_GRAPHS and (not HAS_NETWORKS or players.seats[player, KIND] == GRAPH):
        _run_graph(players, player, rows, row, workspace)
        at = players.seats[player, INPUTS]
        for place in range(count):
            output = peek(workspace.values, at + peek(moves, moves_at + place))
            poke(outputs, place, output)
    elif HAS_NETWORKS:
        shape = players.shapes[players.seats[player, SHAPE]]
        base, inputs = _run_hidden(players, player, rows, row, workspace)
        layers, width, block = shape[LAYERS], padded(shape[SIZES + shape[LAYERS]]), np.int64(-LANES)
        for place in range(count):
            move = peek(moves, moves_at + place)
            if layers == 1:
                poke(outputs, place, np.float64(peek(inputs, move)))
            else:
                # The last layer is computed only in blocks that hold a legal move.
                if move >= block + LANES or move < block:
                    block = move - move % LANES
                    total, weight = load(players.weights, base + block), base + width + block
                    for unit in range(shape[SIZES + layers - 1]):
                        term = multiply(spread(peek(inputs, unit)), load(players.weights, weight))
                        total = add(total, term)
                        weight += width
                    store(workspace.block, 0, total)
                poke(outputs, place, np.float64(peek(workspace.block, move - block)))


@inlined
def _run_hidden(
    players: PackedPlayers, player: int, rows: Floats, row: int, workspace: SpielWorkspace
) -> tuple[int, Array]:
    """Run all layers but the last; return the index of its weights, and its inputs."""
    shape = players.shapes[players.seats[player, SHAPE]]
    width, columns = padded(shape[SIZES + 1]), players.columns
    base, active, last = players.seats[player, COLUMNS_AT], workspace.active, rows.shape[1]
    # Columns of inputs that are 1 are listed from the front, others from the back.
    ones, others = 0, last
    for place in range(last):
        seen = rows[row, place]
        if seen != NOTHING:
            start = base + (place + 1) * width
            if seen == np.float32(1.0):
                poke(active, ones, start)
                ones += 1
            else:
                others -= 1
                poke(active, others, start)
                poke(workspace.factors, others, seen)
    # The first layer, a block of units at a time
    for block in range(0, width, LANES):
        total = load_int(columns, base + block)
        for number in range(ones):
            total = add_int(total, load_int(columns, peek(active, number) + block))
        value = multiply(to_float(total), spread(UNIT))
        if others < last:
            rest = spread(NOTHING)
            for number in range(others, last):
                column = to_float(load_int(columns, peek(active, number) + block))
                rest = add(rest, multiply(column, spread(peek(workspace.factors, number))))
            value = add(value, multiply(rest, spread(UNIT)))
        if shape[LAYERS] > 1:
            value = activate(value, shape[ACTIVATION])
        store(workspace.ping, block, value)
    # Further hidden layers
    base, inputs = players.seats[player, WEIGHTS_AT], workspace.ping
    if shape[LAYERS] > 2:
        base, inputs = evaluate_hidden(shape, players.weights, base, workspace.ping, workspace.pong)
    return base, inputs


@inlined
def _run_graph(
    players: PackedPlayers, player: int, rows: Floats, row: int, workspace: SpielWorkspace
) -> None:
    """Activate a graph for the observation in a *row*; its outputs follow its inputs."""
    seats, values = players.seats, workspace.values
    for place in range(rows.shape[1]):
        poke(values, place, np.float64(rows[row, place]))
    run_graph(
        players.columns,
        seats[player, COLUMNS_AT],
        players.numbers,
        seats[player, NUMBERS_AT],
        values,
        0,
        0,
        values[seats[player, SLOTS] :],
    )
