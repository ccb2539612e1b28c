"""Batches: shapes that fit together, tables that turn, results that join."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.arena.batch import join_results, make_batch, new_results, rotations, seat_players
from evolve_arena.core.game import MAX_SEATS
from evolve_arena.core.registry import find_game, game_names, make_game
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import make_random

GAME = make_game("connect-four")
PAIR = combine_players([make_random(GAME).packed] * 2)
ZEROS = np.zeros((4, 2), np.int32)
SEEDS = np.arange(4, dtype=np.uint64)

TICKETS = make_game("ticket-to-ride")
THREE = combine_players([make_random(TICKETS).packed] * 3)
TWO_SEEDS = np.arange(2, dtype=np.uint64)


def test_a_batch_keeps_what_it_is_given() -> None:
    pairings = seat_players([[0, 1, 2], [2, 2, 1]], MAX_PLAYERS)
    batch = make_batch(TICKETS, THREE, pairings.astype(np.int64), TWO_SEEDS.astype(np.int64))
    assert len(batch) == 2
    assert batch.game == "ticket-to-ride"
    assert batch.rules == TICKETS.rules
    assert batch.pairings.dtype == np.int32
    assert batch.pairings.tolist() == [[0, 1, 2, -1, -1], [2, 2, 1, -1, -1]]
    assert batch.seeds.dtype == np.uint64
    assert len(make_batch(TICKETS, THREE, pairings[:0], TWO_SEEDS[:0])) == 0


def test_all_tables_of_the_games_fit() -> None:
    assert max(find_game(name).most_seats for name in game_names()) == MAX_SEATS
    assert find_game("ticket-to-ride").most_seats == MAX_PLAYERS


def test_work_has_an_output_for_each_field() -> None:
    pairings = seat_players([[0, 1], [1, 2]], MAX_PLAYERS)
    work = make_batch(TICKETS, THREE, pairings, TWO_SEEDS).work()
    results = new_results(TICKETS, 2)
    assert len(work) == 2
    assert work.outputs == (
        ("int8", (2, 5)),
        ("int16", (2,)),
        ("int8", (2,)),
        ("uint64", (2,)),
        *[("int32", (2, 5))] * 4,
    )
    assert [(str(array.dtype), array.shape) for array in results.arrays] == list(work.outputs)
    assert list(results.columns) == ["points", "tickets_done", "tickets_failed", "rounds"]
    pairs = make_batch(GAME, PAIR, ZEROS, SEEDS).work()
    assert [shape for _, shape in pairs.outputs] == [(4, 2), (4,), (4,), (4,)]
    assert new_results(GAME, 4).columns == {}


@pytest.mark.parametrize(
    ("pairings", "seeds", "openings"),
    [
        (np.zeros((4, 3), np.int32), SEEDS, None),
        (np.zeros(4, np.int32), SEEDS, None),
        (ZEROS, SEEDS[:3], None),
        (ZEROS, SEEDS[:, None], None),
        (ZEROS, SEEDS, np.zeros((3, 0), np.int64)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    pairings: np.ndarray, seeds: np.ndarray, openings: np.ndarray | None
) -> None:
    with pytest.raises(ValueError, match="must agree"):
        make_batch(GAME, PAIR, pairings, seeds, openings)


@pytest.mark.parametrize("wrong", [-2, 2, 1000])
def test_players_that_do_not_exist_are_refused(wrong: int) -> None:
    pairings = ZEROS.copy()
    pairings[2, 1] = wrong
    with pytest.raises(ValueError, match="outside 0 to 1"):
        make_batch(GAME, PAIR, pairings, SEEDS)


@pytest.mark.parametrize("row", [[0, -1, -1, -1, -1], [0, 1, -1, 2, -1], [-1, 0, 1, 2, 0]])
def test_empty_seats_come_last_and_two_are_taken(row: list[int]) -> None:
    pairings = np.array([[0, 1, 2, 0, 1], row], np.int32)
    with pytest.raises(ValueError, match="fewer than two players, or an empty seat"):
        make_batch(TICKETS, THREE, pairings, TWO_SEEDS)


def test_everybody_comes_to_every_seat_and_tables_stay_together() -> None:
    turned = rotations([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert turned.tolist() == [
        *([1, 2, 3, 4], [4, 1, 2, 3], [3, 4, 1, 2], [2, 3, 4, 1]),
        *([5, 6, 7, 8], [8, 5, 6, 7], [7, 8, 5, 6], [6, 7, 8, 5]),
    ]


def test_outcomes_are_those_of_who_moved_first() -> None:
    results = new_results(GAME, 3)
    results.places[:] = [[1, 2], [2, 1], [1, 1]]
    assert results.outcomes.tolist() == [1, -1, 0]
    assert results.outcomes.dtype == np.int8


def test_results_join_in_their_order() -> None:
    one, other = new_results(TICKETS, 2), new_results(TICKETS, 1)
    one.columns["points"][:, 0] = 7, 8
    other.columns["points"][0, 0] = 9
    other.offenders[0] = 3
    one.game_hashes[1] = 5
    joined = join_results([one, other])
    assert len(joined) == 3
    assert joined.columns["points"][:, 0].tolist() == [7, 8, 9]
    assert joined.columns["points"].dtype == np.int32
    assert joined.offenders.tolist() == [0, 0, 3]
    assert joined.game_hashes.tolist() == [0, 5, 0]
    assert joined.distinct_games == 2
    assert list(joined.columns) == list(one.columns)


def test_matches_with_an_offender_are_not_completed() -> None:
    results = new_results(TICKETS, 3)
    results.offenders[:] = -1, 0, 4
    assert results.completed.tolist() == [True, False, False]
