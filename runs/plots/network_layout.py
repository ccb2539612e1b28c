"""Contents of a network's picture, for any game: nodes, the inputs that they read, and edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.types import JsonObject
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS, SUM
from evolve_arena.players.evolved import EvolvedPlayer, Labels, NeatPlayer, VectorPlayer
from evolve_arena.players.page_board import find_page_board
from evolve_arena.players.player import Player

if TYPE_CHECKING:
    from evolve_arena.players.board.networks import GraphDecoder, NetworkDecoder

Weights = NDArray[np.float64]

ACROSS = 4
"""Maximum number of planes side by side."""
SPACE = 0.7
"""Free space between two planes, in cells."""
LONG_ROW = 18
"""Inputs in a row above which rows are farther apart, with space for their names."""
MAX_NAMES = 8
"""Maximum number of unread inputs of a graph that are named."""
HEADS = {
    "policy": "policy: plays the legal move with the largest output",
    "value": "value: plays the move that leads to the position of the largest value",
    "action": "action: plays the move that gives the largest value as an input",
    "kinds": "kinds: the largest output chooses a kind of moves, and a scripted player the move",
}


@dataclass(frozen=True, eq=False)
class Plane:
    """Inputs that are drawn together, as cells; lengths are in cells, y goes upwards."""

    name: str
    places: Weights
    """Lower left corner of each cell, shape ``(cells, 2)``."""
    left: float
    bottom: float
    width: float
    height: float
    """Lower left corner and size of the plane."""
    labels: tuple[tuple[float, float, str], ...] = ()
    """Texts beside it: the middle of each, and the text."""
    marks: tuple[str, ...] = ()
    """Texts in its cells, if these are numbered."""
    shape: str = "square"
    """Shape of its cells, one of `evolve_arena.players.page_board.SHAPES`."""


@dataclass(frozen=True, eq=False)
class Board:
    """All planes of a network's inputs, side by side."""

    planes: tuple[Plane, ...] = ()

    @property
    def width(self) -> float:
        """Width in cells."""
        return max((plane.left + plane.width for plane in self.planes), default=0.0)

    @property
    def height(self) -> float:
        """Height in cells."""
        return max((plane.bottom + plane.height for plane in self.planes), default=0.0)

    @property
    def inputs(self) -> int:
        """Number of inputs that the planes show."""
        return sum(len(plane.places) for plane in self.planes)


@dataclass(frozen=True, eq=False)
class Node:
    """An output, a hidden node, or an input that has a name."""

    name: str
    """Its meaning, or its number."""
    computes: str = ""
    """Its activation, and its aggregation unless that is the sum."""
    bias: float | None = None
    """None for an input, which has no bias."""
    response: float = 1.0
    board: Weights | None = None
    """The weights from the cells, shape ``(inputs,)``, NaN where there is no connection; None if it
    reads no cell."""
    votes: Weights | None = None
    """Its weights to all nodes of the layer above, in their order, shape ``(nodes,)``; None if
    edges show them."""


@dataclass(frozen=True)
class Edge:
    """A connection between two nodes, given by their indices in a sketch."""

    source: int
    target: int
    weight: float


@dataclass(frozen=True, eq=False)
class Sketch:
    """A network as a picture shows it."""

    title: str
    remarks: list[str]
    """Lines below the title."""
    board: Board
    """Inputs that are cells."""
    nodes: list[Node]
    """Nodes, the outputs first."""
    layers: list[list[int]]
    """Indices of the nodes in each layer, the lowest layer first, the outputs last."""
    edges: list[Edge] = field(default_factory=list)
    turned: bool = False
    """True if layers are drawn from left to right, to have room for long names of inputs."""

    @property
    def reading(self) -> Weights:
        """Sum of the absolute weights from each cell, shape ``(inputs,)``."""
        total: Weights = np.zeros(self.board.inputs)
        for node in self.nodes:
            if node.board is not None:
                total += np.nan_to_num(np.abs(node.board))
        return total

    @property
    def weights(self) -> Weights:
        """All finite weights, in one dimension and no particular order."""
        parts = [np.array([edge.weight for edge in self.edges])]
        for node in self.nodes:
            parts += [part.ravel() for part in (node.board, node.votes) if part is not None]
        together: Weights = np.concatenate(parts)
        return together[np.isfinite(together)]


