"""What goes on inside a network before a position: what it sees, and how its units react."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes.neat.graph import compile_graphs, evaluate_slots
from evolve_arena.players.bred import NeatPlayer, VectorPlayer
from evolve_arena.players.player import Player
from evolve_arena.runs.export.graphs import read_nodes

MOST_WIRES = 160
"""Of more connections only those are told that carry most, of each layer as many."""


def look_inside(player: Player, position: Any) -> dict[str, Any] | None:
    """What a *player* sees of a *position*, and how it reacts; None if it has no such network.

    Returns:
        ``planes``, each with ``name``, ``rows``, ``columns``, ``values`` and what they are where
        they are no cells, ``names``; ``layers``, the last
        one that of the outputs, each a list of units with ``value`` and ``name``; and ``wires``,
        the strongest connections: from where, to where, what each carries. Units are numbered
        through: inputs, then the layers.
    """
    seen = player.see(position) if isinstance(player, VectorPlayer | NeatPlayer) else None
    if seen is None:
        return None
    if isinstance(player, VectorPlayer):
        layers, wires = _run_layers(player, seen.values)
    elif isinstance(player, NeatPlayer) and player.decoder.feed_forward:
        layers, wires = _run_graph(player, seen.values)
    else:
        return None
    for unit, name in zip(layers[-1], seen.labels.outputs, strict=False):
        unit["name"] = name
    wires.sort(key=lambda wire: -abs(wire[2]))
    planes, at = [], 0
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
        "wires": [wire for wire in wires if wire[2]][:MOST_WIRES],
        "inputs": len(seen.values),
    }


Wires = list[tuple[int, int, float]]
Layers = list[list[dict[str, Any]]]


def _run_layers(player: VectorPlayer, inputs: NDArray[np.float64]) -> tuple[Layers, Wires]:
    decoder = player.decoder
    expand = getattr(decoder, "expand", lambda genomes: genomes)
    genome = expand(player.genome[None])[0]
    outputs = [values[0] for values in decoder.mlp.activations(genome, inputs[None])]
    before, first = inputs, 0
    wires: Wires = []
    layers: Layers = []
    for (weights, _), values in zip(decoder.mlp.layers(genome), outputs, strict=True):
        carried = before[:, None] * weights
        after = first + len(before)
        strongest = np.argsort(-np.abs(carried), axis=None)[: MOST_WIRES // len(outputs)]
        for source, target in zip(*np.unravel_index(strongest, carried.shape), strict=True):
            wires.append((first + int(source), after + int(target), float(carried[source, target])))
        layers.append(_name_units(values, is_last=len(layers) == len(outputs) - 1))
        before, first = values, after
    return layers, wires


def _run_graph(player: NeatPlayer, inputs: NDArray[np.float64]) -> tuple[Layers, Wires]:
    decoder = player.decoder
    graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, True)
    slots = evaluate_slots(graphs, 0, inputs)
    nodes = list(read_nodes(graphs))
    hidden = [node.slot for node in nodes if node.slot >= decoder.inputs + decoder.outputs]
    outputs = list(range(decoder.inputs, decoder.inputs + decoder.outputs))
    place = {slot: slot for slot in range(decoder.inputs)}
    place |= {slot: decoder.inputs + number for number, slot in enumerate([*hidden, *outputs])}
    wires = [
        (place[source], place[node.slot], float(weight * slots[source]))
        for node in nodes
        for source, weight in node.connections
    ]
    layers = [_name_units(slots[hidden], is_last=False)] if hidden else []
    return [*layers, _name_units(slots[outputs], is_last=True)], wires


def _name_units(values: NDArray[np.float64], *, is_last: bool) -> list[dict[str, Any]]:
    """The units of a layer; one output alone is the value, several are moves."""
    name = "value" if is_last and len(values) == 1 else "output" if is_last else "unit"
    numbers = [name] if name == "value" else [f"{name} {number}" for number in range(len(values))]
    return [
        {"name": each, "value": float(value)} for each, value in zip(numbers, values, strict=True)
    ]
