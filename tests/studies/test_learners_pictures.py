"""Pictures of runs whose learners teach themselves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.store.history import Check
from evolve_arena.runs.store.record import Record

LESSONS = "The learners' games against themselves"


def titles(axes: list[Axes]) -> list[str]:
    return [one.get_title(loc="left").partition(":")[0] for one in axes]


def test_a_long_legend_stays_inside_its_panel() -> None:
    checks = [Check(10, name, 50, 0, 50, 3) for name in ("minimax:depth=4,noise=0.2", "random")]
    figure = draw_runs([Record("run", "", {}, checks)])
    figure.canvas.draw()
    axes = figure.axes[1]
    legend = axes.get_legend()
    assert legend is not None
    inside, outside = legend.get_window_extent(), axes.get_window_extent()
    assert outside.x0 <= inside.x0
    assert inside.x1 <= outside.x1
    assert outside.x1 > 0.95 * figure.bbox.x1  # or the layout has made room for it


def test_learners_beside_a_bred_population() -> None:
    column, checks = np.linspace(0.0, 1.0, 9), [Check(8, "random", 50, 0, 50, 3)]
    generations = {"generation": np.arange(9.0)}
    fitness = ("best", "median", "lower_quartile", "upper_quartile", "diversity")
    lessons = ("error", "first_wins", "draws", "plies", "epsilon")
    evolved, learner = (
        Record(name, "", generations | dict.fromkeys(names, column), told)
        for name, names, told in (("bred", fitness, []), ("td", lessons, checks))
    )
    both = draw_runs([evolved, learner]).axes
    expected = ["Fitness inside the population", "Checks", "Diversity", LESSONS, "Errors"]
    assert titles(both) == [*expected, "Length of games"]
    for number in (0, 4):
        assert np.asarray(both[number].lines[0].get_ydata()).tolist() == column.tolist()
    assert titles(draw_runs([evolved]).axes) == expected[:3]
    assert titles(draw_runs([learner]).axes) == [LESSONS, "Checks", "Errors", "Length of games"]
