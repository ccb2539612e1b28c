"""Points of checks: stored beside wins, ranked by, shown, and missing from older histories."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from evolve_arena.arena.arena import warm_up
from evolve_arena.cli.display import Display
from evolve_arena.cli.run_tables import print_summary
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.evolve.method import Report
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.api import resume, start
from evolve_arena.runs.export import export_player
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import CheckPoints, format_margin
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import Record
from evolve_arena.runs.summary import summarise
from evolve_arena.runs.training.loop import Progress

RECIPE = """
title = "tickets"
[game]
name = "ticket-to-ride"
seats = 4
[method]
individuals = 6
tournament_size = 2
tables = { decks = 2, trial_decks = 2, finalists = 2, final_decks = 2 }
[check]
every = 1
games = 6
opponents = ["rule", "random"]
[run]
generations = 2
champion = "best-check"
"""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    file = tmp_path_factory.mktemp("recipe") / "tickets.toml"
    file.write_text(RECIPE)
    return load_recipe(str(file))


@pytest.fixture(scope="module")
def run(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Run:
    warm_up(make_game("ticket-to-ride"))
    return start(recipe, run=tmp_path_factory.mktemp("runs") / "run", executor="serial")


def test_checks_know_points(run: Run) -> None:
    checks = run.checks()
    assert [(check.generation, check.opponent) for check in checks] == [
        (1, "random"),
        (1, "rule"),
        (2, "random"),
        (2, "rule"),
    ]
    for check in checks:
        assert check.games == 6
        scores = check.scores
        assert scores is not None
        assert scores.low < scores.margin < scores.high
        # Each side has two seats.
        assert scores.margin == pytest.approx(scores.points - scores.against, abs=25)
        assert scores.forbidden == 0


def test_the_champion_is_who_scores_most_more(run: Run) -> None:
    margins = {
        check.generation: check.scores.margin
        for check in run.checks()
        if check.opponent == "rule" and check.scores
    }
    best = max(margins, key=lambda generation: (margins[generation], generation))
    assert run.champion.remarks["generation"] == best


def test_margins_outrank_wins(run: Run, recipe: Recipe, tmp_path: Path) -> None:
    """Of two champions the one with more points and fewer wins is the better one."""
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial")
    database = sqlite3.connect(path / "history.db")
    database.execute("UPDATE check_points SET margin = generation * -10")
    database.execute("UPDATE checks SET wins = generation, losses = 6 - generation, draws = 0")
    database.commit()
    database.close()
    resume(path, generations=2, executor="serial")
    assert Run.open(path).champion.remarks["generation"] == 1


def test_what_came_later_is_forgotten(tmp_path: Path) -> None:
    scores = CheckPoints(90.0, 80.0, 10.0, 5.0, 15.0, 2)
    with History(tmp_path / "history.db", write=True) as history:
        for generation in (1, 2):
            history.add_check(Report(generation, 1, {"points": 1.0, "matches": 1.0}), b"x", [])
            history._database.execute(
                "INSERT INTO checks VALUES (?, 'rule', 1, 0, 1, 2)", (generation,)
            )
            history._database.execute(
                "INSERT INTO check_points VALUES (?, 'rule', 90, 80, 10, 5, 15, 2)", (generation,)
            )
        history.forget_after(1)
        assert history.checks() == [Check(1, "rule", 1, 0, 1, 2, scores)]
        assert len(history._read("SELECT * FROM check_points")) == 1


def test_older_histories_have_no_points(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with History(path, write=True) as history:
        history._database.execute("INSERT INTO checks VALUES (1, 'random', 3, 0, 1, 4)")
        history._database.execute("DROP TABLE check_points")
    with History(path) as reader:
        assert reader.checks() == [Check(1, "random", 3, 0, 1, 4)]
    with History(path, write=True) as writer:
        writer.forget_after(1)
        assert writer.checks() == [Check(1, "random", 3, 0, 1, 4)]


def test_the_summary_shows_points(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    content = summarise(run)
    told = content["last_check"]["opponents"]["rule"]
    scores = next(c.scores for c in run.checks() if (c.generation, c.opponent) == (2, "rule"))
    assert scores is not None
    assert told["points"] == scores.points
    assert told["margin_95"] == [scores.low, scores.high]
    assert told["forbidden_moves"] == 0
    print_summary(content)
    text = capsys.readouterr().out
    assert "margin, 95 % interval" in text
    assert format_margin(scores.margin, (scores.low, scores.high)) in text


def test_the_progress_line_shows_points(run: Run) -> None:
    seen: list[Progress] = []

    def watch(progress: Progress) -> bool:
        seen.append(progress)
        return True

    start(
        run.recipe, run=run.path.parent / "watched", executor="serial", callbacks=watch, force=True
    )
    assert seen[-1].checked == 2
    line = Display("title", quiet=True)._line(seen[-1])
    assert ", points " in line
    assert line.count("] ") >= 2


def test_points_have_a_panel(run: Run) -> None:
    def titles(figure: Figure) -> list[str]:
        return [axes.get_title(loc="left") for axes in figure.axes]

    record = run.history()
    assert record.scores
    figure = draw_runs([record])
    assert titles(figure)[1:3] == [
        "Checks: the champion against opponents from outside",
        "Points in checks: the champion's seats less the opponent's",
    ]
    panel = figure.axes[2]
    lines = {len(line.get_xdata()): line.get_ydata() for line in panel.lines[1:]}  # type: ignore[arg-type]
    assert set(lines) == {2}
    low, high = figure.axes[0].get_ylim()
    assert (low, high) != (0.0, 1.0)  # the fitness is no share here
    plain = Record("plain", "", record.statistics, [Check(1, "random", 3, 0, 1, 4)])
    assert not any("Points" in title for title in titles(draw_runs([plain])))


def test_a_champion_is_exported_to_python_and_to_no_page(run: Run) -> None:
    player: BredPlayer = run.champion
    assert "def choose(" in str(export_player(player, "python"))
    with pytest.raises(BadValueError, match="hides something from its players"):
        export_player(player, "html")


def test_margins_are_written_with_signs() -> None:
    assert format_margin(-4.04, (-8.0, 0.04)) == "-4.0 [-8.0, +0.0]"
    assert format_margin(3.0, None) == format_margin(3.0, (float("-inf"), float("inf"))) == "+3.0"
