"""Bounds: what is too large is one line, before memory is taken for it."""

from __future__ import annotations

import tracemalloc

import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.limits import MAX_BYTES, MAX_WEIGHTS, check_bytes, check_sizes
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import load_recipe, recipe_names


def test_networks_up_to_the_bound_are_taken() -> None:
    check_sizes((84, 10, 7))
    check_sizes((MAX_WEIGHTS // 2 - 1, 2))
    with pytest.raises(BadValueError, match="layers of 4,194,304, 2 units has more than 8,388,608"):
        check_sizes((MAX_WEIGHTS // 2, 2))
    for size in (2.5, "two", True, None):
        with pytest.raises(BadValueError, match="is no whole number of units"):
            check_sizes((84, size, 7))  # type: ignore[arg-type]


def test_generations_up_to_the_bound_are_taken() -> None:
    check_bytes(MAX_BYTES, "this")
    with pytest.raises(BadValueError, match="this would take 4,097 MiB of memory, more than 4,096"):
        check_bytes(MAX_BYTES + 2**20, "this")


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_that_ship_are_far_from_the_bound(name: str) -> None:
    recipe = load_recipe(name)
    estimate = recipe.kind.estimate_bytes(recipe.make_config(), recipe.make_decoder())
    assert 0 < estimate < MAX_BYTES / 10


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("connect-four", "network.hidden=[3000000]", "weights"),
        ("connect-four", "network.hidden=[1000000000000000000]", "weights"),
        ("connect-four", "network.hidden=[2000]", ""),
        ("four-in-a-row-1", "method.individuals=100000", "MiB of memory"),
        ("four-in-a-row-1", "method.individuals=2000", ""),
        ("connect-four", "matches.games=1000", "MiB of memory"),
        ("connect-four-neat", "neat.num_hidden=10000", "MiB of memory"),
        ("connect-four-neat", "matches.pairing=round-robin", ""),
        ("q-learning", "network.hidden=[100000000]", "weights"),
        ("connect-four-td", "method.individuals=1000", "MiB of memory"),
        ("checkers", "network.hidden=[100000,10000]", "weights"),
        ("checkers", "matches.opponents=10000", ""),
        ("ticket-to-ride-imitation", "network.hidden=[100000000]", "weights"),
    ],
)
def test_what_a_recipe_may_ask_for_is_bounded(name: str, change: str, message: str) -> None:
    tracemalloc.start()
    try:
        if message:
            with pytest.raises(RecipeError, match=f"^recipe {name}: .*{message}") as caught:
                load_recipe(name, [change])
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 300
            assert tracemalloc.get_traced_memory()[1] < 200_000_000
        else:
            load_recipe(name, [change])
    finally:
        tracemalloc.stop()
