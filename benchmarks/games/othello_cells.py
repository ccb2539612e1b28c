"""Othello as most would write it first: cells in an array, and loops."""

import numpy as np

CELLS, WIDTH = 64, 8
PASS = 64
MOVES = 65
LONGEST = 128
PASSES = 1  # 1: it is over after two passes; 0: as soon as nobody can move, which takes long to see
OPTIONS = {"PASSES": (0, 1)}
WAYS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def start():
    state = np.zeros(66, np.int8)  # cells, whose turn it is, and how often was passed in a row
    state[[28, 35]] = 1
    state[[27, 36]] = 2
    return state


def to_move(state):
    return state[64]


def count_turned(state, cell, down, right, mark):
    r, c, length = cell // 8 + down, cell % 8 + right, 0
    while 0 <= r < 8 and 0 <= c < 8 and state[8 * r + c] == 3 - mark:
        length += 1
        r += down
        c += right
    if 0 <= r < 8 and 0 <= c < 8 and state[8 * r + c] == mark:
        return length
    return 0


def can_play(state, cell, mark):
    if state[cell] != 0:
        return False
    for down, right in WAYS:
        if count_turned(state, cell, down, right, mark) > 0:
            return True
    return False


def can_anybody_play(state):
    for mark in (1, 2):
        for cell in range(64):
            if can_play(state, cell, mark):
                return True
    return False


def legal(state, moves):
    count = 0
    for cell in range(64):
        if can_play(state, cell, 1 + state[64]):
            moves[count] = cell
            count += 1
    if count == 0:
        moves[0] = PASS
        return 1
    return count


def play(state, move):
    mark = 1 + state[64]
    if move == PASS:
        state[65] += 1
    else:
        for down, right in WAYS:
            for step in range(1, 1 + count_turned(state, move, down, right, mark)):
                state[move + step * (8 * down + right)] = mark
        state[move] = mark
        state[65] = 0
    state[64] = 1 - state[64]


def result(state):
    if PASSES:
        if state[65] < 2:
            return 2
    elif can_anybody_play(state):
        return 2
    ahead = 0
    for cell in range(64):
        if state[cell] == 1:
            ahead += 1
        elif state[cell] == 2:
            ahead -= 1
    return 1 if ahead > 0 else -1 if ahead < 0 else 0
