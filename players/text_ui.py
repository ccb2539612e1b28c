"""Text interfaces for people at a terminal: each game has one `TextUI`."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Position

if TYPE_CHECKING:
    from evolve_arena.players.player import Player


class TextUI(ABC):
    """Text interface of a game at a terminal: its drawing, the names of moves, and the prompts.

    Args:
        game: Game to play.
    """

    sides: Sequence[str] = ()
    """Names of the seats by their pieces, in order of moving; empty if they have none."""
    is_open: ClassVar[bool] = True
    """True if nothing is hidden, so that moves can be taken back."""
    greeting: str
    """Beginning of the help: how to enter a move."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    @abstractmethod
    def read(self, text: str, position: Position) -> Any:
        """Return the move that *text*, typed by a person, means in *position*.

        Raises:
            IllegalMoveError: It names no legal move.
        """

    def read_turn(self, text: str, position: Position) -> list[Any]:
        """Return the moves that *text* means, where a turn may have several."""
        return [self.read(text, position)]

    @abstractmethod
    def name(self, move: Any, position: Position) -> str:
        """Return the *move* in words, such as "column 3"; it is played in *position*."""

    @abstractmethod
    def question(self, position: Position) -> str:
        """Return what to enter, for the prompt, in a few words such as "column 0-6"."""

    @abstractmethod
    def list_moves(self, position: Position) -> str:
        """Return a sentence with the legal moves."""

    @abstractmethod
    def draw(
        self,
        position: Position,
        last: Any = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """Draw the board as the player to move sees it.

        Args:
            position: Position to draw.
            last: Last move, to be marked; None if there is none.
            colour: True if the text may have colour codes for terminals.
            names: Names of the players, seat by seat, if they are to be shown.
        """

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """Return a sentence that helps after *error*; empty if the error is enough."""
        return self.list_moves(position)

    def greet(self, seat: int) -> str:
        """Return a sentence that tells people their *seat*; seat 0 moves first."""
        if self.sides:
            order = ("first", "second", "third", "fourth", "fifth")
            return f"You play {self.sides[seat]} and move {order[seat]}."
        return f"You sit at seat {seat + 1} of {self.game.seats}."

    def write_game(self, moves: Sequence[Any], positions: Sequence[Position]) -> str:
        """Write *moves*, each played in one of the *positions*, as :meth:`read_game` reads them."""
        return " ".join(self.game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[Any, ...]:
        """Return the moves of the game written in *text*.

        Raises:
            PositionError: One of the moves cannot be played.
        """
        if text.strip():
            raise BadValueError(f"games of {self.game.name} can't begin with moves")
        return ()

    def read_games(self, text: str) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the games in a file's *text*: the players, as ``A - B`` or empty, and the moves.

        Raises:
            ArenaError: There is no game, or a move cannot be played.
        """
        return [("", self.read_game(text))]

    def replay(self) -> str:
        """Return the command that replays a game by its moves; empty in games of chance."""
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
        """Return the game's name as a person types it."""
        return str(self.game.name)

    def has_values(self, player: Player) -> bool:
        """Test whether *player* can value each move."""
        return False

    def find_values(self, player: Any, position: Position) -> Mapping[Any, float]:
        """Return the *player*'s value of each move in *position*."""
        raise NotImplementedError

    def describe_values(self, player: Any, position: Position) -> str:
        """Describe a *player*'s values of the moves in *position*."""
        raise NotImplementedError

    def tell_turn(self, turn: Sequence[tuple[Position, Any]]) -> str:
        """Describe a player's turn, to follow its name: "plays column 3".

        Args:
            turn: Positions and the moves in them that make up the turn.
        """
        return f"plays {', then '.join(self.name(move, position) for position, move in turn)}"


def find_text_ui(game: AnyGame) -> TextUI:
    """Return the text interface of *game*.

    Raises:
        BadValueError: The game has none.
    """
    make: Callable[[AnyGame], TextUI] | None = find_game(game.name).make_text_ui
    if make is None:
        raise BadValueError(f"{game.name} cannot be played at a terminal")
    return make(game)


def shorten(text: str) -> str:
    """Return *text*, cut off after 20 characters, to be quoted in a message."""
    return text if len(text) <= 20 else f"{text[:20]}…"
