"""Verdicts of studies on their figures, both ways, and the statistics behind them."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from evolve_arena.arena.batch import new_results, seat_players
from evolve_arena.arena.duel import summarise
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.intervals import (
    Sample,
    difference_interval,
    mean_interval,
    mean_share,
    next_interval,
    t_95,
)
from evolve_arena.arena.self_play import MirrorResult
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.player import Player
from evolve_arena.runs.store.history import Check
from evolve_arena.studies import meetings
from evolve_arena.studies.checkers_td import study as checkers_td_study
from evolve_arena.studies.checkers_td import tournaments as checkers_td_tournaments
from evolve_arena.studies.checkers_td.published import Score
from evolve_arena.studies.four_in_a_row import study as four_in_a_row
from evolve_arena.studies.four_in_a_row.study import Point
from evolve_arena.studies.mlp_vs_neat import study as mlp_vs_neat
from evolve_arena.studies.study import Material, Row, Settings
from evolve_arena.studies.td_lambda import study as td_lambda
from evolve_arena.studies.td_lambda import tables as td_lambda_tables
from evolve_arena.studies.td_lambda.plan import CHECKS, OPPONENTS, Setting
from evolve_arena.studies.td_lambda.tables import Curve
from evolve_arena.studies.ticket_to_ride import study as ticket_to_ride_mixed
from evolve_arena.studies.ticket_to_ride import tables as ticket_to_ride_tables
from evolve_arena.studies.ticket_to_ride.measures import COUNTS, read_cell
from tests.studied import mirror, remarks_of

VALUES, OTHERS = [0.31, 0.42, 0.37, 0.55, 0.40], [0.61, 0.48, 0.52]


# --- intervals -----------------------------------------------------------------------------


def test_students_t() -> None:
    for freedom in [*range(1, 200), 1000, 100_000]:
        assert t_95(freedom) == pytest.approx(float(stats.t.ppf(0.975, freedom)), rel=1e-9)


def test_the_interval_of_a_mean() -> None:
    expected = stats.t.interval(0.95, 4, loc=fmean(VALUES), scale=stats.sem(VALUES))
    assert mean_interval(VALUES) == pytest.approx(expected)
    samples = [Sample(100 * value, 100) for value in VALUES]
    assert mean_share(samples) == pytest.approx((fmean(VALUES), *expected, 500))
    assert mean_share([Sample(7.0, 7)]) == (1.0, *wilson_interval(7, 7), 7)
    wide = mean_share([Sample(0.0, 10), Sample(10.0, 10)])
    assert wide == (0.5, 0.0, 1.0, 20)


def test_the_interval_of_one_more_value() -> None:
    low, high = next_interval(VALUES)
    scale = np.std(VALUES, ddof=1) * np.sqrt(1 + 1 / 5)
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 4, fmean(VALUES), scale))


def test_the_interval_of_a_difference() -> None:
    """Welch's, with degrees of freedom rounded down."""
    welch = stats.ttest_ind(VALUES, OTHERS, equal_var=False)
    error = (fmean(VALUES) - fmean(OTHERS)) / welch.statistic
    half = stats.t.ppf(0.975, int(welch.df)) * error
    middle = fmean(VALUES) - fmean(OTHERS)
    assert difference_interval(VALUES, OTHERS) == pytest.approx((middle - half, middle + half))
    found = difference_interval(OTHERS, VALUES)
    assert found == pytest.approx((-middle - half, -middle + half))


# --- td-lambda -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        # Published in table 4.1 are 0.93, 0.94, 0.90 and 0.94.
        ([0.99, 0.98, 0.99, 0.98], "higher here; 0.90-0.94, here 0.98-0.99"),
        ([0.71, 0.75, 0.73, 0.70], "lower here; 0.90-0.94, here 0.70-0.75"),
        ([0.95, 0.89, 0.92, 0.93], "agrees; 0.90-0.94, here 0.89-0.95"),
        ([0.95], ""),
    ],
)
def test_means_of_td_lambda_are_compared(ours: list[float], verdict: str) -> None:
    some = {"G1": [{"random": Sample(100 * share, 100)} for share in ours]}
    table = td_lambda_tables._compare("4.1", "title", some, ["note"])
    (row,) = table.rows
    assert (row.row, row.column, row.published) == ("G1", "random", 0.9275)
    assert row.measured == pytest.approx(fmean(ours))
    assert remarks_of(table)["G1", "random"] == verdict
    assert table.grids[0].rows[0] == ["G1, 1", f"0.93 / {ours[0]:.2f}"]
    line = table.files["4.1.csv"].decode().splitlines()[1]
    assert line == f"G1,1,random,0.93,{ours[0]},100"


