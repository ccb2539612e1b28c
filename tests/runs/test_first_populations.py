"""First populations with players of other runs: those who evolved, and those who learned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.neat.numbering import SPANS, highest_own
from evolve_arena.runs.api import prepare
from evolve_arena.runs.errors import CheckpointError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from tests import forked
from tests.small_recipes import SMALL_RECIPES

RecipeMaker = Callable[..., Recipe]
SHORT = ("run.generations=3", "run.checkpoint_every=1", "check.every=1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def small(method: str, *changes: str) -> Recipe:
    name, usual = SMALL_RECIPES[method]
    return load_recipe(name, [*usual, *SHORT, *changes])


def first_of(run: ea.Run) -> Any:
    return run.state(0).population


def test_a_network_that_learned_is_the_first_of_a_population() -> None:
    """An MLP taught by TD seeds evolution; the others are those that the seed gives."""
    taught = ea.start(small("td"), run="taught", executor="serial")
    network = [f"network.{key}={value}" for key, value in taught.recipe.network.items()]
    network = [text for text in network if "take_wins" not in text and "hidden" not in text]
    recipe = small("tournament", *network, "network.symmetric=false")
    run = ea.start(recipe, run="evolved/seeded", population="taught", executor="serial")
    population, usual = first_of(run), run.method.initial(run.recipe.run.seed).population
    assert np.array_equal(population[0], taught.champion.arrays["genome"])
    learned = taught.population().arrays["genomes"]
    own = learned[(learned != population[0]).any(axis=1)]
    assert np.array_equal(population[1 : 1 + len(own)], own)
    assert np.array_equal(population[1 + len(own) :], usual[1 + len(own) :])
    assert run.generation == 3
    assert run.recipe.run.population == ("taught",)
    # The recipe begins the same run again, and none where the other one has changed.
    again = ea.start("evolved/seeded/recipe.toml", run="again", executor="serial")
    assert again.population_sha256 == run.population_sha256
    ea.start(small("td", "run.seed=9"), run="taught", force=True, executor="serial")
    with pytest.raises(BadValueError, match=r"^taught is not what this recipe began with"):
        ea.start("evolved/seeded/recipe.toml", run="more")
    assert not Path("more").exists()


def test_several_runs_have_their_share(small_recipe: RecipeMaker) -> None:
    for seed in (1, 2):
        ea.start(small_recipe(f"run.seed={seed}"), run=f"run-{seed}", executor="serial")
    one, two = ea.load("run-1"), ea.load("run-2")
    places = ["run-1@3", "run-2"]
    mixed = prepare(small_recipe("run.seed=3"), run="mixed", population=places)
    population = first_of(mixed)
    assert np.array_equal(population[0], one.champion_at(3).arrays["genome"])
    assert np.array_equal(population[1], two.champion.arrays["genome"])
    early, late = one.population(3).arrays["genomes"], two.population().arrays["genomes"]
    for row, genome in enumerate(population):
        source = (early, late)[row % 2]
        assert (source == genome).all(axis=1).any() or row < 2
    assert mixed.recipe.run.population == ("run-1@3", "run-2")


@pytest.mark.parametrize("method", ["neat", "td-tuples", "evolutionary-programming", "q-learning"])
def test_genomes_seed_their_own_method(method: str) -> None:
    source = ea.start(small(method, "run.generations=2"), run="source", executor="serial")
    run = ea.start(small(method, "run.seed=5"), run="run", population="source", executor="serial")
    first = run.population(0).player(0)
    for name, array in source.champion.arrays.items():
        if name not in ("keys", "innovation"):  # numbers as genomes of this run
            assert np.array_equal(first.arrays[name], array), name
    assert run.method.find_mismatch(run.state()) is None
    assert run.population_sha256 != source.population_sha256


def test_graphs_count_on_above_the_numbers_that_came_with_them() -> None:
    grown = small("neat", "neat.node_add_prob=0.9", "neat.conn_add_prob=0.9")
    source = ea.start(grown, run="source", executor="serial")
    state = prepare(small("neat", "run.seed=5"), run="run", population=["source"]).state()
    assert source.state().counters.node > 0
    assert state.counters.node == highest_own(state.population.node_key, 0, SPANS.node) > 0
    ends = zip(state.population.source.tolist(), state.population.target.tolist(), strict=True)
    numbers = dict(zip(ends, state.population.innovation.tolist(), strict=True))
    assert len(set(numbers.values())) == len(numbers)  # a number for each connection, and back
    assert state.counters.innovation >= max(numbers.values())


def test_islands_are_dealt_the_players(small_recipe: RecipeMaker) -> None:
    source = ea.start(small_recipe(), run="source", executor="serial")
    islands = small_recipe("islands.count=2", "islands.migrants=1", "run.seed=2")
    one, two = prepare(islands, run="run", population=["source"]).state().islands
    assert np.array_equal(one.population[0], source.champion.arrays["genome"])
    everybody = np.concatenate([one.population, two.population])
    members = source.population().arrays["genomes"]
    assert all((everybody == member).all(axis=1).any() for member in members)


def test_players_that_do_not_fit_are_told_from_others(small_recipe: RecipeMaker) -> None:
    ea.start(small_recipe("run.generations=1"), run="vectors", executor="serial")
    words = ["start", "connect-four", "--population", "vectors", "--run", "new"]
    done = forked.evolve(*words, folder=Path())
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "players of vectors don't fit into the population: their " in done.stderr
    wrong = [
        (small("neat"), "vectors", "made by .*NetworkDecoder, not by .*GraphDecoder"),
        (load_recipe("tic-tac-toe-evolved"), "vectors", "they play connect-four, not tic-tac-toe"),
        (small_recipe("network.hidden=[3]"), "vectors", r"their hidden is \(.*\), not \(3,\)"),
    ]
    for recipe, place, text in wrong:
        with pytest.raises(BadValueError, match=text):
            prepare(recipe, run="new", population=place)
    with pytest.raises(CheckpointError, match=r"no checkpoint of generation 7 \(nearest: 1;"):
        prepare(small_recipe(), run="new", population="vectors@7")
    ea.start(small("neat"), run="graphs", executor="serial")
    with pytest.raises(BadValueError, match="neat-python takes no players of other runs"):
        prepare(small("neat by neat-python"), run="new", population="graphs")
    assert not Path("new").exists()
