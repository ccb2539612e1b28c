"""The minimax player of board games: looks a number of plies ahead, then asks the game's rules."""

from __future__ import annotations

from typing import Any

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import PlayerKind
from evolve_arena.players.board.workspace import DEPTH, RECORD_FIELDS, SEARCH
from evolve_arena.players.lineup import simple_lineup, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number, read_whole

MAX_DEPTH = 12


class MinimaxPlayer(CompiledPlayer):
    """Chooses by alpha-beta search, *depth* plies deep.

    Wins come first, the sooner the better, losses last, the later the better; between them the
    game's ``evaluate`` decides. Of equally good moves each is as likely.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.

    Raises:
        BadValueError: *depth* or *noise* is out of range.
    """

    def __init__(self, game: Any, depth: int = 4, noise: float = 0.0) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        name = f"minimax:depth={depth}" + (f",noise={noise:.10g}" if noise else "")
        lineup = simple_lineup(RECORD_FIELDS, SEARCH)
        lineup.seats[0, DEPTH] = depth
        super().__init__(game, with_noise(lineup, noise), name)


def _make(text: str, game: Any) -> Player:
    readers = {"depth": read_whole, "noise": read_number}
    return make_by_settings("minimax", text, readers, lambda **all: MinimaxPlayer(game, **all))


MINIMAX = PlayerKind(
    "minimax:depth=4,noise=0.2",
    "searches 1 to 12 plies deep, of 5 moves plays one at random",
    _make,
    optional=True,
)
"""What a game lists among its players."""
