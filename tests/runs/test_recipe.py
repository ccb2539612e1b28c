"""Recipes: those that ship, settings in files and changes, and messages about mistakes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Json
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.evolve.settings.tournament import TournamentConfig, TournamentMatchesConfig
from evolve_arena.evolve.settings.variation import VariationConfig
from evolve_arena.evolve.tournament import Tournament
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import (
    Recipe,
    describe_recipe,
    load_recipe,
    read_recipe,
    recipe_names,
)


@pytest.fixture
def plain(tmp_path: Path) -> str:
    """Write an empty file, so that all settings have their defaults."""
    path = tmp_path / "plain.toml"
    path.write_text("")
    return str(path)


@pytest.fixture
def graphs(tmp_path: Path) -> str:
    """Write a file that only names the method."""
    path = tmp_path / "graphs.toml"
    path.write_text('[method]\nname = "neat"\n')
    return str(path)


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_that_ships_is_written_whole_and_says_what_it_breeds(
    name: str, tmp_path: Path
) -> None:
    recipe = load_recipe(name, ["run.seed=9223372036854775807", "check.games=50"])
    path = tmp_path / "recipe.toml"
    path.write_text(recipe.to_toml(), encoding="utf-8")
    assert read_recipe(path) == load_recipe(str(path)) == recipe
    assert read_recipe(path).to_toml() == recipe.to_toml()
    assert recipe.title == describe_recipe(name).title != ""
    population = recipe.make_method().initial(1).population
    method = recipe.method
    size = recipe.neat["pop_size"] if recipe.neat else method.get("individuals", 1)
    if recipe.growth:
        size = recipe.growth.stages[0].method["individuals"]
    assert len(population) == size
    opponents = recipe.make_opponents()
    for opponent, specification in zip(opponents, recipe.check.opponents, strict=True):
        assert opponent.name.startswith(specification)


def test_a_recipe_is_fully_resolved(plain: str, graphs: str) -> None:
    """The section of a method may be left out: every key has a default."""
    sections = {"title", "game", "network", "method", "matches", "variation", "check", "run"}
    written = tomllib.loads(load_recipe(plain).to_toml())
    assert set(written) == sections
    beside = {"matches", "variation"}
    optional = {"fitness", *beside}
    assert set(written["method"]) == set(TournamentConfig.model_fields) - optional
    optional = {"multiplayer", "fixed_opponents"}
    assert set(written["matches"]) == set(TournamentMatchesConfig.model_fields) - optional
    assert set(written["variation"]) == set(VariationConfig.model_fields)
    assert load_recipe(plain) == Recipe().change({})
    written = tomllib.loads(load_recipe(graphs).to_toml())
    assert set(written) == {*sections, "neat"}
    assert set(written["neat"]) == set(NeatConfig.model_fields)
    assert "neat" not in written["method"]


@settings(max_examples=40)
@given(
    title=st.text(st.characters(codec="utf-8")),
    probability=st.floats(0, 1),
    hidden=st.lists(st.integers(1, 50), max_size=3),
    seed=st.integers(0, 2**63 - 1),
    sigma=st.floats(0, 1e6),
)
def test_every_value_survives_being_written(
    title: str, probability: float, hidden: list[int], seed: int, sigma: float
) -> None:
    changes = {
        "title": title,
        "variation.mutation_probability": probability,
        "variation.mutation": {"name": "mutGaussian", "sigma": sigma},
        "network.hidden": hidden,
        "run.seed": seed,
    }
    recipe = Recipe().change(changes)
    again = Recipe.model_validate(tomllib.loads(recipe.to_toml()))
    assert again == recipe
    assert again.title == title
    assert again.variation is not None
    assert again.variation["mutation_probability"] == probability
    assert again.variation["mutation"]["sigma"] == sigma
    assert again.network["hidden"] == hidden


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("run.seed=7", 7),
        (" run.seed = 7 ", 7),
        ("variation.mutation_probability=1e-3", 0.001),
        ("variation.self_adaptive=true", True),
        ("method.initialisation=glorot", "glorot"),
        ('method.initialisation="glorot"', "glorot"),
        ("network.hidden=[8, 4]", [8, 4]),
        ("network.hidden=[]", []),
        ('check.opponents=["random"]', ["random"]),
        ("neat.pop_size=30", 30),
        ("neat.reset_on_extinction=False", False),
        ("neat.activation_options=tanh", ["tanh"]),
        ("neat.activation_options=tanh relu", ["tanh", "relu"]),
        ("neat.activation_options=['sin', 'tanh']", ["sin", "tanh"]),
        ("neat.initial_connection=partial_direct 0.5", "partial_direct 0.5"),
        ("neat.weight_init_type=normal", "gaussian"),
        ("neat.compatibility_threshold=2", 2.0),
    ],
)
def test_a_change_replaces_a_value(plain: str, graphs: str, change: str, value: Json) -> None:
    section, key = change.partition("=")[0].strip().split(".")
    recipe = load_recipe(graphs if section == "neat" else plain, [change])
    assert recipe.model_dump(mode="json")[section][key] == value
    if section == "neat":
        found = getattr(recipe.make_method().config.neat, key)
        assert (list(found) if isinstance(found, tuple) else found) == value


def test_changes_reach_inner_sections_and_the_last_one_counts(plain: str) -> None:
    recipe = load_recipe(
        plain,
        [
            "matches.hall_of_fame.opponents=3",
            "variation.crossover=cxBlend",
            "variation.mutation={name = 'mutGaussian', sigma = 0.5}",
            "title=a = b",
            "run.generations=1",
            "run.generations=2",
        ],
    )
    assert recipe.matches is not None
    assert recipe.variation is not None
    assert recipe.matches["hall_of_fame"]["opponents"] == 3
    assert recipe.matches["hall_of_fame"]["size"] == 50
    assert recipe.variation["crossover"] == {"name": "cxBlend"}
    assert recipe.variation["mutation"] == {"name": "mutGaussian", "sigma": 0.5}
    assert recipe.title == "a = b"
    assert recipe.run.generations == 2
    before = recipe.to_toml()
    assert recipe.change({"run.seed": 5}).run.seed == 5
    assert recipe.to_toml() == before
    with pytest.raises(RecipeError, match=r"run\.seed is 'x'"):
        recipe.change({"run.seed": "x"})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            "run.genrations=5",
            r"run\.genrations is an unknown setting: did you mean 'generations'\?",
        ),
        ("rum.seed=5", r"did you mean 'run\.seed'\?"),
        (
            "matches.hall_of_fame.sise=3",
            r"is an unknown setting: did you mean 'size'\? .*diverse, every, opponents",
        ),
        ("method.individuals=1", r"method\.individuals is 1: it must be at least 2"),
        ("method.individuals=many", r"method\.individuals is 'many': .* whole number"),
        ("method.individuals=2.5", r"method\.individuals is 2\.5: .* whole number"),
        ("method.individuals=200000", r"individuals is 200000: it must be at most 100000"),
        ("variation.step_size=0", r"variation\.step_size is 0: it must be above 0"),
        ("variation.mutation_probability=nan", r"variation\.mutation_probability is nan"),
        ("variation.self_adaptive=maybe", r"self_adaptive is 'maybe': it must be true or false"),
        ("method.tournament_size=101", r"method\.tournament_size is 101, more than the 100"),
        ("method.name=tornament", r"unknown method 'tornament': did you mean 'tournament'\?"),
        ("variation.crossover=cxTwoPiont", r"'cxTwoPiont': did you mean 'cxTwoPoint'\?"),
        ("method.name=td-linear", r"connect-four', which the method 'td-linear' does not play"),
        ("method=5", r"method is 5: it must be a section"),
        ("run=[1]", r"run is \[1\]: it must be a section"),
        ("run.seed=-1", r"run\.seed is -1: it must be at least 0"),
        ("run.seed=9223372036854775808", r"run\.seed is 9223372036854775808: .* below"),
        ("run.champion=best", r"run\.champion is 'best': .*'best-check' or 'last'"),
        ("run.seed.more=3", r"seed"),
        ("check.opponents={}", r"check\.opponents is {}: it must be a list"),
        ("network.hidden=[0]", r"at least one unit"),
        ("network.hidden=['x']", r"network\.hidden\.0 is 'x': .* whole number"),
        ("network.head=polcy", r"unknown head 'polcy': did you mean 'policy'\?"),
        ("network.activation=tahn", r"unknown activation 'tahn': did you mean 'tanh'\?"),
        ("network.encoding=plains", r"did you mean 'planes'\?"),
        ("game.rows=40", r"rows is 40: it must be from 1 to 32"),
        ("game.name=chess", r"unknown game 'chess': did you mean 'checkers'\?"),
        (f"game.name=0x{'f' * 5000}", r"game\.name"),
        ("title=5", r"title is 5: it must be a text"),
        ("=5", r"unknown setting ''; write section\.key=value"),
        ("run.seed", r"changes: 'run\.seed': write section\.key=value"),
        ("neat.pop_size=5", r"neat: the method 'tournament' has no such section"),
        ("neat={}", r"no such section \(method\.name = 'neat' has\)"),
        ("method.finalists=5", r"finalists is a key of the method 'neat', not"),
    ],
)
def test_a_mistake_is_named_with_its_key_value_range_and_the_nearest(
    plain: str, change: str, text: str
) -> None:
    with pytest.raises(RecipeError, match=text) as caught:
        load_recipe(plain, [change])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (["method.initialisation=unifrom"], r"'unifrom': did you mean 'uniform'\?"),
        (["method.initialisation=uniform:-1"], r"uniform:-1"),
        (["game.columns=4", "game.rows=4", "matches.openings.plies=9"], r"0 to 4"),
        (["game.columns=4", "game.rows=4", "check.opening_plies=9"], r"0 to 4"),
        (['check.opponents=["tset-bot"]'], r"check\.opponents: .*did you mean 'test-bot'\?"),
        (["variation.crossover={name = 'uniform', probability = 7}"], r"probability"),
    ],
)
def test_a_mistake_is_found_before_anything_is_made(
    plain: str, changes: list[str], text: str, tmp_path: Path
) -> None:
    with pytest.raises(RecipeError, match=text):
        prepare(plain, run=tmp_path / "run", changes=changes)
    assert not (tmp_path / "run").exists()


def test_several_mistakes_are_counted(plain: str) -> None:
    with pytest.raises(RecipeError, match=r"check\.games is 1: .* \(and 2 more\)"):
        load_recipe(plain, ["check.games=1", "run.seed=-1", "run.checkpoint_every=0"])
    with pytest.raises(UnknownNameError, match=r"recipe 'conect-four': did you mean 'connect-four"):
        load_recipe("conect-four")


@pytest.mark.parametrize("name", ["", ".", "no/such/folder", "x" * 5000, "a\0b"])
def test_a_name_that_is_no_file_is_an_unknown_recipe(name: str) -> None:
    with pytest.raises(ArenaError):
        load_recipe(name)


def test_a_file_that_is_missing_or_no_toml_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(RecipeError, match=r"missing\.toml: No such file"):
        load_recipe(str(missing))
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(RecipeError, match=r"folder\.toml: it is a folder"):
        load_recipe(str(folder))
    for content in (b"[run\nseed = 1", b"\xff\xfe\x00", b"run = {", b"a = 1\na = 2"):
        broken = tmp_path / "broken.toml"
        broken.write_bytes(content)
        with pytest.raises(RecipeError, match=r"broken\.toml is no TOML file: "):
            load_recipe(str(broken))
    path = tmp_path / "mine.toml"
    path.write_text("[run]\nsede = 3\n")
    with pytest.raises(
        RecipeError, match=r"mine\.toml: run\.sede is an unknown setting: did you mean 'seed'"
    ):
        load_recipe(str(path))


OUTSIDE = "method.stagnation.criterion=outside"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (["neat.pop_sise=5"], r"neat\.pop_sise is an unknown setting: did you mean 'pop_size'\?$"),
        (["neat.mutate_rate=1"], r"did you mean .*'weight_mutate_rate' or .*_mutate_rate'\?$"),
        (
            ["neat.xyz=1"],
            r"neat\.xyz is an unknown setting \(known: activation_default, .*weight_repl",
        ),
        (["neat.seed=3"], r"neat\.seed has no meaning here: .*run\.seed"),
        (["neat.pop_size=many"], r"neat\.pop_size is 'many': it must be a whole number"),
        (["neat.elitism=151"], r"neat\.elitism is 151, more than pop_size, 150"),
        (["neat.min_species_size=9", "neat.pop_size=8"], r"min_species_size is 9, more than pop"),
        (["neat=5"], r"neat is 5: it must be a section"),
        (["method.neat.pop_size=5"], r"method\.neat: write \[neat\], not a part of \[method\]"),
        (["method.pairing=rond"], r"pairing is 'rond': .*'random', 'species' or 'round-robin'"),
        (
            ["method.stagnation.margn=1"],
            r"stagnation\.margn is an unknown setting: did you mean 'margin'",
        ),
        (["method.stagnation.judge=rang"], r"criterion is 'rang': .*'record', 'outside' or 'rank"),
        ([OUTSIDE, "method.stagnation.opponents=['tset-bot']"], r"did you mean 'test-bot'"),
        ([OUTSIDE, "method.stagnation.opponents=[]"], r"method\.stagnation: opponents is empty"),
        (
            ["network.hiden=[5]"],
            r"network\.hiden is an unknown setting \(known: bins, depth, encoding, feat",
        ),
        (["neat.feed_forward=false"], "neat.feed_forward is false, but in connect-four players "),
        (["network.hidden=[5]"], r"network\.hidden is a key of .*: write neat\.num_hidden "),
        (["network.activation=tanh"], r"'neat': write .*neat\.activation_options$"),
        (["method.individuals=5"], r"of the method 'tournament', not of 'neat': .*pop_size$"),
        (["variation.elites=5"], r"variation\.elites is a key .*: write neat\.elitism$"),
        (["variation.crossover=uniform"], r"variation\.crossover is a key of .*: leave it out$"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_mistake_in_a_recipe_of_graphs_is_named(
    graphs: str, changes: list[str], text: str
) -> None:
    with pytest.raises(RecipeError, match=text) as caught:
        load_recipe(graphs, changes)
    assert str(caught.value).startswith(f"{graphs}: ")
    assert "\n" not in str(caught.value)


def test_whoever_names_a_replacement_names_a_key_that_is_there() -> None:
    others = {f"method.{key}" for key in TournamentConfig.model_fields}
    others |= {f"variation.{key}" for key in VariationConfig.model_fields}
    others |= {f"network.{key}" for key in Tournament.network_keys(find_game("connect-four"))}
    assert Neat.instead
    for key, instead in Neat.instead.items():
        assert key in others
        for word in re.findall(r"neat\.(\w+)", instead):
            assert word in NeatConfig.model_fields
        for word in re.findall(r"method\.(\w+)", instead):
            assert word in NeatMethodConfig.model_fields


SETTINGS = {
    "board": {"rows": 5, "cols": 6},
    "needed_to_win": 3,
    "games_to_play": 5000,
    "saving_rate": 1000,
    "learning_rate": 0.05,
    "discount_factor": 1,
    "estimated_optimal_future_value": "best_known",
    "boltzmann_temperature": 1,
    "rewards": {"win": 2, "loss": -2, "tie": 0, "each_move": -0.01},
    "neural_storage": {"hidden_neurons": 50},
}


def test_the_settings_of_another_program_are_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "agent.config"
    path.write_text(json.dumps(SETTINGS))
    recipe = load_recipe(str(path), ["run.seed=3"])
    assert recipe.make_game().rules == (6, 5, 3)
    assert recipe.method["name"] == "q-learning"
    assert recipe.method["faithful"] is True
    assert recipe.network["hidden"] == [50]
    assert recipe.run.generations * recipe.method["games"] == 5000
    assert recipe.run.seed == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps({**SETTINGS, "learning_rate": "fast"}), "learning_rate: "),
        (json.dumps({**SETTINGS, "games_to_play": 5001}), "games_to_play is 5001"),
        ("{", "is no JSON file"),
        ("[]", "agent.config: "),
    ],
)
def test_wrong_settings_of_another_program_are_named(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "agent.config"
    path.write_text(text)
    with pytest.raises(RecipeError, match=message):
        load_recipe(str(path))


def test_a_game_without_a_name_is_the_usual_one() -> None:
    recipe = load_recipe("connect-four-td")
    assert recipe.change({"game": {}}) == load_recipe("connect-four-td", {"game": {}})
