"""The board of checkers at a terminal: every square with its number, the last move marked."""

from __future__ import annotations

from itertools import pairwise

from evolve_arena.games.checkers.position import COLOURS, Move, Position, bit_of, square_of

EMPTY, LIT, UNUSED = "38;5;245;48;5;236", "38;5;250;48;5;24", "48;5;250"
"""Colours of a square of checkers, of one that the last move touched, and of those between."""
PIECES = {"b": "38;5;210;1", "B": "38;5;210;1", "w": "38;5;231;1", "W": "38;5;231;1"}
MEN = 12
"""What each side begins with."""


def draw_checkers(position: Position, last: Move | None = None, *, colour: bool = False) -> str:
    """The board with the numbers of all squares, and what each side has left.

    Pieces are ``b`` and ``w``, in upper case if they are kings. The squares between which the
    last move went are in brackets, and those on which it captured bear an ``x``.

    >>> game = checkers.Checkers()
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


def _count_pieces(position: Position, side: int) -> str:
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


def _captured_squares(move: Move) -> set[int]:
    """The squares that a *move* with its whole path jumps over."""
    if not move.is_capture:
        return set()
    places = [bit_of(square).bit_length() - 1 for square in move.path]
    return {square_of((here + there) // 2) for here, there in pairwise(places)}
