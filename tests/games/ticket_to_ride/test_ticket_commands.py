"""Ticket to Ride on the command line: duels, evaluations, tournaments, pictures and logs."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.arena import warm_up
from evolve_arena.cli.main import main
from evolve_arena.games.ticket_to_ride.board import TICKETS
from evolve_arena.games.ticket_to_ride.decision_log import COLUMNS
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.plot_board_game import plot_board
from evolve_arena.runs.players import find_player, find_table
from evolve_arena.runs.recipes.recipe import load_recipe

GAME = "ticket-to-ride"
Evolve = Callable[..., tuple[str, str]]


@pytest.fixture
def evolve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evolve:
    """Runs the command in an empty folder; gives what it prints, on both channels."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["evolve", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        assert (caught.value.code or 0) == code, said
        return said.out, said.err

    return run


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    warm_up(TicketToRide())


def test_a_duel_tells_points(evolve: Evolve) -> None:
    words = ("duel", "rule", "random", "--games", "20", "--seed", "3", "--players", "3")
    content = json.loads(evolve(*words, "--json")[0])
    assert content["players"] == ["rule:text", "random"]
    assert (content["games"], content["seats"], content["wins"]) == (20, 3, 20)
    rule, chance = content["sides"]
    assert rule["points"] > 60
    assert chance["points"] < 0
    assert content["margin"] == pytest.approx(rule["points"] - chance["points"], abs=15)
    text, _ = evolve(*words)
    assert "Duel: 20 games of 3 players" in text
    assert f"{rule['points']:.1f} [" in text
    assert f"rule:text scores {content['margin']:+.1f} [" in text
    assert "ended by win: 20" in text


def test_tables_have_as_many_seats_as_wanted(evolve: Evolve) -> None:
    four = json.loads(evolve("duel", "rule", "random", "--games", "2", "--json")[0])
    assert four["seats"] == 4
    _, refused = evolve("duel", "random", "test-bot", "--players", "3", code=2)
    assert refused == "evolve: --players is for games of more than two: two play connect-four\n"
    for wrong in ("1", "6"):
        evolve("duel", "rule", "random", "--players", wrong, code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["duel", "rule", "random", "--openings", "2"], "openings of 2 plies"),
        (["duel", "rule", "test-bot"], "plays connect-four, not ticket-to-ride"),
        (["duel", "rule:tixt", "random"], "did you mean 'text'?"),
        (["tournament", "rule", "random", "--rank"], "--rank is not for ticket-to-ride"),
        (
            ["evaluate", "rule", "--positions", "x.csv"],
            "x.csv: No such file",
        ),
        (
            ["evaluate", "rule", "--openings", "1"],
            "openings of 1 plies: games of chance",
        ),
        (["perft", "2", "--game", GAME], "games without chance, and ticket-to-ride has some"),
        (["plot"], "name a run's directory"),
        (["plot", "--board", "test-bot"], "plays connect-four, not ticket-to-ride"),
        (["plot", "--board", "rule", "--to", "x.gif"], "a picture's name ends in"),
        (["plot", "--board", "--network"], "choose one"),
        (["plot", "--board", "--generation", "3"], "run:PATH@GENERATION"),
        (["plot", "x", "--players", "3"], "--players is for --board"),
        (["plot", "--board", *["rule"] * 3, "--players", "2"], "3 players are named for 2 seats"),
        (["log", "rule", "--out", "x.txt"], "a log's name ends in .csv or .parquet"),
        (["log", "human", "--out", "x.csv"], "human is no compiled one"),
        (["log", "rule", "--out", "x.csv", "--players", "4-2"], "players is '4-2'"),
        (["log", "rule", "--out", "gone/x.csv"], "can't be written"),
        (["play", "rule", "--values"], "--values is not for ticket-to-ride"),
        (["play", "rule", "--moves", "3"], "games of ticket-to-ride can't begin with moves"),
        (["play", "rule", "--columns", "5"], "plays ticket-to-ride, not connect-four"),
        (["play", "random", "--players", "3", "--rows", "5"], "rows is an option of connect-four"),
        (["play", "human", "human", "--players", "3"], "others would see his cards"),
        (["play", *["rule"] * 3, "--players", "3", "--hint", "human"], "a program's name"),
        (["play", "random", "random", "random"], "3 players are named, and 2 can play"),
    ],
)
def test_what_is_not_possible_is_one_line(evolve: Evolve, words: list[str], said: str) -> None:
    out, error = evolve(*words, code=2)
    assert said in error
    assert (out, error.count("\n")) == ("", 1)


def test_an_evaluation_has_tables_of_the_like_and_duels(evolve: Evolve) -> None:
    content = json.loads(evolve("evaluate", "rule", "--games", "6", "--json")[0])
    assert list(content["tables"]) == ["2", "3", "4", "5"]
    assert [result["games"] for result in content["tables"].values()] == [6] * 4
    assert set(content["opponents"]) == {"rule:code", "random"}  # and not itself
    assert content["tables"]["2"]["aborted_games"] == 0
    text, _ = evolve("evaluate", "rule", "--games", "6", "--players", "3", "--opponents", "random")
    assert "rule:text at all seats" in text
    assert "rule:text at every other seat of 3" in text
    assert "% > 140" in text
    assert "rule:code" not in text


