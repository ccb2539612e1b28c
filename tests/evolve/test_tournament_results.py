"""Tournaments: who takes part, who wins, and how ties are drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evolve_arena.arena.batch import new_results
from evolve_arena.arena.pairings import both_colours, tournaments
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.matches import (
    TournamentResults,
    draw_members,
    sum_members,
    sum_points,
    sum_tournaments,
)


def make_contest(
    points: list[list[float]], members: NDArray[np.int32] | None = None
) -> TournamentResults:
    table = np.array(points)
    if members is None:
        members = np.tile(np.arange(table.shape[1], dtype=np.int32), (len(table), 1))
    return TournamentResults(members, table, np.zeros(table.shape[1]))


def test_who_has_most_points_wins() -> None:
    members = np.array([[4, 7, 1], [0, 2, 3], [7, 4, 5]], np.int32)
    played = make_contest([[1.0, 0.0, 2.0], [0.5, 0.0, 0.0], [3.0, 2.5, 2.0]], members)
    for seed in range(20):
        winners = played.winners(new_stream(seed))
        assert winners.tolist() == [1, 0, 7]


@pytest.mark.parametrize(
    ("points", "best"), [([2.0, 1.0, 2.0, 0.0, 2.0], {0, 2, 4}), ([0.0] * 4, {0, 1, 2, 3})]
)
def test_ties_are_drawn_uniformly_among_the_best(points: list[float], best: set[int]) -> None:
    counts = Counter(make_contest([points] * 6000).winners(new_stream(1)).tolist())
    assert set(counts) == best
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@given(individuals=st.integers(2, 30), share=st.floats(0, 1), seed=st.integers(-(2**63), 2**64 - 1))
def test_nobody_is_twice_in_a_tournament(individuals: int, share: float, seed: int) -> None:
    size = 2 + round(share * (individuals - 2))
    members = draw_members(individuals, 25, size, new_stream(seed))
    assert members.shape == (25, size)
    assert members.min() >= 0
    assert members.max() < individuals
    assert all(len(set(row)) == size for row in members.tolist())
    assert np.array_equal(members, draw_members(individuals, 25, size, new_stream(seed)))


@pytest.mark.parametrize(("individuals", "size"), [(10, 3), (7, 7), (5, 2)])
def test_members_are_drawn_uniformly(individuals: int, size: int) -> None:
    members = draw_members(individuals, 20_000, size, new_stream(3))
    for place in range(size):
        counts = np.bincount(members[:, place], minlength=individuals)
        assert stats.chisquare(counts).pvalue > 0.0005


def test_consecutive_tournaments_are_independent() -> None:
    # The deck is not put back in order between tournaments: that must leave no trace.
    firsts = draw_members(5, 40_000, 3, new_stream(5))[:, 0]
    counts = Counter(zip(firsts[0::2].tolist(), firsts[1::2].tolist(), strict=True))
    assert len(counts) == 25
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("games", [1, 2])
def test_points_add_up_match_by_match(games: int) -> None:
    members = draw_members(9, 12, 4, new_stream(6))
    pairings = np.repeat(both_colours(tournaments(members)), games, axis=0)
    outcomes = np.random.default_rng(7).integers(-1, 2, len(pairings)).astype(np.int8)
    results = new_results(make_game("connect-four"), len(pairings))
    results.places[:] = np.stack([1 + (outcomes < 0), 1 + (outcomes > 0)], axis=1)
    won = np.zeros(members.shape)
    points, played = np.zeros(9), np.zeros(9)
    for match, (first, second) in enumerate(pairings.tolist()):
        row = match // (6 * 2 * games)
        for player, outcome in ((first, outcomes[match]), (second, -outcomes[match])):
            gained = {1: 1.0, 0: 0.25, -1: 0.0}[int(outcome)]
            won[row, members[row].tolist().index(player)] += gained
            points[player] += gained
            played[player] += 1.0
    assert np.array_equal(sum_tournaments(results, pairings, members, 0.25), won)
    for sums in (
        sum_points(results, pairings, 9, 0.25),
        sum_members(members, won, len(pairings), 9),
    ):
        assert np.allclose(sums[0], points, rtol=1e-12)
        assert np.array_equal(sums[1], played)
