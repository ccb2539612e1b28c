"""Studies: published figures are right, and measured ones are those of the runs."""

from __future__ import annotations

import csv
import json
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from evolve_arena.arena.intervals import Sample
from evolve_arena.arena.match import play_match
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import load, start
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.many.parallel_runs import RunsProgress, RunsStoppedError, show_progress
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.history import History
from evolve_arena.studies import commands
from evolve_arena.studies.four_in_a_row.study import (
    begin_each_check,
    begin_round_robins,
    read_published,
)
from evolve_arena.studies.report import format_report
from evolve_arena.studies.reproduction import STUDIES, find_study, print_study, reproduce_study
from evolve_arena.studies.study import Settings, StudyResult
from tests.studied import remarks_of

TABLES = {"curves": 12, "diversity": 12, "moving-first": 13, "diversity-first": 6, "opponents": 14}
"""Number of rows of each table."""

LEVELS = {1: 15.445, 2: 27.748, 3: 16.308, 4: 13.786, 5: 20.311, 6: 16.018}
"""The sum of the last 50 numbers of each run, added up from the printed text."""

BEST = {1: 0.458, 2: 0.73, 3: 0.52, 4: 0.461, 5: 0.595, 6: 0.504}


def reproduce(out: Path, **options: object) -> StudyResult:
    """Run the study in its shortest form: 20 generations, 20 games a check."""
    settings: dict[str, object] = {"scale": 0.01, "workers": 1, **options}
    return reproduce_study("four-in-a-row", out=out, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return reproduce(tmp_path_factory.mktemp("study") / "tiny")


def stop_at(count: int, told: list[RunsProgress]) -> Callable[[RunsProgress], bool]:
    def progress(now: RunsProgress) -> bool:
        told.append(now)
        return len(told) < count

    return progress


def test_published_numbers_are_those_of_the_text() -> None:
    published = read_published()
    assert [len(curve.points) for curve in published.values()] == [100, 103, 100, 100, 100, 100]
    for number, curve in published.items():
        assert curve.level == pytest.approx(LEVELS[number] / 50, abs=1e-5)
        assert curve.best == BEST[number]
    assert published[2].points.index(0.73) == 33
    assert published[1].points[32] == pytest.approx(491 / 1500)
    assert published[3].label == "one hidden layer, 0/-1/1, p_c = 0.35"


def test_every_table_sets_published_beside_measured(tiny: StudyResult) -> None:
    assert {table.name: len(table.rows) for table in tiny.tables} == TABLES
    for row in tiny.rows:
        assert 0.0 <= row.low <= row.measured <= row.high <= 99.0
        assert row.games > 0
    curves = [row for row in tiny.rows if row.table in ("curves", "moving-first")]
    assert curves.pop().published is None
    for row in curves:
        number = int(row.row[-1])
        expected = BEST[number] if row.column == "best point" else LEVELS[number] / 50
        assert row.published == pytest.approx(expected, abs=5e-5)
    assert {row.published for row in tiny.rows if row.table == "diversity"} == {"95-99"}


def test_levels_are_the_checks_of_the_runs(tiny: StudyResult) -> None:
    checks = load(tiny.out / "run-3-seed-1").checks()
    assert [check.generation for check in checks] == [10, 20]
    assert [check.games for check in checks] == [20, 20]
    level, best = [row for row in tiny.rows if (row.table, row.row) == ("curves", "run 3")]
    wins = sum(check.wins for check in checks)
    assert (level.measured, level.games) == (wins / 40, 40)
    assert (level.low, level.high) == wilson_interval(wins, 40)
    assert (best.measured, best.games) == (max(check.won for check in checks), 20)


def test_diversity_is_what_champions_won(tiny: StudyResult) -> None:
    with History(tiny.out / "run-5-seed-1" / "history.db") as history:
        points = [won for _, won, _ in history.champions()]
    row, _ = [row for row in tiny.rows if (row.table, row.row) == ("diversity", "run 5")]
    assert row.measured == pytest.approx(fmean(points))
    assert row.games == 198


def test_diversity_of_the_last_checks_and_of_the_first(
    tiny: StudyResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LAST", "FIRST"):
        monkeypatch.setattr(f"evolve_arena.studies.four_in_a_row.study.{name}", 1)
    shutil.copytree(tiny.out, tmp_path / "copy")
    rows = reproduce(tmp_path / "copy", only="diversity").rows
    for number in range(1, 7):
        with History(tiny.out / f"run-{number}-seed-1" / "history.db") as history:
            (_, first, _), (_, last, _) = history.champions()
        ours = [row for row in rows if row.row == f"run {number}"]
        assert [(row.column, row.measured) for row in ours] == [
            ("wins in 99 duels", pytest.approx(last)),
            ("wins in 99 duels, first 1 checks", pytest.approx(first)),
        ]


def test_opponents_meet(tiny: StudyResult) -> None:
    rows = {(row.row, row.column): row for row in tiny.rows if row.table == "opponents"}
    random, bot = rows["random", "won against test-bot"], rows["test-bot", "won against random"]
    assert random.measured < 0.5 < bot.measured
    assert random.games == bot.games == 100
    assert rows["run 6", "won against random"].games == 20


def test_rows_are_also_csv_and_json(tiny: StudyResult) -> None:
    with (tiny.out / "rows.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    columns = ["table", "row", "column", "published", "measured", "low", "high", "games"]
    assert list(lines[0]) == columns
    assert len(lines) == sum(TABLES.values())
    assert lines[3]["published"] == "0.73"
    assert [float(line["measured"]) for line in lines] == [row.measured for row in tiny.rows]
    content = json.loads(json.dumps(tiny.to_dict(), allow_nan=False))
    assert content["command"] == "evolve reproduce four-in-a-row --scale 0.01"
    assert [table["name"] for table in content["tables"]] == list(TABLES)
    assert content["tables"][0]["rows"][0]["row"] == "run 1"


def test_the_report_has_tables_charts_and_a_warning(tiny: StudyResult) -> None:
    report = (tiny.out / "report.md").read_text(encoding="utf-8")
    assert "| run 2 | best point | 0.730 |" in report
    assert "All lengths are multiplied by 0.01" in report
    assert "103 published points" in report
    for name in ("curves.png", "moving-first.png"):
        assert f"]({name})" in report
        assert (tiny.out / name).read_bytes().startswith(b"\x89PNG")
    lines = (tiny.out / "curves.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "run,seed,generation,wins,games,fraction_won"
    assert len(lines) == 1 + 6 * 2


def test_an_interrupted_study_goes_on_where_it_was(tiny: StudyResult, tmp_path: Path) -> None:
    told: list[RunsProgress] = []
    with pytest.raises(RunsStoppedError, match="the same command goes on"):
        reproduce(tmp_path, progress=stop_at(45, told))
    assert [(now.run, now.generation) for now in told[-2:]] == [
        ("run-3-seed-1", 4),
        ("run-3-seed-1", 5),
    ]
    assert not (tmp_path / "report.md").exists()
    finished = (tmp_path / "run-1-seed-1" / "history.db").stat().st_mtime_ns

    again: list[RunsProgress] = []
    result = reproduce(tmp_path, progress=stop_at(10_000, again))
    assert result.rows == tiny.rows
    assert (again[0].run, again[0].generation) == ("run-3-seed-1", 6)
    assert len(again) == 15 + 3 * 20
    assert (again[-1].number, again[-1].runs, again[-1].seconds_left) == (6, 6, 0.0)
    assert (tmp_path / "run-1-seed-1" / "history.db").stat().st_mtime_ns == finished
    for name in ("rows.csv", "report.md", "curves.csv", "curves.png", "moving-first.png"):
        assert (tmp_path / name).read_bytes() == (tiny.out / name).read_bytes()


def test_a_finished_study_runs_nothing(tiny: StudyResult) -> None:
    told: list[RunsProgress] = []
    result = reproduce(tiny.out, only="diversity", progress=stop_at(1, told))
    assert told == []
    assert result.rows == [row for row in tiny.rows if row.table == "diversity"]
    assert result.command.endswith("--only diversity")


def test_more_seeds_join_those_that_are_there(tiny: StudyResult, tmp_path: Path) -> None:
    reproduce(tmp_path, only="curves")
    before = load(tmp_path / "run-2-seed-1").population_sha256
    told: list[RunsProgress] = []
    result = reproduce(tmp_path, seeds=2, only="curves", progress=stop_at(10_000, told))
    assert {now.run for now in told} == {f"run-{number}-seed-2" for number in range(1, 7)}
    assert load(tmp_path / "run-2-seed-1").population_sha256 == before
    assert load(tmp_path / "run-2-seed-2").population_sha256 != before

    shares = []
    for seed in (1, 2):
        checks = load(tmp_path / f"run-2-seed-{seed}").checks()
        shares.append(sum(check.wins for check in checks) / 40)
    row = result.rows[2]
    mean, half = fmean(shares), 12.70620474 * abs(shares[0] - shares[1]) / 2
    assert (row.row, row.measured) == ("run 2", pytest.approx(mean))
    assert row.low == pytest.approx(max(0.0, mean - half))
    assert row.high == pytest.approx(min(1.0, mean + half))
    assert "one more run:" in remarks_of(result.tables[0])[row.row, row.column]


def test_a_folder_left_by_a_dead_process_is_used(tiny: StudyResult, tmp_path: Path) -> None:
    (tmp_path / "run-1-seed-1" / "checkpoints").mkdir(parents=True)
    told: list[RunsProgress] = []
    with pytest.raises(RunsStoppedError):
        reproduce(tmp_path, progress=stop_at(1, told))
    assert told[0].run == "run-1-seed-1"


def test_what_a_study_refuses(tiny: StudyResult, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'four-in-a-row'"):
        reproduce_study("four-in-row", out=tmp_path / "a")
    with pytest.raises(UnknownNameError, match="did you mean 'curves'"):
        reproduce(tmp_path / "a", only="curve")
    for options in ({"seeds": 0}, {"scale": 0.0}, {"scale": math.nan}, {"scale": math.inf}):
        with pytest.raises(BadValueError, match=next(iter(options))):
            reproduce(tmp_path / "a", **options)
    assert not (tmp_path / "a").exists()
    with pytest.raises(BadValueError, match="run-1-seed-1 is a run of other settings"):
        reproduce(tiny.out, scale=0.03)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        reproduce(tmp_path / "file")


def test_a_study_tells_its_options() -> None:
    assert list(STUDIES)[:2] == ["four-in-a-row", "mlp-vs-neat"]
    assert list(find_study("four-in-a-row").options) == list(TABLES)


def test_lengths_are_scaled_but_not_to_nothing() -> None:
    assert Settings(scale=0.5).scaled(1000) == 500
    assert Settings(scale=0.001).scaled(1000) == 20
    jobs = find_study("four-in-a-row").plan(Settings(seeds=2))
    assert [job.name for job in jobs][5:7] == ["run-6-seed-1", "run-1-seed-2"]
    assert (jobs[6].recipe.run.generations, jobs[6].recipe.check.games) == (1000, 1000)
    assert jobs[6].recipe.run.seed == 2


def test_progress_and_tables_on_the_screen(
    tiny: StudyResult, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show_progress(RunsProgress("run-2-seed-1", 2, 6, 19, 20, 5.0, 61.0, 0))
    assert show_progress(RunsProgress("run-2-seed-1", 2, 6, 20, 20, 5.0, 60.0, 1))
    print_study(tiny)
    shown = capsys.readouterr()
    assert shown.err == "run-2-seed-1 finished, 1 of 6 runs, 1 min 0 s left\n"
    for name in TABLES:
        assert f"{name}: " in shown.out
    assert str(tiny.out / "report.md") in shown.out.replace("\n", "")
    assert "All lengths are multiplied by 0.01" in shown.out
    judged = [row for row in tiny.rows if row.remark]
    assert judged
    assert shown.out.count("(scale 0.01)") == len(judged)


def test_a_study_of_full_length_says_nothing_of_scales(tiny: StudyResult) -> None:
    whole = replace(tiny, settings=Settings())
    assert "scale" not in format_report(whole)
    assert "All lengths are multiplied by 0.01" in format_report(tiny)


def test_the_help_names_all_studies_and_their_tables() -> None:
    text = str(commands.reproduce.__doc__).partition("\n    - ")[2].replace("\n      ", " ")
    told = {}
    for line in text.strip().split("\n    - "):
        names, _, tables = line.partition(": ")
        told |= dict.fromkeys(names.split(", "), tables)
    assert set(told) == set(STUDIES)
    six = ", ".join(f"6.{number}" for number in range(1, 14))
    for name, tables in told.items():
        assert tables.replace("6.1 to 6.13", six).split(", ") == list(STUDIES[name].options)


def games_moving_first(player: Player, other: Player, seeds: Iterator[int]) -> int:
    game = make_game("connect-four")
    return sum(play_match(game, (player, other), seed=seed).outcome == 1 for seed in seeds)


def test_the_evolved_player_moves_first(tiny: StudyResult) -> None:
    run = load(tiny.out / "run-2-seed-1")
    bot = make_player("test-bot", make_game("connect-four"))
    for point in begin_each_check(run):
        seeds = (int(seed) for seed in derive_seeds(1, point.generation, "moves first", 20))
        champion = run.champion_at(point.generation)
        assert point.won == games_moving_first(champion, bot, seeds)
        assert point.games == 20


def test_everybody_moves_first_in_a_round_robin(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe("run.generations=6", "method.individuals=5")
    run = start(recipe, run=tmp_path / "run", executor="serial")
    wins = []
    for generation in (3, 6):
        players = [run.method.decoder.player(g, "") for g in run.state(generation).population]
        scores = [
            sum(games_moving_first(one, other, iter([0])) for other in players if other is not one)
            for one in players
        ]
        wins.append(max(scores))
    assert begin_round_robins(run) == Sample(sum(wins), 8)
