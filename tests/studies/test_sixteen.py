"""Piotrowski's sixteen players by name: what they are, and that they play."""

from __future__ import annotations

import pytest

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.evolved import VectorPlayer
from evolve_arena.runs.players import find_player, game_for
from evolve_arena.runs.recipes.recipe import load_recipe, recipe_names
from evolve_arena.studies.checkers_td.plan import CHOSEN_GAMES, recipe_name
from evolve_arena.studies.checkers_td.sixteen import make_piotrowski, piotrowski_names
from evolve_arena.studies.study import read_lines

GAME = make_game("checkers")


def test_there_is_one_for_each_recipe_and_it_has_its_decoder() -> None:
    recipes = [
        name for name in recipe_names() if name.startswith("checkers-") and name[9].isdigit()
    ]
    assert [name[12:] for name in recipes] == piotrowski_names()
    assert len(recipes) == 16
    for recipe, name in zip(recipes, piotrowski_names(), strict=True):
        player = make_piotrowski(name, GAME)
        assert player.decoder == load_recipe(recipe).make_decoder()
        assert player.genome.any(), name


@pytest.mark.parametrize("name", ["rafalmore", "RafalMoreD"])
def test_they_are_players_by_specification(name: str) -> None:
    player = find_player(f"piotrowski:{name}", GAME)
    assert isinstance(player, VectorPlayer)
    assert player.name == name.lower()
    assert player.decoder.depth == (7 if name.endswith("D") else 3)
    position = GAME.initial()
    assert player.choose(position, new_stream(1)) in GAME.legal_moves(position)


def test_they_can_look_as_far_as_asked() -> None:
    assert make_piotrowski("rafalmored", GAME, depth=2).decoder.depth == 2


def test_strangers_and_other_games_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'rafalmore'"):
        find_player("piotrowski:rafalmor", GAME)
    with pytest.raises(BadValueError, match="plays checkers, not connect-four"):
        find_player("piotrowski:rafalmore")
    with pytest.raises(BadValueError, match="write piotrowski:NAME"):
        find_player("piotrowski", GAME)


def test_a_player_of_one_game_says_what_is_played() -> None:
    assert game_for(["random", "piotrowski:rafalmore"]).name == "checkers"
    assert game_for(["test-bot", "random"]).name == "connect-four"
    assert game_for(["random", "random"], "checkers").name == "checkers"
    assert game_for(["nobody"]).name == "connect-four"  # who that is, is asked later
    assert game_for(["test-bot"], "checkers").name == "checkers"  # which it then refuses


ON_LINE = (2, 3, 4, 5)
"""Players that learn after every move, by the text's description of each."""
BACK, MOVES, BINARY = 0.003, 0.001, 0.3


LINES = read_lines("evolve_arena.studies.checkers_td", "players.csv")


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["name"])
def test_the_sixteen_players_are_those_of_the_text(line: dict[str, str]) -> None:
    number = int(line["no"])
    recipe = load_recipe(recipe_name(number))
    network, method = recipe.network, recipe.method
    updates, schedule = method["updates"], method["schedule"]
    assert network["features"] == int(line["features"].split()[0])
    assert (network["encoding"], network["hidden"]) == ("features", [])
    binary = "binary" in line["encoding"]
    assert network["bins"] == (32 if binary else 0)
    assert network["depth"] == (7 if line["search_depth"] == "7" else 3)
    assert (method["discount"], updates["faithful"]) == (float(line["gamma"].split()[0]), True)
    assert updates["when"] == ("every-move" if number in ON_LINE else "end-of-game")
    assert updates["rule"] == ("burge" if "Burge" in line["method"] else "td")
    assert method["trace"] == line["trace"]
    if line["lambda"]:
        assert method["trace_decay"] == float(line["lambda"])
    slower = {13: 0.1, 14: 0.03}  # long traces make their weights grow beyond all bounds
    rate = BINARY if binary else MOVES if number in ON_LINE else BACK
    assert schedule["learning_rate"] == slower.get(number, rate)
    settings = schedule["exploration"], method["initialisation"], updates["states"]
    assert settings == (0.0, "zero", "after")
    games = recipe.run.generations * method["games"]
    assert games == CHOSEN_GAMES
    assert not recipe.make_method().initial(1).population.any()
