"""The minimax player: looks a number of plies ahead and counts lines where it stops looking."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError, quote
from evolve_arena.core.game import AnyGame
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.linear import make_minimax
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.players.lineup import DEPTH, MINIMAX, Lineup, simple_lineup, with_noise
from evolve_arena.players.player import CompiledPlayer

__all__ = ["MAX_DEPTH", "MinimaxPlayer", "count_lines", "parse_minimax"]

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


def parse_minimax(text: str, game: AnyGame) -> CompiledPlayer:
    """The player with the settings of a *text* such as ``depth=4,noise=0.2``, in any order.

    What it leaves out is 4 plies and no noise. In checkers pieces are counted, and with
    ``quiet=1`` captures are followed beyond the last ply
    (:func:`evolve_arena.games.checkers.linear.make_minimax`).

    Raises:
        UnknownNameError: It sets something else.
        BadValueError: A value is none or out of range, or set twice.
    """
    known = ["depth", "noise"] if isinstance(game, ConnectFour) else ["depth", "noise", "quiet"]
    values: dict[str, str] = {}
    for setting in text.split(",") if text.strip() else ():
        name, _, value = (part.strip() for part in setting.partition("="))
        if name not in known:
            raise UnknownNameError("setting of minimax", name, known)
        if name in values:
            raise BadValueError(f"player minimax:{text}: {name} is set twice")
        values[name] = value
    try:
        depth = _read_depth(values.get("depth", "4"))
        noise = _read_noise(values.get("noise", "0"))
        if isinstance(game, ConnectFour):
            return MinimaxPlayer(game, depth, noise)
        return make_minimax(
            cast(Checkers, game), depth, noise, quiet=_read_switch(values.get("quiet", "0"))
        )
    except BadValueError as error:
        raise BadValueError(f"player minimax:{text}: {error}") from None


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
    lineup = simple_lineup(MINIMAX)
    lineup.seats[0, DEPTH] = depth
    return with_noise(lineup._replace(columns=count_lines(rules)), noise)


def _read_depth(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadValueError(
            f"depth is {quote(text)}: it must be a whole number from 1 to {MAX_DEPTH}"
        ) from None


def _read_noise(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValueError(f"noise is {quote(text)}: it must be a number from 0 to 1") from None


def _read_switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise BadValueError(f"quiet is {quote(text)}: it must be 0 or 1")
    return text == "1"
