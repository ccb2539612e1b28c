"""The method td-linear: its settings, what a generation is, and that players learn."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Settings
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.learning.vector_learner import LearnerState
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.packed import KIND, RANDOM
from evolve_arena.studies.checkers_td.linear_games import (
    AFTER,
    BEFORE,
    BURGE,
    EVERY_MOVE,
    NONE,
    REPLACING,
)
from evolve_arena.studies.checkers_td.td_linear import (
    TdLinear,
    TdLinearConfig,
    make_learning_settings,
    make_meetings,
    make_participants,
)
from tests.studied import nest

GAME = find_game("checkers")


def make_method(**changes: object) -> TdLinear:
    """Make the method; keys of the network have an underscore in front."""
    network = {key[1:]: value for key, value in changes.items() if key[0] == "_"}
    network = {"depth": 2, "encoding": "features", "features": 14, "hidden": [], **network}
    method = {key: value for key, value in changes.items() if key[0] != "_"}
    settings = TdLinear.network_section(GAME, network)(**network)
    config = TdLinearConfig(**nest({"games": 10, **method}))
    return TdLinear(config, TdLinear.make_decoder(GAME.game(), settings, config))


def make_arena(method: TdLinear) -> Arena:
    return Arena(method.decoder, SerialExecutor())


def test_a_state_is_all_that_the_future_depends_on() -> None:
    """Between generations nothing is finer than what a checkpoint keeps."""
    method = make_method()
    arena = make_arena(method)
    state, _ = method.step(method.initial(1), arena)
    again = LearnerState(state.seed, state.generation, state.population.copy())
    one, two = method.step(state, arena)[0], method.step(again, arena)[0]
    assert one.population.tobytes() == two.population.tobytes()
    assert (one.population != state.population)[:, :-1].all()
    assert (one.population[:, -1] == 0.0).all()


def test_what_learned_can_be_played_with() -> None:
    method = make_method(_bins=32, _features=4)
    state, _ = method.step(method.initial(1), make_arena(method))
    genome, report = method.champion(state, make_arena(method))
    assert report.statistics == {"points": 0.0, "matches": 0.0}
    player = method.decoder.player(genome, "learner")
    assert (player.decoder.counted, player.decoder.bins, player.decoder.depth) == (4, 32, 2)
    assert len(player.genome) == 4 * 32 + 1
    move = player.choose(player.game.initial(), np.array([1], dtype=np.uint64))
    assert move in player.game.legal_moves(player.game.initial())


def test_the_champion_is_who_beats_the_judge() -> None:
    method = make_method(
        individuals=2, final={"opponent": "minimax:depth=1", "games": 40}, _depth=3
    )
    knows = np.zeros((2, 15), dtype=np.float32)
    knows[1, :4] = [0.2, 0.3, -0.2, -0.3]
    genome, report = method.champion(LearnerState(1, 5, knows), make_arena(method))
    assert genome.tolist() == knows[1].tolist()
    assert report.statistics["matches"] == 40
    assert report.statistics["points"] > 20
    assert report.games == 80


def test_learners_who_lose_all_bounds_are_named() -> None:
    method = make_method(individuals=3, schedule__learning_rate=1e-9)
    state = method.initial(1)
    state.population[1, 3] = 2e6
    with pytest.raises(
        DivergedError, match=r"learner 1: .* in generation 0; lower method\.schedule\.learning_rate"
    ):
        method.step(state, make_arena(method))


def test_learners_who_lose_all_bounds_go_on_with_what_they_knew_if_asked_to() -> None:
    method = make_method(individuals=2, schedule__learning_rate=1e-3, diverged="keep")
    state = method.initial(1)
    state.population[1, 3] = 2e6
    after, _ = method.step(state, make_arena(method))
    assert after.population[1].tobytes() == state.population[1].tobytes()
    assert (after.population[0] != state.population[0]).any()
    assert after.generation == 1


def test_steps_and_chance_come_to_their_ends() -> None:
    method = make_method(
        schedule__learning_rate=0.4,
        schedule__final_learning_rate=0.2,
        schedule__exploration=0.3,
        schedule__games=40,
    )
    learning_rows = [
        make_learning_settings(method.config, method.decoder, place) for place in (0, 1, 4, 9)
    ]
    assert [learning.rate for learning in learning_rows] == pytest.approx([0.4, 0.35, 0.2, 0.2])
    assert {learning.exploration for learning in learning_rows} == {0.3}


def test_settings_become_a_lesson() -> None:
    keys = {
        "updates__when": "every-move",
        "trace": "replacing",
        "updates__states": "after",
        "updates__faithful": True,
    }
    learning = make_learning_settings(*_parts(make_method(_bins=32, _features=20, **keys)))
    assert (learning.update, learning.trace, learning.states) == (EVERY_MOVE, REPLACING, AFTER)
    assert (learning.faithful, learning.binary, learning.features) == (1, 1, 20)
    learning = make_learning_settings(
        *_parts(make_method(updates__rule="burge", trace="none", discount=0.9))
    )
    assert (learning.rule, learning.trace, learning.discount) == (BURGE, NONE, 0.9)
    assert (learning.faithful, learning.binary, learning.states) == (0, 0, BEFORE)


def _parts(method: TdLinear) -> tuple[TdLinearConfig, NetworkDecoder]:
    return method.config, method.decoder


def test_rules_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValidationError, match="rule is 'burge', which learns at the end of games"):
        make_method(updates__rule="burge", trace="none", updates__when="every-move")
    with pytest.raises(ValidationError, match="rule is 'burge', which has no traces"):
        make_method(updates__rule="burge")


FAITHFUL = {
    "updates__faithful": True,
    "updates__states": "after",
    "trace": "none",
    "schedule__exploration": 0.0,
}


@pytest.mark.parametrize(
    ("games", "changes"),
    [
        (400, {"schedule__learning_rate": 0.0003}),
        (400, {"schedule__learning_rate": 0.0003, "updates__states": "after"}),
        (400, {"schedule__learning_rate": 0.0003, "_features": 4, "updates__when": "every-move"}),
        (600, {"schedule__learning_rate": 0.0003, **FAITHFUL}),
        (
            400,
            {
                "schedule__learning_rate": 0.0001,
                "_features": 4,
                "updates__when": "every-move",
                **FAITHFUL,
            },
        ),
        (
            400,
            {
                "schedule__learning_rate": 0.0003,
                "_features": 4,
                "updates__rule": "burge",
                **FAITHFUL,
            },
        ),
        (600, {"schedule__learning_rate": 0.03, "_features": 4, "_bins": 32, **FAITHFUL}),
    ],
)
def test_players_learn(games: int, changes: Settings) -> None:
    """Against chance and an untrained player, at the same depth."""
    method = make_method(games=games, **changes)
    decoder = method.decoder
    state = method.initial(2)
    after, _ = method.step(state, make_arena(method))
    learning = make_learning_settings(method.config, decoder)._replace(exploration=0.0)
    genomes = [after.population[0], state.population[0], state.population[0]]
    participants = make_participants([decoder] * 3, [learning] * 3, genomes)
    participants.seats[2, KIND] = RANDOM
    pairings = [(0, 1), (0, 2)]
    seeds = derive_seeds(2, 0, "test", 2)
    work = make_meetings(participants, pairings, seeds, games=100, learn=False, alternate=True)
    shares = (SerialExecutor().run(work)[1] @ [1.0, 0.5, 0.0]) / 100
    assert shares[0] > 0.75
    assert shares[1] > 0.9
