"""Lines of Action: the first player to connect all pieces wins.

A piece moves as many cells as there are pieces on its line.
"""

import numpy as np

SIZE = 8
CELLS, WIDTH = SIZE * SIZE, SIZE
# A move is 8 * cell + direction, or a pass.
PASS = 8 * CELLS
MOVES = PASS + 1
LONGEST = 300
SYMMETRY = "all"
ENDINGS = ("all pieces are connected", "too many moves")

TURN = CELLS
ROWS, COLUMNS = (-1, -1, -1, 0, 0, 1, 1, 1), (-1, 0, 1, -1, 1, -1, 0, 1)
NAMES = ("nw", "n", "ne", "w", "e", "sw", "s", "se")
ONE, EIGHT = np.uint64(1), np.uint64(8)
NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)


def start():
    state = np.zeros(CELLS + 1, np.int8)
    for place in range(1, SIZE - 1):
        state[place] = state[CELLS - 1 - place] = 1
        state[place * SIZE] = state[place * SIZE + SIZE - 1] = 2
    return state


def to_move(state):
    return state[TURN]


def is_inside(row, column):
    return 0 <= row < SIZE and 0 <= column < SIZE


def count_ahead(state, cell, down, right):
    """Count the pieces on the line from a cell in one direction, without the cell itself."""
    row, column = cell // SIZE + down, cell % SIZE + right
    count = 0
    while is_inside(row, column):
        if state[row * SIZE + column] != 0:
            count += 1
        row += down
        column += right
    return count


def find_target(state, cell, direction):
    """Return the cell that a piece gets to; -1 if it can't go there."""
    owner = state[cell]
    down, right = ROWS[direction], COLUMNS[direction]
    steps = 1 + count_ahead(state, cell, down, right) + count_ahead(state, cell, -down, -right)
    row, column = cell // SIZE, cell % SIZE
    if not is_inside(row + steps * down, column + steps * right):
        return -1
    for _ in range(steps - 1):
        row += down
        column += right
        passed = state[row * SIZE + column]
        if passed != 0 and passed != owner:
            return -1
    target = (row + down) * SIZE + column + right
    return -1 if state[target] == owner else target


def legal(state, moves):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 1 + state[TURN]:
            for direction in range(8):
                if find_target(state, cell, direction) >= 0:
                    moves[count] = 8 * cell + direction
                    count += 1
    if count == 0:
        moves[0] = PASS
        count = 1
    return count


def play(state, move):
    if move != PASS:
        cell = move // 8
        target = find_target(state, cell, move % 8)
        state[target] = state[cell]
        state[cell] = 0
    state[TURN] = 1 - state[TURN]


def is_connected(state, owner):
    """Test whether all pieces of an owner are connected, over sides or corners."""
    pieces = np.uint64(0)
    for cell in range(CELLS):
        if state[cell] == owner:
            pieces |= ONE << np.uint64(cell)
    reached = pieces & (~pieces + ONE)
    while True:
        wide = reached | ((reached << ONE) & NOT_FIRST) | ((reached >> ONE) & NOT_LAST)
        grown = (wide | (wide << EIGHT) | (wide >> EIGHT)) & pieces
        if grown == reached:
            return reached == pieces
        reached = grown


def result(state):
    # If a move connects both sides, the mover has won.
    mover = 1 - state[TURN]
    if is_connected(state, 1 + mover):
        return 1 - 2 * mover
    if is_connected(state, 2 - mover):
        return 2 * mover - 1
    return 2


def name_move(move):
    if move == PASS:
        return "pass"
    cell = move // 8
    return f"{'abcdefgh'[cell % SIZE]}{cell // SIZE + 1}{NAMES[move % 8]}"
