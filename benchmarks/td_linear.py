"""Speed of linear checkers players that learn from self-play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.line import Line
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.arena.executors.executor import Executor
from evolve_arena.evolve.learning.tuple_learning import PLIES
from evolve_arena.evolve.learning.vector_learner import LearnerState
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.checkers_td.linear_games import (
    MAX_GENES,
    Lesson,
    TDLinearSettings,
    learn_from_game,
)
from evolve_arena.studies.checkers_td.td_linear import TdLinear, make_learning_settings

__all__ = ["measure"]

CORES_TARGET = 1.8
GAMES = 100
PRACTICE = 400
"""Training games before anything is measured, so that players have learned preferences."""
REPEATS, ROUNDS = 5, 3
SMALL = {"GAMES": 2, "PRACTICE": 4, "REPEATS": 1, "ROUNDS": 1}


def measure() -> Iterator[Line]:
    """Yield all lines about linear players."""
    for recipe, features in (("01-rafalback", 4), ("06-rafalmore", 14), ("11-rafalmmore", 20)):
        method = _make_method(recipe)
        state = _practise(method)
        speed, plies = _speed(method, state, SerialExecutor())
        yield Line(
            f"TD in checkers, {features} features, four plies ahead, self-play, one core",
            speed,
            "games/s",
            f"{plies:.0f} plies a game",
        )
    yield _two_learners()
    yield _sweeps(make_learning_settings(method.config, method.decoder))


def _make_method(recipe: str, individuals: int = 1) -> TdLinear:
    changes = [f"method.games={GAMES}", f"method.individuals={individuals}", "network.depth=4"]
    method = load_recipe(f"checkers-{recipe}", changes).make_method()
    assert isinstance(method, TdLinear)
    return method


def _practise(method: TdLinear) -> LearnerState:
    state = method.initial(1)
    for _ in range(PRACTICE // GAMES):
        state, _ = method.update(state, SerialExecutor().run(method.make_task(state)))
    return state


def _speed(method: TdLinear, state: LearnerState, executor: Executor) -> tuple[float, float]:
    """Return games a second of all learners, the best of some generations, and plies a game."""
    work = method.make_task(state)
    games = method.config.games * method.config.individuals
    plies = executor.run(work)[2][:, PLIES].sum() / games
    return games / _time(lambda: executor.run(work)), plies


def _two_learners() -> Line:
    """Compare two learners on two cores with one on one, in turns."""
    one, two = _make_method("06-rafalmore"), _make_method("06-rafalmore", individuals=2)
    first = _practise(one)
    both = LearnerState(1, first.generation, np.repeat(first.population, 2, axis=0))
    executor = ProcessExecutor(2)
    best = alone = 0.0
    for _ in range(ROUNDS):
        alone = max(alone, _speed(one, first, SerialExecutor())[0])
        best = max(best, _speed(two, both, executor)[0])
    executor.close()
    return Line(
        "two such learners on two cores, 14 features",
        best,
        "games/s",
        f"one on one core: {alone:,.0f}",
        best / alone,
        "1.8x",
        best / alone >= CORES_TARGET,
    )


def _sweeps(learning: TDLinearSettings) -> Line:
    """Time the learning after a game of eighty plies, without the game."""
    rng = np.random.default_rng(1)
    episode = rng.integers(0, 13, (41, learning.features))
    genes = rng.normal(0.0, 0.01, learning.features)
    lesson = Lesson(learning.row(), *np.zeros((2, MAX_GENES)))
    states, values = episode.ravel(), np.zeros(len(episode))

    def sweep() -> None:
        lesson.weights[: len(genes)] = genes
        learn_from_game(lesson, states, 0, len(episode), 1.0, values)

    sweep()
    if not np.allclose(lesson.weights[: len(genes)], _sweep_plainly(learning, genes, episode)):
        raise RuntimeError("the baseline does not learn what the kernel learns")
    quick, plain = _time(sweep), _time(lambda: _sweep_plainly(learning, genes, episode))
    return Line(
        f"learning from an episode of 41 positions, {learning.features} features",
        1.0 / quick,
        "episodes/s",
        f"the same with NumPy: {1.0 / plain:,.0f}",
        plain / quick,
    )


def _sweep_plainly(
    learning: TDLinearSettings, genes: NDArray[np.float64], episode: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sweep from the end of the game to its beginning, with NumPy."""
    weights, reward = genes.copy(), 1.0
    for here, following in zip(episode[-2::-1], episode[:0:-1], strict=True):
        change = reward + learning.discount * (weights @ following) - weights @ here
        weights += learning.rate * change * here
        reward = 0.0
    return weights


def _time(run: Callable[[], object]) -> float:
    """Return the seconds of a call, the best of :data:`REPEATS`."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best
