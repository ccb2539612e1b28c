"""Runs by neat-python's files and engine, and its genomes and JSON in any game."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import neat
import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.cli.main import main
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, game_names
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.players.bred import NeatPlayer
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export.neat_python import export_neat_python, import_neat_python
from evolve_arena.runs.recipes.neat_config import read_neat_config
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.bred import grow

BONES = """
[NEAT]
fitness_criterion = max
fitness_threshold = 3.9
no_fitness_termination = False
pop_size = 16
reset_on_extinction = False
seed = 11

[DefaultGenome]
num_inputs = 42
num_outputs = 7
num_hidden = 0
feed_forward = True
initial_connection = partial_direct 0.5
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
conn_add_prob = 0.5
conn_delete_prob = 0.3
node_add_prob = 0.2
node_delete_prob = 0.1
activation_default = random
activation_options = tanh  relu
activation_mutate_rate = 0.1
aggregation_default = sum
aggregation_options = sum
aggregation_mutate_rate = 0.0
enabled_default = True
enabled_mutate_rate = 0.01
"""
NUMBERS = "".join(
    f"{name}_{key} = {value}\n"
    for name in ("bias", "response", "weight")
    for key, value in {
        "init_mean": 0.5,
        "init_stdev": 1.0,
        "max_value": 20.0,
        "min_value": -20.0,
        "mutate_power": 0.4,
        "mutate_rate": 0.7,
        "replace_rate": 0.1,
    }.items()
)
REST = """
[DefaultSpeciesSet]
compatibility_threshold = 3.5

[DefaultStagnation]

