"""Where everything stands in the picture of a network, before a line is drawn; all in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.plots.layers import add_lanes, order_rows, spread_row
from runs.plots.sketch import Node, Sketch

__all__ = ["HEADER", "PADDING", "Arrangement", "Box", "Point", "arrange", "ballot", "board_width"]

Point = tuple[float, float]

WIDEST = 11.0
"""No row of cards is wider, if it can be divided."""
CELLS = (0.17, 0.15, 0.13, 0.115, 0.1, 0.09, 0.08)
"""Sizes that the cells of the small boards may have."""
PADDING = 0.07
"""What is free inside the edge of a card."""
HEADER = 0.19
"""The height of a card's line of text."""
LETTER = 0.064
"""The mean width of a letter in it."""
BALLOT = 0.15
"""The height of a row of votes, and how many there are in one."""
MOST_VOTES = 16
GAP = 0.16
"""What is free between two cards of a row."""
LANE = 0.1
PORTS = 0.2
"""The distance of wires that enter or leave a card side by side."""


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
class Arrangement:
    """The places of all nodes and wires, around x = 0 and from y = 0 up."""

    cell: float
    """The size of a cell of the small boards."""
    boxes: list[Box]
    """One for each node."""
    routes: list[list[Point]]
    """For each wire the points on its way; where x changes from one to the next, it curves."""
    back: list[bool]
    """For each wire whether it leads to a node that stands no higher in depth."""
    width: float
    height: float


@dataclass(frozen=True)
class _Passage:
    """A node or a lane: where wires may come and go."""

    middle: float
    bottom: float
    top: float
    width: float


def arrange(sketch: Sketch) -> Arrangement:
    """Finds places for the nodes of *sketch*: rows of cards, not too wide, with few crossings."""
    cell = _choose_cell(sketch)
    sizes = [_measure_card(node, sketch, cell) for node in sketch.nodes]
    rows = [part for layer in sketch.layers for part in _divide(layer, sizes)]
    ends = [(wire.source, wire.target) for wire in sketch.wires]
    rows, ways = add_lanes(rows, len(sizes), ends)
    lanes = sum(map(len, rows)) - len(sizes)
    widths = [width + GAP for width, _ in sizes] + [LANE] * lanes
    rows = order_rows(rows, ways, widths)
    passages: dict[int, _Passage] = {}
    y = 0.0
    for row in rows:
        height = max(sizes[item][1] for item in row if item < len(sizes))
        for item, x in spread_row(row, widths).items():
            top = y + (sizes[item][1] if item < len(sizes) else height)
            passages[item] = _Passage(x, y, top, widths[item] - GAP)
        y += height + _space_above(row, sketch)
    boxes = [
        Box(passages[node].middle - width / 2, passages[node].bottom, width, height)
        for node, (width, height) in enumerate(sizes)
    ]
    depth = {node: place for place, layer in enumerate(sketch.layers) for node in layer}
    return Arrangement(
        cell,
        boxes,
        _route(ways, passages),
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
    """The largest cells with which the widest layer fits into a row; else neither."""
    for cell in CELLS:
        widths = [
            sum(_measure_card(sketch.nodes[node], sketch, cell)[0] + GAP for node in layer)
            for layer in sketch.layers
        ]
        if max(widths) <= WIDEST + GAP:
            return cell
    return CELLS[-1]


def _divide(layer: Sequence[int], sizes: Sequence[Point]) -> list[list[int]]:
    """Rows of a *layer*, about equally long, none too wide; its first node stands highest."""
    total = sum(sizes[node][0] + GAP for node in layer)
    count = -(-round(1000 * total) // round(1000 * (WIDEST + GAP)))
    size = -(-len(layer) // max(1, count))
    return [list(layer[at : at + size]) for at in range(0, len(layer), size)][::-1]


def _space_above(row: Sequence[int], sketch: Sketch) -> float:
    """What is free above a row: more where more wires may have to bend."""
    return 0.5 + 0.015 * min(len(row), 30) if sketch.wires else 0.14


def _route(ways: Sequence[Sequence[int]], passages: dict[int, _Passage]) -> list[list[Point]]:
    """The points on the way of each wire."""
    routes = []
    ports = _find_ports(ways, passages)
    for number, way in enumerate(ways):
        source, target = passages[way[0]], passages[way[-1]]
        if way[0] == way[-1]:
            corner = source.middle + source.width / 2
            routes.append([(corner, source.top - 0.05), (corner, source.top - 0.2)])
            continue
        rising, falling = source.bottom < target.bottom, source.bottom > target.bottom
        route = [(ports[number, False], source.bottom if falling else source.top)]
        for lane in (passages[item] for item in way[1:-1]):
            edges = [(lane.middle, lane.bottom), (lane.middle, lane.top)]
            route += edges if rising else edges[::-1]
        route.append((ports[number, True], target.bottom if rising else target.top))
        routes.append(route)
    return routes


def _find_ports(
    ways: Sequence[Sequence[int]], passages: dict[int, _Passage]
) -> dict[tuple[int, bool], float]:
    """Where wires leave their sources (False) and enter their targets (True), without crossing."""
    sides: dict[tuple[int, bool], list[tuple[float, tuple[int, bool]]]] = {}
    for number, way in enumerate(ways):
        if way[0] == way[-1]:
            continue
        for node, near, entering in ((way[0], way[1], False), (way[-1], way[-2], True)):
            below = passages[near].bottom < passages[node].bottom
            side = sides.setdefault((node, below), [])
            side.append((passages[near].middle, (number, entering)))
    ports = {}
    for (node, _), side in sides.items():
        passage = passages[node]
        distance = min(PORTS, 0.85 * passage.width / len(side))
        for place, (_, port) in enumerate(sorted(side)):
            ports[port] = passage.middle + (place - (len(side) - 1) / 2) * distance
    return ports
