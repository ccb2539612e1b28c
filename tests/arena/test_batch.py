"""Batches: shapes that fit together, and kinds of numbers that compiled code takes."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.arena.batch import Results, make_batch, new_results, no_openings
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.players.lineup import RANDOM, combine_lineups, simple_lineup

GAME = ConnectFour()
PAIR = combine_lineups([simple_lineup(RANDOM), simple_lineup(RANDOM)])
ZEROS = np.zeros((4, 2), np.int32)
SEEDS = np.arange(4, dtype=np.uint64)


def test_a_batch_has_the_length_of_its_pairings_and_the_rules_of_its_game() -> None:
    batch = make_batch(ConnectFour(5, 4, 3), PAIR, ZEROS, SEEDS)
    assert len(batch) == 4
    assert tuple(batch.rules) == (5, 4, 3)
    assert batch.openings.shape == no_openings(4).shape == (4, 0)
    assert len(make_batch(GAME, PAIR, ZEROS[:0], SEEDS[:0])) == 0


def test_arrays_of_other_kinds_are_converted() -> None:
    wide = np.zeros((4, 4), np.int64)
    batch = make_batch(GAME, PAIR, wide[:, ::2], SEEDS.astype(np.int64), np.full((4, 3), 2))
    for array, kind in (
        (batch.pairings, np.int32),
        (batch.seeds, np.uint64),
        (batch.openings, np.int64),
    ):
        assert array.dtype == kind
        assert array.flags.c_contiguous


@pytest.mark.parametrize(
    ("pairings", "seeds", "openings"),
    [
        (np.zeros((4, 3), np.int32), SEEDS, None),
        (np.zeros(4, np.int32), SEEDS, None),
        (ZEROS, SEEDS[:3], None),
        (ZEROS, SEEDS[:, None], None),
        (ZEROS, SEEDS, no_openings(3)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    pairings: np.ndarray, seeds: np.ndarray, openings: np.ndarray | None
) -> None:
    with pytest.raises(ValueError, match="must agree"):
        make_batch(GAME, PAIR, pairings, seeds, openings)


@pytest.mark.parametrize("wrong", [-1, 2, 1000])
def test_players_that_do_not_exist_are_refused(wrong: int) -> None:
    pairings = ZEROS.copy()
    pairings[2, 1] = wrong
    with pytest.raises(ValueError, match="outside 0 to 1"):
        make_batch(GAME, PAIR, pairings, SEEDS)


def test_equal_games_count_once() -> None:
    results = new_results(5)
    assert len(results) == 5
    assert results.distinct_games == 1
    games = np.array([7, 8, 7, 9, 8], np.uint64)
    assert Results(results.outcomes, results.plies, games).distinct_games == 3
