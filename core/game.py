"""What every game offers: the contract between rules and everything above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from numpy.typing import NDArray

__all__ = ["AnyGame", "Game", "Outcome"]

State = TypeVar("State")
Move = TypeVar("Move")


@dataclass(frozen=True)
class Outcome:
    """How a game ended by its rules."""

    scores: tuple[float, ...]
    """What each seat got, in order of moving: 1 for a win, 0.5 for a draw, 0 for a loss.

    Where more than two play: each one's share of the win, 1 / k for k who are first together.
    """

    reason: str
    """Half a sentence: "four in a row", "the board is full"."""

    points: tuple[int, ...] | None = None
    """The points of each seat, in games that count some."""

    @property
    def winner(self) -> int | None:
        """The seat that won alone, or None."""
        best = max(self.scores)
        return self.scores.index(best) if self.scores.count(best) == 1 else None


class Game(Protocol[State, Move]):
    """Rules over states that are values: nothing is changed in place."""

    name: str
    """As the command line and recipes call it, such as ``connect-four``."""

    seats: int
    """How many play."""

    @property
    def rules(self) -> tuple[int, ...]:
        """The options as numbers, a named tuple: what compiled code takes."""
        ...

    @property
    def options(self) -> dict[str, Any]:
        """The same by name, as `evolve_arena.core.registry.make_game` takes them."""
        ...

    def describe(self) -> str:
        """The board, with its options: "a board of 7 by 6, 4 in a row"."""
        ...

    def initial(self, seed: int = 0) -> State:
        """The state before the first move; in games of chance everything follows from *seed*."""
        ...

    def to_move(self, state: State) -> int:
        """The seat whose turn it is, from 0."""
        ...

    def legal_moves(self, state: State) -> list[Move]:
        """The moves that may be played, in a fixed order; none once the game is over."""
        ...

    def play(self, state: State, move: Move) -> State:
        """The state after *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
            GameOverError: The game has ended.
        """
        ...

    def outcome(self, state: State) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    def view(self, state: State, seat: int) -> State:
        """What *seat* may know, as a state; where nothing is hidden it is *state* itself."""
        ...

    def observe(self, state: State, seat: int) -> NDArray[Any]:
        """What *seat* may know, as an array."""
        ...

    def parse_move(self, text: str) -> Move:
        """The move that *text* names.

        Raises:
            IllegalMoveError: It names none.
        """
        ...

    def format_move(self, move: Move) -> str:
        """The text that :meth:`parse_move` reads."""
        ...

    def number_of(self, move: Move) -> int:
        """The number, at least 0, by which compiled code knows a *move*."""
        ...

    def move_of(self, number: int) -> Move:
        """The move that :meth:`number_of` gives that *number*."""
        ...

    def parse_position(self, text: str) -> State:
        """The state that *text* describes.

        Raises:
            PositionError: It describes none.
        """
        ...


AnyGame: TypeAlias = Game[Any, Any]
"""A game of whatever states and moves."""
