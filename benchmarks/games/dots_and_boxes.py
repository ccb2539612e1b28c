"""Dots and boxes: the fourth side of a box wins it and another turn; most boxes win."""

import numpy as np

BOXES = 3
# A cell for each dot, line and box: dots in even rows and columns, boxes in odd ones, else lines.
WIDTH = 2 * BOXES + 1
CELLS = WIDTH * WIDTH
MOVES = CELLS
LONGEST = 2 * BOXES * (BOXES + 1)
SYMMETRY = "all"
PLANES = 4
PLANE_NAMES = ("lines", "own boxes", "the other's", "own turn")
ENDINGS = ("more boxes", "as many boxes")

LINE, DOT = 3, 4
TURN = CELLS
# Networks see on the dots, where nothing else is, whether it is their turn: so the board turns.
DOTS = np.uint64(
    sum(1 << (WIDTH * row + column) for row in range(0, WIDTH, 2) for column in range(0, WIDTH, 2))
)


def start():
    state = np.zeros(CELLS + 1, np.int8)
    for row in range(0, WIDTH, 2):
        for column in range(0, WIDTH, 2):
            state[row * WIDTH + column] = DOT
    return state


def to_move(state):
    return state[TURN]


def legal(state, moves):
    count = 0
    for cell in range(1, CELLS, 2):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count


def close(state, row, column):
    """Give a box to the player to move if its four sides are drawn; return True if it did."""
    if not (0 <= row < WIDTH and 0 <= column < WIDTH):
        return False
    cell = row * WIDTH + column
    if (
        state[cell - 1] == LINE
        and state[cell + 1] == LINE
        and state[cell - WIDTH] == LINE
        and state[cell + WIDTH] == LINE
    ):
        state[cell] = 1 + state[TURN]
        return True
    return False


def play(state, move):
    state[move] = LINE
    row, column = move // WIDTH, move % WIDTH
    if row % 2 == 1:
        before = close(state, row, column - 1)
        after = close(state, row, column + 1)
    else:
        before = close(state, row - 1, column)
        after = close(state, row + 1, column)
    if not (before or after):
        state[TURN] = 1 - state[TURN]


def is_over(state):
    for cell in range(1, CELLS, 2):
        if state[cell] == 0:
            return False
    return True


def points(state, seat):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 1 + seat:
            count += 1
    return count


def see(state, seat, planes):
    for cell in range(CELLS):
        if state[cell] == LINE:
            planes[0] |= np.uint64(1) << np.uint64(cell)
        elif state[cell] == 1 + seat:
            planes[1] |= np.uint64(1) << np.uint64(cell)
        elif state[cell] == 2 - seat:
            planes[2] |= np.uint64(1) << np.uint64(cell)
    if state[TURN] == seat:
        planes[3] = DOTS


def show(state):
    lines = ["  " + " ".join("abcdefghi"[:WIDTH])]
    for row in range(WIDTH):
        side = "-" if row % 2 == 0 else "|"
        signs = " xo" + side + "+"
        cells = (signs[state[row * WIDTH + column]] for column in range(WIDTH))
        lines.append(f"{row + 1} " + " ".join(cells))
    return "\n".join(lines)
