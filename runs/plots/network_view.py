"""A network's activations in a position: its inputs, its units, and each input's effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import State
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate_slots
from evolve_arena.players.evolved import EvolvedPlayer, Inputs, Labels, NeatPlayer, VectorPlayer
from evolve_arena.players.player import Player
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export.networks import read_nodes

MAX_EDGES = 160
"""Maximum connections that are returned: those that carry most, by layer in a perceptron."""
MAX_ROWS = 1 << 20
"""Maximum size of the table from which the inputs' effects are found: a row for each input."""


class Unit(TypedDict):
    """A unit of a network, and its value in a position."""

    name: str
    value: float


class Plane(TypedDict):
    """A group of inputs and their values, row by row."""

    name: str
    rows: int
    columns: int
    values: list[float]
    names: list[str]
    """Names of the inputs if they are not cells."""


class NetworkView(TypedDict):
    """A network's activations in a position, ready for JSON."""

    planes: list[Plane]
    layers: list[list[Unit]]
    """Units of each layer; the last layer is the outputs."""
    edges: list[tuple[int, int, float]]
    """The strongest connections: source, target, and the value that each carries.

    Inputs and units are numbered through: inputs, then the layers.
    """
    inputs: int
    """Number of inputs."""
    adds: list[float]
    """For each input, the output's value less its value if that input were 0.

    For a tuple network, the input's share of the numbers of the tuples on it.
    """
    output: str
    """Name of that output; of a policy, the output of the best move."""


def look_inside(player: Player, position: State) -> NetworkView | None:
    """Return the inputs and activations of *player*'s network in a *position*; None without one."""
    if isinstance(player, TuplePlayer):
        return _look_into_tuples(player, position)
    seen = player.see(position) if isinstance(player, VectorPlayer | NeatPlayer) else None
    if seen is None:
        return None
    assert isinstance(player, VectorPlayer | NeatPlayer)
    if isinstance(player, NeatPlayer):
        layers, edges, respond = _run_graph(player, seen.values)
    else:
        layers, edges, respond = _run_layers(player, seen.values)
    for unit, name in zip(layers[-1], seen.labels.outputs, strict=False):
        unit["name"] = name
    output = _choose_output(player, position, [unit["value"] for unit in layers[-1]])
    adds = _find_shares(seen.values, lambda rows: respond(rows)[:, output])
    return _describe(seen, layers, edges, adds, layers[-1][output]["name"])


