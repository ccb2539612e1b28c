"""A game of one's own, one heap of Nim: take one to three; whoever takes the last one wins.

The rules are all that is needed: ``evolve start examples/own_game.py`` breeds players for it, and
``evolve play`` shows it at the terminal. docs/guides/your-own-game.md has the rest.
"""

import numpy as np

HEAP = 21
CELLS = HEAP
MOVES = 3
LONGEST = HEAP
PLANES = 1


def start():
    """Return the first state: the heap's size, and the seat to move, 0 or 1."""
    return np.array([HEAP, 0], np.int8)


def to_move(state):
    return state[1]


def legal(state, moves):
    count = min(MOVES, state[0])
    for move in range(count):
        moves[move] = move
    return count


def play(state, move):
    state[0] -= move + 1
    state[1] = 1 - state[1]


def result(state):
    """Return 2 while the game goes on; 1 if seat 0 has won, -1 if it has lost, 0 for a draw."""
    if state[0] > 0:
        return 2
    return 1 if state[1] == 1 else -1


def see(state, seat, planes):
    """Set the inputs of networks: one bit of a plane, at the place that is the heap's size."""
    if state[0] > 0:
        planes[0] = np.uint64(1) << np.uint64(state[0] - 1)


def name_move(move):
    return f"take{move + 1}"


def show(state):
    return "|" * state[0] + f"  ({state[0]} left)"
