"""Ratings: against closed forms, and against players whose strengths are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evolve_arena.arena.crosstable import rate_players
from evolve_arena.arena.statistics import elo_difference

Table = NDArray[np.float64]


def simulate(elo: Table, games: NDArray[np.int64], rng: np.random.Generator) -> tuple[Table, Table]:
    """Return points and games of players of these strengths, for the upper triangle of *games*."""
    expected = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    upper = np.triu(games, k=1)
    won = np.triu(rng.binomial(upper, expected), k=1).astype(float)
    return won + (upper - won).T * (upper.T > 0), (upper + upper.T).astype(float)


@pytest.mark.parametrize(("won", "played"), [(70, 100), (50.5, 100), (0, 10), (10, 10), (3, 4)])
def test_two_players_have_a_closed_form(won: float, played: int) -> None:
    points = np.array([[0.0, won], [played - won, 0.0]])
    games = np.array([[0.0, played], [played, 0.0]])
    first, second = rate_players(points, games)
    share = (won + 0.5) / (played + 1)
    assert first.elo - second.elo == pytest.approx(elo_difference(share), abs=1e-6)
    assert first.elo + second.elo == pytest.approx(0.0, abs=1e-6)
    # The difference has the standard error of a logit; each player stands half of it from 0.
    scale = 400 / math.log(10)
    error = 1.959963984540054 * scale / math.sqrt((played + 1) * share * (1 - share)) / 2
    assert [first.error, second.error] == pytest.approx([error, error], rel=1e-6)


def test_the_interval_holds_the_truth_in_about_95_of_100_cases() -> None:
    rng = np.random.default_rng(3)
    elo = np.array([120.0, 30.0, -30.0, -120.0])
    inside = []
    for _ in range(400):
        ratings = rate_players(*simulate(elo, np.full((4, 4), 60), rng))
        inside += [
            abs(rating.elo - true) <= rating.error
            for rating, true in zip(ratings, elo, strict=True)
        ]
    assert 0.93 < np.mean(inside) < 0.975


def test_who_wins_or_loses_everything_is_rated_all_the_same() -> None:
    points = np.array([[0.0, 50.0, 50.0], [0.0, 0.0, 25.0], [0.0, 25.0, 0.0]])
    games = 50.0 * (1 - np.eye(3))
    best, second, third = rate_players(points, games)
    assert 400 < best.elo < 1500
    assert second.elo == pytest.approx(third.elo, abs=1e-6)
    assert second.elo == pytest.approx(-best.elo / 2, abs=1e-6)
    assert math.isfinite(best.error)
    assert best.error > second.error > 0.0


def test_who_met_nobody_stays_at_zero() -> None:
    points, games = np.zeros((3, 3)), np.zeros((3, 3))
    points[0, 1], games[0, 1], games[1, 0] = 10.0, 10.0, 10.0
    first, second, third = rate_players(points, games)
    assert first.elo == pytest.approx(elo_difference(10.5 / 11) / 2, abs=1e-6)
    assert first.elo == pytest.approx(-second.elo)
    assert third.elo == pytest.approx(0.0, abs=1e-9)


def test_separate_groups_are_rated_each_by_itself() -> None:
    points, games = np.zeros((5, 5)), np.zeros((5, 5))
    for one, other, won in ((0, 1, 900.0), (2, 3, 6.0), (3, 4, 5.0)):
        played = 10.0 if one else 1000.0
        points[one, other], points[other, one] = won, played - won
        games[one, other] = games[other, one] = played
    elo = [rating.elo for rating in rate_players(points, games)]
    assert elo[0] - elo[1] == pytest.approx(elo_difference(900.5 / 1001), abs=1e-6)
    assert elo[2] - elo[3] == pytest.approx(elo_difference(6.5 / 11), abs=1e-6)
    assert elo[3] - elo[4] == pytest.approx(0.0, abs=1e-6)
    assert elo[0] + elo[1] == pytest.approx(0.0, abs=1e-6)
    assert elo[2] + elo[3] + elo[4] == pytest.approx(0.0, abs=1e-6)


@settings(max_examples=60)
@given(
    players=st.integers(2, 6),
    scale=st.floats(0.0, 1500.0),
    lengths=st.lists(st.sampled_from([1, 2, 10, 1000, 100_000]), min_size=15, max_size=15),
    seed=st.integers(0, 2**32),
)
def test_the_mean_is_zero_and_expected_points_are_those_won(
    players: int, scale: float, lengths: list[int], seed: int
) -> None:
    """Both define the ratings, however unevenly the games are spread."""
    rng = np.random.default_rng(seed)
    games = np.zeros((players, players), np.int64)
    games[np.triu_indices(players, k=1)] = lengths[: players * (players - 1) // 2]
    points, met = simulate(rng.normal(0.0, scale, players), games, rng)
    elo = np.array([rating.elo for rating in rate_players(points, met)])
    assert elo.mean() == pytest.approx(0.0, abs=1e-3)
    expected = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    others = 1 - np.eye(players)
    won = (points + 0.5 * others).sum(axis=1)
    assert ((met + others) * expected).sum(axis=1) == pytest.approx(won, rel=1e-4)
