"""Pairings and seats of matches."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evolve_arena.arena.pairings import (
    both_colours,
    gauntlet,
    inside_groups,
    over_openings,
    random_opponents,
    round_robin,
    tournaments,
)
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.stream import new_stream


@given(st.integers(0, 40))
def test_a_round_robin_has_every_two_once(players: int) -> None:
    pairings = round_robin(players)
    assert pairings.dtype == np.int32
    assert pairings.shape == (players * (players - 1) // 2, 2)
    assert [tuple(pair) for pair in pairings.tolist()] == list(combinations(range(players), 2))


@given(st.integers(1, 6), st.integers(2, 8), st.randoms(use_true_random=False))
def test_tournaments_stay_apart(count: int, size: int, choices: object) -> None:
    members = np.array([choices.sample(range(100), size) for _ in range(count)], dtype=np.int32)
    pairings = tournaments(members).reshape(count, -1, 2)
    assert pairings.shape[1] == size * (size - 1) // 2
    for row, pairs in zip(members.tolist(), pairings.tolist(), strict=True):
        assert [tuple(pair) for pair in pairs] == list(combinations(row, 2))
        games = Counter(player for pair in pairs for player in pair)
        assert games == dict.fromkeys(row, size - 1)


def test_a_gauntlet_meets_everyone_and_moves_first() -> None:
    pairings = gauntlet(np.array([3, 1]), np.array([8, 9, 7]))
    assert pairings.tolist() == [[3, 8], [3, 9], [3, 7], [1, 8], [1, 9], [1, 7]]
    assert pairings.dtype == np.int32
    assert gauntlet(np.array([3]), np.array([], dtype=np.int32)).shape == (0, 2)


@given(st.integers(0, 60), st.integers(2, 70), st.integers(0, 2**64 - 1))
def test_everybody_meets_as_many_random_others_and_nobody_twice(
    players: int, opponents: int, seed: int
) -> None:
    pairings = random_opponents(players, opponents, new_stream(seed))
    assert pairings.dtype == np.int32
    assert pairings.shape[1] == 2
    pairs = {frozenset(pair) for pair in pairings.tolist()}
    assert len(pairs) == len(pairings)
    assert all(len(pair) == 2 for pair in pairs)
    each = opponents + opponents % 2
    expected = min(each, max(players - 1, 0))
    games = Counter(pairings.ravel().tolist())
    assert games == (dict.fromkeys(range(players), expected) if expected else {})
    if each < players - 1:  # then everybody moves first in half of them
        assert set(Counter(pairings[:, 0].tolist()).values()) == {each // 2}


@pytest.mark.parametrize(("players", "opponents"), [(7, 2), (8, 4), (9, 3), (12, 10)])
def test_every_two_are_as_likely_to_meet(players: int, opponents: int) -> None:
    draws = 3000
    met: Counter[tuple[int, int]] = Counter()
    for draw in range(draws):
        pairings = random_opponents(players, opponents, derive_stream(1, draw, "test"))
        met.update(map(tuple, pairings.tolist()))
    each = opponents + opponents % 2
    possible = players * (players - 1)
    assert len(met) == possible  # in either order
    assert stats.chisquare(list(met.values())).pvalue > 0.001
    assert sum(met.values()) == draws * players * each // 2


def test_whom_two_meet_says_little_about_each_other() -> None:
    """Opponents are no neighbours on a ring: those of one seldom all meet one another."""
    triangles = []
    for draw in range(50):
        pairings = random_opponents(40, 4, derive_stream(2, draw, "test"))
        meets = np.zeros((40, 40), dtype=np.int64)
        meets[tuple(pairings.T)] = 1
        meets |= meets.T
        triangles.append(int(np.trace(meets @ meets @ meets)) // 6)
    assert np.median(triangles) < 10  # next neighbours would make 40
    assert len(set(triangles)) > 1


def test_random_opponents_depend_on_the_stream_alone() -> None:
    rng = new_stream(5)
    first = random_opponents(20, 4, rng)
    assert random_opponents(20, 4, new_stream(5)).tolist() == first.tolist()
    assert random_opponents(20, 4, rng).tolist() != first.tolist()


@given(st.lists(st.integers(0, 5), max_size=30))
def test_inside_groups_every_two_of_the_same_group_meet_once(groups: list[int]) -> None:
    pairings = inside_groups(np.array(groups, dtype=np.int32))
    assert pairings.dtype == np.int32
    assert pairings.shape[1:] == (2,)
    expected = {
        pair for pair in combinations(range(len(groups)), 2) if groups[pair[0]] == groups[pair[1]]
    }
    assert Counter(map(tuple, pairings.tolist())) == dict.fromkeys(expected, 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=10))
def test_both_colours_follow_one_another(pairs: list[tuple[int, int]]) -> None:
    pairings = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    doubled = both_colours(pairings)
    assert doubled.dtype == np.int32
    assert doubled[::2].tolist() == pairings.tolist()
    assert doubled[1::2].tolist() == pairings[:, ::-1].tolist()
    assert len(doubled) == 2 * len(pairs)


def test_over_openings_repeats_pairings_and_tiles_openings() -> None:
    pairings = np.array([[0, 1], [2, 3]], dtype=np.int32)
    openings = np.array([[3, 3], [4, 2], [0, 6]], dtype=np.int8)
    repeated, tiled = over_openings(pairings, openings)
    assert repeated.tolist() == [[0, 1]] * 3 + [[2, 3]] * 3
    assert tiled.tolist() == openings.tolist() * 2
    assert repeated.dtype == np.int32
    assert tiled.dtype == np.int8


@pytest.mark.parametrize("plies", [0, 2])
def test_over_openings_of_no_pairings(plies: int) -> None:
    nobody = np.zeros((0, 2), dtype=np.int32)
    repeated, tiled = over_openings(nobody, np.zeros((5, plies), dtype=np.int8))
    assert repeated.shape == (0, 2)
    assert tiled.shape == (0, plies)
