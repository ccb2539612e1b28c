"""How people at a terminal see a game and talk about its moves: a game has one `TextUI`."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game


class TextUI(ABC):
    """How people at a terminal see a game and talk about its moves.

    Args:
        game: What is played.
    """

    sides: Sequence[str] = ()
    """What the seats are called by their pieces, in order of moving; empty if they have none."""
    is_open: ClassVar[bool] = True
    """Whether everybody sees everything, so that moves can be taken back."""
    greeting: str
    """How the help begins: how a move is made."""

    def __init__(self, game: Any) -> None:
        self.game = game

    @abstractmethod
    def read(self, text: str, position: Any) -> Any:
        """The move that a person means who types *text*, if need be in this *position*.

        Raises:
            IllegalMoveError: It is none.
        """

    def read_turn(self, text: str, position: Any) -> list[Any]:
        """The same, where *text* may name all moves of a turn in which a player moves on."""
        return [self.read(text, position)]

    @abstractmethod
    def name(self, move: Any, position: Any) -> str:
        """The *move* in a sentence: "column 3"; *position* is the one in which it is played."""

    @abstractmethod
    def question(self, position: Any) -> str:
        """What a person is asked for, in a few words: "column 0-6"."""

    @abstractmethod
    def list_moves(self, position: Any) -> str:
        """What can be played, in a sentence."""

    @abstractmethod
    def draw(
        self,
        position: Any,
        last: Any = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """The board as who is to move sees it.

        Args:
            position: What there is to see.
            last: The last move, to be marked; None if there is none.
            colour: Whether codes for colours may be used, which terminals understand.
            names: The players, seat by seat, if it shows them.
        """

    def advise(self, error: IllegalMoveError, position: Any) -> str:
        """A sentence that helps who met with *error*; empty if that says it all."""
        return self.list_moves(position)

    def greet(self, seat: int) -> str:
        """Tells a person who he is; *seat* is 0 for who moves first."""
        if self.sides:
            order = ("first", "second", "third", "fourth", "fifth")
            return f"You play {self.sides[seat]} and move {order[seat]}."
        return f"You sit at seat {seat + 1} of {self.game.seats}."

    def write_game(self, moves: Sequence[Any], positions: Sequence[Any]) -> str:
        """The *moves* as :meth:`read_game` reads them, each played in one of the *positions*."""
        return " ".join(self.game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[Any, ...]:
        """The moves that *text* gives.

        Raises:
            PositionError: There is one among them that cannot be played.
        """
        if text.strip():
            raise BadValueError(f"games of {self.game.name} can't begin with moves")
        return ()

    def read_games(self, text: str) -> list[tuple[str, tuple[Any, ...]]]:
        """The games that a file's *text* gives: who plays, as ``A - B`` or nothing, and the moves.

        Raises:
            ArenaError: There is none, or a move of one can't be played.
        """
        return [("", self.read_game(text))]

    def replay(self) -> str:
        """The command that shows a game again by its moves; empty where chance decides as well."""
        if find_game(self.game.name).has_chance:
            return ""
        usual = self.game.rules_type._field_defaults
        options = "".join(
            f" --{name.replace('_', '-')} {value}"
            for name, value in self.game.rules._asdict().items()
            if value != usual[name]
        )
        return f'evolve play --game {shlex.quote(self.called())}{options} --moves "MOVES"'

    def called(self) -> str:
        """What one types for the game."""
        return str(self.game.name)

    def has_values(self, player: Any) -> bool:
        """Whether *player* can say what it thinks of each move."""
        return False

    def find_values(self, player: Any, position: Any) -> Mapping[Any, float]:
        """The same as numbers, by move."""
        raise NotImplementedError

    def describe_values(self, player: Any, position: Any) -> str:
        """What a *player* who has values thinks."""
        raise NotImplementedError

    def tell_turn(self, turn: Sequence[tuple[Any, Any]]) -> str:
        """What a player did, after its name: "plays column 3".

        Args:
            turn: The positions and the moves in them that make up the turn.
        """
        return f"plays {', then '.join(self.name(move, position) for position, move in turn)}"


def find_text_ui(game: AnyGame) -> TextUI:
    """How *game* is talked about.

    Raises:
        BadValueError: The game says nothing about it.
    """
    make: Callable[[AnyGame], TextUI] | None = find_game(game.name).make_text_ui
    if make is None:
        raise BadValueError(f"{game.name} cannot be played at a terminal")
    return make(game)


def shorten(text: str) -> str:
    """*text*, or its beginning if it is long: to be quoted in a message."""
    return text if len(text) <= 20 else f"{text[:20]}…"
