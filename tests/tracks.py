"""Small games in one file: positions often recur, or numbers matter beside the board."""

from __future__ import annotations

import random
from pathlib import Path

import benchmarks
from evolve_arena.core.registry import open_file
from evolve_arena.players.board.game import Board, BoardGame

STONES = Path(benchmarks.__path__[0]) / "games" / "stones.py"
"""Three play, without chance."""
TRACKS = '''\
"""Two tokens walk on tracks of six cells; who comes to the end of its track first wins."""

import numpy as np

MOVES = 2
LONGEST = 300
CELLS = 12
REPETITION = 3


def start():
    state = np.zeros(13, dtype=np.int8)
    state[0] = 1
    state[6] = 2
    return state


def to_move(state):
    return state[12]


def find(state, seat):
    for cell in range(6):
        if state[6 * seat + cell]:
            return cell
    return 0


def legal(state, moves):
    at, count = find(state, state[12]), 0
    if at > 0:
        moves[count] = 0
        count += 1
    if at < 5:
        moves[count] = 1
        count += 1
    return count


def play(state, move):
    seat = state[12]
    at = 6 * seat + find(state, seat)
    state[at] = 0
    state[at + 2 * move - 1] = 1 + seat
    state[12] = 1 - seat


def result(state):
    return 1 if state[5] else -1 if state[11] else 2


def evaluate(state, seat):
    return 3 * find(state, seat) - find(state, 1 - seat) ** 2
'''
HANDS = '''\
"""Three on a line win: each player places three men, then moves them to any empty cells."""

import numpy as np

CELLS, WIDTH, MEN = 9, 3, 3
MOVES = 90
LONGEST = 40
SYMMETRY = "all"
PLANES = 4
PLANE_NAMES = ("own men", "other men", "own men in hand", "other men in hand")
PLANE_NUMBERS = (0, 0, MEN, MEN)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
HAND, TURN = 9, 11


def start():
    state = np.zeros(12, np.int8)
    state[HAND] = state[HAND + 1] = MEN
    return state


def to_move(state):
    return state[TURN]


def see(state, seat, planes):
    for cell in range(CELLS):
        if state[cell] > 0:
            planes[(state[cell] - 1) ^ seat] |= np.uint64(1) << np.uint64(cell)
    for side in range(2):
        planes[2 + (side ^ seat)] = (np.uint64(1) << np.uint64(state[HAND + side])) - np.uint64(1)


def legal(state, moves):
    count, seat = 0, state[TURN]
    for origin in range(10):
        if (origin == 9) == (state[HAND + seat] > 0) and (origin == 9 or state[origin] == 1 + seat):
            for cell in range(CELLS):
                if state[cell] == 0:
                    moves[count] = 9 * origin + cell
                    count += 1
    return count


def play(state, move):
    seat, origin = state[TURN], move // 9
    if origin == 9:
        state[HAND + seat] -= 1
    else:
        state[origin] = 0
    state[move % 9] = 1 + seat
    state[TURN] = 1 - seat


def result(state):
    for a, b, c in LINES:
        if state[a] != 0 and state[a] == state[b] and state[b] == state[c]:
            return 1 if state[a] == 1 else -1
    return 2
'''
NEVER = """

def progress(state, move):
    return False
"""


def open_text(folder: Path, text: str, name: str = "tracks.py") -> BoardGame:
    file = folder / name
    file.write_text(text, "utf-8")
    return open_file(file).make()


def play_randomly(game: BoardGame, seed: int) -> list[Board]:
    """Return the positions of a random game."""
    choices, states = random.Random(seed), [game.initial()]
    while moves := game.legal_moves(states[-1]):
        states.append(game.play(states[-1], choices.choice(moves)))
    return states
