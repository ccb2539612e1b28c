"""Nine Men's Morris: three men on a line take one of the other's; who has two left has lost.

Each player places nine men, then moves them along the lines; with three men left they fly.
"""

import numpy as np

# Three rings, from the outer one, of eight points, clockwise from a corner.
CELLS, WIDTH = 24, 8
MEN = 9
LONGEST = 300
SHAPE = "round"
SYMMETRY = "none"
ENDINGS = ("two men left, or none that can move", "no end in sight")
REPETITION = 3
NO_PROGRESS = 60
LINES = np.array(
    [
        [8 * ring + side, 8 * ring + side + 1, 8 * ring + (side + 2) % 8]
        for ring in range(3)
        for side in range(0, 8, 2)
    ]
    + [[middle, middle + 8, middle + 16] for middle in range(1, 8, 2)]
)
# The two lines through each point, and its neighbours: up to four, CELLS for none.
THROUGH = np.array([[k for k in range(16) if point in LINES[k]] for point in range(CELLS)])
NEIGHBOURS = np.full((CELLS, 4), CELLS)
for one in range(CELLS):
    pairs = [pair for line in LINES.tolist() for pair in (line[:2], line[1:]) if one in pair]
    NEIGHBOURS[one, : len(pairs)] = sorted(sum(pair) - one for pair in pairs)

# A move is (from, to, taken), with CELLS for a man from the hand and for no man taken.
MOVES = (CELLS + 1) * CELLS * (CELLS + 1)
HAND, TURN = CELLS, CELLS + 2

# Networks see men on the board, and beside it how many each player has in hand.
PLANES = 4
PLANE_NAMES = ("own men", "other men", "own men in hand", "other men in hand")
PLANE_NUMBERS = (0, 0, MEN, MEN)


def start():
    state = np.zeros(CELLS + 3, np.int8)
    state[HAND] = state[HAND + 1] = MEN
    return state


def to_move(state):
    return state[TURN]


def see(state, seat, planes):
    """Set the bits of own and other men, and one for each man in hand."""
    for cell in range(CELLS):
        if state[cell] > 0:
            planes[(state[cell] - 1) ^ seat] |= np.uint64(1) << np.uint64(cell)
    for side in range(2):
        planes[2 + (side ^ seat)] = (np.uint64(1) << np.uint64(state[HAND + side])) - np.uint64(1)


def is_mill(state, point, origin, owner):
    """Return True if a man of *owner* on a point, come from another, is in a line of three."""
    for k in THROUGH[point]:
        count = 0
        for other in LINES[k]:
            if other == point or (other != origin and state[other] == owner):
                count += 1
        if count == 3:
            return True
    return False


def count_men(state, seat):
    count = 0
    for cell in range(CELLS):
        count += state[cell] == 1 + seat
    return count


def list_taken(state, origin, point, moves, count):
    """Write a move to a point, with each man that may be taken then."""
    owner = 1 + state[TURN]
    first = (origin * CELLS + point) * (CELLS + 1)
    if not is_mill(state, point, origin, owner):
        moves[count] = first + CELLS
        return count + 1
    before = count
    for other in range(CELLS):
        if state[other] == 3 - owner and not is_mill(state, other, CELLS, 3 - owner):
            moves[count] = first + other
            count += 1
    if count == before:  # all are in lines
        for other in range(CELLS):
            if state[other] == 3 - owner:
                moves[count] = first + other
                count += 1
    return count


def legal(state, moves):
    seat = state[TURN]
    count = 0
    if state[HAND + seat] > 0:
        for point in range(CELLS):
            if state[point] == 0:
                count = list_taken(state, CELLS, point, moves, count)
        return count
    flies = count_men(state, seat) == 3
    for origin in range(CELLS):
        if state[origin] == 1 + seat:
            if flies:
                for point in range(CELLS):
                    if state[point] == 0:
                        count = list_taken(state, origin, point, moves, count)
            else:
                for point in NEIGHBOURS[origin]:
                    if point < CELLS and state[point] == 0:
                        count = list_taken(state, origin, point, moves, count)
    return count


def play(state, move):
    seat = state[TURN]
    taken = move % (CELLS + 1)
    point = move // (CELLS + 1) % CELLS
    origin = move // (CELLS + 1) // CELLS
    if origin == CELLS:
        state[HAND + seat] -= 1
    else:
        state[origin] = 0
    state[point] = 1 + seat
    if taken < CELLS:
        state[taken] = 0
    state[TURN] = 1 - seat


def progress(state, move):
    return move // (CELLS + 1) // CELLS == CELLS or move % (CELLS + 1) < CELLS


def can_move(state, seat):
    if state[HAND + seat] > 0 or count_men(state, seat) == 3:
        return True
    for point in range(CELLS):
        if state[point] == 1 + seat:
            for other in NEIGHBOURS[point]:
                if other < CELLS and state[other] == 0:
                    return True
    return False


def result(state):
    seat = state[TURN]
    if state[HAND + seat] + count_men(state, seat) < 3 or not can_move(state, seat):
        return 2 * seat - 1
    return 2


def place_cell(cell):
    ring, point = cell // 8, cell % 8
    right, down = (-1, 0, 1, 1, 1, 0, -1, -1)[point], (-1, -1, -1, 0, 1, 1, 1, 0)[point]
    return 3 + (3 - ring) * right, 3 + (3 - ring) * down


def name_cell(cell):
    column, row = place_cell(cell)
    return f"{'abcdefg'[column]}{row + 1}"


def name_move(move):
    taken = move % (CELLS + 1)
    point = move // (CELLS + 1) % CELLS
    origin = move // (CELLS + 1) // CELLS
    name = name_cell(point) if origin == CELLS else f"{name_cell(origin)}-{name_cell(point)}"
    return name if taken == CELLS else f"{name}x{name_cell(taken)}"
