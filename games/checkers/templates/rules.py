"""The rules of checkers and its notation, for exported bots; see `checkers`.

Whatever is here must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# --- The rules ----------------------------------------------------------------------------

# A set of squares is a whole number: square s, 1 to 32, is the bit s - 1 + (s - 1) // 8. The
# bits 8, 17 and 26 stay empty, so that a step to a neighbour is always a shift by 4 or 5 and one
# over the edge hits no square. A move is a tuple: the captured pieces, then the squares on which
# the piece stands in turn, each as a number with one bit.

BOARD = 0x7FBFDFEFF
FAR_ROWS = 0x78000000F
DRAW_PLIES = 80
DIRECTIONS = (4, 5, -4, -5)
LETTERS = "BW"
MOST_PIECES = 12


class Position(NamedTuple):
    """A board and who is to move."""

    own: int
    """The pieces of the player to move."""
    other: int
    """Those of the opponent."""
    kings: int
    """Which of all of them are kings."""
    side: int
    """Who is to move: 0 is dark (B), whose men go to higher squares, 1 is light (W)."""
    past: tuple[tuple[int, int, int, int], ...] = ()
    """The positions before this one, back to the last capture or move of a man."""


def list_moves(own: int, other: int, kings: int, side: int) -> list[tuple[int, ...]]:
    """All legal moves; none means that the player to move has lost."""
    ups, downs = (own & kings, own) if side else (own, own & kings)
    empty = BOARD & ~(own | other)
    moves: list[tuple[int, ...]] = []
    jumpers = find_jumpers(ups, downs, other, empty)
    if jumpers:
        while jumpers:
            piece = jumpers & -jumpers
            jumpers ^= piece
            ways = DIRECTIONS if piece & kings else DIRECTIONS[2 * side : 2 * side + 2]
            follow_jumps(moves, (0, piece), other, empty | piece, ways)
        return moves
    for step in (4, 5):
        starts = ups & (empty >> step)
        while starts:
            piece = starts & -starts
            starts ^= piece
            moves.append((0, piece, piece << step))
    for step in (4, 5):
        starts = downs & (empty << step)
        while starts:
            piece = starts & -starts
            starts ^= piece
            moves.append((0, piece, piece >> step))
    return moves


def follow_jumps(
    moves: list[tuple[int, ...]],
    move: tuple[int, ...],
    other: int,
    empty: int,
    ways: tuple[int, ...],
) -> None:
    """Appends all complete captures that begin with this move; ways are the piece's directions.

    A man that is crowned stops by itself: as a man it could only jump on over the edge.
    """
    piece, complete = move[-1], True
    for way in ways:
        if way > 0:
            over = (piece << way) & other
            target = (over << way) & empty
        else:
            over = (piece >> -way) & other
            target = (over >> -way) & empty
        if target:
            complete = False
            longer = (move[0] | over, *move[1:], target)
            follow_jumps(moves, longer, other ^ over, empty, ways)
    if complete:
        moves.append(move)


def find_jumpers(ups: int, downs: int, other: int, empty: int) -> int:
    """The pieces that can capture, among those that may go up (to higher squares) or down."""
    found = 0
    if ups:
        found = ups & (((empty >> 4 & other) >> 4) | ((empty >> 5 & other) >> 5))
    if downs:
        found |= downs & (((empty << 4 & other) << 4) | ((empty << 5 & other) << 5))
    return found


def can_capture(own: int, other: int, kings: int, side: int) -> int:
    """Not 0 if a capture is possible, which is compulsory then."""
    ups, downs = (own & kings, own) if side else (own, own & kings)
    return find_jumpers(ups, downs, other, BOARD & ~(own | other))


def can_move(own: int, other: int, kings: int, side: int) -> int:
    """Not 0 if there is any move."""
    ups, downs = (own & kings, own) if side else (own, own & kings)
    empty = BOARD & ~(own | other)
    steps = ups & (empty >> 4 | empty >> 5) | downs & (empty << 4 | empty << 5)
    return steps or find_jumpers(ups, downs, other, empty)


def move_piece(own: int, other: int, kings: int, move: tuple[int, ...]) -> tuple[int, int, int]:
    """The pieces of the opponent, who is then to move, of the mover, and the kings."""
    captured, origin, target = move[0], move[1], move[-1]
    crowned = target if kings & origin or target & FAR_ROWS else 0
    kings = kings & ~(captured | origin) | crowned
    return other ^ captured, own ^ origin ^ target, kings


def play(position: Position, move: tuple[int, ...]) -> Position:
    """The position after a legal move."""
    own, other, kings, side, past = position
    reversible = kings & move[1] and not move[0]
    past = (*past, (own, other, kings, side)) if reversible else ()
    return Position(*move_piece(own, other, kings, move), 1 - side, past)


def is_draw(position: Position) -> bool:
    """Whether the position stands for the third time, or 40 moves each changed nothing."""
    return len(position.past) >= DRAW_PLIES or position.past.count(position[:4]) >= 2


def start_position(side: int) -> Position:
    """Twelve men each, with this side to move."""
    dark, light = sum(map(bit_of, range(1, 13))), sum(map(bit_of, range(21, 33)))
    return Position(light, dark, 0, 1) if side else Position(dark, light, 0, 0)


# --- How it reads and writes --------------------------------------------------------------


def bit_of(square: int) -> int:
    """The bit of a square from 1 to 32."""
    return 1 << (square - 1 + (square - 1) // 8)


def square_of(bit: int) -> int:
    """The square that has this bit."""
    place = bit.bit_length() - 1
    return place + 1 - place // 9


def write_move(move: tuple[int, ...], moves: list[tuple[int, ...]]) -> str:
    """The move as 11-15 or 18x11; with all its squares if two of the moves have the same ends."""
    alike = [other for other in moves if (other[1], other[-1]) == (move[1], move[-1])]
    path = (move[1], move[-1]) if len(alike) == 1 else move[1:]
    return ("x" if move[0] else "-").join(str(square_of(bit)) for bit in path)


def read_move(text: str, position: Position) -> tuple[int, ...]:
    """The legal move that a text such as 11-15, 18x11 or 1x10x19 stands for, else ValueError."""
    if not re.fullmatch("[0-9]{1,2}([-x:][0-9]{1,2}){1,9}", text):
        raise ValueError(f"{text[:20]!r} is no move")
    squares = [int(square) for square in re.split("[-x:]", text)]
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for move in list_moves(*position[:4]):
        path = [square_of(bit) for bit in move[1:]]
        if path == squares:
            return move
        between = iter(path[1:-1])
        ends_fit = (path[0], path[-1]) == (squares[0], squares[-1])
        if ends_fit and all(square in between for square in squares[1:-1]):
            found.setdefault(move_piece(*position[:3], move), move)
    if len(found) != 1:
        raise ValueError(f"{text!r} {'can be several moves' if found else 'is not legal here'}")
    return found.popitem()[1]


def read_position(text: str) -> Position:
    """The position of a text such as W:WK3,21-24:B1,2, else ValueError."""
    mover, *sections = "".join(text.split()).rstrip(".").upper().split(":")
    if mover not in ("B", "W") or sorted(part[:1] for part in sections) != ["B", "W"]:
        raise ValueError(f"{text[:60]!r} is no position such as W:WK3,21-24:B1,2")
    sides, kings = [0, 0], 0
    for section in sections:
        colour = LETTERS.index(section[0])
        for item in filter(None, section[1:].split(",")):
            crowned, squares = read_squares(item)
            if (sides[0] | sides[1]) & squares:
                raise ValueError(f"{item!r}: two pieces stand on one square")
            if not crowned and squares & FAR_ROWS & (0xF if colour else ~0xF):
                raise ValueError(f"{item!r}: a man stands where it would be a king")
            sides[colour] |= squares
            kings |= crowned
    if max(bin(pieces).count("1") for pieces in sides) > MOST_PIECES:
        raise ValueError(f"a side has more than {MOST_PIECES} pieces")
    side = LETTERS.index(mover)
    return Position(sides[side], sides[1 - side], kings, side)


def read_squares(item: str) -> tuple[int, int]:
    """What a text such as K3 or 21-24 names: its kings, and all its pieces."""
    match = re.fullmatch("(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?", item)
    first, last = (int(match[2]), int(match[3] or match[2])) if match else (1, 0)
    if not (match and 1 <= first <= last <= 32):
        raise ValueError(f"{item[:20]!r} names no squares")
    squares = sum(map(bit_of, range(first, last + 1)))
    return (squares if match[1] else 0), squares
