"""Pig: roll a die as often as you dare; who has 100 points first wins.

What is rolled adds up until the player holds, and only then counts. Who rolls a 1 loses what he has
rolled in this turn, and the turn.

A state is the points of each seat; then what was rolled in this turn, whose turn it is, what the
die shows, and whether it is rolling.
"""

import numpy as np

SEATS = 2
"""How many play."""
GOAL = 100
"""How many points win."""
OPTIONS = {"SEATS": range(2, 6), "GOAL": range(10, 101)}
MOVES = 2
ROLL, HOLD = 0, 1
LONGEST = 1000
ENDINGS = ("enough points", "as many points")
PLAYERS = ("hold",)

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
    """To roll or to hold; who has enough to win can only hold."""
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
    """Six numbers on the die, if it is rolling."""
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


def hold(state, moves, count):
    """Holds as soon as a turn has brought 20 points, or enough to win."""
    return HOLD if count == 1 or state[SUM] >= 20 else ROLL


def see(state, seat, planes):
    """Own points, then the others', then this turn's, more bits for more; then what happens now."""
    for place in range(SEATS):
        count = min(state[(seat + place) % SEATS] * CELLS // GOAL, CELLS)
        planes[place] = fill(count)
    planes[SEATS] = fill(min(state[SUM], CELLS))
    planes[SEATS + 1] = np.uint64(2 * (state[TURN] == seat) + state[ROLLING])


def fill(count):
    """A word whose lowest bits are set, so many."""
    return (np.uint64(1) << np.uint64(count)) - np.uint64(1)


def name_move(move):
    return "roll" if move == ROLL else "hold"


def show(state):
    """The points, what this turn has brought, and the die."""
    scores = "   ".join(f"{'xozvw'[seat]} {state[seat]}" for seat in range(SEATS))
    die = f", the die shows {state[DIE]}" if state[DIE] else ""
    return f"{scores}   ({'xozvw'[state[TURN]]} has rolled {state[SUM]}{die})"
