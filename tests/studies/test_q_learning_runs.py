"""Runs of the method ``q-learning``: the shipped recipe, kill -9, and a champion that plays."""

from __future__ import annotations

from pathlib import Path

import multiprocess
import pytest

from evolve_arena import start
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.players import find_player
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

FORK = multiprocess.get_context("fork")


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The shipped one, but small, and with two learners so that there is a choice."""
    return load_recipe(
        "q-learning",
        (
            "network.hidden=[10]",
            "method.individuals=2",
            "method.games=50",
            "method.judge_games=20",
            "check.games=20",
            "check.every=4",
            "run.generations=12",
            "run.checkpoint_every=3",
        ),
    )


def test_the_shipped_recipe_is_the_first_configuration() -> None:
    """Listing 6.1 of the thesis in our words, with the number of games that it found best."""
    recipe = load_recipe("q-learning")
    assert recipe.make_game().rules == (7, 6, 4)
    assert recipe.network["hidden"] == [50]
    method = recipe.method
    assert recipe.run.generations * method["games"] == 50_000
    assert recipe.run.checkpoint_every * method["games"] == 1_000
    assert (method["learning_rate"], method["discount"]) == (0.05, 1.0)
    assert (method["future"], method["exploration"]) == ("best-known", "boltzmann")
    assert method["temperature"] == 1.0
    assert method["rewards"] == {"win": 2.0, "loss": -2.0, "draw": 0.0, "move": -0.01}
    assert recipe.make_decoder().inputs == 43


def test_its_champion_plays_what_it_values_most(recipe: Recipe, tmp_path: Path) -> None:
    run = start(recipe, run=tmp_path / "run", executor="serial")
    position = recipe.make_decoder().game.initial()
    champion = find_player(f"run:{run.path}")
    assert isinstance(champion, BredPlayer)
    values = rate_moves(champion, position)
    assert len(set(values.values())) == 7
    assert champion.choose(position, new_stream(0)) == max(values, key=values.__getitem__)


def test_keys_of_other_methods_are_refused(recipe: Recipe) -> None:
    with pytest.raises(RecipeError, match=r"mutation_strength is a key of the method"):
        recipe.change({"method.mutation_strength": 1.0})
    with pytest.raises(RecipeError, match=r"method\.rewards\.tie"):
        recipe.change({"method.rewards.tie": 1.0})
