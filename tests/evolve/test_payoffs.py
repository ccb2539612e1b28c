"""Payoffs as fitness: worked out by hand, in games of two and of more, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import new_results
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game, open_file
from evolve_arena.evolve.fitness import Payoff
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.recipes.recipe import make_usual

BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "games"


class Population:
    """The parts of a state that fitness uses."""

    population = np.zeros((3, 1), dtype=np.float32)


def test_payoffs_are_means_of_what_everybody_has() -> None:
    game = find_game("kalah").make()
    inside, fixed = new_results(game, 2), new_results(game, 2)
    inside.columns["points"][:] = [[30, 18], [24, 24]]
    fixed.columns["points"][:] = [[40, 8], [10, 38]]
    for results in (inside, fixed):
        results.offenders[:] = -1
    played = [(inside, np.array([[0, 1], [1, 2]])), (fixed, np.array([[0, 3], [4, 2]]))]
    state = Population()
    arena = None
    points = Payoff("points", game).measure(arena, state, played)
    assert points.tolist() == [(30 + 40) / 2, (18 + 24) / 2, (24 + 38) / 2]
    margins = Payoff("margin", game).measure(arena, state, played)
    assert margins.tolist() == [(12 + 32) / 2, (-12 + 0) / 2, (0 + 28) / 2]
    some = np.array([2, 0], dtype=np.int32)
    assert Payoff("points", game).measure(arena, state, played, some).tolist() == [31, 35]


@pytest.mark.parametrize("method", ["tournament", "neat", "evolutionary-programming"])
@pytest.mark.parametrize("game", ["kalah", "leduc.py"])
def test_points_are_bred_by_every_method(method: str, game: str) -> None:
    name = open_file(BENCHMARKS / game).name if game.endswith(".py") else game
    sizes = {
        "tournament": {"method.individuals": 10},
        "neat": {"neat.pop_size": 10},
        "evolutionary-programming": {"method.individuals": 5},
    }
    recipe = make_usual(find_game(name), {"method.name": method, **sizes[method]})
    fitness = {}
    for kind in (None, "points"):
        made = recipe.change({"method.fitness": kind} if kind else {}).make_method()
        arena = Arena(made.decoder, SerialExecutor())
        state, report = made.step(made.initial(1), arena)
        fitness[kind] = np.asarray(report.fitness)
        assert state.generation == 1
        _, champion = made.champion(state, arena)
        assert np.isfinite(champion.statistics["points"])
    points = fitness["points"]
    if game == "kalah" or method == "evolutionary-programming":  # at tables points count anyway
        assert not np.array_equal(points, fitness[None])
    if game == "kalah":  # 48 seeds are shared
        assert 0 <= points.min() < 24 < points.max() <= 48
    elif method != "evolutionary-programming":  # chips that one wins another one loses
        assert points.mean() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["points", "margin"])
def test_games_without_points_refuse_them(kind: str) -> None:
    with pytest.raises(RecipeError) as caught:
        make_usual(find_game("hex"), {"method.name": "tournament", "method.fitness": kind})
    assert str(caught.value).endswith(
        f"method.fitness is '{kind}', but hex counts no points: leave it out"
    )
    with pytest.raises(
        RecipeError, match=r"'method.fitness'|method\.fitness.*did you mean 'points"
    ):
        make_usual(find_game("kalah"), {"method.name": "tournament", "method.fitness": "point"})
