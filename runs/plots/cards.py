"""The parts of a network's picture: cards with their small boards and votes, and wires."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from runs.plots.arrangement import HEADER, PADDING, Box, Point, ballot, board_width
from runs.plots.sketch import Node
from runs.plots.style import OKABE_ITO

__all__ = ["NEGATIVE", "POSITIVE", "SIGNS", "draw_boards", "draw_card", "draw_wire", "wire_width"]

POSITIVE, NEGATIVE = OKABE_ITO[0], OKABE_ITO[1]
SIGNS = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "#FFFFFF", POSITIVE])
HOLE = "#CFCFCF"
SMALL = 7.5
"""Points of the text on cards."""


def draw_card(axes: Axes, node: Node, box: Box, cell: float, scale: Normalize) -> None:
    """A node: its name and what it computes, its bias, its votes, and the cells that it reads."""
    shape = "round,pad=0,rounding_size=0.05"
    corner = box.left, box.bottom
    frame = {"facecolor": "white", "edgecolor": "#999999", "linewidth": 0.8, "zorder": 2}
    axes.add_patch(FancyBboxPatch(corner, box.width, box.height, boxstyle=shape, **frame))
    _write_header(axes, node, box)
    if node.votes is not None:
        _draw_votes(axes, node.votes, box, scale)
    if node.board is not None:
        left = box.middle - board_width(node.board.shape, cell) / 2
        draw_boards(axes, node.board, (left, box.bottom + PADDING), cell, SIGNS, scale)


def draw_boards(
    axes: Axes, boards: NDArray[np.float64], corner: Point, cell: float, colours: Any, scale: Any
) -> None:
    """Planes of a board side by side, from their lower left *corner*.

    What is not a number is an empty hole. *boards* have the shape ``(planes, rows, columns)``,
    the top row first.
    """
    left, bottom = corner
    for board in boards:
        rows, columns = board.shape
        x = left + cell * np.arange(columns + 1)
        y = bottom + cell * np.arange(rows, -1, -1)
        row, column = np.nonzero(np.isnan(board))
        axes.scatter(
            x[column] + cell / 2, y[row] - cell / 2, (20 * cell) ** 2, HOLE, linewidths=0, zorder=3
        )
        axes.pcolormesh(
            x,
            y,
            np.ma.masked_invalid(board),
            cmap=colours,
            norm=scale,
            edgecolors="#8F8F8F",
            linewidth=0.4,
            zorder=4,
        )
        left += (columns + 0.7) * cell


def draw_wire(
    axes: Axes, route: Sequence[Point], weight: float, scale: Normalize, *, back: bool
) -> None:
    """A connection between nodes: its sign as colour, its size as width; dashed if it leads back."""
    colour = POSITIVE if weight >= 0 else NEGATIVE
    width = wire_width(weight, scale)
    look: dict[str, Any] = {"linewidth": width, "alpha": 0.85, "zorder": 1}
    if back:
        arrow = FancyArrowPatch(
            path=_bend(route),
            arrowstyle="-|>",
            mutation_scale=6 + 2 * width,
            linestyle=(0, (4, 2)),
            color=colour,
            **look,
        )
        axes.add_patch(arrow)
    else:
        axes.add_patch(PathPatch(_bend(route), edgecolor=colour, facecolor="none", **look))


def wire_width(weight: float, scale: Normalize) -> float:
    """How wide a connection is drawn, in points."""
    return 0.6 + 3.0 * min(1.0, abs(weight) / float(scale.vmax or 1.0))


def _write_header(axes: Axes, node: Node, box: Box) -> None:
    y = box.top - HEADER / 2 - 0.01
    text: dict[str, Any] = {"fontsize": SMALL, "va": "center", "zorder": 4}
    name = axes.text(box.left + PADDING, y, node.name, fontweight="bold", **text)
    rest = [node.computes] * bool(node.computes)
    if node.response != 1.0:
        rest.append(f"×{node.response:.2f}".replace("-", "−"))
    axes.annotate(" " + " ".join(rest), (1, 0.5), xycoords=name, **text)
    bias = f"{node.bias:+.2f}".replace("-", "−")
    colour = POSITIVE if node.bias >= 0 else NEGATIVE
    axes.text(box.right - PADDING, y, bias, color=colour, ha="right", **text)


def _draw_votes(axes: Axes, votes: NDArray[np.float64], box: Box, scale: Normalize) -> None:
    places = ballot(box, len(votes))
    for top in sorted({place.top for place in places}, reverse=True):
        row = [number for number, place in enumerate(places) if place.top == top]
        edges = [places[number].left for number in row] + [places[row[-1]].right]
        axes.pcolormesh(
            edges,
            [places[row[0]].bottom, top],
            votes[None, row],
            cmap=SIGNS,
            norm=scale,
            edgecolors="#8F8F8F",
            linewidth=0.4,
            zorder=4,
        )


def _bend(route: Sequence[Point]) -> Path:
    """A path that leaves and reaches each of its points upright."""
    vertices, codes = [route[0]], [Path.MOVETO]
    for (x, y), (next_x, next_y) in pairwise(route):
        if y == next_y:  # between two cards of a row: over those between them
            height = y + 0.3 + 0.02 * abs(next_x - x)
            vertices += [(x, height), (next_x, height), (next_x, next_y)]
        elif x == next_x and next_y > y - 0.3 and next_y < y:  # at the edge of a card
            vertices += [(x + 0.2, y + 0.05), (x + 0.2, next_y - 0.05), (next_x, next_y)]
        else:
            middle = (y + next_y) / 2
            vertices += [(x, middle), (next_x, middle), (next_x, next_y)]
        codes += [Path.CURVE4] * 3
    return Path(vertices, codes)
