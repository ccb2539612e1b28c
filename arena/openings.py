"""Short beginnings of games, so that players without chance do not repeat one game."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.arena.batch import Openings
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds


def random_openings(
    game: AnyGame, plies: int, count: int, seed: int, *, generation: int = 0
) -> Openings:
    """Random legal openings after which the game still goes on, shape ``(count, plies)``.

    Raises:
        BadValueError: There may be no such opening: *plies* is negative or above
            :func:`longest_opening`.
    """
    check_plies(game, plies)
    kernel = find_game(game.name).kernel
    openings = np.zeros((count, plies), dtype=kernel.move_type)
    if plies and kernel.draw_openings:
        kernel.draw_openings(
            game.rules, derive_seeds(seed, generation, "openings", count), openings
        )
    return openings


def enumerate_openings(game: AnyGame, plies: int) -> Openings:
    """One opening for each position that can be reached in *plies* and is not over.

    Raises:
        BadValueError: *plies* is negative or too large.
    """
    check_plies(game, plies)
    found: dict[Any, tuple[int, ...]] = {game.initial(): ()}
    for _ in range(plies):
        longer: dict[Any, tuple[int, ...]] = {}
        for position, moves in found.items():
            for move in game.legal_moves(position):
                longer.setdefault(game.play(position, move), (*moves, game.number_of(move)))
        found = longer
    openings = [moves for position, moves in found.items() if game.legal_moves(position)]
    return np.array(openings, dtype=find_game(game.name).kernel.move_type).reshape(
        len(openings), plies
    )


def longest_opening(game: AnyGame) -> int:
    """How many random plies a game may begin with: none where chance makes games differ anyway."""
    return find_game(game.name).kernel.longest_opening(game.rules)


def check_plies(game: AnyGame, plies: int) -> None:
    """Makes sure that a *game* may begin with so many random *plies*.

    Raises:
        BadValueError: It may not.
    """
    most = longest_opening(game)
    if not 0 <= plies <= most:
        where = "on this board from 0 to" if most else "games of chance begin with"
        raise BadValueError(f"openings of {plies} plies: {where} {most}")
