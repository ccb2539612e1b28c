"""How people at a terminal see Connect Four and talk about its moves."""

from __future__ import annotations

import re

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.players.speech import Speech, shorten

__all__ = ["ConnectFourSpeech"]

DISCS = {"x": "\x1b[31mx\x1b[0m", "o": "\x1b[33mo\x1b[0m"}


class ConnectFourSpeech(Speech):
    """Moves are columns, ``3``."""

    ENTRY = re.compile(r"(?:column|col)?[\s:#=(]*(\w{1,20})[\s.,;!)]*", re.IGNORECASE)
    sides = ("x", "o")

    def __init__(self, game: ConnectFour) -> None:
        self._game = game

    def read(self, text: str, position: Position) -> int:
        """The column that *text* names: ``3``, ``col 3``, `` (3)``."""
        match = self.ENTRY.fullmatch(text.strip())
        if match is None:
            raise IllegalMoveError(f"{shorten(text)!r} is not the number of a column")
        return self._game.parse_move(match[1])

    def name(self, move: int, position: Position) -> str:
        """Such as "column 3"."""
        return f"column {self._game.format_move(move)}"

    def question(self, position: Position) -> str:
        """Such as "column (0-6)"."""
        return f"column (0-{self._game.rules.columns - 1})"

    def list_moves(self, position: Position) -> str:
        """Which columns have room."""
        columns = [self._game.format_move(column) for column in self._game.legal_moves(position)]
        if len(columns) == 1:
            return f"Only column {columns[0]} is open."
        return f"Open are {', '.join(columns[:-1])} and {columns[-1]}."

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """Which columns have room."""
        return self.list_moves(position)

    def draw(self, position: Position, last: int | None = None, *, colour: bool = False) -> str:
        """The board as it prints itself; where the last disc fell is not shown."""
        board = str(position)
        if colour:
            cells, numbers = board.rsplit("\n", 1)
            board = "".join(DISCS.get(mark, mark) for mark in cells) + "\n" + numbers
        return board
