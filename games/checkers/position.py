"""Positions and moves of checkers, for people: values, drawings and Portable Draughts Notation.

How a board lies in bits is told in :mod:`evolve_arena.games.checkers.board`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.games.checkers.board import CheckersRules

COLOURS = ("dark", "light")
"""The sides by number; in notation they are B and W."""
LETTERS = "BW"
MARKS = ".bBwW"
MOST_PIECES = 12
MOVE_TEXT = re.compile(
    r"[0-9]{1,2}(?:[-x:][0-9]{1,2}){1,9}", re.ASCII
)  # no piece can jump more often
PLACED = re.compile(r"(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Move:
    """A move, by the squares that the piece stands on in turn.

    >>> Move((1, 10, 19)).is_capture, str(Move((1, 10, 19))), str(Move((11, 15)))
    (True, '1x10x19', '11-15')
    """

    path: tuple[int, ...]
    """Squares from 1 to 32; a capture that was parsed may lack those between first and last."""

    @property
    def is_capture(self) -> bool:
        """Whether pieces are jumped over."""
        return abs(_row(self.path[0]) - _row(self.path[-1])) != 1

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move that a text such as ``11-15``, ``18x11`` or ``1x10x19`` names.

        Raises:
            IllegalMoveError: It names none on any board.
        """
        bare = text.strip().lower().replace("×", "x")
        if not MOVE_TEXT.fullmatch(bare):
            raise IllegalMoveError(
                f"{text.strip()[:20]!r} is no move: write 11-15, or 18x11 for a capture"
            )
        path = tuple(int(square) for square in re.split("[-x:]", bare))
        for square in path:
            if not 1 <= square <= 32:
                raise IllegalMoveError(f"there is no square {square}: they are numbered 1 to 32")
        return cls(path)

    def __str__(self) -> str:
        return ("x" if self.is_capture else "-").join(str(square) for square in self.path)


@dataclass(frozen=True)
class Position:
    """A board, who is to move, and what counts for a draw. Printed, it shows itself."""

    dark: int
    """Dark's pieces, as bits."""
    light: int
    """Light's pieces."""
    kings: int
    """Which of all of them are kings."""
    side: int = 0
    """Who is to move: 0 is dark, 1 is light."""
    turned: bool = False
    """Whether the board is drawn turned round, with square 32 first."""
    past: tuple[int, ...] = ()
    """Where the kings stood, ply by ply, since the last capture or move of a man: the newest 80.

    Nothing else changes between such moves; see
    :func:`~evolve_arena.games.checkers.board.repetition_key`.
    """

    @property
    def rules(self) -> CheckersRules:
        """The options of the game in which this is a position."""
        return CheckersRules(int(self.turned))

    def cells(self) -> NDArray[np.int8]:
        """The board as numbers, shape ``(8, 8)``, squares 1 to 4 in the first row.

        0 is empty, 1 a man of dark, 2 a king of dark, 3 a man of light, 4 a king of light.
        """
        board = np.zeros((8, 8), dtype=np.int8)
        for square in range(1, 33):
            board[_row(square), _column(square)] = self._piece(square)
        return board

    def fen(self) -> str:
        """The position in the notation of PDN files: ``B:W21,22,K30:B1,2``."""
        sides = [self._squares(pieces) for pieces in (self.light, self.dark)]
        return f"{LETTERS[self.side]}:W{sides[0]}:B{sides[1]}"

    def drawing(self) -> str:
        """The position in one line, in the order of :meth:`__str__`, which is read as well."""
        return f"{''.join(self._marks())} {COLOURS[self.side]} to move"

    def __str__(self) -> str:
        squares, marks = self._order(), self._marks()
        lines = []
        for row in range(8):
            text = "   ".join(marks[4 * row : 4 * row + 4])
            indented = f"  {text}" if row % 2 == 0 else f"{text}  "
            lines.append(f"{indented}  {squares[4 * row + 3]:2}")
        return "\n".join([*lines, f"{COLOURS[self.side]} to move"])

    def _order(self) -> range:
        """The squares as they are drawn."""
        return range(32, 0, -1) if self.turned else range(1, 33)

    def _marks(self) -> list[str]:
        return [MARKS[self._piece(square)] for square in self._order()]

    def _piece(self, square: int) -> int:
        bit = bit_of(square)
        king = bool(self.kings & bit)
        return (1 + king if self.dark & bit else 0) + (3 + king if self.light & bit else 0)

    def _squares(self, pieces: int) -> str:
        return ",".join(
            ("K" if self.kings & bit_of(square) else "") + str(square)
            for square in range(1, 33)
            if pieces & bit_of(square)
        )


