"""Speed of playing and learning of Q-learners, against the same learning written with NumPy."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.line import Line
from benchmarks.q_learning_numpy import PlainLearner
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.studies.q_learning.q_learning import QLearning, QLearningConfig, learn_part

__all__ = ["measure"]

TARGET = 5_000.0
GAMES = 2_000
PLAIN_GAMES = 25
REPEATS = 7
SMALL = {"GAMES": 50, "PLAIN_GAMES": 2, "REPEATS": 1}
DECODER = (
    find_game("connect-four")
    .networks["mlp"]
    .decoder_type(head="action", encoding="numbered", hidden=(50,), activation="sigmoid")
)


def measure() -> Iterator[Line]:
    """Yield all lines about Q-learning."""
    for future, target in (("best-known", TARGET), ("mean", None)):
        config = QLearningConfig(future=future, games=GAMES)
        speed = _speed(config)
        plain = _plain_speed(config)
        yield Line(
            f"Q-learning, 50 hidden units, {future}, one core",
            speed,
            "games/s",
            f"the same with NumPy: {plain:,.1f} games/s",
            speed / plain,
            "" if target is None else f"{target:,.0f}",
            None if target is None else speed >= target,
        )


def _speed(config: QLearningConfig) -> float:
    """Return the games learned from in a second: the best of some generations."""
    method = QLearning(config, DECODER)
    state = method.initial(1)
    best = np.inf
    for _ in range(REPEATS):
        work = method.make_task(state)
        outputs = [np.zeros(shape, dtype=kind) for kind, shape in work.outputs]
        learn_part(work.options, work.inputs, outputs, slice(0, 0))
        start = time.perf_counter()
        learn_part(work.options, work.inputs, outputs, slice(0, 1))
        best = min(best, time.perf_counter() - start)
        state, _ = method.update(state, outputs)
    return GAMES / best


def _plain_speed(config: QLearningConfig) -> float:
    """Return NumPy's games a second; its games and what it learns must be the kernel's."""
    method = QLearning(config.model_copy(update={"games": PLAIN_GAMES}), DECODER)
    state = method.initial(1)
    work = method.make_task(state)
    outputs = [np.zeros(shape, dtype=kind) for kind, shape in work.outputs]
    learn_part(work.options, work.inputs, outputs, slice(0, 1))
    board = {"columns": DECODER.columns, "rows": DECODER.rows, "connect": DECODER.connect}
    learner = PlainLearner(state.population[0], DECODER.hidden[0], {**work.options, **board})
    rng = new_stream(int(work.inputs[1][0]))
    start = time.perf_counter()
    for _ in range(PLAIN_GAMES):
        learner.play_game(rng)
    seconds = time.perf_counter() - start
    assert np.abs(learner.genome() - outputs[0][0]).max() < 1e-3
    return PLAIN_GAMES / seconds
