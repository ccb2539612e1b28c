"""Learning of linear functions from episodes: by hand, against plain loops, and by theory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Array, Settings
from evolve_arena.studies.checkers_td.linear_games import (
    ACCUMULATING,
    AFTER,
    BURGE,
    END_OF_GAME,
    EVERY_MOVE,
    MAX_GENES,
    NONE,
    REPLACING,
    SETTINGS_FIELDS,
    TD,
    VALUES,
    Lesson,
    TDLinearSettings,
    clear_traces,
    learn_from_game,
    learn_from_move,
    spoil_if_lost,
    value_state,
    write_weights,
)
from tests.evolved import random_positions

Vector = NDArray[np.float64]

PLAIN = TDLinearSettings(
    rate=0.1,
    discount=1.0,
    decay=0.0,
    trace=NONE,
    update=END_OF_GAME,
    rule=TD,
    faithful=0,
    states=AFTER,
    features=2,
    binary=0,
    exploration=0.0,
)
CHAIN = [[1, 0], [0, 2], [1, 1]]
"""Three positions of two features, in the last of which the game is over."""
START = [0.5, -0.25]


class Learner:
    """Player 1 of two, whose episodes begin behind other numbers."""

    def __init__(self, learning: TDLinearSettings, weights: ArrayLike) -> None:
        self.learning = learning
        genes = learning.features * (VALUES if learning.binary else 1)
        settings = np.stack([np.full(SETTINGS_FIELDS, 0.5), learning.row()])
        self.numbers = np.full((2, MAX_GENES), 7.0)
        self.numbers[1, :genes] = weights
        self.traces = np.full((2, MAX_GENES), 3.0)
        self.genes = genes
        self.lesson = Lesson(settings[1], self.numbers[1], self.traces[0])
        clear_traces(self.lesson)

    @property
    def weights(self) -> Vector:
        """Return its weights; nothing beside may have changed."""
        assert (self.numbers[0] == 7.0).all()
        assert (self.numbers[1, self.genes :] == 7.0).all()
        return self.numbers[1, : self.genes].copy()

    def value(self, state: list[int]) -> float:
        """Return the value of a position."""
        states = np.array([9, *state], dtype=np.int64)
        return float(value_state(self.lesson, states, 1))

    def learn(self, episode: Array | Sequence[Sequence[int]], reward: float) -> float:
        """Learn after a game, with traces left over from the one before."""
        self.traces[:] = 3.0
        states = np.concatenate([[9, 9, 9], np.ravel(episode)]).astype(np.int64)
        count = len(episode)
        return float(learn_from_game(self.lesson, states, 3, count, reward, np.zeros(count)))

    def learn_by_moves(self, episode: Array | Sequence[Sequence[int]], reward: float) -> float:
        """Learn after each move of a game."""
        size = self.learning.features
        states = np.ravel(episode).astype(np.int64)
        error = 0.0
        for here in range(1, len(episode)):
            last = here == len(episode) - 1
            places = (here - 1) * size, here * size
            gain = reward if last else 0.0
            error += learn_from_move(self.lesson, states, *places, last, gain)
        return error


# By hand


@pytest.mark.parametrize(
    ("changes", "error", "gains"),
    [
        # Values 0.5 and -0.5: differences -1 and 1.5, a tenth of which goes to each position.
        ({}, 2.5, (-0.1, 0.3)),
        # Differences 0.8 * -0.5 - 0.5 = -0.9 and 1.5.
        ({"discount": 0.8}, 2.4, (-0.09, 0.3)),
        # Traces (1, 0), then (0.4, 2) with λγ = 0.4; differences -0.9 and 1.5.
        ({"discount": 0.8, "decay": 0.5, "trace": ACCUMULATING}, 2.4, (-0.09 + 0.06, 0.3)),
        # As printed the end is worth 0.25: 1.75 to (0, 2), worth 0.2 then; -0.3 to (1, 0).
        ({"faithful": 1}, 2.05, (-0.03, 0.35)),
        # 1.75 to (0, 2); the value of (0, 2) is 0.2, so -0.3 to (1, 0) + 0.5 * (0, 2).
        ({"faithful": 1, "decay": 0.5, "trace": ACCUMULATING}, 2.05, (-0.03, 0.35 - 0.03)),
        # 0.075 each by (1, 1), worth 0.4 then; 0.15 by (0, 2), worth -0.05; -0.0625 by (1, 0).
        ({"rule": BURGE}, 0.75 + 0.75 + 0.625, (0.075 - 0.0625, 0.075 + 0.15)),
        # After moves: -0.5 - 0.5 = -1 to (1, 0); then 1 + 0.5 to (0, 2).
        ({"update": EVERY_MOVE}, 2.5, (-0.1, 0.3)),
        # -1 to (0, 2), which is worth -0.9 then; the end 0.05: 1 + 0.05 + 0.9 = 1.95 to (1, 1).
        ({"update": EVERY_MOVE, "faithful": 1}, 2.95, (0.195, -0.2 + 0.195)),
    ],
)
def test_lessons_by_hand(changes: Settings, error: float, gains: ArrayLike) -> None:
    learner = Learner(PLAIN._replace(**changes), START)
    learn = learner.learn_by_moves if "update" in changes else learner.learn
    assert learn(CHAIN, 1.0) == pytest.approx(error)
    assert learner.weights - START == pytest.approx(gains)


def test_what_occurs_again_is_added_or_replaced() -> None:
    """The first feature has 2, 1, 0 before the end; values are 0, so only the reward counts."""
    episode = [[2, 1], [1, 0], [0, 3], [1, 1]]
    for trace, expected in ((ACCUMULATING, [1.0, 3.25]), (REPLACING, [0.5, 3.0])):
        learner = Learner(PLAIN._replace(decay=0.5, trace=trace), [0.0, 0.0])
        learner.learn(episode, 1.0)
        assert learner.weights == pytest.approx(0.1 * np.array(expected))


# Against plain loops over vectors


def encode(learning: TDLinearSettings, episode: Array | Sequence[Sequence[int]]) -> Vector:
    """Return positions as vectors, one entry for each weight."""
    if not learning.binary:
        return np.array(episode, dtype=np.float64)
    return np.eye(VALUES)[np.array(episode)].reshape(len(episode), -1)


def mark(learning: TDLinearSettings, trace: Vector, state: Vector) -> Vector:
    faded = trace * learning.discount * learning.decay
    if learning.trace == NONE:
        return state
    if learning.trace == ACCUMULATING:
        return faded + state
    return np.where(state != 0.0, state, faded)


def sweep_plainly(
    learning: TDLinearSettings, weights: Vector, states: Vector, reward: float
) -> Vector:
    """Run the loop of section 5.5, or that of 5.2."""
    weights, trace = weights.copy(), np.zeros(len(weights))
    for here, following in zip(states[-2::-1], states[:0:-1], strict=True):
        trace = mark(learning, trace, here)
        change = reward + learning.discount * (weights @ following) - weights @ here
        reward = 0.0
        weights += learning.rate * change * trace
    return weights


def sweep_as_burge_plainly(
    learning: TDLinearSettings, weights: Vector, states: Vector, reward: float
) -> Vector:
    weights = weights.copy()
    target = reward
    for here in states[::-1]:
        weights += learning.rate * (target - weights @ here) * here
        target = learning.discount * (weights @ here)
    return weights


def look_ahead_plainly(
    learning: TDLinearSettings, weights: Vector, states: Vector, reward: float
) -> Vector:
    """Learn by the forward view: each position moves towards its λ-return by the weights before.

    Source: Sutton and Barto, "Reinforcement Learning" (1998), section 7.2.
    """
    values = states[:-1] @ weights
    count = len(values)
    total = np.zeros(len(weights))
    for start in range(count):
        far = learning.decay ** (count - 1 - start) * learning.discount ** (count - 1 - start)
        target = far * reward
        for ahead in range(1, count - start):
            look = learning.discount**ahead * values[start + ahead]
            target += (1 - learning.decay) * learning.decay ** (ahead - 1) * look
        total += (target - values[start]) * states[start]
    return weights + learning.rate * total


def look_back_plainly(
    learning: TDLinearSettings, weights: Vector, states: Vector, reward: float
) -> Vector:
    """Learn by TD(λ) off-line with traces, for rules without a forward view."""
    values = np.append(states[:-1] @ weights, 0.0)
    trace = total = np.zeros(len(weights))
    for place in range(len(states) - 1):
        trace = mark(learning, trace, states[place])
        gain = reward if place == len(states) - 2 else 0.0
        total = total + (gain + learning.discount * values[place + 1] - values[place]) * trace
    return weights + learning.rate * total


def follow_moves_plainly(
    learning: TDLinearSettings, weights: Vector, states: Vector, reward: float
) -> Vector:
    """Apply the formula of section 5.2 after each move, or that of the textbook."""
    weights, trace = weights.copy(), np.zeros(len(weights))
    for number, (before, reached) in enumerate(pairwise(states)):
        last = number == len(states) - 2
        following = weights @ reached if learning.faithful or not last else 0.0
        change = (reward if last else 0.0) + learning.discount * following - weights @ before
        trace = mark(learning, trace, reached if learning.faithful else before)
        weights += learning.rate * change * trace
    return weights


def draw_episode(learning: TDLinearSettings, length: int, seed: int) -> tuple[Vector, Array]:
    rng = np.random.default_rng(seed)
    genes = learning.features * (VALUES if learning.binary else 1)
    episode = rng.integers(0, 5, (length, learning.features))
    return rng.normal(0.0, 0.1, genes), episode


KINDS = [
    PLAIN._replace(features=features, binary=binary, trace=trace, decay=decay, discount=discount)
    for (features, binary), (trace, decay), discount in product(
        ((4, 0), (14, 0), (20, 0), (4, 1), (20, 1)),
        ((NONE, 0.7), (ACCUMULATING, 0.7), (REPLACING, 0.3)),
        (1.0, 0.8),
    )
]


@pytest.mark.parametrize("reward", [1.0, 0.0, -1.0])
@pytest.mark.parametrize("length", [2, 3, 17])
def test_all_rules_are_those_of_plain_loops(reward: float, length: int) -> None:
    for number, kind in enumerate(KINDS):
        learning = kind._replace(rate=0.003)
        weights, episode = draw_episode(learning, length, number)
        states = encode(learning, episode)
        for faithful in (0, 1):
            learning = learning._replace(faithful=faithful)
            learner, by_moves = Learner(learning, weights), Learner(learning, weights)
            learner.learn(episode, reward)
            plain = sweep_plainly if faithful else look_back_plainly
            expected = plain(learning, weights, states, reward)
            np.testing.assert_allclose(learner.weights, expected, atol=1e-12)
            by_moves.learn_by_moves(episode, reward)
            expected = follow_moves_plainly(learning, weights, states, reward)
            np.testing.assert_allclose(by_moves.weights, expected, atol=1e-12)
        burge = learning._replace(rule=BURGE)
        learner = Learner(burge, weights)
        learner.learn(episode, reward)
        expected = sweep_as_burge_plainly(burge, weights, states, reward)
        np.testing.assert_allclose(learner.weights, expected, atol=1e-12)


@pytest.mark.parametrize("decay", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("discount", [1.0, 0.8])
@pytest.mark.parametrize("binary", [0, 1])
def test_looking_back_is_looking_ahead(decay: float, discount: float, binary: int) -> None:
    """Accumulating traces bring what the forward view does, where weights wait for the end."""
    learning = PLAIN._replace(
        features=4, binary=binary, trace=ACCUMULATING, decay=decay, discount=discount
    )
    weights, episode = draw_episode(learning, 12, 5)
    learner = Learner(learning, weights)
    learner.learn(episode, -1.0)
    expected = look_ahead_plainly(learning, weights, encode(learning, episode), -1.0)
    np.testing.assert_allclose(learner.weights, expected, atol=1e-12)
    assert np.abs(learner.weights - weights).max() > 1e-3


def test_each_choice_makes_a_difference() -> None:
    """Or else the comparisons above would not tell them apart."""
    base = PLAIN._replace(features=4, decay=0.6, discount=0.9, trace=ACCUMULATING, rate=0.01)
    changes = [
        {},
        {"faithful": 1},
        {"trace": NONE},
        {"trace": REPLACING},
        {"rule": BURGE},
        {"discount": 1.0},
        {"decay": 0.3},
        {"trace": REPLACING, "faithful": 1},
    ]
    weights, episode = draw_episode(base, 9, 3)
    episode[4] = 0  # where traces are left to decay
    learned = []
    for change in changes:
        for moves in (False, True):
            learner = Learner(base._replace(**change), weights)
            (learner.learn_by_moves if moves else learner.learn)(episode, 1.0)
            learned.append(learner.weights)
    same_by_moves = {(9, 1)}  # Burge's rule is for the end of games
    for one, two in product(range(len(learned)), repeat=2):
        if one > two and (one, two) not in same_by_moves:
            assert np.abs(learned[one] - learned[two]).max() > 1e-6, (one, two)


# Values


@pytest.mark.parametrize("bins", [0, VALUES])
@pytest.mark.parametrize("features", [4, 14, 20])
def test_weights_are_where_a_network_has_them(bins: int, features: int) -> None:
    """A learner searches with the weights of its genome; those that are not numbers are 0."""
    network = find_game("checkers").networks["mlp"].decoder_type
    decoder = network(encoding="features", features=features, bins=bins, hidden=())
    rng = np.random.default_rng(2)
    genome = decoder.initialise(1, "uniform:0.7", rng)[0]
    genome[-1] = 0.0  # nobody learns a bias
    learning = PLAIN._replace(features=features, binary=int(bins > 0))
    learner = Learner(learning, genome[:-1])
    for board in random_positions(decoder.game, 5):
        seen = decoder.game.count("features", board, board.state[3], many=features)
        value = decoder.encode(board) @ genome[:-1].astype(np.float64)
        assert learner.value(seen.astype(int).tolist()) == pytest.approx(value)
    learner.numbers[1, :4] = [1e5, -np.inf, np.nan, 1e300]
    genome[:4] = [1e5, 0.0, 0.0, 0.0]
    (expected,) = decoder.pack(genome[None]).weights.reshape(1, -1)
    numbers = np.zeros(5 + len(expected) + 5, dtype=np.float32)
    numbers[:5] = numbers[-5:] = 77.0
    write_weights(learner.lesson, numbers, 5)
    assert numbers[5:-5].tolist() == expected.tolist()
    assert (numbers[:5] == 77.0).all()
    assert (numbers[-5:] == 77.0).all()


def test_weights_without_bounds_are_no_numbers() -> None:
    learner = Learner(PLAIN, [1e6, -3.0])
    spoil_if_lost(learner.lesson)
    assert learner.weights.tolist() == [1e6, -3.0]
    for lost in (1.1e6, -1e7, np.inf, np.nan):
        learner = Learner(PLAIN, [1.0, lost])
        spoil_if_lost(learner.lesson)
        assert learner.weights[0] == 1.0
        assert np.isnan(learner.weights[1])
