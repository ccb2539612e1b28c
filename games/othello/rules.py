"""Othello, on boards of 8 by 8 and 6 by 6 cells: bit ``SIZE * row + column`` of a word is a cell.

A state is the discs of whose turn it is, those of the other, the cells on which the former may put
one, and the seat whose turn it is. Who can't put a disc passes. The game ends when nobody can.
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
"""Discs outside of it can't be turned along a row or a diagonal."""
ROW = np.uint64(SIZE)
RISING, FALLING = np.uint64(SIZE + 1), np.uint64(SIZE - 1)
CORNERS = np.uint64(1 | 1 << SIZE - 1 | 1 << CELLS - SIZE | 1 << CELLS - 1)
BESIDE = np.uint64(
    sum(1 << SIZE * row + column for row in (1, SIZE - 2) for column in (1, SIZE - 2))
)
"""The cells diagonally beside a corner: who has one gives the corner away."""
EDGE = BOARD & ~(INNER & (BOARD >> ROW) & (BOARD << ROW))


def start():
    """Four discs in the middle; who moves first owns those on the rising diagonal."""
    corner = np.uint64((SIZE // 2 - 1) * (SIZE + 1))
    own = (ONE << (corner + ONE)) | (ONE << (corner + ROW))
    other = (ONE << corner) | (ONE << (corner + RISING))
    return own, other, _find_moves(own, other), 0


def to_move(state):
    """The seat whose turn it is."""
    return state[3]


def legal(state, moves):
    """Cells, ascending, or the pass alone."""
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
    """Puts a disc, turns those of the other that it encloses, and gives the turn away."""
    own, other = state[0], state[1]
    if move != PASS:
        turned = _find_turned(ONE << np.uint64(move), own, other)
        own |= turned | (ONE << np.uint64(move))
        other &= ~turned
    return other, own, _find_moves(other, own), 1 - state[3]


def result(state):
    """Who has more discs wins."""
    if state[2] or _find_moves(state[1], state[0]):
        return 2
    ahead = count_bits(state[0]) - count_bits(state[1])
    return np.sign(ahead) * (1 - 2 * state[3])


def see(state, seat, planes):
    """One's own discs, then the other's."""
    own, other = state[0], state[1]
    if state[3] != seat:
        own, other = other, own
    planes[0] = own
    planes[1] = other


def features(state, seat, out):
    """Counts of either side, as shares of about the most; discs are open beside empty cells."""
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
    """Counts of a disc to be put; nothing of a pass."""
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
    """Corners, what gives them away, and how many moves there are to choose from."""
    own, other = state[0], state[1]
    value = 16 * (count_bits(own & CORNERS) - count_bits(other & CORNERS))
    value -= 4 * (count_bits(own & BESIDE) - count_bits(other & BESIDE))
    value += count_bits(state[2]) - count_bits(_find_moves(other, own))
    if state[3] != seat:
        value = -value
    return value


def name_move(move):
    """Such as ``d3``."""
    return "pass" if move == PASS else f"{'abcdefgh'[move % SIZE]}{move // SIZE + 1}"


def _find_moves(own, other):
    """The empty cells on which a disc encloses some of the other."""
    inner = other & INNER
    found = _reach(own, inner, ONE) | _reach(own, other, ROW)
    found |= _reach(own, inner, RISING) | _reach(own, inner, FALLING)
    return found & ~(own | other) & BOARD


def _reach(own, other, step):
    """The cells behind lines of *other* discs that begin beside own ones, both ways."""
    up, down = (own << step) & other, (own >> step) & other
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    return (up << step) | (down >> step)


def _count_pair(out, place, own, other, most):
    """Writes how many bits either word has, as shares of *most*."""
    out[place] = count_bits(own) / most
    out[place + 1] = count_bits(other) / most


def _spread(cells):
    """The cells beside some *cells*, and these."""
    cells |= ((cells & ~RIGHT) << ONE) | ((cells & ~LEFT) >> ONE)
    return (cells | (cells << ROW) | (cells >> ROW)) & BOARD


def _find_turned(disc, own, other):
    """The discs that a new one turns."""
    inner = other & INNER
    turned = _enclose(disc, own, inner, ONE) | _enclose(disc, own, other, ROW)
    return turned | _enclose(disc, own, inner, RISING) | _enclose(disc, own, inner, FALLING)


def _enclose(disc, own, other, step):
    """The *other* discs between a new one and own ones along one line, both ways."""
    up, down = (disc << step) & other, (disc >> step) & other
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    up = up if (up << step) & own else NONE
    down = down if (down >> step) & own else NONE
    return up | down
