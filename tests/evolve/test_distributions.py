"""Evolution strategies: they climb, by the formulas of their sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError
from evolve_arena.genomes.covariance import find_rates
from evolve_arena.runs.recipes.recipe import load_recipe

LINES = ["network.kind=lines", "network.straight=1", "network.squares=false", "growth.stages=[]"]
LINES += ["matches.openings={plies=6,count=200,per_pair=1}"]


def make(name: str, *changes: str) -> Any:
    recipe = load_recipe("othello-evolved", [f"method.name={name}", *LINES, *changes])
    return recipe.make_method()


def climb(method: Any, steps: int, target: np.ndarray[Any, Any]) -> list[float]:
    """Prefer individuals near a *target*, and return the distance of each centre from it."""
    state, distances = method.initial(1), []
    for generation in range(steps):
        apart = ((state.population - target) ** 2).sum(axis=1)
        moved, _ = method.move(state, -apart)
        moved = type(state)(**{**vars(moved), "generation": generation + 1})
        state = type(state)(**{**vars(moved), "population": method.draw(moved).astype(np.float32)})
        distances.append(float(np.sqrt(((state.centre - target) ** 2).sum())))
    return distances


def test_cma_es_finds_a_point_whatever_the_scale() -> None:
    method = make("cma-es", "method.individuals=40", "method.step_size=0.5")
    target = np.linspace(-3.0, 5.0, method.decoder.genes)
    distances = climb(method, 150, target)
    assert distances[-1] < 0.01 * distances[0]


def test_an_evolution_strategy_turns_to_a_direction() -> None:
    method = make("evolution-strategy", "method.individuals=100", "method.learning_rate=0.05")
    target = np.linspace(-1.0, 1.0, method.decoder.genes)
    target /= np.sqrt((target**2).mean())
    distances = climb(method, 120, target)
    assert distances[-1] < 0.3 * distances[0]


def test_the_centre_is_rescaled_only_if_asked() -> None:
    sizes = []
    for rescale in ("true", "false"):
        method = make(
            "evolution-strategy",
            f"method.rescale={rescale}",
            *("method.individuals=10", "method.learning_rate=1"),
        )
        state = method.initial(1)
        after, _ = method.move(state, -np.arange(10.0))
        sizes.append(float((after.centre**2).mean()))
    assert sizes[0] == pytest.approx(1.0)
    assert abs(sizes[1] - 1.0) > 0.01


def test_individuals_of_an_evolution_strategy_are_opposite() -> None:
    state = make("evolution-strategy", "method.individuals=8").initial(3)
    middle = (state.population[:4] + state.population[4:]) / 2
    assert middle == pytest.approx(np.tile(state.centre, (4, 1)), abs=1e-5)


def test_opposite_individuals_meet_each_other_alone() -> None:
    """The gradient is the mean of the random vectors, each times its lead over its opposite."""
    openings = "matches.openings={plies=4,count=50,per_pair=3}"
    method = make(
        "evolution-strategy", "method.individuals=8", "matches.pairing=opposites", openings
    )
    arena = Arena(method.decoder, SerialExecutor())
    state = method.initial(3)
    after, report = method.step(state, arena)
    assert report.games == 4 * 3 * 2
    lead = report.fitness[:4] - report.fitness[4:]
    assert np.any(lead != 0.0)
    assert report.fitness[:4] + report.fitness[4:] == pytest.approx(np.ones(4))
    normal = (state.population[:4] - state.population[4:]) / (2 * method.config.step_size)
    gradient = (lead[:, None] * normal).sum(axis=0) / 8
    assert after.first == pytest.approx(0.1 * gradient, abs=1e-6)


def test_many_opposites_need_little_memory() -> None:
    plan = "matches.openings={plies=4,count=1000,per_pair=1000}"
    many = ("method.individuals=2000", plan)
    assert make("evolution-strategy", "matches.pairing=opposites", *many).config.individuals == 2000
    with pytest.raises(ArenaError, match=r"would take .* MiB of memory"):
        make("evolution-strategy", "matches.pairing=round-robin", *many)


def test_opposites_have_nobody_to_share_points_with() -> None:
    with pytest.raises(ArenaError, match="fitness_sharing is true, but pairing is 'opposites'"):
        make("evolution-strategy", "matches.fitness_sharing=true")


def test_constants_are_those_of_the_tutorial() -> None:
    """The values that the package cma computes for 10 individuals of 10 genes."""
    rates = find_rates(10, 10)
    assert rates.weights == pytest.approx([0.4563, 0.2707, 0.1622, 0.0852, 0.0255], abs=1e-4)
    assert rates.effective == pytest.approx(3.167, abs=1e-3)
    assert (rates.step_path, rates.path) == pytest.approx((0.2844, 0.2950), abs=1e-4)


def test_the_champion_is_a_mean_of_centres() -> None:
    method = make("cma-es", "method.individuals=6", "method.averaging=0.5")
    arena = Arena(method.decoder, SerialExecutor())
    state, centres = method.initial(2), []
    for _ in range(3):
        state, report = method.step(state, arena)
        centres.append(state.centre)
    assert report.games == 15 * 2
    assert report.statistics["diversity"] > 0.0
    expected = 0.25 * centres[0] + 0.25 * centres[1] + 0.5 * centres[2]
    genome, told = method.champion(state, arena)
    assert genome == pytest.approx(expected, abs=1e-5)
    assert told.games == 0


def test_pairs_play_some_of_the_openings() -> None:
    method = make(
        "cma-es", "method.individuals=6", "matches.openings={plies=4,count=50,per_pair=2}"
    )
    arena = Arena(method.decoder, SerialExecutor())
    _, report = method.step(method.initial(2), arena)
    assert report.games == 15 * 2 * 2
    with pytest.raises(ArenaError, match="per_pair is 3, but count is 2"):
        make("cma-es", "matches.openings={plies=4,count=2,per_pair=3}")


def test_too_many_genes_are_refused_and_odd_numbers_of_individuals() -> None:
    with pytest.raises(ArenaError, match=r"would take .* MiB of memory"):
        make("cma-es", "network.straight=7", "method.individuals=2000")
    with pytest.raises(ArenaError, match="individuals is 7: it must be an even number"):
        make("cma-es", "method.individuals=7")