def bit_of(square: int) -> int:
    """The bit of a *square* from 1 to 32."""
    return 1 << (square - 1 + (square - 1) // 8)


def square_of(place: int) -> int:
    """The square whose bit has number *place*."""
    return place + 1 - place // 9


def parse_fen(text: str, *, turned: bool = False) -> Position:
    """The position that a text like ``W:WK3,21-24:B1,2`` describes.

    Raises:
        PositionError: It describes none, or one that cannot be.
    """
    bare = "".join(text.split()).removesuffix(".").upper()
    mover, *sections = bare.split(":")
    if mover not in ("B", "W"):
        raise PositionError(
            f"{text[:40]!r} is no position: it must begin with B: or W:, the side to move"
        )
    placed: dict[str, list[tuple[int, bool]]] = {}
    for section in sections:
        colour = section[:1]
        if colour not in ("B", "W") or colour in placed:
            raise PositionError(
                f"{text[:40]!r}: after the side to move come W and its squares and B and its"
                " squares, once each"
            )
        placed[colour] = list(_parse_squares(section[1:]))
    if len(placed) != 2:
        raise PositionError(f"{text[:40]!r} does not give the squares of both W and B")
    return _make_position(placed["B"], placed["W"], LETTERS.index(mover), turned)


def parse_drawing(text: str, *, turned: bool = False) -> Position:
    """The position that a drawing shows: ``b``, ``B`` (king), ``w``, ``W`` and ``.``, 32 of them.

    Blanks and numbers between do not count. Below may stand "light to move"; without it that
    side moves that begins the game.

    Raises:
        PositionError: It shows none, or one that cannot be.
    """
    side = int(turned)
    board = text
    if match := re.search(r"(dark|light) to move\s*\Z", text):
        side = COLOURS.index(match[1])
        board = text[: match.start()]
    marks = re.sub(r"[0-9\s/|]", "", board)
    for mark in marks:
        if mark not in MARKS:
            raise PositionError(f"{mark!r} in a drawing: squares are b, B, w, W or .")
    if len(marks) != 32:
        raise PositionError(f"a drawing needs 32 squares, this has {len(marks)}")
    placed: dict[str, list[tuple[int, bool]]] = {"B": [], "W": []}
    for place, mark in enumerate(marks):
        if mark != ".":
            square = 32 - place if turned else place + 1
            placed[mark.upper()].append((square, mark.isupper()))
    return _make_position(placed["B"], placed["W"], side, turned)


def _parse_squares(text: str) -> Iterator[tuple[int, bool]]:
    """The squares that a list like ``K3,21-24`` names, and whether kings stand there."""
    for item in text.split(",") if text else []:
        match = PLACED.fullmatch(item)
        if not match:
            raise PositionError(f"{item[:20]!r} is no square: write 21, K21 for a king, or 21-24")
        first = int(match[2])
        last = int(match[3] or first)
        for square in (first, last):
            if not 1 <= square <= 32:
                raise PositionError(f"there is no square {square}: they are numbered 1 to 32")
        if last < first:
            raise PositionError(f"{item!r}: the first square is above the last")
        for square in range(first, last + 1):
            yield square, bool(match[1])


def _make_position(
    dark: Iterable[tuple[int, bool]], light: Iterable[tuple[int, bool]], side: int, turned: bool
) -> Position:
    boards = [0, 0]
    kings = 0
    for colour, pieces in enumerate((dark, light)):
        for square, king in pieces:
            if (boards[0] | boards[1]) & bit_of(square):
                raise PositionError(f"two pieces stand on square {square}")
            if not king and _row(square) == (7 if colour == 0 else 0):
                raise PositionError(
                    f"a man of {COLOURS[colour]} on square {square}: there it would be a king"
                )
            boards[colour] |= bit_of(square)
            kings |= bit_of(square) if king else 0
        if boards[colour].bit_count() > MOST_PIECES:
            raise PositionError(
                f"{boards[colour].bit_count()} pieces of {COLOURS[colour]}: a side has at most"
                f" {MOST_PIECES}"
            )
    return Position(boards[0], boards[1], kings, side, turned)


def _row(square: int) -> int:
    return (square - 1) // 4


def _column(square: int) -> int:
    return 2 * ((square - 1) % 4) + 1 - _row(square) % 2
