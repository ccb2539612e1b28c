"""The rankings of ``q-learning`` as pictures: what agents of each configuration win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evolve_arena.studies.intervals import Sample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

APART = 0.17
"""How far a configuration's two lines are from its middle."""


def draw_ranking(
    title: str,
    groups: Mapping[str, Sequence[Sample]],
    published: Mapping[str, Mapping[str, float]],
) -> Figure:
    """A pair of lines for each configuration: from the worst to the best, with the mean.

    Args:
        title: What stands above.
        groups: By configuration, what each of its agents won; each is a dot.
        published: By configuration, the published mean, best and worst share.
    """
    from matplotlib.ticker import MultipleLocator

    from evolve_arena.runs.plots.style import GREY, OKABE_ITO, new_figure, set_title, style_axes

    names = list(groups)
    figure = new_figure(8.0, 1.5 + 0.42 * len(names), dpi=100)
    set_title(figure, title)
    axes = figure.subplots()
    style_axes(axes)
    for place, name in enumerate(names):
        shares = [sample.share for sample in groups[name]]
        y = place + APART
        axes.plot([min(shares), max(shares)], [y, y], color=OKABE_ITO[0], linewidth=1.2)
        look: dict[str, Any] = {"color": OKABE_ITO[0], "clip_on": False}
        axes.plot(shares, [y] * len(shares), "o", markersize=3.0, alpha=0.6, **look)
        label = "measured: mean, and every agent" if place == 0 else None
        axes.plot(fmean(shares), y, "D", markersize=6.0, label=label, **look)
    for place, name in enumerate(names):
        if name in published:
            cells, y = published[name], place - APART
            axes.plot([cells["worst"], cells["best"]], [y, y], color=GREY, linewidth=1.2)
            axes.plot([cells["worst"], cells["best"]], [y, y], "|", color=GREY, markersize=6.0)
            label = "published: mean, worst and best" if name == next(iter(published)) else None
            axes.plot(cells["mean"], y, "s", color=GREY, markersize=5.5, label=label)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.0)
    axes.xaxis.set_major_locator(MultipleLocator(0.1))
    axes.set_xlabel("share of games won", fontsize=9)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9, frameon=False)
    return figure
