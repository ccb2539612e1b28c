"""Gomoku: five stones in a row win, or more; also on other boards, with other numbers.

A state is one array: the cells, 0 if empty, 1 for x and 2 for o; then the player to move, and the
winner, if any, as 1 or 2.
"""

import numpy as np

SIZE = 15
"""Cells along a side of the board."""
ROW = 5
"""Stones in a row that win."""
OPTIONS = {"SIZE": range(5, 20), "ROW": range(3, 7)}
CELLS = SIZE * SIZE
WIDTH = SIZE
MOVES = CELLS
LONGEST = CELLS
SYMMETRY = "all"
ENDINGS = ("enough in a row", "a full board")
OPENSPIEL = f"mnk(m={SIZE},n={SIZE},k={ROW})"
BOTZONE = "Gomoku" if SIZE == 15 and ROW == 5 else ""

ONLY_WINS = True
MOVES_STAY = True
TURN, WINNER = CELLS, CELLS + 1
WORDS = (CELLS + 63) // 64
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def start():
    return np.zeros(CELLS + 2, np.int8)


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
    """Place a stone and look along the four lines through it."""
    state[move] = 1 + state[TURN]
    if completes_row(state, move, state[move]):
        state[WINNER] = state[move]
    state[TURN] = 1 - state[TURN]


def completes_row(state, cell, stone):
    """Return True if a stone of this colour on a cell completes a row."""
    for down, right in DIRECTIONS:
        before = count_stones(state, cell, stone, -down, -right)
        if before + 1 + count_stones(state, cell, stone, down, right) >= ROW:
            return True
    return False


def count_stones(state, cell, stone, down, right):
    """Return the number of stones of a colour that follow a cell in one direction."""
    row, column, count = cell // SIZE + down, cell % SIZE + right, 0
    while 0 <= row < SIZE and 0 <= column < SIZE and state[row * SIZE + column] == stone:
        count += 1
        row += down
        column += right
    return count


def wins(state, moves):
    stone, count = 1 + state[TURN], 0
    for cell in range(CELLS):
        if state[cell] == 0 and completes_row(state, cell, stone):
            moves[count] = cell
            count += 1
    return count


def changes(state, move, seat, bits):
    bits[0] = move if seat == state[TURN] else 64 * WORDS + move
    return 1


def result(state):
    if state[WINNER] != 0:
        return 1 if state[WINNER] == 1 else -1
    # No row is complete: the game goes on as long as a cell is empty.
    for cell in range(CELLS):
        if state[cell] == 0:
            return 2
    return 0
