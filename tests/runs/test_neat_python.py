"""Coming from neat-python and going there: by its files, its engine and the command line."""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import neat
import neat.activations
import neat.aggregations
import neat.export
import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, game_names, make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Json, Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.players.board.networks import GraphDecoder
from evolve_arena.players.evolved import NeatPlayer, read_player
from evolve_arena.runs.api import prepare, start
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export.neat_python import export_neat_python, import_neat_python
from evolve_arena.runs.recipes.neat_config import read_neat_config
from tests.evolved import grow, random_positions

Evolve = Callable[..., tuple[str, str]]
LEFT_OUT = ("single_structural", "structural_", "max_stagnation", "species_", "min_species_size")
LEFT_OUT += ("survival_threshold", "enabled_rate", "time_constant", "#")
"""Beginnings of the keys that users need not write."""


def write_ini() -> str:
    """Return a configuration in the user's form; neat-python writes it with all keys."""
    genes = {"activation_default": "random", "activation_options": ("tanh", "relu")}
    genes |= {"activation_mutate_rate": 0.1, "initial_connection": "partial_direct 0.5"}
    choices = NeatConfig(pop_size=16, reset_on_extinction=False, elitism=1, **genes)
    with tempfile.NamedTemporaryFile("r") as file:
        to_neat_python(choices, 42, 7).save(file.name)
        text = re.sub(" +=", " =", file.read())
    for key, value in {
        "fitness_threshold": 3.9,
        "no_fitness_termination": False,
        "seed": 11,
    }.items():
        text = re.sub(f"{key} = .*", f"{key} = {value}", text)
    return "\n".join(line for line in text.splitlines() if not line.startswith(LEFT_OUT))


INI = write_ini()
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


def test_a_file_of_neat_python_is_a_recipe_that_needs_it_no_more(evolve: Evolve) -> None:
    words = ["--neat-config", "winner.ini", "--quiet", "--executor", "serial", *WORDS]
    said = evolve("start", *words)[1]
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
    evolve("info", "straight")
    evolve("plot", "straight")
    evolve("export", "straight", "--to", "neat-python")