def sketch_player(player: Player, name: str | None = None) -> Sketch:
    """Sketch the network of *player*; the title begins with *name*, or with the player's name.

    Raises:
        BadValueError: The player has no network of nodes, or its inputs have no labels.
    """
    labels = player.labels if isinstance(player, EvolvedPlayer) else None
    if labels is not None and isinstance(player, NeatPlayer):
        return _sketch_graph(player, labels, write_title(player, name))
    if labels is not None and isinstance(player, VectorPlayer):
        return _sketch_perceptron(player, labels, write_title(player, name))
    raise BadValueError(f"{player.name} has no network that could be drawn")


def lay_out_board(labels: Labels, game: AnyGame) -> Board:
    """Return the places of inputs that are cells: as *game* draws its board, else row by row."""
    planes: list[Plane] = []
    if labels.names:
        return Board()
    layout = find_page_board(game).layout()
    rows_of_one = [plane for plane in labels.planes if plane[1] == 1]
    if len(rows_of_one) == len(labels.planes) > 1 and len({size for *_, size in rows_of_one}) == 1:
        return Board((_stack_rows(labels.planes),))
    for name, rows, columns in labels.planes:
        plane = _lay_out_plane(name, (rows, columns), layout)
        across = len(planes) % ACROSS
        if planes:
            before = planes[-1]
            left = before.left + before.width + SPACE if across else 0.0
            plane = replace(plane, left=left, bottom=before.bottom)
        if planes and not across:
            lift = plane.height + 2 * SPACE
            planes = [replace(each, bottom=each.bottom + lift) for each in planes]
            plane = replace(plane, bottom=0.0)
        planes.append(plane)
    return Board(tuple(planes))


def _lay_out_plane(name: str, size: tuple[int, int], layout: JsonObject) -> Plane:
    rows, columns = size
    cells: Sequence[JsonObject] = layout["cells"] if layout["kind"] == "cells" else ()
    if len(cells) == rows * columns:
        height = layout["height"]
        places = np.array([(cell["x"], height - cell["y"] - 1.0) for cell in cells])
        texts = tuple(
            (label["x"], height - label["y"], label["text"])
            for label in layout["labels"]
            if not label.get("small")
        )
        marks = [cell["name"] for cell in cells] if len(texts) < len(layout["labels"]) else ()
        whole = float(layout["width"]), float(height)
        return Plane(name, places, 0.0, 0.0, *whole, texts, tuple(marks), cells[0]["shape"])
    row, column = np.divmod(np.arange(rows * columns), columns)
    places = np.stack([column, rows - 1.0 - row], axis=1).astype(float)
    return Plane(name, places, 0.0, 0.0, float(columns), float(rows))


def _stack_rows(planes: Sequence[tuple[str, int, int]]) -> Plane:
    """Combine planes of one row each into one plane, with their names at the left."""
    count, columns = len(planes), planes[0][2]
    pitch = max(1.0, columns / LONG_ROW)
    plane = _lay_out_plane("", (count, columns), {"kind": "text"})
    lifted = plane.places * (1.0, pitch)
    top = (count - 1) * pitch + 0.5
    texts = [(-0.35, top - pitch * row, name) for row, (name, _, _) in enumerate(planes)]
    texts += [(column + 0.5, -0.45, str(column)) for column in range(0, columns, 5)]
    return replace(plane, places=lifted, height=top + 0.5, labels=tuple(texts))


def _sketch_graph(player: NeatPlayer, labels: Labels, title: str) -> Sketch:
    """Sketch a graph, without nodes and connections that no output depends on."""
    decoder = player.decoder
    keys, links = _find_working(player)
    board = lay_out_board(labels, player.game)

    # Inputs that are no cells get cards of their own
    read = sorted({source for source, _, _ in links if source < -board.inputs}, reverse=True)
    place = {key: at for at, key in enumerate([*keys, *read])}

    # Connections from cells are drawn on small boards, all others as edges
    boards: dict[int, Weights] = {}
    edges = []
    for source, target, weight in links:
        if source in place:
            edges.append(Edge(place[source], place[target], weight))
            continue
        cells = boards.setdefault(place[target], np.full(board.inputs, np.nan))
        cells[-1 - source] = weight
    ends = [(edge.source, edge.target) for edge in edges if edge.source < len(keys)]
    nodes = [_make_node(player, key, boards.get(place[key])) for key in keys]
    nodes += [Node(_name_input(labels, -1 - key)) for key in read]
    layers = find_layers(len(keys), decoder.outputs, ends)
    return Sketch(
        title=title,
        remarks=[
            *_count_genes(player, len(keys), len(links)),
            *([_count_inputs(labels, read)] if labels.names else []),
            describe_head(decoder),
        ],
        board=board,
        nodes=nodes,
        layers=[[place[key] for key in read], *layers] if read else layers,
        edges=edges,
        turned=bool(labels.names),
    )


