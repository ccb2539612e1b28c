"""Three take one or two of eleven stones by turns; the one that takes the last stone wins."""

import numpy as np

SEATS, MOVES, LONGEST, CELLS, PLANES = 3, 2, 12, 12, 1


def start():
    return 11, 0


def to_move(state):
    return state[1]


def legal(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2 if state[0] > 1 else 1


def play(state, move):
    return state[0] - 1 - move, (state[1] + 1) % 3


def is_over(state):
    return state[0] == 0


def points(state, seat):
    return 1 if state[0] == 0 and (seat + 1) % 3 == state[1] else 0


def see(state, seat, planes):
    planes[0] = np.uint64(1) << np.uint64(state[0])
