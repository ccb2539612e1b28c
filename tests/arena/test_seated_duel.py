"""Duels at tables: who sits where, what counts as won, and figures worked out by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from evolve_arena.arena.batch import Batch, Results, new_results, seat_players
from evolve_arena.arena.duel import duel, summarise
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.players.specification import make_player

GAME = make_game("ticket-to-ride")
NAMES = ("a", "b")
Z = 1.959963984540054


class Recorder(SerialExecutor):
    """Plays in this process and keeps what it was asked."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def seat(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        self.batches.append(batch)
        return super().seat(batch)


def by_hand() -> tuple[np.ndarray, Results]:
    """Four games at tables of four, in pairs with the same decks."""
    seatings = seat_players([[0, 1, 0, 1], [1, 0, 1, 0]] * 2)
    results = new_results(4)
    results.points[:, :4] = [
        [100, 90, 80, 70],
        [111, 120, 121, 141],
        [50, 50, 20, 10],
        [10, 20, -5, 30],
    ]
    results.places[:, :4] = [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 3, 4], [2, 1, 3, 4]]
    results.done[:, :4] = [[3, 1, 1, 1], [1, 4, 1, 2], [2, 1, 0, 1], [0, 0, 0, 0]]
    results.failed[:, :4] = [[0, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 2, 0]]
    results.rounds[:] = 40, 44, 45, 7
    results.offenders[:] = -1, -1, -1, 3
    results.games[:] = 1, 2, 3, 3
    return seatings, results


def test_figures_worked_out_by_hand() -> None:
    seatings, results = by_hand()
    cheats = (ForfeitCount(0, "illegal move", 1, "a makes a forbidden move."),)
    result = summarise(NAMES, seatings, results, cheats)
    # Best places of a and b: 1-2, 1-2 (a sits in seats 1 and 3 now), 1-1, 1-2 (but a cheats).
    assert (result.wins, result.draws, result.losses) == (2, 1, 0)
    assert result.games == result.counted == 4
    assert result.score == 2.5 / 4
    assert result.forfeits == cheats
    assert result.terminations == {"win": 2, "draw": 1, "illegal move": 1}
    assert result.distinct_games == 3
    assert result.seats == 4
    a, b = result.sides
    # a: 100+80, 120+141, 50+20, 20+30; b: 90+70, 111+121, 50+10, 10-5.
    assert result.mean_points == (a.points, b.points) == (561 / 8, 457 / 8)
    assert a.above == {110: 2 / 8, 120: 1 / 8, 140: 1 / 8}
    assert b.above == {110: 2 / 8, 120: 1 / 8, 140: 0.0}
    # Done: a 3+1, 4+2, 2+0, 0; b 1+1, 1+1, 1+1, 0. Not done: a 0+1, 0, 1, 0; b 1+1, 0, 0, 2+2.
    assert (a.done, a.failed) == (12 / 8, 2 / 8)
    assert (b.done, b.failed) == (6 / 8, 6 / 8)
    assert result.forbidden == (1, 0)
    assert result.rounds == 43.0
    # Margins per game: 10, 14.5, 5, 22.5; per pair 12.25 and 13.75, so half of it is
    # 1.96 * 1.0607 / sqrt(2).
    assert result.margin == 13.0
    half = Z * math.sqrt(1.125) / math.sqrt(2)
    assert result.margin_interval == pytest.approx((13.0 - half, 13.0 + half))
    # a's pairs: 441/4 and 120/4.
    half = Z * (441 / 4 - 30) / 2
    assert a.points_interval == pytest.approx((561 / 8 - half, 561 / 8 + half))
    json.dumps(result.to_dict(), allow_nan=False)


def test_three_seats_count_two_and_one() -> None:
    seatings = seat_players([[0, 1, 0], [1, 0, 1]])
    results = new_results(2)
    results.points[:, :3] = [[30, 60, 90], [0, 30, 20]]
    results.places[:, :3] = [[3, 2, 1], [3, 1, 2]]
    results.offenders[:] = -1
    result = summarise(NAMES, seatings, results, ())
    assert result.mean_points == (50.0, 80 / 3)
    assert result.margin == (0 + 20) / 2
    assert result.margin_interval == (-math.inf, math.inf)
    content = result.to_dict()
    assert content["margin_95"] is None
    assert content["sides"][0]["points_95"] is None
    assert (result.wins, result.losses) == (2, 0)


@pytest.mark.parametrize(
    ("seats", "first", "second"),
    [
        (2, [0, 1], [1, 0]),
        (3, [0, 1, 0], [1, 0, 1]),
        (4, [0, 1, 0, 1], [1, 0, 1, 0]),
        (5, [0, 1, 0, 1, 0], [1, 0, 1, 0, 1]),
    ],
)
def test_seats_alternate_and_are_changed_with_the_same_decks(
    seats: int, first: list[int], second: list[int]
) -> None:
    recorder = Recorder()
    players = make_player("random", GAME), make_player("random", GAME)
    result = duel(GAME, *players, games=5, seats=seats, executor=recorder)
    assert result.games == 6
    assert result.seats == seats
    (batch,) = recorder.batches
    assert batch.seatings[:, :seats].tolist() == [first, second] * 3
    assert (batch.seatings[:, seats:] == -1).all()
    assert np.array_equal(batch.seeds[0::2], batch.seeds[1::2])
    assert len(set(batch.seeds.tolist())) == 3


def test_a_player_against_itself_is_even() -> None:
    """Both games of a pair are the same game, told from both sides."""
    players = make_player("random", GAME), make_player("random", GAME)
    result = duel(GAME, *players, games=60)
    assert result.wins == result.losses
    assert result.margin == 0.0
    assert result.margin_interval == (0.0, 0.0)
    assert result.mean_points[0] == result.mean_points[1]
    assert result.distinct_games == 30


def test_a_duel_of_the_game_is_one_at_tables() -> None:
    players = make_player("rule", GAME), make_player("random", GAME)
    result = duel(GAME, *players, games=20, seed=3)
    assert isinstance(result, DuelResult)
    assert result == duel(GAME, *players, games=20, seed=3)
    assert isinstance(result, DuelResult)
    assert result.names == ("rule:text", "random")
    assert result.wins >= 19
    assert result.margin > 50
    assert sum(result.terminations.values()) == 20
    assert result.mean_points[0] - result.mean_points[1] == pytest.approx(result.margin)
    assert result != duel(GAME, *players, games=20, seed=4)


def test_every_executor_gives_the_same_result() -> None:
    players = make_player("rule", GAME), make_player("random", GAME)
    expected = duel(GAME, *players, games=200, seats=3)
    with ProcessExecutor(2) as executor:
        assert duel(GAME, *players, games=200, seats=3, executor=executor) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games is 0"),
        ({"seats": 1}, "a table of 1 seats: there must be from 2 to 5"),
        ({"seats": 6}, "a table of 6 seats"),
    ],
)
def test_values_out_of_range_are_refused(options: dict[str, int], message: str) -> None:
    players = make_player("random", GAME), make_player("random", GAME)
    with pytest.raises(BadValueError, match=message):
        duel(GAME, *players, **options)


def test_random_beginnings_are_refused() -> None:
    players = make_player("random", GAME), make_player("random", GAME)
    with pytest.raises(BadValueError, match="openings of 2 plies"):
        duel(GAME, *players, games=2, opening_plies=2)