def _find_working(player: NeatPlayer) -> tuple[list[int], list[tuple[int, int, float]]]:
    """Find the nodes and connections that an output depends on.

    Returns:
        Keys of the nodes, ascending, and source, target and weight of the connections.
    """
    genome, decoder = player.genome, player.decoder
    enabled = np.flatnonzero(genome.enabled)
    columns = (genome.source, genome.target, genome.weight)
    links = list(zip(*(column[enabled].tolist() for column in columns), strict=True))
    sources: dict[int, list[int]] = {}
    for source, target, _ in links:
        sources.setdefault(target, []).append(source)
    needed, open_nodes = set(range(decoder.outputs)), list(range(decoder.outputs))
    while open_nodes:
        found = set(sources.get(open_nodes.pop(), ())) - needed
        needed |= found
        open_nodes += found
    keys = sorted(key for key in needed if key >= 0)
    return keys, [link for link in links if link[1] in needed]


def _make_node(player: NeatPlayer, key: int, board: Weights | None) -> Node:
    """Return the node with that *key*."""
    genome, decoder = player.genome, player.decoder
    gene = int(np.flatnonzero(genome.node_key == key)[0])
    computes = ACTIVATIONS[genome.activation[gene]]
    if genome.aggregation[gene] != SUM:
        computes += f" of {AGGREGATIONS[genome.aggregation[gene]]}"
    return Node(
        name_outputs(player)[key] if key < decoder.outputs else str(key),
        computes,
        float(genome.bias[gene]),
        float(genome.response[gene]),
        board,
    )


def _count_genes(player: NeatPlayer, nodes: int, connections: int) -> list[str]:
    genome, decoder = player.genome, player.decoder
    working = int(genome.enabled.sum())
    hidden = count(nodes - decoder.outputs, "hidden node")
    left_out = [
        count(len(genome.node_key) - nodes, "idle node"),
        count(working - connections, "idle connection"),
        count(len(genome.enabled) - working, "disabled connection"),
    ]
    told = [words for words in left_out if not words.startswith("no ")]
    lines = [f"{hidden}, {count(connections, 'connection')}, feed-forward"]
    return lines + [f"not drawn: {', '.join(told)}"] * bool(told)


def _count_inputs(labels: Labels, read: Sequence[int]) -> str:
    """Describe the inputs that a graph reads, and those that it does not."""
    unread = [name for at, name in enumerate(labels.names) if -1 - at not in read]
    more = f" and {len(unread) - MAX_NAMES} more" if len(unread) > MAX_NAMES else ""
    some = f"; not: {', '.join(unread[:MAX_NAMES])}{more}" if unread else ""
    return f"reads {len(read)} of {count(len(labels.names), 'input')}{some}"


def _name_input(labels: Labels, number: int) -> str:
    return labels.names[number] if number < len(labels.names) else f"input {number}"


def _sketch_perceptron(player: VectorPlayer, labels: Labels, title: str) -> Sketch:
    """Sketch a perceptron, with units in the order of their influence on the layer above."""
    board = lay_out_board(labels, player.game)
    layers = read_layers(player)
    nodes = [
        Node(name, "", float(bias))
        for name, bias in zip(name_outputs(player), layers[-1][1], strict=True)
    ]
    rows = [list(range(len(nodes)))]
    order = np.arange(len(nodes))

    # From the outputs down, since a layer's order depends on the layer above
    for depth in range(len(layers) - 2, -1, -1):
        votes = layers[depth + 1][0][:, order]
        order = sort_units(votes)
        prefix = f"{depth + 1}." if len(layers) > 2 else ""
        rows.insert(0, list(range(len(nodes), len(nodes) + len(order))))
        nodes += [
            Node(
                labels.last_unit if labels.last_unit and unit == max(order) else f"{prefix}{unit}",
                "",
                float(layers[depth][1][unit]),
                votes=votes[unit],
            )
            for unit in order
        ]

    # The lowest units show their weights from the board
    for place, unit in zip(rows[0], order, strict=True):
        nodes[place] = replace(nodes[place], board=layers[0][0][:, unit])
    return Sketch(title, describe_layers(player), board, nodes, rows)


