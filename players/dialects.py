"""Protocols between a host and programs that play: a `Dialect` for each kind of host.

A host writes lines to a program's standard input and reads its moves, one a line, from its
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
from evolve_arena.core.types import Position

HOSTS = ("openspiel", "botzone", "pettingzoo")
"""Hosts to which players are exported. A game's file gives its name there in a constant with the
host's name in capitals."""


@dataclass(frozen=True)
class Limits:
    """Resources of a bot: time in milliseconds, output in bytes and lines.

    Raises:
        BadValueError: One of them is not above 0 (``per_move`` may be 0).
    """

    time_bank: int
    """Time for the first move, and the maximum that can be saved up."""
    per_move: int
    """Time that each move adds to the time bank."""
    output_bytes: int = 65_536
    """Bytes of output for one move."""
    output_lines: int = 1_000
    """Lines of output for one move."""

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            lowest = 0 if key == "per_move" else 1
            if value < lowest:
                raise BadValueError(f"{key} is {value}: it must be {lowest} or more")


class Dialect(ABC):
    """Protocol of a host. All texts are whole lines, or empty."""

    answer: ClassVar[str]
    """Description of the expected answer, for messages."""
    farewell: ClassVar[str] = ""
    """Text sent after a game."""
    limits: Limits
    """Default limits of a bot."""

    @abstractmethod
    def greet(self, game: Any, side: int, limits: Limits) -> str:
        """Return the text sent before a game; *side* is 0 if the bot moves first.

        Args:
            game: Game to play.
            side: Seat of the bot, from 0.
            limits: Limits of the bot.
        """

    @abstractmethod
    def show(self, position: Position) -> str:
        """Return the text that describes a *position* in which the bot is to move."""

    @abstractmethod
    def ask(self, bank: int, limits: Limits) -> str:
        """Return the line that asks for a move, with *bank* milliseconds left on the clock."""

    @abstractmethod
    def read(self, game: Any, position: Position, line: bytes) -> Any:
        """Return the move that an answer names, or None if it is no answer.

        Args:
            game: Game that is played.
            position: Position in which the bot is to move.
            line: Answer of the bot, one line without white space at its ends.

        Raises:
            IllegalMoveError: The rules do not allow the move.
        """

    def echo(self, game: Any, position: Position, move: Any) -> str:
        """Return the text sent after the bot's own *move* in a *position*.

        Args:
            game: Game that is played.
            position: Position before the move.
            move: Move that :meth:`read` returned.
        """
        return ""


def find_dialect(game: AnyGame, name: str | None = None) -> Dialect:
    """Return the dialect of *game* called *name*; by default the game's first one.

    Raises:
        UnknownNameError: The game has no such dialect.
        BadValueError: The game has no dialect at all.
    """
    known: Mapping[str, Dialect] = find_game(game.name).dialects
    if not known:
        raise BadValueError(f"programs can't play {game.name}: there is no dialect for it")
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UnknownNameError("dialect", name, known)
    return known[name]
