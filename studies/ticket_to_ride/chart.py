"""The figures of ``ticket-to-ride``: distributions of points, ranges, progress of learning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.arena.self_play import MirrorResult, pool
from evolve_arena.studies.ticket_to_ride.measures import COUNTS, MEASURES, column_name, games_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BIN = 5
"""Width of a histogram's bars, in points."""
Ranges = Mapping[str, Mapping[int, tuple[float, float, float]]]


def draw_points(title: str, results: Mapping[int, MirrorResult]) -> Figure:
    """Draw three panels: histograms by number of players, one of all games, and mean and range."""
    from evolve_arena.runs.plots.style import new_figure, set_title, style_axes

    figure = new_figure(11.0, 4.0, dpi=100)
    set_title(figure, title)
    left, middle, right = figure.subplots(1, 3)
    style_axes(left, title="By number of players", label="% of seats")
    _draw_histograms(left, results)
    style_axes(middle, title="All games", label="% of seats")
    _draw_all(middle, pool(list(results.values())))
    style_axes(right, title="Results", label="points")
    _draw_results(right, results)
    for axes in (left, middle):
        axes.set_xlabel("points", fontsize=9)
    return figure


def _draw_histograms(axes: Axes, results: Mapping[int, MirrorResult]) -> None:
    from evolve_arena.runs.plots.style import LINES, OKABE_ITO

    for place, (count, result) in enumerate(results.items()):
        middles, shares = _bin(result)
        hue, label = OKABE_ITO[place], column_name(count)
        axes.plot(middles, shares, linewidth=1.4, color=hue, linestyle=LINES[place], label=label)
    axes.legend(fontsize=8, frameon=False)


def _draw_all(axes: Axes, result: MirrorResult) -> None:
    from evolve_arena.runs.plots.style import OKABE_ITO

    middles, shares = _bin(result)
    axes.bar(middles, shares, width=0.9 * BIN, color=OKABE_ITO[5], label="measured")
    mean, deviation = result.mean, result.deviation
    x = np.linspace(middles[0], middles[-1], 200)
    curve = np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
    label = f"normal, mean {mean:.1f}, SD {deviation:.1f}"
    axes.plot(x, 100 * BIN * curve, color=OKABE_ITO[1], linewidth=1.6, label=label)
    axes.set_ylim(0.0, 1.25 * max(shares))  # room for the legend
    axes.legend(fontsize=8, frameon=False)


def _draw_results(axes: Axes, results: Mapping[int, MirrorResult]) -> None:
    from evolve_arena.runs.plots.style import GREY, OKABE_ITO

    counts = list(results)
    values = list(results.values())
    lows = [result.minimum for result in values]
    highs = [result.maximum for result in values]
    axes.vlines(counts, lows, highs, color=GREY, linewidth=1.2, label="minimum to maximum")
    for place, (label, marker) in enumerate((("mean", "o"), ("median", "_"))):
        points = [result.mean if label == "mean" else result.median for result in values]
        size = 6.0 if label == "mean" else 14.0
        hue = OKABE_ITO[place]
        axes.plot(counts, points, marker, color=hue, markersize=size, label=label)
    axes.set_xlim(min(counts) - 0.5, max(counts) + 0.5)
    axes.set_ylim(top=1.3 * max(highs))  # room for the legend
    axes.set_xlabel("players", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def draw_ranges(
    title: str, models: Mapping[str, Sequence[Mapping[int, MirrorResult]]], published: Ranges
) -> Figure:
    """Draw each model's range of points and the published one, for each number of players.

    Args:
        title: Title of the picture.
        models: By the name of the model, for each of its networks the games by number of players.
        published: By model and number of players, the published minimum, mean and maximum of
            points.
    """
    from evolve_arena.runs.plots import style

    figure = style.new_figure(7.5, 4.2, dpi=100)
    style.set_title(figure, title)
    axes = figure.subplots()
    style.style_axes(axes, label="points")
    for place, (model, players) in enumerate(models.items()):
        for count in COUNTS:
            ours = _range([games[count] for games in players])
            sides = (
                (ours, style.OKABE_ITO[place], "measured", -0.06),
                (published[model][count], style.GREY, "published", 0.06),
            )
            for (low, mean, high), hue, said, shift in sides:
                x = count + 0.3 * (place - 0.5) + shift
                label = f"{model}, {said}" if count == COUNTS[0] else None
                axes.vlines(x, low, high, color=hue, linewidth=1.4)
                axes.plot(x, mean, style.MARKERS[place], color=hue, markersize=6.0, label=label)
    axes.set_xlim(COUNTS[0] - 0.5, COUNTS[-1] + 0.5)
    axes.set_ylim(top=1.2 * axes.get_ylim()[1])  # room for the legend
    axes.set_xticks(COUNTS, [column_name(count) for count in COUNTS])
    axes.legend(fontsize=8, frameon=False, ncols=2)
    return figure


def _range(results: Sequence[MirrorResult]) -> tuple[float, float, float]:
    """Return minimum, mean and maximum, averaged over *results*.

    Extremes are those of as many games as were published.
    """
    names = ("minimum", "mean", "maximum")
    low, mean, high = (
        fmean(
            MEASURES[name].estimate(result, games_of("5.1", COUNTS[0])).value for result in results
        )
        for name in names
    )
    return low, mean, high


def draw_progress(
    title: str,
    measured: Mapping[str, Sequence[float]],
    published: Mapping[str, Sequence[float]],
) -> Figure:
    """Draw the mean, the extremes and the loss by iteration, and those published, dashed.

    Args:
        title: The heading.
        measured: Values by name, from iteration 0 on; ``loss`` has an axis of its own.
        published: The same, for as many iterations as are printed; nan where nothing is.
    """
    from evolve_arena.runs.plots.style import OKABE_ITO, new_figure, set_title, style_axes

    figure = new_figure(7.5, 5.4, dpi=100)
    set_title(figure, title)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    style_axes(upper, label="points")
    style_axes(lower, label="loss")
    for place, (name, values) in enumerate(measured.items()):
        axes = lower if name == "loss" else upper
        hue = OKABE_ITO[place]
        axes.plot(range(len(values)), values, "o-", color=hue, markersize=4.0, label=name)
        theirs = published[name]
        axes.plot(range(len(theirs)), theirs, "s--", color=hue, markersize=3.5, linewidth=0.9)
    lower.set_xlabel("iteration (dashed: published)", fontsize=9)
    for axes in (upper, lower):
        axes.legend(fontsize=8, frameon=False, loc="center right")
    return figure


def _bin(result: MirrorResult) -> tuple[list[float], list[float]]:
    """Return the centres of a histogram's bars, and the percentage of seats in each."""
    points = result.points
    if not len(points):
        return [0.0, float(BIN)], [0.0, 0.0]
    first = math.floor(points.min() / BIN) * BIN
    edges = np.arange(first, points.max() + BIN + 1, BIN)
    counts, _ = np.histogram(points, edges)
    return (edges[:-1] + BIN / 2).tolist(), (100.0 * counts / len(points)).tolist()
