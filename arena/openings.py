"""Short beginnings of games, so that players without chance do not repeat one game."""

from __future__ import annotations

import numpy as np

from arena.batch import Openings
from arena.kernels.connect_four import draw_openings
from games.connect_four import ConnectFour, Position
from games.errors import BadValueError
from games.seeding import derive_seeds

__all__ = ["enumerate_openings", "random_openings"]


def random_openings(
    game: ConnectFour, plies: int, count: int, seed: int, *, generation: int = 0
) -> Openings:
    """Random legal openings after which the game still goes on, shape ``(count, plies)``.

    Raises:
        BadValueError: There may be no such opening: *plies* is negative or above half the
            board.
    """
    _check(game, plies)
    openings = np.zeros((count, plies), dtype=np.int8)
    if plies:
        draw_openings(game.rules, derive_seeds(seed, generation, "openings", count), openings)
    return openings


def enumerate_openings(game: ConnectFour, plies: int) -> Openings:
    """One opening for each position that can be reached in *plies* and is not over.

    Raises:
        BadValueError: *plies* is negative or above half the board.
    """
    _check(game, plies)
    found: dict[Position, tuple[int, ...]] = {game.initial(): ()}
    for _ in range(plies):
        longer: dict[Position, tuple[int, ...]] = {}
        for position, moves in found.items():
            for move in game.legal_moves(position):
                longer.setdefault(game.play(position, move), (*moves, move))
        found = longer
    openings = [moves for position, moves in found.items() if game.legal_moves(position)]
    return np.array(openings, dtype=np.int8).reshape(len(openings), plies)


def _check(game: ConnectFour, plies: int) -> None:
    most = game.rules.columns * game.rules.rows // 2
    if not 0 <= plies <= most:
        raise BadValueError(f"openings of {plies} plies: on this board from 0 to {most}")
