"""How the arms of ``mlp-vs-neat`` learn, over the training games that they have had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evolve_arena.runs.history import Check

    Record = dict[str, list[tuple[float, Check]]]

OPPONENTS = ("test-bot", "random")


def draw_progress(curves: Mapping[str, Sequence[Record]]) -> Figure:
    """A panel for each opponent: the mean of each arm and the range over its seeds.

    A record holds, by opponent, each check with the training games that came before it.
    """
    from evolve_arena.runs.plots.style import LINES, OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(10.0, 4.4, dpi=110)
    set_title(figure, "Weight vectors and NEAT at the same budget of games")
    panels = figure.subplots(1, len(OPPONENTS))
    for axes, opponent in zip(panels, OPPONENTS, strict=True):
        style_axes(axes, title=f"Won against {opponent}")
        for place, (label, records) in enumerate(curves.items()):
            _draw_arm(axes, label, [r[opponent] for r in records], OKABE_ITO[place], LINES[place])
        axes.set_xlabel("training games, millions", fontsize=9)
        axes.set_xlim(left=0.0)
        axes.set_ylim(0.0 if opponent == "test-bot" or axes.dataLim.ymin < 0.5 else 0.5, 1.0)
    panels[0].set_ylabel("share of games won by the champion of the moment", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    columns = len(curves)
    figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, fontsize=9, frameon=False
    )
    return figure


def _draw_arm(axes: Axes, label: str, records: Sequence[Sequence], hue: str, line: str) -> None:  # type: ignore[type-arg]
    games = np.array([[before for before, _ in record] for record in records]) / 1e6
    shares = np.array([[check.won for _, check in record] for record in records])
    x = games.mean(axis=0)
    marker = "o" if len(x) < 5 else ""
    look: dict[str, Any] = {"marker": marker, "label": label, "clip_on": False}
    axes.plot(x, shares.mean(axis=0), line, color=hue, linewidth=1.6, **look)
    if len(records) > 1:
        edges = shares.min(axis=0), shares.max(axis=0)
        axes.fill_between(x, *edges, color=hue, alpha=0.18, linewidth=0)
