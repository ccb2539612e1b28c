"""Seatings: shapes that fit, tables that turn, results that join."""

from __future__ import annotations

import numpy as np
import pytest
from evolve_arena.arena.seating import OUTPUTS

from evolve_arena.arena.batch import join_results, make_batch, new_results, rotations, seat_players
from evolve_arena.core.game import MOST_SEATS
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.players.lineup import RANDOM, combine_lineups, simple_lineup

GAME = make_game("ticket-to-ride")
THREE = combine_lineups([simple_lineup(RANDOM)] * 3)
SEEDS = np.arange(2, dtype=np.uint64)


def test_a_batch_keeps_what_it_is_given() -> None:
    seatings = seat_players([[0, 1, 2], [2, 2, 1]])
    batch = make_batch(GAME, THREE, seatings.astype(np.int64), SEEDS.astype(np.int64))
    assert len(batch) == 2
    assert batch.game == "ticket-to-ride"
    assert batch.rules == GAME.rules
    assert batch.seatings.dtype == np.int32
    assert batch.seatings.tolist() == [[0, 1, 2, -1, -1], [2, 2, 1, -1, -1]]
    assert batch.seeds.dtype == np.uint64
    assert len(make_batch(GAME, THREE, seatings[:0], SEEDS[:0])) == 0


def test_all_tables_of_the_game_fit() -> None:
    assert MOST_SEATS == MOST_PLAYERS


def test_work_has_an_output_for_each_field() -> None:
    work = make_batch(GAME, THREE, seat_players([[0, 1], [1, 2]]), SEEDS).work()
    assert len(work) == 2
    assert [kind for kind, _ in work.outputs] == [
        *("int16", "int8", "int8", "int8", "int16", "int8", "uint64")
    ]
    assert [shape for _, shape in work.outputs] == [(2, 5)] * 4 + [(2,)] * 3
    assert len(OUTPUTS) == 7


@pytest.mark.parametrize(
    ("seatings", "seeds"),
    [
        (np.zeros((2, 4), np.int32), SEEDS),
        (np.zeros(2, np.int32), SEEDS),
        (np.zeros((2, 5), np.int32), SEEDS[:1]),
        (np.zeros((2, 5), np.int32), SEEDS[:, None]),
    ],
)
def test_shapes_that_do_not_fit_are_refused(seatings: np.ndarray, seeds: np.ndarray) -> None:
    with pytest.raises(ValueError, match="must agree"):
        make_batch(GAME, THREE, seatings, seeds)


@pytest.mark.parametrize("wrong", [-2, 3, 1000])
def test_players_that_do_not_exist_are_refused(wrong: int) -> None:
    seatings = seat_players([[0, 1], [2, wrong]])
    with pytest.raises(ValueError, match="outside 0 to 2"):
        make_batch(GAME, THREE, seatings, SEEDS)


@pytest.mark.parametrize("row", [[0, -1, -1, -1, -1], [0, 1, -1, 2, -1], [-1, 0, 1, 2, 0]])
def test_empty_seats_come_last_and_two_are_taken(row: list[int]) -> None:
    seatings = np.array([[0, 1, 2, 0, 1], row], np.int32)
    with pytest.raises(ValueError, match="empty seat"):
        make_batch(GAME, THREE, seatings, SEEDS)


def test_everybody_comes_to_every_seat_and_tables_stay_together() -> None:
    turned = rotations([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert turned.tolist() == [
        *([1, 2, 3, 4], [4, 1, 2, 3], [3, 4, 1, 2], [2, 3, 4, 1]),
        *([5, 6, 7, 8], [8, 5, 6, 7], [7, 8, 5, 6], [6, 7, 8, 5]),
    ]


def test_results_join_in_their_order() -> None:
    one, other = new_results(2), new_results(1)
    one.points[:, 0] = 7, 8
    other.points[0, 0] = 9
    other.offenders[0] = 3
    one.games[1] = 5
    joined = join_results([one, other])
    assert len(joined) == 3
    assert joined.points[:, 0].tolist() == [7, 8, 9]
    assert joined.points.dtype == np.int16
    assert joined.offenders.tolist() == [0, 0, 3]
    assert joined.games.tolist() == [0, 5, 0]
    assert joined.distinct_games == 2


def test_matches_with_an_offender_are_not_completed() -> None:
    results = new_results(3)
    results.offenders[:] = -1, 0, 4
    assert results.completed.tolist() == [True, False, False]
