"""Pig: roll a die as often as you dare; the first to 100 points wins.

Rolls add up until the player holds, and count only then. A roll of 1 loses the sum of this turn,
and the turn.

A state is one array: the points of each seat; then the sum of this turn, the player to move, the
die, and 1 while it is rolling.
"""

import numpy as np

SEATS = 2
"""Number of players."""
GOAL = 100
"""Points that win."""
OPTIONS = {"SEATS": range(2, 6), "GOAL": range(10, 101)}
MOVES = 2
ROLL, HOLD = 0, 1
LONGEST = 1000
ENDINGS = ("enough points", "as many points")
PLAYERS = ("hold",)
POSITIONS = "data/pig_exact_positions.csv"

SUM, TURN, DIE, ROLLING = range(SEATS, SEATS + 4)
CELLS = 50
PLANES = SEATS + 2
PLANE_NUMBERS = CELLS
PLANE_NAMES = (
    "own points",
    *(f"points, {place} behind" for place in range(1, SEATS)),
    "points of this turn",
    "die rolls, own turn",
)


def start():
    return np.zeros(SEATS + 4, np.int16)


def to_move(state):
    return state[TURN]


def legal(state, moves):
    """List roll and hold, or hold alone if that wins."""
    if state[state[TURN]] + state[SUM] >= GOAL:
        moves[0] = HOLD
        return 1
    moves[0] = ROLL
    moves[1] = HOLD
    return 2


def play(state, move):
    if move == ROLL:
        state[ROLLING] = 1
    else:
        state[state[TURN]] += state[SUM]
        end_turn(state)


def end_turn(state):
    state[SUM] = 0
    state[TURN] = (state[TURN] + 1) % SEATS


def chance(state):
    """Return six outcomes while the die is rolling, else none."""
    return 6 if state[ROLLING] else 0


def resolve(state, outcome):
    state[ROLLING] = 0
    state[DIE] = outcome + 1
    if state[DIE] == 1:
        end_turn(state)
    else:
        state[SUM] += state[DIE]


def is_over(state):
    for seat in range(SEATS):
        if state[seat] >= GOAL:
            return True
    return False


def points(state, seat):
    return state[seat]


def key(state):
    """Return a word of all but the die, which shows what has been rolled."""
    word = np.uint64(2 * state[TURN] + state[ROLLING])
    for place in range(SUM + 1):
        word = (word << np.uint64(8)) | np.uint64(state[place])
    return word


def hold(state, moves, count):
    """Hold as soon as a turn has brought 20 points, or enough to win."""
    return HOLD if count == 1 or state[SUM] >= 20 else ROLL


def see(state, seat, planes):
    """Set more bits for more points: own, others', this turn's; then the die and own turn."""
    for place in range(SEATS):
        count = min(state[(seat + place) % SEATS] * CELLS // GOAL, CELLS)
        planes[place] = fill(count)
    planes[SEATS] = fill(min(state[SUM], CELLS))
    planes[SEATS + 1] = np.uint64(2 * (state[TURN] == seat) + state[ROLLING])


def fill(count):
    """Return a word whose *count* lowest bits are set."""
    return (np.uint64(1) << np.uint64(count)) - np.uint64(1)


def name_move(move):
    return "roll" if move == ROLL else "hold"


def show(state):
    """Draw the points, the sum of this turn and the die."""
    scores = "   ".join(f"{'xozvw'[seat]} {state[seat]}" for seat in range(SEATS))
    die = f", the die shows {state[DIE]}" if state[DIE] else ""
    return f"{scores}   ({'xozvw'[state[TURN]]} has rolled {state[SUM]}{die})"
