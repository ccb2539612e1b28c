"""Tournaments at tables: balanced seats, and ratings that follow from places."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from evolve_arena.arena.batch import new_results, rotations, seat_players
from evolve_arena.arena.executors import ProcessExecutor
from evolve_arena.arena.standings import (
    PlaceRating,
    Standings,
    _draw_tables,
    play_at_tables,
    rate_places,
)
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.players.specification import make_player

GAME = make_game("ticket-to-ride")
SLOTS = find_game("ticket-to-ride").most_seats


@settings(max_examples=60)
@given(
    players=st.integers(2, 9),
    seats=st.integers(2, 5),
    games=st.integers(1, 200),
    seed=st.integers(0, 2**40),
)
def test_everybody_plays_equally_often_in_every_seat(
    players: int, seats: int, games: int, seed: int
) -> None:
    seats = min(seats, players)
    tables = _draw_tables(players, seats, games, seed)
    assert all(len(set(row)) == seats for row in tables.tolist())
    pairings = rotations(tables)
    assert games <= len(pairings) < games + players * seats
    each = len(pairings) // players
    for seat in range(seats):
        assert np.bincount(pairings[:, seat], minlength=players).tolist() == [each] * players


def test_all_sets_of_players_meet() -> None:
    tables = _draw_tables(5, 3, 3000, 1)
    assert len({frozenset(row) for row in tables.tolist()}) == 10


def test_ratings_are_those_of_the_model_game_by_game() -> None:
    pairings = seat_players([[2, 0, 1], [1, 2, 0]], SLOTS)
    places = np.array([[1, 3, 2, 0, 0], [1, 2, 2, 0, 0]], np.int8)
    model = PlackettLuce()
    a, b, c = (model.rating() for _ in range(3))
    (c,), (a,), (b,) = model.rate([[c], [a], [b]], ranks=[1, 3, 2])
    (b,), (c,), (a,) = model.rate([[b], [c], [a]], ranks=[1, 2, 2])
    assert rate_places(3, pairings, places) == [
        PlaceRating(rating.mu, rating.sigma) for rating in (a, b, c)
    ]


def test_who_always_wins_has_the_highest_rating_and_who_loses_the_lowest() -> None:
    tables = rotations(_draw_tables(5, 3, 300, 7))
    pairings = seat_players(tables, SLOTS)
    # The lower its number, the better its place.
    places = np.zeros(pairings.shape, np.int8)
    places[:, :3] = 1 + np.argsort(np.argsort(tables, axis=1), axis=1)
    ratings = rate_places(5, pairings, places)
    strengths = [rating.mu for rating in ratings]
    assert strengths == sorted(strengths, reverse=True)
    assert all(rating.sigma < 25 / 3 for rating in ratings)
    assert ratings[0].ordinal == ratings[0].mu - 3 * ratings[0].sigma


def test_rows_worked_out_by_hand() -> None:
    pairings = seat_players(rotations([[0, 1], [1, 2]]), SLOTS)
    results = new_results(GAME, 4)
    results.columns["points"][:, :2] = [[50, 40], [70, 90], [10, 20], [30, 30]]
    results.places[:, :2] = [[1, 2], [2, 1], [2, 1], [1, 1]]
    results.columns["tickets_done"][:, :2] = [[1, 2], [3, 4], [5, 6], [7, 8]]
    results.columns["tickets_failed"][:, 1] = [1, 1, 1, 1]
    results.offenders[:] = -1, -1, 0, -1
    results.game_hashes[:] = 1, 2, 3, 4
    ratings = [PlaceRating(25.0, 2.0), PlaceRating(21.0, 2.0), PlaceRating(26.0, 1.0)]
    standings = Standings(("a", "b", "c"), pairings, results, ratings)
    assert standings.seats == 2
    assert standings.ranking == [2, 0, 1]
    content = standings.to_dict()
    assert [row["name"] for row in content["players"]] == ["c", "a", "b"]
    c, a, b = content["players"]
    # a: 50 and 90 won both; b: 40, 70 lost, 10 lost by an offence, 30 shared; c: 20 won, 30.
    assert (a["games"], a["points"], a["wins"], a["share"]) == (2, 70.0, 2.0, 1.0)
    assert (b["games"], b["points"], b["wins"], b["forbidden_moves"]) == (4, 37.5, 0.5, 1)
    assert (c["games"], c["points"], c["wins"], c["share"]) == (2, 25.0, 1.5, 0.75)
    # b's tables: 55 and 20.
    half = 1.959963984540054 * 35 / 2
    assert b["points_95"] == pytest.approx([37.5 - half, 37.5 + half])
    assert a["points_95"] is None
    assert (b["tickets_done"], b["tickets_failed"]) == ((2 + 3 + 5 + 8) / 4, 2 / 4)
    assert content["aborted_games"] == 1
    assert content["columns"] == ["tickets_done", "tickets_failed", "rounds"]
    json.dumps(content, allow_nan=False)


def test_the_rule_player_is_rated_above_random_ones() -> None:
    players = [make_player(name, GAME) for name in ("random", "rule", "random")]
    told = []
    standings = play_at_tables(
        GAME, players, games=80, seed=2, progress=lambda done, of: told.append((done, of))
    )
    assert standings.names == ("random #1", "rule", "random #2")
    assert standings.seats == 3
    assert len(standings.results) == 81
    assert told == [(81, 81)]
    assert standings.ranking[0] == 1
    assert standings.to_dict()["players"][0]["share"] > 0.9
    with ProcessExecutor(2) as executor:
        same = play_at_tables(GAME, players, games=80, seed=2, executor=executor)
    assert same.to_dict() == standings.to_dict()


def test_tables_keep_their_decks_while_everybody_moves_up() -> None:
    """Players that move alike play the same game in all rotations of a table, and not in others."""
    players = [make_player("random", GAME)] * 5
    standings = play_at_tables(GAME, players, games=60, seats=3, seed=1)
    games = standings.results.game_hashes.reshape(-1, 3)
    assert (games == games[:, :1]).all()
    assert len(np.unique(games)) == len(games) == 20


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (1, {}, "at least two players"),
        (2, {"games": 0}, "games is 0"),
        (2, {"seats": 3}, "a table of 3 seats: there are only 2 players"),
        (2, {"seats": 1}, "a table of 1 seats"),
    ],
)
def test_values_out_of_range_are_refused(count: int, options: dict[str, int], message: str) -> None:
    players = [make_player("random", GAME)] * count
    with pytest.raises(BadValueError, match=message):
        play_at_tables(GAME, players, **options)
