"""Every printed table: each figure is in its column.

All figures of a table are different, so that two that changed places are seen. Cells are found by
their headers; other columns may be there as well.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.batch import Results, new_results, seat_players
from evolve_arena.arena.crosstable import Crosstable
from evolve_arena.arena.duel import summarise
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.executors import Node
from evolve_arena.arena.match import Termination
from evolve_arena.arena.ranking import Tally
from evolve_arena.arena.self_play import MirrorResult
from evolve_arena.arena.standings import PlaceRating, Standings
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.cli import match_tables
from evolve_arena.cli.display import Display
from evolve_arena.cli.main import main
from evolve_arena.cli.match_tables import print_duel, print_ratings
from evolve_arena.cli.run_tables import print_results, print_summary
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.types import Array
from evolve_arena.evolve.method import Report
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs import evaluation
from evolve_arena.runs.api import start
from evolve_arena.runs.many import tournaments
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.history import History
from evolve_arena.runs.summary import summarise as summarise_run
from evolve_arena.runs.training.loop import Progress
from evolve_arena.studies.report import format_report
from evolve_arena.studies.reproduction import print_study
from evolve_arena.studies.study import Grid, Row, Settings, StudyResult, Table

Rows = list[dict[str, str]]
Printed = Callable[[], dict[str, Rows]]
Evolve = Callable[..., None]

GAME = make_game("connect-four")
TABLE = make_game("ticket-to-ride", seats=3)
TICKET_SPEC = find_game("ticket-to-ride")


def check(row: dict[str, str], /, **expected: str) -> None:
    """Compare the cells with these headers, in which a space is written as _."""
    compare(row, {name.replace("_", " "): text for name, text in expected.items()})


def compare(row: dict[str, str], expected: dict[str, str]) -> None:
    assert {name: row[name] for name in expected} == expected


def make_duel(wins: int = 53, draws: int = 12, losses: int = 35, distinct: int = 91) -> DuelResult:
    return DuelResult(
        names=("hero", "rival"),
        wins=wins,
        draws=draws,
        losses=losses,
        distinct_games=distinct,
        terminations={"win": wins + losses, "draw": draws},
    )


def make_seats() -> tuple[Array, Results]:
    """Return six games of three seats with players by turns; a forbidden move ended the fourth."""
    pairings = seat_players([[0, 1, 0], [1, 0, 1]] * 3, TICKET_SPEC.most_seats)
    results = new_results(TABLE, 6)
    columns = results.columns
    columns["points"][:, :3] = [
        [112, 90, 145], [100, 81, 95], [60, 131, 77],
        [3, -7, 2], [125, 99, 98], [88, 104, 115],
    ]  # fmt: skip
    results.places[:, :3] = [[2, 3, 1], [1, 3, 2], [1, 1, 3], [1, 3, 2], [1, 2, 3], [3, 1, 2]]
    done = [[3, 2, 5], [4, 1, 4], [2, 6, 3], [0, 0, 0], [5, 3, 3], [2, 4, 4]]
    failed = [[0, 1, 0], [2, 1, 0], [2, 0, 1], [3, 3, 3], [0, 2, 1], [1, 0, 0]]
    columns["tickets_done"][:, :3], columns["tickets_failed"][:, :3] = done, failed
    columns["rounds"][:] = [[40], [43], [51], [7], [46], [45]]
    results.offenders[:] = -1, -1, -1, 1, -1, -1
    results.game_hashes[:] = 1, 2, 3, 4, 5, 5
    return pairings, results


def make_seated_duel() -> DuelResult:
    forfeit = ForfeitCount(0, Termination.ILLEGAL_MOVE, 1, "hero makes a forbidden move.")
    return summarise(TICKET_SPEC, ("hero", "rival"), *make_seats(), (forfeit,))


@pytest.fixture
def evolve(monkeypatch: pytest.MonkeyPatch) -> Evolve:
    """Return the command, run in this process."""

    def call(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["evolve", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0

    return call


def test_a_duel(printed: Printed, capsys: pytest.CaptureFixture[str]) -> None:
    print_duel(make_duel())
    assert "ended by win: 88, draw: 12" in capsys.readouterr().out
    print_duel(make_duel())
    (row,) = printed()["Duel"]
    check(row, player="hero", opponent="rival", games="100", won_drawn_lost="53 12 35")
    assert row["score, 95 % interval"] == "0.590 [0.492, 0.681]"
    assert row["distinct"] == "91"


def test_a_duel_at_tables(printed: Printed, capsys: pytest.CaptureFixture[str]) -> None:
    print_duel(make_seated_duel())
    hero, rival = printed()["Duel: 6 games of 3 players"]
    check(hero, player="hero", won_drawn_lost="3 1 1", forbidden_moves="1")
    check(rival, player="rival", won_drawn_lost="1 1 3", forbidden_moves="0")
    points = "points, 95 % interval"
    compare(hero, {points: "88.3 [44.2, 132.5]"})
    compare(rival, {points: "80.3 [45.9, 114.8]"})
    check(hero, tickets_done="2.89", tickets_failed="0.89")
    check(rival, tickets_done="2.78", tickets_failed="1.33")
    compare(hero, {"% > 110": "33.3", "% > 120": "22.2", "% > 140": "11.1"})
    compare(rival, {"% > 110": "22.2", "% > 120": "11.1", "% > 140": "0.0"})
    print_duel(make_seated_duel())
    said = capsys.readouterr().out
    # By game 38.5, -16.5, -62.5, -9.5, 12.5 and 2.5 points more.
    told = "hero scores -5.8 [-35.5, +23.8] points more per seat; score 0.583 [0.241, 0.861]"
    assert told in said
    assert "\n4 distinct games; ended by" in said
    assert "win: 4, draw: 1, illegal move: 1" in said


def test_a_crosstable(printed: Printed) -> None:
    pairs = {(0, 1): make_duel(20, 20, 60), (0, 2): make_duel(10, 0, 90), (1, 2): make_duel(63)}
    match_tables.print_crosstable(Crosstable(("a", "b", "c"), pairs).to_dict())
    rows = printed()["Tournament"]
    # b: 70 and 69 of 210 points; c: 90 and 41 of 210; a: 30 and 10 of 200.
    score = "score, 95 % interval"
    check(rows[0], rank="1", player="b")
    compare(rows[0], {score: "0.662 [0.596, 0.722]", "1": "", "2": "0.627", "3": "0.700"})
    check(rows[1], rank="2", player="c")
    compare(rows[1], {score: "0.624 [0.557, 0.687]", "1": "0.373", "2": "", "3": "0.900"})
    check(rows[2], rank="3", player="a")
    compare(rows[2], {score: "0.200 [0.150, 0.261]", "1": "0.300", "2": "0.100", "3": ""})
    ratings = Crosstable(("a", "b", "c"), pairs).ratings
    for row, player in zip(rows, (1, 2, 0), strict=True):
        check(row, Elo=f"{ratings[player].elo:+.0f} ± {ratings[player].error:.0f}")


def test_a_ranking(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    won = {"a-1": (30, 200), "b-1": (190, 240), "a-2": (70, 200), "b-2": (122, 200), "a-3": (9, 10)}
    tallies = {name: Tally(*tally) for name, tally in won.items()}
    monkeypatch.setattr(tournaments, "meet_others", lambda *given, **options: tallies)
    content = tournaments.ranking([make_random(GAME)], games=7)
    match_tables.print_ranking(content)
    b, a = printed()["Share of games won against agents of other configurations, 8 games each"]
    check(b, rank="1", configuration="b", agents="2", mean="0.7008", best="0.7917", worst="0.6100")
    check(a, rank="2", configuration="a", agents="3", mean="0.4667", best="0.9000", worst="0.1500")
    agents = {agent["name"]: agent for agent in content["agents"]}
    assert (agents["b-1"]["won"], agents["b-1"]["counted_games"]) == (190, 240)
    assert agents["b-1"]["configuration"] == "b"


def test_ratings_at_tables(printed: Printed) -> None:
    tables = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 1, 0]]
    seats = seat_players(tables, TICKET_SPEC.most_seats)
    ratings = [PlaceRating(25.31, 1.24), PlaceRating(27.5, 1.07), PlaceRating(22.2, 0.93)]
    standings = Standings(("a", "b", "c"), seats, make_seats()[1], ratings)
    print_ratings(standings.to_dict())
    b, a, c = printed()["Tournament: 6 games of 3 players"]
    rating, share, points = "rating ± 2σ", "share of wins, 95 % interval", "points, 95 % interval"
    check(b, rank="1", player="b", forbidden_moves="0", tickets_done="2.83", tickets_failed="1.00")
    compare(b, {rating: "27.50 ± 2.14", share: "0.417 [0.139, 0.759]"})
    compare(b, {points: "79.3 [74.8, 83.9]"})
    check(a, rank="2", player="a", forbidden_moves="0", tickets_done="2.33", tickets_failed="1.17")
    compare(a, {rating: "25.31 ± 2.48", share: "0.167 [0.030, 0.564]"})
    compare(a, {points: "81.2 [63.9, 98.5]"})
    check(c, rank="3", player="c", forbidden_moves="1")
    compare(c, {rating: "22.20 ± 1.86", points: "92.5 [28.1, 156.9]"})


def test_an_evaluation(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    results = {"random": make_duel(), "test-bot": make_duel(7, 2, 1, 9)}
    monkeypatch.setattr(evaluation, "duel", lambda game, one, other, **_: results[other.name])
    player: Player = make_random(GAME)
    player.name = "hero"
    content = evaluation.evaluate_player(player, GAME, opponents=list(results))
    groups = content["positions"]["concept states"]["solved"]["by_group"]
    for group, share in zip(groups.values(), [0.9, 0.3, 0.85, 0.45, 0.6], strict=True):
        interval = wilson_interval(share * group["count"], group["count"])
        group |= {"share": share, "wilson_95": list(interval)}
    match_tables.print_evaluation(content, GAME)
    tables = printed()
    first, second = tables["hero"]
    won = "won, 95 % interval"
    check(first, against="random", games="100", draws="12", losses="35", distinct_games="91")
    compare(first, {won: "0.530 [0.433, 0.625]"})
    check(second, against="test-bot", games="10", draws="2", losses="1", distinct_games="9")
    compare(second, {won: "0.700 [0.397, 0.892]"})
    solved = {
        row[""]: (row["positions"], row["solved, 95 % interval"])
        for row in tables["concept states: 60 positions"]
    }
    assert solved == {
        "A (attack)": ("30", "0.900 [0.744, 0.965]"),
        "F (defence)": ("30", "0.300 [0.167, 0.479]"),
        "R (row)": ("20", "0.850 [0.640, 0.948]"),
        "D (diagonal)": ("20", "0.450 [0.258, 0.658]"),
        "K (column)": ("20", "0.600 [0.387, 0.781]"),
    }


def test_an_evaluation_at_tables(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    pairings, results = make_seats()
    everywhere = np.where(pairings < 0, -1, 0)
    mirror = MirrorResult("hero", everywhere, results, TICKET_SPEC.limits)
    monkeypatch.setattr(evaluation, "duel", lambda *given, **options: make_seated_duel())
    monkeypatch.setattr(evaluation, "play_mirror", lambda *given, **options: mirror)
    player = make_player("rule", TABLE)
    player.name = "hero"
    content = evaluation.evaluate_player(player, TABLE, opponents=["random"], seats=3)
    match_tables.print_evaluation(content, TABLE)
    tables = printed()
    (row,) = tables["hero at all seats"]
    # Of the five games that no forbidden move ended.
    compare(row, {"players": "3", "games": "6", "mean points, 95 %": "101.3 [91.8, 110.9]"})
    check(row, SD="21.9", median="99.0", min="60.0", max="145.0", rounds="45.00", aborted="1")
    compare(row, {"% > 110": "33.3", "% > 120": "20.0", "% > 140": "6.7"})
    check(row, tickets_done="3.40", tickets_failed="0.73")
    (row,) = tables["hero on alternate seats of 3"]
    check(row, against="random", won_drawn_lost="3 1 1", forbidden_moves="1")
    check(row, points="88.3 [44.2, 132.5]", its_points="80.3 [45.9, 114.8]")
    margin = {"score, 95 % interval": "0.583 [0.241, 0.861]", "margin, 95 %": "-5.8 [-35.5, +23.8]"}
    compare(row, margin)


@pytest.fixture(scope="module")
def run(small_recipe: Callable[..., Recipe], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run of six generations with a falsified history."""
    recipe = small_recipe("run.generations=6", "run.seed=77")
    made = start(recipe, run=tmp_path_factory.mktemp("summary") / "run", executor="serial")
    database = sqlite3.connect(made.directory.history)
    put = (
        "UPDATE checks SET wins = ?, draws = ?, losses = ?, distinct_games = ?"
        " WHERE generation = ? AND opponent = ?"
    )
    database.execute(put, (53, 12, 35, 91, 3, "random"))
    database.execute(put, (41, 3, 16, 58, 3, "test-bot"))
    database.execute(put, (7, 2, 1, 9, 6, "random"))
    database.execute(put, (5, 4, 11, 19, 6, "test-bot"))
    database.execute(
        "INSERT INTO check_points VALUES (3, 'random', 97.5, 81.3, 16.2, 10.1, 22.4, 6)"
    )
    north = "(0, 0, 'north', '10.0.0.1', 2, 5000, 3, 1, 4000, 812.4)"
    database.execute(f"INSERT INTO nodes VALUES {north}")
    database.execute("UPDATE generations SET games = 1000, seconds = 12.5")
    (blob,) = database.execute("SELECT player FROM champions WHERE generation = 3").fetchone()
    database.commit()
    database.close()
    made.directory.champion.write_bytes(blob)
    return made


