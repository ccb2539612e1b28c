"""Pictures of networks whose inputs have names: bars of weights, or a matrix for each layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evolve_arena.players.evolved import Labels, VectorPlayer
from evolve_arena.runs.plots.cards import SIGNS, make_scale, sign_colour, write_signed
from evolve_arena.runs.plots.network_layout import (
    describe_layers,
    name_outputs,
    read_layers,
    sort_units,
    write_title,
)
from evolve_arena.runs.plots.style import GREY, draw_scale, new_figure, new_page, set_title

Weights = NDArray[np.float64]

ROW, COLUMN = 0.17, 0.19
"""Size of a weight's cell, in inches; columns are narrower if there are many."""
WIDEST = 9.0
MAX_ROWS = 60
"""Maximum rows with names in a layer."""
LETTER = 0.075
HEAD, FOOT, BETWEEN = 1.1, 0.75, 0.8
"""Free space above and below all matrices, and between two."""


def draw_features(player: VectorPlayer, name: str | None = None) -> Figure:
    """Draw *player*, whose inputs have names; the title begins with *name*, or the player's name.

    Without hidden layers it shows the weight of each input: as a bar, or in a row for all values of
    a feature. With hidden layers it shows a matrix of weights for each layer.
    """
    labels = player.labels
    assert labels is not None
    title = write_title(player, name)
    remarks, layers = describe_layers(player), read_layers(player)
    weights, biases = layers[0]
    if len(layers) > 1 or len(biases) > 1:
        return _draw_matrices(title, remarks, _list_matrices(player, labels))
    bins = player.decoder.bins
    # A feature whose values are inputs of their own is a row
    if not bins or player.decoder.head == "action":
        return _draw_bars(title, remarks, [*labels.names, "bias"], np.append(weights, biases))
    names, values = zip(*(name.rsplit(": ", 1) for name in labels.names), strict=True)
    worths = weights.reshape(-1, bins)
    matrix = "Weight of each value of a feature", names[::bins], values[:bins], worths
    return _draw_matrices(title, remarks, [matrix])


Matrix = tuple[str, Sequence[str], Sequence[str], Weights]
"""Heading, names of the rows and of the columns, and the weights."""


def _list_matrices(player: VectorPlayer, labels: Labels) -> list[Matrix]:
    """Return a matrix for each layer, with biases last; units in the order of their influence.

    The rows of the first matrix are inputs, those of the others the units that they lead to, so
    that the columns of a matrix are those of the next one.
    """
    layers = read_layers(player)
    found: list[Matrix] = []
    order, names = np.arange(len(layers[0][0])), list(labels.names)
    for depth, (weights, biases) in enumerate(layers):
        last = depth == len(layers) - 1
        # Put units in the order of their influence on the next layer
        after = np.arange(weights.shape[1]) if last else sort_units(layers[depth + 1][0])
        units = name_outputs(player) if last else [str(unit) for unit in after]
        chosen = weights[order][:, after], biases[after]
        what = f"to the {'outputs' if last else f'units of hidden layer {depth + 1}'}"
        if depth == 0:
            heading = f"Weights from the inputs {what}, the most influential first"
            whole = np.vstack([chosen[0], chosen[1]])
            found.append((heading, [*names, "bias"], units, whole))
        else:
            heading = f"Weights from the units of hidden layer {depth} {what}"
            whole = np.hstack([chosen[0].T, chosen[1][:, None]])
            found.append((heading, units, [*names, "bias"], whole))
        order, names = after, units
    return found


def _draw_bars(title: str, remarks: list[str], names: Sequence[str], worths: Weights) -> Figure:
    """Draw a bar for each feature, in their order."""
    figure = new_figure(8.0, 1.3 + 0.28 * len(names))
    set_title(figure, title, remarks)
    axes: Axes = figure.subplots()
    rows = np.arange(len(names))
    axes.barh(rows, worths, color=list(map(sign_colour, worths)), height=0.7)
    widest = float(np.abs(worths).max(initial=0.0)) or 1.0
    for row, worth in zip(rows.tolist(), worths, strict=True):
        shift, side = (0.01, "left") if worth >= 0 else (-0.01, "right")
        text = write_signed(worth)
        axes.text(worth + shift * widest, row, text, fontsize=8, va="center", ha=side)
    axes.axvline(0.0, color="#666666", linewidth=0.8)
    axes.set_yticks(rows, names, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("weight: what one more of it is worth", fontsize=9, color=GREY)
    return figure


def _draw_matrices(title: str, remarks: list[str], matrices: Sequence[Matrix]) -> Figure:
    """Draw all *matrices* below one another, and their scale."""
    left = max(LETTER * max(map(len, rows), default=0) for _, rows, _, _ in matrices) + 0.25
    # Measure: names at the left and below, matrices below one another
    across = [min(COLUMN * len(columns), WIDEST) for _, _, columns, _ in matrices]
    down = [
        ROW * len(rows) if len(rows) <= MAX_ROWS or rows[-1] == "bias" else 4.5
        for _, rows, _, _ in matrices
    ]
    feet = [_find_foot(columns) for _, _, columns, _ in matrices]
    width = max(left + max(across) + 0.4, 7.0)
    height = HEAD + sum(down) + sum(feet) + BETWEEN * (len(matrices) - 1) + FOOT
    figure = new_page(width, height, title, remarks)

    # Draw from the top down, all with one scale
    scale = make_scale(np.concatenate([weights.ravel() for *_, weights in matrices]))
    top = height - HEAD
    for matrix, wide, high, foot in zip(matrices, across, down, feet, strict=True):
        place = left / width, (top - high) / height, wide / width, high / height
        _draw_matrix(figure.add_axes(place), matrix, scale)
        figure.text(0.1 / width, (top + 0.13) / height, matrix[0], fontsize=9, fontweight="bold")
        top -= high + foot + BETWEEN
    draw_scale(figure, (left, 0.45), scale, SIGNS, clipped=True)
    figure.text((left + 1.95) / width, 0.51 / height, "weight", fontsize=8, va="center")
    return figure


def _find_foot(columns: Sequence[str]) -> float:
    """Return the height of the columns' names below a matrix."""
    if len(columns) * COLUMN > WIDEST:
        return 0.0
    return 0.25 if max(map(len, columns)) <= 2 else 0.07 * max(map(len, columns)) + 0.15


def _draw_matrix(axes: Axes, matrix: Matrix, scale: Normalize) -> None:
    _, rows, columns, weights = matrix
    axes.pcolormesh(weights, cmap=SIGNS, norm=scale, edgecolors="#DDDDDD", linewidth=0.3)
    axes.invert_yaxis()
    axes.tick_params(length=0, pad=2)
    if len(rows) <= MAX_ROWS or rows[-1] == "bias":
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=8)
    else:
        axes.set_yticks([])
    if _find_foot(columns):
        turned = 0 if max(map(len, columns)) <= 2 else 90
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=7, rotation=turned)
    else:
        axes.set_xticks([])
    axes.spines[:].set_color("#AAAAAA")