@pytest.mark.parametrize(
    ("recipe", "typed", "name", "engine"),
    [
        ("connect-four", {}, "connect-four-neat", "neat-python"),
        (None, {"method.engine": "own"}, "connect-four-neat", "own"),
        ("connect-four-td", {}, "connect-four-td", "neat-python"),
    ],
)
def test_the_recipe_gives_the_rest(
    recipe: str | None, typed: Settings, name: str, engine: str
) -> None:
    text = INI.replace("num_inputs = 42", "num_inputs = 84").replace("outputs = 7", "outputs = 1")
    Path("winner.ini").write_text(text, encoding="utf-8")
    found = read_neat_config("winner.ini", recipe, typed)
    made = ea.load_recipe(found.name, found.changes)
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
    ea.load_recipe(found.name, found.changes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num_inputs = 42", "num_inputs = 9", "its network has 9 inputs and 7 outputs, but gra"),
        ("[DefaultGenome]", "[IZGenome]", "unknown section 'IZGenome': did you mean 'Default"),
        ("elitism = 1", "elitsm = 1", r"unknown key of \[DefaultReproduction\] 'elitsm'"),
        ("tanh relu", "tanh my_sinc", "neat.activation_options: unknown activation 'my_sinc'"),
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


def test_files_that_are_none_get_one_line(evolve: Evolve) -> None:
    said = evolve("start", "--neat-config", "wimmer.ini", code=2)[1]
    assert "wimmer.ini: No such file or directory; did you mean winner.ini?" in said
    assert "name a recipe" in evolve("start", code=2)[1]


def test_without_the_package_one_line_says_how_to_get_it(
    evolve: Evolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {**SHORT, "neat.pop_size": 8}
    changes = {**small, "method.engine": "neat-python"}
    ea.start("connect-four-neat", run="bred", changes=changes, executor="serial")
    monkeypatch.setitem(sys.modules, "neat", None)
    line = "this needs neat-python: pip install neat-python"
    words = ["--set", "method.engine=neat-python"]
    assert evolve("start", "connect-four-neat", *words, code=2)[1] == f"evolve: {line}\n"
    assert line in evolve("start", "--neat-config", "winner.ini", code=2)[1]
    assert line in evolve("resume", "bred", "--generations", "4", code=2)[1]
    assert not Path("evolved").exists()
    # What was bred can be looked at and played, and our own engine needs no such package.
    assert "method neat-python: 8 individuals" in evolve("info", "bred")[0]
    evolve("duel", "run:bred", "random", "--games", "4")
    evolve("export", "bred", "--to", "neat-python")
    assert ea.start("connect-four-neat", run="own", changes=small, executor="serial").is_complete()


def test_reporters_of_neat_python_are_callbacks(capsys: pytest.CaptureFixture[str]) -> None:
    changes = {**SHORT, "neat.pop_size": 8, "method.engine": "neat-python"}
    seen: list[int] = []
    reporters = [neat.StdOutReporter(False), lambda each: seen.append(each.generation)]
    ea.start("connect-four-neat", run="a", changes=changes, callbacks=reporters, executor="serial")
    assert capsys.readouterr().out.count("Population of 8 members in ") == 3
    assert seen == [1, 2, 3]
    with pytest.raises(BadValueError, match=r"^a callback is 'StdOutReporter', which can't be"):
        ea.start("connect-four", run="b", callbacks=reporters[0])


@pytest.mark.parametrize("game", GAMES)
def test_genomes_and_files_go_and_return_in_every_game(game: str) -> None:
    networks = find_game(game).networks
    kind = next(name for name, each in networks.items() if each.genome_kind == "graph")
    decoder = networks[kind].decoder_type()
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

    back = ea.extend.from_neat_python(genome, settings, game=game, name="grown")
    assert back.serialise() == player.serialise()
    with pytest.raises(UnknownNameError, match=f"^unknown option of {game} 'hed'"):
        ea.extend.from_neat_python(genome, settings, game=game, hed="value")


GAME = make_game("connect-four")
Graph = find_game("connect-four").networks["graph"].decoder_type
RICH = NeatConfig(pop_size=2, num_hidden=3, conn_delete_prob=0.1, enabled_mutate_rate=0.05)
"""Some of its genes are disabled."""


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    state = random.getstate()
    random.seed(5)
    yield
    random.setstate(state)


def make_player(decoder: GraphDecoder) -> NeatPlayer:
    player: NeatPlayer = decoder.player(grow(decoder, 3, RICH), "grown")
    return player


def evolve_there(inputs: int, outputs: int) -> tuple[neat.nn.FeedForwardNetwork, str]:
    """Evolve a network with neat-python for some generations; return it and its file."""
    genes = {"activation_options": ("tanh", "sigmoid", "relu", "sin")}
    genes |= {"aggregation_options": ("sum", "max", "mean"), "conn_delete_prob": 0.1}
    genes |= {f"{kind}_default": "random" for kind in ("activation", "aggregation")}
    sizes = {"pop_size": 10, "num_hidden": 2, "bias_init_stdev": 0.1, "node_add_prob": 0.6}
    choices = NeatConfig(compatibility_threshold=100.0, **sizes, **genes)
    config = to_neat_python(choices, inputs, outputs)
    kind = neat.nn.FeedForwardNetwork

    def assess(genomes: list[tuple[int, neat.DefaultGenome]], config: neat.Config) -> None:
        """Set the fitness: it grows with the differences between outputs."""
        for _, genome in genomes:
            values = kind.create(genome, config).activate([1.0, 0.0] * (inputs // 2))
            genome.fitness = float(max(values) - min(values) + len(genome.nodes))

    winner = neat.Population(config).run(assess, 4)
    network = kind.create(winner, config)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its datetime.utcnow()
        return network, neat.export.export_network_json(network, metadata={"genome_id": winner.key})


@pytest.mark.parametrize(
    ("inputs", "outputs", "decoder"),
    [(42, 7, Graph(head="policy", encoding="numbered")), (84, 1, Graph())],
)
def test_what_neat_python_evolved_plays_its_moves_here(
    inputs: int, outputs: int, decoder: GraphDecoder
) -> None:
    network, text = evolve_there(inputs, outputs)
    player = import_neat_python(text).player
    assert player.decoder == decoder
    assert player.genome.keys[0] > 0
    chosen = set()
    for position in random_positions(GAME, 200, 1):
        side, legal = GAME.to_move(position), GAME.legal_moves(position)
        told = network.activate(decoder.encode(position).tolist()) if outputs == 7 else []
        values = {}
        for move in legal:
            after = GAME.play(position, move)
            seen = GAME.observe(after, side)[:, GAME.drawn].ravel().tolist()
            won = GAME.outcome(after) is not None and GAME.outcome(after).winner is not None
            value = told[move] if told else network.activate(seen)[0]
            values[move] = float("inf") if won and not told else value
        best = max(legal, key=lambda move: (values[move], -move))
        assert player.choose(position, new_stream(0)) == best
        chosen.add(best)
    assert len(chosen) > 1


@pytest.mark.parametrize(
    "decoder",
    [Graph(), Graph(head="policy", columns=5, rows=4, connect=3, encoding="signed", depth=0)],
)
def test_our_files_bring_the_whole_player_back(decoder: GraphDecoder) -> None:
    player = make_player(decoder)
    player.remarks = {"generation": 7}
    text = export_neat_python(player)
    assert text.endswith("}\n")
    assert neat.export.validate_json(json.loads(text))
    assert json.loads(text)["metadata"]["generation"] == 7
    made = import_neat_python(text, stem="unused")
    assert made.assumed == ()
    assert (made.player.name, made.player.decoder) == ("grown", decoder)
    assert made.player.serialise() == player.serialise()
    nodes, enabled = len(player.genome.node_key), int(player.genome.enabled.sum())
    hidden = nodes - decoder.outputs
    sizes = f"{nodes} nodes ({hidden} hidden) and {enabled} connections"
    assert made.summary == f"grown: a feed-forward graph of {sizes}"
    assert enabled < len(player.genome.weight)
    other = import_neat_python(text, name="other", options={"depth": 0})
    assert (other.player.name, other.player.decoder, other.assumed) == ("other", decoder, ())


def foreign(inputs: int, outputs: int, kind: str = "feedforward") -> str:
    """Return a file that has no board: inputs -1 to outputs, and no more."""
    data = json.loads(export_neat_python(make_player(Graph())))
    data["metadata"], data["network_type"] = {}, kind
    data["topology"] = {"num_inputs": inputs, "num_outputs": outputs}
    data["topology"]["input_keys"] = [-1 - place for place in range(inputs)]
    data["topology"]["output_keys"] = list(range(outputs))
    node = next(node for node in data["nodes"] if node["type"] == "output")
    data["nodes"] = [{**node, "id": key} for key in range(outputs)]
    data["connections"] = [
        {"from": -1, "to": key, "weight": 1.0, "enabled": True} for key in range(outputs)
    ]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("inputs", "outputs", "options", "changes", "assumed"),
    [
        (84, 1, {}, {}, "head value, encoding planes"),
        (42, 7, {}, {"head": "policy", "encoding": "numbered"}, "head policy, encoding numbered ("),
        (42, 1, {"encoding": "numbered"}, {"encoding": "numbered"}, "head value"),
        (84, 7, {"head": "policy", "encoding": "planes"}, {"head": "policy"}, ""),
    ],
)
def test_sizes_tell_what_a_network_may_be_for(
    inputs: int, outputs: int, options: dict[str, str], changes: dict[str, str], assumed: str
) -> None:
    made = import_neat_python(foreign(inputs, outputs), stem="winner", options=options)
    assert made.player.decoder == replace(Graph(), **changes)
    assert made.player.name == "winner"
    said = ", ".join(made.assumed)
    assert said.startswith(assumed)
    assert bool(said) == bool(assumed)
    assert not any(name in said for name in options)


SIZES = "its network has 42 inputs and {} outputs, but graphs of connect-four have 12"


@pytest.mark.parametrize(
    ("inputs", "outputs", "options", "message"),
    [
        (
            9,
            7,
            {},
            "its network has 9 inputs and 7 outputs, but graphs of connect-four have 12 and 1",
        ),
        (42, 3, {}, SIZES.format(3)),
        (42, 7, {"head": "value"}, SIZES.format(7)),
        (42, 7, {"encoding": "planes"}, SIZES.format(7).removesuffix("12")),
        (42, 7, {"head": "polici"}, "unknown head 'polici': did you mean 'policy'?"),
        (42, 7, {"head": ""}, "unknown head ''"),
        (42, 7, {"encoding": "plane"}, "unknown encoding 'plane': did you mean 'planes'?"),
    ],
)
def test_networks_that_do_not_fit_are_refused(
    inputs: int, outputs: int, options: dict[str, str], message: str
) -> None:
    with pytest.raises((BadValueError, UnknownNameError)) as caught:
        import_neat_python(foreign(inputs, outputs), options=options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("columns", 8, "its network has 84 inputs and 7 outputs, but graphs of connect-four have"),
        ("columns", 80, "columns is 80: it must be"),
        ("columns", "7", "metadata.evolve_arena_player.columns: "),
        ("game", "checkers", "metadata.evolve_arena_player.columns: "),
        ("game", "chess", "metadata.evolve_arena_player.game: 'chess' is no game here"),
        ("head", "polici", "unknown head 'polici'"),
        ("name", None, "metadata.evolve_arena_player.name: "),
        ("", 3, "metadata.evolve_arena_player: "),
    ],
)
def test_damaged_remarks_are_refused_in_a_line(key: str, value: Json, message: str) -> None:
    data = json.loads(export_neat_python(make_player(Graph(head="policy"))))
    metadata = data["metadata"]
    metadata["evolve_arena_player"] = (
        {**metadata["evolve_arena_player"], key: value} if key else value
    )
    with pytest.raises(ArenaError) as caught:
        import_neat_python(json.dumps(data))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs, one of NEAT and one of perceptrons, and one not begun."""
    folder = tmp_path_factory.mktemp("place")
    sizes = ("run.generations=2", "check.games=10", "check.every=1")
    for name, recipe, *more in (
        ("graphs", "connect-four-neat", "neat.pop_size=8", "matches.opponents=2"),
        ("mlp", "connect-four", "method.individuals=8"),
    ):
        start(recipe, run=folder / name, changes=[*sizes, *more], executor="serial")
    prepare("connect-four-neat", run=folder / "young")
    (folder / "foreign.json").write_text(foreign(42, 7))
    (folder / "small.json").write_text(foreign(9, 7))
    (folder / "recurrent.json").write_text(foreign(42, 7, "recurrent"))
    (folder / "text.json").write_text("hello")
    (folder / "bytes.json").write_bytes(b"\xff\xfe\x00")
    return folder


def test_a_champion_of_neat_leaves_in_both_formats_and_returns(
    place: Path, evolve: Evolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert evolve("export", "graphs") == ("graphs/champion.py\n", "")
    for _ in range(2):
        assert evolve("export", "graphs", "--to", "neat-python") == ("graphs/champion.json\n", "")
    assert evolve("export", "graphs", "--to", "neat-python", "--generation", "1", "--out", "1.json")
    said, told = evolve("import-neat", "graphs/champion.json", "--out", "back.safetensors")
    assert said == "back.safetensors\n"
    assert told.startswith("graphs: a feed-forward graph of ")
    assert told.count("\n") == 1
    back = read_player((place / "back.safetensors").read_bytes())
    champion = read_player((place / "graphs/champion.safetensors").read_bytes(), "graphs")
    assert back.serialise() == champion.serialise()
    assert back.remarks == {"imported_from": "champion.json"}
    words = ["run:graphs", "file:back.safetensors", "--games", "4", "--openings", "2", "--json"]
    assert json.loads(evolve("duel", *words)[0])["games"] == 4


def test_a_foreign_network_comes_and_plays_and_goes(
    place: Path, evolve: Evolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    said, told = evolve("import-neat", "foreign.json", "--head", "policy", "--name", "guest")
    assert said == "foreign.safetensors\n"
    assert told.splitlines() == [
        "assumed encoding numbered (or signed): the file does not say",
        "guest: a feed-forward graph of 7 nodes (0 hidden) and 7 connections",
    ]
    assert "foreign.safetensors exists" in evolve("import-neat", "foreign.json", code=2)[1]
    assert evolve("import-neat", "foreign.json", "--force", "--name", "guest")[0] == said
    guest = "file:foreign.safetensors"
    result = json.loads(evolve("duel", guest, "random", "--games", "10", "--json")[0])
    assert result["players"] == ["foreign", "random"]
    evolve("export", guest, "--to", "neat-python", "--out", "again.json")
    assert import_neat_python((place / "again.json").read_text()).player.name == "guest"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("export graphs --to neat-pyton", "unknown export target 'neat-pyton': did you mean"),
        ("export mlp --to neat-python", "mlp is a multilayer perceptron, and neat-python's files"),
        ("export young", "young has no champion yet"),
        ("export file:nowhere", "nowhere: No such file"),
        ("export file:foreign.json", "foreign.json is no player: "),
        ("export file:graphs/champion.safetensors --generation 1", "--generation is for runs"),
        ("export graphs --to neat-python --out foreign.json", "foreign.json exists"),
        ("export graphs --out nowhere/x.py", "nowhere/x.py can't be written"),
        ("import-neat nowhere.json", "nowhere.json: No such file"),
        ("import-neat text.json", "text.json is no network that neat-python exported: not JSON: "),
        ("import-neat bytes.json", "bytes.json is no network that neat-python exported: it is no"),
        ("import-neat small.json", "small.json: its network has 9 inputs and 7 outputs"),
        ("import-neat recurrent.json", "recurrent.json: its network is recurrent, but in connect"),
        ("import-neat foreign.json --out foreign.json", "foreign.json exists"),
        ("import-neat foreign.json --out nowhere/x", "nowhere/x can't be written"),
        ("import-neat mlp/champion.safetensors", "mlp/champion.safetensors is no network that "),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(
    place: Path, evolve: Evolve, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(place)
    out, told = evolve(*words.split(), code=2)
    assert told.startswith(f"evolve: {said}")
    assert told.count("\n") == 1
    assert out == ""