def rising(by: float) -> Curve:
    """Return a curve with a level for each opponent, in which the last three checks differ."""
    points = {}
    for place, opponent in enumerate(OPPONENTS):
        shares = [0.3 + 0.05 * place] * (CHECKS - 3) + [0.3 + 0.05 * place + by] * 3
        points[opponent] = [Sample(1000 * share, 1000) for share in shares]
    return Curve([1000 * check for check in range(1, CHECKS + 1)], points)


def test_whether_learning_falls_off(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = {
        "up": [rising(0.2), rising(0.21)],
        "down": [rising(-0.2), rising(-0.21)],
        "ε to 0": [rising(0.2), rising(-0.2)],
    }
    monkeypatch.setattr(td_lambda_tables, "_read", lambda *given: curves)
    monkeypatch.setattr("evolve_arena.runs.plots.style.render", lambda *given: b"picture")
    labelled = dict.fromkeys(curves, Setting())
    table = td_lambda_tables.measure_ends(Material(Settings(2), {}), labelled)
    rise = "rise at the end"
    assert {row: remarks_of(table)[row, rise] for row in curves} == {
        "up": "rises",
        "down": "falls",
        "ε to 0": "open",
    }
    rows = {(row.row, row.column): row for row in table.rows}
    assert rows["up", rise].measured == pytest.approx(0.205)
    assert rows["down", rise].measured == pytest.approx(-0.205)
    assert rows["up", rise].published == "does not fall"
    assert rows["ε to 0", rise].published == "falls"
    # Of the last five checks three are higher.
    assert rows["up", "MM2"].measured == pytest.approx(0.4 + 3 / 5 * 0.205)
    assert rows["up", rise].games == 2 * 5 * CHECKS * 1000


def test_the_ladder_agrees_within_the_luck_of_the_games() -> None:
    """Of 1000 published games and 10,000 of ours: 1.96 times √(0.25 / 1000 + 0.25 / 10,000)."""
    for measured, verdict in (
        (0.5324, "agrees"),
        (0.5326, "differs"),
        (0.4676, "agrees"),
        (0.4674, "differs"),
    ):
        row = Row("5.1", "MM1", "MM2", 0.50, measured, 0.0, 1.0, 10_000)
        assert td_lambda._judge(row) == verdict


# --- four-in-a-row, q-learning, checkers-td ------------------------------------------------


def test_whether_a_published_curve_could_be_one_of_ours() -> None:
    samples = [Sample(100 * value, 100) for value in VALUES]
    low, high = next_interval(VALUES)
    for value, verdict in ((high + 0.01, "outside"), (0.45, "inside"), (low - 0.01, "outside")):
        said = four_in_a_row._place(value, samples)
        assert said == f"one more run: {low:.3f} to {high:.3f}; published is {verdict}"


def test_the_level_of_a_curve_and_its_best_point() -> None:
    curve = [Point(float(won), 100, 10 * at) for at, won in enumerate([90, *range(60)], start=1)]
    level, best = four_in_a_row._pick_last(curve), four_in_a_row._pick_best(curve)
    assert (level.won, level.games) == (sum(range(10, 60)), 5000)
    assert (best.won, best.games) == (90, 100)


@pytest.mark.parametrize(("won", "verdict"), [(94, "outside"), (97, "inside"), (95, "inside")])
def test_wins_in_a_round_robin(won: int, verdict: str) -> None:
    wins = {"late": {3: [Sample(won, 99)]}, "early": {3: [Sample(1, 99)]}}
    table = four_in_a_row._table_of_wins("name", "title", wins, [])
    row, other = table.rows
    assert (row.row, row.column, row.published) == ("run 3", "late", "95-99")
    assert (row.measured, row.games) == (pytest.approx(won), 99)
    assert (other.column, other.measured) == ("early", pytest.approx(1))
    assert (row.remark, other.remark) == (verdict, "outside")


def test_tournaments_of_checkers_are_higher_or_lower() -> None:
    judge = checkers_td_study._judge
    assert judge(0.11, 0.1) == "; higher here"
    assert judge(-0.11, 0.1) == "; lower here"
    assert judge(0.09, 0.1) == judge(-0.09, 0.1) == "; agrees"
    assert judge(0.5, None) == ""
    # A variance of 0.01 in each of two groups of three: 4 degrees of freedom.
    spread = checkers_td_study._spread([[0.4, 0.5, 0.6], [0.1, 0.2, 0.3]])
    assert spread == pytest.approx(stats.t.ppf(0.975, 4) * 0.1 * (1 + 1 / 3) ** 0.5)


def test_a_crosstables_cells_are_means_of_wins_and_losses() -> None:
    cells = [{(1, 2): Score(7, 2, 1)}, {(1, 2): Score(4, 6, 0)}]
    assert checkers_td_study._format_cell((1, 2), cells) == "5.5-4"
    assert checkers_td_study._format_cell((2, 1), cells) == ""


def test_rounds_of_checkers_tell_both_sides() -> None:
    """RafalBack is told first; the publication prints RafalForw's wins first: 13-11 and 7-17."""
    score = Score(wins=21, losses=19, draws=10)
    said = checkers_td_tournaments._tell_wins(score, (0, 1))
    assert said == "won 21, lost 19, drawn 10; published 28, 20"
    assert checkers_td_tournaments._published_share((1,)) == (17 + 0.5) / 25


# --- champions that meet others ------------------------------------------------------------


def fake_run(name: str) -> SimpleNamespace:
    return SimpleNamespace(champion=SimpleNamespace(name=name))


def make_duel(wins: int, draws: int, losses: int) -> DuelResult:
    return DuelResult(
        names=("a", "b"),
        wins=wins,
        draws=draws,
        losses=losses,
        distinct_games=1,
        terminations={},
    )


def test_levels_of_arms_are_games_won(monkeypatch: pytest.MonkeyPatch) -> None:
    record = {
        name: [(1e6, Check(at, name, won, 30, 70 - won, 9)) for at in range(6)]
        for name, won in (("test-bot", 40), ("random", 60))
    }
    record["random"][0] = (1e6, Check(0, "random", 0, 0, 100, 9))  # not among the last five
    monkeypatch.setattr(mlp_vs_neat, "_runs", lambda *given: [None])
    monkeypatch.setattr(mlp_vs_neat, "_read", lambda run: record)
    monkeypatch.setattr(mlp_vs_neat, "_totals", lambda run: (2_500_000, 33.0))
    table = mlp_vs_neat.measure_curves(Material(Settings(), {}))
    rows = {(row.row, row.column): (row.measured, row.games) for row in table.rows}
    assert rows["neat", "won against test-bot"] == (0.4, 500)
    assert rows["mlp", "won against random"] == (0.6, 500)
    assert table.notes[0].startswith("mlp: 2.50 million training games and 33 s")


def test_champions_of_arms_win_and_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlp_vs_neat, "_runs", lambda material, arm: [fake_run(arm.name)])
    for module in (mlp_vs_neat, meetings):
        monkeypatch.setattr(module, "duel", lambda *given, **options: make_duel(50, 20, 10))
    material = Material(Settings(), {})
    for row in mlp_vs_neat.measure_champions(material).rows:
        assert (row.measured, row.games) == (50 / 80, 80)
    for row in mlp_vs_neat.measure_duels(material).rows:
        assert (row.measured, row.games) == (60 / 80, 80)


