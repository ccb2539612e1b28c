"""Use by scripts and notebooks: callbacks, histories, populations, looks, sweeps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.extras import MissingPackageError, import_extra
from evolve_arena.core.types import Settings
from evolve_arena.runs.errors import NotARunError, RecipeError
from evolve_arena.runs.evaluation import usual_plies
from evolve_arena.runs.many.parallel_runs import RunsStoppedError
from evolve_arena.runs.players import name_player
from evolve_arena.runs.recipes.methods import methods_of
from evolve_arena.runs.recipes.recipe import describe_recipe, load_recipe, recipe_names
from evolve_arena.runs.store.directory import find_run

RecipeMaker = Callable[..., ea.Recipe]


@pytest.fixture(name="run", scope="module")
def _run(small_recipe: RecipeMaker, tmp_path_factory: pytest.TempPathFactory) -> ea.Run:
    folder = tmp_path_factory.mktemp("library")
    return ea.start(small_recipe("run.generations=4"), run=folder / "run", executor="serial")


def test_all_callbacks_are_called_and_one_can_stop(
    small_recipe: RecipeMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[ea.Progress] = []
    run = ea.start(
        small_recipe("run.generations=9"),
        run=tmp_path / "run",
        executor="serial",
        callbacks=[lambda now: now.generation < 3, told.append],
    )
    assert [progress.generation for progress in told] == [1, 2, 3]
    assert run.generation == 3
    last = told[-1]
    assert run.digest(last.state) == run.population_sha256
    assert last.path == tmp_path / "run"
    assert last.statistics["best"] == run.history()["best"][2]
    assert capsys.readouterr().err == ""
    options = {"executor": "serial", "callbacks": told.append, "progress": True}
    assert ea.resume(run.path, **options).generation == 9
    assert "generation 9/9" in capsys.readouterr().err
    assert told[-1].champion is not None
    assert told[-1].champion.serialise() != b""


def test_a_history_is_arrays_and_frames(run: ea.Run) -> None:
    history = run.history()
    assert history["generation"].tolist() == [0, 1, 2, 3]
    frame = history.to_frame()
    assert frame.index.name == "generation"
    assert frame["best"].tolist() == history["best"].tolist()
    checks = history.checks_to_frame()
    assert checks["won"].tolist() == [check.wins for check in run.checks()]
    with pytest.raises(UnknownNameError, match="unknown figure 'bets': did you mean 'best'"):
        _ = history["bets"]
    with pytest.raises(
        MissingPackageError, match=r"needs no_such: pip install 'evolve-arena\[x\]'"
    ):
        import_extra("no_such.module", "x")


@pytest.mark.parametrize(
    ("recipe", "size", "name", "axes"),
    [
        ("connect-four", {"method.individuals": 8}, "genomes", ("individual", "gene")),
        ("connect-four-neat", {"neat.pop_size": 8}, "weight", ("connection gene",)),
        ("connect-four-td", {"method.games": 10}, "cells", ("individual", "tuple", "place")),
    ],
)
def test_a_population_says_what_its_axes_are(
    recipe: str, size: Settings, name: str, axes: tuple[str, ...], tmp_path: Path
) -> None:
    less = {"run.generations": 1, "check.games": 2, "check.opponents": ["random"], **size}
    run = ea.start(recipe, run=tmp_path / "run", changes=less, executor="serial")
    population = run.population()
    assert population.axes[name] == axes
    assert set(population.axes) == set(population.arrays)
    for key, array in population.arrays.items():
        assert array.ndim == len(population.axes[key])
    assert axes[0] in repr(population)
    assert axes[0] in population._repr_html_()
    player = population.player(len(population) - 1)
    assert player.move(player.game.initial()) in range(7)
    with pytest.raises(BadValueError, match="row is 999"):
        population.player(999)


def test_everything_has_a_look_in_a_notebook(
    run: ea.Run, small_recipe: RecipeMaker, tmp_path: Path
) -> None:
    duel = ea.duel(f"run:{run.path}", "random", games=20)
    table = ea.tournament(["random", "test-bot"], games=20)
    shown: list[tuple[object, str]] = [
        (run, "tournament, generation 4 of 4"),
        (run.history(), "share_won"),
        (run.champion, "weights_1"),
        (duel, "against random"),
        (table, "Elo"),
    ]
    for value, text in shown:
        assert text in value._repr_html_()
    assert run.plot()._repr_png_().startswith(b"\x89PNG")
    assert run.plot("network")._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(UnknownNameError, match="unknown picture 'fitnes': did you mean 'fitness'"):
        run.plot("fitnes")
    recipe = small_recipe("run.generations=1", "title=<script>alert(1)</script>")
    run = ea.start(recipe, run=tmp_path / "<b>", executor="serial")
    assert "<script>" not in run._repr_html_()
    assert "<b>'" not in run._repr_html_()


def test_a_network_is_layers_that_compute_what_it_plays(run: ea.Run) -> None:
    player = run.champion
    position = player.game.parse_position("3321")
    network = player.network()
    seen = player.see(position).values
    layers = len(network) // 2
    for layer in range(1, layers + 1):
        seen = seen @ network[f"weights_{layer}"] + network[f"biases_{layer}"]
        if layer < layers:
            seen = np.tanh(seen) if player.decoder.activation == "tanh" else np.maximum(seen, 0)
    inside = player.decoder.mlp.evaluate(
        player.decoder.expand(player.genome[None])[0], [player.see(position).values]
    )
    assert seen == pytest.approx(inside[0])
    player = ea.load_player("random")
    with pytest.raises(BadValueError, match="random gives no values"):
        player.values(player.game.initial())


def test_a_sweep_that_is_stopped_gives_the_same_table(
    small_recipe: RecipeMaker, tmp_path: Path
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(small_recipe("run.generations=3").to_toml())
    values = {"variation.step_size": [0.1, 1.0], "method.tournament_size": [2, 3]}
    sweep = partial(ea.sweep, str(file), values, seeds=2, games=50)
    whole = sweep(folder=tmp_path / "whole", workers=2)
    told = []
    with pytest.raises(RunsStoppedError):
        sweep(
            folder=tmp_path / "stopped",
            callback=lambda now: told.append(now) is None and len(told) < 5,
            workers=1,
        )
    assert sweep(folder=tmp_path / "stopped", workers=1).table() == whole.table()
    assert (tmp_path / "whole/runs.csv").read_text() == (tmp_path / "stopped/runs.csv").read_text()
    assert len(whole.rows) == len(whole.to_frame()) == 8
    assert {effect.runs for effect in whole.effects("method.tournament_size")} == {4}
    name = whole.rows[0].name
    assert whole[name].recipe.method["mutation_strength"] == 0.1
    result = ea.duel(whole[name].champion, whole.against, games=50, seed=1_000_003)
    assert whole.rows[0].score == result.score
    with pytest.raises(BadValueError, match=r"'run\.seed' was not varied"):
        whole.effects("run.seed")
    for values in ({}, {"run.seed": []}):
        with pytest.raises(BadValueError, match="needs at least one key with a value"):
            ea.sweep("connect-four", values, folder=tmp_path / "x")


NAMES = ["evolved/first", "first", "run:evolved/first", "run:first"]


@pytest.fixture(scope="module")
def place(run: ea.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the run ``evolved/first``."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copytree(run.path, folder / "evolved/first")
    return folder


def test_python_takes_a_run_and_a_game_by_its_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    for name in NAMES:
        assert ea.load(name).path == Path("evolved/first")
        assert ea.load_player(name).name == "first"
        assert ea.duel(name, "random", games=2).games == 2
        assert list(ea.evaluate(name, opponents=["first"], games=2)["opponents"]) == ["first"]
        assert ea.resume(name).generation == 4
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


@pytest.mark.parametrize(
    ("name", "plies"),
    [("connect-four", 4), ("tic-tac-toe", 2), ("checkers", 4), ("pig", 0), ("ticket-to-ride", 0)],
)
def test_openings_are_as_long_as_the_game_allows(name: str, plies: int) -> None:
    assert usual_plies(ea.make_game(name)) == plies


@pytest.mark.parametrize("ask", [ea.duel, lambda *names, **more: ea.evaluate(names[0], **more)])
def test_python_says_that_there_is_no_such_game_or_player(ask: Callable[..., object]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown game 'chess': did you mean 'checkers'"):
        ask("random", "random", game="chess")
    with pytest.raises(BadValueError, match="7 is not a game: give a name such as 'connect-four'"):
        ask("random", "random", game=7)
    for wrong in (object(), object, None):
        with pytest.raises(BadValueError, match="is not a player: give a specification such as"):
            ask(wrong, "random")


def test_python_starts_for_so_many_generations(tmp_path: Path, small_recipe: RecipeMaker) -> None:
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
