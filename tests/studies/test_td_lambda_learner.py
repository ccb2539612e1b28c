"""TD(λ): targets against the forward view, training against plain NumPy, and that it learns."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.td_numpy import NumpyLearner
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.duel import duel
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import below, new_stream, next_word
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.tuple_learning import ERROR, FIRST_WINS, PLIES
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.specification import make_player
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.td_lambda.td import Td, TdConfig, make_learning_settings
from evolve_arena.studies.td_lambda.td_kernel import (
    TDLambdaSettings,
    compute_targets,
    epsilon_at,
)
from tests.studied import nest

SMALL = {"columns": 5, "rows": 4, "connect": 3}


def make_method(board: dict[str, int] | None = None, **changes: object) -> Td:
    """Make the method; keys of the network have an underscore in front."""
    network = {key[1:]: value for key, value in changes.items() if key[0] == "_"}
    method = {key: value for key, value in changes.items() if key[0] != "_"}
    settings = Td.network_section(find_game("connect-four"), network)(
        **{"hidden": (20,), **network}
    )
    config = TdConfig(**nest(method))
    return Td(config, Td.make_decoder(make_game("connect-four", **(board or {})), settings, config))


@pytest.fixture
def arena() -> Callable[[Td], Arena]:
    def make(method: Td) -> Arena:
        return Arena(method.decoder, SerialExecutor())

    return make


# Targets


def find_targets(
    values: list[float],
    reward: float,
    *,
    over: bool = True,
    rivals: dict[int, float] | None = None,
    **changes: object,
) -> list[float]:
    """Return the targets of an episode at places 0, 2, 4, interleaved with another one."""
    method = make_method(**changes)
    places = np.full(2 * len(values) - 1, 99.0)
    places[::2] = values
    targets = np.full_like(places, 77.0)
    better = np.full_like(places, np.nan)
    for place, value in (rivals or {}).items():
        better[2 * place] = value
    learning = make_learning_settings(method.config, method.decoder, 0)
    compute_targets(places, better, targets, len(places) - 1, over, reward, learning)
    assert (targets[1::2] == 77.0).all()
    return list(targets[::2])


def find_lambda_returns(
    values: list[float], reward: float, discount: float, trace: float
) -> list[float]:
    """Return λ-returns by the forward view: means of n-step returns, for n of 1 or more.

    The reward comes after the last position. Source: Sutton and Barto, "Reinforcement
    Learning", second edition, equation 12.3.
    """
    count = len(values)
    returns = []
    for start in range(count):
        total = trace ** (count - 1 - start) * discount ** (count - 1 - start) * reward
        for ahead in range(1, count - start):
            look = discount**ahead * values[start + ahead]
            total += (1 - trace) * trace ** (ahead - 1) * look
        returns.append(total)
    return returns


CHAIN = [0.2, 0.4, -0.1, 0.3, 0.7]


@pytest.mark.parametrize("trace", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("discount", [1.0, 0.8])
@pytest.mark.parametrize("reward", [1.0, 0.0, -1.0])
def test_targets_are_those_of_the_forward_view(
    trace: float, discount: float, reward: float
) -> None:
    targets = find_targets(CHAIN, reward, trace=trace, discount=discount)
    assert targets == pytest.approx(find_lambda_returns(CHAIN, reward, discount, trace), abs=1e-12)


@pytest.mark.parametrize("trace", [0.0, 0.6, 1.0])
def test_an_end_may_count_as_its_reward(trace: float) -> None:
    keys = {"trace": trace, "discount": 0.8, "updates__end_value": "reward"}
    targets = find_targets(CHAIN, 1.0, **keys)
    before = find_lambda_returns(CHAIN[:-1], 1.0, 0.8, trace)
    assert targets == pytest.approx([*before, 1.0], abs=1e-12)
    # The other player's last move did not end the game.
    targets = find_targets(CHAIN, -1.0, over=False, **keys)
    assert targets == pytest.approx(find_lambda_returns(CHAIN, -1.0, 0.8, trace), abs=1e-12)


def test_targets_by_hand() -> None:
    # Surprises from the last: 1 + 0.1 = 1.1; -0.09 - 0.4 = -0.49; 0.36 - 0.2 = 0.16.
    keys = {"trace": 0.5, "discount": 0.9}
    assert find_targets([0.2, 0.4, -0.1], 1.0, **keys) == pytest.approx(
        [0.2 + 0.16 + 0.45 * (-0.49 + 0.45 * 1.1), 0.4 - 0.49 + 0.45 * 1.1, 1.0]
    )
    half = find_targets([0.2, 0.4, -0.1], 1.0, step=0.5, **keys)
    assert half == pytest.approx([0.28112500000000005, 0.4025, 0.45])


def test_random_moves_may_teach_nothing_or_what_the_best_would_have() -> None:
    """The move to the third of four positions was made at random: the best was worth 0.8."""
    values, rivals = [0.2, 0.4, -0.1, 0.3], {2: 0.8}
    keys = {"trace": 0.5, "rivals": rivals}
    later = [-0.1 + 0.4 + 0.5 * 0.7, 1.0]
    played = find_targets(values, 1.0, trace=0.5)
    assert find_targets(values, 1.0, updates__random_lesson="played", **keys) == played
    best = find_targets(values, 1.0, updates__random_lesson="best", **keys)
    assert best == pytest.approx([0.2 + 0.2 + 0.5 * 0.4, 0.8, *later])
    nothing = find_targets(values, 1.0, updates__random_lesson="nothing", **keys)
    assert nothing == pytest.approx([0.4, 0.4, *later])


def test_epsilon_falls_in_equal_steps_and_stays() -> None:
    method = make_method(
        policy__epsilon=0.5, policy__epsilon_end=0.1, policy__epsilon_games=1000, games=100
    )
    learning = make_learning_settings(method.config, method.decoder, 3)
    assert learning.played == 300
    found = [epsilon_at(learning, game) for game in (0, 500, 999, 1000, 5000)]
    assert found == pytest.approx([0.5, 0.3, 0.1004, 0.1, 0.1])


# Games and training


def teach(method: Td, seed: int = 1) -> tuple[Array, Array, Array]:
    """Return genes before and after a generation, and its figures."""
    state = method.initial(seed)
    genes, figures = SerialExecutor().run(method.make_task(state))
    return state.population, genes, figures


VARIANTS: dict[str, Settings] = {
    "plain": {},
    "random": {"policy__epsilon": 1.0, "policy__epsilon_end": 1.0, "policy__random_moves": "all"},
    "best": {"trace": 0.6, "updates__random_lesson": "best"},
    "nothing": {"trace": 0.6, "updates__random_lesson": "nothing", "policy__random_moves": "all"},
    "traces": {"trace": 0.6, "discount": 0.9, "step": 0.7},
    "backward": {
        "updates__order": "backward",
        "learning_rates__hidden": 0.3,
        "learning_rates__output": 0.2,
    },
    "mixed": {
        "updates__episodes": "mixed",
        "updates__end_value": "reward",
        "trace": 0.3,
        "learning_rates__hidden": 0.3,
    },
    "both": {
        "updates__episodes": "mixed",
        "updates__order": "backward",
        "learning_rates__hidden": 0.3,
    },
    "two planes": {"_encoding": "planes", "_hidden": (16,), "learning_rates__output": 0.3},
    "numbers": {"_encoding": "numbered", "learning_rates__biases": False, "_hidden": (33,)},
    "soft": {"policy__exploration": "softmax", "policy__temperature": 0.05},
    "greedy": {
        "policy__exploration": "greedy",
        "_take_wins": True,
        "initialisation": "uniform:0.3",
    },
}


@pytest.mark.parametrize("board", [{}, SMALL, {"columns": 2, "rows": 9}])
@pytest.mark.parametrize("variant", VARIANTS)
def test_training_is_that_of_plain_numpy(variant: str, board: dict[str, int]) -> None:
    method = make_method(
        board, games=12, policy__epsilon_games=15, individuals=2, **VARIANTS[variant]
    )
    before, after, figures = teach(method)
    learning = make_learning_settings(method.config, method.decoder, 0)
    seeds = derive_seeds(1, 0, "games", 2)
    for learner in range(2):
        plain = NumpyLearner(
            method.decoder, before[learner], learning, int(seeds[learner]), np.float64
        )
        plain.play_games(12)
        assert figures[learner, PLIES] == plain.plies
        assert figures[learner, ERROR] == pytest.approx(plain.error, rel=1e-4)
        np.testing.assert_allclose(after[learner], plain.genome, atol=1e-5)
    assert np.abs(after - before).max(axis=1).min() > 1e-3


class Guest(NumpyLearner):
    """The baseline, against a player that moves at random."""

    def play_games(self, games: int) -> None:
        """Play *games* games in alternate seats, and learn from the own positions of each."""
        for game in range(games):
            self.seat = game % 2
            self.chance = new_stream(int(next_word(self.rng)))
            super().play_games(1)
            self.learning = self.learning._replace(played=self.learning.played + 1)

    def _choose(
        self, moves: list[int], heights: list[int], sums: Array, own: int, epsilon: float
    ) -> tuple[int, float, float]:
        if sum(heights) % 2 != self.seat:
            return moves[below(self.chance, len(moves))], 0.0, math.nan
        return super()._choose(moves, heights, sums, own, epsilon)


@pytest.mark.parametrize("variant", ["plain", "best", "mixed", "both", "greedy"])
def test_training_against_an_opponent_is_that_of_plain_numpy(variant: str) -> None:
    options = {"games": 13, "policy__epsilon_games": 15, "opponents": ("random",)}
    method = make_method(SMALL, **options, **VARIANTS[variant])
    before, after, figures = teach(method)
    learning = make_learning_settings(method.config, method.decoder, 0)
    seed = int(derive_seeds(1, 0, "games", 1)[0])
    plain = Guest(method.decoder, before[0], learning, seed, np.float64)
    plain.play_games(13)
    assert figures[0, PLIES] == plain.plies
    assert figures[0, ERROR] == pytest.approx(plain.error, rel=1e-4)
    np.testing.assert_allclose(after[0], plain.genome, atol=1e-5)
    assert np.abs(after - before).max() > 1e-3


def test_opponents_take_turns_and_oneself_is_one_of_them() -> None:
    """Two games of each: the first two are those of a learner that only plays itself."""
    (alone, mixed), (longer, other) = (
        [teach(make_method(games=games, opponents=named)) for named in ((), ("self", "random"))]
        for games in (2, 4)
    )
    np.testing.assert_array_equal(mixed[1], alone[1])
    assert (other[1] != longer[1]).any()


def test_a_strong_opponent_wins_from_either_seat() -> None:
    _, _, figures = teach(make_method(games=200, opponents=("minimax:depth=6",)))
    assert figures[0, FIRST_WINS] == pytest.approx(100, abs=10)


def test_a_network_learns_to_beat_the_opponent_that_it_meets(arena: Callable[[Td], Arena]) -> None:
    keys = {"games": 20_000, "policy__epsilon_games": 20_000, "_hidden": (40,)}
    opponent = "minimax:depth=1,noise=0.2"
    method = make_method(**keys, opponents=(opponent,), learning_rates__scale=0.3)
    state = method.initial(1)
    after, _ = method.step(state, arena(method))
    shares = []
    for genome in (state.population[0], after.population[0]):
        player = method.decoder.player(genome, "learner")
        rival = make_player(opponent, method.decoder.game)
        shares.append(duel(method.decoder.game, player, rival, games=400, seed=1).score)
    assert shares[0] < 0.3
    assert shares[1] > 0.6


def test_the_order_of_training_matters() -> None:
    """Or else the comparison above would not tell orders apart."""
    orders = [
        teach(
            make_method(
                games=25,
                learning_rates__hidden=0.3,
                updates__order=order,
                updates__episodes=episodes,
            )
        )[1]
        for order in ("forward", "backward")
        for episodes in ("one-by-one", "mixed")
    ]
    for number, genes in enumerate(orders):
        for other in orders[:number]:
            assert np.abs(genes - other).max() > 1e-4


STILL = {"learning_rates__hidden": 1e-30, "learning_rates__output": 1e-30}
"""Rates so small that nothing is learned."""


def mean_plies(**changes: object) -> float:
    method = make_method(games=4000, **STILL, **changes)
    state = method.initial(1)
    work = method.make_task(state)
    work.inputs[0][:] = 0.0
    return float(SerialExecutor().run(work)[1][0, PLIES]) / 4000


def test_equal_values_are_drawn_from() -> None:
    """A network that knows no difference plays like chance, not the lowest column."""
    chance = mean_plies(policy__epsilon=1.0, policy__epsilon_end=1.0, policy__random_moves="all")
    assert chance == pytest.approx(21.8, abs=1.0)
    assert mean_plies(policy__exploration="greedy") == pytest.approx(chance, abs=0.8)
    assert mean_plies(policy__exploration="softmax") == pytest.approx(chance, abs=0.8)


def test_a_cold_softmax_is_greedy() -> None:
    games = {"games": 20, "initialisation": "uniform:0.2"}
    greedy = teach(make_method(policy__exploration="greedy", **games))
    cold = teach(make_method(policy__exploration="softmax", policy__temperature=1e-7, **games))
    warm = teach(make_method(policy__exploration="softmax", policy__temperature=1.0, **games))
    np.testing.assert_array_equal(cold[1], greedy[1])
    assert (warm[1] != greedy[1]).any()


def test_without_biases_they_stay_0() -> None:
    method = make_method(games=50, learning_rates__biases=False, _hidden=(3,))
    _, genes, _ = teach(method)
    assert genes[0, [*range(42 * 3, 43 * 3), -1]].tolist() == [0.0] * 4
    assert (genes[0, : 42 * 3] != 0.0).all()


def test_a_network_learns_to_beat_chance(arena: Callable[[Td], Arena]) -> None:
    method = make_method(games=30_000, policy__epsilon_games=30_000, _hidden=(40,))
    state = method.initial(1)
    after, _ = method.step(state, arena(method))
    chance = make_player("random", method.decoder.game)
    shares = []
    for genome in (state.population[0], after.population[0]):
        player = method.decoder.player(genome, "learner")
        result = duel(method.decoder.game, player, chance, games=400, seed=1)
        shares.append(result.wins / result.games)
    assert shares[0] < 0.6
    assert shares[1] > 0.75


# What is refused


def test_the_shipped_recipe_is_the_published_setting_with_smaller_steps() -> None:
    recipe = load_recipe("td-lambda")
    method = recipe.make_method()
    decoder: NetworkDecoder = method.decoder
    learning: TDLambdaSettings = make_learning_settings(method.config, decoder, 0)
    assert (decoder.inputs, decoder.hidden, decoder.take_wins) == (42, (120,), False)
    assert learning.hidden_rate == pytest.approx(0.1 / 42)
    assert learning.output_rate == pytest.approx(0.1 / 120)
    assert (learning.step, learning.discount, learning.trace) == (1.0, 1.0, 0.0)
    assert epsilon_at(learning, 0) == 0.5
    assert epsilon_at(learning, 1_000_000) == pytest.approx(0.1)
    assert recipe.run.generations * learning.games == 1_000_000
    genes = method.initial(1).population[0]
    split = 43 * 120
    assert np.abs(genes[:split]).max() == pytest.approx(42**-0.5, rel=0.01)
    assert np.abs(genes[split:]).max() == pytest.approx(120**-0.5, rel=0.05)