@pytest.mark.parametrize(
    ("evolved", "verdict"), [((90, 100), "holds"), ((1, 100), "fails"), ((30, 100), "open")]
)
def test_whether_evolved_players_beat_a_random_one(
    monkeypatch: pytest.MonkeyPatch, evolved: tuple[int, int], verdict: str
) -> None:
    """The random player wins 30 of 100 games against the test bot, which wins 60 of them."""

    def meet(number: int, runs: object, opponent: Player, published: str | None) -> Row:
        values = mean_share([Sample(*evolved)])
        column = f"won against {opponent.name}"
        return Row("opponents", f"run {number}", column, published, *values)

    def play(game: BoardGame, first: Player, second: Player, **options: object) -> DuelResult:
        weak = first.name == "random"
        result = make_duel(30, 10, 60) if weak else make_duel(60, 10, 30)
        return replace(result, names=(first.name, second.name))

    monkeypatch.setattr(four_in_a_row, "_runs", lambda *given: [None])
    monkeypatch.setattr(four_in_a_row, "_meet", meet)
    monkeypatch.setattr(four_in_a_row, "duel", play)
    table = four_in_a_row.measure_opponents(Material(Settings(), {}))
    rows = {(row.row, row.column): row.measured for row in table.rows}
    assert rows["random", "won against test-bot"] == 0.3
    assert rows["test-bot", "won against random"] == 0.6
    assert remarks_of(table)["run 4", "won against test-bot"] == verdict
    assert remarks_of(table)["test-bot", "won against random"] == "holds"


# --- ticket-to-ride ------------------------------------------------------------------------


def around(mean: int, players: int, games: int = 400, apart: int = 20) -> MirrorResult:
    """Return games whose points scatter around *mean*, in all seats of a game alike."""
    result = mirror([[mean + apart * (-1) ** game] * players for game in range(games)])
    result.results.columns["tickets_done"][:, :players] = 3
    result.results.columns["tickets_failed"][:, :players] = 1
    return result


