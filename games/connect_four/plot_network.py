"""What there is to draw of a network for Connect Four: nodes, what they see, and wires."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.board_view import BoardView
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.plot_tuples import draw_tuples
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS, SUM
from evolve_arena.players.player import Player
from evolve_arena.runs.plots.layers import find_layers
from evolve_arena.runs.plots.network import draw_network
from evolve_arena.runs.plots.sketch import Node, Sketch, Weights, Wire, count, write_title


def draw_player(player: Player, name: str | None = None) -> Figure:
    """The picture of a *player*'s network; *name* is that of its run."""
    if isinstance(player, TuplePlayer):
        return draw_tuples(player, name)
    return draw_network(sketch_player(player, name))


def sketch_player(player: Player, name: str | None = None) -> Sketch:
    """What there is to draw of *player*; the title begins with *name*, or with the player's.

    Raises:
        BadValueError: It is no network.
    """
    title = write_title(player, name)
    if isinstance(player, GraphPlayer):
        return _sketch_graph(player, title)
    if isinstance(player, NetworkPlayer):
        return _sketch_perceptron(player, title)
    raise BadValueError(f"{player.name} has no network that could be drawn")


def _sketch_graph(player: GraphPlayer, title: str) -> Sketch:
    """Nodes on which no output depends, and connections that do not count, are left out."""
    decoder = player.decoder
    keys, links = _find_working(player)
    place = {key: at for at, key in enumerate(keys)}
    boards: dict[int, Weights] = {}
    wires = []
    for source, target, weight in links:
        if source >= 0:
            wires.append(Wire(place[source], place[target], weight))
            continue
        board = boards.setdefault(place[target], np.full(decoder.input_shape, np.nan))
        board.ravel()[-1 - source] = weight
    ends = [(wire.source, wire.target) for wire in wires]
    fed = set(player.genome.target[player.genome.enabled].tolist())
    return Sketch(
        title=title,
        remarks=[*_count_genes(player, len(keys), len(links)), _describe_head(decoder)],
        planes=decoder.plane_names,
        shape=decoder.input_shape,
        nodes=[_make_node(player, key, key in fed, boards.get(place[key])) for key in keys],
        layers=find_layers(len(keys), decoder.outputs, ends),
        wires=wires,
        remembers=not decoder.feed_forward and bool(wires),
    )


def _find_working(player: GraphPlayer) -> tuple[list[int], list[tuple[int, int, float]]]:
    """Nodes and connections on which an output depends.

    In a recurrent network those without a connection to them are always 0: where numbers are
    added up, nothing depends on them.

    Returns:
        The keys of the nodes, ascending, and source, target and weight of the connections.
    """
    genome, decoder = player.genome, player.decoder
    enabled = np.flatnonzero(genome.enabled)
    columns = (genome.source, genome.target, genome.weight)
    links = list(zip(*(column[enabled].tolist() for column in columns), strict=True))
    if not decoder.feed_forward:
        adding = set(genome.node_key[genome.aggregation == SUM].tolist())
        fed = {target for _, target, _ in links}
        links = [link for link in links if link[0] < 0 or link[0] in fed or link[1] not in adding]
    sources: dict[int, list[int]] = {}
    for source, target, _ in links:
        sources.setdefault(target, []).append(source)
    needed = set(range(decoder.outputs))
    waiting = list(needed)
    while waiting:
        new = {key for key in sources.get(waiting.pop(), ()) if key >= 0} - needed
        needed |= new
        waiting += new
    return sorted(needed), [link for link in links if link[1] in needed]


def _make_node(player: GraphPlayer, key: int, fed: bool, board: Weights | None) -> Node:
    """The node of that *key*; *fed* is whether a connection leads to it."""
    genome, decoder = player.genome, player.decoder
    gene = int(np.flatnonzero(genome.node_key == key)[0])
    computes = ACTIVATIONS[genome.activation[gene]]
    if genome.aggregation[gene] != SUM:
        computes += f" of {AGGREGATIONS[genome.aggregation[gene]]}"
    return Node(
        _name_output(decoder, key) if key < decoder.outputs else str(key),
        computes if fed or decoder.feed_forward else "always 0",
        float(genome.bias[gene]),
        float(genome.response[gene]),
        board,
    )


def _count_genes(player: GraphPlayer, nodes: int, connections: int) -> list[str]:
    genome, decoder = player.genome, player.decoder
    working = int(genome.enabled.sum())
    kind = "feed-forward" if decoder.feed_forward else "recurrent"
    hidden = count(nodes - decoder.outputs, "hidden node")
    left_out = [
        count(len(genome.node_key) - nodes, "idle node"),
        count(working - connections, "idle connection"),
        count(len(genome.enabled) - working, "disabled connection"),
    ]
    told = [words for words in left_out if not words.startswith("no ")]
    lines = [f"{hidden}, {count(connections, 'connection')}, {kind}"]
    return lines + [f"not drawn: {', '.join(told)}"] * bool(told)


def _sketch_perceptron(player: NetworkPlayer, title: str) -> Sketch:
    """Hidden units stand in the order of their influence on the layer above."""
    decoder = player.decoder
    layers = _read_layers(player)
    nodes = [
        Node(_name_output(decoder, output), "", float(bias))
        for output, bias in enumerate(layers[-1][1])
    ]
    rows = [list(range(len(nodes)))]
    order = np.arange(len(nodes))
    for depth in range(len(layers) - 2, -1, -1):
        votes = layers[depth + 1][0][:, order]
        order = np.argsort(-np.abs(votes).sum(axis=1).round(4), kind="stable")
        prefix = f"{depth + 1}." if len(layers) > 2 else ""
        rows.insert(0, list(range(len(nodes), len(nodes) + len(order))))
        nodes += [
            Node(f"{prefix}{unit}", "", float(layers[depth][1][unit]), votes=votes[unit])
            for unit in order
        ]
    for place, unit in zip(rows[0], order, strict=True):
        board = layers[0][0][: math.prod(decoder.input_shape), unit].reshape(decoder.input_shape)
        nodes[place] = replace(nodes[place], board=board)
    if decoder.head == "action":
        rows.insert(0, [len(nodes)])
        votes = layers[0][0][-1, order]
        nodes.append(Node("move", "column's number", 0.0, votes=votes))
    units = " and ".join(map(str, decoder.hidden))
    remark = f"{units} hidden units ({decoder.activation})" if units else "no hidden units"
    remark += f", {decoder.mlp.genes:,} weights and biases"
    if decoder.symmetric:
        remark += ", shared between mirror images"
    return Sketch(
        title=title,
        remarks=[remark, _describe_head(decoder)],
        planes=decoder.plane_names,
        shape=decoder.input_shape,
        nodes=nodes,
        layers=rows,
    )


def _read_layers(player: NetworkPlayer) -> list[tuple[Weights, Weights]]:
    """Weights, of shape ``(before, after)``, and biases of each layer."""
    genes = player.decoder.expand(player.genome[None, :])[0].astype(np.float64)
    return player.decoder.mlp.layers(genes)


def _name_output(decoder: BoardView, output: int) -> str:
    return f"column {output}" if decoder.head == "policy" else "value"


def _describe_head(decoder: BoardView) -> str:
    if decoder.head == "policy":
        return "policy: the column whose output is the largest is played"
    if decoder.head == "action":
        return (
            "action: the column is played whose number as the move's input gives the largest value"
        )
    return "value: of all moves the one is played that leads to the position of the largest value"
