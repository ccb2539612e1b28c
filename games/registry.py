"""The games by name."""

from __future__ import annotations

from collections.abc import Callable

from games.connect_four import ConnectFour
from games.errors import UnknownNameError

__all__ = ["GAMES", "make_game"]

GAMES: dict[str, Callable[..., ConnectFour]] = {ConnectFour.name: ConnectFour}


def make_game(name: str, **options: int) -> ConnectFour:
    """The game called *name*, with *options* such as the size of its board.

    Raises:
        UnknownNameError: There is no such game.
        BadValueError: An option is out of range.
    """
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    return GAMES[name](**options)
