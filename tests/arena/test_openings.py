"""Short beginnings of games: legal, not over, and drawn evenly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.players.board.game import BoardGame

GAME = make_game("connect-four")


def is_playable(game: BoardGame, moves: list[int]) -> bool:
    """Test whether all *moves* are legal and the game is not over after them."""
    position = game.initial()
    for move in moves:
        if move not in game.legal_moves(position):
            return False
        position = game.play(position, move)
    return game.outcome(position) is None


@pytest.mark.parametrize("board", [(7, 6, 4), (4, 4, 3), (9, 6, 5), (16, 3, 4)])
@pytest.mark.parametrize("plies", [1, 2, 4])
def test_random_openings_are_legal_and_the_game_goes_on(
    board: tuple[int, int, int], plies: int
) -> None:
    columns, rows, connect = board
    game = make_game("connect-four", columns=columns, rows=rows, connect=connect)
    openings = random_openings(game, plies, 300, 1)
    assert openings.shape == (300, plies)
    assert openings.dtype == np.int64
    assert all(is_playable(game, opening) for opening in openings.tolist())


def test_random_openings_are_drawn_evenly() -> None:
    openings = random_openings(GAME, 2, 49_000, 3)
    counts = Counter(map(tuple, openings.tolist()))
    assert len(counts) == 49
    chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert abs(chi_square - 48) < 5 * np.sqrt(2 * 48)


def test_random_openings_follow_the_seed_and_the_generation() -> None:
    first = random_openings(GAME, 4, 50, 1)
    assert random_openings(GAME, 4, 50, 1).tolist() == first.tolist()
    assert random_openings(GAME, 4, 80, 1)[:50].tolist() == first.tolist()
    assert random_openings(GAME, 4, 50, 2).tolist() != first.tolist()
    assert random_openings(GAME, 4, 50, 1, generation=1).tolist() != first.tolist()


@pytest.mark.parametrize("plies", [-1, 11, 42])
def test_more_plies_than_a_quarter_of_the_moves_are_refused(plies: int) -> None:
    message = f"openings of {plies} plies: on this board from 0 to 10"
    with pytest.raises(BadValueError, match=message):
        random_openings(GAME, plies, 1, 1)
