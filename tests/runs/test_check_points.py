"""Points of checks: stored beside wins, and ranked by."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evolve_arena.runs.api import resume, start
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import format_margin

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
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "tickets.toml").write_text(RECIPE)
    return start(str(folder / "tickets.toml"), run=folder / "run", executor="serial")


def test_checks_know_points(run: Run) -> None:
    checks = run.checks()
    found = [(check.generation, check.opponent) for check in checks]
    assert found == [(1, "random"), (1, "rule"), (2, "random"), (2, "rule")]
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


def test_margins_outrank_wins(run: Run, tmp_path: Path) -> None:
    """Of two champions the one with more points and fewer wins is the better one."""
    path = Path(shutil.copytree(run.path, tmp_path / "run"))
    with closing(sqlite3.connect(path / "history.db")) as database, database:
        database.execute("UPDATE check_points SET margin = generation * -10")
        database.execute("UPDATE checks SET wins = generation, losses = 6 - generation, draws = 0")
    resume(path, generations=2, executor="serial")
    assert Run.open(path).champion.remarks["generation"] == 1


def test_margins_are_written_with_signs() -> None:
    assert format_margin(-4.04, (-8.0, 0.04)) == "-4.0 [-8.0, +0.0]"
    assert format_margin(3.0, None) == format_margin(3.0, (float("-inf"), float("inf"))) == "+3.0"
