"""How people at a terminal see a game and talk about its moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game

__all__ = ["Speech", "shorten", "speech_of"]


class Speech(ABC):
    """How people at a terminal see a game and talk about its moves."""

    sides: tuple[str, str]
    """What the sides are called: who began, and the other."""
    is_open: ClassVar[bool] = True
    """Whether everybody sees everything, so that a player can tell what comes of a move."""

    def greet(self, seat: int) -> str:
        """Tells a person who he is; *seat* is 0 for who moves first."""
        return f"You play {self.sides[seat]} and move {('first', 'second')[seat]}."

    @abstractmethod
    def read(self, text: str, position: Any) -> Any:
        """The move that a person means who types *text*, if need be in this *position*.

        Raises:
            IllegalMoveError: It is none.
        """

    @abstractmethod
    def name(self, move: Any, position: Any) -> str:
        """The *move* in a sentence: "column 3"; *position* is the one in which it is played."""

    @abstractmethod
    def question(self, position: Any) -> str:
        """What is asked for: "column (0-6)"."""

    @abstractmethod
    def list_moves(self, position: Any) -> str:
        """What can be played, in a sentence."""

    @abstractmethod
    def advise(self, error: IllegalMoveError, position: Any) -> str:
        """A sentence that helps who met with *error*; empty if that says it all."""

    @abstractmethod
    def draw(self, position: Any, last: Any = None, *, colour: bool = False) -> str:
        """The board, perhaps with codes for colours, and with the *last* move if that is shown."""


def speech_of(game: AnyGame) -> Speech:
    """How *game* is talked about.

    Raises:
        BadValueError: The game says nothing about it.
    """
    make: Callable[[AnyGame], Speech] | None = find_game(game.name).make_speech
    if make is None:
        raise BadValueError(f"nobody can be asked for moves of {game.name} here")
    return make(game)


def shorten(text: str) -> str:
    """*text*, or its beginning if it is long: to be quoted in a message."""
    return text if len(text) <= 20 else f"{text[:20]}…"
