"""The method ``imitation``: whose decisions are learnt, and that they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.imitation import (
    DataSet,
    Imitation,
    ImitationConfig,
    build_data_set,
    choose_games,
)
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.games.ticket_to_ride.logs import DecisionLog, join_logs, log_games
from evolve_arena.games.ticket_to_ride.network import DecisionDecoder
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player

GAME = TicketToRide()
SETTINGS: dict[str, Any] = {
    "players": [2, 3],
    "games": 12,
    "best": 4,
    "minimum_points": 60,
    "held_out": 0.2,
    "batch": 50,
}


def build(**changes: Any) -> DataSet:
    asked = {name: SETTINGS[name] for name in ("players", "games", "best", "minimum_points")}
    asked |= {"rows": "winner", "seed": 3, **changes}
    return build_data_set(GAME, make_rule_player("", GAME), **asked)


def play(count: int) -> DecisionLog:
    """The games of which the best are chosen, logged whole."""
    seeds = derive_seeds(3, 0, f"games of {count} to imitate", 12)
    seatings = seat_players(np.zeros((12, count)), MOST_PLAYERS)
    return join_logs(list(log_games(GAME, [make_rule_player("", GAME)], seatings, seeds)))


def make_method(**changes: Any) -> Imitation:
    decoder = DecisionDecoder(hidden=(12,), activation="relu", scaling="raw", masked=False)
    return Imitation(ImitationConfig.model_validate({**SETTINGS, **changes}), decoder)


def test_the_best_games_are_chosen_by_their_best_player() -> None:
    points = np.array([[90, 130], [125, 20], [119, 118], [130, 120], [10, 140]])
    assert choose_games(points, 10, 120).tolist() == [4, 0, 3, 1]
    assert choose_games(points, 2, 120).tolist() == [4, 0]
    assert choose_games(points, 10, 141).tolist() == []


@pytest.mark.parametrize("rows", ["winner", "all"])
def test_the_rows_are_the_decisions_of_the_winners_of_the_best_games(rows: Any) -> None:
    found = build(rows=rows)
    features, classes, players, games = [], [], [], []
    number = 0
    for count in (2, 3):
        log = play(count)
        best = sorted(range(12), key=lambda game, log=log: (-max(log.points[game]), game))[:4]
        for game in sorted(best):
            winner = int(np.argmax(log.points[game, :count]))
            for row in range(len(log)):
                if log.games[row] == game and (rows == "all" or log.seats[row] == winner):
                    features.append(log.features[row])
                    classes.append(log.classes[row])
                    players.append(count)
                    games.append(number)
            number += 1
    np.testing.assert_array_equal(found.features, np.stack(features))
    assert found.classes.tolist() == classes
    assert found.players.tolist() == players
    assert found.games.tolist() == games


def test_games_are_held_out_whole() -> None:
    rows = build()
    learnt, held_out = rows.hold_out(0.3, 1)
    assert len(learnt) + len(held_out) == len(rows)
    assert len(set(held_out.games)) == 3  # of eight
    assert not set(learnt.games) & set(held_out.games)
    assert len(rows.hold_out(0.0, 1)[1]) == 0


def test_a_limit_that_no_game_reaches_is_an_error() -> None:
    with pytest.raises(BadValueError, match="of 12 games of 2 players none has 900 points"):
        build(minimum_points=900)


def test_a_network_learns_to_decide_like_the_rule_player() -> None:
    method = make_method(games=40, best=20, batch=20, learning_rate=0.003)
    arena = Arena(method.decoder, SerialExecutor())
    state = method.initial(1)
    reports = []
    for _ in range(30):
        state, report = method.step(state, arena)
        reports.append(report)
    assert [report.games for report in reports[:3]] == [80, 0, 0]
    assert reports[-1].statistics["loss"] < 0.5 * reports[0].statistics["loss"]
    learnt, held_out = method.find_rows(1)
    usual = (held_out.classes == 1).mean()
    assert reports[-1].statistics["accuracy_held_out"] > usual
    # What is reported is what the player that is bred would do.
    player = method.decoder.player(state.population[0], "pupil")
    chances = player.decision_probabilities(held_out.features[:, :26])
    agreed = (chances.argmax(axis=1) == held_out.classes).mean()
    assert agreed == pytest.approx(reports[-1].statistics["accuracy_held_out"])
    assert state.steps == 30 * -(-len(learnt) // 20)


def test_a_generation_may_be_a_number_of_batches() -> None:
    method = make_method(batches=7)
    state, _ = method.step(method.initial(1), Arena(method.decoder, SerialExecutor()))
    assert state.steps == 7
    assert state.memory.any(axis=1).all()


def test_the_same_seed_teaches_the_same_and_another_another() -> None:
    def learn(seed: int) -> Any:
        method = make_method()
        state, report = method.step(method.initial(seed), Arena(method.decoder, SerialExecutor()))
        return state.population.tobytes(), state.memory.tobytes(), report

    assert learn(1) == learn(1)
    assert learn(1) != learn(2)


def test_each_seed_has_rows_of_its_own() -> None:
    """One method may serve runs of several seeds; what one plays is not learnt by another."""

    def read(method: Imitation, seed: int) -> list[Any]:
        return [(rows.features.tolist(), rows.classes.tolist()) for rows in method.find_rows(seed)]

    method = make_method()
    first, second = read(method, 1), read(method, 2)
    assert first != second
    assert second == read(make_method(), 2)
    assert read(method, 1) == first


def test_weights_beyond_all_bounds_are_an_error() -> None:
    method = make_method(solver="sgd", learning_rate=10.0, penalty=100.0)
    arena = Arena(method.decoder, SerialExecutor())

    def learn() -> None:
        state = method.initial(1)
        for _ in range(20):
            state, _ = method.step(state, arena)

    with pytest.raises(DivergedError, match=r"lower method\.learning_rate"):
        learn()


def test_states_of_other_networks_do_not_fit() -> None:
    method = make_method()
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    other = replace(state, population=state.population[:, 1:])
    assert method.find_mismatch(other) == "its population has shape (1, 375), not (1, 376)"
    other = replace(state, memory=state.memory[:1])
    assert "memory" in str(method.find_mismatch(other))
    other = replace(state, memory=state.memory.astype(np.float64))
    assert "32-bit" in str(method.find_mismatch(other))
