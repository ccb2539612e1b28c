"""Kalah: six pits and a store on each side, four seeds in each pit; more seeds in the end win.

The player to move takes all seeds out of one own pit and sows them one by one into the next ones,
counter-clockwise: own pits, the own store, the other's pits, but not the other's store. If the last
one falls into the own store, the same player moves again. If it falls into an empty own pit and the
pit opposite is not empty, its seeds and the last one go into the own store. The game ends as soon
as all pits of one side are empty; the seeds in the other pits belong to their owner.

A state is one array: the seeds in the pits of seat 0, in its store, in the pits of seat 1 and in
its store; then the player to move.
"""

import numpy as np

PITS = 6
"""Pits of each player, beside the store."""
SEEDS = 4
"""Seeds in each pit at the start."""
OPTIONS = {"PITS": range(2, 7), "SEEDS": range(1, 7)}
MOVES = PITS
LONGEST = 1000
POSITIONS = "data/kalah_4_3_exact_positions.csv"
SIDES = ("south", "north")
ENDINGS = ("more seeds", "as many seeds")
OPENSPIEL = "mancala" if PITS == 6 and SEEDS == 4 else ""

HOLES = 2 * (PITS + 1)
"""Number of pits and stores."""
TURN = HOLES
STORES = (PITS, HOLES - 1)
CELLS = PITS * SEEDS + 1
"""Number of seeds that win: more than half of all."""
PLANES = HOLES + 1
PLANE_NUMBERS = CELLS
PLANE_NAMES = (
    *(
        f"{whose} {f'pit {pit + 1}' if pit < PITS else 'store'}"
        for whose in ("own", "the other's")
        for pit in range(PITS + 1)
    ),
    "own turn",
)
FEATURES = (*PLANE_NAMES, "pits to move again from", "the other's")
MOVE_FEATURES = ("seeds", "moves again", "the other's seeds taken")


def start():
    state = np.full(HOLES + 1, SEEDS, np.int8)
    state[PITS] = state[HOLES - 1] = state[TURN] = 0
    return state


def to_move(state):
    return state[TURN]


def legal(state, moves):
    """List the pits that are not empty, counted from the player's left."""
    first, count = state[TURN] * (PITS + 1), 0
    for pit in range(PITS):
        if state[first + pit] > 0:
            moves[count] = pit
            count += 1
    return count


def play(state, move):
    seat = state[TURN]
    store, other = STORES[seat], STORES[1 - seat]
    hole = store - PITS + move
    seeds = state[hole]
    state[hole] = 0
    # Sow the seeds, one in each hole but the other's store.
    while seeds > 0:
        hole = (hole + 1) % HOLES
        if hole != other:
            state[hole] += 1
            seeds -= 1
    # Capture: the last seed fell into an empty own pit, and the opposite one holds seeds.
    opposite = 2 * PITS - hole
    if store - PITS <= hole < store and state[hole] == 1 and state[opposite] > 0:
        state[store] += 1 + state[opposite]
        state[hole] = state[opposite] = 0
    if hole != store:
        state[TURN] = 1 - seat


def is_over(state):
    return count_seeds(state, 0) == 0 or count_seeds(state, 1) == 0


def points(state, seat):
    """Return the seeds in a seat's store and pits."""
    return state[STORES[seat]] + count_seeds(state, seat)


def count_seeds(state, seat):
    """Return the number of seeds in a seat's pits."""
    seeds = 0
    for hole in range(STORES[seat] - PITS, STORES[seat]):
        seeds += state[hole]
    return seeds


def see(state, seat, planes):
    """Set a bit for each seed, hole by hole from one's own on, then the player to move."""
    for place in range(HOLES):
        seeds = min(state[(place + seat * (PITS + 1)) % HOLES], CELLS)
        planes[place] = (np.uint64(1) << np.uint64(seeds)) - np.uint64(1)
    planes[HOLES] = np.uint64(state[TURN] == seat)


def features(state, seat, out):
    """Write the seeds, divided by 12, and how many pits of either side allow to move again."""
    for place in range(HOLES):
        out[place] = state[(place + seat * (PITS + 1)) % HOLES] / 12
    out[HOLES] = state[TURN] == seat
    for side in range(2):
        store = STORES[seat] if side == 0 else STORES[1 - seat]
        for pit in range(1, PITS + 1):
            out[HOLES + 1 + side] += state[store - pit] == pit


def describe_move(state, move, seat, out):
    """Describe the seeds sown and captured; captures after a full lap are left out."""
    store = STORES[seat]
    hole = store - PITS + move
    end = hole + state[hole]
    out[0] = state[hole] / 12
    out[1] = end == store
    if end < store and state[end] == 0:
        out[2] = state[2 * PITS - end] / 12


def evaluate(state, seat):
    """Return the lead in stored seeds."""
    return state[STORES[seat]] - state[STORES[1 - seat]]


def openspiel_move(state, move):
    """Return the pit on OpenSpiel's board, which begins with the store of seat 1."""
    return 1 + move + state[TURN] * (PITS + 1)


def name_move(move):
    """Return the number of a pit, counted from the player's left, from 1 on."""
    return str(move + 1)


def show(state):
    """Draw north's pits from right to left, the stores, then south's pits."""
    numbers, south, north = range(1, PITS + 1), state[:PITS], state[PITS + 1 : HOLES - 1]
    rows = (numbers[::-1], north[::-1], south, numbers)
    above, upper, lower, below = (" ".join(f"{number:2}" for number in row) for row in rows)
    stores = f" {state[HOLES - 1]:2} {' ' * len(upper)}     {state[PITS]:2}"
    return f"      {above}\n    [ {upper} ]  north\n{stores}\n    [ {lower} ]  south\n      {below}"
