"""What users see of a run whose learners teach themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes

from evolve_arena import Run, start
from evolve_arena.cli.display import Display
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import Record
from evolve_arena.runs.training.loop import Progress

CHANGES = [
    *("network.hidden=[12]", "method.games=120", "method.epsilon_games=800", "check.every=3"),
    *("check.games=20", "check.opponents=['random']", "run.generations=9"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing befell."""
    recipe = load_recipe("td-lambda", CHANGES)
    return start(recipe, run=tmp_path_factory.mktemp("td") / "run", executor="serial")


def titles(axes: list[Axes]) -> list[str]:
    return [one.get_title(loc="left").partition(":")[0] for one in axes]


def points(axes: Axes, number: int) -> list[float]:
    return np.asarray(axes.lines[number].get_ydata()).tolist()


LESSONS = "The learners' games against themselves"


def test_a_picture_shows_what_learners_tell(whole: Run) -> None:
    axes = draw_runs([whole.history()]).axes
    assert titles(axes) == [LESSONS, "Checks", "Errors", "Length of games"]
    with History(whole.directory.history) as history:
        table = history.generations()
    for number, name in enumerate(("first_wins", "draws", "epsilon")):
        assert points(axes[0], number) == table[name]
    legend = axes[0].get_legend()
    assert legend is not None
    told = [text.get_text() for text in legend.get_texts()]
    assert told == ["games won by who began", "draws", "moves at random (ε)"]
    assert points(axes[2], 0) == table["error"]
    assert points(axes[3], 0) == table["plies"]
    assert axes[-1].get_xlabel() == "generation"


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


def test_learners_beside_a_bred_population(whole: Run) -> None:
    learner = whole.history()
    column = np.linspace(0.0, 1.0, 9)
    names = ("best", "median", "lower_quartile", "upper_quartile", "diversity")
    bred = Record("bred", "", {"generation": np.arange(9.0), **dict.fromkeys(names, column)}, [])
    both = draw_runs([bred, learner]).axes
    expected = ["Fitness inside the population", "Checks", "Diversity", LESSONS, "Errors"]
    assert titles(both) == [*expected, "Length of games"]
    assert points(both[0], 0) == column.tolist()
    assert points(both[4], 0) == learner.statistics["error"].tolist()
    assert titles(draw_runs([bred]).axes) == expected[:3]


def test_the_display_tells_what_is_learned(whole: Run, capsys: pytest.CaptureFixture[str]) -> None:
    statistics = {"error": 0.25, "first_wins": 0.5, "draws": 0.0, "plies": 20.0, "epsilon": 0.375}
    progress = Progress(generation=3, generations=9, statistics=statistics, checked=3)
    display = Display("learning")
    display.watch(progress)
    assert "error 0.250, ε 0.375" in capsys.readouterr().err
    del statistics["epsilon"]
    display.watch(replace(progress, checked=6))
    line = capsys.readouterr().err
    assert "error 0.250" in line
    assert "ε" not in line
