"""The panels about learners, who play themselves, in a picture of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from evolve_arena.runs.plots.record import Record, blocks
from evolve_arena.runs.plots.style import GREY, say, style_axes

LESSONS: dict[str, tuple[str, Literal["-", "--", ":"]]] = {
    "first_wins": ("games won by who began", "-"),
    "draws": ("draws", "--"),
    "epsilon": ("moves at random (ε)", ":"),
}
"""The statistics of learners that are shares: what they are called, and the style of the line."""


def draw_lessons(axes: Axes, records: Sequence[Record], hues: Sequence[Any]) -> None:
    """How the learners' games against themselves ended, and how many moves were at random."""
    style_axes(
        axes,
        title="The learners' games against themselves",
        remark="means over all learners; they say nothing about strength outside",
        label="share",
    )
    alone = len(records) == 1
    told = []
    for name, (label, line) in LESSONS.items():
        for record, hue in zip(records, hues, strict=True):
            if name in record.statistics:
                x, y = blocks(record.statistics["generation"]), blocks(record.statistics[name])
                marker = "." if len(x) == 1 else ""
                look: dict[str, Any] = {"linestyle": line, "marker": marker, "clip_on": False}
                axes.plot(x, y, color=hue, linewidth=1.4, **look)
        if any(name in record.statistics for record in records):
            hue = hues[0] if alone else GREY
            told.append(Line2D([], [], color=hue, linewidth=1.4, linestyle=line, label=label))
    if not axes.lines:
        say(axes, "no generation has been played yet")
        return
    axes.set_ylim(0.0, 1.0)
    axes.legend(handles=told, loc="best", fontsize=8.5, ncols=3, framealpha=0.85, edgecolor="none")
