"""International draughts, on ten by ten squares; as options Polish and Russian draughts, on eight.

Men step forward and capture in all directions; kings fly any distance. Captures are compulsory:
each jump is one move, and a piece that can jump on must do so. Jumped pieces leave the board when
the capture is over; until then none can be jumped twice. White moves first, and a player who has no
move loses. A game is drawn when a position occurs for the third time, or after 25 moves of each
side without a capture or a man's move, on eight by eight squares 15. Source: the rules of the World
Draughts Federation (FMJD) and its section for draughts on 64 squares.

Square s is bit ``s - 1 + (s - 1) // SIZE`` of a word, as in checkers, so a step is a shift and
edges need no masks. A state is white's pieces, black's, the kings, the player to move, the bit of
the piece that must jump on, or -1, and the pieces that it has jumped. Move ``(4 * bit + way) * FAR
+ distance - 1`` is a step, and ``STEPS`` more a jump, which ends at that distance.
"""

import re

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

SIZE = 10
"""Squares along a side of the board."""
MOST = 1
"""1: one must capture as many pieces as possible; 0: any capture will do."""
CROWN = 0
"""1: a man becomes a king wherever it reaches the last row; 0: not if it captures on from there."""
OPTIONS = {"SIZE": (8, 10), "MOST": (0, 1), "CROWN": (0, 1)}
HALF = SIZE // 2
WIDTH = HALF + 1
CELLS = WIDTH * (SIZE - 1)
FAR = SIZE - 1
STEPS = 4 * CELLS * FAR
MOVES = 2 * STEPS
LONGEST = 1000
SYMMETRY = "none"
PIECES = 2
PLANES = 4
PLANE_NAMES = ("own men", "own kings", "other's men", "other's kings")
REPETITION = 3
NO_PROGRESS = 50 if SIZE == 10 else 30
SIDES = ("white", "black")
SIGNS = "wWbB"
MARKS = ("", "♛", "", "♛")
ENDINGS = ("the other player has no move", "a draw")
PLANE_VALUES = (1.0, 3.0, -1.0, -3.0)
KING = 200
"""Value of a king above that of a man, which is 100."""
WAYS = (HALF, HALF + 1, -HALF - 1, -HALF)
"""Bits from a square to its neighbours: down to the left and right, up to the left and right."""
ONE = np.uint64(1)
NONE = np.uint64(0)
BOARD = np.uint64(sum(1 << square + square // SIZE for square in range(SIZE * HALF)))
TOP = np.uint64((1 << HALF) - 1)
BOTTOM = np.uint64(((1 << HALF) - 1) << CELLS - HALF)


def start():
    black = np.uint64(0)
    for square in range((HALF - 1) * HALF):
        black |= ONE << np.uint64(square + square // SIZE)
    white = np.uint64(0)
    for square in range((HALF + 1) * HALF, SIZE * HALF):
        white |= ONE << np.uint64(square + square // SIZE)
    return white, black, np.uint64(0), 0, -1, np.uint64(0)


def to_move(state):
    return state[3]


def legal(state, moves):
    own, other, kings, turn, chain, taken = split(state)
    empty, free = BOARD & ~(own | other), other & ~taken
    pieces = ONE << np.uint64(chain) if chain >= 0 else own
    if MOST:
        most = find_most(pieces, kings, free, empty, turn)
        count = list_captures(moves, pieces, kings, free, empty, turn, most) if most else 0
    else:
        count = list_captures(moves, pieces, kings, free, empty, turn, 1)
    return count if count else list_steps(moves, own, kings, empty, turn)


def split(state):
    """Return the state with the pieces of the player to move first."""
    white, black, kings, turn, chain, taken = state
    if turn == 0:
        return white, black, kings, turn, chain, taken
    return black, white, kings, turn, chain, taken


def shift(word, way):
    if way == 0:
        return word << np.uint64(HALF)
    if way == 1:
        return word << np.uint64(HALF + 1)
    if way == 2:
        return word >> np.uint64(HALF + 1)
    return word >> np.uint64(HALF)


def find_end(turn):
    """Return the row on which a player's men become kings."""
    return TOP if turn == 0 else BOTTOM


def list_steps(moves, own, kings, empty, turn):
    left, count = own, 0
    while left:
        bit = lowest_bit(left)
        piece = ONE << np.uint64(bit)
        left ^= piece
        for way in range(4):
            # White's men go up, black's go down.
            if not kings & piece and (way < 2) == (turn == 0):
                continue
            target, distance = shift(piece, way) & empty, 0
            while target:
                moves[count] = (4 * bit + way) * FAR + distance
                count += 1
                distance += 1
                target = shift(target, way) & empty if kings & piece else NONE
    return count


def list_captures(moves, pieces, kings, free, empty, turn, most):
    """List jumps: with MOST those that begin the longest captures, of so many pieces.

    Otherwise, of several squares behind a jumped piece, one from which the capture goes on must be
    chosen if there is one.
    """
    left, count = pieces, 0
    while left:
        bit = lowest_bit(left)
        piece = ONE << np.uint64(bit)
        left ^= piece
        for way in range(4):
            jumped, distance = find_jumped(piece, kings & piece, free, empty, way)
            target = shift(jumped, way) & empty
            first, goes_on = count, False
            while target:
                crown = find_crown(target, kings & piece, turn)
                further = count_longest(target, crown, free & ~jumped, empty | piece, turn)
                if not MOST and further and not goes_on:
                    goes_on, count = True, first
                if further + 1 == most if MOST else further or not goes_on:
                    moves[count] = STEPS + (4 * bit + way) * FAR + distance
                    count += 1
                distance += 1
                target = shift(target, way) & empty if kings & piece else NONE
    return count


def find_jumped(piece, king, free, empty, way):
    """Return the piece that could be jumped, or none, and its distance."""
    target, distance = shift(piece, way), 1
    if king:
        while target & empty:
            target = shift(target, way)
            distance += 1
    return target & free, distance


def find_crown(target, king, turn):
    """Return the target if the piece that lands there goes on as a king."""
    return target if king or (CROWN and target & find_end(turn)) else NONE


def find_most(pieces, kings, free, empty, turn):
    """Return the most pieces that any of some pieces can capture."""
    left, most = pieces, 0
    while left:
        piece = left & ~(left - ONE)
        left ^= piece
        most = max(most, count_longest(piece, kings & piece, free, empty | piece, turn))
    return most


def count_longest(piece, king, free, empty, turn):
    """Return the most pieces that a piece can capture from its square.

    Jumped pieces are no longer free, but not empty either.
    """
    if not free:
        return 0
    longest = 0
    for way in range(4):
        jumped, _ = find_jumped(piece, king, free, empty, way)
        target = shift(jumped, way) & empty
        while target:
            crown = find_crown(target, king, turn)
            longest = max(longest, 1 + count_longest(target, crown, free & ~jumped, empty, turn))
            target = shift(target, way) & empty if king else NONE
    return longest


def play(state, move):
    own, other, kings, turn, chain, taken = split(state)
    piece, target = find_ends(move)
    king = kings & piece
    own ^= piece | target
    kings ^= king | (target if king else NONE)
    goes_on = False
    if move >= STEPS:
        free, empty = other & ~taken, BOARD & ~(own | other)
        taken |= find_jumped(piece, king, free, empty | piece | target, move // FAR % 4)[0]
        kings |= find_crown(target, king, turn)
        free, empty = other & ~taken, BOARD & ~(own | other)
        goes_on = count_longest(target, kings & target, free, empty | target, turn) > 0
    # The turn stays with a piece that can jump on.
    after, chain = turn, lowest_bit(target)
    if not goes_on:
        other &= ~taken
        kings = kings & ~taken | target & find_end(turn)
        after, chain, taken = 1 - turn, -1, NONE
    if turn == 0:
        return own, other, kings, after, chain, taken
    return other, own, kings, after, chain, taken


def find_ends(move):
    """Return the squares on which a move begins and ends."""
    bit, way, distance = move // FAR // 4 % CELLS, move // FAR % 4, move % FAR + 1
    return ONE << np.uint64(bit), ONE << np.uint64(bit + WAYS[way] * distance)


def progress(state, move):
    """Return True for a jump or a man's move, after which no earlier position can recur."""
    return move >= STEPS or not state[2] & find_ends(move)[0]


def result(state):
    """Return the result; a king without a step can capture only what is beside it, as men can."""
    own, other, kings, turn, chain, _ = split(state)
    empty = BOARD & ~(own | other)
    if chain >= 0:
        return 2
    for way in range(4):
        movers = own & kings if (way < 2) == (turn == 0) else own
        back = shift(empty, 3 - way)
        if movers & back or own & shift(other & back, 3 - way):
            return 2
    return -1 if turn == 0 else 1


def see(state, seat, planes):
    """Set own men, own kings, the other's men and kings; black sees the board turned round."""
    white, black, kings, _, _, taken = state
    put(white & ~taken, kings, 2 * seat, seat, planes)
    put(black & ~taken, kings, 2 - 2 * seat, seat, planes)


def put(pieces, kings, plane, seat, planes):
    left = pieces
    while left:
        bit = lowest_bit(left)
        left &= left - ONE
        king = np.int64((kings >> np.uint64(bit)) & ONE)
        planes[plane + king] |= ONE << np.uint64(bit if seat == 0 else CELLS - 1 - bit)


def evaluate(state, seat):
    """Return the lead in material, with a king worth three men."""
    white, black, kings, _, _, taken = state
    total = weigh_pieces(white & ~taken, kings) - weigh_pieces(black & ~taken, kings)
    return total if seat == 0 else -total


def weigh_pieces(pieces, kings):
    return 100 * count_bits(pieces) + KING * count_bits(pieces & kings)


# Names and notation, for people


def number_square(bit):
    """Return the square of a bit, from 1; 0 for a bit that is no square."""
    period = SIZE + 1
    return bit + 1 - bit // period if 0 <= bit < CELLS and bit % period != SIZE else 0


def place_cell(bit):
    """Return column and row of a square; None for a bit that is no square."""
    square = number_square(bit) - 1
    row = square // HALF
    return (2 * (square % HALF) + 1 - row % 2, row) if square >= 0 else None


def name_cell(bit):
    """Return the square's number, or its name such as a3 on eight by eight squares."""
    if SIZE == 10 or not number_square(bit):
        return str(number_square(bit))
    column, row = place_cell(bit)
    return f"{'abcdefgh'[column]}{8 - row}"


def name_move(move):
    bit, step, distance = move // FAR // 4 % CELLS, WAYS[move // FAR % 4], move % FAR + 1
    path = [bit + step * away for away in range(distance + 1)]
    mark = "x" if move >= STEPS else "-"
    if not all(number_square(place) for place in path):
        return f"none-{move}"
    return f"{name_cell(path[0])}{mark}{name_cell(path[-1])}"


def read_move(text):
    """Return the step or jump between two squares, such as 32-28 or 32x21; None if there is none.

    A king's step may have the ends of a jump, which then needs its mark.
    """
    squares = re.sub("[-x:×, ]+", "-", text.lower())
    moves = range(STEPS if re.search("[x:×]", text.lower()) else 0, MOVES)
    return next((move for move in moves if name_move(move).replace("x", "-") == squares), None)


def name_turn(moves):
    """Return the names of a capture of several pieces: all its squares, or its ends."""
    squares = [name_move(move).split("x") for move in moves]
    path = [squares[0][0], *(end for _, end in squares)]
    return [mark.join(named) for mark in "x-" for named in (path, path[:: len(path) - 1])]


def read_position(text):
    """Return a position as PDN files write it, such as W:W31,K30:B1-4; None if it is none."""
    sides = re.fullmatch(
        r"([BW]):([BW][KA-H0-9,-]*):([BW][KA-H0-9,-]*)\.?", text.replace(" ", "").upper()
    )
    if not sides or sides[2][0] == sides[3][0]:
        return None
    squares = {name_cell(bit).upper(): 1 << bit for bit in range(CELLS) if number_square(bit)}
    pieces, kings = {"W": 0, "B": 0}, 0
    for part in sides.groups()[1:]:
        for king, first, last in re.findall("(K?)([A-H]?[0-9]+)(?:-([0-9]+))?", part[1:]):
            some = map(str, range(int(first), int(last) + 1)) if last else [first]
            for square in some:
                bit = squares.get(square, 0)
                if not bit or (pieces["W"] | pieces["B"]) & bit:
                    raise ValueError(f"no piece can stand on square {square}, or two do")
                pieces[part[0]] |= bit
                kings |= bit if king else 0
    kings |= pieces["W"] & int(TOP) | pieces["B"] & int(BOTTOM)
    words = (np.uint64(word) for word in (pieces["W"], pieces["B"], kings))
    return *words, "WB".index(sides[1]), -1, np.uint64(0)
