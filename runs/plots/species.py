"""The panels about species and the size of networks in a picture of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from evolve_arena.runs.plots.stack import REST, Stack, colour_species, stack_species
from evolve_arena.runs.plots.style import GREY, say, style_axes
from evolve_arena.runs.store.record import Record, blocks

MOST_OUTLINED = 100
"""Of more species than these, white outlines would hide the areas."""
MOST_MARKED = 30
"""Of more species than these, marks of births and extinctions would."""
LABEL_HEIGHT, LABEL_WIDTH = 0.08, 0.035
"""The room that a species' number takes, as shares of the panel."""


def draw_species(axes: Axes, record: Record) -> None:
    """An area for each species, as high as it is large, the oldest at the bottom."""
    stack = stack_species(record)
    style_axes(
        axes, title="Sizes of species", remark=_count_species(record, stack), label="individuals"
    )
    if not len(stack.generations):
        say(axes, "no generation has been played yet")
        return
    _draw_areas(axes, stack)
    for row, number in enumerate(stack.species):
        _write_number(axes, stack, row, colour_species(number))
    if len(stack.species) <= MOST_MARKED:
        _mark_lives(axes, stack)
    axes.set_ylim(0.0, float(stack.edges[-1].max(initial=1.0)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def draw_sizes(
    axes: Axes, records: Sequence[Record], hues: Sequence[Any], name: str, title: str
) -> None:
    """The statistic called *name*: the population's mean, and that of its best individual."""
    style_axes(axes, title=title, label="per network")
    hue = hues[0] if len(records) == 1 else GREY
    lines: list[tuple[str, str, dict[str, Any]]] = [
        (name, "mean of the population", {"linewidth": 1.5}),
        (f"{name}_of_best", "best individual", {"linewidth": 1.0, "linestyle": (0, (1, 1))}),
    ]
    highest = 0.0
    for record, colour in zip(records, hues, strict=True):
        for key, _, look in lines:
            if key in record.statistics:
                x, y = blocks(record.statistics["generation"]), blocks(record.statistics[key])
                axes.plot(x, y, color=colour, marker="." if len(x) == 1 else "", **look)
                highest = max(highest, float(np.nanmax(y, initial=0.0)))
    handles: list[Artist] = [
        Line2D([], [], color=hue, label=text, **look) for _, text, look in lines
    ]
    axes.legend(handles=handles, loc="best", fontsize=8.5, ncols=2, edgecolor="none")
    axes.set_ylim(0.0, 1.1 * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))


def _count_species(record: Record, stack: Stack) -> str:
    last = max((max(sizes) for sizes in record.species.values()), default=0)
    living = sum(last in sizes for sizes in record.species.values())
    text = f"{len(record.species):,} so far, {living:,} of them living"
    if len(stack.species) < len(record.species):
        return f"{text}; grey: all but the largest {len(stack.species):,}"
    if len(stack.species) <= MOST_MARKED:
        return f"{text}; dots: births, crosses: extinctions"
    return text


def _draw_areas(axes: Axes, stack: Stack) -> None:
    """From the column before the first one in which a species lives to that after the last."""
    edges, x = stack.edges, stack.generations
    shapes, faces = [], []
    for row, colour in enumerate([*map(colour_species, stack.species), REST]):
        first, last = stack.span(row)
        if last >= first:
            here = slice(max(first - 1, 0), last + 2)
            low = np.column_stack([x[here], edges[row, here]])
            high = np.column_stack([x[here], edges[row + 1, here]])
            shapes.append(np.concatenate([low, high[::-1]]))
            faces.append(colour)
    outlined = len(shapes) <= MOST_OUTLINED
    areas = PolyCollection(
        shapes,
        facecolors=faces,
        edgecolors="white" if outlined else "face",
        linewidths=0.5 if outlined else 0.1,
    )
    axes.add_collection(areas)
    axes.autoscale_view()


def _write_number(axes: Axes, stack: Stack, row: int, colour: tuple[float, ...]) -> None:
    """In the middle of the area where that is high for long enough to hold it."""
    edges, half = stack.edges, int(np.ceil(LABEL_WIDTH / 2 * len(stack.generations)))
    first, last = stack.span(row)
    if last - first < 2 * half:
        return
    sizes = stack.sizes[row, first : last + 1]
    workspace = np.lib.stride_tricks.sliding_window_view(sizes, 2 * half + 1).min(axis=1)
    if workspace.max() < LABEL_HEIGHT * edges[-1].max():
        return
    column = first + half + int(workspace.argmax())
    middle = (edges[row, column] + edges[row + 1, column]) / 2
    red, green, blue = colour
    ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.55 else "white"
    look: dict[str, Any] = {"fontsize": 7.5, "ha": "center", "va": "center", "color": ink}
    axes.text(stack.generations[column], middle, str(stack.species[row]), **look)


def _mark_lives(axes: Axes, stack: Stack) -> None:
    """A dot where a species is born, a cross where it dies out, between those of its edges."""
    middles = (stack.edges[:-1] + stack.edges[1:]) / 2
    born, died = [], []
    for row in range(len(stack.species)):
        first, last = stack.span(row)
        if first > 0:
            born.append((stack.generations[first], middles[row, first]))
        if last < len(stack.generations) - 1:
            died.append((stack.generations[last], middles[row, last]))
    for points, marker in ((born, "o"), (died, "x")):
        x, y = np.array(points).reshape(-1, 2).T
        axes.scatter(x, y, 9, "black", marker=marker, linewidths=0.8, zorder=3)
