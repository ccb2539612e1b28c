"""What every game offers: the contract between rules and everything above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Game", "Outcome"]

State = TypeVar("State")


@dataclass(frozen=True)
class Outcome:
    """How a game ended by its rules."""

    scores: tuple[float, ...]
    """What each seat got, in order of moving: 1 for a win, 0.5 for a draw, 0 for a loss."""

    reason: str
    """Half a sentence: "four in a row", "the board is full"."""

    @property
    def winner(self) -> int | None:
        """The seat that won alone, or None."""
        best = max(self.scores)
        return self.scores.index(best) if self.scores.count(best) == 1 else None


class Game(Protocol[State]):
    """Rules over states that are values: nothing is changed in place."""

    name: str
    """As the command line and recipes call it, such as ``connect-four``."""

    seats: int
    """How many play."""

    def initial(self) -> State:
        """The state before the first move."""
        ...

    def to_move(self, state: State) -> int:
        """The seat whose turn it is, from 0."""
        ...

    def legal_moves(self, state: State) -> list[int]:
        """The moves that may be played, ascending; none once the game is over."""
        ...

    def play(self, state: State, move: int) -> State:
        """The state after *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
            GameOverError: The game has ended.
        """
        ...

    def outcome(self, state: State) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    def observe(self, state: State, seat: int) -> NDArray[np.int8]:
        """What *seat* may know, as an array."""
        ...

    def parse_move(self, text: str) -> int:
        """The move that *text* names.

        Raises:
            IllegalMoveError: It names none.
        """
        ...

    def format_move(self, move: int) -> str:
        """The text that :meth:`parse_move` reads."""
        ...

    def parse_position(self, text: str) -> State:
        """The state that *text* describes.

        Raises:
            PositionError: It describes none.
        """
        ...
