"""The games by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.games.checkers.board import CheckersRules
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.connect_four.game import ConnectFour, Rules
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import TicketRules

__all__ = ["GAMES", "game_of", "make_game"]

GAMES: dict[str, Callable[..., ConnectFour | Checkers | TicketToRide]] = {
    Checkers.name: Checkers,
    ConnectFour.name: ConnectFour,
    TicketToRide.name: TicketToRide,
}
_BY_RULES: dict[type, Callable[..., AnyGame]] = {
    CheckersRules: Checkers,
    Rules: ConnectFour,
    TicketRules: TicketToRide,
}


@overload
def make_game(name: Literal["connect-four"], **options: int) -> ConnectFour: ...
@overload
def make_game(name: Literal["checkers"], **options: int) -> Checkers: ...
@overload
def make_game(name: Literal["ticket-to-ride"], **options: int) -> TicketToRide: ...
@overload
def make_game(name: str, **options: int) -> Any: ...
def make_game(name: str, **options: int) -> ConnectFour | Checkers | TicketToRide:
    """The game called *name*, with *options* such as the size of its board or how many play.

    Raises:
        UnknownNameError: There is no such game.
        BadValueError: An option is out of range.
    """
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    return GAMES[name](**options)


def game_of(rules: tuple[int, ...]) -> AnyGame:
    """The game that has these *rules*."""
    return _BY_RULES[type(rules)](*rules)
