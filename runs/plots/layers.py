"""Where the nodes of a network stand in a picture: rows by depth, few crossings, lanes for wires.

The picture goes upwards: what depends on nothing but the board stands in the lowest row, the
outputs in the highest. A wire that passes a row on its way gets a lane between the nodes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Ends = tuple[int, int]
"""The nodes at which a wire begins and ends."""

SWEEPS = 8


def find_layers(nodes: int, outputs: int, wires: Sequence[Ends]) -> list[list[int]]:
    """Divides *nodes* by depth, the lowest layer first.

    A node's depth is the longest way to it from nodes without predecessors. Wires that close
    a cycle, and those out of an output, do not count: they lead back.

    Args:
        nodes: How many there are.
        outputs: How many of them, the first ones, are outputs; they make the last layer.
        wires: What leads where.
    """
    ahead: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in wires:
        if source >= outputs and source != target:
            ahead[source].append(target)
    entered = {target for targets in ahead for target in targets}
    hidden = sorted(range(outputs, nodes), key=lambda node: node in entered)
    depth = [0] * nodes
    for node in reversed(_finish(hidden, ahead)):
        for target in ahead[node]:
            depth[target] = max(depth[target], depth[node] + 1)
    last = max((depth[node] + 1 for node in hidden), default=0)
    layers: list[list[int]] = [[] for _ in range(last + 1)]
    for node in range(nodes):
        layers[last if node < outputs else depth[node]].append(node)
    return layers


def _finish(starts: Sequence[int], ahead: list[list[int]]) -> list[int]:
    """The nodes in the order in which a search in depth leaves them.

    Wires to a node that the search is still in close a cycle: they are taken out of *ahead*.
    """
    finished: list[int] = []
    entered, left = set(), set()
    for start in starts:
        if start in entered:
            continue
        entered.add(start)
        way = [(start, iter(list(ahead[start])))]
        while way:
            node, targets = way[-1]
            target = next(targets, None)
            if target is None:
                way.pop()
                left.add(node)
                finished.append(node)
            elif target not in entered:
                entered.add(target)
                way.append((target, iter(list(ahead[target]))))
            elif target not in left:
                ahead[node].remove(target)
    return finished


def add_lanes(
    rows: Sequence[Sequence[int]], nodes: int, wires: Sequence[Ends]
) -> tuple[list[list[int]], list[list[int]]]:
    """Adds a lane wherever a wire passes a row; lanes are numbered from *nodes* on.

    Returns:
        The rows with their lanes, and for each wire the nodes and lanes on its way.
    """
    row_of = {node: place for place, row in enumerate(rows) for node in row}
    widened = [list(row) for row in rows]
    ways = []
    lane = nodes
    for source, target in wires:
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
    """Orders rows so that few wires cross; the last rows, those of the outputs, stay.

    Everybody goes to the mean place of those with whom a wire connects him in the row above,
    then below, and so on. Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding
    of hierarchical system structures", IEEE Transactions on Systems, Man, and Cybernetics 11
    (1981).

    Args:
        rows: Nodes and lanes, the lowest row first.
        ways: Those on the way of each wire.
        widths: The width of each node and lane, by its number, what is free around it included.
        fixed: How many rows stay.
    """
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
    x = {item: at for row in ordered for item, at in spread_row(row, widths).items()}
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        places = range(len(ordered) - fixed)
        for place in places if sweep % 2 else reversed(places):
            ordered[place].sort(key=_find_wishes(ordered[place], near, x).__getitem__)
            x |= spread_row(ordered[place], widths)
    return ordered


def spread_row(row: Sequence[int], widths: Sequence[float]) -> dict[int, float]:
    """The middle of each member of a *row* that is centred at 0."""
    middles = {}
    left = -sum(widths[item] for item in row) / 2
    for item in row:
        middles[item] = left + widths[item] / 2
        left += widths[item]
    return middles


def _find_wishes(
    row: Sequence[int], near: dict[int, list[int]], x: dict[int, float]
) -> dict[int, float]:
    """Where everybody in a *row* would like to stand: amid those near him, else where he is."""
    wishes = {}
    for item in row:
        others = near[item]
        wishes[item] = sum(x[other] for other in others) / len(others) if others else x[item]
    return wishes
