"""A small game whose file has every optional part about choices beside its rules."""

from __future__ import annotations

from pathlib import Path

from evolve_arena.core.registry import open_file
from evolve_arena.players.board.game import BoardGame

RULES = '''"""Heap: three players take 1 to 5 stones, or pass; who has most stones wins."""

import numpy as np

SEATS = 3
MOVES = 6
LONGEST = 60
PLAYERS = ("greedy", "quick")
NOTES = 4
KINDS = ("pass", "few", "many")
TALLIES = ("turns passed", "stones left")
FEATURES = ("left", "own", "thought of")
MOVE_FEATURES = ("taken", "as thought")
PLANES = 2
LEFT, TURN, PASSED = 0, 1, 2
POINTS, PASSES = 3, 6


def start():
    state = np.zeros(9, np.int16)
    state[LEFT] = 40
    return state


def to_move(state):
    return state[TURN]


def legal(state, moves):
    count = min(state[LEFT], 5) + 1
    for move in range(count):
        moves[move] = move
    return count


def play(state, move):
    seat = state[TURN]
    state[LEFT] -= move
    state[POINTS + seat] += move
    state[PASSED] = state[PASSED] + 1 if move == 0 else 0
    state[PASSES + seat] += move == 0
    state[TURN] = (seat + 1) % SEATS


def is_over(state):
    return state[LEFT] == 0 or state[PASSED] == SEATS


def points(state, seat):
    return state[POINTS + seat]


def tally(state, seat, out):
    out[0] = state[PASSES + seat]
    out[1] = state[LEFT]


def see(state, seat, planes):
    planes[0] = np.uint64(state[LEFT])
    planes[1] = np.uint64(state[POINTS + seat])


def think(state, notes, setting):
    """Notes once for each state how many stones would be fine: what takes long in other games."""
    if notes[0] == 0:
        notes[0] = 1
        notes[1] = (state[LEFT] * 7 + setting) % 6
        notes[2] += 1
    return notes[1]


def features(state, seat, out, notes, setting):
    out[0] = state[LEFT] / 40
    out[1] = state[POINTS + seat] / 40
    out[2] = think(state, notes, setting) / 6


def describe_move(state, move, seat, out, notes, setting):
    out[0] = move / 5
    out[1] = move == think(state, notes, setting)


def prune(state, seat, moves, count):
    """Nobody weighs to pass but who has to."""
    if count == 1:
        return count
    for place in range(1, count):
        moves[place - 1] = moves[place]
    return count - 1


def kinds(state):
    return 1 + 2 * (state[LEFT] > 0) + 4 * (state[LEFT] > 3)


def greedy(state, moves, count, notes, setting, kind):
    """Takes as many as it thinks of, or the most that it may."""
    wanted, most = think(state, notes, setting), moves[0]
    for place in range(count):
        move = moves[place]
        if kind < 0 or kind == min(move, 1) + (move > 3):
            if move == wanted:
                return move
            most = move
    return most


def quick(state, setting, kind):
    """Takes one, or what is wanted."""
    return 0 if kind == 0 else 4 if kind == 2 else 1


def read_setting(text):
    if not text.startswith("shift=") or text[6:] not in "12345":
        raise ValueError("expected shift=1 to shift=5")
    return int(text[6:])


def name_setting(setting):
    return f"shift={setting}" if setting else ""
'''


def load_heap(folder: Path, name: str = "heap", *changes: tuple[str, str]) -> BoardGame:
    """Load the game from a file of that *name*, with *changes* of parts of its text."""
    text = RULES
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    return open_file(file).make()
