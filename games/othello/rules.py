"""The rules of Othello on words of bits: bit ``SIZE * row + column`` is a cell, row 0 on top.

A state is the discs of whose turn it is, those of the other, the cells on which the former may put
one, and the seat whose turn it is. Who can't put a disc passes. The game ends when nobody can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import inlined

SIZE = 8
CELLS = SIZE * SIZE
WIDTH = SIZE
STATE = (np.uint64, np.uint64, np.uint64, np.int64)
PASS = CELLS
MOVES = CELLS + 1
PLANES = 2
LONGEST = 2 * CELLS
GOES_ON = 2

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


@inlined
def start() -> Any:
    """Four discs in the middle; who moves first owns those on the rising diagonal."""
    corner = np.uint64((SIZE // 2 - 1) * (SIZE + 1))
    own = (ONE << (corner + ONE)) | (ONE << (corner + ROW))
    other = (ONE << corner) | (ONE << (corner + RISING))
    return own, other, _find_moves(own, other), np.int64(0)


@inlined
def to_move(state: Any) -> Any:
    """The seat whose turn it is."""
    return state[3]


@inlined
def legal(state: Any, moves: Any, at: int) -> Any:
    """Cells, ascending, or the pass alone."""
    left, count = state[2], 0
    while left:
        moves[at + count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    if count == 0:
        moves[at] = PASS
        count = 1
    return np.int64(count)


@inlined
def play(state: Any, move: Any) -> Any:
    """Puts a disc, turns those of the other that it encloses, and gives the turn away."""
    own, other = state[0], state[1]
    if move != PASS:
        turned = _find_turned(ONE << np.uint64(move), own, other)
        own |= turned | (ONE << np.uint64(move))
        other &= ~turned
    return other, own, _find_moves(other, own), np.int64(1 - state[3])


@inlined
def result(state: Any) -> Any:
    """Who has more discs wins."""
    if state[2] or _find_moves(state[1], state[0]):
        return np.int64(GOES_ON)
    ahead = count_bits(state[0]) - count_bits(state[1])
    return np.int64(np.sign(ahead) * (1 - 2 * state[3]))


@inlined
def see(state: Any, seat: int, planes: Any, at: int) -> None:
    """One's own discs, then the other's."""
    own, other = state[0], state[1]
    if state[3] != seat:
        own, other = other, own
    planes[at] = own
    planes[at + 1] = other


@inlined
def evaluate(state: Any, seat: int) -> Any:
    """Corners, what gives them away, and how many moves there are to choose from."""
    own, other = state[0], state[1]
    value = 16 * (count_bits(own & CORNERS) - count_bits(other & CORNERS))
    value -= 4 * (count_bits(own & BESIDE) - count_bits(other & BESIDE))
    value += count_bits(state[2]) - count_bits(_find_moves(other, own))
    if state[3] != seat:
        value = -value
    return np.int64(value)


@inlined
def _find_moves(own: Any, other: Any) -> Any:
    """The empty cells on which a disc encloses some of the other."""
    inner = other & INNER
    found = _reach(own, inner, ONE) | _reach(own, other, ROW)
    found |= _reach(own, inner, RISING) | _reach(own, inner, FALLING)
    return found & ~(own | other) & BOARD


@inlined
def _reach(own: Any, other: Any, step: Any) -> Any:
    """The cells behind lines of *other* discs that begin beside own ones, both ways."""
    up, down = (own << step) & other, (own >> step) & other
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    return (up << step) | (down >> step)


@inlined
def _find_turned(disc: Any, own: Any, other: Any) -> Any:
    """The discs that a new one turns."""
    inner = other & INNER
    turned = _enclose(disc, own, inner, ONE) | _enclose(disc, own, other, ROW)
    return turned | _enclose(disc, own, inner, RISING) | _enclose(disc, own, inner, FALLING)


@inlined
def _enclose(disc: Any, own: Any, other: Any, step: Any) -> Any:
    """The *other* discs between a new one and own ones along one line, both ways."""
    up, down = (disc << step) & other, (disc >> step) & other
    for _ in range(SIZE - 3):
        up |= (up << step) & other
        down |= (down >> step) & other
    up = up if (up << step) & own else NONE
    down = down if (down >> step) & own else NONE
    return up | down
