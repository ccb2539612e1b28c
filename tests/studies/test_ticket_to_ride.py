"""The study ticket-to-ride: what was published, how it is measured, and all of it once, small."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.self_play import MirrorResult, pool
from evolve_arena.studies.reproduction import find_study, reproduce_study
from evolve_arena.studies.study import Material, Settings
from evolve_arena.studies.ticket_to_ride.measures import (
    COUNTS,
    MEASURES,
    Estimate,
    combine,
    games_of,
    read_cell,
)
from evolve_arena.studies.ticket_to_ride.tables import (
    _histogram,
    compare,
    list_readings,
    measure_rule_player,
)
from tests.studied import mirror, remarks_of


def measure(title: str, result: MirrorResult, published: int = 2) -> Estimate:
    return MEASURES[title].estimate(result, published)


def test_published_cells() -> None:
    mean = read_cell("3.1", "Srednia", 4)
    assert (mean.printed, mean.corrected, mean.value) == (98.03, 98.28, 98.28)
    assert read_cell("3.1", "Srednia", 2).value == 107.02
    assert read_cell("3.1", "(%) > 110", 3).value == 25.33
    assert read_cell("6.1", "Srednia zdobycz punktowa", 0).value is None
    assert read_cell("6.1", "Minimalna liczba punktów", 4).value == 14
    forbidden = [read_cell("4.3", "Ruchy zabronione", count).value for count in COUNTS]
    assert forbidden == [7, 9, 6, 24]


def test_printed_tickets_are_of_another_run() -> None:
    done = [read_cell("3.1", "Zrealizowane bilety", count) for count in COUNTS]
    assert [cell.printed for cell in done] == [3.63, 3.01, 3.21, 2.8]
    assert [cell.corrected for cell in done] == [4.35, 3.63, 3.92, 3.57]


def test_sums_of_tickets_become_means() -> None:
    """467 tickets of the 120 players of 60 games; of 3 players 55 of 60 games were completed."""
    assert read_cell("5.1", "Zrealizowane bilety", 2).value == pytest.approx(467 / 120)
    assert read_cell("5.1", "Niezrealizowane bilety", 3).value == pytest.approx(66 / 165)
    seats = 120 + 165 + 240 + 280
    assert read_cell("5.1", "Zrealizowane bilety", "all").value == pytest.approx(2866 / seats)


def test_numbers_of_games() -> None:
    assert games_of("3.1", "all") == games_of("4.3", "all") == 1000
    assert games_of("4.3", 5) == 260
    assert games_of("5.2", "all") == 240


def test_mean_by_hand() -> None:
    """Means per game 90, 100 and 110: their standard error is 10 / √3."""
    result = mirror([[80, 100], [90, 110], [100, 120]])
    estimate = measure("mean", result, published=3)
    assert estimate.value == 100.0
    half = 1.959963984540054 * 10 / math.sqrt(3)
    assert (estimate.low, estimate.high) == pytest.approx((100 - half, 100 + half))
    assert estimate.scatter == pytest.approx(half)
    assert measure("mean", result, published=12).scatter == pytest.approx(half / 2)


def test_the_mean_of_different_tables_is_that_of_seats() -> None:
    both = pool([mirror([[100, 110]] * 3), mirror([[80, 80, 80, 80]] * 3)])
    assert measure("mean", both).value == pytest.approx((210 + 320) / 6)
    interval = both.mean_interval
    assert measure("mean", both).low == pytest.approx(interval[0])


def test_games_that_were_aborted_count_for_nothing_else() -> None:
    result = mirror([[80, 100], [0, 0], [100, 120], [90, 90]], offenders=[-1, 1, -1, -1])
    assert measure("mean", result).value == pytest.approx((180 + 220 + 180) / 6)
    assert measure("minimum", result, published=4).value == 80
    assert measure("forbidden moves", result, published=100).value == 25.0
    assert measure("completed games", result, published=60).value == 45.0
    assert measure("rounds", result).value == 41.5  # of all games, as in the source


def test_extremes_are_those_of_as_many_games_as_published() -> None:
    result = mirror([[80, 100], [90, 110], [100, 120], [95, 140]])
    assert measure("maximum", result, published=2).value == pytest.approx((120 + 140) / 2)
    assert measure("maximum", result, published=4).value == 140
    assert measure("minimum", result, published=1).value == pytest.approx(365 / 4)


def test_deviation_and_median() -> None:
    rng = np.random.default_rng(1)
    result = mirror(rng.normal(100, 20, (4000, 2)).round().astype(int).tolist())
    deviation = measure("standard deviation", result)
    assert deviation.value == pytest.approx(statistics.stdev(result.points.tolist()))
    # the standard error of a normal sample's deviation is σ / √(2n)
    expected = 1.96 * 20 / math.sqrt(2 * 8000)
    assert deviation.high - deviation.value == pytest.approx(expected, rel=0.1)
    median = measure("median", result, published=100)
    assert median.low <= 100 <= median.high
    # and that of the median σ √(π / 2n)
    expected = 1.96 * 20 * math.sqrt(math.pi / (2 * 200))
    assert median.scatter == pytest.approx(expected, rel=0.25)


def test_of_a_single_game_nothing_is_estimated() -> None:
    result = mirror([[80, 100], [0, 0]], offenders=[-1, 1])
    for title in ("mean", "median"):
        assert math.isnan(measure(title, result).value)
    assert _histogram({2: mirror([[0, 0]], offenders=[0])}).rows == []


def test_shares_and_tickets() -> None:
    result = mirror([[110, 111], [121, 90]])
    assert measure("% above 110", result).value == 50.0
    assert measure("% above 120", result).value == 25.0
    assert measure("tickets done", result).value == 0.75


def test_several_networks() -> None:
    few = [Estimate(value, value - 1, value + 1, 3.0, 10) for value in (98.0, 100.0, 102.0)]
    joined = combine(few)
    half = 4.302652730 * 2.0 / math.sqrt(3)
    assert joined.value == 100.0
    assert (joined.low, joined.high) == pytest.approx((100 - half, 100 + half))
    assert joined.scatter == pytest.approx(math.hypot(4.302652730 * 2.0, 3.0))
    assert joined.games == 30
    assert combine(few[:1]) == few[0]


def test_intervals_of_counts_stay_possible() -> None:
    """Of 0 and 240 games Student's interval reaches far beyond both ends."""
    joined = combine([Estimate(value, value, value, 1.0, 10) for value in (0.0, 240.0)], 240.0)
    assert (joined.low, joined.value, joined.high) == (0.0, 120.0, 240.0)


