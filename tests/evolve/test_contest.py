"""Tournaments: who takes part, who wins, and how ties are drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evolve.contest import Contest, draw_members


def make_contest(points: list[list[float]], members: NDArray[np.int32] | None = None) -> Contest:
    table = np.array(points)
    if members is None:
        members = np.tile(np.arange(table.shape[1], dtype=np.int32), (len(table), 1))
    return Contest(members, table, np.zeros(table.shape[1]))


def test_who_has_most_points_wins() -> None:
    members = np.array([[4, 7, 1], [0, 2, 3], [7, 4, 5]], np.int32)
    contest = make_contest([[1.0, 0.0, 2.0], [0.5, 0.0, 0.0], [3.0, 2.5, 2.0]], members)
    for seed in range(20):
        winners = contest.winners(np.random.default_rng(seed))
        assert winners.tolist() == [1, 0, 7]


def test_ties_are_drawn_uniformly_among_the_best() -> None:
    rows = 6000
    contest = make_contest([[2.0, 1.0, 2.0, 0.0, 2.0]] * rows)
    counts = Counter(contest.winners(np.random.default_rng(1)).tolist())
    assert set(counts) == {0, 2, 4}
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_a_tournament_without_any_win_is_drawn_among_all() -> None:
    contest = make_contest([[0.0] * 4] * 4000)
    counts = Counter(contest.winners(np.random.default_rng(2)).tolist())
    assert set(counts) == {0, 1, 2, 3}
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@given(individuals=st.integers(2, 30), share=st.floats(0, 1), seed=st.integers(-(2**63), 2**64 - 1))
def test_nobody_is_twice_in_a_tournament(individuals: int, share: float, seed: int) -> None:
    size = 2 + round(share * (individuals - 2))
    members = draw_members(individuals, 25, size, seed)
    assert members.shape == (25, size)
    assert members.min() >= 0
    assert members.max() < individuals
    assert all(len(set(row)) == size for row in members.tolist())
    assert np.array_equal(members, draw_members(individuals, 25, size, seed))


@pytest.mark.parametrize(("individuals", "size"), [(10, 3), (7, 7), (5, 2)])
def test_members_are_drawn_uniformly(individuals: int, size: int) -> None:
    members = draw_members(individuals, 20_000, size, seed=3)
    for place in range(size):
        counts = np.bincount(members[:, place], minlength=individuals)
        assert stats.chisquare(counts).pvalue > 0.0005


def test_pairs_of_members_are_drawn_uniformly() -> None:
    members = draw_members(6, 30_000, 2, seed=4)
    counts = Counter(map(tuple, members.tolist()))
    assert len(counts) == 30
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_consecutive_tournaments_are_independent() -> None:
    # The deck is not put back in order between tournaments: that must leave no trace.
    firsts = draw_members(5, 40_000, 3, seed=5)[:, 0]
    counts = Counter(zip(firsts[0::2].tolist(), firsts[1::2].tolist(), strict=True))
    assert len(counts) == 25
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_seeds_draw_different_tournaments() -> None:
    assert not np.array_equal(draw_members(50, 10, 5, seed=1), draw_members(50, 10, 5, seed=2))
