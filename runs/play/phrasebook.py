"""What differs at the table from game to game: one phrasebook for each."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError, PositionError
from evolve_arena.core.game import AnyGame
from evolve_arena.games.checkers import game as checkers
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.opinions import Thinker, describe_thoughts
from evolve_arena.games.checkers.speech import CheckersSpeech
from evolve_arena.games.connect_four import game as connect_four
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.drawing import draw_board
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.speech import ConnectFourSpeech
from evolve_arena.players.player import Player
from evolve_arena.players.speech import Speech
from evolve_arena.runs.play.opinions import describe_opinions

__all__ = ["Phrasebook", "phrasebook_of"]


class Phrasebook(ABC):
    """How a game is shown and talked about at the table."""

    speech: Speech
    """How moves are read and named."""
    greeting: str
    """How the help begins: how a move is made."""
    meanings: ClassVar[Mapping[str, str]] = {}
    """What commands do, where it is not what :data:`evolve_arena.runs.play.entries.COMMANDS`
    says."""
    thinker: str
    """Who can be asked for values: "network"."""
    stand_in: str
    """Who plays if nothing was bred yet."""
    replay: str
    """The command that shows a game again."""
    decider: ClassVar[str]
    """How the cache of compiled code calls what decides a move."""

    @abstractmethod
    def ask(self, position: Any) -> str:
        """What a person is asked for, in a few words: "column 0-6"."""

    @abstractmethod
    def draw(self, position: Any, last: Any, *, colour: bool) -> str:
        """The board, with the *last* move marked if there is one."""

    @abstractmethod
    def write_game(self, moves: Sequence[Any], positions: Sequence[Any]) -> str:
        """The *moves* as :meth:`read_game` reads them, each played in one of the *positions*."""

    @abstractmethod
    def read_game(self, text: str) -> tuple[Any, ...]:
        """The moves that *text* gives.

        Raises:
            PositionError: There is one among them that cannot be played.
        """

    def list_moves(self, position: Any) -> str:
        """What can be played, if players want to be told beside the moves so far."""
        return ""

    @abstractmethod
    def has_opinions(self, player: Player) -> bool:
        """Whether *player* can say what it thinks of each move."""

    @abstractmethod
    def describe_opinions(self, player: Any, position: Any, earlier: Sequence[Any]) -> str:
        """What a *player* who has opinions thinks; it was asked in the *earlier* positions."""


def phrasebook_of(game: AnyGame) -> Phrasebook:
    """The phrasebook of a *game*.

    Raises:
        BadValueError: There is none.
    """
    if isinstance(game, Checkers):
        return CheckersPhrasebook(game)
    if isinstance(game, ConnectFour):
        return ConnectFourPhrasebook(game)
    raise BadValueError(f"{game.name} cannot be played at a terminal")


class ConnectFourPhrasebook(Phrasebook):
    """The players are x and o, moves are columns."""

    greeting = "The number of a column drops a disc there."
    thinker = "network"
    stand_in = "test-bot"
    replay = "evolve play --moves MOVES"
    decider = "seats.decide"

    def __init__(self, game: ConnectFour) -> None:
        self._game = game
        self.speech = ConnectFourSpeech(game)

    def ask(self, position: connect_four.Position) -> str:
        """Which columns there are."""
        return f"column 0-{self._game.format_move(self._game.rules.columns - 1)}"

    def draw(self, position: connect_four.Position, last: int | None, *, colour: bool) -> str:
        """See :func:`evolve_arena.games.connect_four.drawing.draw_board`."""
        return draw_board(self._game, position, last, colour=colour)

    def write_game(self, moves: Sequence[int], positions: Sequence[connect_four.Position]) -> str:
        """A character for each move: ``3321``."""
        return "".join(self._game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves such as ``3321``, with or without blanks between."""
        bare = "".join(text.split())
        try:
            moves = tuple(self._game.parse_move(character) for character in bare)
        except IllegalMoveError as error:
            raise PositionError(f"moves {text!r}: {error}") from None
        self._game.parse_position(bare)
        return moves

    def has_opinions(self, player: Player) -> bool:
        """Networks have."""
        return isinstance(player, ColumnPlayer)

    def describe_opinions(
        self,
        player: ColumnPlayer,
        position: connect_four.Position,
        earlier: Sequence[connect_four.Position],
    ) -> str:
        """See :mod:`evolve_arena.runs.play.opinions`."""
        return describe_opinions(player, position, earlier)


class CheckersPhrasebook(Phrasebook):
    """The players are dark and light, moves are squares."""

    greeting = (
        "Squares make a move: 11-15, or 18x11 for a capture; one square is enough if no other\n"
        "move begins there. Captures must be made, and to their end."
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "values": "what a program that looks ahead thinks of each move",
        "moves": "the moves that can be played, and those so far",
    }
    thinker = "program that looks ahead"
    stand_in = "minimax:depth=4"
    decider = "decision.decide"

    def __init__(self, game: Checkers) -> None:
        self._game = game
        self.speech = CheckersSpeech(game)
        turned = " --turned" if game.turned else ""
        self.replay = f'evolve play --game checkers{turned} --moves "MOVES"'

    def ask(self, position: checkers.Position) -> str:
        """An example, or the only move."""
        moves = self._game.legal_moves(position)
        if len(moves) == 1:
            return f"only {self._game.format_move(moves[0], position)} is possible"
        kind = "a capture " if moves[0].is_capture else ""
        return f"{kind}such as {self._game.format_move(moves[0], position)}"

    def draw(self, position: checkers.Position, last: checkers.Move | None, *, colour: bool) -> str:
        """See :func:`evolve_arena.players.human.draw_checkers`."""
        return self.speech.draw(position, last, colour=colour)

    def write_game(
        self, moves: Sequence[checkers.Move], positions: Sequence[checkers.Position]
    ) -> str:
        """Such as ``11-15 22-18 15x22``."""
        return " ".join(
            self._game.format_move(move, position)
            for move, position in zip(moves, positions, strict=False)
        )

    def read_game(self, text: str) -> tuple[checkers.Move, ...]:
        """Moves with blanks between; their numbers, ``1.`` and so on, may stand before them."""
        position, moves = self._game.initial(), []
        for number, word in enumerate(re.sub(r"\b\d+\.+(?=\s|$|\d+[-x])", " ", text).split(), 1):
            try:
                move = self._game.resolve(position, self._game.parse_move(word))
                position = self._game.play(position, move)
            except IllegalMoveError as error:
                raise PositionError(f"move {number} of {text[:40]!r}: {error}") from None
            moves.append(move)
        return tuple(moves)

    def list_moves(self, position: checkers.Position) -> str:
        """All legal moves, in a sentence."""
        return self.speech.list_moves(position)

    def has_opinions(self, player: Player) -> bool:
        """Those who search have."""
        return isinstance(player, Thinker)

    def describe_opinions(
        self, player: Thinker, position: checkers.Position, earlier: Sequence[checkers.Position]
    ) -> str:
        """See :mod:`evolve_arena.games.checkers.opinions`."""
        return describe_thoughts(player, position)
