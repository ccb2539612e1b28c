"""Tables: who sits where, and what a match is worth, worked out by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.arena.batch import Results, new_results, seat_players
from evolve_arena.core.registry import make_game
from evolve_arena.evolve.matches import OFFENCE_POINTS, mean_by_player, value_seats
from evolve_arena.evolve.tables import plan_tables
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS

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
    seatings, seeds = plan_tables(
        everybody(3), 4, MOST_PLAYERS, SEEDS, np.random.default_rng(1), company=[3], company_seats=4
    )
    assert len(seatings) == 3 * 3 * 4
    for player in range(3):
        own = (seatings == player).any(axis=1)
        seats = np.argmax(seatings[own] == player, axis=1)
        met = Counter(zip(seeds[own].tolist(), seats.tolist(), strict=True))
        assert met == Counter({(seed, seat): 1 for seed in (11, 12, 13) for seat in range(4)})
    assert (np.sort(seatings[:, :4], axis=1)[:, 1:] == 3).all()
    assert (seatings[:, 4] == -1).all()


def test_everybody_sits_in_every_seat_with_every_deck() -> None:
    seatings, seeds = plan_tables(everybody(8), 4, MOST_PLAYERS, SEEDS, np.random.default_rng(1))
    assert len(seatings) == 2 * 3 * 4
    for seed in SEEDS:
        for seat in range(4):
            assert sorted(seatings[seeds == seed, seat].tolist()) == list(range(8))


def test_tables_are_dealt_anew_for_each_deck_and_stay_together_while_they_turn() -> None:
    seatings, seeds = plan_tables(everybody(12), 3, MOST_PLAYERS, SEEDS, np.random.default_rng(1))
    companies = [{frozenset(row.tolist()) for row in seatings[seeds == seed, :3]} for seed in SEEDS]
    assert [len(tables) for tables in companies] == [4, 4, 4]
    assert companies[0] != companies[1] != companies[2]


def test_a_table_that_is_not_full_takes_in_some_who_have_a_seat_already() -> None:
    seatings, _ = plan_tables(
        everybody(5), 4, MOST_PLAYERS, SEEDS[:1], np.random.default_rng(1), rotate=False
    )
    assert len(seatings) == 2
    assert sorted(Counter(seatings[:, :4].ravel().tolist()).values()) == [1, 1, 2, 2, 2]
    assert all(len(set(row[:4].tolist())) == 4 for row in seatings)


def test_company_sits_between_the_others_and_takes_turns() -> None:
    seatings, _ = plan_tables(
        everybody(2),
        4,
        MOST_PLAYERS,
        SEEDS,
        np.random.default_rng(1),
        company=[2, 3, 4],
        company_seats=2,
        rotate=False,
    )
    assert [{*row[:4]} - {0, 1} for row in seatings.tolist()] == [{2, 3}, {3, 4}, {4, 2}]
    own = np.isin(seatings[:, :4], [0, 1])
    # Everybody moves on a seat with each deck.
    assert own.tolist() == [[True, False] * 2, [False, True] * 2, [True, False] * 2]


def test_points_margins_and_ranks() -> None:
    # Four at the first table, of whom two share the second place; two at the other.
    seatings = seat_players([[0, 1, 2, 3]], MOST_PLAYERS)
    seatings = np.concatenate([seatings, seat_players([[1, 0]], MOST_PLAYERS)])
    results = made_up([[100, 80, 80, 40], [50, 60]], [[1, 2, 2, 4], [2, 1]], [-1, -1])
    points = value_seats(results, seatings, "points")
    assert points.tolist() == [[100, 80, 80, 40, 0], [50, 60, 0, 0, 0]]
    margins = value_seats(results, seatings, "margin")
    # 100 - 200/3, 80 - 220/3 twice, 40 - 260/3; and 50 - 60, 60 - 50.
    assert margins[0].tolist() == pytest.approx([100 / 3, 20 / 3, 20 / 3, -140 / 3, 0])
    assert margins[1].tolist() == [-10, 10, 0, 0, 0]
    ranks = value_seats(results, seatings, "rank")
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
    values = value_seats(results, seat_players([[4, 5, 6]], MOST_PLAYERS), kind)
    assert values[0, :3].tolist() == pytest.approx(expected)


def test_means_of_players() -> None:
    seatings = seat_players([[0, 3], [3, 1]], MOST_PLAYERS)
    values = np.array([[10.0, 1, 9, 9, 9], [5, 20, 9, 9, 9]])
    means = mean_by_player(values, seatings, 4)
    assert means[[0, 1, 3]].tolist() == [10, 20, 3]
    assert np.isnan(means[2])


def test_smaller_games_have_fewer_slots() -> None:
    seatings, _ = plan_tables(everybody(4), 2, 2, SEEDS, np.random.default_rng(1))
    assert seatings.shape == (2 * 3 * 2, 2)
