"""What a recipe says about its game: the section ``[game]``, and whom champions meet in checks."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.evolve.method import Config

__all__ = [
    "GAME_CONFIGS",
    "OPPONENTS",
    "CheckersConfig",
    "ConnectFourConfig",
    "GameConfig",
    "TicketConfig",
    "game_type",
]


class ConnectFourConfig(Config):
    """The section ``[game]`` of Connect Four; see its class `ConnectFour`."""

    name: Literal["connect-four"] = "connect-four"
    columns: int = 7
    rows: int = 6
    connect: int = 4


class CheckersConfig(Config):
    """The section ``[game]`` of checkers; see `evolve_arena.games.checkers.game.Checkers`."""

    name: Literal["checkers"] = "checkers"
    turned: int = 0


class TicketConfig(Config):
    """The section ``[game]`` of Ticket to Ride; see its `TicketRules`."""

    name: Literal["ticket-to-ride"] = "ticket-to-ride"
    players: int = Field(default=4, ge=2, le=5)
    """How many sit at the tables of checks."""
    cards: int = 110
    longest_path: int = 0
    tie_breaks: int = 0
    sweep_first: int = 1
    second_locomotive: int = 0
    pink_line: int = 1


GameConfig: TypeAlias = ConnectFourConfig | CheckersConfig | TicketConfig

GAME_CONFIGS: dict[str, type[GameConfig]] = {
    "connect-four": ConnectFourConfig,
    "checkers": CheckersConfig,
    "ticket-to-ride": TicketConfig,
}
"""By the game's name."""

OPPONENTS: dict[str, tuple[str, ...]] = {
    "connect-four": ("test-bot", "random"),
    "checkers": ("minimax:depth=2", "random"),
    "ticket-to-ride": ("rule", "random"),
}
"""Whom a champion meets in checks if the recipe does not say."""


def game_type(name: object) -> type[GameConfig]:
    """What the section ``[game]`` of the game so called looks like.

    Raises:
        UnknownNameError: There is no such game.
    """
    if not isinstance(name, str) or name not in GAME_CONFIGS:
        raise UnknownNameError("game", str(name), GAME_CONFIGS)
    return GAME_CONFIGS[name]
