"""The method ``q-learning``: what it learns, that it repeats, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.learning.vector_learner import LearnerState
from evolve_arena.evolve.method import Report
from evolve_arena.players.player import make_random
from evolve_arena.studies.q_learning.q_learning import (
    QLearning,
    QLearningConfig,
)
from tests.studied import nest

SMALL = {"columns": 4, "rows": 4, "connect": 3}


def make_method(decoder: JsonObject | None = None, **changes: object) -> QLearning:
    settings = {"hidden": (12,), "encoding": "numbered", "activation": "sigmoid", **SMALL}
    make_decoder = find_game("connect-four").networks["mlp"].decoder_type
    network = make_decoder(head="action", **settings | (decoder or {}))
    return QLearning(QLearningConfig(**nest({"individuals": 3, "games": 40, **changes})), network)


def advance(
    method: QLearning, state: LearnerState, generations: int, executor: Executor | None = None
) -> tuple[LearnerState, list[Report]]:
    arena = Arena(method.decoder, executor or SerialExecutor())
    reports = []
    for _ in range(generations):
        state, report = method.step(state, arena)
        reports.append(report)
    return state, reports


def share_won(method: QLearning, population: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the share of 1000 games, colours balanced, that each wins against random moves."""
    count = len(population)
    ones = np.repeat(np.arange(count), 500)
    random = np.full(len(ones), count)
    pairings = np.concatenate([np.stack([ones, random], 1), np.stack([random, ones], 1)])
    arena = Arena(method.decoder, SerialExecutor())
    seeds = derive_seeds(7, 0, "test", len(pairings))
    others = [make_random(method.decoder.game).packed]
    results = arena.play(population, pairings.astype(np.int32), seeds, others=others)
    won = results.outcomes == np.repeat([1, -1], len(ones))
    return won.reshape(2, count, 500).mean(axis=(0, 2))


def test_it_learns_to_beat_random_moves() -> None:
    """Ten thousand games on a small board; in other seeds 0.82 to 0.87, before 0.53 to 0.60."""
    method = make_method(
        {"hidden": (50,), "encoding": "planes"}, games=5000, future="mean", policy__temperature=0.3
    )
    before = method.initial(1)
    after, reports = advance(method, before, 2)
    assert share_won(method, before.population).max() < 0.68
    assert share_won(method, after.population).min() > 0.75
    assert reports[1].statistics["error"] < reports[0].statistics["error"]


def test_epsilon_falls_from_generation_to_generation() -> None:
    falling = {
        "policy__exploration": "epsilon",
        "policy__epsilon": 1.0,
        "policy__epsilon_end": 0.2,
        "policy__epsilon_games": 160,
    }
    method = make_method(**falling)
    shares = [method.find_epsilon(generation) for generation in range(6)]
    assert shares == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2, 0.2])
    assert make_method(policy__epsilon=0.3).find_epsilon(7) == 0.3
    # Each generation's games are those of a learner whose share is the same all the time.
    state = method.initial(1)
    for share in shares:
        expected, _ = advance(
            make_method(policy__exploration="epsilon", policy__epsilon=share), state, 1
        )
        state, _ = advance(method, state, 1)
        assert np.array_equal(state.population, expected.population)


def test_a_faithful_output_has_no_bias() -> None:
    method = make_method(faithful=True)
    state, _ = advance(method, method.initial(1), 2)
    assert state.population[:, -1].tolist() == [0.0, 0.0, 0.0]
    corrected, _ = advance(make_method(), make_method().initial(1), 2)
    assert corrected.population[:, -1].all()


def test_first_weights_are_uniform() -> None:
    method = make_method(individuals=100)
    weights = method.initial(1).population
    assert weights.min() == pytest.approx(-1.0, abs=0.001)
    assert weights.max() == pytest.approx(1.0, abs=0.001)
    assert weights.std() == pytest.approx(1.0 / np.sqrt(3.0), abs=0.01)


def test_diverging_weights_are_reported() -> None:
    method = make_method(learning_rate=10.0, rewards={"win": 1000.0})
    with pytest.raises(DivergedError, match=r"learner 0: .*lower method\.learning_rate$"):
        advance(method, method.initial(1), 20)
