"""The crosstables of ``checkers-td`` as pictures: published beside measured, and the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve_arena.studies.checkers_td.published import PLAYERS, Crosstable, sum_up
from evolve_arena.studies.checkers_td.ranks import place_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

SCALE = "RdBu"
"""Red for who moves first and loses, blue if he wins; told apart with any colour vision."""
STEEP = 5
"""A line in the right panel has a colour if a player's rank changes by so much."""


def draw_tournament(
    title: str, players: Sequence[int], published: Crosstable, seeds: Sequence[Crosstable]
) -> Figure:
    """Two heat maps, and on the right which rank each player has in both.

    Args:
        title: What stands above.
        players: Their numbers.
        published: The published cells.
        seeds: Those of each seed; their mean is shown.
    """
    from evolve_arena.runs.plots.style import new_figure, set_title

    figure = new_figure(15.0, 5.7, dpi=100)
    set_title(figure, title)
    panels = figure.subplots(1, 3, width_ratios=[1.0, 1.0, 0.75])
    count = "one seed" if len(seeds) == 1 else f"mean of {len(seeds)} seeds"
    _draw_map(panels[0], "Published", players, [published], names=True)
    image = _draw_map(panels[1], f"Measured, {count}", players, seeds, names=False)
    bar = figure.colorbar(image, ax=list(panels[:2]), shrink=0.75, pad=0.015, aspect=30)
    bar.set_label("points of who moves first, share", fontsize=9)
    bar.outline.set_visible(False)
    _draw_ranks(panels[2], published, seeds)
    return figure


def _draw_map(
    axes: Axes, title: str, players: Sequence[int], tables: Sequence[Crosstable], *, names: bool
) -> AxesImage:
    """A square for each cell; those that were not played, or can't be read, stay empty."""
    shares = _average(players, tables)
    image = axes.imshow(shares, cmap=SCALE, vmin=0.0, vmax=1.0)
    for row, column in np.argwhere(np.isfinite(shares)).tolist():
        share = shares[row, column]
        hue = "white" if abs(share - 0.5) > 0.33 else "#333333"
        text = f"{10 * share:.0f}"
        label = axes.text(column, row, text, ha="center", va="center", fontsize=7.5, color=hue)
        label.set_in_layout(False)  # inside of the map anyway, and slow
    labels = [f"{PLAYERS[number]} {number}" if names else str(number) for number in players]
    axes.set_yticks(range(len(players)), labels, fontsize=8.5)
    axes.set_xticks(range(len(players)), [str(number) for number in players], fontsize=8.5)
    axes.set_xlabel("the other player", fontsize=9)
    if names:
        axes.set_ylabel("who moves first", fontsize=9)
    axes.tick_params(length=0, colors="#444444")
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
    axes.set_title("points in ten games", loc="right", fontsize=8.5, color="#666666")
    return image


def _draw_ranks(axes: Axes, published: Crosstable, seeds: Sequence[Crosstable]) -> None:
    """A line for each player from the published rank to ours, with a dot for each seed."""
    from evolve_arena.runs.plots.style import GREY, OKABE_ITO

    theirs = sum_up(published)
    ours = [[score.share for score in sum_up(cells).values()] for cells in seeds]
    left = _spread_out([score.share for score in theirs.values()])
    right = _spread_out([fmean(some) for some in zip(*ours, strict=True)])
    ranks = [place_values(shares) for shares in ours]
    for place, number in enumerate(theirs):
        change = left[place] - right[place]
        hue = GREY if abs(change) < STEEP else OKABE_ITO[0] if change > 0 else OKABE_ITO[1]
        axes.plot([0, 1], [left[place], right[place]], color=hue, linewidth=1.4, marker="o", ms=3.5)
        axes.text(-0.04, left[place], f"{PLAYERS[number]} {number}", ha="right", va="center",
                  fontsize=8.5, color=hue)  # fmt: skip
        axes.text(1.04, right[place], str(number), va="center", fontsize=8.5, color=hue)
        some = [rank[place] for rank in ranks]
        low, high = min(some), max(some)
        text = f"{low}" if low == high else f"{low} to {high}"
        if len(seeds) > 1:
            axes.text(1.3, right[place], text, va="center", fontsize=8, color=GREY)
    axes.set_xlim(-0.95, 1.7)
    axes.set_ylim(len(theirs) + 0.6, 0.2)
    axes.set_xticks([0, 1], ["published", "measured"], fontsize=9)
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("Ranks by points", loc="left", fontsize=10.5, fontweight="bold")
    if len(seeds) > 1:
        axes.set_title("in single seeds", loc="right", fontsize=8.5, color=GREY)


def _average(players: Sequence[int], tables: Sequence[Crosstable]) -> NDArray[np.float64]:
    """The mean share of each cell over *tables*; not a number where there is none."""
    shares = np.full((len(players), len(players)), np.nan)
    for row, first in enumerate(players):
        for column, second in enumerate(players):
            some = [cells[first, second].share for cells in tables if (first, second) in cells]
            if some:
                shares[row, column] = fmean(some)
    return shares


def _spread_out(shares: Sequence[float]) -> list[int]:
    """Places from 1 for the largest; of equal ones, each gets a place of its own."""
    order = sorted(range(len(shares)), key=lambda place: -shares[place])
    places = [0] * len(shares)
    for rank, place in enumerate(order, start=1):
        places[place] = rank
    return places
