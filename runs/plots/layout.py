"""Layout of a network's picture: positions of nodes and edges, in inches.

The picture goes upwards, or to the right if it is turned: nodes that depend on nothing but the
board are in the lowest row, outputs in the highest. An edge that passes a row on its way gets a
lane between the nodes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evolve_arena.runs.plots.network_layout import Board, Node, Sketch

Point = tuple[float, float]
Port = tuple[int, bool]
"""End of an edge: the edge's number, and True for the end at its target."""
Ends = tuple[int, int]
"""Nodes at which an edge begins and ends."""

PORTS = 0.2
"""Maximum distance between edges that enter or leave a card side by side."""
LOOP, ARCH = 0.14, 0.35
"""Width of an edge from a card to itself, and height of one between two cards of a row."""
SWEEPS = 8

WIDEST, WIDEST_OUTPUTS = 11.0, 15.0
"""Maximum width of a row of hidden nodes, and of outputs, if the row can be divided."""
CELLS = (0.17, 0.15, 0.13, 0.115, 0.1, 0.09, 0.08)
"""Possible sizes of the cells of the small boards."""
ENOUGH = 0.1
"""Size of cells that is not reduced further to fit a layer of hidden nodes into a row."""
PADDING = 0.07
"""Free space inside the edge of a card."""
HEADER = 0.19
"""Height of a card's line of text."""
LETTER = 0.06
"""Mean width of a letter in that text."""
BALLOT, MAX_VOTES = 0.15, 16
"""Height of a row of votes on a card, and maximum votes in a row."""
TURNED_GAP, TURNED_SPACE = 0.05, 1.1
"""Free space between two cards of a layer, and between layers, if these are side by side."""
GAP = 0.16
"""Free space between two cards of a row."""
LANE = 0.1
"""Width of the lane of an edge that passes a row."""


