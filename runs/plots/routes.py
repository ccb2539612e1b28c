"""The ways of wires from card to card in the picture of a network; all in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Port = tuple[int, bool]
"""Where a wire leaves its source (False) or enters its target (True)."""

PORTS = 0.2
"""The distance between wires that enter or leave a card side by side, at most."""
LOOP, ARCH = 0.14, 0.35
"""How far wires go sideways from a card to itself, and up between two cards of a row."""


@dataclass(frozen=True)
class Passage:
    """Where wires come and go: a card, or a lane between cards."""

    middle: float
    width: float
    bottom: float
    """Where it begins, and its row."""
    top: float
    ceiling: float
    """Where its row ends."""


def find_routes(ways: Sequence[Sequence[int]], passages: dict[int, Passage]) -> list[list[Point]]:
    """The curve of each wire.

    Args:
        ways: For each wire the cards and lanes on its way, from its source to its target. Two
            that follow each other stand in neighbouring rows; source and target alone may
            stand in one row, or be the same card.
        passages: Each card and lane by its number.

    Returns:
        For each wire the points of cubic Bézier curves: where it begins, and for each curve
        two points of control and the point where it ends.
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
    """The places of wires on the edges of cards, in an order in which they do not cross."""
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
    for (node, _), side in sides.items():
        passage = passages[node]
        distance = min(PORTS, 0.85 * passage.width / len(side))
        for place, (_, port) in enumerate(sorted(side)):
            ports[port] = passage.middle + (place - (len(side) - 1) / 2) * distance
    return ports


def _find_stops(way: Sequence[Passage], begin: float, end: float) -> list[Point]:
    """Where a wire comes to each passage on its *way*, and where it leaves it."""
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
    """At which height a wire crosses over, by its number and the stop before.

    Of those that go to the same side between the same two rows, each takes a height of its
    own, in the order that keeps them apart.
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
    """A curve that is upright at all *stops*."""
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
    """A curve from a card to itself, at its upper right corner."""
    x, y = card.middle + card.width / 2, card.top
    return [(x, y - 0.06), (x + LOOP, y), (x + LOOP, y - 0.26), (x, y - 0.2)]
