"""A person at the terminal: sees the board, types a column."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from games.connect_four import ConnectFour, Position
from games.errors import IllegalMoveError
from games.stream import Stream
from players.forfeit import Forfeit, ForfeitError
from players.player import Player

__all__ = ["HumanPlayer", "list_open_columns", "read_column"]

ENTRY = re.compile(r"(?:column|col)?[\s:#=(]*(\w{1,20})[\s.,;!)]*", re.IGNORECASE)
FAREWELLS = ("q", "quit", "exit", "resign")
COLOURS = {"x": "\x1b[31mx\x1b[0m", "o": "\x1b[33mo\x1b[0m"}


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
        game: ConnectFour,
        *,
        name: str = "human",
        reads: TextIO | None = None,
        writes: TextIO | None = None,
    ) -> None:
        self.game = game
        self.name = name
        self._reads = reads
        self._writes = writes
        self._seen: Position | None = None

    def begin(self, side: int) -> None:
        """Says which discs are the person's."""
        self._seen = None
        self._say(f"You play {'xo'[side]} and move {('first', 'second')[side]}.")

    def choose(self, position: Position, stream: Stream) -> int:
        """The column that the person enters, a legal one.

        Raises:
            ForfeitError: The person resigns, or the input has ended.
        """
        self._show(position)
        while True:
            text = self._read_entry()
            try:
                column = read_column(self.game, text)
                self._seen = self.game.play(position, column)
            except IllegalMoveError as error:
                if text:
                    self._say(f"Not possible: {error}. {list_open_columns(self.game, position)}")
            else:
                return column

    def _show(self, position: Position) -> None:
        if self._seen is not None:
            for column in self.game.legal_moves(self._seen):
                if self.game.play(self._seen, column) == position:
                    self._say(f"The other plays column {column}.")
        board = str(position)
        stream = self._writes or sys.stdout
        if stream.isatty() and not os.environ.get("NO_COLOR"):
            cells, numbers = board.rsplit("\n", 1)
            board = "".join(COLOURS.get(mark, mark) for mark in cells) + "\n" + numbers
        self._say(f"\n{board}")

    def _read_entry(self) -> str:
        """The next entry, without the blanks around it."""
        last = self.game.rules.columns - 1
        self._say(f"Your column (0-{last}), or q to quit: ", end="")
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


def read_column(game: ConnectFour, text: str) -> int:
    """The column that a person means who types *text*: ``3``, ``col 3``, `` (3)``.

    Raises:
        IllegalMoveError: It is not the number of a column.
    """
    match = ENTRY.fullmatch(text.strip())
    if match is None:
        shown = text if len(text) <= 20 else f"{text[:20]}…"
        raise IllegalMoveError(f"{shown!r} is not the number of a column")
    return game.parse_move(match[1])


def list_open_columns(game: ConnectFour, position: Position) -> str:
    """Which columns have room, in a sentence."""
    columns = [game.format_move(column) for column in game.legal_moves(position)]
    if len(columns) == 1:
        return f"Only column {columns[0]} is open."
    return f"Open are {', '.join(columns[:-1])} and {columns[-1]}."
