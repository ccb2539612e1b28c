"""How people at a terminal see a game and talk about its moves, for each game."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.games.checkers import game as checkers
from evolve_arena.games.checkers.drawing import draw_checkers
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import COLOURS
from evolve_arena.games.connect_four import game as connect_four
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.ticket_to_ride import position as tickets
from evolve_arena.games.ticket_to_ride.drawing import draw_table, list_claims
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    KEEP,
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    PHASE,
    SECOND_CARD,
    TO_MOVE,
)
from evolve_arena.games.ticket_to_ride.reading import read_move

__all__ = ["CheckersSpeech", "ConnectFourSpeech", "Speech", "TicketSpeech", "speech_of"]

DISCS = {"x": "\x1b[31mx\x1b[0m", "o": "\x1b[33mo\x1b[0m"}


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
    """How *game* is talked about."""
    if isinstance(game, Checkers):
        return CheckersSpeech(game)
    if isinstance(game, ConnectFour):
        return ConnectFourSpeech(game)
    if isinstance(game, TicketToRide):
        return TicketSpeech(game)
    raise BadValueError(f"nobody can be asked for moves of {game.name} here")


class ConnectFourSpeech(Speech):
    """Moves are columns, ``3``."""

    ENTRY = re.compile(r"(?:column|col)?[\s:#=(]*(\w{1,20})[\s.,;!)]*", re.IGNORECASE)
    sides = ("x", "o")

    def __init__(self, game: ConnectFour) -> None:
        self._game = game

    def read(self, text: str, position: connect_four.Position) -> int:
        """The column that *text* names: ``3``, ``col 3``, `` (3)``."""
        match = self.ENTRY.fullmatch(text.strip())
        if match is None:
            raise IllegalMoveError(f"{_shorten(text)!r} is not the number of a column")
        return self._game.parse_move(match[1])

    def name(self, move: int, position: connect_four.Position) -> str:
        """Such as "column 3"."""
        return f"column {self._game.format_move(move)}"

    def question(self, position: connect_four.Position) -> str:
        """Such as "column (0-6)"."""
        return f"column (0-{self._game.rules.columns - 1})"

    def list_moves(self, position: connect_four.Position) -> str:
        """Which columns have room."""
        columns = [self._game.format_move(column) for column in self._game.legal_moves(position)]
        if len(columns) == 1:
            return f"Only column {columns[0]} is open."
        return f"Open are {', '.join(columns[:-1])} and {columns[-1]}."

    def advise(self, error: IllegalMoveError, position: connect_four.Position) -> str:
        """Which columns have room."""
        return self.list_moves(position)

    def draw(
        self, position: connect_four.Position, last: int | None = None, *, colour: bool = False
    ) -> str:
        """The board as it prints itself; where the last disc fell is not shown."""
        board = str(position)
        if colour:
            cells, numbers = board.rsplit("\n", 1)
            board = "".join(DISCS.get(mark, mark) for mark in cells) + "\n" + numbers
        return board


class CheckersSpeech(Speech):
    """Moves are squares, ``11-15`` or ``18x11``, as many as are needed to tell them apart."""

    DIVIDED = r"(?: ?(?:-{1,2}>?|[x×:,./–—→]|to) ?| )"
    ENTRY = re.compile(
        rf"(?:(?:move|play|from) ?)?[:#=(]*([0-9]{{1,2}}(?:{DIVIDED}[0-9]{{1,2}}){{0,9}})[ .,;!)]*",
        re.ASCII | re.IGNORECASE,
    )

    def __init__(self, game: Checkers) -> None:
        self._game = game
        first = int(game.turned)
        self.sides = (COLOURS[first], COLOURS[1 - first])

    def read(self, text: str, position: checkers.Position) -> checkers.Move:
        """The legal move that *text* names.

        Its squares may be divided by anything usual. Those between the first and the last may be
        missing, and the last ones too, down to a single square from which, or else to which,
        there is one move.

        Raises:
            IllegalMoveError: There is no such move, or several.
            BadValueError: The game is over.
        """
        squares = self._read_squares(text)
        if self._game.outcome(position) is not None:
            raise BadValueError("this game is over")
        legal = self._game.legal_moves(position)
        found = [move for move in legal if _begins(squares, move.path)]
        if not found and len(squares) == 1:
            found = [move for move in legal if move.path[-1] == squares[0]]
        if len(found) > 1 and len(squares) == 1:
            raise IllegalMoveError(f"{squares[0]}: this could be {_list_moves(found)}")
        try:
            return self._game.resolve(position, checkers.Move(squares))
        except IllegalMoveError:
            if len(found) == 1:
                return found[0]
            raise

    def name(self, move: checkers.Move, position: checkers.Position) -> str:
        """Such as "11-15"."""
        return self._game.format_move(move, position)

    def question(self, position: checkers.Position) -> str:
        """Such as "move (such as 11-15)"."""
        moves = self._game.legal_moves(position)
        if len(moves) == 1:
            return f"move (only {moves[0]} is possible)"
        return f"{'capture' if moves[0].is_capture else 'move'} (such as {moves[0]})"

    def list_moves(self, position: checkers.Position) -> str:
        """All legal moves."""
        moves = self._game.legal_moves(position)
        colour = COLOURS[position.side]
        if not moves:
            return f"{colour.capitalize()} can play nothing."
        return f"{colour.capitalize()} can play {_list_moves(moves)}."

    def advise(self, error: IllegalMoveError, position: checkers.Position) -> str:
        """All legal moves, unless the error tells of some."""
        named = set(re.findall(r"[0-9x-]+", str(error)))
        if named & {str(move) for move in self._game.legal_moves(position)}:
            return ""
        return self.list_moves(position)

    def draw(
        self,
        position: checkers.Position,
        last: checkers.Move | None = None,
        *,
        colour: bool = False,
    ) -> str:
        """See :func:`draw_checkers`."""
        return draw_checkers(position, last, colour=colour)

    def _read_squares(self, text: str) -> tuple[int, ...]:
        match = self.ENTRY.fullmatch(" ".join(text.split()))
        if match is None:
            raise IllegalMoveError(
                f"{_shorten(text)!r} is no move: write 11-15, or 18x11 for a capture"
            )
        squares = tuple(int(number) for number in re.findall("[0-9]+", match[1]))
        for square in squares:
            if not 1 <= square <= 32:
                raise IllegalMoveError(f"there is no square {square}: they are numbered 1 to 32")
        return squares


class TicketSpeech(Speech):
    """Moves are words: ``draw deck``, ``claim Dallas-Houston red``, ``keep 1 3``."""

    is_open = False

    def __init__(self, game: TicketToRide) -> None:
        self._game = game

    def greet(self, seat: int) -> str:
        """Such as "You sit at seat 2 of 4."."""
        return f"You sit at seat {seat + 1} of {self._game.seats}."

    def read(self, text: str, position: tickets.Position) -> int:
        """The legal move that *text* names; see :mod:`.ticket_to_ride.reading`."""
        legal = self._game.legal_moves(position)
        return read_move(position.rules, position.array, legal, text)

    def name(self, move: int, position: tickets.Position) -> str:
        """The move as it is typed."""
        return self._game.format_move(move)

    def question(self, position: tickets.Position) -> str:
        """What is asked for, by the phase of the turn."""
        phase = position.array[PHASE]
        if phase == SECOND_CARD:
            return "second card (deck, or the colour of an open one)"
        if phase in (KEEP_FIRST, KEEP):
            fewest = KEEP_AT_START if phase == KEEP_FIRST else KEEP_LATER
            return f"tickets to keep, {fewest} at least (such as keep 1 2)"
        return "move (deck, COLOUR, claim CITY-CITY COLOUR, tickets)"

    def list_moves(self, position: tickets.Position) -> str:
        """All legal moves, by kind."""
        moves = self._game.legal_moves(position)
        claims = [self._game.format_move(move) for move in moves if move < DRAW_DECK]
        others = [self._game.format_move(move) for move in moves if move >= DRAW_DECK]
        lines = [
            f"You can play {' or '.join(filter(None, [', '.join(others[:-1]), *others[-1:]]))}"
        ]
        return "\n".join([*lines, *(f"  {claim}" for claim in claims)])

    def list_claims(self, position: tickets.Position, *, colour: bool = False) -> str:
        """The routes that can be claimed, and how each can be paid."""
        return list_claims(position.array, self._game.legal_moves(position), colour=colour)

    def advise(self, error: IllegalMoveError, position: tickets.Position) -> str:
        """Nothing: errors say what is possible."""
        return ""

    def draw(
        self, position: tickets.Position, last: int | None = None, *, colour: bool = False
    ) -> str:
        """See :func:`draw_table`, as who is to move sees it."""
        seat = int(position.array[TO_MOVE])
        return draw_table(position.rules, position.array, seat, colour=colour)


def _begins(squares: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether *squares* stand in *path* in this order, the first of them in front."""
    rest = iter(path)
    return squares[0] == path[0] and all(square in rest for square in squares)


def _list_moves(moves: list[checkers.Move]) -> str:
    texts = [str(move) for move in moves]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]


def _shorten(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"
