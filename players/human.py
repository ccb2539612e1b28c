"""A person at the terminal: sees the board, types a move."""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any, TextIO

from games import checkers, connect_four
from games.checkers import Checkers
from games.checkers_position import COLOURS, bit_of, square_of
from games.connect_four import ConnectFour
from games.errors import BadValueError, IllegalMoveError
from games.game import AnyGame
from games.stream import Stream
from players.forfeit import Forfeit, ForfeitError
from players.player import Player

__all__ = [
    "CheckersSpeech",
    "ConnectFourSpeech",
    "HumanPlayer",
    "Speech",
    "draw_checkers",
    "speech_of",
]

FAREWELLS = ("q", "quit", "exit", "resign")
DISCS = {"x": "\x1b[31mx\x1b[0m", "o": "\x1b[33mo\x1b[0m"}

EMPTY, LIT, UNUSED = "38;5;245;48;5;236", "38;5;250;48;5;24", "48;5;250"
"""Colours of a square of checkers, of one that the last move touched, and of those between."""
PIECES = {"b": "38;5;210;1", "B": "38;5;210;1", "w": "38;5;231;1", "W": "38;5;231;1"}
MEN = 12
"""What each side begins with."""


class HumanPlayer(Player):
    """Asks a person for every move. What is no legal move is explained and asked for again.

    Args:
        game: What is played.
        name: How tables call the person.
        reads: Where the entries come from; by default standard input.
        writes: Where the board goes; by default standard output. It is in colour on a
            terminal, unless the environment says ``NO_COLOR``.
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        name: str = "human",
        reads: TextIO | None = None,
        writes: TextIO | None = None,
    ) -> None:
        self.game = game
        self.name = name
        self._speech = speech_of(game)
        self._reads = reads
        self._writes = writes
        self._seen: Any = None

    def begin(self, side: int) -> None:
        """Says which pieces are the person's."""
        self._seen = None
        self._say(f"You play {self._speech.sides[side]} and move {('first', 'second')[side]}.")

    def choose(self, position: Any, stream: Stream) -> Any:
        """The move that the person enters, a legal one.

        Raises:
            ForfeitError: The person resigns, or the input has ended.
        """
        self._show(position)
        while True:
            text = self._read_entry(position)
            try:
                move = self._speech.read(text, position)
                self._seen = self.game.play(position, move)
            except IllegalMoveError as error:
                if text:
                    advice = self._speech.advise(error, position)
                    self._say(f"Not possible: {error}. {advice}".rstrip())
            else:
                return move

    def _show(self, position: Any) -> None:
        last = None
        if self._seen is not None:
            for move in self.game.legal_moves(self._seen):
                if self.game.play(self._seen, move) == position:
                    last = move
                    self._say(f"The other plays {self._speech.name(move, self._seen)}.")
                    break
        stream = self._writes or sys.stdout
        colour = stream.isatty() and not os.environ.get("NO_COLOR")
        self._say(f"\n{self._speech.draw(position, last, colour=colour)}")

    def _read_entry(self, position: Any) -> str:
        """The next entry, without the blanks around it."""
        self._say(f"Your {self._speech.question(position)}, or q to quit: ", end="")
        try:
            line = (self._reads or sys.stdin).readline()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}\n"
        if not line:
            self._say("")
            raise ForfeitError(Forfeit.RESIGNED, f"{self.name} resigns: the input has ended.")
        text = line.strip()
        if text.lower() in FAREWELLS:
            raise ForfeitError(Forfeit.RESIGNED, f"{self.name} resigns.")
        return text

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=self._writes or sys.stdout, flush=True)


class Speech(ABC):
    """How people at a terminal see a game and talk about its moves."""

    sides: tuple[str, str]
    """What the sides are called: who began, and the other."""

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


def draw_checkers(
    position: checkers.Position, last: checkers.Move | None = None, *, colour: bool = False
) -> str:
    """The board with the numbers of all squares, and what each side has left.

    Pieces are ``b`` and ``w``, in upper case if they are kings. The squares between which the
    last move went are in brackets, and those on which it captured bear an ``x``.

    >>> game = Checkers()
    >>> position = game.parse_position("11-15 22-18 15x22")
    >>> print(draw_checkers(position, game.parse_move("15x22")))
           1 b       2 b       3 b       4 b
      5 b       6 b       7 b       8 b
           9 b      10 b      11 .      12 b
     13 .      14 .      15[.]     16 .
          17 .      18 x      19 .      20 .
     21 w      22[b]     23 w      24 w
          25 w      26 w      27 w      28 w
     29 w      30 w      31 w      32 w
    <BLANKLINE>
     dark (b): 12 men
     light (w): 11 men, 1 captured
    """
    marks = position.drawing()
    squares = range(32, 0, -1) if position.turned else range(1, 33)
    ends = {last.path[0], last.path[-1]} if last else set()
    captured = _captured_squares(last) if last else set()
    lines = []
    for row in range(8):
        cells = []
        for place in range(4 * row, 4 * row + 4):
            square, mark = squares[place], marks[place]
            mark = "x" if square in captured and mark == "." else mark
            cells.append(_draw_square(square, mark, square in ends, square in captured, colour))
        blank = f"\x1b[{UNUSED}m     \x1b[0m" if colour else "     "
        pairs = [blank + cell if row % 2 == 0 else cell + blank for cell in cells]
        lines.append((" " + "".join(pairs)).rstrip())
    return "\n".join([*lines, "", *(f" {_count_pieces(position, side)}" for side in range(2))])


def _draw_square(square: int, mark: str, is_end: bool, is_captured: bool, colour: bool) -> str:
    left, right = "[]" if is_end else "  "
    if not colour:
        return f"{square:2}{left}{mark}{right}"
    ground = LIT if is_end or is_captured else EMPTY
    piece = f"\x1b[{PIECES[mark]}m{mark}\x1b[0;{ground}m" if mark in PIECES else mark
    return f"\x1b[{ground}m{square:2}{left}{piece}{right}\x1b[0m"


def _count_pieces(position: checkers.Position, side: int) -> str:
    """What *side* has: "dark (b): 11 men, 1 king (B), 2 captured"."""
    pieces = (position.dark, position.light)[side]
    kings = (pieces & position.kings).bit_count()
    men = pieces.bit_count() - kings
    parts = [f"{men} {'man' if men == 1 else 'men'}"]
    if kings:
        parts.append(f"{kings} {'king' if kings == 1 else 'kings'} ({'BW'[side]})")
    if lost := MEN - pieces.bit_count():
        parts.append(f"{lost} captured")
    return f"{COLOURS[side]} ({'bw'[side]}): {', '.join(parts)}"


def _captured_squares(move: checkers.Move) -> set[int]:
    """The squares that a *move* with its whole path jumps over."""
    if not move.is_capture:
        return set()
    places = [bit_of(square).bit_length() - 1 for square in move.path]
    return {square_of((here + there) // 2) for here, there in pairwise(places)}


def _begins(squares: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether *squares* stand in *path* in this order, the first of them in front."""
    rest = iter(path)
    return squares[0] == path[0] and all(square in rest for square in squares)


def _list_moves(moves: list[checkers.Move]) -> str:
    texts = [str(move) for move in moves]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]


def _shorten(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"