[DefaultReproduction]
elitism = 1
"""
INI = BONES + NUMBERS + REST
SHORT = {"run.generations": 3, "run.checkpoint_every": 1, "check.games": 4, "check.every": 3}
WORDS = [word for key, value in SHORT.items() for word in ("--set", f"{key}={value}")]
GAMES = [
    game
    for game in game_names()
    if any(kind.genome_kind == "graph" for kind in find_game(game).networks.values())
]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("winner.ini").write_text(INI, encoding="utf-8")


Call = Callable[..., str]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """What ``evolve`` says with these words."""

    def run(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["evolve", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out + said.err

    return run


def test_a_file_of_neat_python_is_a_recipe_that_needs_it_no_more(call: Call) -> None:
    said = call("start", "--neat-config", "winner.ini", "--quiet", "--executor", "serial", *WORDS)
    run = ea.load("evolved/winner")
    assert run.recipe.method["engine"] == "neat-python"
    assert run.recipe.neat is not None
    # What the file leaves out is neat-python's default, not ours.
    told = {"pop_size": 16, "feed_forward": True, "initial_connection": "partial_direct 0.5"}
    told |= {"activation_options": ["tanh", "relu"], "single_structural_mutation": True}
    told |= {"species_fitness_func": "mean", "max_stagnation": 15, "species_elitism": 0}
    told |= {"min_species_size": 1, "elitism": 1}
    assert told.items() <= run.recipe.neat.items()
    assert run.recipe.run.seed == 11
    assert (run.recipe.network["head"], run.recipe.network["encoding"]) == ("policy", "numbered")
    for remark in (
        "winner.ini: fitness_criterion = max was dropped",
        "winner.ini: fitness_threshold = 3.9, no_fitness_termination = False were dropped",
        "winner.ini: single_structural_mutation is left out, which neat-python takes for True",
        "winner.ini: network.encoding numbered (or signed) was assumed: it gives 42 inputs",
        "winner.ini: network.head policy was assumed",
    ):
        assert remark in " ".join(said.split()), said
    assert "seed" not in said.replace("run.seed", "")
    # The same again: from the run's own recipe, and resumed, without the file.
    Path("winner.ini").unlink()
    again = ea.start("evolved/winner/recipe.toml", run="again", executor="serial")
    assert again.population_sha256 == run.population_sha256
    longer = ea.resume(
        "evolved/winner", generations=5, from_generation=1, force=True, executor="serial"
    )
    straight = ea.start("again/recipe.toml", run="straight", changes={"run.generations": 5})
    assert longer.population_sha256 == straight.population_sha256
    call("info", "straight")
    call("plot", "straight")
    call("export", "straight", "--to", "neat-python")


@pytest.mark.parametrize(
    ("recipe", "typed", "name", "engine"),
    [
        ("connect-four", {}, "connect-four-neat", "neat-python"),
        (None, {"method.engine": "own"}, "connect-four-neat", "own"),
        ("connect-four-td", {}, "connect-four-td", "neat-python"),
    ],
)
def test_the_recipe_gives_the_rest(
    recipe: str | None, typed: dict[str, Any], name: str, engine: str
) -> None:
    text = INI.replace("num_inputs = 42", "num_inputs = 84").replace("outputs = 7", "outputs = 1")
    Path("winner.ini").write_text(text, encoding="utf-8")
    found = read_neat_config("winner.ini", recipe, typed)
    made = load_recipe(found.name, found.changes)
    assert (found.name, made.method["engine"]) == (name, engine)
    assert (made.network["head"], made.network["encoding"]) == ("value", "planes")


def test_other_games_and_settings_that_neat_python_does_not_know() -> None:
    sizes = INI.replace("num_inputs = 42", "num_inputs = 9").replace("outputs = 7", "outputs = 9")
    Path("winner.ini").write_text(sizes, encoding="utf-8")
    run = ea.start("tic-tac-toe", neat_config="winner.ini", changes=SHORT, executor="serial")
    assert run.path == Path("evolved/winner")
    told = {"head": "policy", "encoding": "numbered", "take_wins": True}
    usual = {"depth": 0, "rollouts": 0, "features": 0, "bins": 0, "script": "", "masked": True}
    assert run.recipe.network == {**told, **usual}
    trains = INI.replace("num_inputs = 42", "num_inputs = 26").replace("puts = 7", "puts = 4")
    Path("winner.ini").write_text(trains, encoding="utf-8")
    found = read_neat_config("winner.ini", "ticket-to-ride")
    assert found.name == "ticket-to-ride-neat"
    assert any(remark.startswith("method.stagnation of the recipe was") for remark in found.remarks)
    load_recipe(found.name, found.changes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num_inputs = 42", "num_inputs = 9", "its network has 9 inputs and 7 outputs, but gra"),
        ("[DefaultGenome]", "[IZGenome]", "unknown section 'IZGenome': did you mean 'Default"),
        ("elitism = 1", "elitsm = 1", r"unknown key of \[DefaultReproduction\] 'elitsm'"),
        ("tanh  relu", "tanh my_sinc", "neat.activation_options: unknown activation 'my_sinc'"),
        ("pop_size = 16", "pop_size = x", "neat-python can't use this configuration: "),
        ("node_add_prob = 0.2", "", "neat-python can't use.*Missing required.*'node_add_prob'"),
        ("pop_size = 16", "pop_size = 1", "neat.pop_size"),
        ("forward = True", "forward = False", "neat.feed_forward is false, but in connect-four"),
        (INI, "hello", "no configuration of neat-python: "),
    ],
)
def test_bad_files_get_one_line(old: str, new: str, message: str) -> None:
    Path("winner.ini").write_text(INI.replace(old, new), encoding="utf-8")
    with pytest.raises(RecipeError, match=f"^winner.ini: .*{message}") as caught:
        read_neat_config("winner.ini")
    assert "\n" not in str(caught.value)


def test_files_that_are_none_get_one_line(call: Call) -> None:
    said = call("start", "--neat-config", "wimmer.ini", code=2)
    assert "wimmer.ini: No such file or directory; did you mean winner.ini?" in said
    assert "name a recipe" in call("start", code=2)


def test_without_the_package_one_line_says_how_to_get_it(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {**SHORT, "neat.pop_size": 8}
    changes = {**small, "method.engine": "neat-python"}
    ea.start("connect-four-neat", run="bred", changes=changes, executor="serial")
    monkeypatch.setitem(sys.modules, "neat", None)
    line = "this needs neat-python: pip install neat-python"
    words = ["--set", "method.engine=neat-python"]
    assert call("start", "connect-four-neat", *words, code=2).strip() == f"evolve: {line}"
    assert line in call("start", "--neat-config", "winner.ini", code=2)
    assert line in call("resume", "bred", "--generations", "4", code=2)
    assert not Path("evolved").exists()
    # What was bred can be looked at and played, and our own engine needs no such package.
    assert "method neat-python: 8 individuals" in call("info", "bred")
    call("duel", "run:bred", "random", "--games", "4")
    call("export", "bred", "--to", "neat-python")
    assert ea.start("connect-four-neat", run="own", changes=small, executor="serial").is_complete()


def test_reporters_of_neat_python_are_callbacks(capsys: pytest.CaptureFixture[str]) -> None:
    changes = {**SHORT, "neat.pop_size": 8, "method.engine": "neat-python"}
    seen: list[int] = []
    reporters: list[Any] = [neat.StdOutReporter(False), lambda each: seen.append(each.generation)]
    ea.start("connect-four-neat", run="a", changes=changes, callbacks=reporters, executor="serial")
    assert capsys.readouterr().out.count("Population of 8 members in ") == 3
    assert seen == [1, 2, 3]
    with pytest.raises(BadValueError, match=r"^a callback is 'StdOutReporter', which can't be"):
        ea.start("connect-four", run="b", callbacks=reporters[0])


@pytest.mark.parametrize("game", GAMES)
def test_genomes_and_files_go_and_return_in_every_game(game: str) -> None:
    networks = find_game(game).networks
    kind = next(name for name, each in networks.items() if each.genome_kind == "graph")
    decoder: Any = networks[kind].decoder_type()
    config = NeatConfig(
        pop_size=2, activation_default="random", activation_options=("tanh", "relu", "sin")
    )
    player: NeatPlayer = decoder.player(grow(decoder, 5, config), "grown")
    text = export_neat_python(player)
    assert json.loads(text)["metadata"]["evolve_arena_player"]["game"] == game
    made = import_neat_python(text)
    assert (made.player.serialise(), made.assumed) == (player.serialise(), ())

    genome, settings = player.to_neat_python()
    network = neat.nn.FeedForwardNetwork.create(genome, settings)
    graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, True)
    rows = np.random.default_rng(1).normal(size=(5, decoder.inputs))
    expected = [network.activate(row.tolist()) for row in rows]
    assert np.allclose(evaluate(graphs, 0, rows), expected, rtol=1e-12, atol=0.0)

    back = ea.from_neat_python(genome, settings, game=game, name="grown")
    assert back.serialise() == player.serialise()
    with pytest.raises(UnknownNameError, match=f"^unknown option of {game} 'hed'"):
        ea.from_neat_python(genome, settings, game=game, hed="value")


def test_the_examples_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(ea.__file__).resolve().parent.parent / "docs" / "guides" / "neat.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2
    space: dict[str, Any] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), space)
    assert "Population of 20 members in " in capsys.readouterr().out
    assert space["player"].genome.keys == space["champion"].genome.keys
