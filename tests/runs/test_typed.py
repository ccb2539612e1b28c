"""Things that a person types: short names, games in place of players, settings without brackets."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.games import tic_tac_toe
from evolve_arena.runs.errors import NotARunError, RecipeError
from evolve_arena.runs.evaluation import usual_plies
from evolve_arena.runs.players import name_player
from evolve_arena.runs.recipes.methods import methods_of
from evolve_arena.runs.recipes.recipe import (
    describe_recipe,
    load_recipe,
    recipe_names,
)
from evolve_arena.runs.store.directory import find_run
from evolve_arena.web import serving
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


@pytest.fixture(autouse=True)
def _own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions and classes that tests register are gone after them."""
    monkeypatch.setattr(user_code, "_registered", dict(user_code._registered))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the run ``evolved/first`` lies."""
    folder = tmp_path_factory.mktemp("place")
    evolve("start", "connect-four", "--run", "evolved/first", *TINY, folder=folder)
    return folder


def test_commands_take_a_run_and_a_champion_by_its_name(place: Path) -> None:
    assert evolve("info", "run:evolved/first", folder=place).startswith("evolved/first")
    assert "evolved/first is complete" in evolve("resume", "first", folder=place)
    assert "evolved/first/champion.py" in evolve("export", "first", "--force", folder=place)
    assert "evolved/first/plots" in evolve("plot", "run:first", folder=place)
    assert "evolved/first/plots/network.png" in evolve("plot", "first", "--network", folder=place)
    name = "first@2"
    assert "first" in evolve("duel", "evolved/first", "random", "--games", "2", folder=place)
    assert "first" in evolve("duel", "random", name, "--games", "2", folder=place)
    assert "first" in evolve("tournament", name, "random", "--games", "2", folder=place)
    words = ("evaluate", name, "--games", "2", "--opponents", name)
    assert "first" in evolve(*words, folder=place)
    text = evolve("play", name, "random", "--games", "1", "--delay", "0", folder=place)
    assert "first" in text


def test_the_run_of_another_game_says_what_is_played(tmp_path: Path) -> None:
    evolve("start", "tic-tac-toe-evolved", "--run", "evolved/first", *TINY, folder=tmp_path)
    text = evolve("duel", "minimax:depth=1,values=first", "first", "--games", "2", folder=tmp_path)
    assert "values=run:first" in text


def test_python_takes_a_run_and_a_game_by_its_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    for name in NAMES:
        assert ea.load(name).path == Path("evolved/first")
        assert ea.load_player(name).name == "first"
        assert ea.duel(name, "random", games=2).games == 2
        assert list(ea.evaluate(name, opponents=["first"], games=2)["opponents"]) == ["first"]
        assert ea.resume(name).generation == 2
    assert ea.duel("random", "random", game="tic-tac-toe", games=20).games == 20
    assert ea.load_player("minimax:depth=1", "othello").game.name == "othello"
    table = ea.tournament(["random", "minimax:depth=1"], game="tic-tac-toe", games=20)
    assert table.names == ("random", "minimax:depth=1")


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


def test_games_that_are_all_the_same_are_warned_of_and_openings_tell_them_apart(
    place: Path,
) -> None:
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
    assert usual_plies(ea.make_game(name)) == plies


@pytest.mark.parametrize("ask", [ea.duel, lambda *names, **more: ea.evaluate(names[0], **more)])
def test_python_says_that_there_is_no_such_game_or_player(ask: Callable[..., Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown game 'chess': did you mean 'checkers'"):
        ask("random", "random", game="chess")
    with pytest.raises(BadValueError, match="7 is no game: give a name such as 'connect-four'"):
        ask("random", "random", game=7)
    for wrong in (object(), object, None):
        with pytest.raises(BadValueError, match="is no player: give a specification such as"):
            ask(wrong, "random")


def test_python_starts_for_so_many_generations(tmp_path: Path, small_recipe: Any) -> None:
    run = ea.start(small_recipe(), run=tmp_path / "run", generations=2, executor="serial")
    assert run.generation == run.recipe.run.generations == 2
    changes = {"run.generations": 3}
    with pytest.raises(BadValueError, match=r"generations=2 and run.generations in changes differ"):
        ea.start(small_recipe(), run=tmp_path / "other", generations=2, changes=changes)


def test_a_printed_duel_shows_score_and_interval() -> None:
    result = ea.duel("test-bot", "random", games=1000, seed=1)
    low, high = result.wilson_95
    assert str(result) == (
        f"test-bot against random: score {result.score:.3f} [{low:.3f}, {high:.3f}] in 1000 games"
        f" ({result.wins} won, {result.draws} drawn, {result.losses} lost)"
    )
    assert 0.6 < low < result.score < high < 1


def test_a_number_alone_is_the_depth_of_a_search_or_its_rollouts() -> None:
    assert ea.load_player("mcts:50").name == "mcts:rollouts=50"
    assert ea.load_player("minimax:4", "tic-tac-toe").name == "minimax:depth=4"
    assert ea.load_player("minimax: 4 ,noise=0.2").name == "minimax:depth=4,noise=0.2"
    for wrong, text in {
        "minimax:0.2": "unknown setting of minimax '0.2'",
        "minimax:noise=0.2,4": "unknown setting of minimax '4'",
        "minimax:4,depth=3": "depth is set twice",
        "minimax:99": "depth is 99",
    }.items():
        with pytest.raises(ArenaError, match=text):
            ea.load_player(wrong)


def test_a_game_can_be_played_by_its_name(place: Path) -> None:
    def play(*words: str, command: str = "play", code: int = 0) -> str:
        return evolve(command, *words, "--seed", "1", folder=place, typed="quit\n", code=code)

    assert play("checkers").startswith("Game 1: minimax:depth=2,noise=0.2 is dark, you are light.")
    assert "minimax:depth=2 (dark)" in play("checkers", "minimax:2")
    (place / "own_game.py").write_text(Path(tic_tac_toe.__file__).read_text())
    assert "quit" in play("own_game.py")
    text = play("checkers", "random", command="duel", code=2)
    assert "checkers is a game and no player: name a player, and --game checkers" in text
    # A run that is called like a game is an opponent.
    shutil.copytree(place / "evolved/first", place / "evolved/connect-four")
    assert play("connect-four").startswith("Game 1: connect-four is x, you are o.")
    shutil.rmtree(place / "evolved/connect-four")


def test_one_value_stands_for_a_list_of_one(tmp_path: Path) -> None:
    assert load_recipe("connect-four", ["network.hidden=32"]).network["hidden"] == [32]
    assert load_recipe("connect-four", {"network.hidden": 32}).network["hidden"] == [32]
    changed = load_recipe("connect-four").change({"check.opponents": "random"})
    assert changed.check.opponents == ("random",)
    file = tmp_path / "own.toml"
    file.write_text("[network]\nhidden = 7")
    assert load_recipe(str(file)).network["hidden"] == [7]
    with pytest.raises(RecipeError, match=r"network\.hidden.* is 'many'"):
        load_recipe("connect-four", ["network.hidden=many"])


def test_settings_of_another_method_fall_away_unless_they_are_typed(tmp_path: Path) -> None:
    words = ["--set", "neat.pop_size=6", "--set", "check.games=4", "--generations", "1"]
    words += ["--set", "method.name=neat", "--quiet"]
    done = forked.evolve("start", "gomoku", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "left out" in line]
    assert line.startswith("evolve: left out, since method neat does not have them: network.")
    told = evolve("info", "gomoku", folder=tmp_path)
    assert "method neat" in told
    assert "Gomoku, nine by nine: neat" in told
    assert "left out" not in evolve("resume", "gomoku", "--generations", "2", folder=tmp_path)
    with pytest.raises(RecipeError, match=r"method\.elites is a key of the method 'tournament'"):
        load_recipe("connect-four", ["method.name=neat", "method.elites=1"])
    recipe = load_recipe("connect-four", ["method.name=neat", "neat.pop_size=20"])
    assert recipe.neat is not None
    assert recipe.neat["pop_size"] == 20
    back = recipe.change({"method.name": "tournament"})
    assert back.neat is None
    assert "neat.pop_size" in back.remarks[0]


@pytest.mark.parametrize("game", ["connect-four", "gomoku", "hex", "othello", "tic-tac-toe"])
def test_each_method_can_be_chosen_for_each_recipe(game: str) -> None:
    for name in (each for each in recipe_names() if describe_recipe(each).game == game):
        if describe_recipe(name).is_published or load_recipe(name).game.get("steal"):
            continue
        for method in methods_of(game):
            recipe = load_recipe(name, {"method.name": method})
            assert recipe.method["name"] == method
            assert bool(recipe.remarks) <= (method != describe_recipe(name).method)
            changed = load_recipe(name).change({"method.name": method})
            assert changed.method["name"] == method


def test_a_port_that_is_taken_gives_way_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving._bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with serving._listen_near("127.0.0.1", port) as near:
            other = near.getsockname()[1]
            assert port < other < port + serving.NEAR
            with serving._listen_near("127.0.0.1", port) as third:
                assert other < third.getsockname()[1] < port + serving.NEAR
            words = ["serve", str(tmp_path), "--port", str(port)]
            text = evolve(*words, folder=tmp_path, code=2)
            free = re.search(r"Address already in use; --port (\d+) is free$", text.strip())
            assert free, text
            assert other < int(free[1]) < port + serving.NEAR
    with serving._listen_near("127.0.0.1", port) as first:
        assert first.getsockname()[1] == port
    with pytest.raises(BadValueError, match=r"can't listen at 203\.0\.113\.7"):
        serving._listen_near("203.0.113.7", port)


@pytest.mark.parametrize("target", ["python", "onnx"])
def test_an_edited_export_is_not_replaced_without_force(target: str, tmp_path: Path) -> None:
    start = ["start", "connect-four", "--run", "one", *TINY]
    evolve(*start, folder=tmp_path)
    export = ["export", "one", "--to", target]
    file = tmp_path / evolve(*export, folder=tmp_path).splitlines()[-1]
    evolve(*start, "--force", "--seed", "3", folder=tmp_path)
    evolve(*export, folder=tmp_path)  # of a run that was replaced
    content = file.read_bytes()
    evolve(*start, "--force", "--seed", "2", folder=tmp_path)
    file.write_bytes(content)
    evolve(*export, folder=tmp_path)
    newer = file.read_bytes()
    assert newer != content
    file.write_bytes(newer + b"\n")
    text = evolve(*export, folder=tmp_path, code=2)
    assert f"one/{file.name} was edited since it was exported" in text
    assert text.count("\n") == 1
    assert file.read_bytes() == newer + b"\n"
    evolve(*export, "--force", folder=tmp_path)
    assert file.read_bytes() == newer
    evolve(*export, folder=tmp_path)
    (tmp_path / "one/.exported.json").unlink()
    evolve(*export, folder=tmp_path)  # as it is what would be written
    (tmp_path / "one/.exported.json").write_text("[")
    file.write_bytes(content)
    assert "or another version has exported it" in evolve(*export, folder=tmp_path, code=2)
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    evolve(*export, folder=tmp_path)
    assert file.read_bytes() == newer
    assert not file.is_symlink()
    assert not (tmp_path / "elsewhere").exists()
