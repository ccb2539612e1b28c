"""Parts of a network's picture: edges, and cards with boards of weights and rows of votes.

A card's small board shows the weights from cells, its votes are the weights to the layer above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray

from evolve_arena.runs.plots.layout import HEADER, PADDING, Box, Point, ballot, board_width
from evolve_arena.runs.plots.network_layout import Board, Node
from evolve_arena.runs.plots.style import GREY, OKABE_ITO, Look

POSITIVE, NEGATIVE = OKABE_ITO[0], OKABE_ITO[1]
SIGNS = LinearSegmentedColormap.from_list("signs", [NEGATIVE, "#FFFFFF", POSITIVE])
HOLE = "#D8D8D8"
LINE = "#999999"
_ROUND = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
_SIX = np.pi / 6.0 + np.pi / 3.0 * np.arange(6)
OUTLINES = {
    "square": np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]),
    "round": np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]),
    "hex": np.stack([np.cos(_SIX), np.sin(_SIX)], axis=1) / np.sqrt(3.0),
}
"""Corners of a cell around its middle, by its shape; weights of round cells are squares."""
DISC = 0.42 * np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1)
LABEL: Look = {"ha": "center", "fontsize": 7}
SMALL = 7.5
"""Font size of the text on cards, in points."""


def draw_card(
    axes: Axes, node: Node, box: Box, board: Board, cell: float, scale: Normalize
) -> None:
    """Draw a node: its name and function, its bias, its votes, and the cells that it reads.

    Args:
        axes: Axes to draw on, in inches.
        node: Node to draw.
        box: Rectangle of its card.
        board: Planes of the network's inputs.
        cell: Size of a cell of the board, in inches.
        scale: Range of weights that the colours cover.
    """
    shape = "round,pad=0,rounding_size=0.05"
    corner = box.left, box.bottom
    frame: Look = {
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
        left = box.middle - board_width(board, cell) / 2
        corner = left, box.bottom + PADDING
        draw_board(axes, board, node.board, corner, cell, SIGNS, scale)


def draw_board(
    axes: Axes,
    board: Board,
    values: NDArray[np.float64],
    corner: Point,
    cell: float,
    colours: Colormap | str,
    scale: Normalize,
) -> None:
    """Draw the planes of a *board* in the colours of *values*, from their lower left *corner*.

    Args:
        axes: Axes to draw on, in inches.
        board: Planes of the network's inputs.
        values: Value of each input, shape ``(inputs,)``; NaN leaves an empty hole.
        corner: Lower left corner of the board, in inches.
        cell: Size of a cell of the board, in inches.
        colours: Colour map, or its name in matplotlib.
        scale: Range of values that the colours cover.
    """
    at = 0
    for plane in board.planes:
        # Frame
        own, at = values[at : at + len(plane.places)], at + len(plane.places)
        left, bottom = corner[0] + plane.left * cell, corner[1] + plane.bottom * cell
        frame: Look = {
            "facecolor": "none",
            "edgecolor": LINE,
            "linewidth": 0.6,
            "zorder": 3,
        }
        if plane.shape != "hex":
            size = plane.width * cell, plane.height * cell
            axes.add_patch(Rectangle((left, bottom), *size, **frame))

        # Outlines of cells, dots for those without a value, colours for the others
        corners = np.array([left, bottom]) + plane.places * cell
        if plane.shape == "hex":
            shapes = (corners[:, None] + cell / 2) + OUTLINES["hex"] * cell
            axes.add_collection(PolyCollection(shapes, **{**frame, "linewidth": 0.3}))
        empty = np.isnan(own)
        middles = corners[empty] + cell / 2
        axes.scatter(middles[:, 0], middles[:, 1], (14 * cell) ** 2, HOLE, linewidths=0, zorder=3)
        shapes = (corners[~empty, None] + cell / 2) + OUTLINES[plane.shape] * cell
        _colour(axes, shapes, own[~empty], colours, scale)


def draw_wire(
    axes: Axes, route: Sequence[Point], weight: float, scale: Normalize, *, back: bool
) -> None:
    """Draw a connection between nodes: its colour is its sign, its width its size.

    Args:
        axes: Axes to draw on, in inches.
        route: Points of cubic Bézier curves, in inches: the beginning, and for each curve two
            control points and the end.
        weight: Weight of the connection.
        scale: Range of weights; one at its end or beyond has the greatest width.
        back: True for a connection to the same or an earlier layer, which is dashed and has an
            arrowhead.
    """
    curve = Path(route, [Path.MOVETO] + [Path.CURVE4] * (len(route) - 1))
    colour = sign_colour(weight)
    width = wire_width(weight, scale)
    look: Look = {"linewidth": width, "alpha": 0.85, "zorder": 1}
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
    """Return the width of a connection's line, in points."""
    return 0.6 + 3.0 * min(1.0, abs(weight) / float(scale.vmax or 1.0))


