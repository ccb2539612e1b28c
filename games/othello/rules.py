"""Othello, on boards of 8 by 8 and 6 by 6 cells: enclosed discs are turned, more discs win.

Bit ``SIZE * row + column`` of a word is a cell. A state is the discs of the player to move, those
of the other, the cells that the former may move to, and the player to move. A player who has no
move passes. The game ends when neither has one.
"""

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

SIZE = 8
"""Cells along a side of the board."""
OPTIONS = {"SIZE": (6, 8)}
CELLS = SIZE * SIZE
WIDTH = SIZE
SYMMETRY = "all"
PASS = CELLS
MOVES = CELLS + 1
PLANES = 2
LONGEST = 2 * CELLS
POSITIONS = ("data/exact_positions_6.csv", "data/exact_endings.csv")
ENDINGS = ("more discs", "as many discs")
OPENSPIEL = "othello" if SIZE == 8 else ""
BOTZONE = "Reversi" if SIZE == 8 else ""

FEATURES = (
    *(
        f"{whose} {what}"
        for what in ("corners", "cells beside corners", "moves", "discs", "open discs")
        for whose in ("own", "the other's")
    ),
    "discs on the board",
)
MOVE_FEATURES = ("discs turned", "a corner", "beside a corner", "on the edge", "moves left to him")

ONE = np.uint64(1)
NONE = np.uint64(0)
BOARD = np.uint64(2**CELLS - 1)
LEFT = np.uint64(sum(1 << SIZE * row for row in range(SIZE)))
RIGHT = np.uint64(int(LEFT) << (SIZE - 1))
INNER = BOARD & ~LEFT & ~RIGHT
"""All but the outer columns: other discs can't be turned along a row or a diagonal."""
ROW = np.uint64(SIZE)
RISING, FALLING = np.uint64(SIZE + 1), np.uint64(SIZE - 1)
CORNERS = np.uint64(1 | 1 << SIZE - 1 | 1 << CELLS - SIZE | 1 << CELLS - 1)
BESIDE = np.uint64(
    sum(1 << SIZE * row + column for row in (1, SIZE - 2) for column in (1, SIZE - 2))
)
"""The cells diagonally beside a corner: a disc there gives the corner away."""
EDGE = BOARD & ~(INNER & (BOARD >> ROW) & (BOARD << ROW))


def start():
    """Place four discs in the middle; seat 0 owns those on the rising diagonal."""
    corner = np.uint64((SIZE // 2 - 1) * (SIZE + 1))
    own = (ONE << (corner + ONE)) | (ONE << (corner + ROW))
    other = (ONE << corner) | (ONE << (corner + RISING))
    return own, other, _find_moves(own, other), 0


def to_move(state):
    """Return the player to move."""
    return state[3]


def legal(state, moves):
    """List cells in ascending order, or the pass alone."""
    left, count = state[2], 0
    while left:
        moves[count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    if count == 0:
        moves[0] = PASS
        count = 1
    return count


def play(state, move):
    """Place a disc, turn those that it encloses, and pass the turn."""
    own, other = state[0], state[1]
    if move != PASS:
        turned = _find_turned(ONE << np.uint64(move), own, other)
        own |= turned | (ONE << np.uint64(move))
        other &= ~turned
    return other, own, _find_moves(other, own), 1 - state[3]


def result(state):
    """Return the result: more discs win once neither player has a move."""
    if state[2] or _find_moves(state[1], state[0]):
        return 2
    ahead = count_bits(state[0]) - count_bits(state[1])
    return np.sign(ahead) * (1 - 2 * state[3])


def see(state, seat, planes):
    """Set the bits of own discs, then of the other's."""
    own, other = state[0], state[1]
    if state[3] != seat:
        own, other = other, own
    planes[0] = own
    planes[1] = other


def features(state, seat, out):
    """Write counts of both sides, scaled to about 0 to 1; discs are open beside empty cells."""
    own, other = state[0], state[1]
    if state[3] != seat:
        own, other = other, own
    empty = BOARD & ~(own | other)
    beside = _spread(empty)
    _count_pair(out, 0, own & CORNERS, other & CORNERS, 4)
    _count_pair(out, 2, own & BESIDE, other & BESIDE, 4)
    _count_pair(out, 4, _find_moves(own, other), _find_moves(other, own), 16)
    _count_pair(out, 6, own, other, CELLS)
    _count_pair(out, 8, own & beside, other & beside, 32)
    out[10] = 1 - count_bits(empty) / CELLS


def describe_move(state, move, seat, out):
    """Describe a disc to be placed; a pass has zeros only."""
    if move == PASS:
        return
    own, other, disc = state[0], state[1], ONE << np.uint64(move)
    turned = _find_turned(disc, own, other)
    out[0] = count_bits(turned) / 16
    out[1] = disc & CORNERS != 0
    out[2] = disc & BESIDE != 0
    out[3] = disc & EDGE != 0
    out[4] = count_bits(_find_moves(other & ~turned, own | turned | disc)) / 16


def evaluate(state, seat):
    """Return the weighted lead in corners, cells beside corners and available moves."""
    own, other = state[0], state[1]
    value = 16 * (count_bits(own & CORNERS) - count_bits(other & CORNERS))
    value -= 4 * (count_bits(own & BESIDE) - count_bits(other & BESIDE))
    value += count_bits(state[2]) - count_bits(_find_moves(other, own))
    if state[3] != seat:
        value = -value
    return value


def name_move(move):
    """Return a name such as ``d3``."""
    return "pass" if move == PASS else f"{'abcdefgh'[move % SIZE]}{move // SIZE + 1}"


def _find_moves(own, other):
    """Return the empty cells on which a disc encloses discs of the other."""
    inner = other & INNER
    found = _reach(own, inner, ONE) | _reach(own, other, ROW)
    found |= _reach(own, inner, RISING) | _reach(own, inner, FALLING)
    return found & ~(own | other) & BOARD


def _reach(own, other, step):
    """Return the cells behind lines of *other* discs that begin beside own ones, both ways."""
    up, down = (own << step) & other, (own >> step) & other
    # A line has SIZE - 2 enclosed discs at most; the first is found above.
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    return (up << step) | (down >> step)


def _count_pair(out, place, own, other, most):
    """Write the number of bits of either word as shares of *most*."""
    out[place] = count_bits(own) / most
    out[place + 1] = count_bits(other) / most


def _spread(cells):
    """Return some *cells* and all beside them."""
    cells |= ((cells & ~RIGHT) << ONE) | ((cells & ~LEFT) >> ONE)
    return (cells | (cells << ROW) | (cells >> ROW)) & BOARD


def _find_turned(disc, own, other):
    """Return the discs that a new one turns."""
    inner = other & INNER
    turned = _enclose(disc, own, inner, ONE) | _enclose(disc, own, other, ROW)
    return turned | _enclose(disc, own, inner, RISING) | _enclose(disc, own, inner, FALLING)


def _enclose(disc, own, other, step):
    """Return the *other* discs between a new one and own ones along one line, both ways."""
    up, down = (disc << step) & other, (disc >> step) & other
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    # A line that does not end at an own disc encloses nothing.
    up = up if (up << step) & own else NONE
    down = down if (down >> step) & own else NONE
    return up | down