def test_a_tournament_rates_by_places(evolve: Evolve) -> None:
    words = ("tournament", "random", "rule", "rule:code", "--games", "30")
    content = json.loads(evolve(*words, "--json")[0])
    assert content["seats"] == 3
    assert [row["rank"] for row in content["players"]] == [1, 2, 3]
    assert content["players"][2]["name"] == "random"
    text, _ = evolve(*words)
    assert "rating ± 2σ" in text
    assert text.index("rule:text") < text.index("random")


def test_players_are_listed_with_their_games(evolve: Evolve) -> None:
    command = [sys.executable, "-m", "evolve_arena.cli.main", "players"]  # a process of its own
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert rows["random"].rstrip().endswith("all")
    assert rows["run:PATH"].rstrip().endswith("all")
    assert (
        next(row for name, row in rows.items() if name.startswith("rule")).rstrip().endswith(GAME)
    )
    assert json.loads(evolve("players", "--json")[0])["games"]["test-bot:noise=0.2"] == [
        "connect-four"
    ]


def test_a_board_is_drawn_without_a_run(evolve: Evolve, tmp_path: Path) -> None:
    first, _ = evolve("plot", "--board", "rule", "random", "--seed", "7")
    assert first == "board.png\n"
    drawn = (tmp_path / "board.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    again = plot_board(["rule", "random"], tmp_path / "again.png", seed=7)
    assert again.read_bytes() == drawn
    other = plot_board(["rule", "random"], tmp_path / "other.png", seed=8)
    assert other.read_bytes() != drawn


def test_tables_are_set_by_names() -> None:
    assert find_table(["rule"], GAME).seats == 4
    assert find_table(["rule", "random", "rule:code"], GAME).seats == 3
    assert find_table(["rule", "random"], GAME, 5).seats == 5


def test_a_log_has_a_row_for_each_decision(evolve: Evolve, tmp_path: Path) -> None:
    words = ("log", "rule", "random", "--players", "2-3", "--games", "4", "--out", "log.csv")
    out, told = evolve(*words)
    assert out == "log.csv\n"
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert len(FEATURE_NAMES) == 28
    assert told == f"8 games, {len(rows):,} decisions\n"
    assert {row["game"] for row in rows} == set(map(str, range(8)))
    for game in range(8):
        own = [row for row in rows if row["game"] == str(game)]
        players = 2 if game < 4 else 3
        assert {row["players"] for row in own} == {str(players)}
        assert {row["seat"] for row in own} == set(map(str, range(players)))
        by_seat = {row["seat"]: row["player"] for row in own}
        # They sit by turns, and move up one seat from game to game.
        order = ["rule:text", "random", "rule:text"][:players]
        assert list(np.roll(order, game % 4)) == [by_seat[str(s)] for s in range(players)]
        rounds = [int(row["round"]) for row in own if row["seat"] == "0"]
        assert rounds == list(range(1, len(rounds) + 1))
        assert "1" in {row["place"] for row in own}
        assert len({(row["seat"], row["points"]) for row in own}) == players
    assert {row["class"] for row in rows} <= {"0", "1", "2", "3"}
    assert max(int(row["own tickets"]) for row in rows) <= TICKETS
    before = (tmp_path / "log.csv").read_bytes()
    assert "--force" in evolve(*words, code=2)[1]
    evolve(*words, "--force")
    assert (tmp_path / "log.csv").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["log.csv"]


def test_parquet_holds_the_same_table(evolve: Evolve, tmp_path: Path) -> None:
    words = ("log", "rule", "--players", "2", "--games", "2", "--out")
    if importlib.util.find_spec("pyarrow") is None:
        assert "pyarrow" in evolve(*words, "log.parquet", code=2)[1]
        assert list(tmp_path.iterdir()) == []
        return
    from pyarrow import parquet

    evolve(*words, "log.parquet")
    evolve(*words, "log.csv")
    table = parquet.read_table(tmp_path / "log.parquet").to_pydict()
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(table) == COLUMNS
    for name in ("game", "round", "class", "mean trains", "points"):
        assert [float(row[name]) for row in rows] == pytest.approx(table[name])


def test_a_player_sits_at_tables_of_any_size() -> None:
    three, five = TicketToRide(players=3), TicketToRide(players=5)
    player = find_player("rule", three)
    position = five.initial(1)
    move = player.choose(five.view(position, 0), np.zeros(1, dtype=np.uint64))
    assert move in five.legal_moves(position)


def test_recipes_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "tickets.toml"
    file.write_text('[game]\nname = "ticket-to-ride"\nplayers = 3\n')
    recipe = load_recipe(str(file))
    assert recipe.make_game().rules == TicketToRide(players=3).rules
    assert recipe.check.opponents == ("rule", "random")
    assert recipe.game["longest_path"] == 0
    assert recipe.change({"check.opponents": ["random"]}).check.opponents == ("random",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("check.opening_plies=2", "check.opening_plies: openings of 2 plies: games of chance"),
        ("game.players=6", "players is 6: it must be from 2 to 5"),
        ("game.cards=100", "cards is 100: it must be 110 or 92"),
        ("game.columns=7", "game.columns is no key"),
    ],
)
def test_mistakes_in_recipes_are_named(tmp_path: Path, change: str, said: str) -> None:
    from evolve_arena.runs.errors import RecipeError

    file = tmp_path / "tickets.toml"
    file.write_text('[game]\nname = "ticket-to-ride"\n')
    with pytest.raises(RecipeError, match=said):
        load_recipe(str(file), [change])