def test_the_summary_of_a_run(
    run: Run, printed: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(summarise_run(run))
    tables = printed()
    random, bot = tables["last check (generation 6)"]
    won = "won, 95 % interval"
    check(random, against="random", games="10", draws="2", distinct_games="9")
    compare(random, {won: "0.700 [0.397, 0.892]"})
    check(bot, against="test-bot", games="20", draws="4", distinct_games="19")
    compare(bot, {won: "0.250 [0.112, 0.469]"})
    (north,) = tables["nodes since the last start"]
    check(north, node="north", address="10.0.0.1", workers="2", lost="3", late="1", games="4,000")
    compare(north, {"parts done": "5,000", "games/s": "812"})
    random, bot = tables["champion (generation 3)"]
    check(random, against="random", games="100", draws="12", distinct_games="91")
    compare(random, {won: "0.530 [0.433, 0.625]", "margin, 95 % interval": "+16.2 [+10.1, +22.4]"})
    check(random, points="97.5", its_points="81.3", forbidden_moves="6")
    check(bot, against="test-bot", games="60", draws="3", distinct_games="58", points="")
    print_results(run)
    assert [row["games"] for row in printed()["champion (generation 3)"]] == ["100", "60"]
    print_summary(summarise_run(run))
    said = capsys.readouterr().out
    assert "generation 6 of 6; 6,000 games in 1 min 15 s" in said
    assert "method tournament: " in said
    assert "seed 77" in said
    assert f"population SHA-256 {run.population_sha256}" in said
    content = summarise_run(run)
    assert content["last_check"]["generation"] == 6
    told = content["champion"]["opponents"]["random"]
    expected = {"games": 100, "wins": 53, "draws": 12, "losses": 35, "won": 0.53}
    expected |= {"distinct_games": 91, "points": 97.5, "points_of_opponent": 81.3, "margin": 16.2}
    expected |= {"margin_95": [10.1, 22.4], "forbidden_moves": 6}
    assert {key: told[key] for key in expected} == expected
    assert (content["generations_played"], content["games"], content["seconds"]) == (6, 6000, 75.0)


def test_what_a_history_keeps_of_a_duel_at_tables(tmp_path: Path) -> None:
    duel = make_seated_duel()
    with History(tmp_path / "history.db", write=True) as history:
        for generation in (4, 5):
            report = Report(generation, 1, {"points": 1.0, "matches": 2.0}, {7: generation})
            history.add_generation(report, 0.5)
            history.add_check(report, b"player", [duel])
        history.forget_after(5)
        assert history.species() == {7: {4: 4}}
        kept = history.checks()[0]
    assert (kept.generation, kept.opponent, kept.distinct_games) == (4, "rival", 4)
    assert (kept.wins, kept.draws, kept.losses) == (3, 1, 1)
    assert kept.forfeits == duel.forfeits
    assert duel.sides
    points = [side.points for side in duel.sides]
    assert kept.scores == CheckPoints(*points, duel.margin, *duel.margin_interval, forbidden=1)


def make_progress(**changes: object) -> Progress:
    given = {
        "generation": 30,
        "generations": 90,
        "games": 4000,
        "seconds": 20.0,
        "left": 57.0,
        "statistics": {"best": 0.875, "median": 0.512, "species": 7.0, "connections": 33.4},
        "results": [make_duel(), make_seated_duel()],
        "checked": 24,
        "nodes": [Node("north", "10.0.0.1", 2, 5000, 3, 1, 4000, 812.4), Node("south", "10.0.0.2")],
    }
    return Progress(**{**given, **changes})


def test_the_line_of_a_check_and_of_a_learner(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("title") as display:
        display.watch(make_progress(generation=10, checked=None))
        display.watch(make_progress())
    (line,) = capsys.readouterr().err.splitlines()
    assert line.split("  ") == [
        "generation 24/90",
        "won against rival 0.530 [0.433, 0.625]",
        "rival 0.500 [0.188, 0.812] (1 of 6 forfeited), points -5.8 [-35.5, +23.8]",
        "7 species, 33.4 connections",
        "200 games/s",
        "57 s left",
    ]
    statistics = {"error": 0.125, "epsilon": 0.31, "draws": 0.2}
    with Display("title") as display:
        display.watch(make_progress(statistics=statistics, results=[make_duel()]))
    assert "  error 0.125, ε 0.310  " in capsys.readouterr().err


def test_the_live_view(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with Display("title") as display:
        display.watch(make_progress(generation=90))
    said = capsys.readouterr().err
    for text in (
        "generation 90 of 90",
        "4,000 at 200 a second",
        "best 0.875, median 0.512",
        "7 species, 33.4 connections a network",
        "0.530 [0.433, 0.625] of 100 games won (generation 24)",
        "0.500 [0.188, 0.812] (1 of 6 forfeited) of 6 games won",
        "points -5.8 [-35.5, +23.8] (generation 24)",
        "2 workers, 812 games/s, 5,000 parts done, 3 lost and 1 late",
        "gone, 0 games/s, 0 parts done",
    ):
        assert text in said


def make_study(out: Path) -> StudyResult:
    from evolve_arena.studies.reproduction import find_study

    rows = [
        Row("5.1", "first", "won", 0.31, 0.42, 0.389, 0.454, 1234, "agrees"),
        Row("5.1", "second", "points", None, 97.46, 91.5, 103.2, 77),
        Row("5.1", "third", "won", "most", -0.5, -0.75, -0.25, 8),
    ]
    grid = Grid("Everybody", ["who", "one", "two"], [["a", "1", "2"], ["b", "3", "4"]])
    table = Table("5.1", "the title", rows, ["A note."], {}, [grid])
    return StudyResult(find_study("four-in-a-row"), Settings(), out, [table])


def test_the_table_and_the_report_of_a_study(printed: Printed, tmp_path: Path) -> None:
    study = make_study(tmp_path)
    print_study(study)
    interval = "95 % interval"
    first, second, third = printed()["5.1: the title"]
    check(first, row="first", column="won", published="0.310", measured="0.420", games="1,234")
    compare(first, {interval: "0.389 to 0.454", "remark": "agrees"})
    check(second, row="second", column="points", published="-", measured="97.5", games="77")
    compare(second, {interval: "91.5 to 103.2", "remark": ""})
    check(third, row="third", published="most", measured="-0.500", games="8")
    compare(third, {interval: "-0.750 to -0.250"})
    report = format_report(study)
    assert "| row | column | published | measured | 95 % interval | games | remark |" in report
    assert "| first | won | 0.310 | 0.420 | 0.389 to 0.454 | 1,234 | agrees |" in report
    assert "| second | points | - | 97.5 | 91.5 to 103.2 | 77 |  |" in report
    assert "- A note." in report
    only_measured = replace(study.tables[0], rows=study.tables[0].rows[1:2])
    report = format_report(replace(study, tables=[only_measured]))
    assert "| row | column | measured | 95 % interval | games |\n| --- | --- | --: |" in report
    assert "| second | points | 97.5 | 91.5 to 103.2 | 77 |\n" in report
    assert "Everybody:\n\n| who | one | two |\n| --- | --: | --: |\n| a | 1 | 2 |\n" in report


def test_lists(evolve: Evolve, printed: Printed) -> None:
    evolve("game", "perft", "3")
    rows = printed()["Perft of connect-four"]
    counts = [("1", "7"), ("2", "49"), ("3", "343")]
    assert [(row["plies"], row["sequences"]) for row in rows] == counts
    evolve("list", "players")
    known = {row["name"]: row for row in printed()["Players"]}
    check(known["random"], games="all")
    check(known["test-bot:noise=0.2"], games="connect-four")
    evolve("list", "recipes", "--all")
    recipes = {row["name"]: row["title"] for row in printed()["Recipes: evolve start NAME"]}
    assert recipes["four-in-a-row-1"].startswith("Run 1 of Dragan and Izert (2016)")
