"""Hex: x joins the upper edge to the lower one, o the left edge to the right one.

A cell touches its neighbours in the row, those above and below, and those above to the right and
below to the left. There is no swap rule: the first move stays. Draws are impossible.

A state is one array: the cells, 0 if empty, 1 for x and 2 for o; then, for each cell, the edges of
its owner that its stone is joined to, 1 and 2, or 3 for both; then the player to move and the
winner, if any, as 1 or 2.
"""

import numpy as np

SIZE = 7
"""Cells along a side of the board."""
OPTIONS = {"SIZE": range(3, 12)}
CELLS = SIZE * SIZE
WIDTH = SIZE
MOVES = CELLS
LONGEST = CELLS
SYMMETRY = "turn"
SHAPE = "hex"
ONLY_WINS = True
MOVES_STAY = True
PLANES = 2
POSITIONS = "data/hex_5_exact_positions.csv"
ENDINGS = ("a chain from edge to edge", "no draw is possible")
OPENSPIEL = f"hex(board_size={SIZE})"

TURN, WINNER = 2 * CELLS, 2 * CELLS + 1
WORDS = (CELLS + 63) // 64


def find_neighbours(cell):
    """Return the six neighbours of a cell, with the cell itself in place of those off the board."""
    row, column = divmod(cell, SIZE)
    around = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
    places = [(row + down, column + right) for down, right in around]
    return [SIZE * r + c if 0 <= r < SIZE and 0 <= c < SIZE else cell for r, c in places]


NEIGHBOURS = np.array([find_neighbours(cell) for cell in range(CELLS)])


def start():
    return np.zeros(2 * CELLS + 2, np.int8)


def to_move(state):
    return state[TURN]


def legal(state, moves):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count


def play(state, move):
    """Place a stone and find the edges that it joins."""
    seat = state[TURN]
    state[move] = 1 + seat
    # x counts rows from the top, o columns from the left: edge 1 is the first, edge 2 the last.
    line = move // SIZE if seat == 0 else move % SIZE
    edges = (line == 0) + 2 * (line == SIZE - 1)
    # Neighbours of the same colour pass on the edges that they are joined to.
    for cell in NEIGHBOURS[move]:
        edges |= (state[cell] == state[move]) * state[CELLS + cell]
    if edges:
        join(state, move, edges)
    if edges == 3:
        state[WINNER] = 1 + seat
    state[TURN] = 1 - seat


def join(state, stone, edges):
    """Join a stone, and all stones connected to it, to these edges."""
    state[CELLS + stone] |= edges
    for cell in NEIGHBOURS[stone]:
        if state[cell] == state[stone] and state[CELLS + cell] | edges != state[CELLS + cell]:
            join(state, cell, edges)


def result(state):
    if state[WINNER] == 0:
        return 2
    return 1 if state[WINNER] == 1 else -1


def wins(state, moves):
    """List the cells that join both edges, as `play` would find them."""
    seat, count = state[TURN], 0
    for move in range(CELLS):
        if state[move] == 0:
            line = move // SIZE if seat == 0 else move % SIZE
            edges = (line == 0) + 2 * (line == SIZE - 1)
            for cell in NEIGHBOURS[move]:
                if state[cell] == 1 + seat:
                    edges |= state[CELLS + cell]
            if edges == 3:
                moves[count] = move
                count += 1
    return count


def changes(state, move, seat, bits):
    # The same place as in `see`; bits of the other's stones follow those of one's own.
    place = move if seat == 0 else move % SIZE * SIZE + move // SIZE
    bits[0] = place if seat == state[TURN] else 64 * WORDS + place
    return 1


def see(state, seat, planes):
    """Set own stones, then the other's; o sees rows as columns, and so joins the edges of x."""
    for cell in range(CELLS):
        if state[cell] != 0:
            place = cell if seat == 0 else cell % SIZE * SIZE + cell // SIZE
            word = place // 64 if state[cell] == 1 + seat else WORDS + place // 64
            planes[word] |= np.uint64(1) << np.uint64(place % 64)


def show(state):
    """Draw each row half a cell to the right of the one above."""
    letters = "  " + " ".join("abcdefghijk"[:SIZE])
    lines = [letters]
    for row in range(SIZE):
        stones = " ".join(".xo"[cell] for cell in state[row * SIZE : (row + 1) * SIZE])
        lines.append(" " * row + f"{row + 1:2} {stones} {row + 1}")
    lines += [" " * (SIZE + 1) + letters, "x: top to bottom, o: left to right"]
    return "\n".join(lines)