def _write_header(axes: Axes, node: Node, box: Box) -> None:
    y = box.top - HEADER / 2 - 0.01
    text: Look = {"fontsize": SMALL, "va": "center", "zorder": 4}
    name = axes.text(box.left + PADDING, y, node.name, fontweight="bold", **text)
    rest = [node.computes] * bool(node.computes)
    if node.response != 1.0:
        rest.append(f"×{node.response:.2f}".replace("-", "−"))
    axes.annotate(" " + " ".join(rest), (1, 0.5), xycoords=name, **text)
    if node.bias is None:
        return
    colour = sign_colour(node.bias)
    axes.text(box.right - PADDING, y, write_signed(node.bias), color=colour, ha="right", **text)


def _draw_votes(axes: Axes, votes: NDArray[np.float64], box: Box, scale: Normalize) -> None:
    places = ballot(box, len(votes))
    corners = [
        [(box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top)]
        for box in places
    ]
    _colour(axes, corners, votes, SIGNS, scale)
    if len(votes) == 1:
        text = write_signed(votes[0])
        look: Look = {"fontsize": SMALL, "ha": "center", "va": "center", "zorder": 5}
        height = places[0].bottom + places[0].height / 2 - 0.005
        axes.text(places[0].middle, height, text, **look)


def _colour(
    axes: Axes,
    shapes: Sequence[ArrayLike],
    weights: NDArray[np.float64],
    colours: Colormap | str,
    scale: Normalize,
) -> None:
    """Draw polygons, given by their corners, in the colours of *weights*."""
    look: Look = {"edgecolors": LINE, "linewidths": 0.5, "zorder": 4}
    axes.add_collection(PolyCollection(shapes, array=weights, cmap=colours, norm=scale, **look))


def write_signed(number: float) -> str:
    """Write a *number* with its sign and two digits."""
    return f"{number:+.2f}".replace("-", "−")


def label_board(axes: Axes, board: Board, corner: Point, cell: float) -> None:
    """Write the labels at the planes of a *board*, and the planes' names above them.

    Args:
        axes: Axes to draw on, in inches.
        board: Planes of the network's inputs.
        corner: Lower left corner of the board, in inches.
        cell: Size of a cell of the board, in inches.
    """
    for plane in board.planes:
        left, bottom = corner[0] + plane.left * cell, corner[1] + plane.bottom * cell
        above = any(y > plane.height for _, y, _ in plane.labels)
        look: Look = {"va": "center", "zorder": 6}
        top = bottom + plane.height * cell + (0.22 if above else 0.07)
        axes.text(left, top, plane.name, fontsize=8, color=GREY, va="bottom")
        for x, y, text in plane.labels:
            if x < 0 and plane.left:  # those of the plane before would stand in the way
                continue
            beside = bottom + y * cell
            if x < 0:
                axes.text(left - 0.06, beside, text, ha="right", fontsize=7, **look)
            elif y < 0:
                axes.text(left + x * cell, bottom - 0.05, text, **LABEL, va="top")
            elif y > plane.height:
                axes.text(left + x * cell, bottom + plane.height * cell + 0.05, text, **LABEL)
            else:
                axes.text(left + x * cell, beside, text, ha="center", fontsize=7, **look)
        for place, mark in zip(plane.places, plane.marks, strict=False):
            written = axes.text(
                left + (place[0] + 0.5) * cell,
                bottom + (place[1] + 0.5) * cell,
                mark,
                ha="center",
                fontsize=5.5,
                **look,
            )
            written.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def sign_colour(number: float) -> str:
    """Return the colour of numbers from 0 on, or that of numbers below 0."""
    return POSITIVE if number >= 0 else NEGATIVE


def make_scale(weights: NDArray[np.float64]) -> Normalize:
    """Return the symmetric colour scale that covers *weights* but for the largest two per cent."""
    sizes = np.abs(weights)
    limit = float(np.percentile(sizes, 98)) if len(sizes) else 0.0
    limit = float(f"{limit:.1g}") or 1.0
    return Normalize(-limit, limit)
