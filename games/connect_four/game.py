"""Connect Four and its relatives on other boards, for people: positions, texts, drawings.

The rules themselves are in :mod:`evolve_arena.games.connect_four.bitboard`, which describes how a
board lies in bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import (
    BadValueError,
    GameOverError,
    IllegalMoveError,
    PositionError,
    quote,
)
from evolve_arena.core.game import Game, Outcome
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    count_sequences,
    drop,
    full_columns,
    has_line,
)

FIRST_MARKS = "xX"
SECOND_MARKS = "oO"
EMPTY_MARKS = "._-"
DIGITS = "0123456789abcdefghijklmnpqrstuvw"  # columns; without o, which is a mark in drawings


@dataclass(frozen=True)
class Position:
    """A board: who has which discs. Printed, it shows itself; it is a value and hashable."""

    rules: Rules
    first: int
    """The discs of the player who began, as bits."""
    second: int
    """The discs of the other."""

    @property
    def ply(self) -> int:
        """How many discs lie on the board."""
        return (self.first | self.second).bit_count()

    def mirror(self) -> Position:
        """The position with left and right exchanged."""
        return Position(self.rules, self._mirrored(self.first), self._mirrored(self.second))

    def swap_colours(self) -> Position:
        """The position with every disc in the other colour."""
        return Position(self.rules, self.second, self.first)

    def cells(self) -> NDArray[np.int8]:
        """The board as numbers, shape ``(rows, columns)``, top row first.

        0 is an empty cell, 1 a disc of the player who began, 2 one of the other.
        """
        height = self.rules.rows + 1
        board = np.zeros((self.rules.rows, self.rules.columns), dtype=np.int8)
        for column in range(self.rules.columns):
            for row in range(self.rules.rows):
                bit = 1 << (column * height + row)
                if self.first & bit:
                    board[self.rules.rows - 1 - row, column] = 1
                elif self.second & bit:
                    board[self.rules.rows - 1 - row, column] = 2
        return board

    def drawing(self) -> str:
        """The board in one line, top row first: ``x`` began, ``o`` is the other, ``.`` empty."""
        return "".join(".xo"[cell] for cell in self.cells().ravel())

    def __str__(self) -> str:
        lines = [" ".join(".xo"[cell] for cell in row) for row in self.cells()]
        lines.append(" ".join(DIGITS[column] for column in range(self.rules.columns)))
        return "\n".join(lines)

    def _mirrored(self, discs: int) -> int:
        height = self.rules.rows + 1
        whole = (1 << height) - 1
        result = 0
        for column in range(self.rules.columns):
            result = result << height | (discs >> (column * height)) & whole
        return result


class ConnectFour(Game[Position, int]):
    """The rules of Connect Four, and of its relatives on other boards.

    Args:
        columns: Width of the board, 1 to 32.
        rows: Height of the board; ``columns * (rows + 1)`` is at most 64.
        connect: How many in a row win, at least 2.

    Raises:
        BadValueError: The board does not fit, or no line can.

    >>> game = ConnectFour()
    >>> position = game.initial()
    >>> for column in (3, 2, 3, 2, 3, 2, 3):
    ...     position = game.play(position, column)
    >>> print(position)
    . . . . . . .
    . . . . . . .
    . . . x . . .
    . . o x . . .
    . . o x . . .
    . . o x . . .
    0 1 2 3 4 5 6
    >>> game.outcome(position)
    Outcome(places=(1, 2), reason='4 in a row', points=None)
    """

    name = "connect-four"
    rules_type = Rules
    rules: Rules

    def __init__(self, columns: int = 7, rows: int = 6, connect: int = 4) -> None:
        if columns < 1 or rows < 1 or columns * (rows + 1) > 64:
            raise BadValueError(
                f"a board of {columns} columns and {rows} rows: columns * (rows + 1) must be"
                " from 2 to 64"
            )
        if not 2 <= connect <= max(columns, rows):
            raise BadValueError(
                f"connect is {connect}: on a board of {columns} columns and {rows} rows it must"
                f" be from 2 to {max(columns, rows)}"
            )
        super().__init__(columns=columns, rows=rows, connect=connect)

    def describe(self) -> str:
        """The board, and how many in a row win."""
        columns, rows, connect = self.rules
        return f"a board of {columns} by {rows}, {connect} in a row"

    def initial(self, seed: int = 0) -> Position:
        """The empty board; *seed* changes nothing."""
        return Position(self.rules, 0, 0)

    def to_move(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return state.ply % 2

    def legal_moves(self, state: Position) -> list[int]:
        """The columns with room, ascending; none once the game is over."""
        return [] if self._is_over(state) else self._open_columns(state)

    def play(self, state: Position, move: int) -> Position:
        """The position after a disc is dropped into column *move*.

        Raises:
            IllegalMoveError: There is no such column, or it is full.
            GameOverError: The game has ended.
        """
        if self._is_over(state):
            raise GameOverError(f"column {move} is played after the end of the game")
        if not 0 <= move < self.rules.columns:
            raise IllegalMoveError(
                f"there is no column {move}: they are numbered 0 to {self.rules.columns - 1}"
            )
        if move not in self._open_columns(state):
            raise IllegalMoveError(f"column {move} is full")
        bit = int(drop(np.uint64(state.first | state.second), move, self.rules))
        if state.ply % 2 == 0:
            return Position(self.rules, state.first | bit, state.second)
        return Position(self.rules, state.first, state.second | bit)

    def outcome(self, state: Position) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        reason = f"{self.rules.connect} in a row"
        if has_line(np.uint64(state.first), self.rules):
            return Outcome((1, 2), reason)
        if has_line(np.uint64(state.second), self.rules):
            return Outcome((2, 1), reason)
        if state.ply == self.rules.columns * self.rules.rows:
            return Outcome((1, 1), "the board is full")
        return None

    def perft(self, state: Position, depth: int) -> int:
        """The number of move sequences of *depth* plies from here; games may end on the way.

        >>> ConnectFour().perft(ConnectFour().initial(), 4)
        2401
        """
        own, other = state.first, state.second
        if state.ply % 2:
            own, other = other, own
        return int(count_sequences(np.uint64(own), np.uint64(other), self.rules, depth))

    def observe(self, state: Position, seat: int) -> NDArray[np.int8]:
        """The discs of *seat* and those of the other, as two planes of 0 and 1.

        The shape is ``(2, rows, columns)``, top row first.
        """
        cells = state.cells()
        return np.stack([cells == 1 + seat, cells == 2 - seat]).astype(np.int8)

    def parse_move(self, text: str) -> int:
        """The column that *text* names.

        Raises:
            IllegalMoveError: It is not the number of a column.
        """
        digit = text.strip().lower()
        column = int(digit) if digit.isascii() and digit.isdecimal() and len(digit) <= 2 else -1
        if len(digit) == 1:
            column = DIGITS.find(digit)
        if not 0 <= column < self.rules.columns:
            raise IllegalMoveError(
                f"{text.strip()[:20]!r} names no column:"
                f" they are numbered 0 to {self.rules.columns - 1}"
            )
        return column

    def format_move(self, move: int) -> str:
        """The number of the column, one character."""
        return DIGITS[move]

    def parse_position(self, text: str) -> Position:
        """The position after a string of moves, or the one that a drawing shows.

        A string of moves has one character per ply, ``3321``; the empty string is the empty
        board. A drawing gives the cells row by row, the top row first, as ``x`` (who began),
        ``o`` and ``.``, with or without blanks, line breaks or slashes between.

        Raises:
            PositionError: It is neither, a move is illegal, or discs float or do not add up.

        >>> game = ConnectFour(4, 3, 3)
        >>> game.parse_position("112") == game.parse_position(".... .o.. .xx.")
        True
        """
        bare = "".join(text.replace("/", " ").split())
        if any(mark in FIRST_MARKS + SECOND_MARKS + EMPTY_MARKS for mark in bare):
            return self._parse_drawing(bare)
        position = self.initial()
        for ply, character in enumerate(bare):
            try:
                position = self.play(position, self.parse_move(character))
            except IllegalMoveError as error:
                raise PositionError(f"move {ply + 1} of {quote(text)}: {error}") from None
        return position

    def _parse_drawing(self, bare: str) -> Position:
        columns, rows, _ = self.rules
        if len(bare) != columns * rows:
            raise PositionError(f"a drawing needs {columns * rows} cells, this has {len(bare)}")
        discs = [0, 0]
        for place, mark in enumerate(bare):
            bit = 1 << (place % columns * (rows + 1) + rows - 1 - place // columns)
            if mark in FIRST_MARKS:
                discs[0] |= bit
            elif mark in SECOND_MARKS:
                discs[1] |= bit
            elif mark not in EMPTY_MARKS:
                raise PositionError(f"{mark!r} in a drawing: cells are x, o or .")
        position = Position(self.rules, discs[0], discs[1])
        self._check(position)
        return position

    def _check(self, position: Position) -> None:
        first, second = position.first.bit_count(), position.second.bit_count()
        if first - second not in (0, 1):
            raise PositionError(f"{first} discs of x and {second} of o: x begins, in turn")
        cells = position.cells() > 0
        if np.any(cells[:-1] & ~cells[1:]):
            raise PositionError("a disc floats above an empty cell")
        lines = [has_line(np.uint64(d), self.rules) for d in (position.first, position.second)]
        if all(lines):
            raise PositionError("both players have a line")

    def _is_over(self, state: Position) -> bool:
        return self.outcome(state) is not None

    def _open_columns(self, state: Position) -> list[int]:
        full = int(full_columns(np.uint64(state.first | state.second), self.rules))
        return [column for column in range(self.rules.columns) if not full >> column & 1]
