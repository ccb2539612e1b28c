"""Fitness sharing, the signal-to-noise ratio of selection, and a diverse hall of fame."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.evolve.matches import find_similar, measure_signal, remember, share_points
from evolve_arena.evolve.settings.matches import HallOfFame


def test_points_for_an_opponent_are_shared_among_those_who_win_them() -> None:
    # Player 0 beats 1 and 2; player 1 beats 2; player 2 beats 3; 3 draws with 0 and beats nobody.
    pairings = np.array([[0, 1], [2, 0], [1, 2], [2, 3], [0, 3]])
    outcomes = np.array([1, -1, 1, 1, 0])
    # Points lost by each: 0: ½ to 3; 1: 1 to 0; 2: 1 to 0 and 1 to 1; 3: 1 to 2 and ½ to 0.
    shares = np.array([1 / 1 + 1 / 2 + 0.5 / 1.5, 1 / 2, 1 / 1.5, 0.5 / 0.5])
    found = share_points(outcomes, pairings, 0.5)
    assert found == pytest.approx(shares * 0.5 / shares.mean())


def test_the_signal_is_what_chance_does_not_explain() -> None:
    rng, games = np.random.default_rng(0), 200
    played = np.full(5000, float(games))
    for spread in (0.0, 0.05, 0.1):
        strength = np.clip(rng.normal(0.5, spread, len(played)), 0.01, 0.99)
        found = measure_signal(rng.binomial(games, strength) / games, played)
        expected = strength.var() / (strength * (1 - strength)).mean() * games
        assert found == pytest.approx(expected, abs=0.1 + 0.1 * expected)


def test_those_who_did_not_play_say_nothing_about_the_signal() -> None:
    fitness, played = np.array([0.2, 0.8, np.nan]), np.array([10.0, 10.0, 0.0])
    assert measure_signal(fitness, played) == measure_signal(fitness[:2], played[:2])
    assert measure_signal(fitness[2:], played[2:]) == 0.0
    assert measure_signal(np.array([1.0, 0.0]), np.array([5.0, 5.0])) == 0.0, "all games were sure"


def test_the_member_that_is_most_like_the_newcomer_leaves() -> None:
    hall = np.array([[1, 0, 0], [0, 5, 1], [0, 0, -2]], dtype=np.float32)
    newcomer = np.array([0.1, 0.3, 0], dtype=np.float32)
    assert find_similar(hall, newcomer) == 1
    config = HallOfFame(size=3, every=1, opponents=1, diverse=True)
    kept = remember(config, hall, newcomer, seed=1, generation=4)
    assert kept.tolist() == np.stack([hall[0], hall[2], newcomer]).tolist()
    assert len(remember(config, hall[:2], newcomer, seed=1, generation=4)) == 3