def describe_layers(player: VectorPlayer) -> list[str]:
    """Describe a network's layers and the use of its outputs."""
    decoder = player.decoder
    units = " and ".join(map(str, decoder.hidden))
    remark = f"{units} hidden units ({decoder.activation})" if units else "no hidden units"
    remark += f", {decoder.mlp.genes:,} weights and biases"
    if decoder.symmetric:
        remark += ", shared between mirror images"
    return [remark, describe_head(decoder)]


def sort_units(votes: Weights) -> NDArray[np.int64]:
    """Return units by influence, which is the sum of absolute values in a unit's row of *votes*."""
    return np.argsort(-np.abs(votes).sum(axis=1).round(4), kind="stable")


def read_layers(player: VectorPlayer) -> list[tuple[Weights, Weights]]:
    """Return weights, of shape ``(before, after)``, and biases of each layer."""
    arrays = {key: value.astype(np.float64) for key, value in player.network().items()}
    return [
        (arrays[f"weights_{layer}"], arrays[f"biases_{layer}"])
        for layer in range(1, len(arrays) // 2 + 1)
    ]


def name_outputs(player: EvolvedPlayer) -> list[str]:
    """Return the names of the outputs."""
    names = list(player.labels.outputs) if player.labels else []
    return names or ["value"]


def describe_head(decoder: NetworkDecoder | GraphDecoder) -> str:
    """Describe the use of the outputs in a sentence."""
    if depth := decoder.depth:
        return f"value: what a position is worth after a search of {count(depth, 'ply')}"
    return HEADS[decoder.head]


def find_layers(nodes: int, outputs: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Divide *nodes* by depth, the lowest layer first.

    A node's depth is the longest way to it from nodes without predecessors. Edges that close a
    cycle, and edges out of an output, do not count: they lead back.

    Args:
        nodes: Number of nodes.
        outputs: Number of outputs, which are the first nodes and the last layer.
        edges: Source and target of each edge.
    """
    hidden = range(outputs, nodes)
    entered = {target for source, target in edges if source >= outputs and source != target}
    targets: dict[int, list[int]] = {
        node: [] for node in sorted(hidden, key=lambda node: node in entered)
    }
    for source, target in edges:
        if min(source, target) >= outputs:
            targets[source].append(target)
    left = _number_as_left(targets)
    # An edge leads back if the search leaves its target after its source.
    sorter = TopologicalSorter(dict.fromkeys(targets, ()))
    for source, ends in targets.items():
        for target in ends:
            if left[source] > left[target]:
                sorter.add(target, source)
    layers = []
    sorter.prepare()
    while sorter.is_active():
        layers.append(sorted(sorter.get_ready()))
        sorter.done(*layers[-1])
    return [*layers, list(range(outputs))]


def _number_as_left(targets: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return each node's place in the postorder of a depth-first search along *targets*."""
    left: dict[int, int] = {}
    seen: set[int] = set()
    for root in targets:
        open_nodes = [] if root in seen else [(root, iter(targets[root]))]
        seen.add(root)
        while open_nodes:
            node, ends = open_nodes[-1]
            following = next((end for end in ends if end not in seen), None)
            if following is None:
                left[node] = len(left)
                open_nodes.pop()
            else:
                seen.add(following)
                open_nodes.append((following, iter(targets[following])))
    return left


def write_title(player: Player, name: str | None = None) -> str:
    """Return *name*, or the player's, with the champion's generation if that is known."""
    title = name or player.name
    if isinstance(player, EvolvedPlayer) and "generation" in player.remarks:
        title += f": champion of generation {player.remarks['generation']}"
    return title


def count(number: int, noun: str) -> str:
    """Write a number with its noun: "no nodes", "1 node", "1,234 nodes", "2 plies"."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{f'{number:,}' if number else 'no'} {noun if number == 1 else several}"
