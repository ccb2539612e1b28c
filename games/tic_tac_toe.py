"""Tic-tac-toe: three in a row win.

A state is one array: the nine cells, 0 if empty, 1 for x and 2 for o; then the player to move.
"""

import numpy as np

CELLS = 9
WIDTH = 3
MOVES = CELLS
LONGEST = CELLS
SYMMETRY = "all"
POSITIONS = "data/tic_tac_toe_exact_positions.csv"
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
    # No row is complete: the game goes on as long as a cell is empty.
    for cell in range(CELLS):
        if state[cell] == 0:
            return 2
    return 0


def pettingzoo_state(first, second, turn):
    """Return the state of PettingZoo's board: the cells of x and of o, and the player to move."""
    return [first[cell] + 2 * second[cell] for cell in range(CELLS)] + [turn]
