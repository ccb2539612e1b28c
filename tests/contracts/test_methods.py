"""Contract of every method: the same bits with any executor, stopped or not.

Tests that kill runs are in `tests.attack.test_kills`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evolve_arena.core.registry import game_names
from evolve_arena.runs.api import start
from evolve_arena.runs.recipes.methods import methods_of
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from tests.small_recipes import ALIKE, SMALL_RECIPES

if TYPE_CHECKING:
    from tests.conftest import Outcome

SHORT = ["run.generations=6", "run.checkpoint_every=2", "check.every=3", "check.games=4"]
RECIPES = {
    **SMALL_RECIPES,
    "tournament in othello": (
        "othello-evolved",
        [
            *("method.name=tournament", "method.individuals=6", "method.tournament_size=2"),
            *("network.hidden=[4]", *ALIKE),
        ],
    ),
    "neat in othello": ("othello-neat", ["neat.pop_size=8", *ALIKE]),
    "td-tuples in othello": ("othello", ["method.games=20", *ALIKE]),
    "tournament at tables": (
        "ticket-to-ride-decisions",
        [
            *("method.individuals=6", "method.tournament_size=2", "matches.noise=0.05"),
            *("matches.hall_of_fame.every=2", "matches.hall_of_fame.opponents=1"),
            *("matches.multiplayer.seats=[2, 4]", "matches.multiplayer.deals=2"),
            *("matches.multiplayer.preliminary_deals=2", "matches.multiplayer.finalists=2"),
            *("matches.multiplayer.final_deals=3", *ALIKE),
        ],
    ),
    "neat at tables": (
        "ticket-to-ride-neat",
        [
            "neat.pop_size=8",
            "matches.multiplayer.seats=[2, 4]",
            "matches.multiplayer.deals=2",
            *ALIKE,
        ],
    ),
}

SPAWNED = ("tournament", "growth of lines", "neat in othello", "td-tuples", "tournament at tables")
SPAWNED += ("imitation", "imitation-decisions", "individuals that learn in vain")
"""Recipes whose workers get the most different tasks: players, genomes, lessons."""


@pytest.fixture(scope="module", params=RECIPES)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    """Return the recipe of the parameter, made small."""
    name, changes = RECIPES[request.param]
    return load_recipe(name, [*changes, *SHORT])


@pytest.fixture(scope="module")
def whole(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run that was not interrupted."""
    return start(recipe, run=tmp_path_factory.mktemp("whole") / "run", executor="serial")


def test_every_method_is_here() -> None:
    known = {
        name
        for game in game_names()
        for name, method in methods_of(game).items()
        if method.__module__.startswith("evolve_arena.")  # and no other test's own
    }
    assert {load_recipe(*small).method["name"] for small in SMALL_RECIPES.values()} == known


def test_a_run_ends_where_its_recipe_says(
    recipe: Recipe, whole: Run, outcome_of: Callable[[Path], Outcome]
) -> None:
    outcome = outcome_of(whole.path)
    assert outcome.generation == recipe.run.generations == 6
    assert len(outcome.table["games"]) == 6
    begin = {0} if recipe.run.champion == "strongest" else set()
    assert {check.generation for check in outcome.checks} == {3, 6} | begin


@pytest.fixture
def compare(
    recipe: Recipe,
    whole: Run,
    tmp_path: Path,
    outcome_of: Callable[[Path], Outcome],
    ready_workers: list[int],
) -> Callable[[str, int], None]:
    """Return a function that compares the run with one by another executor and its workers."""

    def run_again(executor: str, workers: int) -> None:
        run = start(recipe, run=tmp_path / "run", executor=executor, workers=workers)
        assert outcome_of(run.path) == outcome_of(whole.path)
        assert ready_workers  # all did something, but how much is left to chance

    return run_again


def test_the_number_of_workers_does_not_matter(compare: Callable[[str, int], None]) -> None:
    compare("multiprocess", 2)


@pytest.mark.parametrize("recipe", SPAWNED, indirect=True, scope="module")
def test_workers_that_share_no_memory_give_the_same(compare: Callable[[str, int], None]) -> None:
    compare("spawn", 3)


def test_a_run_may_stop_anywhere_and_go_back(
    recipe: Recipe, whole: Run, tmp_path: Path, stop_anywhere: Callable[[Recipe, Run, Path], None]
) -> None:
    stop_anywhere(recipe, whole, tmp_path / "run")
