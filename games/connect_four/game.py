"""Connect Four and its relatives on other boards, for people: positions, texts, drawings.

The rules themselves are in :mod:`evolve_arena.games.connect_four.bitboard`, which describes how a
board lies in bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
    make_rules,
)

FIRST_MARKS = "xX"
SECOND_MARKS = "oO"
EMPTY_MARKS = "._-"
DIGITS = "0123456789abcdefghijklmnpqrstuvw"  # columns; without o, which is a mark in drawings
STEAL = "steal"


@dataclass(frozen=True)
class Position:
    """A board: who has which discs. Printed, it shows itself; it is a value and hashable."""

    rules: Rules
    first: int
    """The discs of the player who began, as bits."""
    second: int
    """The discs of the other."""
    stolen: bool = False
    """Whether the other's first action was STEAL."""
    last: int | None = field(default=None, compare=False, repr=False)
    """The move that led here, if one was played."""

    @property
    def ply(self) -> int:
        """How many moves were played: as many as discs lie on the board, and STEAL."""
        return (self.first | self.second).bit_count() + self.stolen

    def mirror(self) -> Position:
        """The position with left and right exchanged."""
        first, second = self._mirrored(self.first), self._mirrored(self.second)
        return Position(self.rules, first, second, self.stolen)

    def swap_colours(self) -> Position:
        """The position with every disc in the other colour."""
        return Position(self.rules, self.second, self.first, self.stolen)

    def cells(self) -> NDArray[np.int8]:
        """The board as numbers, shape ``(rows, columns)``, top row first.

        0 is an empty cell, 1 a disc of the player who began, 2 one of the other.
        """
        height = self.rules.height
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
        height = self.rules.height
        whole = (1 << height) - 1
        result = 0
        for column in range(self.rules.columns):
            result = result << height | (discs >> (column * height)) & whole
        return result


