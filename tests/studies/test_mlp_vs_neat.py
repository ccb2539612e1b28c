"""The study mlp-vs-neat: equal budgets, honest intervals, and all of it once, small."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.history import History
from evolve_arena.studies.mlp_vs_neat.study import ARMS, count_generations, plan
from evolve_arena.studies.reproduction import reproduce_study
from evolve_arena.studies.study import Settings, StudyResult


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    out = tmp_path_factory.mktemp("study")
    return reproduce_study("mlp-vs-neat", out=out, seeds=2, scale=0.01, workers=1)


def test_all_arms_have_the_same_budget_and_the_same_checks() -> None:
    jobs = plan(Settings(seeds=2))
    assert len(jobs) == 2 * len(ARMS) == len({job.name for job in jobs})
    checks = {
        (job.recipe.check.games, job.recipe.check.opponents, job.recipe.check.opening_plies)
        for job in jobs
    }
    assert checks == {(1000, ("test-bot", "random"), 0)}
    meetings = [job.recipe.make_config() for job in jobs]
    for key in ("noise", "colours", "draw_points", "openings", "hall_of_fame"):
        assert len({str(getattr(meeting, key)) for meeting in meetings}) == 1, key
    assert {job.recipe.network["head"] for job in jobs} == {"value"}
    assert {job.recipe.network["encoding"] for job in jobs} == {"planes"}


def test_generations_are_counted_by_the_games_that_they_take(result: StudyResult) -> None:
    for job in plan(result.settings):
        with History(result.out / job.name / "history.db") as history:
            played = history.generations()["games"]
            species = history.species()
        budget = 100_000
        assert count_generations(job.recipe, budget) == len(played)
        if species:  # how many matches judge them was a guess
            assert 0.8 * budget < sum(played) < 1.2 * budget
        else:
            assert sum(played) >= budget > sum(played[:-1])


def test_more_games_take_more_generations() -> None:
    recipe = load_recipe("connect-four", ["matches.openings.count=2"])
    assert count_generations(recipe, 1) == 1
    # 200 individuals: 400 tournaments of ten pairs, two colours, two openings; then the hall.
    assert count_generations(recipe, 16_000) == 1
    assert count_generations(recipe, 16_001) == 2
    assert count_generations(recipe, 16_000 + 16_800) == 2
    assert count_generations(recipe, 16_000 + 16_801) == 3


def test_the_tables_are_complete(result: StudyResult) -> None:
    found = {(row.table, row.row, row.column) for row in result.rows}
    assert len(found) == len(result.rows)
    for arm in ("mlp", "mlp-16", "neat"):
        for opponent in ("test-bot", "random"):
            assert ("curves", arm, f"won against {opponent}") in found
            assert ("champions", arm, f"won against {opponent}") in found
    duels = {place[1:] for place in found if place[0] == "duels"}
    assert duels == {
        ("mlp", "score against mlp-16"),
        ("mlp", "score against neat"),
        ("mlp-16", "score against neat"),
    }
    for row in result.rows:
        assert row.published is None
        assert 0.0 <= row.low <= row.measured <= row.high <= 1.0
        assert row.games > 0


def test_the_report_has_a_chart(result: StudyResult) -> None:
    out: Path = result.out
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    report = (out / "report.md").read_text("utf-8")
    assert "![share won in the last 5 checks](curves.png)" in report
    assert "million training games" in report
