"""The panel about points, of games that have more than wins and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from evolve_arena.runs.history import Check
from evolve_arena.runs.plots.record import Record
from evolve_arena.runs.plots.style import GREY, LINES, MARKERS, as_label, colours, say, style_axes


def draw_points(axes: Axes, records: Sequence[Record], hues: Sequence[Any]) -> None:
    """How many points the champion's seats score more than those of each opponent."""
    style_axes(
        axes,
        title="Points in checks: the champion's seats less the opponent's",
        remark="means per game; bands: 95 % intervals",
        label="points",
    )
    scored = [[check for check in record.checks if check.scores] for record in records]
    opponents = sorted({check.opponent for checks in scored for check in checks})
    if not opponents:
        say(axes, "no check yet")
        return
    axes.axhline(0.0, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    alone = len(records) == 1
    by_opponent = colours(len(opponents))
    handles: list[Artist] = []
    for place, opponent in enumerate(opponents):
        look: dict[str, Any] = {
            "linestyle": LINES[place % len(LINES)],
            "marker": MARKERS[place % len(MARKERS)],
        }
        for checks, hue in zip(scored, hues, strict=True):
            met = [check for check in checks if check.opponent == opponent]
            _draw_series(axes, met, by_opponent[place] if alone else hue, look)
        hue = by_opponent[place] if alone else GREY
        label = as_label(opponent)
        handles.append(Line2D([], [], color=hue, markersize=4, label=label, **look))
    axes.legend(
        handles=handles, loc="best", fontsize=8.5, ncols=3, framealpha=0.85, edgecolor="none"
    )


def _draw_series(axes: Axes, checks: Sequence[Check], hue: Any, look: dict[str, Any]) -> None:
    if not checks:
        return
    x = [check.generation for check in checks]
    rows = [(c.scores.margin, c.scores.low, c.scores.high) for c in checks if c.scores]
    margin, low, high = np.array(rows).T
    low, high = (np.where(np.isfinite(end), end, margin) for end in (low, high))
    axes.plot(x, margin, color=hue, linewidth=1.3, markersize=3.5, **look)
    if len(checks) == 1:
        axes.errorbar(x, margin, [margin - low, high - margin], color=hue, capsize=3)
    else:
        axes.fill_between(x, low, high, color=hue, alpha=0.25, linewidth=0)
