"""The study td-lambda: settings, what was published, and all of it once, small."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean

import pytest

from evolve_arena.arena.intervals import Sample
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.players.specification import make_player
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import Check
from evolve_arena.studies.reproduction import find_study, reproduce_study
from evolve_arena.studies.study import Settings, StudyResult
from evolve_arena.studies.td_lambda.plan import OPPONENTS
from evolve_arena.studies.td_lambda.tables import (
    Curve,
    concept_samples,
    pick_best,
    published,
    read_curve,
    smooth,
)

STUDY = find_study("td-lambda")
SHARES = ["random", "MM1", "MM2", "MM3", "MM4"]
GROUPS = ["A", "F", "R", "D", "K"]
ROWS = {
    "4.1": 5,
    "figure-4.1": 24,
    "A.1": 40,
    "A.2": 40,
    "A.3": 30,
    "A.4": 30,
    "figure-4.6": 20,
    "as-written": 20,
    "policies": 50,
    "against-minimax": 50,
    "A.5": 10,
    "5.1": 50,
    "5.2": 50,
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    out = tmp_path_factory.mktemp("study")
    return reproduce_study("td-lambda", out=out, seeds=2, scale=0.0001, workers=2)


def test_the_settings_are_those_of_the_publication() -> None:
    jobs = {job.name: job.recipe for job in STUDY.plan(Settings(STUDY.seeds))}
    assert STUDY.seeds == 4
    assert len(jobs) == 26 * 4  # settings that several tables show are learnt once
    games = [recipe.run.generations * recipe.method["games"] for recipe in jobs.values()]
    assert sum(games) == 24 * 4_000_000 + 4 * 300_000 + 4 * 5_000_000
    plain = jobs["R1-G4-L1-3"]
    assert (plain.network["encoding"], plain.network["hidden"]) == ("signed", [120])
    assert (plain.method["trace"], plain.method["individuals"]) == (0.0, 1)
    policy = plain.method["policy"]
    assert (policy["epsilon"], policy["epsilon_end"]) == (0.5, 0.1)
    assert policy["epsilon_games"] == 1_000_000
    assert plain.run.seed == 3
    assert (plain.method["learning_rates"]["scale"], plain.method["initialisation"]) == (
        0.1,
        "fan-in",
    )
    written = jobs["R1-G4-L1-as-written-3"]
    assert (written.method["learning_rates"]["scale"], written.method["initialisation"]) == (
        1.0,
        "inverse",
    )
    assert written.network == plain.network
    assert jobs["R2-G3-L3-1"].network["encoding"] == "planes"
    assert jobs["R2-G3-L3-1"].network["hidden"] == [80]
    assert jobs["R2-G3-L3-1"].method["trace"] == 0.6
    assert jobs["R1-G3-L1-end-0.5-2"].method["policy"]["epsilon_end"] == 0.5
    assert plain.method["opponents"] == []
    taught = jobs["R1-G4-L1-against-MM2-3"]
    assert taught.method["opponents"] == [OPPONENTS["MM2"]]
    assert taught.method | {"opponents": []} == plain.method
    assert jobs["R1-G4-L1-5M-4"].method["policy"]["epsilon_games"] == 5_000_000


def test_every_individual_is_checked_alike() -> None:
    for scale in (1.0, 0.01, 0.0001):
        for job in STUDY.plan(Settings(1, scale)):
            check, run = job.recipe.check, job.recipe.run
            assert check.opponents == (
                "random",
                *(f"minimax:depth={depth},noise=0.2" for depth in (1, 2, 3, 4)),
            )
            assert (run.generations, run.champion) == (25 * check.every, "last")
            assert check.games == max(20, 1000 * scale)
            assert job.recipe.network["take_wins"] is False


def test_each_table_asks_for_its_own_runs() -> None:
    jobs = STUDY.plan(Settings(1))
    wanted = {table.name: [job.name for job in jobs if table.needs(job)] for table in STUDY.tables}
    assert wanted["4.1"] == ["R1-G1-L1-300k-1"]
    assert wanted["A.3"] == ["R1-G4-L1-1", "R1-G4-L2-1", "R1-G4-L3-1"]
    assert wanted["figure-4.6"] == ["R1-G4-L1-1", "R2-G3-L1-1"]
    assert wanted["A.5"] == ["R1-G4-L1-5M-1"]
    assert "R1-G3-L1-1" in wanted["figure-4.1"]
    assert wanted["against-minimax"] == [
        "R1-G4-L1-1",
        *(f"R1-G4-L1-against-MM{depth}-1" for depth in (1, 2, 3, 4)),
    ]
    assert wanted["5.1"] == wanted["5.2"] == []


def test_published_numbers_are_those_of_the_text() -> None:
    assert published("4.1")["G1", "random"] == [0.93, 0.94, 0.90, 0.94]
    assert published("A.1")["G4", "MM4"] == [0.39, 0.43, 0.54, 0.60]
    assert published("5.1")["random", "MM1"] == [0.10]
    assert published("A.5")["L1", "K"] == [0.85, 0.75, 0.70, 0.75]
    for column in SHARES + GROUPS:
        assert published("A.1")["G4", column] == published("A.3")["L1", column]
        assert published("A.2")["G3", column] == published("A.4")["L1", column]


def test_all_tables_are_there(tiny: StudyResult) -> None:
    assert {table.name: len(table.rows) for table in tiny.tables} == ROWS
    for row in tiny.rows:
        assert row.low - 1e-9 <= row.measured <= row.high + 1e-9
        assert row.games > 0
        if row.column != "rise at the end":
            assert row.low >= 0.0
            assert row.high <= 1.0
    assert {row.published is None for row in tiny.rows if row.table[0] in "A5"} == {False}


def test_a_final_result_is_the_last_check_with_half_a_point_for_draws(tiny: StudyResult) -> None:
    shares = []
    for number in (1, 2):
        run = Run.open(tiny.out / f"R1-G2-L1-{number}")
        last = [check for check in run.checks() if check.generation == run.generation]
        assert len(last) == 5
        (check,) = [check for check in last if check.opponent == OPPONENTS["MM1"]]
        shares.append((check.wins + check.draws / 2) / check.games)
    (row,) = [r for r in tiny.rows if (r.table, r.row, r.column) == ("A.1", "G2", "MM1")]
    assert row.measured == pytest.approx(fmean(shares))
    assert row.published == pytest.approx(fmean([0.66, 0.95, 0.77, 0.90]))
    assert row.games == 40


def test_concept_states_are_asked_of_the_last_champion(tiny: StudyResult) -> None:
    run = Run.open(tiny.out / "R1-G4-L1-5M-2")
    samples = concept_samples(run.champion_at(25), run.method.decoder.game)
    with (tiny.out / "A.5.csv").open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["individual"] == "2"]
    assert [line["column"] for line in lines] == SHARES + GROUPS
    for line in lines[5:]:
        assert float(line["measured"]) == pytest.approx(samples[line["column"]].share, abs=1e-6)
        assert int(line["count"]) == (30 if line["column"] in "AF" else 20)
    assert [line["published"] for line in lines[:2]] == ["1.0", "0.96"]


def test_a_share_that_is_expected_counts_as_it_is() -> None:
    game, wide = make_game("connect-four"), make_game("connect-four", columns=8)
    samples = concept_samples(make_player("minimax:depth=1", game), game)
    assert list(samples) == GROUPS
    assert (samples["A"].share, samples["A"].games) == (1.0, 30)
    assert samples["F"].share < 0.5
    with pytest.raises(BadValueError, match=r"are not for connect-four with columns 8, rows 6"):
        concept_samples(make_player("minimax", wide), wide)


def test_the_report_shows_charts_and_individuals(tiny: StudyResult) -> None:
    report = (tiny.out / "report.md").read_text("utf-8")
    figures = [f"figure-4.{number}.png" for number in range(1, 8)]
    for figure in figures:
        assert f"]({figure})" in report
        assert (tiny.out / figure).read_bytes().startswith(b"\x89PNG")
    assert "| individual | random | MM1 | MM2 | MM3 | MM4 | A | F | R | D | K |" in report
    assert "| G4, 4 |" not in report  # two individuals here
    assert "| L1, 2 | 1.00 / " in report
    assert tiny.command == "evolve reproduce td-lambda --seeds 2 --scale 0.0001"


def test_curves_are_smoothed_as_described() -> None:
    assert smooth([0.0, 0.3, 0.9, 0.6]) == [0.0, pytest.approx(0.4), pytest.approx(0.6), 0.6]
    assert smooth([0.5, 1.0]) == [0.5, 1.0]
    assert smooth([0.5]) == [0.5]


def test_a_draw_is_half_a_point(tiny: StudyResult, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.open(tiny.out / "R1-G1-L1-1")
    check = Check(25, "minimax:depth=3,noise=0.2", wins=10, draws=4, losses=6, distinct_games=20)
    monkeypatch.setattr(run, "checks", lambda: [check])
    assert read_curve(run).points["MM3"] == [Sample(12.0, 20)]


def test_curves_count_training_games(tiny: StudyResult) -> None:
    run = Run.open(tiny.out / "R1-G1-L1-1")
    curve = read_curve(run)
    each = run.recipe.method["games"]
    assert curve.games == [each * generation for generation in range(1, 26)]
    assert {len(samples) for samples in curve.points.values()} == {25}
    assert list(curve.points) == SHARES


def test_the_best_individual_has_the_best_final_result() -> None:
    def curve(*last: float) -> Curve:
        points = {name: [Sample(10, 10), Sample(10 * won, 10)] for name, won in enumerate(last)}
        return Curve([1, 2], {str(name): samples for name, samples in points.items()})

    assert pick_best([curve(0.9, 0.1), curve(0.6, 0.6), curve(0.7, 0.5)]) == 1


def test_one_table_runs_only_what_it_needs(tmp_path: Path) -> None:
    result = reproduce_study(
        "td-lambda", out=tmp_path, seeds=1, scale=0.0001, only="4.1", workers=1
    )
    assert [file.name for file in tmp_path.iterdir() if file.is_dir()] == ["R1-G1-L1-300k-1"]
    assert [row.row for row in result.rows] == ["G1"] * 5
    assert result.command.endswith("--seeds 1 --scale 0.0001 --only 4.1")
