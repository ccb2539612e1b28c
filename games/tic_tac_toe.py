"""Tic-tac-toe: who has three in a row wins.

A state is the nine cells, 0 where nothing stands, 1 for x and 2 for o; then whose turn it is.
"""

import numpy as np

CELLS = 9
WIDTH = 3
MOVES = CELLS
LONGEST = CELLS
SYMMETRY = "all"
ENDINGS = ("three in a row", "a full board")
OPENSPIEL = "tic_tac_toe"
BOTZONE = "TicTacToe"
PETTINGZOO = "tictactoe_v3"

TURN = CELLS
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def start():
    return np.zeros(CELLS + 1, np.int8)


def to_move(state):
    return state[TURN]


def legal(state, moves):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count


def play(state, move):
    state[move] = 1 + state[TURN]
    state[TURN] = 1 - state[TURN]


def result(state):
    for a, b, c in LINES:
        if state[a] != 0 and state[a] == state[b] and state[b] == state[c]:
            return 1 if state[a] == 1 else -1
    for cell in range(CELLS):
        if state[cell] == 0:
            return 2
    return 0


def pettingzoo_state(first, second, turn):
    """The state of PettingZoo's board: which cells are x's and o's, and whose turn it is."""
    return [first[cell] + 2 * second[cell] for cell in range(CELLS)] + [turn]
