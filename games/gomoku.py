"""Gomoku: who has five stones in a row wins, or more; also on other boards, with other numbers.

A state is the cells, 0 where no stone lies, 1 for x and 2 for o; then whose turn it is, and whose
stones stand in a row: 0 as long as nobody's do.
"""

import numpy as np

SIZE = 15
"""Cells along a side of the board."""
ROW = 5
"""How many stones in a row win."""
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
    """Puts a stone, and looks along the four lines through it."""
    state[move] = 1 + state[TURN]
    if completes_row(state, move, state[move]):
        state[WINNER] = state[move]
    state[TURN] = 1 - state[TURN]


def completes_row(state, cell, stone):
    """Test if enough stones of a colour stand in a row with one on a cell."""
    for down, right in DIRECTIONS:
        before = count_stones(state, cell, stone, -down, -right)
        if before + 1 + count_stones(state, cell, stone, down, right) >= ROW:
            return True
    return False


def count_stones(state, cell, stone, down, right):
    """The number of stones of a colour that follow a cell, in one direction."""
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
    for cell in range(CELLS):
        if state[cell] == 0:
            return 2
    return 0
