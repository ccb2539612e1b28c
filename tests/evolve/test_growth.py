"""Growth: stages with larger networks, which begin as strong as the smaller ones ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.small_recipes import SMALL_RECIPES


def make(name: str, *changes: str) -> tuple[Any, Arena]:
    recipe, small = SMALL_RECIPES[name]
    method = load_recipe(recipe, [*small, *changes]).make_method()
    return method, Arena(method.decoder, SerialExecutor())


def value_all(decoder: Any, genome: Any) -> np.ndarray[Any, Any]:
    """Return the values of moves in random games, scaled to a mean square of 1."""
    player, game = decoder.player(genome, ""), decoder.game
    values: list[float] = []
    for seed in range(3):
        state, rng = game.initial(), np.random.default_rng(seed)
        for _ in range(4):
            legal = game.legal_moves(state)
            values += player.values(state).values()
            state = game.play(state, legal[rng.integers(len(legal))])
    found = np.array(values)
    return np.asarray(found / np.sqrt((found**2).mean()))


@pytest.mark.parametrize(
    ("name", "starts"), [("growth of lines", [0, 5]), ("growth of layers", [0, 3, 7])]
)
def test_each_stage_begins_with_the_champion_of_the_one_before(
    name: str, starts: list[int]
) -> None:
    method, arena = make(name)
    state, stages, games = method.initial(1), [], 0
    for generation in range(starts[-1] + 2):
        stages.append(method.describe(state)["stage"])
        before = state
        state, report = method.step(state, arena)
        games += report.games
        assert (report.generation, state.generation) == (generation, generation + 1)
        assert method.find_mismatch(state) is None
        if method.describe(state)["stage"] > stages[-1]:
            inner = method.methods[stages[-1] - 1]
            small = getattr(before, f"stage_{stages[-1]}")[0]
            ended = inner.step(small, Arena(inner.decoder, SerialExecutor()))[0]
            best = inner.champion(ended, Arena(inner.decoder, SerialExecutor()))[0]
            grown = method._embed_fully(stages[-1] - 1, best[None], 1)[0]
            both = (grown, method.candidates(state)[0])
            values = [value_all(method.decoder, genome) for genome in both]
            assert values[1] == pytest.approx(values[0], abs=1e-3)
    assert stages == [sum(start <= now for start in starts) for now in range(len(stages))]
    assert games > 0


def test_the_population_is_that_of_the_last_stage_from_the_start() -> None:
    method, _ = make("growth of layers")
    state = method.initial(1)
    assert state.population.shape == (6, method.decoder.genes)
    for small, large in zip(state.stage_1[0].population, state.population, strict=True):
        both = ((method.methods[0].decoder, small), (method.decoder, large))
        values = [value_all(decoder, genome) for decoder, genome in both]
        assert values[1] == pytest.approx(values[0], abs=1e-3)


def test_states_of_other_stages_are_refused() -> None:
    method, arena = make("growth of layers")
    first = method.initial(1)
    later, _ = method.step(first, arena)
    assert "stage" in method.find_mismatch(replace(first, generation=9))
    assert "2 stages" in method.find_mismatch(replace(later, stage_2=later.stage_1))
    assert "generation 1" in method.find_mismatch(replace(later, generation=2))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["growth.stages=[{generations=2, network={hidden=[16]}}]"], "hidden is .8.: .* smaller"),
        (["growth.stages=[{generations=2, network={straigt=2}}]"], "growth.stages.1.network"),
        (["growth.stages=[{generations=2, method={individuels=3}}]"], "growth.stages.1.method"),
        (["growth.stages=[{generations=0}]"], "generations is 0: it must be at least 1"),
        (
            [
                "network.hidden=[4096]",
                "growth.stages=[{generations=2, network={hidden=[4095]},"
                " method={individuals=100000}}]",
            ],
            "a generation of stage 1 of growth",
        ),
        (["growth.stages=[{generations=2}]", "islands.count=2"], "exclude each other"),
        (["growth.stages=[{generations=2, method={name='neat'}}]"], "growth.stages.1.network"),
    ],
)
def test_what_cannot_grow_is_said(changes: list[str], sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence):
        load_recipe("tic-tac-toe-evolved", ["network.hidden=[8]", *changes])


def test_a_run_begins_with_smaller_networks_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ["network.hidden=[4]", "run.generations=2", "check.games=4", "method.individuals=6"]
    ea.start("tic-tac-toe-evolved", run="small", changes=small, executor="serial")
    grown = ea.start(
        "tic-tac-toe-evolved",
        run="grown",
        changes=[*small[1:], "network.hidden=[9]"],
        population=["small"],
        executor="serial",
    )
    first = grown.state(0).population
    assert first.shape == (6, grown.method.decoder.genes)
    champion = ea.load("small").champion
    assert np.count_nonzero(grown.method.decoder.player(first[0], "").network()["weights_2"]) <= 4
    assert champion.decoder.hidden == (4,)
    with pytest.raises(ArenaError, match="smaller"):
        ea.start(
            "tic-tac-toe-evolved",
            run="shrunk",
            changes=[*small[1:], "network.hidden=[3]"],
            population=["grown"],
        )


def test_another_method_has_no_stages_of_growth() -> None:
    recipe = load_recipe("othello-evolved", ["method.name=tournament", "network.hidden=[4]"])
    assert recipe.growth is None
