"""What programs that play are told and how they answer: a dialect for each kind of host.

A host writes lines to a program's standard input and reads its moves, a line each, from its
standard output.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game

HOSTS = ("openspiel", "botzone", "pettingzoo")
"""Hosts to which a game's file gives its name there, in a constant called as the host, in capitals;
players are exported to them."""


@dataclass(frozen=True)
class Limits:
    """What a bot may use: time in milliseconds, output in bytes and lines.

    Raises:
        BadValueError: One of them is not above 0 (``per_move`` may be 0).
    """

    time_bank: int
    """For the first move, and the most that can be saved up."""
    per_move: int
    """What each move adds to the time bank."""
    output_bytes: int = 65_536
    """For one move."""
    output_lines: int = 1_000
    """For one move."""

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            lowest = 0 if key == "per_move" else 1
            if value < lowest:
                raise BadValueError(f"{key} is {value}: it must be {lowest} or more")


class Dialect(ABC):
    """How a host says things. All texts are whole lines, or nothing."""

    answer: ClassVar[str]
    """What a bot has to answer, for messages."""
    farewell: ClassVar[str] = ""
    """What it is told after a game."""
    limits: Limits
    """What a bot may use, unless it is agreed otherwise."""

    @abstractmethod
    def greet(self, game: Any, side: int, limits: Limits) -> str:
        """What a bot is told before a game; *side* is 0 if it moves first."""

    @abstractmethod
    def show(self, position: Any) -> str:
        """What it is told of a *position* before it has to move there."""

    @abstractmethod
    def ask(self, bank: int, limits: Limits) -> str:
        """The line that asks for a move and starts the clock, with *bank* milliseconds left."""

    @abstractmethod
    def read(self, game: Any, position: Any, line: bytes) -> Any:
        """The move that an answer names, or None if it is no answer.

        Raises:
            IllegalMoveError: It names one that the rules do not allow.
        """

    def echo(self, game: Any, position: Any, move: Any) -> str:
        """What it is told after its own *move* in a *position*."""
        return ""


def find_dialect(game: AnyGame, name: str | None = None) -> Dialect:
    """The dialect called *name*, in which *game* is played; without a name, the usual one.

    Raises:
        UnknownNameError: There is no such dialect for that game.
        BadValueError: There is none at all.
    """
    known: Mapping[str, Dialect] = find_game(game.name).dialects
    if not known:
        raise BadValueError(f"programs can't play {game.name}: there is no dialect for it")
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UnknownNameError("dialect", name, known)
    return known[name]
