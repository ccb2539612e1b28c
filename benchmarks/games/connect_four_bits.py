"""Connect Four on words of bits: bit ``7 * column + row`` is a cell, row 0 at the bottom."""

import numpy as np

U = np.uint64
MOVES = 7
LONGEST = 42
PLANES, CELLS, WIDTH = 2, 49, 7


def start():
    return U(0), U(0), 0  # whose turn it is, the other, and how many discs there are


def to_move(state):
    return state[2] & 1


def legal(state, moves):
    discs, count = state[0] | state[1], 0
    for column in range(7):
        if not (discs >> U(7 * column + 5)) & U(1):
            moves[count] = column
            count += 1
    return count


def play(state, move):
    own, other, discs = state
    shift = U(7 * move)
    disc = ((own | other) + (U(1) << shift)) & (U(63) << shift)
    return other, own | disc, discs + 1


def result(state):
    for step in (U(1), U(6), U(7), U(8)):
        pairs = state[1] & (state[1] >> step)
        if pairs & (pairs >> (step + step)):
            return 2 * (state[2] & 1) - 1
    return 0 if state[2] == 42 else 2


def see(state, seat, planes):
    mine = seat == state[2] & 1
    planes[0] = state[0] if mine else state[1]
    planes[1] = state[1] if mine else state[0]