@pytest.mark.parametrize(("shift", "verdict"), [(15, "higher here"), (-15, "lower here")])
def test_points_are_higher_or_lower_than_published(shift: int, verdict: str) -> None:
    """If the logs differ from the printed number, both are shown."""
    right = {count: read_cell("3.1", "Srednia", count) for count in COUNTS}
    games = {count: around(round(cell.value or 0) + shift, count) for count, cell in right.items()}
    table = ticket_to_ride_tables.compare("3.1", "title", [games])
    for count, cell in right.items():
        said = remarks_of(table)["mean", f"{count} players"]
        expected = verdict if cell.corrected is None else f"by the logs {cell.value:g}; {verdict}"
        assert said == expected
    same = {count: around(round(cell.value or 0), count) for count, cell in right.items()}
    table = ticket_to_ride_tables.compare("3.1", "title", [same])
    assert {remarks_of(table)["mean", f"{count} players"].split("; ")[-1] for count in COUNTS} == {
        "agrees"
    }


def test_tickets_done_and_failed_have_rows_of_their_own() -> None:
    games = {count: around(100, count) for count in COUNTS}
    rows = {
        (row.row, row.column): row
        for row in ticket_to_ride_tables.compare("3.1", "t", [games]).rows
    }
    for count in COUNTS:
        done, failed = (rows[f"tickets {word}", f"{count} players"] for word in ("done", "failed"))
        assert (done.measured, failed.measured) == (3.0, 1.0)
        assert done.published == read_cell("3.1", "Zrealizowane bilety", count).printed
        assert failed.published == read_cell("3.1", "Niezrealizowane bilety", count).printed


def test_which_model_is_recommended() -> None:
    universal = [{2: around(120, 2), 3: around(90, 3), 4: around(100, 4), 5: around(100, 5)}]
    specific = [{2: around(100, 2), 3: around(110, 3), 4: around(100, 4), 5: around(99, 5)}]
    rows = ticket_to_ride_tables._recommend(universal, specific)
    assert {row.row for row in rows} == {"universal minus specific"}
    assert {row.column: row.remark for row in rows} == {
        "2 players": "recommended: universal",
        "3 players": "recommended: specific",
        "4 players": "recommended: open",
        "5 players": "recommended: open",
    }
    assert [row.measured for row in rows] == pytest.approx([20.0, -20.0, 0.0, 1.0])


def test_which_reading_is_near() -> None:
    exact = {}
    for count in COUNTS:
        mean, deviation = ticket_to_ride_tables._published_reading("code", count)
        exact[count] = around(round(mean), count, apart=round(deviation))
    assert ticket_to_ride_tables._is_near("code", exact)
    far = {**exact, 3: around(60, 3)}
    assert not ticket_to_ride_tables._is_near("code", far)
    wide = {**exact, 5: around(round(exact[5].mean), 5, apart=60)}
    assert not ticket_to_ride_tables._is_near("code", wide)
    result = mirror([[90, 110], [95, 105]])
    assert ticket_to_ride_tables._report(result) == "100.00 ± 9.13, 0.50/0.00"


def test_mixed_tables_tell_both_sides() -> None:
    pairings = seat_players([[0, 1, 0, 1], [1, 0, 1, 0]] * 3, MAX_PLAYERS)
    results = new_results(make_game("ticket-to-ride"), 6)
    results.columns["points"][:, :4] = np.arange(24).reshape(6, 4) ** 2 % 97
    results.places[:, :4] = 1
    results.offenders[:] = -1, 0, -1, 1, 0, -1
    results.game_hashes[:] = np.arange(6)
    forfeits = [
        ForfeitCount(player, "illegal move", games, "So it went.")
        for player, games in ((0, 2), (1, 1))
    ]
    duel = summarise(find_game("ticket-to-ride"), ("a", "b"), pairings, results, tuple(forfeits))
    assert duel.sides is not None
    assert [side.forbidden for side in duel.sides] == [2, 1]
    rows = {row.column: row for row in ticket_to_ride_mixed._rows("a", "b", [duel])}
    assert {row.row for row in rows.values()} == {"a against b"}
    found = {
        "margin": (duel.margin, *duel.margin_interval),
        "points": (duel.sides[0].points, *duel.sides[0].points_interval),
        "opponent's points": (duel.sides[1].points, *duel.sides[1].points_interval),
        "forbidden moves": (2 / 6, *wilson_interval(2, 6)),
        "opponent's forbidden moves": (1 / 6, *wilson_interval(1, 6)),
    }
    assert {name: (row.measured, row.low, row.high) for name, row in rows.items()} == found
    assert len({values[0] for values in found.values()}) == 5