class ConnectFour(Game[Position, int]):
    """The rules of Connect Four, and of its relatives on other boards.

    Args:
        columns: Width of the board, 1 to 32.
        rows: Height of the board, 1 to 63. It has at most 64 cells, with STEAL 63.
        connect: How many in a row win, at least 2.
        steal: 1 if the second player's first action may be STEAL, which makes the one disc on the
            board his own. Its number is that of the column behind the last one.

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

    def __init__(self, columns: int = 7, rows: int = 6, connect: int = 4, steal: int = 0) -> None:
        most = 63 if steal else 64
        if columns < 1 or rows < 1 or columns * rows > most:
            raise BadValueError(
                f"a board of {columns} columns and {rows} rows: columns * rows must be"
                f" from 1 to {most}{' with steal' if steal else ''}"
            )
        if not 2 <= connect <= max(columns, rows):
            raise BadValueError(
                f"connect is {connect}: on a board of {columns} columns and {rows} rows it must"
                f" be from 2 to {max(columns, rows)}"
            )
        super().__init__(columns=columns, rows=rows, connect=connect, steal=steal)

    @classmethod
    def make_rules(cls, *numbers: int, **options: int) -> Rules:
        """Those of boards without room for spare bits, and with STEAL, are of another type."""
        return make_rules(*numbers, **options)

    def describe(self) -> str:
        """The board, how many in a row win, and whether there is STEAL."""
        columns, rows, connect, steal = self.rules
        return (
            f"a board of {columns} by {rows}, {connect} in a row{', with STEAL' if steal else ''}"
        )

    def initial(self, seed: int = 0) -> Position:
        """The empty board; *seed* changes nothing."""
        return Position(self.rules, 0, 0)

    def to_move(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return state.ply % 2

    def legal_moves(self, state: Position) -> list[int]:
        """The columns with room, ascending, then STEAL; none once the game is over."""
        return [] if self._is_over(state) else self._open_columns(state)

    def play(self, state: Position, move: int) -> Position:
        """The position after a disc is dropped into column *move*, or after STEAL.

        Raises:
            IllegalMoveError: There is no such column, or it is full, or nobody may STEAL now.
            GameOverError: The game has ended.
        """
        if self._is_over(state):
            raise GameOverError(f"{self._name(move)} is played after the end of the game")
        if not 0 <= move < self.rules.moves:
            raise IllegalMoveError(
                f"there is no column {move}: they are numbered 0 to {self.rules.columns - 1}"
            )
        if move not in self._open_columns(state):
            if move == self.rules.columns:
                raise IllegalMoveError("STEAL is for the second player's first action alone")
            raise IllegalMoveError(f"column {move} is full")
        if move == self.rules.columns:
            return Position(self.rules, 0, state.first, True, move)
        first, second = state.first, state.second
        bit = int(drop(np.uint64(first | second), move, self.rules))
        if state.ply % 2 == 0:
            return Position(self.rules, first | bit, second, state.stolen, move)
        return Position(self.rules, first, second | bit, state.stolen, move)

    def outcome(self, state: Position) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        reason = f"{self.rules.connect} in a row"
        if has_line(np.uint64(state.first), self.rules):
            return Outcome((1, 2), reason)
        if has_line(np.uint64(state.second), self.rules):
            return Outcome((2, 1), reason)
        if (state.first | state.second).bit_count() == self.rules.columns * self.rules.rows:
            return Outcome((1, 1), "the board is full")
        return None

    def perft(self, state: Position, depth: int) -> int:
        """The number of move sequences of *depth* plies from here; games may end on the way.

        >>> ConnectFour().perft(ConnectFour().initial(), 4)
        2401
        """
        if self.rules.steal and depth and state.ply < 2:
            moves = self.legal_moves(state)
            return sum(self.perft(self.play(state, move), depth - 1) for move in moves)
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
        """The column that *text* names, or STEAL.

        Raises:
            IllegalMoveError: It is not the number of a column.
        """
        digit = text.strip().lower()
        if self.rules.steal and digit == STEAL:
            return self.rules.columns
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
        """The number of the column, one character, or ``steal``."""
        return STEAL if move == self.rules.columns else DIGITS[move]

    def split_moves(self, text: str) -> list[str]:
        """The moves in a string of them, blanks or not between: ``4steal3`` are three.

        >>> ConnectFour(9, 7, 4, 1).split_moves("4steal 3")
        ['4', 'steal', '3']
        """
        steal = f"{STEAL}|" if self.rules.steal else ""
        return re.findall(rf"{steal}\S", text, re.IGNORECASE)

    def parse_position(self, text: str) -> Position:
        """The position after a string of moves, or the one that a drawing shows.

        A string of moves has one character per ply, ``3321``, or the word ``steal``; the empty
        string is the empty board. A drawing gives the cells row by row, the top row first, as
        ``x`` (who began), ``o`` and ``.``, with or without blanks, line breaks or slashes between.
        One disc more of ``o`` than of ``x`` says that ``o`` began with STEAL; as many of both that
        nobody did.

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
        for ply, move in enumerate(self.split_moves(bare)):
            try:
                position = self.play(position, self.parse_move(move))
            except IllegalMoveError as error:
                raise PositionError(f"move {ply + 1} of {quote(text)}: {error}") from None
        return position

    def _parse_drawing(self, bare: str) -> Position:
        columns, rows, *_ = self.rules
        if len(bare) != columns * rows:
            raise PositionError(f"a drawing needs {columns * rows} cells, this has {len(bare)}")
        discs = [0, 0]
        for place, mark in enumerate(bare):
            bit = 1 << (place % columns * self.rules.height + rows - 1 - place // columns)
            if mark in FIRST_MARKS:
                discs[0] |= bit
            elif mark in SECOND_MARKS:
                discs[1] |= bit
            elif mark not in EMPTY_MARKS:
                raise PositionError(f"{mark!r} in a drawing: cells are x, o or .")
        stolen = bool(self.rules.steal) and discs[1].bit_count() == discs[0].bit_count() + 1
        position = Position(self.rules, discs[0], discs[1], stolen)
        self._check(position)
        return position

    def _check(self, position: Position) -> None:
        first, second = position.first.bit_count(), position.second.bit_count()
        if first - second not in (0, 1) and not position.stolen:
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
        moves = [column for column in range(self.rules.columns) if not full >> column & 1]
        return [*moves, self.rules.columns] if self.rules.steal and state.ply == 1 else moves

    def _name(self, move: int) -> str:
        return "STEAL" if self.rules.steal and move == self.rules.columns else f"column {move}"
