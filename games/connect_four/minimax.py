"""The minimax player: looks a number of plies ahead and counts lines where it stops looking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.workspace import DEPTH, MINIMAX, SEAT_FIELDS
from evolve_arena.players.lineup import Lineup, simple_lineup, with_noise
from evolve_arena.players.player import CompiledPlayer

MAX_DEPTH = 12


class MinimaxPlayer(CompiledPlayer):
    """Chooses by alpha-beta search, *depth* plies deep, with seed 001's evaluation.

    Wins come first, the sooner the better, losses last, the later the better; between them
    :func:`count_lines` decides. Of equally good moves each is as likely.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.

    Raises:
        BadValueError: *depth* or *noise* is out of range.

    >>> game = ConnectFour()
    >>> from evolve_arena.core.stream import new_stream
    >>> MinimaxPlayer(game, depth=2).choose(game.parse_position("04142"), new_stream(1))
    3
    """

    def __init__(self, game: ConnectFour, depth: int = 4, noise: float = 0.0) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        name = f"minimax:depth={depth}" + (f",noise={noise:.10g}" if noise else "")
        super().__init__(game, _pack(game.rules, depth, noise), name)
        self.depth = depth
        self.noise = noise


def count_lines(rules: Rules) -> NDArray[np.int32]:
    """How many winning lines run through each cell, by the cell's bit.

    The bits on top of the columns are no cells and have none. On the usual board this is table
    3.1 of Löfroth and Dalenius (2011).

    >>> count_lines(Rules(7, 6, 4)).reshape(7, 7)[:4, :6].tolist()
    [[3, 4, 5, 5, 4, 3], [4, 6, 8, 8, 6, 4], [5, 8, 11, 11, 8, 5], [7, 10, 13, 13, 10, 7]]
    """
    columns, rows, connect = rules
    lines = np.zeros((columns, rows + 1), dtype=np.int32)
    places = np.arange(connect)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(columns - right * (connect - 1)):
            for row in range(rows):
                if 0 <= row + up * (connect - 1) < rows:
                    lines[column + right * places, row + up * places] += 1
    return lines.ravel()


def _pack(rules: Rules, depth: int, noise: float) -> Lineup:
    lineup = simple_lineup(SEAT_FIELDS, MINIMAX)
    lineup.seats[0, DEPTH] = depth
    return with_noise(lineup._replace(columns=count_lines(rules)), noise)
