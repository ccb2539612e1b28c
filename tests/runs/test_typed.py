"""Things that a person types: short names, games in place of players, settings without brackets."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import make_game
from evolve_arena.runs.directory import find_run
from evolve_arena.runs.errors import NotARunError
from evolve_arena.runs.evaluation import usual_plies
from evolve_arena.runs.players import name_player
from tests import forked

TINY = [
    *("--set", "method.individuals=6", "--set", "method.tournament_size=2"),
    *("--set", "check.games=10", "--generations", "2", "--quiet"),
]
NAMES = ["evolved/first", "first", "run:evolved/first", "run:first"]


def evolve(*words: str, folder: Path, code: int = 0, typed: str = "") -> str:
    """What a command prints."""
    done = forked.evolve(*words, folder=folder, typed=typed)
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the run ``evolved/first`` lies."""
    folder = tmp_path_factory.mktemp("place")
    evolve("start", "connect-four", "--run", "evolved/first", *TINY, folder=folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_commands_take_a_run_by_its_name(place: Path, name: str) -> None:
    assert evolve("info", name, folder=place).startswith("evolved/first")
    assert "evolved/first is complete" in evolve("resume", name, folder=place)
    assert "evolved/first/champion.py" in evolve("export", name, "--force", folder=place)
    assert "evolved/first/plots" in evolve("plot", name, folder=place)
    assert "evolved/first/plots/network.png" in evolve("plot", name, "--network", folder=place)


@pytest.mark.parametrize("name", [*NAMES, "evolved/first@2", "first@2", "run:first@2"])
def test_commands_take_a_champion_by_its_name(place: Path, name: str) -> None:
    assert "first" in evolve("duel", name, "random", "--games", "2", folder=place)
    assert "first" in evolve("duel", "random", name, "--games", "2", folder=place)
    assert "first" in evolve("tournament", name, "random", "--games", "2", folder=place)
    words = ("evaluate", name, "--games", "2", "--opponents", name)
    assert "first" in evolve(*words, folder=place)
    text = evolve("play", name, "random", "--games", "1", "--delay", "0", folder=place)
    assert "first" in text


def test_the_run_of_another_game_says_what_is_played(tmp_path: Path) -> None:
    evolve("start", "tic-tac-toe", "--run", "evolved/first", *TINY, folder=tmp_path)
    text = evolve("duel", "minimax:depth=1,values=first", "first", "--games", "2", folder=tmp_path)
    assert "values=run:first" in text


def test_cards_are_played_and_drawn_by_a_runs_name(tmp_path: Path) -> None:
    evolve("start", "ticket-to-ride", "--run", "evolved/first", *TINY, folder=tmp_path)
    text = evolve("log", "first", "rule", "--games", "1", "--out", "log.csv", folder=tmp_path)
    assert (tmp_path / "log.csv").is_file(), text
    assert "evolved/first/plots/board.png" in evolve("plot", "--board", "first", folder=tmp_path)


def test_python_takes_a_run_by_its_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for name in NAMES:
        assert ea.load(name).path == Path("evolved/first")
        assert ea.load_player(name).name == "first"
        assert ea.duel(name, "random", games=2).games == 2
        assert list(ea.evaluate(name, opponents=["first"], games=2)["opponents"]) == ["first"]
        assert ea.resume(name).generation == 2


def test_a_path_and_a_players_name_come_before_a_run_at_home(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first", "random", "minimax:depth=4", "own"):
        shutil.copytree(place / "evolved/first", tmp_path / "evolved" / name)
    assert find_run("first") == Path("evolved/first")
    Path("first").mkdir()
    assert find_run("first") == find_run("run:first") == Path("first")
    assert find_run("../first") == Path("../first")
    assert find_run("nowhere") == find_run("run:nowhere") == Path("nowhere")
    assert name_player("random") == "random"
    assert name_player("minimax:depth=4") == "minimax:depth=4"
    assert name_player("own") == "run:own"
    assert name_player("minimax:values=own,noise=0") == "minimax:values=run:own,noise=0"
    with pytest.raises(NotARunError, match=r"onw does not exist; runs in evolved: first, .*own"):
        ea.load("onw")
    monkeypatch.setitem(user_code._registered, "own", object())
    assert name_player("own") == "own"


def test_info_without_a_name_lists_the_runs(place: Path, tmp_path: Path) -> None:
    lines = evolve("info", folder=place).splitlines()
    row = next(line for line in lines if "evolved/first" in line)
    assert "connect-four" in row
    assert "2 of 2" in row
    listed = json.loads(evolve("info", "--json", folder=place))["runs"]
    assert [(run["run"], run["generation"]) for run in listed] == [("evolved/first", 2)]
    (tmp_path / "evolved/bad").mkdir(parents=True)
    text = evolve("info", folder=tmp_path)
    assert text == "there are no runs in evolved; start one: evolve start connect-four\n"
    (tmp_path / "evolved/bad/recipe.toml").write_text("title = ")
    assert "evolved/bad" in evolve("info", folder=tmp_path)
    assert json.loads(evolve("info", "--json", folder=tmp_path))["runs"][0]["trouble"]


def test_a_check_of_games_that_are_all_the_same_warns(place: Path) -> None:
    words = ["--run", "same", "--seed", "2", *TINY[:-1]]
    words += ["--set", "check.opponents=['run:first']"]
    told = forked.evolve("start", "connect-four", *words, folder=place)
    warning = (
        "check at generation 2: only 2 of 10 games are distinct: the intervals are too narrow;"
        " check.opening_plies = 4 begins each pair of games differently"
    )
    assert f"evolve: {warning}" in told.stderr.splitlines()
    assert f"warning: {warning}" in evolve("info", "same", folder=place)
    content = json.loads(evolve("info", "same", "--json", folder=place))
    assert content["warnings"].count(warning) == 1
    words += ["--force", "--set", "check.opening_plies=4"]
    told = forked.evolve("start", "connect-four", *words, folder=place)
    assert "distinct:" not in told.stderr


def test_evaluate_begins_with_random_openings(place: Path) -> None:
    words = ["evaluate", "first", "--opponents", "run:first", "--games", "20", "--json"]
    usual = json.loads(evolve(*words, folder=place))
    assert usual["opening_plies"] == 4
    assert usual["opponents"]["run:first"]["distinct_games"] == 10
    start = json.loads(forked.evolve(*words, "--openings", "0", folder=place).stdout)
    assert start["opening_plies"] == 0
    assert start["opponents"]["run:first"]["distinct_games"] == 1
    assert "begins with 4 random plies" in evolve(*words[:-1], folder=place)


@pytest.mark.parametrize(
    ("name", "plies"),
    [("connect-four", 4), ("tic-tac-toe", 2), ("checkers", 4), ("pig", 0), ("ticket-to-ride", 0)],
)
def test_openings_are_as_long_as_the_game_allows(name: str, plies: int) -> None:
    assert usual_plies(make_game(name)) == plies


@pytest.mark.parametrize("ask", [ea.duel, lambda *names, **more: ea.evaluate(names[0], **more)])
def test_python_says_that_there_is_no_such_game_or_player(ask: Callable[..., Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown game 'chess'.*breakthrough, checkers"):
        ask("random", "random", game="chess")
    with pytest.raises(BadValueError, match="7 is no game: give a name such as 'connect-four'"):
        ask("random", "random", game=7)
    for wrong in (object(), object, None):
        with pytest.raises(BadValueError, match="is no player: give a specification such as"):
            ask(wrong, "random")


def test_python_takes_a_game_by_its_name() -> None:
    assert ea.duel("random", "random", game="tic-tac-toe", games=20).games == 20
    assert ea.load_player("minimax:depth=1", "othello").game.name == "othello"
    table = ea.tournament(["random", "minimax:depth=1"], game="tic-tac-toe", games=20)
    assert table.names == ("random", "minimax:depth=1")


def test_python_starts_for_so_many_generations(tmp_path: Path, small_recipe: Any) -> None:
    run = ea.start(small_recipe(), run=tmp_path / "run", generations=2, executor="serial")
    assert run.generation == run.recipe.run.generations == 2
    changes = {"run.generations": 3}
    with pytest.raises(BadValueError, match=r"generations=2 and run.generations in changes differ"):
        ea.start(small_recipe(), run=tmp_path / "other", generations=2, changes=changes)
