"""The published learning curves and the measured ones, in six panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evolve_arena.studies.four_in_a_row.curves import Curves, Point, Published

EVERY = 10
"""Generations between two published points."""


def draw_curves(title: str, published: Mapping[int, Published], measured: Curves) -> Figure:
    """One panel per run: the published curve, the mean of ours and their range over seeds."""
    from evolve_arena.runs.plots.style import OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(10.5, 6.4, dpi=100)
    set_title(figure, f"Four-in-a-row: {title}")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    for axes, number in zip(panels.flat, measured, strict=True):
        style_axes(axes, title=f"Run {number}", remark=published[number].label)
        points = published[number].points
        x = EVERY * np.arange(1, len(points) + 1)
        axes.plot(x, points, color="#333333", linewidth=0.8, linestyle="--", label="published")
        _draw_measured(axes, measured[number], OKABE_ITO[0])
    highest = max(axes.dataLim.ymax for axes in panels.flat)
    panels[0, 0].set_ylim(0.0, 0.8 if highest <= 0.8 else 1.0)  # of all panels
    for axes in panels[:, 0]:
        axes.set_ylabel("share of games won", fontsize=9)
    for axes in panels[1]:
        axes.set_xlabel("generation", fontsize=9)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    return figure


def _draw_measured(axes: Axes, curves: Sequence[Sequence[Point]], hue: str) -> None:
    x = [point.generation for point in curves[0]]
    shares = np.array([[point.share for point in curve] for curve in curves])
    mean = "measured" if len(curves) == 1 else f"measured, mean of {len(curves)} seeds"
    marker = "o" if len(x) < 5 else ""
    look: dict[str, Any] = {"marker": marker, "label": mean, "clip_on": False}
    axes.plot(x, shares.mean(axis=0), color=hue, linewidth=1.6, **look)
    if len(curves) > 1:
        edges = shares.min(axis=0), shares.max(axis=0)
        axes.fill_between(x, *edges, color=hue, alpha=0.22, linewidth=0, label="their range")
