"""A small game in one file in which positions often recur, and another stored in a file."""

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