Edges = list[tuple[int, int, float]]
Layers = list[list[Unit]]
Respond = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""The network as a function from rows of inputs to outputs, shape ``(rows, outputs)``."""
Parts = tuple[Layers, Edges, Respond]


def _describe(
    seen: Inputs, layers: Layers, edges: Edges, adds: list[float], output: str
) -> NetworkView:
    """Return the view of a network whose parts are known."""
    edges.sort(key=lambda edge: -abs(edge[2]))
    planes, at = list[Plane](), 0
    for name, rows, columns in seen.labels.planes:
        values = seen.values[at : at + rows * columns].tolist()
        names = list(seen.labels.names[at : at + rows * columns])
        planes.append(
            {"name": name, "rows": rows, "columns": columns, "values": values, "names": names}
        )
        at += rows * columns
    return {
        "planes": planes,
        "layers": layers,
        "edges": [edge for edge in edges if edge[2]][:MAX_EDGES],
        "inputs": len(seen.values),
        "adds": adds,
        "output": output,
    }


def _choose_output(player: EvolvedPlayer, position: State, outputs: list[float]) -> int:
    """Return the index of the largest output; for a policy, of the largest of a legal move."""
    allowed: Iterable[int] = range(len(outputs))
    if player.decoder.head == "policy":
        allowed = map(player.game.number_of, player.game.legal_moves(position))
    return max(allowed, key=lambda output: outputs[output], default=0)


def _find_shares(inputs: NDArray[np.float64], respond: Respond) -> list[float]:
    """Return, for each of the *inputs*, the output's value less its value if that input were 0.

    All are 0 if the table would be larger than :data:`MAX_ROWS`.
    """
    shares, active = np.zeros(len(inputs)), np.flatnonzero(inputs)
    if len(active) * len(inputs) <= MAX_ROWS:
        rows = np.tile(inputs, (len(active) + 1, 1))
        rows[np.arange(len(active)), active] = 0.0
        outputs = respond(rows)
        shares[active] = outputs[-1] - outputs[:-1]
    return [float(share) for share in shares]


def _run_layers(player: VectorPlayer, inputs: NDArray[np.float64]) -> Parts:
    """Run a multilayer perceptron; a connection carries its weight times its source's value."""
    decoder = player.decoder
    genome = decoder.expand(player.genome[None])[0]
    outputs = [values[0] for values in decoder.mlp.activations(genome, inputs[None])]
    before, first = inputs, 0
    edges: Edges = []
    layers: Layers = []
    for (weights, _), values in zip(decoder.mlp.layers(genome), outputs, strict=True):
        carried = before[:, None] * weights
        after = first + len(before)
        strongest = np.argsort(-np.abs(carried), axis=None)[: MAX_EDGES // len(outputs)]
        for source, target in zip(*np.unravel_index(strongest, carried.shape), strict=True):
            edges.append((first + int(source), after + int(target), float(carried[source, target])))
        layers.append(_name_units(values, is_last=len(layers) == len(outputs) - 1))
        before, first = values, after
    return layers, edges, lambda rows: decoder.mlp.evaluate(genome, rows)


def _run_graph(player: NeatPlayer, inputs: NDArray[np.float64]) -> Parts:
    """Run a graph; its hidden nodes are one layer, in the order of evaluation."""
    decoder = player.decoder
    graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, feed_forward=True)
    slots = evaluate_slots(graphs, 0, inputs)
    nodes = list(read_nodes(graphs))

    # Number hidden nodes before outputs, as layers are
    hidden = [node.slot for node in nodes if node.slot >= decoder.inputs + decoder.outputs]
    outputs = list(range(decoder.inputs, decoder.inputs + decoder.outputs))
    place = {slot: slot for slot in range(decoder.inputs)}
    place |= {slot: decoder.inputs + number for number, slot in enumerate([*hidden, *outputs])}
    edges = [
        (place[source], place[node.slot], float(weight * slots[source]))
        for node in nodes
        for source, weight in node.connections
        if source in place  # else it is always 0
    ]
    layers = [_name_units(slots[hidden], is_last=False)] if hidden else []

    def respond(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([evaluate_slots(graphs, 0, row)[outputs] for row in rows])

    return [*layers, _name_units(slots[outputs], is_last=True)], edges, respond


def _look_into_tuples(player: TuplePlayer, position: State) -> NetworkView:
    """Return the view of a tuple network: its units are tuples, and cells share their entries."""
    decoder, cells = player.decoder, player.genome.cells[0].astype(np.int64)
    picked = player.read_entries(position)
    _, states = decoder.read_cells(position)
    values = np.zeros(sum(rows * columns for _, rows, columns in decoder.planes))
    places = {int(cell): decoder.find_input(cell, states[cell]) for cell in np.flatnonzero(states)}
    values[list(places.values())] = 1.0

    # Divide each entry evenly among the cells of the tuple that are not empty
    carried: dict[tuple[int, int], float] = {}
    adds = np.zeros(values.size)
    for number, (some, parts) in enumerate(zip(cells, picked, strict=True)):
        for view, part in zip(decoder.views, parts, strict=True):
            there = [int(cell) for cell in view[some] if states[cell]]
            for cell in there:
                source = int(places[cell])
                adds[source] += part / len(there)
                ends = source, values.size + number
                carried[ends] = carried.get(ends, 0.0) + part / len(there)

    # A unit for each tuple, all connected with the output
    sums = picked.sum(axis=1)
    units: list[Unit] = [
        {"name": f"tuple {number}", "value": float(value)} for number, value in enumerate(sums)
    ]
    last = values.size + len(units)
    edges = sorted(carried.items(), key=lambda edge: -abs(edge[1]))[: MAX_EDGES // 2]
    told = [(*ends, float(part)) for ends, part in edges]
    told += [(values.size + at, last, float(value)) for at, value in enumerate(sums)]
    seen = Inputs(values, Labels(decoder.planes))
    output = _name_units(sums.sum(keepdims=True), is_last=True)
    return _describe(seen, [units, output], told, adds.tolist(), "value")


def _name_units(values: NDArray[np.float64], *, is_last: bool) -> list[Unit]:
    """Return the units of a layer; a single output is the value, several are moves."""
    name = "value" if is_last and len(values) == 1 else "output" if is_last else "unit"
    numbers = [name] if name == "value" else [f"{name} {number}" for number in range(len(values))]
    return [
        {"name": each, "value": float(value)} for each, value in zip(numbers, values, strict=True)
    ]
