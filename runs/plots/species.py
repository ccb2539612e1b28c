"""The panels about species and the size of networks in a picture of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import hsv_to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from runs.plots.record import Record, blocks
from runs.plots.style import GREY, style_axes

__all__ = ["draw_sizes", "draw_species", "species_colour", "stack_species"]

Column = NDArray[np.float64]

NOTABLE = 0.04
"""A species is drawn apart if it ever has this share of the population."""
MOST_SPECIES = 60
MOST_MARKED = 40
"""Of more species than these, marks for births and ends would hide the areas."""
REST = "#D9D9D9"


@dataclass(frozen=True, eq=False)
class Stack:
    """The sizes of species, one on top of the other."""

    generations: Column
    """Of each column; where a long run is drawn as means, the middles of its stretches."""
    species: list[int]
    """The numbers of those drawn apart, the oldest first, from bottom to top."""
    sizes: Column
    """Individuals, shape ``(species + 1, columns)``; the last row is all others together."""

    @property
    def edges(self) -> Column:
        """Where each begins and the next one does, shape ``(species + 2, columns)``."""
        return np.concatenate([np.zeros((1, self.sizes.shape[1])), np.cumsum(self.sizes, axis=0)])


def stack_species(record: Record, most: int = MOST_SPECIES) -> Stack:
    """The species of *record*, at most so many of them, those that were the largest, apart."""
    generations = record.statistics["generation"]
    column_of = {int(generation): column for column, generation in enumerate(generations)}
    x = blocks(generations)
    rows: dict[int, Column] = {}
    for number, sizes in record.species.items():
        row = np.zeros(len(generations))
        for generation, individuals in sizes.items():
            if generation in column_of:
                row[column_of[generation]] = individuals
        rows[number] = blocks(row)
    total = np.sum(list(rows.values()), axis=0) if rows else np.zeros(len(x))
    peak = {number: float((row / np.maximum(total, 1.0)).max()) for number, row in rows.items()}
    notable = sorted((n for n in rows if peak[n] >= NOTABLE), key=lambda number: -peak[number])
    chosen = sorted(notable[:most])
    apart = np.array([rows[number] for number in chosen]).reshape(len(chosen), len(x))
    return Stack(x, chosen, np.vstack([apart, total - apart.sum(axis=0)]))


def species_colour(number: int) -> tuple[float, float, float]:
    """The colour of the species with that *number*: always the same, unlike its neighbours'.

    Hue and lightness follow a sequence in which numbers near each other are far apart. Source:
    Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018).
    """
    hue, light = number * 0.7548776662 % 1.0, number * 0.5698402910 % 1.0
    return tuple(hsv_to_rgb((hue, 0.75 - 0.45 * light, 0.55 + 0.4 * light)))


def draw_species(axes: Axes, record: Record) -> None:
    """Areas as wide as their species, the oldest at the bottom."""
    stack = stack_species(record)
    style_axes(
        axes,
        title="Species",
        remark=_count_species(record, stack),
        label="individuals",
    )
    edges, x = stack.edges, stack.generations
    for row, number in enumerate([*stack.species, None]):
        living = np.flatnonzero(stack.sizes[row] > 0)
        if not len(living):
            continue
        first, last = max(living[0] - 1, 0), min(living[-1] + 2, len(x))
        here = slice(first, last)
        colour = REST if number is None else species_colour(number)
        area = axes.fill_between(
            x[here], edges[row, here], edges[row + 1, here], facecolor=colour, linewidth=0.4
        )
        area.set_edgecolor("white")
        if number is not None:
            _write_number(axes, stack, row, number)
    if len(stack.species) <= MOST_MARKED:
        _mark_lives(axes, stack, edges)
    axes.set_ylim(0.0, float(edges[-1].max(initial=1.0)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def draw_sizes(
    axes: Axes, records: Sequence[Record], hues: Sequence[Any], name: str, title: str
) -> None:
    """The statistic called *name*, the population's mean, and that of its best individual."""
    style_axes(axes, title=title, label="per network")
    highest = 0.0
    for record, hue in zip(records, hues, strict=True):
        if name not in record.statistics:
            continue
        x = blocks(record.statistics["generation"])
        for key, line, width in ((name, "-", 1.5), (f"{name}_of_best", ":", 1.1)):
            y = blocks(record.statistics[key])
            axes.plot(x, y, color=hue, linestyle=line, linewidth=width)
            highest = max(highest, float(np.nanmax(y, initial=0.0)))
    hue = hues[0] if len(records) == 1 else GREY
    handles: list[Artist] = [
        Line2D([], [], color=hue, linewidth=1.5, label="mean of the population"),
        Line2D([], [], color=hue, linewidth=1.1, linestyle=":", label="best individual"),
    ]
    axes.legend(handles=handles, loc="best", fontsize=8.5, ncols=2, edgecolor="none")
    axes.set_ylim(0.0, 1.1 * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))


def _count_species(record: Record, stack: Stack) -> str:
    living = record.statistics["generation"]
    now = int(living[-1]) if len(living) else 0
    alive = sum(now in sizes for sizes in record.species.values())
    text = f"{len(record.species):,} so far, {alive:,} of them living; "
    small = len(record.species) - len(stack.species)
    return text + (f"grey: {small:,} small ones" if small else "by age, the oldest at the bottom")


def _write_number(axes: Axes, stack: Stack, row: int, number: int) -> None:
    """Where the area is highest, if there is room."""
    edges, x = stack.edges, stack.generations
    widest = int(stack.sizes[row].argmax())
    if stack.sizes[row, widest] < 0.08 * edges[-1, widest]:
        return
    middle = (edges[row, widest] + edges[row + 1, widest]) / 2
    axes.text(x[widest], middle, str(number), fontsize=7, ha="center", va="center", color="white")


def _mark_lives(axes: Axes, stack: Stack, edges: Column) -> None:
    """A dot where a species begins, a cross where it ends."""
    for row in range(len(stack.species)):
        living = np.flatnonzero(stack.sizes[row] > 0)
        first, last = living[0], living[-1]
        middle = (edges[row] + edges[row + 1]) / 2
        if first > 0:
            axes.plot(stack.generations[first], middle[first], ".", color="black", markersize=4)
        if last < len(stack.generations) - 1:
            axes.plot(stack.generations[last], middle[last], "x", color="black", markersize=4)