@dataclass(frozen=True)
class Box:
    """Rectangle of the card that shows a node."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.left + self.width

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.bottom + self.height

    @property
    def middle(self) -> float:
        """Middle between left and right."""
        return self.left + self.width / 2


@dataclass(frozen=True)
class Passage:
    """Place that edges lead to or through: a card, or a lane between cards."""

    middle: float
    width: float
    bottom: float
    """Lower edge, of it and of its row."""
    top: float
    ceiling: float
    """Upper edge of its row."""


@dataclass(frozen=True)
class Layout:
    """Places of all nodes and edges, around x = 0 and from y = 0 up."""

    cell: float
    """Size of a cell of the small boards."""
    boxes: list[Box]
    """Card of each node."""
    routes: list[list[Point]]
    """Curve of each edge; see :func:`find_routes`."""
    back: list[bool]
    """For each edge, True if it leads to a node that is no higher in depth."""
    width: float
    height: float


def arrange(sketch: Sketch) -> Layout:
    """Place the nodes of *sketch* in rows of cards, not too wide, with few crossings."""
    # Cards
    cell = _choose_cell(sketch)
    sizes = [_measure_card(node, sketch, cell) for node in sketch.nodes]
    gap, space = (TURNED_GAP, TURNED_SPACE) if sketch.turned else (GAP, 0.5)
    if sketch.turned:
        sizes = [(height, width) for width, height in sizes]

    # Rows: a layer is divided if it is too wide
    *hidden, last = sketch.layers
    divided = [_divide(layer, sizes, WIDEST) for layer in hidden]
    divided.append(_divide(last, sizes, WIDEST_OUTPUTS))
    if sketch.turned:  # layers may be as high as they are
        divided = [[layer] for layer in sketch.layers]
    rows = [row for parts in divided for row in parts]

    # Lanes for edges that pass rows, then an order in which few edges cross
    ends = [(edge.source, edge.target) for edge in sketch.edges]
    rows, ways = add_lanes(rows, len(sizes), ends)
    lanes = sum(map(len, rows)) - len(sizes)
    widths = [width + gap for width, _ in sizes] + [LANE] * lanes
    for loop in {source for source, target in ends if source == target}:
        widths[loop] += GAP
    rows = order_rows(rows, ways, widths, fixed=len(divided[-1]))

    # Places
    passages = _stack(rows, widths, sizes, space if ends else 0.14)
    boxes = [
        Box(passages[node].middle - width / 2, passages[node].bottom, width, height)
        for node, (width, height) in enumerate(sizes)
    ]
    depth = {node: place for place, layer in enumerate(sketch.layers) for node in layer}
    layout = Layout(
        cell,
        boxes,
        find_routes(ways, passages),
        back=[depth[source] >= depth[target] for source, target in ends],
        width=max(sum(widths[item] for item in row) for row in rows) - gap,
        height=max(box.top for box in boxes),
    )
    return _turn(layout) if sketch.turned else layout


def _turn(layout: Layout) -> Layout:
    """Turn a *layout*: upwards becomes rightwards, and left to right becomes downwards."""
    middle, top = layout.height / 2, layout.width / 2
    boxes = [
        Box(box.bottom - middle, top - box.right, box.height, box.width) for box in layout.boxes
    ]
    routes = [[(y - middle, top - x) for x, y in route] for route in layout.routes]
    return Layout(layout.cell, boxes, routes, layout.back, layout.height, layout.width)


def board_width(board: Board, cell: float) -> float:
    """Return the width of *board* with cells of that size."""
    return board.width * cell


def ballot(box: Box, votes: int) -> list[Box]:
    """Return a rectangle for each of the *votes* on a card, from left to right and downwards."""
    across = min(votes, MAX_VOTES)
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
    """Return the width and the height of a node's card."""
    letters = len(node.name) + len(node.computes) + 2 + 7 * (node.response != 1.0)
    letters += 6 * (node.bias is not None)
    width, height = letters * LETTER, HEADER
    if node.votes is not None:
        height += -(-len(node.votes) // MAX_VOTES) * BALLOT + PADDING
    if node.board is not None:
        width = max(width, board_width(sketch.board, cell))
        height += sketch.board.height * cell + PADDING
    return width + 2 * PADDING, height


def _choose_cell(sketch: Sketch) -> float:
    """Return the largest cell size at which each layer, or at least the last, fits into a row."""
    for cell in CELLS:
        widths = [
            sum(_measure_card(sketch.nodes[node], sketch, cell)[0] + GAP for node in layer)
            for layer in sketch.layers
        ]
        if max(widths if cell > ENOUGH else widths[-1:]) <= WIDEST + GAP:
            return cell
    return CELLS[-1]


def _divide(layer: Sequence[int], sizes: Sequence[Point], widest: float) -> list[list[int]]:
    """Divide a *layer* into rows of about equal length; its first node is in the highest row."""
    total = sum(sizes[node][0] + GAP for node in layer)
    count = -(-round(1000 * total) // round(1000 * (widest + GAP)))
    size = -(-len(layer) // max(1, count))
    return [list(layer[at : at + size]) for at in range(0, len(layer), size)][::-1]


def _stack(
    rows: Sequence[Sequence[int]], widths: Sequence[float], sizes: Sequence[Point], space: float
) -> dict[int, Passage]:
    """Stack *rows* above one another, with *space* between them, and more where many edges bend."""
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


def add_lanes(
    rows: Sequence[Sequence[int]], nodes: int, edges: Sequence[Ends]
) -> tuple[list[list[int]], list[list[int]]]:
    """Add a lane wherever an edge passes a row; lanes are numbered from *nodes* on.

    Args:
        rows: Nodes in each row, by their numbers; the lowest row first.
        nodes: Number of nodes, and so the number of the first lane.
        edges: Nodes at which each edge begins and ends.

    Returns:
        The rows with their lanes, and the nodes and lanes on the way of each edge.
    """
    row_of = {node: place for place, row in enumerate(rows) for node in row}
    widened = [list(row) for row in rows]
    ways = []
    lane = nodes
    for source, target in edges:
        begin, end = row_of[source], row_of[target]
        way = [source]
        for row in range(begin + 1, end) if begin < end else range(begin - 1, end, -1):
            widened[row].append(lane)
            way.append(lane)
            lane += 1
        ways.append([*way, target])
    return widened, ways


def order_rows(
    rows: Sequence[Sequence[int]],
    ways: Sequence[Sequence[int]],
    widths: Sequence[float],
    fixed: int = 1,
) -> list[list[int]]:
    """Order rows so that few edges cross; the last rows, those of the outputs, are fixed.

    Each node or lane moves to the mean place of its neighbours in the row above, then of those
    below, and so on. Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding of
    hierarchical system structures", IEEE Transactions on Systems, Man, and Cybernetics 11 (1981).

    Args:
        rows: Nodes and lanes, the lowest row first.
        ways: Nodes and lanes on the way of each edge.
        widths: Width of each node and lane, by its number, including the space around it.
        fixed: Number of rows that keep their order.
    """
    # Neighbours of each node and lane: those that an edge connects with it
    ordered = [list(row) for row in rows]
    row_of = {item: place for place, row in enumerate(ordered) for item in row}
    above: dict[int, list[int]] = {item: [] for item in row_of}
    below: dict[int, list[int]] = {item: [] for item in row_of}
    for way in ways:
        for first, second in pairwise(way):
            low, high = sorted((first, second), key=row_of.__getitem__)
            if row_of[low] < row_of[high]:
                above[low].append(high)
                below[high].append(low)

    # Sweep down from the highest row, then up, and so on
    x = {item: at for row in ordered for item, at in spread_row(row, widths).items()}
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        places = range(len(ordered) - fixed)
        for place in places if sweep % 2 else reversed(places):
            ordered[place].sort(key=_find_wishes(ordered[place], near, x).__getitem__)
            x |= spread_row(ordered[place], widths)
    return ordered


def spread_row(row: Sequence[int], widths: Sequence[float]) -> dict[int, float]:
    """Return the x coordinate of the middle of each member of a *row* that is centred at 0."""
    middles = {}
    left = -sum(widths[item] for item in row) / 2
    for item in row:
        middles[item] = left + widths[item] / 2
        left += widths[item]
    return middles


def _find_wishes(
    row: Sequence[int], near: dict[int, list[int]], x: dict[int, float]
) -> dict[int, float]:
    """Return the wanted x of each member of a *row*: the mean of its neighbours, else its own."""
    wishes = {}
    for item in row:
        others = near[item]
        wishes[item] = sum(x[other] for other in others) / len(others) if others else x[item]
    return wishes


# Curves of edges from card to card


def find_routes(ways: Sequence[Sequence[int]], passages: dict[int, Passage]) -> list[list[Point]]:
    """Return the curve of each edge.

    Args:
        ways: Cards and lanes on the way of each edge, from its source to its target. Consecutive
            ones are in neighbouring rows; source and target alone may be in one row, or be the
            same card.
        passages: Each card and lane by its number.

    Returns:
        Points of cubic Bézier curves for each edge: its beginning, and for each curve two control
        points and the end.
    """
    ports = _find_ports(ways, passages)
    stops = [
        _find_stops([passages[item] for item in way], ports[number, False], ports[number, True])
        for number, way in enumerate(ways)
    ]
    bends = _find_bends(stops)
    return [
        _loop(passages[way[0]]) if way[0] == way[-1] else _bend(number, stops[number], bends)
        for number, way in enumerate(ways)
    ]


def _find_ports(ways: Sequence[Sequence[int]], passages: dict[int, Passage]) -> dict[Port, float]:
    """Return the places of edges on the borders of cards, in an order without crossings."""
    # Sort the ends of edges by card and side
    sides: dict[tuple[int, bool], list[tuple[float, Port]]] = {}
    ports: dict[Port, float] = {}
    for number, way in enumerate(ways):
        for node, near, port in (
            (way[0], way[1], (number, False)),
            (way[-1], way[-2], (number, True)),
        ):
            if node == near:
                ports[port] = passages[node].middle
                continue
            below = passages[near].bottom < passages[node].bottom
            sides.setdefault((node, below), []).append((passages[near].middle, port))

    # Spread those of a side evenly, in the order of their other ends
    for (node, _), side in sides.items():
        passage = passages[node]
        distance = min(PORTS, 0.85 * passage.width / len(side))
        for place, (_, port) in enumerate(sorted(side)):
            ports[port] = passage.middle + (place - (len(side) - 1) / 2) * distance
    return ports


def _find_stops(way: Sequence[Passage], begin: float, end: float) -> list[Point]:
    """Return the points at which an edge enters and leaves each passage on its *way*."""
    source, target = way[0], way[-1]
    if source.bottom > target.bottom:
        return _find_stops(way[::-1], end, begin)[::-1]
    stops = [(begin, source.top), (begin, source.ceiling)]
    for lane in way[1:-1]:
        stops += [(lane.middle, lane.bottom), (lane.middle, lane.ceiling)]
    if source.bottom == target.bottom:
        return [*stops, (end, target.ceiling), (end, target.top)]
    return [*stops, (end, target.bottom), (end, target.bottom)]


def _find_bends(stops: Sequence[Sequence[Point]]) -> dict[tuple[int, int], float]:
    """Return the height at which an edge crosses over, by its number and the stop before.

    Edges that go to the same side between the same two rows get different heights, in an order in
    which they do not cross.
    """
    spaces: dict[tuple[float, bool], list[tuple[float, float, tuple[int, int]]]] = {}
    for number, points in enumerate(stops):
        for place in range(1, len(points) - 1, 2):
            low, high = sorted(points[place : place + 2], key=lambda point: point[1])
            if low[1] == high[1]:
                continue
            leftwards = high[0] < low[0]
            space = spaces.setdefault((low[1], leftwards), [])
            space.append((low[0] if leftwards else -low[0], high[1], (number, place)))
    bends = {}
    for (floor, _), space in spaces.items():
        for place, (_, ceiling, piece) in enumerate(sorted(space)):
            share = 0.5 + 0.6 * ((place + 0.5) / len(space) - 0.5)
            bends[piece] = floor + share * (ceiling - floor)
    return bends


def _bend(number: int, stops: Sequence[Point], bends: dict[tuple[int, int], float]) -> list[Point]:
    """Return a curve through all *stops* that is vertical at each."""
    route = [stops[0]]
    for place, ((x, y), (next_x, next_y)) in enumerate(pairwise(stops)):
        if (x, y) == (next_x, next_y):
            continue
        height = bends.get((number, place), (y + next_y) / 2)
        if y == next_y:  # over the cards between two of one row
            height += ARCH + 0.02 * abs(next_x - x)
        route += [(x, height), (next_x, height), (next_x, next_y)]
    return route


def _loop(card: Passage) -> list[Point]:
    """Return a curve from a card to itself, at its upper right corner."""
    x, y = card.middle + card.width / 2, card.top
    return [(x, y - 0.06), (x + LOOP, y), (x + LOOP, y - 0.26), (x, y - 0.2)]
