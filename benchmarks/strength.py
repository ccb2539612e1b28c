"""Strength over time and over size: ``python -m benchmarks.strength RUN ... [--sizes RUN ...]``.

The champions that each run has kept play one opponent. The plot shows their scores over the seconds
that breeding took, checks left out, and those of the last champions of ``--sizes`` over the number
of their weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

import evolve_arena as ea
from evolve_arena.arena.pairings import longest_opening
from evolve_arena.core.errors import BadValueError
from evolve_arena.runs.players import game_for
from evolve_arena.runs.plots.style import colours, new_figure, save, style_axes
from evolve_arena.runs.run import Run


class Point(NamedTuple):
    """Score of a champion."""

    seconds: float
    """Seconds in which it was bred."""
    weights: int
    score: float
    low: float
    high: float


def measure(run: Run, generations: Sequence[int], words: argparse.Namespace) -> list[Point]:
    """Return the scores of a run's champions at *generations*, of those that are kept."""
    game = game_for([f"run:{run.path}"])
    ends = np.cumsum(run.history()["seconds"])
    points = []
    for generation in generations:
        try:
            player = run.champion_at(generation)
        except BadValueError:  # large ones are kept at checkpoints alone
            continue
        result = ea.duel(
            player,
            words.opponent,
            games=words.games,
            opening_plies=min(words.openings, longest_opening(game)),
            seed=77,
            game=game,
        )
        seconds = float(ends[generation - 1]) if generation else 0.0
        weights = sum(array.size for array in player.arrays.values() if array.dtype.kind == "f")
        low, high = result.wilson_95
        points.append(Point(seconds, weights, result.score, low, high))
        told = f"{seconds:.0f} | {weights:,} | {result.score:.3f} [{low:.3f}, {high:.3f}]"
        print(f"| `{run.path.name}` | {generation} | {told} |", flush=True)
    return points


def draw(axes: Axes, points: Sequence[Point], field: str, **look: object) -> None:
    """Draw a line through *points* over one of their fields, with intervals as bars."""
    scores = [point.score for point in points]
    bars = np.array([(point.score - point.low, point.high - point.score) for point in points])
    across = [getattr(point, field) for point in points]
    axes.errorbar(across, scores, yerr=bars.T, marker="o", ms=3, lw=1.2, **look)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directories of runs")
    parser.add_argument("--sizes", nargs="*", default=[], metavar="RUN", help="runs of one game")
    parser.add_argument("--opponent", default="mcts:rollouts=1000")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--openings", type=int, default=4, help="random plies, as far as they fit")
    parser.add_argument("--out", type=Path, default=Path("strength.png"))
    arguments = parser.parse_args(words)
    print("| run | generation | seconds | weights | score |\n| --- | --- | --- | --- | --- |")
    figure = new_figure(9 if arguments.sizes else 5.5, 4)
    left, *right = figure.subplots(1, 2 if arguments.sizes else 1, sharey=True, squeeze=False)[0]
    style_axes(left, title="Over time", label=f"points against {arguments.opponent}")
    left.set_xlabel("seconds of breeding", fontsize=9)
    left.set_ylim(0, 1.02)
    for name, colour in zip(arguments.runs, colours(len(arguments.runs)), strict=True):
        run = ea.load(name)
        checked = sorted({check.generation for check in run.checks()})
        draw(left, measure(run, checked, arguments), "seconds", color=colour, label=run.path.name)
    left.legend(fontsize=8, frameon=False, loc="lower right")
    for axes in right:
        style_axes(axes, title="Over size")
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_formatter("")
        axes.set_xlabel("weights", fontsize=9)
        last = [
            point
            for run in map(ea.load, arguments.sizes)
            for point in measure(run, [run.generation], arguments)
        ]
        last.sort(key=lambda point: point.weights)
        draw(axes, last, "weights", color=colours(1)[0])
    save(figure, arguments.out)


if __name__ == "__main__":
    main()
