"""Connect Four as most would write it first: cells in an array, and loops."""

import numpy as np

CELLS, WIDTH = 42, 7
MOVES = 7
LONGEST = 42
SYMMETRY = "mirror"


def start():
    return np.zeros(44, np.int8)  # cells, row 0 at the bottom; how many discs; the last cell


def to_move(state):
    return state[42] % 2


def legal(state, moves):
    count = 0
    for column in range(7):
        if state[35 + column] == 0:
            moves[count] = column
            count += 1
    return count


def play(state, move):
    cell = move
    while state[cell] != 0:
        cell += 7
    state[cell] = 1 + state[42] % 2
    state[42] += 1
    state[43] = cell


def result(state):
    if state[42] == 0:
        return 2
    row, column = state[43] // 7, state[43] % 7
    mark = state[state[43]]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < 6 and 0 <= c < 7 and state[7 * r + c] == mark:
                length += 1
                r += sign * down
                c += sign * right
        if length >= 4:
            return 3 - 2 * mark
    return 0 if state[42] == 42 else 2


def place_cell(cell):
    return cell % 7, 5 - cell // 7
