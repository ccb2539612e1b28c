"""Ataxx: discs double or jump and turn their neighbours over; most discs win."""

import numpy as np

SIZE = 7
OPTIONS = {"SIZE": range(5, 9)}
CELLS, WIDTH = SIZE * SIZE, SIZE
# A move is the cell that a disc is cloned to, or 16 * cell + direction for a jump, or a pass.
JUMPS, PASS = CELLS, 17 * CELLS
MOVES = PASS + 1
LONGEST = 400
SYMMETRY = "all"
SHAPE = "square"
ENDINGS = ("more discs", "as many discs")

TURN = CELLS
ROWS = (-2, -2, -2, -2, -2, -1, -1, 0, 0, 1, 1, 2, 2, 2, 2, 2)
COLUMNS = (-2, -1, 0, 1, 2, -2, 2, -2, 2, -2, 2, -2, -1, 0, 1, 2)


def start():
    state = np.zeros(CELLS + 1, np.int8)
    state[0] = state[CELLS - 1] = 1
    state[SIZE - 1] = state[CELLS - SIZE] = 2
    return state


def to_move(state):
    return state[TURN]


def is_near(state, cell, distance, owner):
    """Return True if a disc of *owner* (0: either player) is within *distance* of a cell."""
    row, column = cell // SIZE, cell % SIZE
    for other_row in range(max(row - distance, 0), min(row + distance + 1, SIZE)):
        for other_column in range(max(column - distance, 0), min(column + distance + 1, SIZE)):
            found = state[other_row * SIZE + other_column]
            if found != 0 and (owner == 0 or found == owner):
                return True
    return False


def find_target(cell, direction):
    """Return the cell that a disc jumps to; -1 if that is outside."""
    row, column = cell // SIZE + ROWS[direction], cell % SIZE + COLUMNS[direction]
    if 0 <= row < SIZE and 0 <= column < SIZE:
        return row * SIZE + column
    return -1


def legal(state, moves):
    owner = 1 + state[TURN]
    count = 0
    for cell in range(CELLS):
        if state[cell] == 0 and is_near(state, cell, 1, owner):
            moves[count] = cell
            count += 1
    for cell in range(CELLS):
        if state[cell] == owner:
            for direction in range(16):
                target = find_target(cell, direction)
                if target >= 0 and state[target] == 0:
                    moves[count] = JUMPS + 16 * cell + direction
                    count += 1
    if count == 0:
        moves[0] = PASS
        count = 1
    return count


def play(state, move):
    owner = 1 + state[TURN]
    state[TURN] = 1 - state[TURN]
    if move == PASS:
        return
    target = move
    if move >= JUMPS:
        cell = (move - JUMPS) // 16
        target = find_target(cell, (move - JUMPS) % 16)
        state[cell] = 0
    row, column = target // SIZE, target % SIZE
    state[target] = owner
    for other_row in range(max(row - 1, 0), min(row + 2, SIZE)):
        for other_column in range(max(column - 1, 0), min(column + 2, SIZE)):
            if state[other_row * SIZE + other_column] != 0:
                state[other_row * SIZE + other_column] = owner


def points(state, seat):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 1 + seat:
            count += 1
    return count


def is_over(state):
    if points(state, 0) == 0 or points(state, 1) == 0:
        return True
    for cell in range(CELLS):
        if state[cell] == 0 and is_near(state, cell, 2, 0):
            return False
    return True


def name_cell(cell):
    return f"{'abcdefgh'[cell % SIZE]}{cell // SIZE + 1}"


def name_move(move):
    if move == PASS:
        return "pass"
    if move < JUMPS:
        return name_cell(move)
    cell, direction = (move - JUMPS) // 16, (move - JUMPS) % 16
    target = find_target(cell, direction)
    return name_cell(cell) + (name_cell(target) if target >= 0 else f"-{direction}")
