"""Kalah: six pits and a store on each side, four seeds in each pit; who has more in the end wins.

Whose turn it is takes all seeds out of one of his pits and puts them one by one into the next ones,
counter-clockwise: his own pits, his store, the other's pits, but not the other's store. If the last
one falls into his store, he moves again. If it falls into an empty pit of his own and seeds lie
opposite, these and the last one go into his store. The game ends as soon as all pits of a side are
empty, whoever is to move; what lies in the other pits belongs to their owner.

A state is how many seeds lie in the pits of seat 0, its store, the pits of seat 1 and its store;
then whose turn it is.
"""

import numpy as np

PITS = 6
"""Pits of each player, beside the store."""
SEEDS = 4
"""Seeds in each pit at the start."""
OPTIONS = {"PITS": range(2, 7), "SEEDS": range(1, 7)}
MOVES = PITS
LONGEST = 1000
SIDES = ("south", "north")
ENDINGS = ("more seeds", "as many seeds")
OPENSPIEL = "mancala" if PITS == 6 and SEEDS == 4 else ""

HOLES = 2 * (PITS + 1)
"""Pits and stores."""
TURN = HOLES
STORES = (PITS, HOLES - 1)
CELLS = PITS * SEEDS + 1
"""More than half of the seeds: who has so many wins."""
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
    """Pits that are not empty, counted from one's own left."""
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
    while seeds > 0:
        hole = (hole + 1) % HOLES
        if hole != other:
            state[hole] += 1
            seeds -= 1
    opposite = 2 * PITS - hole
    if store - PITS <= hole < store and state[hole] == 1 and state[opposite] > 0:
        state[store] += 1 + state[opposite]
        state[hole] = state[opposite] = 0
    if hole != store:
        state[TURN] = 1 - seat


def is_over(state):
    return count_seeds(state, 0) == 0 or count_seeds(state, 1) == 0


def points(state, seat):
    """What lies in a seat's store and pits."""
    return state[STORES[seat]] + count_seeds(state, seat)


def count_seeds(state, seat):
    """How many lie in a seat's pits."""
    seeds = 0
    for hole in range(STORES[seat] - PITS, STORES[seat]):
        seeds += state[hole]
    return seeds


def see(state, seat, planes):
    """For each hole, from one's own on, as many bits as there are seeds; then whose turn it is."""
    for place in range(HOLES):
        seeds = min(state[(place + seat * (PITS + 1)) % HOLES], CELLS)
        planes[place] = (np.uint64(1) << np.uint64(seeds)) - np.uint64(1)
    planes[HOLES] = np.uint64(state[TURN] == seat)


def features(state, seat, out):
    """Seeds, as shares of twelve, and the pits whose last seed falls into the store."""
    for place in range(HOLES):
        out[place] = state[(place + seat * (PITS + 1)) % HOLES] / 12
    out[HOLES] = state[TURN] == seat
    for side in range(2):
        store = STORES[seat] if side == 0 else STORES[1 - seat]
        for pit in range(1, PITS + 1):
            out[HOLES + 1 + side] += state[store - pit] == pit


def describe_move(state, move, seat, out):
    """Seeds sown and taken; what is sown all around is not told."""
    store = STORES[seat]
    hole = store - PITS + move
    end = hole + state[hole]
    out[0] = state[hole] / 12
    out[1] = end == store
    if end < store and state[end] == 0:
        out[2] = state[2 * PITS - end] / 12


def evaluate(state, seat):
    """What has come into the stores."""
    return state[STORES[seat]] - state[STORES[1 - seat]]


def openspiel_move(state, move):
    """The pit on OpenSpiel's board, which begins with the store of seat 1."""
    return 1 + move + state[TURN] * (PITS + 1)


def name_move(move):
    """Pits are counted from one's own left, from 1 on."""
    return str(move + 1)


def show(state):
    """North's pits from right to left, the stores, south's pits."""
    numbers, south, north = range(1, PITS + 1), state[:PITS], state[PITS + 1 : HOLES - 1]
    rows = (numbers[::-1], north[::-1], south, numbers)
    above, upper, lower, below = (" ".join(f"{number:2}" for number in row) for row in rows)
    stores = f" {state[HOLES - 1]:2} {' ' * len(upper)}     {state[PITS]:2}"
    return f"      {above}\n    [ {upper} ]  north\n{stores}\n    [ {lower} ]  south\n      {below}"
