"""The parts of a network's picture: cards with their small boards and votes, and wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from evolve_arena.runs.plots.layout import HEADER, PADDING, Box, ballot, board_width
from evolve_arena.runs.plots.routes import Point
from evolve_arena.runs.plots.sketch import Node
from evolve_arena.runs.plots.style import OKABE_ITO

POSITIVE, NEGATIVE = OKABE_ITO[0], OKABE_ITO[1]
SIGNS = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "#FFFFFF", POSITIVE])
HOLE = "#D8D8D8"
LINE = "#999999"
SMALL = 7.5
"""Points of the text on cards."""


def draw_card(axes: Axes, node: Node, box: Box, cell: float, scale: Normalize) -> None:
    """A node: its name and what it computes, its bias, its votes, and the cells that it reads."""
    shape = "round,pad=0,rounding_size=0.05"
    corner = box.left, box.bottom
    frame: dict[str, Any] = {
        "facecolor": "white",
        "edgecolor": LINE,
        "linewidth": 0.8,
        "zorder": 2,
    }
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
        frame: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": LINE,
            "linewidth": 0.6,
            "zorder": 3,
        }
        axes.add_patch(Rectangle((left, bottom), columns * cell, rows * cell, **frame))
        row, column = np.nonzero(np.isnan(board))
        x, y = left + (column + 0.5) * cell, bottom + (rows - row - 0.5) * cell
        axes.scatter(x, y, (14 * cell) ** 2, HOLE, linewidths=0, zorder=3)
        row, column = np.nonzero(~np.isnan(board))
        x, y = left + column * cell, bottom + (rows - 1 - row) * cell
        cells = [Box(*place, cell, cell) for place in zip(x, y, strict=True)]
        _colour(axes, cells, board[row, column], colours, scale)
        left += (columns + 0.7) * cell


def draw_wire(
    axes: Axes, route: Sequence[Point], weight: float, scale: Normalize, *, back: bool
) -> None:
    """A connection between nodes: its sign is its colour, its size its width.

    It is dashed, and has an arrowhead, if it leads *back*.
    """
    curve = Path(route, [Path.MOVETO] + [Path.CURVE4] * (len(route) - 1))
    colour = POSITIVE if weight >= 0 else NEGATIVE
    width = wire_width(weight, scale)
    look: dict[str, Any] = {"linewidth": width, "alpha": 0.85, "zorder": 1}
    if back:
        arrow = FancyArrowPatch(
            path=curve,
            arrowstyle="-|>",
            mutation_scale=6 + 2 * width,
            linestyle=(0, (4, 2)),
            color=colour,
            **look,
        )
        axes.add_patch(arrow)
    else:
        axes.add_patch(PathPatch(curve, edgecolor=colour, facecolor="none", **look))


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
    colour = POSITIVE if node.bias >= 0 else NEGATIVE
    axes.text(box.right - PADDING, y, _signed(node.bias), color=colour, ha="right", **text)


def _draw_votes(axes: Axes, votes: NDArray[np.float64], box: Box, scale: Normalize) -> None:
    places = ballot(box, len(votes))
    _colour(axes, places, votes, SIGNS, scale)
    if len(votes) == 1:
        text = _signed(votes[0])
        look: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "center", "zorder": 5}
        height = places[0].bottom + places[0].height / 2 - 0.005
        axes.text(places[0].middle, height, text, **look)


def _colour(
    axes: Axes, places: Sequence[Box], weights: NDArray[np.float64], colours: Any, scale: Any
) -> None:
    """Rectangles in the colours of *weights*."""
    corners = [
        [(box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top)]
        for box in places
    ]
    look: dict[str, Any] = {"edgecolors": LINE, "linewidths": 0.5, "zorder": 4}
    axes.add_collection(PolyCollection(corners, array=weights, cmap=colours, norm=scale, **look))


def _signed(number: float) -> str:
    return f"{number:+.2f}".replace("-", "−")
