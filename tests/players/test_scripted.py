"""The players without weights: chance, and the test bot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.specification import make_player

GAME = make_game("connect-four")


@pytest.mark.parametrize("name", ["random", "test-bot"])
@pytest.mark.parametrize("moves", ["", "000000666666"])
def test_chance_is_fair(name: str, moves: str) -> None:
    """Chi-square over the open columns; five standard deviations are far."""
    player: Any = make_player(name, GAME)
    position = GAME.parse_position(moves)
    open_columns = GAME.legal_moves(position)
    stream = new_stream(3)
    draws = 7_000
    counts = np.bincount([player.choose(position, stream) for _ in range(draws)], minlength=7)
    assert np.flatnonzero(counts).tolist() == open_columns
    expected = draws / len(open_columns)
    chi_square = float(np.sum((counts[open_columns] - expected) ** 2 / expected))
    freedom = len(open_columns) - 1
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)
