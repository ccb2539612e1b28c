"""Generations at tables: seats and deals for all players, points, ranks, and the champion.

The players are linear and written by hand: one claims whatever brings points, one asks for tickets
whenever it can, which costs it more points than any game brings.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Batch, Results, new_results, seat_players
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array
from evolve_arena.evolve.matches import OFFENCE_POINTS, mean_by_player, value_seats
from evolve_arena.evolve.multiplayer import (
    MultiplayerMatches,
    find_multiplayer,
    plan_deals,
    play_alternately,
)
from evolve_arena.evolve.settings.matches import MultiplayerConfig
from evolve_arena.evolve.settings.tournament import TournamentConfig
from evolve_arena.evolve.tournament import Tournament, TournamentState
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.games.ticket_to_ride.rules import MOVE_FEATURES
from evolve_arena.players.packed import NOISE
from tests.evolve.rigged import Recorder, make_config

MAKE = find_game("ticket-to-ride").networks["mlp"].decoder_type
DECODER = MAKE(head="action", encoding="features", hidden=())


def written(**weights: float) -> NDArray[np.float32]:
    genome = np.zeros(DECODER.genes, dtype=np.float32)
    for name, weight in weights.items():
        place = MOVE_FEATURES.index(name.replace("__", ": ").replace("_", " "))
        genome[DECODER.inputs - len(MOVE_FEATURES) + place] = weight
    return genome


GREEDY = written(claims=5.0, route__points=3.0)
HOARDER = written(asks_for_tickets=9.0, tickets__points_kept=1.0)


def make_method(
    *genomes: NDArray[np.float32], **tables: object
) -> tuple[Tournament, TournamentState]:
    content = {
        "individuals": len(genomes),
        "tournament_size": 2,
        "crossover_probability": 0.0,
        "mutation_probability": 0.0,
        "multiplayer": {
            "deals": 2,
            "preliminary_deals": 1,
            "finalists": 2,
            "final_deals": 2,
            **tables,
        },
    }
    method = Tournament(make_config(Tournament, content), DECODER)
    return method, replace(method.initial(1), population=np.stack(genomes))


def points_of(batch: Batch, results: Results, row: int, size: int | None = None) -> Array:
    """Return the points of a player in all matches, or at tables of a *size*."""
    taken = (batch.pairings >= 0).sum(axis=1, keepdims=True)
    return results.columns["points"][(batch.pairings == row) & ((taken == size) | (not size))]


def test_fitness_is_the_mean_of_the_points_of_all_matches() -> None:
    method, state = make_method(
        GREEDY, HOARDER, GREEDY, external_opponents=["random"], external_seats=3
    )
    recorder = Recorder()
    assert method.evaluation.multiplayer is not None
    fitness, figures = method.evaluation.multiplayer.play(Arena(DECODER, recorder), state)
    (batch,), (results,) = recorder.batches, recorder.results
    assert len(batch) == 3 * 2 * 4
    for row in range(3):
        assert fitness[row] == pytest.approx(np.mean(points_of(batch, results, row)))
    assert fitness[0] == fitness[2] > fitness[1]
    assert figures["points"] == pytest.approx(fitness.mean())
    assert figures["forbidden"] == 0.0
    # The random player, who takes three of four seats, does not count.
    own = (batch.pairings >= 0) & (batch.pairings < 3)
    for name in ("tickets_done", "tickets_failed", "rounds"):
        assert figures[name] == pytest.approx(results.columns[name][own].mean())
    assert 0.0 < figures["tickets_done"] != figures["tickets_failed"] > 0.0


def test_all_table_sizes_count_the_same() -> None:
    method, state = make_method(
        GREEDY, HOARDER, seats=[2, 4], external_opponents=["random"], external_seats=3
    )
    recorder = Recorder()
    assert method.evaluation.multiplayer is not None
    fitness, _ = method.evaluation.multiplayer.play(Arena(DECODER, recorder), state)
    (batch,), (results,) = recorder.batches, recorder.results
    taken = (batch.pairings >= 0).sum(axis=1)
    assert np.bincount(taken).tolist() == [0, 0, 2 * 2 * 2, 0, 2 * 2 * 4]
    for row in range(2):
        means = [np.mean(points_of(batch, results, row, size)) for size in (2, 4)]
        assert fitness[row] == pytest.approx(np.mean(means))


def test_members_of_the_hall_join_the_company() -> None:
    content = {
        "individuals": 2,
        "tournament_size": 2,
        "hall_of_fame": {"opponents": 2, "every": 1},
        "multiplayer": {"deals": 6, "external_opponents": ["random"], "external_seats": 3},
    }
    method = Tournament(make_config(Tournament, content), DECODER)
    hall = np.stack([HOARDER, GREEDY, HOARDER])
    state = replace(method.initial(1), hall=hall)
    recorder = Recorder()
    method.step(state, Arena(DECODER, recorder))
    (batch,) = recorder.batches
    # Two individuals, the random player, and two of the three members.
    assert len(batch.packed.seats) == 5
    taken = np.bincount(batch.pairings[batch.pairings >= 0])
    assert taken.tolist() == [24, 24, 48, 48, 48]


def test_noise_is_for_training_and_not_for_the_trial() -> None:
    content = {"individuals": 2, "tournament_size": 2, "noise": 0.25}
    content["multiplayer"] = {
        "deals": 1,
        "external_opponents": ["random"],
        "external_seats": 3,
    }
    method = Tournament(make_config(Tournament, content), DECODER)
    recorder = Recorder()
    arena = Arena(DECODER, recorder)
    method.step(method.initial(1), arena)
    method.champion(method.initial(1), arena)
    noise = [batch.packed.seats[:, NOISE].max() for batch in recorder.batches]
    assert noise == [2**30, 0, 0]


def test_the_champion_is_who_does_best_among_rule_players() -> None:
    method, state = make_method(HOARDER, HOARDER, GREEDY, HOARDER)
    recorder = Recorder()
    champion, report = method.champion(state, Arena(DECODER, recorder))
    np.testing.assert_array_equal(champion, GREEDY)
    (trial, final), results = recorder.batches, recorder.results[1]
    assert len(trial) == 4 * 1 * 4
    assert len(final) == 2 * 2 * 4
    assert report.games == len(trial) + len(final)
    assert report.statistics["matches"] == 2 * 4
    assert report.statistics["points"] == pytest.approx(np.mean(points_of(final, results, 2)))
    assert len(set(trial.seeds) | set(final.seeds)) == 3


def test_forbidden_moves_cost_an_individual_the_match() -> None:
    decoder = MAKE(head="kinds", encoding="features", hidden=(), masked=False)
    genome = np.zeros(decoder.genes, dtype=np.float32)
    genome[-4] = 1.0  # it always wants to pass
    config = MultiplayerConfig(deals=1, external_opponents=("random",), external_seats=3)
    tables = MultiplayerMatches(config, decoder.game, 0.0)
    settings = make_config(
        Tournament, {"individuals": 2, "tournament_size": 2, "multiplayer": config}
    )
    state = Tournament(settings, decoder).initial(1)
    state = replace(state, population=np.stack([genome, genome]))
    fitness, figures = tables.play(Arena(decoder, SerialExecutor()), state)
    assert fitness.tolist() == [OFFENCE_POINTS] * 2
    assert figures["forbidden"] == 1.0


def test_who_meets_itself_wins_half_and_who_is_stronger_nearly_all() -> None:
    population = np.stack([GREEDY, HOARDER])
    pairs = np.array([[0, 0], [0, 1], [1, 2]], dtype=np.int32)
    arena = Arena(DECODER, SerialExecutor())
    others = [DECODER.pack(GREEDY[None, :])]
    seeds = derive_seeds(1, 0, "test", 5)
    assert play_alternately(arena, population, pairs, seeds, others).tolist() == [0.5, 1.0, 0.0]


def test_tables_are_for_games_of_several_and_have_room() -> None:
    config = TournamentConfig(individuals=2, tournament_size=2)
    assert find_multiplayer(config, config.matches, make_game("connect-four"), 2) is None
    with pytest.raises(BadValueError, match=r"connect-four is a game for two: leave it out"):
        find(make_game("connect-four"), deals=3)
    with pytest.raises(BadValueError, match=r"4 individuals play in a match, but there are 2"):
        find_multiplayer(config, config.matches, DECODER.game, 2)
    found = find(DECODER.game, seats=(2,))
    assert found is not None
    assert found.seats == (2,)


def find(game: AnyGame, **settings: object) -> MultiplayerConfig | None:
    """Return the multiplayer section of a tournament of two with these settings."""
    config = make_config(
        Tournament, {"individuals": 2, "tournament_size": 2, "multiplayer": settings}
    )
    return find_multiplayer(config, config.matches, game, 2)


# --- who sits where, and what a match is worth -----------------------------------------------


GAME = make_game("ticket-to-ride")
SEEDS = np.array([11, 12, 13], dtype=np.uint64)


def everybody(count: int) -> NDArray[np.int32]:
    return np.arange(count, dtype=np.int32)


def made_up(points: list[list[int]], places: list[list[int]], offenders: list[int]) -> Results:
    results = new_results(GAME, len(points))
    for match, (won, stands) in enumerate(zip(points, places, strict=True)):
        results.columns["points"][match, : len(won)] = won
        results.places[match, : len(stands)] = stands
    results.offenders[:] = offenders
    return results


def test_alone_among_company_everybody_plays_the_same_matches() -> None:
    pairings, seeds = plan_deals(
        everybody(3),
        4,
        MAX_PLAYERS,
        SEEDS,
        np.random.default_rng(1),
        external=[3],
        external_seats=4,
    )
    assert len(pairings) == 3 * 3 * 4
    for player in range(3):
        own = (pairings == player).any(axis=1)
        seats = np.argmax(pairings[own] == player, axis=1)
        met = Counter(zip(seeds[own].tolist(), seats.tolist(), strict=True))
        assert met == Counter({(seed, seat): 1 for seed in (11, 12, 13) for seat in range(4)})
    assert (np.sort(pairings[:, :4], axis=1)[:, 1:] == 3).all()
    assert (pairings[:, 4] == -1).all()


def test_everybody_sits_in_every_seat_with_every_deck() -> None:
    pairings, seeds = plan_deals(everybody(8), 4, MAX_PLAYERS, SEEDS, np.random.default_rng(1))
    assert len(pairings) == 2 * 3 * 4
    for seed in SEEDS:
        for seat in range(4):
            assert sorted(pairings[seeds == seed, seat].tolist()) == list(range(8))


def test_tables_are_dealt_anew_for_each_deck_and_stay_together_while_they_turn() -> None:
    pairings, seeds = plan_deals(everybody(12), 3, MAX_PLAYERS, SEEDS, np.random.default_rng(1))
    companies = [{frozenset(row.tolist()) for row in pairings[seeds == seed, :3]} for seed in SEEDS]
    assert [len(tables) for tables in companies] == [4, 4, 4]
    assert companies[0] != companies[1] != companies[2]


def test_a_table_that_is_not_full_takes_in_some_who_have_a_seat_already() -> None:
    pairings, _ = plan_deals(
        everybody(5), 4, MAX_PLAYERS, SEEDS[:1], np.random.default_rng(1), rotate=False
    )
    assert len(pairings) == 2
    assert sorted(Counter(pairings[:, :4].ravel().tolist()).values()) == [1, 1, 2, 2, 2]
    assert all(len(set(row[:4].tolist())) == 4 for row in pairings)


def test_company_sits_between_the_others_and_takes_turns() -> None:
    pairings, _ = plan_deals(
        everybody(2),
        4,
        MAX_PLAYERS,
        SEEDS,
        np.random.default_rng(1),
        external=[2, 3, 4],
        external_seats=2,
        rotate=False,
    )
    assert [{*row[:4]} - {0, 1} for row in pairings.tolist()] == [{2, 3}, {3, 4}, {4, 2}]
    own = np.isin(pairings[:, :4], [0, 1])
    # Everybody moves on a seat with each deck.
    assert own.tolist() == [[True, False] * 2, [False, True] * 2, [True, False] * 2]


def test_points_margins_and_ranks() -> None:
    # Four at the first table, of whom two share the second place; two at the other.
    pairings = seat_players([[0, 1, 2, 3]], MAX_PLAYERS)
    pairings = np.concatenate([pairings, seat_players([[1, 0]], MAX_PLAYERS)])
    results = made_up([[100, 80, 80, 40], [50, 60]], [[1, 2, 2, 4], [2, 1]], [-1, -1])
    points = value_seats(results, pairings, "points")
    assert points.tolist() == [[100, 80, 80, 40, 0], [50, 60, 0, 0, 0]]
    margins = value_seats(results, pairings, "margin")
    # 100 - 200/3, 80 - 220/3 twice, 40 - 260/3; and 50 - 60, 60 - 50.
    assert margins[0].tolist() == pytest.approx([100 / 3, 20 / 3, 20 / 3, -140 / 3, 0])
    assert margins[1].tolist() == [-10, 10, 0, 0, 0]
    ranks = value_seats(results, pairings, "rank")
    # All three behind; one behind and one equal, twice; nobody.
    assert ranks[0].tolist() == [1, 0.5, 0.5, 0, 0]
    assert ranks[1].tolist() == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("points", [OFFENCE_POINTS, 5, 7]),
        ("margin", [OFFENCE_POINTS, 5 - 17 / 2, 7 - 15 / 2]),
        ("rank", [0, 0.5, 1]),
    ],
)
def test_a_forbidden_move_is_worse_than_any_game_for_who_makes_it(
    kind: str, expected: list[float]
) -> None:
    results = made_up([[10, 5, 7]], [[3, 2, 1]], [0])
    values = value_seats(results, seat_players([[4, 5, 6]], MAX_PLAYERS), kind)
    assert values[0, :3].tolist() == pytest.approx(expected)


def test_means_of_players() -> None:
    pairings = seat_players([[0, 3], [3, 1]], MAX_PLAYERS)
    values = np.array([[10.0, 1, 9, 9, 9], [5, 20, 9, 9, 9]])
    means = mean_by_player(values, pairings, 4)
    assert means[[0, 1, 3]].tolist() == [10, 20, 3]
    assert np.isnan(means[2])


def test_smaller_games_have_fewer_slots() -> None:
    pairings, _ = plan_deals(everybody(4), 2, 2, SEEDS, np.random.default_rng(1))
    assert pairings.shape == (2 * 3 * 2, 2)
