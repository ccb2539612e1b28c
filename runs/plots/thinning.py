"""Large networks as their strongest parts, so that a picture of them can still be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evolve_arena.runs.plots.sketch import Node, Sketch, Wire

MOST_NODES = 96
"""In a layer; of more hidden nodes those whose weights to others are the largest are drawn."""
MOST_WIRES = 120
"""Of more connections between nodes the strongest are drawn."""


def thin_out(sketch: Sketch) -> Sketch:
    """*sketch* without what would hide the rest; its remarks tell what was left out."""
    layers = [_choose_nodes(sketch, layer) for layer in sketch.layers[:-1]]
    layers.append(sketch.layers[-1])
    remarks = list(sketch.remarks)
    for layer, chosen in zip(sketch.layers, layers, strict=True):
        if len(chosen) < len(layer):
            remarks.append(f"drawn: of {len(layer):,} nodes of a layer the {len(chosen)} strongest")
    kept = sorted(node for layer in layers for node in layer)
    place = {node: at for at, node in enumerate(kept)}
    wires = [
        Wire(place[wire.source], place[wire.target], wire.weight)
        for wire in sketch.wires
        if wire.source in place and wire.target in place
    ]
    if len(wires) > MOST_WIRES:
        remarks.append(
            f"drawn: of {len(wires):,} connections between nodes the {MOST_WIRES} strongest"
        )
        wires = sorted(wires, key=lambda wire: -abs(wire.weight))[:MOST_WIRES]
    nodes = list(sketch.nodes)
    for depth, layer in enumerate(layers[:-1]):
        above = [node in place for node in sketch.layers[depth + 1]]
        for node in layer:
            nodes[node] = _cut_votes(nodes[node], above)
    return replace(
        sketch,
        remarks=remarks,
        nodes=[nodes[node] for node in kept],
        layers=[[place[node] for node in layer] for layer in layers],
        wires=wires,
    )


def _choose_nodes(sketch: Sketch, layer: list[int]) -> list[int]:
    """The nodes of a *layer* that matter most to others, in their order."""
    if len(layer) <= MOST_NODES:
        return layer
    strength = dict.fromkeys(layer, 0.0)
    for node in layer:
        votes = sketch.nodes[node].votes
        if votes is not None:
            strength[node] = float(np.nansum(np.abs(votes)))
    for wire in sketch.wires:
        if wire.source in strength and wire.source != wire.target:
            strength[wire.source] += abs(wire.weight)
    strongest = set(sorted(layer, key=lambda node: -strength[node])[:MOST_NODES])
    return [node for node in layer if node in strongest]


def _cut_votes(node: Node, above: list[bool]) -> Node:
    """A node without its votes for those of the layer *above* that are not drawn."""
    return node if node.votes is None else replace(node, votes=node.votes[np.array(above)])
