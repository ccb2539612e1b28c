"""Speed of value networks that learn from self-play, against the same with NumPy."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.line import Line
from benchmarks.td_numpy import NumpyLearner
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.arena.executors.executor import Executor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.learning.tuple_learning import PLIES
from evolve_arena.evolve.learning.vector_learner import LearnerState
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.td_lambda.td import Td, make_learning_settings

__all__ = ["measure"]

SPEED_TARGET = 5000.0
RATIO_TARGET = 50.0
CORES_TARGET = 1.8
NUMPY_GAMES = 150
REPEATS, ROUNDS = 7, 3
GAMES, CORE_GAMES = 4000, 40_000
SMALL = {"NUMPY_GAMES": 2, "REPEATS": 1, "ROUNDS": 1, "GAMES": 100, "CORE_GAMES": 200}


def measure() -> Iterator[Line]:
    """Yield all lines about TD(λ)."""
    method = _make_method(games=GAMES)
    state = _practise(method)
    plain = _numpy_speed(method, state)
    speed = _speed(method, state, SerialExecutor())
    yield Line(
        "TD(λ), 42-120-1, self-play and training, one core",
        speed,
        "games/s",
        f"the same with NumPy: {plain:,.0f} games/s",
        speed / plain,
        "50x, 5,000",
        speed / plain >= RATIO_TARGET and speed >= SPEED_TARGET,
    )
    planes = _make_method("network.encoding=planes", games=GAMES)
    yield Line("the same, 84-120-1", _speed(planes, _practise(planes), SerialExecutor()), "games/s")
    yield _two_learners()


def _make_method(*changes: str, games: int, individuals: int = 1) -> Td:
    sizes = [f"method.games={games}", f"method.individuals={individuals}"]
    method = load_recipe("td-lambda", [*sizes, *changes]).make_method()
    assert isinstance(method, Td)
    return method


def _practise(method: Td) -> LearnerState:
    """Return learners in the middle of the recipe's million games, with 30 % random moves."""
    state = method.initial(1)
    for _ in range(5):
        outputs = SerialExecutor().run(method.make_task(state))
        state, _ = method.update(state, outputs)
    return LearnerState(1, 500_000 // method.config.games, state.population)


def _speed(method: Td, state: LearnerState, executor: Executor) -> float:
    """Return games a second of all learners together: the best of some generations."""
    work = method.make_task(state)
    executor.run(work)
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        executor.run(work)
        best = min(best, time.perf_counter() - start)
    return method.config.games * method.config.individuals / best


def _numpy_speed(method: Td, state: LearnerState) -> float:
    """Return games a second of the baseline; its games must be the first ones of the kernel."""
    few = _make_method(games=20)
    start_state = LearnerState(state.seed, 500_000 // few.config.games, state.population)
    genes, figures = SerialExecutor().run(few.make_task(start_state))
    learner = _make_numpy(few, start_state)
    learner.play_games(few.config.games)
    same = learner.plies == figures[0, PLIES] and np.allclose(learner.genome, genes[0], atol=1e-3)
    if not same:
        raise RuntimeError("the baseline does not learn what the kernel learns")
    best = np.inf
    for _ in range(ROUNDS):
        learner = _make_numpy(method, state)
        start = time.perf_counter()
        learner.play_games(NUMPY_GAMES)
        best = min(best, time.perf_counter() - start)
    return NUMPY_GAMES / best


def _make_numpy(method: Td, state: LearnerState) -> NumpyLearner:
    learning = make_learning_settings(method.config, method.decoder, state.generation)
    seed = int(derive_seeds(state.seed, state.generation, "games", 1)[0])
    return NumpyLearner(method.decoder, state.population[0], learning, seed)


def _two_learners() -> Line:
    """Compare two learners on two cores with one on one, in turns."""
    one, two = _make_method(games=CORE_GAMES), _make_method(games=CORE_GAMES, individuals=2)
    first = _practise(one)
    both = LearnerState(1, first.generation, np.repeat(first.population, 2, axis=0))
    executor = ProcessExecutor(2)
    best, alone = 0.0, 0.0
    for _ in range(ROUNDS):
        alone = max(alone, _speed(one, first, SerialExecutor()))
        best = max(best, _speed(two, both, executor))
    executor.close()
    return Line(
        "two learners on two cores",
        best,
        "games/s",
        f"one on one core: {alone:,.0f}",
        best / alone,
        "1.8x",
        best / alone >= CORES_TARGET,
    )
