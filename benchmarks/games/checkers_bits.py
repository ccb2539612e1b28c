"""English checkers: captures must be made, one jump a move; who jumps on moves again.

Square s is bit ``s - 1 + (s - 1) // 8`` of 35, so a step is a shift by 4 or 5 and edges need no
masks. In rows of five bits, neighbours on the board are neighbours, too: that is what tuples walk
on (WIDTH, SYMMETRY). A state is dark's pieces, light's, the kings, whose turn it is, and the bit of
the piece that must jump on, or -1. Move ``4 * bit + way`` goes from a bit in one of four ways. It
is called by the square there and the next one in its way: 11-15, also if it jumps over 15; 11x18 is
understood, too.
"""

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

BOARD = np.uint64(0x7FBFDFEFF)
FAR = np.uint64(0x78000000F)
MOVES = 4 * 35
LONGEST = 400
CELLS = 35
WIDTH = 5
SYMMETRY = "none"
SHAPE = "none"
PLANES = 4
STEPS = (4, 5, -5, -4)
ONE = np.uint64(1)
REPETITION = 3
NO_PROGRESS = 80
SIDES = ("dark", "light")
ENDINGS = ("the other player has no move", "a draw")


def start():
    return np.uint64(0x1EFF), np.uint64(0x7FBC00000), np.uint64(0), 0, -1


def to_move(state):
    return state[3]


def legal(state, moves):
    own, other, kings, turn, chain = split(state)
    empty = BOARD & ~(own | other)
    if chain >= 0:
        return list_jumps(moves, ONE << np.uint64(chain), other, kings, turn, empty)
    count = list_jumps(moves, own, other, kings, turn, empty)
    if count == 0:
        left = own & movers(own, kings, turn, empty)
        while left:
            bit = lowest_bit(left)
            left &= left - ONE
            for way in range(4):
                if may_go(bit, way, kings, turn) and shift(ONE << np.uint64(bit), way) & empty:
                    moves[count] = 4 * bit + way
                    count += 1
    return count


def split(state):
    """The state, with the pieces of who is to move first."""
    dark, light, kings, turn, chain = state
    if turn == 0:
        return dark, light, kings, turn, chain
    return light, dark, kings, turn, chain


def shift(word, way):
    if way == 0:
        return word << np.uint64(4)
    if way == 1:
        return word << np.uint64(5)
    if way == 2:
        return word >> np.uint64(5)
    return word >> np.uint64(4)


def may_go(bit, way, kings, turn):
    return (way < 2) == (turn == 0) or (kings >> np.uint64(bit)) & ONE != np.uint64(0)


def movers(own, kings, turn, empty):
    ups = own if turn == 0 else own & kings
    downs = own if turn == 1 else own & kings
    return (ups & ((empty >> np.uint64(4)) | (empty >> np.uint64(5)))) | (
        downs & ((empty << np.uint64(4)) | (empty << np.uint64(5)))
    )


def jumpers(own, other, kings, turn, empty):
    ups = own if turn == 0 else own & kings
    downs = own if turn == 1 else own & kings
    up = (ups & (other >> np.uint64(4)) & (empty >> np.uint64(8))) | (
        ups & (other >> np.uint64(5)) & (empty >> np.uint64(10))
    )
    return (
        up
        | (downs & (other << np.uint64(4)) & (empty << np.uint64(8)))
        | (downs & (other << np.uint64(5)) & (empty << np.uint64(10)))
    )


def list_jumps(moves, pieces, other, kings, turn, empty):
    left, count = jumpers(pieces, other, kings, turn, empty), 0
    while left:
        bit = lowest_bit(left)
        left &= left - ONE
        for way in range(4):
            over = shift(ONE << np.uint64(bit), way)
            if may_go(bit, way, kings, turn) and over & other and shift(over, way) & empty:
                moves[count] = 4 * bit + way
                count += 1
    return count


def play(state, move):
    own, other, kings, turn, chain = split(state)
    bit, way = move // 4, move % 4
    piece = ONE << np.uint64(bit)
    target = shift(piece, way)
    jumps = target & other
    if jumps:
        other ^= target
        kings &= ~target
        target = shift(target, way)
    own ^= piece | target
    man = not kings & piece
    if not man:
        kings ^= piece | target
    crowned = man and target & FAR
    if crowned:
        kings |= target
    chain = -1
    after = turn
    if jumps and not crowned and jumpers(target, other, kings, turn, BOARD & ~(own | other)):
        chain = lowest_bit(target)
    else:
        after = 1 - turn
    if turn == 0:
        return own, other, kings, after, chain
    return other, own, kings, after, chain


def progress(state, move):
    """True for a jump, or a man's move: no earlier position comes again then."""
    _, other, kings, _, _ = split(state)
    piece = ONE << np.uint64(move // 4)
    return shift(piece, move % 4) & other != np.uint64(0) or kings & piece == np.uint64(0)


def result(state):
    own, other, kings, turn, _ = split(state)
    empty = BOARD & ~(own | other)
    if not movers(own, kings, turn, empty) and not jumpers(own, other, kings, turn, empty):
        return -1 if turn == 0 else 1
    return 2


def see(state, seat, planes):
    """Own men, own kings, the other's men and kings; light sees the board turned round."""
    put(state[0], state[2], 2 * seat, seat, planes)
    put(state[1], state[2], 2 - 2 * seat, seat, planes)


def put(pieces, kings, plane, seat, planes):
    left = pieces
    while left:
        bit = lowest_bit(left)
        left &= left - ONE
        king = np.int64((kings >> np.uint64(bit)) & ONE)
        planes[plane + king] |= ONE << np.uint64(bit if seat == 0 else 34 - bit)


def evaluate(state, seat):
    total = material(state[0], state[2]) - material(state[1], state[2])
    return total if seat == 0 else -total


def material(pieces, kings):
    return 100 * count_bits(pieces) + 30 * count_bits(pieces & kings)


def show(state):
    lines = []
    for row in range(8):
        squares = [number_bit(4 * row + column + 1) for column in range(4)]
        marks = "   ".join(find_mark(state, bit) for bit in squares)
        text = f"  {marks}" if row % 2 == 0 else f"{marks}  "
        lines.append(f"{text}  {4 * row + 4:2}")
    turn = f"{SIDES[state[3]]} to move"
    jumps = f", the piece on {number_square(state[4])} jumps on" if state[4] >= 0 else ""
    return "\n".join([*lines, turn + jumps])


def find_mark(state, bit):
    """The mark of a man, b or w, or of a king, B or W."""
    dark, light, kings, _, _ = (int(number) >> bit & 1 for number in state)
    mark = "b" if dark else "w" if light else "."
    return mark.upper() if kings else mark


def number_bit(square):
    return square - 1 + (square - 1) // 8


def number_square(bit):
    """The square of a bit; 0 if it is none."""
    return bit + 1 - bit // 9 if 0 <= bit < 35 and bit % 9 != 8 else 0


def name_move(move):
    bit, way = move // 4, move % 4
    square, towards = number_square(bit), number_square(bit + STEPS[way])
    return f"{square}-{towards}" if square and towards else f"none-{bit}{'abcd'[way]}"


def read_move(text):
    for move in range(MOVES):
        bit, way = move // 4, move % 4
        squares = number_square(bit), number_square(bit + 2 * STEPS[way])
        if text in (name_move(move), f"{squares[0]}x{squares[1]}") and text != "0x0":
            return move
    return None
