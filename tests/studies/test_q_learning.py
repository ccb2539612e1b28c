"""The study q-learning: six stages, what was published, and all of it once, small."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from evolve_arena.arena.intervals import Sample
from evolve_arena.arena.match import play_match
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import start
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.studies.q_learning.plan import STAGES, choose_as_published, plan_stage
from evolve_arena.studies.q_learning.tables import (
    make_ranking,
    meet_each_other,
    rank,
    read_published,
)
from evolve_arena.studies.reproduction import find_study, reproduce_study
from evolve_arena.studies.study import Settings, StudyResult
from tests.studied import remarks_of

STUDY = find_study("q-learning")
CONFIGURATIONS = [10, 5, 4, 5, 4, 6]
ROWS = {
    **{
        f"6.{2 * stage + 1 + place}": 3 * CONFIGURATIONS[stage]
        for stage in range(5)
        for place in (0, 1)
    },
    "6.11": 24,
    "6.12": 18,
    "6.13": 18,
    "winners": 12,
    "equal-sets": 8,
    "corrected": 24,
    "exploration": 18,
    "representations": 18,
    "minimax": 7 * 2 * 4,
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    out = tmp_path_factory.mktemp("study")
    return reproduce_study("q-learning", out=out, seeds=2, scale=0.0005, workers=2)


def plan() -> dict[str, Recipe]:
    return {job.name: job.recipe for job in STUDY.plan(Settings(STUDY.seeds))}


def test_six_stages_of_five_agents_each() -> None:
    jobs = plan()
    assert STUDY.seeds == 5
    stages = Counter(name.split("-")[1] for name in jobs if name.startswith("stage-"))
    assert list(stages.values()) == [5 * count for count in CONFIGURATIONS]
    games = {name: r.run.generations * r.method["games"] for name, r in jobs.items()}
    assert sum(count for name, count in games.items() if name.startswith("stage")) == 9_150_000
    assert games["stage-one-mean-150k-5"] == 150_000
    assert games["stage-six-3-1"] == 50_000
    assert len({recipe.run.seed for recipe in jobs.values()}) == len(jobs) == 200
    assert {name for name, recipe in jobs.items() if not recipe.method["faithful"]} == {
        f"corrected-{number}-{agent}" for number in (1, 6) for agent in range(1, 6)
    }


def test_the_shipped_recipe_is_the_first_configuration() -> None:
    """Listing 6.1 of the thesis in our words, with the number of games that it found best."""
    recipe = load_recipe("q-learning")
    assert recipe.make_game().rules == (7, 6, 4)
    assert recipe.network["hidden"] == [50]
    method = recipe.method
    assert recipe.run.generations * method["games"] == 50_000
    assert recipe.run.checkpoint_every * method["games"] == 1_000
    assert (method["learning_rate"], method["discount"]) == (0.05, 1.0)
    assert (method["future"], method["policy"]["exploration"]) == ("best-known", "boltzmann")
    assert method["policy"]["temperature"] == 1.0
    assert method["rewards"] == {"win": 2.0, "loss": -2.0, "draw": 0.0, "move": -0.01}
    assert recipe.make_decoder().inputs == 43


def test_other_exploration_differs_in_nothing_else_from_stage_six() -> None:
    jobs = plan()
    plain = jobs["stage-six-1-3"]
    changes = {"method.policy.exploration": "epsilon", "method.policy.epsilon": 0.1}
    constant = jobs["epsilon-constant-3"]
    assert constant == plain.change({**changes, "run.seed": constant.run.seed})
    changes |= {
        "method.policy.epsilon": 1.0,
        "method.policy.epsilon_end": 0.0,
        "method.policy.epsilon_games": 50_000,
    }
    falling = jobs["epsilon-falling-3"]
    assert falling == plain.change({**changes, "run.seed": falling.run.seed})


def test_wins_against_minimax_are_told_by_side(tiny: StudyResult) -> None:
    cells = {(row.row, row.column): row for row in tiny.rows if row.table == "minimax"}
    names = [f"stage-six-{label}" for label in STAGES[5].options]
    assert {row.rpartition(", ")[0] for row, _ in cells} == {*names, "random"}
    game = make_game("connect-four")
    opponent = make_player("minimax:depth=1", game)
    agents = [Run.open(tiny.out / f"stage-six-6-{agent}").champion for agent in (1, 2)]
    for side, order in (("first", 1), ("second", -1)):
        seeds = derive_seeds(1, 0, f"moving {side}", 40).tolist()
        games = zip([agent for agent in agents for _ in range(20)], seeds, strict=True)
        won = [
            play_match(game, (agent, opponent)[::order], seed=seed).outcome == order
            for agent, seed in games
        ]
        cell = cells[f"stage-six-6, moving {side}", "depth 1"]
        assert (cell.measured, cell.games) == (pytest.approx(fmean(won)), 40)
    for row in cells.values():  # even where all agents lose all games, that is not certain
        assert row.high > 0.03
    assert cells["random, moving second", "depth 4"].measured < 0.2


def test_what_is_chosen_is_taken_over() -> None:
    jobs = plan()
    last = jobs["stage-six-5-2"]
    assert last.network["hidden"] == [50]
    settled = {key: last.method[key] for key in ("future", "discount")}
    assert settled == {"future": "best-known", "discount": 1.0}
    assert last.method["policy"]["temperature"] == 1.5
    assert last.method["learning_rate"] == 0.05
    assert last.method["rewards"] == {"win": 5.0, "loss": -2.0, "draw": 0.0, "move": 0.0}
    assert jobs["stage-two-25-1"].method["policy"]["temperature"] == 1.0
    assert jobs["stage-four-0.25-1"].method["policy"]["temperature"] == 1.5
    assert jobs["stage-five-0.001-1"].method["rewards"]["move"] == -0.01
    assert jobs["stage-one-mean-5k-1"].method["future"] == "mean"


def test_another_choice_changes_the_stages_after_it() -> None:
    def choose(stage: object) -> str:
        return "mean-150k" if stage is STAGES[0] else STAGES[1].chosen

    jobs = plan_stage(STAGES[2], Settings(1), choose)
    assert {job.recipe.method["future"] for job in jobs} == {"mean"}
    games = {job.recipe.run.generations * job.recipe.method["games"] for job in jobs}
    assert games == {150_000}


def test_each_table_asks_for_its_own_runs() -> None:
    jobs = STUDY.plan(Settings(1))
    counts = {table.name: sum(map(table.needs, jobs)) for table in STUDY.tables}
    assert (counts["6.1"], counts["6.8"], counts["6.13"]) == (10, 5, 6)
    assert (counts["6.11"], counts["winners"], counts["corrected"]) == (0, 34, 8)
    assert (counts["exploration"], counts["representations"], counts["minimax"]) == (8, 8, 6)
    own = {table.name: table for table in find_study("q-learning-own").tables}
    assert sum(map(own["6.3"].needs, jobs)) == 15  # what it takes over depends on stage one


def test_published_numbers_are_those_of_the_text() -> None:
    table = read_published("6.2")["stage_one_mean_150k"]
    assert table == {"mean_percent_won": 79.68, "max_percent_won": 81.6, "min_percent_won": 77.7}
    for number in range(1, 14):
        stage = STAGES[min(5, (number - 1) // 2)]
        names = (
            {str(row) for row in range(1, 7)}
            if number == 11
            else {stage.name(label).replace("-", "_") for label in stage.options}
        )
        assert set(read_published(f"6.{number}")) == names


def test_all_tables_are_there(tiny: StudyResult) -> None:
    assert {table.name: len(table.rows) for table in tiny.tables} == ROWS
    for row in tiny.rows:
        assert row.low - 1e-9 <= row.measured <= row.high + 1e-9
        assert row.games > 0 or row.table == "6.11"
    for table in tiny.tables[:10]:
        for mean, best, worst in zip(
            table.rows[::3], table.rows[1::3], table.rows[2::3], strict=True
        ):
            assert (mean.column, best.column, worst.column) == ("mean", "best", "worst")
            assert worst.measured <= mean.measured <= best.measured
            assert worst.published <= mean.published <= best.published  # type: ignore[operator]
    assert not [row for row in tiny.tables[10].rows if row.published != row.measured]
    json.dumps(tiny.to_dict(), allow_nan=False)


def test_agents_meet_those_of_other_configurations_once_per_side(tiny: StudyResult) -> None:
    runs = {
        f"stage-three-{label}-{agent}": Run.open(tiny.out / f"stage-three-{label}-{agent}")
        for label in STAGES[2].options
        for agent in (1, 2)
    }
    won = meet_each_other(runs)
    assert {sample.games for sample in won.values()} == {2 * 3 * 2}
    game, hero = make_game("connect-four"), "stage-three-1.0-2"
    wins = 0
    for name, run in runs.items():
        if not name.startswith("stage-three-1.0"):
            pair = (runs[hero].champion, run.champion)
            wins += play_match(game, pair, seed=0).outcome == 1
            wins += play_match(game, pair[::-1], seed=0).outcome == -1
    assert won[hero] == Sample(wins, 12)
    (row,) = [
        r for r in tiny.rows if (r.table, r.row, r.column) == ("6.5", "stage-three-1.0", "mean")
    ]
    assert row.measured == pytest.approx(
        fmean(won[f"stage-three-1.0-{agent}"].share for agent in (1, 2))
    )


def test_against_random_each_side_begins_as_often(tiny: StudyResult) -> None:
    run = Run.open(tiny.out / "stage-two-75-1")
    (check,) = run.checks()
    assert (check.opponent, check.games) == ("random", 40)
    rows = [r for r in tiny.rows if (r.table, r.row) == ("6.4", "stage-two-75")]
    assert rows[0].games == 80
    assert check.won in {rows[1].measured, rows[2].measured}


def test_rankings_are_judged_by_how_much_agents_differ() -> None:
    won = {
        f"{name}-{agent}": Sample(middle + spread, 100)
        for name, middle in (("high", 70), ("low", 40), ("less", 20))
        for agent, spread in enumerate((-5, 0, 5), start=1)
    }
    # A pooled standard deviation of 0.05 and 6 degrees of freedom: half is 0.100.
    published = {
        "low": {"mean": 0.4998, "best": 0.5, "worst": 0.5},
        "less": {"mean": 0.31, "best": 0.5, "worst": 0.2},
        "high": {"mean": 0.58, "best": 0.6, "worst": 0.5},
    }
    table = make_ranking("name", "title", won, published, [])
    assert [row.row for row in table.rows[::3]] == ["low", "less", "high"]
    assert remarks_of(table)["less", "mean"] == "rank 3, published 3; lower here"
    assert remarks_of(table)["low", "mean"] == "rank 2, published 2; agrees"
    assert remarks_of(table)["high", "mean"] == "rank 1, published 1; higher here"
    assert [row.measured for row in table.rows[:3]] == pytest.approx([0.40, 0.45, 0.35])
    assert rank(won)["low"].rank == 2
    assert set(table.files) == {"name.csv", "name.png"}


def test_equal_sets_of_rewards_learn_the_same(tmp_path: Path) -> None:
    jobs = plan_stage(STAGES[5], Settings(1, 0.0005), choose_as_published)
    hashes = []
    for number in (2, 3, 6, 5):
        recipe = jobs[number - 1].recipe.change({"run.seed": 1})
        run = start(recipe, run=tmp_path / str(number), executor="serial")
        hashes.append(run.population_sha256)
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_the_report_has_charts_and_says_what_is_equal(tiny: StudyResult) -> None:
    report = (tiny.out / "report.md").read_text("utf-8")
    for name in ("6.1", "6.13", "corrected", "corrected-random"):
        assert f"]({name}.png)" in report
        assert (tiny.out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "the three published means are 8.4 points apart" in report
    assert "the author's choice" in report


def test_our_own_winner_is_taken_over(tmp_path: Path) -> None:
    out = tmp_path / "own"
    result = reproduce_study(
        "q-learning-own", out=out, seeds=1, scale=0.0005, only="6.3", workers=2
    )
    assert [table.name for table in result.tables] == ["6.3"]
    names = sorted(file.name for file in out.iterdir() if file.is_dir())
    assert len(names) == 15
    first = reproduce_study("q-learning-own", out=out, seeds=1, scale=0.0005, only="6.2", workers=2)
    mutual = reproduce_study(
        "q-learning-own", out=out, seeds=1, scale=0.0005, only="6.1", workers=2
    )
    best = best_of([mutual, first])
    winner, heir = (Run.open(out / name).recipe for name in (f"{best}-1", "stage-two-25-1"))
    assert heir.method["future"] == winner.method["future"]
    assert heir.run.generations * heir.method["games"] == (
        winner.run.generations * winner.method["games"]
    )


def best_of(results: list[StudyResult]) -> str:
    """Return the configuration with the best places in two rankings; ties go to the last one."""
    means = [{r.row: r.measured for r in result.rows if r.column == "mean"} for result in results]
    places = Counter[str]()
    for table in means:
        for name, mean in table.items():
            places[name] += 1 + sum(other > mean for other in table.values())
    return min(places, key=lambda name: (places[name], -means[-1][name]))
