"""Chomp: a bar of chocolate whose first piece is poisoned; eating that one loses.

A move takes a piece, and all remaining ones below it and to its right.

A state is the remaining pieces, bit ``WIDTH * row + column`` of a word for each, and the player to
move.
"""

import numpy as np

from evolve_arena.core.bits import lowest_bit

HEIGHT = 4
"""Rows of the bar of chocolate."""
WIDTH = 7
"""Columns of the bar of chocolate."""
OPTIONS = {"HEIGHT": range(1, 9), "WIDTH": range(1, 9)}
CELLS = HEIGHT * WIDTH
MOVES = CELLS
LONGEST = CELLS
PLANES = 1
PLANE_NAMES = ("pieces that are left",)
SYMMETRY = "none"
POSITIONS = "data/chomp_exact_positions.csv"
SIDES = ("first", "second")
SIGNS = "#"
ENDINGS = ("the other ate the poisoned piece", "no draw is possible")

ONE = np.uint64(1)


def find_eaten(cell):
    """Return the pieces that disappear with the one on a cell, as bits."""
    rows, columns = range(cell // WIDTH, HEIGHT), range(cell % WIDTH, WIDTH)
    return sum(1 << WIDTH * row + column for row in rows for column in columns)


EATEN = tuple(np.uint64(find_eaten(cell)) for cell in range(CELLS))


def start():
    return EATEN[0], 0


def to_move(state):
    return state[1]


def legal(state, moves):
    left, count = state[0], 0
    while left:
        moves[count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    return count


def play(state, move):
    return state[0] & ~EATEN[move], 1 - state[1]


def result(state):
    """Return the result: the poisoned piece ends the game, and its eater has lost."""
    if state[0]:
        return 2
    return 1 if state[1] == 0 else -1


def see(state, seat, planes):
    planes[0] = state[0]
