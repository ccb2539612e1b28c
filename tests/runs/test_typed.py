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
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.registry import make_game
from evolve_arena.core.user_code import UserCodeError
from evolve_arena.games import tic_tac_toe
from evolve_arena.runs.directory import find_run
from evolve_arena.runs.errors import NotARunError
from evolve_arena.runs.evaluation import usual_plies
from evolve_arena.runs.players import name_player
from evolve_arena.runs.recipe import CheckConfig, Recipe, RunConfig
from tests import forked

TINY = [
    *("--set", "method.individuals=6", "--set", "method.tournament_size=2"),
    *("--set", "check.games=10", "--generations", "2", "--quiet"),
]
OWN = Recipe(check=CheckConfig(games=10, opponents=("random",)), run=RunConfig(generations=2))
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


def pair(first: Any, second: Any, rng: Any) -> Any:
    return first, second


def pairs_in_a_tuple(population: Any, pairs: Any, rng: Any) -> Any:
    return population[pairs[:, 0]], population[pairs[:, 1]]


def in_place(genome: Any, rng: Any) -> Any:
    genome += 1


def all_in_place(population: Any, rng: Any) -> Any:
    population += 1


def as_deap_does(genome: Any, rng: Any) -> Any:
    return (genome,)


def nobody(fitness: Any, rng: Any) -> Any:
    return None


def best_two(fitness: Any, count: Any, rng: Any) -> Any:
    return (fitness.argmax(), fitness.argmin())


def no_genes(genes: Any, rng: Any) -> Any:
    return None


@pytest.mark.parametrize(
    ("key", "function", "text"),
    [
        ("mate", pair, r"pair \(.*\) returns a tuple of 2, not one array of shape \(\d+,\)"),
        ("mate", pairs_in_a_tuple, r"returns a tuple of 2, not one array of shape \(\d+, \d+\)"),
        ("mutate", in_place, r"in_place \(.*\) returns None, not one array of shape \(\d+,\)"),
        ("mutate", all_in_place, r"returns None, not one array of shape \(12, \d+\)"),
        ("mutate", as_deap_does, r"returns a tuple of 1, not one array of shape \(\d+,\)"),
        ("initialisation", no_genes, r"no_genes \(.*\) returns None, not one array"),
        ("select", nobody, r"nobody \(.*\) gives None: it must give one number"),
        ("select", best_two, r"gives \(.*\): it must give the numbers of \d+ individuals"),
    ],
)
def test_an_operator_is_told_what_it_must_return(
    key: str, function: Any, text: str, small_recipe: Any, tmp_path: Path
) -> None:
    changes = {f"method.{key}": function}
    with pytest.raises(ArenaError, match=rf"method\.{key}: .*{text}") as caught:
        ea.start(small_recipe(), run=tmp_path / "run", changes=changes, executor="serial")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("given", "told"), [(None, "None"), ((1, 2), "a tuple of 2")])
def test_a_method_is_told_what_it_must_return(given: Any, told: str, tmp_path: Path) -> None:
    @ea.register
    class Forgetful(ea.VectorMethod):
        def breed(self, population: Any, fitness: Any, rng: Any) -> Any:
            return given

    changes = {"method.name": "Forgetful", "method.individuals": 6}
    with pytest.raises(UserCodeError, match=rf"Forgetful\.breed returns {told}, not one array"):
        ea.start(OWN, run=tmp_path / "run", changes=changes, executor="serial")


def test_a_printed_duel_shows_score_and_interval() -> None:
    result = ea.duel("test-bot", "random", games=1000, seed=1)
    low, high = result.wilson_95
    assert str(result) == (
        f"test-bot against random: score {result.score:.3f} [{low:.3f}, {high:.3f}] in 1000 games"
        f" ({result.wins} won, {result.draws} drawn, {result.losses} lost)"
    )
    assert 0.6 < low < result.score < high < 1


@pytest.mark.parametrize("game", ["connect-four", "checkers", "tic-tac-toe", "breakthrough"])
def test_a_number_alone_is_the_depth_of_a_search(game: str) -> None:
    assert ea.load_player("minimax:4", game).name == "minimax:depth=4"
    assert ea.load_player("minimax: 4 ,noise=0.2", game).name == "minimax:depth=4,noise=0.2"
    for wrong, text in {
        "minimax:0.2": "unknown setting of minimax '0.2'",
        "minimax:noise=0.2,4": "unknown setting of minimax '4'",
        "minimax:4,depth=3": "depth is set twice",
        "minimax:99": "depth is 99",
    }.items():
        with pytest.raises(ArenaError, match=text):
            ea.load_player(wrong, game)


def test_a_number_alone_is_the_rollouts_of_mcts() -> None:
    assert ea.load_player("mcts:50", "tic-tac-toe").name == "mcts:rollouts=50"


def test_a_game_can_be_played_by_its_name(tmp_path: Path) -> None:
    text = evolve("play", "checkers", "--seed", "1", folder=tmp_path, typed="quit\n")
    assert text.startswith("Game 1: minimax:depth=4 is dark, you are light.")
    text = evolve("play", "checkers", "minimax:2", "--seed", "1", folder=tmp_path, typed="quit\n")
    assert "minimax:depth=2" in text
    own = tmp_path / "own_game.py"
    own.write_text(Path(tic_tac_toe.__file__).read_text())
    text = evolve("play", "own_game.py", "--seed", "1", folder=tmp_path, typed="quit\n")
    assert "quit" in text
    text = evolve("duel", "checkers", "random", folder=tmp_path, code=2)
    assert "checkers is a game and no player: name a player, and --game checkers" in text


def test_a_run_called_like_a_game_is_an_opponent(place: Path) -> None:
    shutil.copytree(place / "evolved/first", place / "evolved/connect-four")
    text = evolve("play", "connect-four", "--seed", "1", folder=place, typed="quit\n")
    assert text.startswith("Game 1: connect-four is x, you are o.")
    shutil.rmtree(place / "evolved/connect-four")
