"""Nine Men's Morris: three men on a line take one of the other's; who has two left has lost.

Each player places nine men, then moves them along the lines; with three men left they fly.
"""

import numpy as np

CELLS, WIDTH = 49, 7
MEN = 9
LONGEST = 300
SYMMETRY = "all"
SHAPE = "round"
ENDINGS = ("two men left, or none that can move", "no end in sight")
REPETITION = 3
NO_PROGRESS = 60

# The 24 points, row by row, and the lines of three of them.
POINTS = tuple(
    WIDTH * row + column
    for row in range(7)
    for column in range(7)
    if (abs(row - 3) == abs(column - 3) or row == 3 or column == 3) and (row, column) != (3, 3)
)
COUNT = len(POINTS)


def find_lines():
    """Return the 16 lines, as numbers of points in order."""
    rows = [POINTS[3 * k : 3 * k + 3] for k in range(8)]
    lines = rows + [tuple(cell % 7 * 7 + cell // 7 for cell in row) for row in rows]
    return [[POINTS.index(cell) for cell in line] for line in lines]


LINES = np.array(find_lines())
# The lines through each point, and its neighbours, which 24 fills up.
THROUGH = np.array([[k for k in range(16) if point in LINES[k]] for point in range(COUNT)])
NEXT = np.full((COUNT, 4), COUNT)
for one in range(COUNT):
    pairs = [pair for line in find_lines() for pair in (line[:2], line[1:]) if one in pair]
    NEXT[one, : len(pairs)] = sorted(sum(pair) - one for pair in pairs)

# A move is (from, to, taken) with 24 for a man from the hand, and 24 for no man taken.
EMPTY_HANDED = COUNT
MOVES = (COUNT + 1) * COUNT * (COUNT + 1)
HAND, TURN = CELLS, CELLS + 2


def start():
    state = np.zeros(CELLS + 3, np.int8)
    state[HAND] = state[HAND + 1] = MEN
    return state


def to_move(state):
    return state[TURN]


def is_mill(state, point, origin, owner):
    """Return True if a man of *owner* on a point, come from another, is in a line of three."""
    for k in THROUGH[point]:
        count = 0
        for other in LINES[k]:
            if other == point or (other != origin and state[POINTS[other]] == owner):
                count += 1
        if count == 3:
            return True
    return False


def count_men(state, seat):
    count = 0
    for cell in POINTS:
        count += state[cell] == 1 + seat
    return count


def list_taken(state, origin, point, moves, count):
    """Write a move to a point, with each man that may be taken then."""
    owner = 1 + state[TURN]
    first = (origin * COUNT + point) * (COUNT + 1)
    if not is_mill(state, point, origin, owner):
        moves[count] = first + EMPTY_HANDED
        return count + 1
    before = count
    for other in range(COUNT):
        if state[POINTS[other]] == 3 - owner and not is_mill(state, other, COUNT, 3 - owner):
            moves[count] = first + other
            count += 1
    if count == before:  # all are in lines
        for other in range(COUNT):
            if state[POINTS[other]] == 3 - owner:
                moves[count] = first + other
                count += 1
    return count


def legal(state, moves):
    seat = state[TURN]
    count = 0
    if state[HAND + seat] > 0:
        for point in range(COUNT):
            if state[POINTS[point]] == 0:
                count = list_taken(state, COUNT, point, moves, count)
        return count
    flies = count_men(state, seat) == 3
    for origin in range(COUNT):
        if state[POINTS[origin]] == 1 + seat:
            if flies:
                for point in range(COUNT):
                    if state[POINTS[point]] == 0:
                        count = list_taken(state, origin, point, moves, count)
            else:
                for point in NEXT[origin]:
                    if point < COUNT and state[POINTS[point]] == 0:
                        count = list_taken(state, origin, point, moves, count)
    return count


def play(state, move):
    seat = state[TURN]
    taken = move % (COUNT + 1)
    point = move // (COUNT + 1) % COUNT
    origin = move // (COUNT + 1) // COUNT
    if origin == COUNT:
        state[HAND + seat] -= 1
    else:
        state[POINTS[origin]] = 0
    state[POINTS[point]] = 1 + seat
    if taken < COUNT:
        state[POINTS[taken]] = 0
    state[TURN] = 1 - seat


def progress(state, move):
    return move // (COUNT + 1) // COUNT == COUNT or move % (COUNT + 1) < COUNT


def can_move(state, seat):
    if state[HAND + seat] > 0 or count_men(state, seat) == 3:
        return True
    for point in range(COUNT):
        if state[POINTS[point]] == 1 + seat:
            for other in NEXT[point]:
                if other < COUNT and state[POINTS[other]] == 0:
                    return True
    return False


def result(state):
    seat = state[TURN]
    if state[HAND + seat] + count_men(state, seat) < 3 or not can_move(state, seat):
        return 2 * seat - 1
    return 2


def name_point(point):
    return f"{'abcdefg'[POINTS[point] % WIDTH]}{POINTS[point] // WIDTH + 1}"


def name_move(move):
    taken = move % (COUNT + 1)
    point = move // (COUNT + 1) % COUNT
    origin = move // (COUNT + 1) // COUNT
    name = name_point(point) if origin == COUNT else f"{name_point(origin)}-{name_point(point)}"
    return name if taken == COUNT else f"{name}x{name_point(taken)}"


def place_cell(cell):
    return (cell % WIDTH, cell // WIDTH) if cell in POINTS else None
