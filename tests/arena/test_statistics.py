"""Conclusions from a number of games, against published figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.arena.statistics import (
    elo_difference,
    json_interval,
    normal_interval,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in
        # Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_against_newcombe(points: int, games: int, low: float, high: float) -> None:
    found = wilson_interval(points, games)
    assert (round(found[0], 4), round(found[1], 4)) == (low, high)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, 2 * n), st.just(n))))
def test_wilson_solves_its_equation(points_and_games: tuple[int, int]) -> None:
    """At either end the share found is 1.96 standard errors away, by definition."""
    doubled, games = points_and_games
    points = doubled / 2
    low, high = wilson_interval(points, games)
    share = points / games
    assert 0.0 <= low <= share <= high <= 1.0
    for end in (low, high):
        if 1e-9 < end < 1 - 1e-9:
            error = math.sqrt(end * (1 - end) / games)
            assert abs(abs(share - end) / error - 1.959964) < 1e-4


def test_the_interval_ends_at_0_and_1_if_nothing_or_everything_was_won() -> None:
    """Rounding took it past the share, and matplotlib refuses error bars of negative length."""
    for games in [*range(1, 5001), 10**6, 10**9, 2**53, 10**18, 10**100]:
        none, every = wilson_interval(0, games), wilson_interval(games, games)
        assert (none[0], every[1]) == (0.0, 1.0), games
        assert none[1] > 0.0
        assert every[0] < 1.0 or games > 10**9


@pytest.mark.parametrize(
    ("share", "difference"),
    [(0.5, 0), (0.64, 100), (0.76, 200), (0.85, 301), (0.91, 402), (0.24, -200)],
)
def test_elo_of_common_shares(share: float, difference: int) -> None:
    assert round(elo_difference(share)) == difference


@given(st.floats(0.001, 0.999))
def test_elo_gives_the_share_back(share: float) -> None:
    expected = 1 / (1 + 10 ** (-elo_difference(share) / 400))
    assert math.isclose(expected, share, rel_tol=1e-9)


def test_elo_has_no_end() -> None:
    assert elo_difference(1.0) == math.inf
    assert elo_difference(0.0) == -math.inf


def test_the_interval_of_a_mean_worked_out_by_hand() -> None:
    """Of 1, 3 and 8 the mean is 4, the squares add up to 26, so the error is sqrt(13 / 3)."""
    half = 1.959963984540054 * math.sqrt(13 / 3)
    assert normal_interval([1, 3, 8]) == pytest.approx((4 - half, 4 + half))
    assert normal_interval(np.full(9, 7)) == (7.0, 7.0)


@pytest.mark.parametrize("values", [[], [5.0]])
def test_of_one_value_nothing_is_known(values: list[float]) -> None:
    assert normal_interval(values) == (-math.inf, math.inf)
    assert json_interval(normal_interval(values)) is None
    assert json_interval((1.0, 2.0)) == [1.0, 2.0]
