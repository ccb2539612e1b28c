"""A player's network as a picture: the weights from cells to each node, and between nodes.

Every node is a card with a small board, on which the cells that it reads have the colours of
their weights. Edges go up from card to card. Where every node is connected with every node of
the layer above, squares on the cards take the place of edges.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from evolve_arena.core.errors import BadValueError
from evolve_arena.players.evolved import VectorPlayer
from evolve_arena.players.player import Player
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.players import find_player
from evolve_arena.runs.plots.cards import (
    SIGNS,
    draw_board,
    draw_card,
    draw_wire,
    label_board,
    make_scale,
)
from evolve_arena.runs.plots.features import draw_features
from evolve_arena.runs.plots.layout import Layout, arrange, board_width
from evolve_arena.runs.plots.network_layout import SPACE, Board, Edge, Node, Sketch, sketch_player
from evolve_arena.runs.plots.position import draw_position, find_position
from evolve_arena.runs.plots.style import GREY, check_format, draw_scale, find_place, new_page, save
from evolve_arena.runs.plots.tuples import draw_tuples
from evolve_arena.runs.run import Run

MARGIN, INDENT = 0.35, 0.5
"""Free space at the sides of the cards, and of the key; all sizes are in inches."""
KEY_CELL = 0.2
LETTER = 0.068
KEY_LEAST, KEY_TEXT = 2.75, 2.9
"""Minimum width of the board in the key, and width of the text beside it."""


def plot_network(
    of: Run | str,
    to: Path | None = None,
    generation: int | None = None,
    position: str | None = None,
    seed: int = 0,
) -> Path:
    """Draw the network of a run's champion, or that of another player.

    Args:
        of: The run, or its directory; or ``file:PATH``, a player in a file.
        to: A file that ends in ``.png``, ``.svg`` or ``.pdf``. If None, ``plots/network.png``
            in the run's directory; of a player in a file, ``NAME-network.png`` in this folder;
            with a position, ``position`` instead of ``network``.
        generation: Generation of the check whose champion is drawn; if None, the run's champion.
        position: Position in which the network's reaction is drawn, as
            `evolve_arena.runs.plots.position.find_position` reads it; an empty text is the start.
        seed: Seed of the game that the position comes from, if any.

    Returns:
        Path of the picture.

    Raises:
        BadValueError: There is no such champion, or the file's name ends in no known format.
        NotARunError: There is no such run.
        PositionError: The position is invalid, or the game is over there.
        ArenaError: There is no such file, or it holds no network.
        StorageError: The picture can't be written.
    """
    if to is not None:
        check_format(to)
    what = "network" if position is None else "position"
    if isinstance(of, str) and of.startswith("file:"):
        if generation is not None:
            raise BadValueError(f"{of} is one player: only runs have champions of generations")
        player = find_player(of)
        to = to or Path(f"{player.name}-{what}.png")
        return save(draw_player(player, None, position, seed), to)
    run = Run.open(of) if isinstance(of, str) else of
    champion = run.champion_at(generation)
    figure = draw_player(champion, run.path.resolve().name, position, seed)
    return save(
        figure, to or find_place(run, what + ("" if generation is None else f"-{generation}"))
    )


def draw_player(
    player: Player, name: str | None = None, position: str | None = None, seed: int = 0
) -> Figure:
    """Draw a player's network, or its reaction to a *position*.

    Args:
        player: Player to draw.
        name: Beginning of the title, instead of the player's name.
        position: Position, as `evolve_arena.runs.plots.position.find_position` reads it.
        seed: Seed of the game that the position comes from.

    Raises:
        BadValueError: The player has no network, or does not use it in that position.
        PositionError: The position is invalid, or the game is over there.
    """
    if position is not None:
        return draw_position(player, find_position(player, position, seed), name)
    if isinstance(player, TuplePlayer):
        return draw_tuples(player, name)
    if isinstance(player, VectorPlayer) and player.labels and player.labels.names:
        return draw_features(player, name)
    return draw_network(sketch_player(player, name))


def draw_network(sketch: Sketch) -> Figure:
    """Draw the picture of :func:`plot_network`; its axes are the drawing and the colour bar."""
    # Lay out what is left of a large network, and make the page as large as it needs
    sketch = thin_out(sketch)
    places = arrange(sketch)
    width = max(places.width + 2 * MARGIN, _key_left(sketch) + KEY_TEXT)
    remarks = [line for text in sketch.remarks for line in textwrap.wrap(text, int(width * 13))]
    head, foot = 0.7 + 0.18 * len(remarks), _key_height(sketch)
    height = head + places.height + foot

    # Edges first, so that cards cover their ends
    figure = new_page(width, height, sketch.title, remarks)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(-width / 2, width / 2), ylim=(-foot, places.height + head))
    scale = make_scale(sketch.weights)
    _draw_edges(axes, sketch, places, scale)
    for node, box in zip(sketch.nodes, places.boxes, strict=True):
        draw_card(axes, node, box, sketch.board, places.cell, scale)
    if sketch.board.planes:
        _draw_reading(axes, sketch)
    _draw_key(figure, axes, sketch, places, scale)
    return figure


def _label_width(sketch: Sketch) -> float:
    """Return the width of the longest text at the left of the board in the key."""
    texts = (text for plane in sketch.board.planes for x, _, text in plane.labels if x < 0)
    return LETTER * max(map(len, texts), default=0)


def _choose_key_cell(board: Board) -> float:
    """Return a size of cells at which the names of planes do not overlap."""
    needed = [LETTER * len(plane.name) / (plane.width + SPACE) for plane in board.planes[:-1]]
    return max(KEY_CELL, *needed, 0.0)


def _key_left(sketch: Sketch) -> float:
    """Return the left edge of the key's text, from the picture's left edge."""
    if not sketch.board.planes:
        return INDENT
    board = sketch.board
    width = _label_width(sketch) + board_width(board, _choose_key_cell(board))
    return INDENT + max(width, KEY_LEAST) + 0.5


def _key_height(sketch: Sketch) -> float:
    board = 0.7 + sketch.board.height * _choose_key_cell(sketch.board)
    return max(board, 1.75 if sketch.board.planes else 1.4) + 0.95


def _draw_edges(axes: Axes, sketch: Sketch, places: Layout, scale: Normalize) -> None:
    """Draw all edges, the strongest last and so uppermost."""
    order = sorted(range(len(sketch.edges)), key=lambda edge: abs(sketch.edges[edge].weight))
    for edge in order:
        weight = sketch.edges[edge].weight
        draw_wire(axes, places.routes[edge], weight, scale, back=places.back[edge])


def _draw_reading(axes: Axes, sketch: Sketch) -> None:
    """Draw the board of the inputs, with labels; shades are sums of absolute weights by cell."""
    board, cell = sketch.board, _choose_key_cell(sketch.board)
    top = axes.get_ylim()[0] + _key_height(sketch) - 0.45
    left = axes.get_xlim()[0] + INDENT
    heading = "The inputs: how strongly each is read"
    axes.text(left, top, heading, fontsize=9, fontweight="bold")
    reading = sketch.reading
    scale = Normalize(0.0, float(reading.max(initial=0.0)) or 1.0)
    values = np.where(reading > 0, reading, np.nan)
    corner = left + _label_width(sketch), top - 0.55 - board.height * cell
    draw_board(axes, board, values, corner, cell, "Greys", scale)
    label_board(axes, board, corner, cell)


def _draw_key(figure: Figure, axes: Axes, sketch: Sketch, places: Layout, scale: Normalize) -> None:
    """Explain colours, widths and numbers, to the right of the board."""
    left = _key_left(sketch)
    top = _key_height(sketch) - 0.45
    x = axes.get_xlim()[0] + left
    y = axes.get_ylim()[0] + top
    axes.text(x, y, "Legend", fontsize=9, fontweight="bold")
    clipped = bool(np.abs(sketch.weights).max(initial=0.0) > scale.vmax)
    draw_scale(figure, (left + 0.02, top - 0.32), scale, SIGNS, clipped=clipped)
    axes.text(x + 1.95, y - 0.27, "weight", fontsize=8, va="center")
    text = "\n".join(_explain(sketch, places))
    axes.text(x, y - 0.66, text, fontsize=8, va="top", color=GREY, linespacing=1.4)


def _explain(sketch: Sketch, places: Layout) -> list[str]:
    boards = [node.board for node in sketch.nodes if node.board is not None]
    sparse = any(np.isnan(board).any() for board in boards)
    scaled = any(node.response != 1.0 for node in sketch.nodes)
    texts = [f"Cards: nodes, what they compute, {'×response, ' * scaled}bias"]
    if boards:
        texts.append(f"Cells: weights from the board{'; dots: none' * sparse}")
    if sketch.edges:
        texts.append("Edges: weights between nodes, wider if larger")
    if any(places.back):
        texts.append("Dashed edges: against the order of the layers")
    if any(node.votes is not None for node in sketch.nodes):
        texts.append("Bars: weights to the nodes above, left to right")
    return texts


MAX_NODES = 96
"""Maximum nodes of a layer; of more, those with the largest weights to others are drawn."""
MAX_EDGES = 200
"""Maximum connections between nodes; of more, the strongest are drawn."""


def thin_out(sketch: Sketch) -> Sketch:
    """Return *sketch* without the weakest nodes and edges, and with a remark on those left out."""
    # Nodes: the strongest of each layer
    layers = [_choose_nodes(sketch, layer) for layer in sketch.layers]
    remarks = list(sketch.remarks)
    for layer, chosen in zip(sketch.layers, layers, strict=True):
        if len(chosen) < len(layer):
            remarks.append(f"drawn: of {len(layer):,} nodes of a layer the {len(chosen)} strongest")
    kept = sorted(node for layer in layers for node in layer)
    place = {node: at for at, node in enumerate(kept)}

    # Edges between them: the strongest
    edges = [
        Edge(place[edge.source], place[edge.target], edge.weight)
        for edge in sketch.edges
        if edge.source in place and edge.target in place
    ]
    if len(edges) > MAX_EDGES:
        remarks.append(
            f"drawn: of {len(edges):,} connections between nodes the {MAX_EDGES} strongest"
        )
        edges = sorted(edges, key=lambda edge: -abs(edge.weight))[:MAX_EDGES]

    # Votes for nodes that were left out
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
        edges=edges,
    )


def _choose_nodes(sketch: Sketch, layer: list[int]) -> list[int]:
    """Return the nodes of a *layer* that matter most to others, in their order.

    Of outputs, those to which others matter most.
    """
    if len(layer) <= MAX_NODES:
        return layer
    # The strength of a node: the sum of the sizes of its weights to others, or of others to it
    strength = dict.fromkeys(layer, 0.0)
    listens = layer == sketch.layers[-1]
    for node in sketch.layers[-2] if listens and len(sketch.layers) > 1 else layer:
        votes = sketch.nodes[node].votes
        if votes is not None and listens:
            strength = {
                one: strength[one] + abs(vote) for one, vote in zip(layer, votes, strict=True)
            }
        elif votes is not None:
            strength[node] = float(np.nansum(np.abs(votes)))
    for node in layer:
        board = sketch.nodes[node].board
        if listens and board is not None:
            strength[node] += float(np.nansum(np.abs(board)))
    for edge in sketch.edges:
        end = edge.target if listens else edge.source
        if end in strength and edge.source != edge.target:
            strength[end] += abs(edge.weight)
    strongest = set(sorted(layer, key=lambda node: -strength[node])[:MAX_NODES])
    return [node for node in layer if node in strongest]


def _cut_votes(node: Node, above: list[bool]) -> Node:
    """Return a node without its votes for nodes of the layer *above* that are not drawn."""
    return node if node.votes is None else replace(node, votes=node.votes[np.array(above)])
