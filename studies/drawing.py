"""Parts of charts that several studies share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_runs(
    axes: Axes,
    x: Sequence[float],
    runs: Iterable[ArrayLike],
    *,
    hue: str,
    line: str = "-",
    alpha: float,
    label: str,
    range_label: str | None = None,
) -> None:
    """Draw the mean of runs as a line, and the range of several runs as a band.

    Args:
        axes: The axes to draw in.
        x: x coordinates of the values; each gets a marker if there are fewer than five.
        runs: Values of each run, shape ``(runs, len(x))``.
        hue: Colour of line and band.
        line: Matplotlib's style of the line.
        alpha: Opacity of the band, 0 to 1.
        label: Label of the line.
        range_label: Label of the band.
    """
    shares = np.array(list(runs))
    marker = "o" if len(x) < 5 else ""
    mean = shares.mean(axis=0)
    axes.plot(x, mean, line, color=hue, marker=marker, linewidth=1.6, label=label, clip_on=False)
    if len(shares) > 1:
        edges = shares.min(axis=0), shares.max(axis=0)
        axes.fill_between(x, *edges, color=hue, alpha=alpha, linewidth=0, label=range_label)


def add_legend(figure: Figure, axes: Axes, columns: int) -> None:
    """Add a legend of everything labelled in the *axes*, below the whole *figure*.

    Args:
        figure: Figure below which the legend is placed.
        axes: Axes whose labelled lines and areas it lists.
        columns: Number of columns of the legend.
    """
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, fontsize=9, frameon=False
    )
