"""Breakthrough: reach the other's back row, or capture all pieces, to win.

Pieces go one step forward, straight or diagonally; they capture only diagonally. Each player begins
with two rows of them, on boards of fewer than six rows with one.

A state is the pieces of the player to move, those of the other, and the player to move. Bit ``SIZE
* row + column`` of a word is a cell; seat 0 begins on the first rows and moves up.

Move ``6 * cell + kind`` moves the piece on a cell by ``STEPS[kind]``: kinds 0 to 2 are seat 0's, to
the left, straight and to the right, and kinds 3 to 5 are seat 1's.
"""

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

SIZE = 8
"""Cells along a side of the board."""
OPTIONS = {"SIZE": range(4, 9)}
CELLS = SIZE * SIZE
WIDTH = SIZE
MOVES = 6 * CELLS
LONGEST = 4 * CELLS
SYMMETRY = "mirror"
ONLY_WINS = True
PLANES = 2
POSITIONS = "data/breakthrough_5_exact_positions.csv"
SIDES = ("w", "b")
SIGNS = "wb"
ENDINGS = ("a breakthrough", "no draw is possible")
OPENSPIEL = f"breakthrough(rows={SIZE},columns={SIZE})"

STEPS = (SIZE - 1, SIZE, SIZE + 1, -SIZE - 1, -SIZE, -SIZE + 1)
"""Distance, in cells, of the six kinds of moves: three up and three down."""
ONE = np.uint64(1)
LINE = np.uint64(2**SIZE - 1)
HOMES = (LINE, LINE << np.uint64(CELLS - SIZE))


def start():
    rows = 2 if SIZE >= 6 else 1
    own = (ONE << np.uint64(rows * SIZE)) - ONE
    return own, own << np.uint64(CELLS - rows * SIZE), 0


def to_move(state):
    return state[2]


def legal(state, moves):
    own, other, seat = state
    # Take the pieces off one by one, the lowest bit first.
    left, count = own, 0
    while left:
        cell = lowest_bit(left)
        left &= left - ONE
        for side in range(3):
            column = cell % SIZE + side - 1
            if 0 <= column < SIZE:
                kind = 3 * seat + side
                target = ONE << np.uint64(cell + STEPS[kind])
                if not target & own and (side != 1 or not target & other):
                    moves[count] = 6 * cell + kind
                    count += 1
    return count


def play(state, move):
    own, other, seat = state
    cell = move // 6
    target = ONE << np.uint64(cell + STEPS[move % 6])
    own ^= (ONE << np.uint64(cell)) | target
    return other & ~target, own, 1 - seat


def result(state):
    """Return the result; only the player who has just moved can have won."""
    own, other, seat = state
    if not own or other & HOMES[seat]:
        return 1 if seat == 1 else -1
    return 2


def wins(state, moves):
    own, other, seat = state
    goal, left, count = HOMES[1 - seat], own, 0
    if count_bits(other) > 1:  # else the last one may be captured anywhere
        # Only pieces one row short of the goal can reach it.
        left &= goal << np.uint64(SIZE) if seat else goal >> np.uint64(SIZE)
    while left:
        cell = lowest_bit(left)
        left &= left - ONE
        for side in range(3):
            column = cell % SIZE + side - 1
            if 0 <= column < SIZE:
                kind = 3 * seat + side
                target = ONE << np.uint64(cell + STEPS[kind])
                is_legal = not target & own and (side != 1 or not target & other)
                if is_legal and (target & goal or other == target):
                    moves[count] = 6 * cell + kind
                    count += 1
    return count


def changes(state, move, seat, bits):
    """List the bits of `see` that change: the piece leaves, arrives, and may capture another."""
    _, other, turn = state
    cell, target = move // 6, move // 6 + STEPS[move % 6]
    plane = 0 if seat == turn else 64
    bits[0] = ~(plane + find_place(cell, seat))
    bits[1] = plane + find_place(target, seat)
    if not (other >> np.uint64(target)) & ONE:
        return 2
    bits[2] = ~(64 - plane + find_place(target, seat))
    return 3


def find_place(cell, seat):
    """Return the place at which a seat sees a cell."""
    return cell if seat == 0 else SIZE * (SIZE - 1 - cell // SIZE) + cell % SIZE


def gain(state, move):
    """Return 1 for a capture, else 0."""
    return np.int64((state[1] >> np.uint64(move // 6 + STEPS[move % 6])) & ONE)


def see(state, seat, planes):
    """Set own pieces, then the other's; seat 1 sees rows upside down, and so moves up as well."""
    own, other, turn = state
    if turn != seat:
        own, other = other, own
    planes[0] = own if seat == 0 else turn_over(own)
    planes[1] = other if seat == 0 else turn_over(other)


def turn_over(word):
    """Return a word with its rows in the opposite order."""
    turned = np.uint64(0)
    for row in range(SIZE):
        line = (word >> np.uint64(SIZE * row)) & LINE
        turned |= line << np.uint64(SIZE * (SIZE - 1 - row))
    return turned


def evaluate(state, seat):
    """Return the lead in pieces."""
    ahead = count_bits(state[0]) - count_bits(state[1])
    return ahead if state[2] == seat else -ahead


def openspiel_move(state, move):
    """Return the action of OpenSpiel's game, in which captures have numbers of their own."""
    target = ONE << np.uint64(move // 6 + STEPS[move % 6])
    return 2 * move + int(target & state[1] != 0)


def name_move(move):
    """Return a name such as ``b2c3``, with a question mark for a target off the board."""
    cell, kind = divmod(move, 6)
    column, row = cell % SIZE + kind % 3 - 1, cell // SIZE + (1 if kind < 3 else -1)
    target = (
        f"{'abcdefgh'[column]}{row + 1}" if 0 <= column < SIZE and 0 <= row < SIZE else f"?{kind}"
    )
    return f"{'abcdefgh'[cell % SIZE]}{cell // SIZE + 1}{target}"
