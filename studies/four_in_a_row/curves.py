"""The six learning curves of Dragan and Izert (2016), published and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.arena.intervals import Sample, mean_share, next_interval
from evolve_arena.studies.drawing import add_legend, draw_runs
from evolve_arena.studies.study import Row, Table, format_csv, read_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAST = 50
"""How many points at the end of a curve its level is the mean of."""
LEVEL, BEST = "mean of last 50 points", "best point"


@dataclass(frozen=True)
class Point(Sample):
    """What a champion did against the test bot."""

    generation: int


Curves = Mapping[int, Sequence[Sequence[Point]]]
"""By the number of the run, the curve of each seed."""


@dataclass(frozen=True)
class Published:
    """One of the six published curves."""

    crossover_probability: str
    hidden_layers: str
    inputs: str
    points: list[float]
    """Shares of 1000 games won against the test bot, one every ten generations."""

    @property
    def level(self) -> float:
        """The mean of the last 50 points."""
        return fmean(self.points[-LAST:])

    @property
    def best(self) -> float:
        """The best point."""
        return max(self.points)

    @property
    def label(self) -> str:
        """What sets the run apart."""
        layers = "one hidden layer" if self.hidden_layers == "1" else "two hidden layers"
        inputs = self.inputs.replace(",", "/")
        return f"{layers}, {inputs}, p_c = {self.crossover_probability}"


def read_published() -> dict[int, Published]:
    """The six published curves by number."""
    curves: dict[int, Published] = {}
    for line in read_lines(__package__, "curves.csv"):
        given = (line["p_c"], line["hidden_layers"], line["input_encoding"])
        curve = curves.setdefault(int(line["run"]), Published(*given, []))
        curve.points.append(float(line["fraction_won_vs_test_bot"]))
    return curves


def compare(name: str, title: str, measured: Curves, notes: list[str]) -> Table:
    """The table *name*: level and best point of each curve, with a picture and the points."""
    published, rows = read_published(), []
    for number, curves in measured.items():
        for column, value, samples in (
            (LEVEL, published[number].level, [_pick_last(curve) for curve in curves]),
            (BEST, published[number].best, [_pick_best(curve) for curve in curves]),
        ):
            values = round(value, 4), *mean_share(samples)
            rows.append(Row(name, f"run {number}", column, *values, _place(value, samples)))
    table = Table(name, title, rows, notes, {f"{name}.csv": _format_curves(measured)})
    table.add_picture(name, draw_curves(title, published, measured))
    return table


def _pick_last(curve: Sequence[Point]) -> Sample:
    return Sample.pool((point.won, point.games) for point in curve[-LAST:])


def _pick_best(curve: Sequence[Point]) -> Sample:
    return max(curve, key=lambda point: point.share)


def _place(published: float, samples: Sequence[Sample]) -> str:
    """Where one more run like these would fall, and whether the published one does."""
    if len(samples) == 1:
        return ""
    low, high = next_interval([sample.share for sample in samples])
    verdict = "inside" if low <= published <= high else "outside"
    return f"one more run: {max(0.0, low):.3f} to {min(1.0, high):.3f}; published is {verdict}"


def _format_curves(measured: Curves) -> bytes:
    """All measured points as CSV."""
    return format_csv(
        ["run", "seed", "generation", "wins", "games", "fraction_won"],
        [
            [number, seed, point.generation, round(point.won), point.games, round(point.share, 6)]
            for number, curves in measured.items()
            for seed, curve in enumerate(curves, start=1)
            for point in curve
        ],
    )


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
        curves = measured[number]
        count = "" if len(curves) == 1 else f", mean of {len(curves)} seeds"
        draw_runs(
            *(axes, [point.generation for point in curves[0]]),
            ([point.share for point in curve] for curve in curves),
            hue=OKABE_ITO[0],
            alpha=0.22,
            label=f"measured{count}",
            range_label="their range",
        )
    highest = max(axes.dataLim.ymax for axes in panels.flat)
    panels[0, 0].set_ylim(0.0, 0.8 if highest <= 0.8 else 1.0)  # of all panels
    for axes in panels[:, 0]:
        axes.set_ylabel("share of games won", fontsize=9)
    for axes in panels[1]:
        axes.set_xlabel("generation", fontsize=9)
    add_legend(figure, panels[0, 0], 3)
    return figure