def test_whether_a_published_number_agrees() -> None:
    estimate = Estimate(100.0, 99.0, 101.0, 2.0, 10)
    assert estimate.agrees(100.0 + math.hypot(2.0, 1.0) - 0.01)
    assert not estimate.agrees(100.0 + math.hypot(2.0, 1.0) + 0.01)


def test_readings_differ_by_one_option_each() -> None:
    readings = list_readings()
    assert readings[0] == "code"
    assert {"text", "text,long=6", "code,long=5"} <= set(readings)
    assert len(set(readings)) == len(readings) == 2 * (1 + 17)


def test_a_table_has_the_rows_of_its_publication() -> None:
    games = {count: mirror([[100] * count, [90] * count]) for count in COUNTS}
    rows = {name: [row.row for row in compare(name, "", [games]).rows] for name in ("3.1", "5.1")}
    assert "forbidden moves" not in rows["3.1"]
    assert "standard deviation" not in rows["5.1"]
    assert rows["5.1"].count("completed games") == 5


def test_the_rule_player_makes_the_published_points() -> None:
    """The mean is within two points, and the deviation within three, for each number of players."""
    table = measure_rule_player(Material(Settings(scale=0.03), {}, workers=1))
    for title, near in (("mean", 2.0 + 1.5), ("standard deviation", 3.0)):
        for row in table.rows:
            if row.row == title and row.column != "all games":
                count = int(row.column[0])
                right = read_cell("3.1", MEASURES[title].published, count).value
                assert right is not None
                assert row.measured == pytest.approx(right, abs=near)
    assert set(table.files) == {"figure-3.3-3.5.png"}
    assert len(table.grids) == 1


def test_runs_of_the_study() -> None:
    study = find_study("ticket-to-ride")
    jobs = study.plan(Settings(2))
    names = [job.name for job in jobs]
    assert len(set(names)) == len(jobs) == 2 * (2 + 4 + 2 + 2)
    recipes = {job.name: job.recipe for job in jobs}
    universal, proof = recipes["universal-2"], recipes["proof-1"]
    steps = {
        name: recipe.run.generations * recipe.method["batches"] * recipe.method["batch_size"]
        for name, recipe in (("universal", universal), ("proof", proof))
    }
    assert steps == {"universal": 40 * 250 * 250, "proof": 10 * 100 * 100}
    assert universal.run.seed == 2
    assert recipes["specific-3-1"].method["data"]["players"] == [3]
    counts = {table.name: sum(map(table.needs, jobs)) for table in study.tables}
    assert counts == {
        "3.1": 0,
        "readings": 0,
        "4.3": 2,
        "5.1": 10,
        "5.2": 10,
        "6.1": 2,
        "4.3-adagrad": 2,
        "6.1-adagrad": 2,
        "mixed": 6,
    }


def test_runs_with_his_optimiser_differ_in_nothing_else() -> None:
    recipes = {job.name: job.recipe for job in find_study("ticket-to-ride").plan(Settings(1))}
    his = {"method.solver": "adagrad", "method.learning_rate": 0.05, "method.data.held_out": 0.0}
    for name in ("universal", "proof"):
        assert recipes[f"{name}-1"].change(his) == recipes[f"{name}-adagrad-1"]
        assert recipes[f"{name}-1"] != recipes[f"{name}-adagrad-1"]


def test_models_small(tmp_path: Path) -> None:
    result = reproduce_study("ticket-to-ride", out=tmp_path, scale=0.002, seeds=1, only="5.2")
    (table,) = result.tables
    titles = [row.row for row in table.rows]
    assert titles.count("universal minus specific") <= 4  # one that learnt little may end no game
    for row in table.rows:
        assert row.low - 1e-9 <= row.measured <= row.high + 1e-9
    assert (tmp_path / "report.md").is_file()


@pytest.mark.parametrize("optimiser", ["", "-adagrad"])
def test_proof_small(tmp_path: Path, optimiser: str) -> None:
    name = f"6.1{optimiser}"
    result = reproduce_study("ticket-to-ride", out=tmp_path, scale=0.002, seeds=1, only=name)
    assert {row.table for row in result.rows} == {name}
    rows = {(row.row, row.column): row for row in result.rows}
    losses = [rows["loss", f"iteration {number}"].measured for number in (0, 10)]
    assert losses[1] < losses[0]
    assert rows["loss", "iteration 1"].published == 0.649
    assert (tmp_path / f"figure-{name}.png").read_bytes().startswith(b"\x89PNG")
    # An untrained network knows what nobody taught it, and ends its games: nothing to compare.
    (table,) = result.tables
    assert remarks_of(table)["rounds", "iteration 5"] == ""
    assert remarks_of(table)["loss", "iteration 4"] in ("agrees", "higher here")
