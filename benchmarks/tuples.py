"""Speed of tuple networks that learn from self-play and that play, against NumPy."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.line import Line
from benchmarks.tuples_numpy import NumpyTuples, find_places
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.arena.executors.executor import Executor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.learning.tuple_learning import PLIES, TDSettings
from evolve_arena.evolve.td_tuples import TdTuples, TdTuplesState
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import make_random
from evolve_arena.runs.recipes.recipe import load_recipe

__all__ = ["measure"]

RATIO_TARGET = 50.0
CORES_TARGET = 1.8
GAMES = 4000
PRACTICE = 20
"""Generations before anything is measured, so that tables are in use and games long."""
NUMPY_GAMES = 60
MATCHES = 4000
REPEATS, ROUNDS = 7, 3
SMALL = {
    "GAMES": 200,
    "PRACTICE": 2,
    "NUMPY_GAMES": 2,
    "MATCHES": 40,
    "REPEATS": 1,
    "ROUNDS": 1,
}


def measure() -> Iterator[Line]:
    """Yield all lines about tuple networks."""
    method = _make_method(GAMES, shards=1)
    state = _practise(method)
    _, tuples, length = state.population.cells.shape
    plain = _numpy_speed(state)
    speed = _speed(method, state, SerialExecutor())
    yield Line(
        f"TD(λ), {tuples} tuples of {length} cells, self-play and learning, one core",
        speed,
        "games/s",
        f"the same with NumPy: {plain:,.0f} games/s",
        speed / plain,
        "50x",
        speed / plain >= RATIO_TARGET,
    )
    yield _two_shards(state)
    yield Line(
        "moves of that network against random, one core", _play_speed(method, state), "moves/s"
    )


def _make_method(games: int, shards: int) -> TdTuples:
    changes = {"method.games": games, "method.shards": shards, "method.individuals": 1}
    changes["method.schedule.random_starts"] = 0  # the baseline in NumPy has none
    method = load_recipe("connect-four-td", changes).make_method()
    assert isinstance(method, TdTuples)
    return method


def _practise(method: TdTuples) -> TdTuplesState:
    state = method.initial(1)
    for _ in range(PRACTICE):
        state, _ = method.update(state, SerialExecutor().run(method.make_task(state)))
    return state


def _speed(method: TdTuples, state: TdTuplesState, executor: Executor) -> float:
    """Return games a second: the best of some generations."""
    work = method.make_task(state)
    executor.run(work)
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        executor.run(work)
        best = min(best, time.perf_counter() - start)
    return method.config.games / best


def _numpy_speed(state: TdTuplesState) -> float:
    """Return games a second of the baseline; its first game must be that of the kernel."""
    first = _make_method(1, shards=1)
    shards, figures = SerialExecutor().run(first.make_task(state))
    learner, places = _make_numpy(first, state)
    learner.play_games(1)
    learned = learner.tables[:, places].ravel()
    if learner.plies != figures[0, PLIES] or not np.allclose(learned, shards[0], atol=1e-4):
        raise RuntimeError("the baseline does not learn what the kernel learns")
    best = np.inf
    for _ in range(ROUNDS):
        learner, _ = _make_numpy(first, state)
        start = time.perf_counter()
        learner.play_games(NUMPY_GAMES)
        best = min(best, time.perf_counter() - start)
    return NUMPY_GAMES / best


def _make_numpy(method: TdTuples, state: TdTuplesState) -> tuple[NumpyTuples, np.ndarray]:
    cells, rules = state.population.cells[0], method.decoder.game.rules
    places = find_places(rules, cells)
    tables = np.zeros((2, len(cells), 4 ** cells.shape[1]), dtype=np.float32)
    tables.reshape(2, -1)[:, places] = state.population.tables[0].reshape(2, -1)
    work = method.make_task(state)
    seed = int(derive_seeds(state.seed, state.generation, "learning", 1)[0])
    learning = TDSettings(*work.options["learning"][0])
    return NumpyTuples(rules, cells, tables, learning, seed), places


def _two_shards(state: TdTuplesState) -> Line:
    """Compare two shards on two cores with one on one, in turns."""
    one, two = _make_method(2 * GAMES, shards=1), _make_method(4 * GAMES, shards=2)
    executor = ProcessExecutor(2)
    best, alone = 0.0, 0.0
    for _ in range(ROUNDS):
        alone = max(alone, _speed(one, state, SerialExecutor()))
        best = max(best, _speed(two, state, executor))
    executor.close()
    return Line(
        "two shards on two cores",
        best,
        "games/s",
        f"one on one core: {alone:,.0f}",
        best / alone,
        "1.8x",
        best / alone >= CORES_TARGET,
    )


def _play_speed(method: TdTuples, state: TdTuplesState) -> float:
    """Return a tuple network's moves a second; those of `random` take negligible time."""
    game = method.decoder.game
    packed = combine_players(
        [method.decoder.pack(method.candidates(state)), make_random(game).packed]
    )
    pairings = np.array([[0, 1], [1, 0]] * (MATCHES // 2), dtype=np.int32)
    batch = make_batch(game, packed, pairings, derive_seeds(1, 0, "matches", MATCHES))
    plies = run_kernel(batch).plies.astype(np.int64)
    moves = int((plies + (pairings[:, 0] == 0)).sum() // 2)
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        run_kernel(batch)
        best = min(best, time.perf_counter() - start)
    return moves / best
