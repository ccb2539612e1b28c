"""The study connect-four-methods: equal games, equal time, and all of it once, small."""

from __future__ import annotations

import pytest

from evolve_arena.runs.api import load
from evolve_arena.studies.connect_four_methods.study import ARMS, SCRIPTED, find_generation, plan
from evolve_arena.studies.reproduction import reproduce_study
from evolve_arena.studies.study import Settings, StudyResult


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    out = tmp_path_factory.mktemp("study")
    return reproduce_study("connect-four-methods", out=out, seeds=1, scale=0.001, workers=1)


def test_runs_are_long_enough_for_equal_games() -> None:
    jobs = {job.name: job.recipe for job in plan(Settings(1))}
    assert len(jobs) == len(ARMS)
    for arm in ARMS:
        recipe = jobs[f"{arm.name}-1"]
        assert recipe.run.generations * arm.each >= 2_000_000
        assert recipe.check.every * arm.each <= 100_000


def test_every_method_meets_every_other_and_both_scripted_players(result: StudyResult) -> None:
    names = [arm.name for arm in ARMS]
    pairs = {(one, other) for place, one in enumerate(names) for other in names[place + 1 :]}
    pairs |= {(name, scripted) for name in names for scripted in SCRIPTED}
    for table in result.tables:
        met = {(row.row, row.column.removeprefix("score against ")) for row in table.rows}
        assert met == pairs
        assert all(0.0 <= row.low <= row.measured <= row.high <= 1.0 for row in table.rows)
        assert {row.games for row in table.rows} == {20}


def test_players_are_those_of_the_last_check_within_the_limit(
    result: StudyResult,
) -> None:
    run = load(result.out / "evolved-1")
    games = run.history()["games"]
    assert find_generation(run, "games", 0.0) == 1
    assert find_generation(run, "games", float(games[:3].sum())) == 3
    assert find_generation(run, "games", float(games[:3].sum()) - 1) == 2
    assert find_generation(run, "seconds", 1e9) == len(games)


def test_each_run_keeps_the_champion_of_each_check(result: StudyResult) -> None:
    for job in plan(Settings(1)):
        assert job.recipe.run.keep_every == 1
        assert job.recipe.run.checkpoint_every == job.recipe.check.every
    run = load(result.out / "population-based-1")
    assert [run.champion_at(check.generation) for check in run.checks()]
