"""Where everything stands in the picture of a network, before a line is drawn; all in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve_arena.runs.plots.layers import add_lanes, order_rows, spread_row
from evolve_arena.runs.plots.routes import Passage, Point, find_routes
from evolve_arena.runs.plots.sketch import Node, Sketch

WIDEST, WIDEST_OUTPUTS = 11.0, 15.0
"""No row of hidden nodes, or of outputs, is wider, if it can be divided."""
CELLS = (0.17, 0.15, 0.13, 0.115, 0.1, 0.09, 0.08)
"""Sizes that the cells of the small boards may have."""
ENOUGH = 0.1
"""To be smaller than this in order that a layer of hidden nodes fits into a row is not worth it."""
PADDING = 0.07
"""What is free inside the edge of a card."""
HEADER = 0.19
"""The height of a card's line of text."""
LETTER = 0.06
"""The mean width of a letter in it."""
BALLOT, MOST_VOTES = 0.15, 16
"""The height of a row of votes on a card, and how many stand in one at most."""
GAP = 0.16
"""What is free between two cards of a row."""
LANE = 0.1
"""What a wire takes that passes a row."""


@dataclass(frozen=True)
class Box:
    """A card: the rectangle that shows a node."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.bottom + self.height

    @property
    def middle(self) -> float:
        """Halfway from left to right."""
        return self.left + self.width / 2


@dataclass(frozen=True)
class Layout:
    """The places of all nodes and wires, around x = 0 and from y = 0 up."""

    cell: float
    """The size of a cell of the small boards."""
    boxes: list[Box]
    """One for each node."""
    routes: list[list[Point]]
    """The curve of each wire; see
    :func:`evolve_arena.runs.plots.routes.find_routes`."""
    back: list[bool]
    """For each wire whether it leads to a node that stands no higher in depth."""
    width: float
    height: float


def arrange(sketch: Sketch) -> Layout:
    """Finds places for the nodes of *sketch*: rows of cards, not too wide, with few crossings."""
    cell = _choose_cell(sketch)
    sizes = [_measure_card(node, sketch, cell) for node in sketch.nodes]
    *hidden, last = sketch.layers
    divided = [_divide(layer, sizes, WIDEST) for layer in hidden]
    divided.append(_divide(last, sizes, WIDEST_OUTPUTS))
    rows = [row for parts in divided for row in parts]
    ends = [(wire.source, wire.target) for wire in sketch.wires]
    rows, ways = add_lanes(rows, len(sizes), ends)
    lanes = sum(map(len, rows)) - len(sizes)
    widths = [width + GAP for width, _ in sizes] + [LANE] * lanes
    for loop in {source for source, target in ends if source == target}:
        widths[loop] += GAP
    rows = order_rows(rows, ways, widths, fixed=len(divided[-1]))
    passages = _stack(rows, widths, sizes, 0.5 if ends else 0.14)
    boxes = [
        Box(passages[node].middle - width / 2, passages[node].bottom, width, height)
        for node, (width, height) in enumerate(sizes)
    ]
    depth = {node: place for place, layer in enumerate(sketch.layers) for node in layer}
    return Layout(
        cell,
        boxes,
        find_routes(ways, passages),
        back=[depth[source] >= depth[target] for source, target in ends],
        width=max(sum(widths[item] for item in row) for row in rows) - GAP,
        height=max(box.top for box in boxes),
    )


def board_width(shape: tuple[int, int, int], cell: float) -> float:
    """How wide the planes of a board are that stand side by side."""
    planes, _, columns = shape
    return (planes * columns + (planes - 1) * 0.7) * cell


def ballot(box: Box, votes: int) -> list[Box]:
    """Places for the *votes* on a card, from left to right and downwards."""
    across = min(votes, MOST_VOTES)
    width = (box.width - 2 * PADDING) / across
    return [
        Box(
            box.left + PADDING + vote % across * width,
            box.top - HEADER - (vote // across + 1) * BALLOT,
            width,
            BALLOT,
        )
        for vote in range(votes)
    ]


def _measure_card(node: Node, sketch: Sketch, cell: float) -> Point:
    """The width and the height of a node's card."""
    letters = len(node.name) + len(node.computes) + 8 + 7 * (node.response != 1.0)
    width, height = letters * LETTER, HEADER
    if node.votes is not None:
        height += -(-len(node.votes) // MOST_VOTES) * BALLOT + PADDING
    if node.board is not None:
        width = max(width, board_width(sketch.shape, cell))
        height += sketch.shape[1] * cell + PADDING
    return width + 2 * PADDING, height


def _choose_cell(sketch: Sketch) -> float:
    """The largest cells with which every layer fits into a row; else, if need be, the outputs."""
    for cell in CELLS:
        widths = [
            sum(_measure_card(sketch.nodes[node], sketch, cell)[0] + GAP for node in layer)
            for layer in sketch.layers
        ]
        if max(widths if cell > ENOUGH else widths[-1:]) <= WIDEST + GAP:
            return cell
    return CELLS[-1]


def _divide(layer: Sequence[int], sizes: Sequence[Point], widest: float) -> list[list[int]]:
    """Rows of a *layer*, about equally long; its first node stands highest."""
    total = sum(sizes[node][0] + GAP for node in layer)
    count = -(-round(1000 * total) // round(1000 * (widest + GAP)))
    size = -(-len(layer) // max(1, count))
    return [list(layer[at : at + size]) for at in range(0, len(layer), size)][::-1]


def _stack(
    rows: Sequence[Sequence[int]], widths: Sequence[float], sizes: Sequence[Point], space: float
) -> dict[int, Passage]:
    """Puts *rows* above each other, with *space* between them, and more where many wires bend."""
    passages = {}
    floor = 0.0
    for row in rows:
        cards = {item: sizes[item] for item in row if item < len(sizes)}
        height = max(card[1] for card in cards.values())
        for item, x in spread_row(row, widths).items():
            width, own_height = cards.get(item, (0.0, height))
            passages[item] = Passage(x, width, floor, floor + own_height, floor + height)
        floor += height + space * (1.0 + 0.03 * min(len(row), 30))
    return passages
