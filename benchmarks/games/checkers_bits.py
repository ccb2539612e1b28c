"""English checkers: captures must be made, one jump a move; who jumps on moves again.

Square s is bit ``s - 1 + (s - 1) // 8`` of 35, so a step is a shift by 4 or 5 and edges need no
masks. In rows of five bits, neighbours on the board are neighbours, too: that is what tuples walk
on (WIDTH, SYMMETRY). A state is dark's pieces, light's, the kings, whose turn it is, and the bit of
the piece that must jump on, or -1. Move ``35 * way + bit`` goes from a bit in one of four ways. It
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
        for way in range(4):
            steps = find_kind(own, kings, turn, way) & shift(empty, 3 - way)
            count = write_moves(moves, count, steps, way)
    return count


def write_moves(moves, count, pieces, way):
    while pieces:
        moves[count] = 35 * way + lowest_bit(pieces)
        pieces &= pieces - ONE
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


def find_kind(own, kings, turn, way):
    """The pieces that may go in a way: all, or the kings."""
    return own if (way < 2) == (turn == 0) else own & kings


def find_movers(own, kings, turn, empty):
    movers = np.uint64(0)
    for way in range(4):
        movers |= find_kind(own, kings, turn, way) & shift(empty, 3 - way)
    return movers


def find_jumpers(own, other, kings, turn, empty):
    jumpers = np.uint64(0)
    for way in range(4):
        jumpers |= find_kind(own, kings, turn, way) & jump_over(other, empty, 3 - way)
    return jumpers


def jump_over(other, empty, back):
    """Where who can jump stands: a step back from one of the other's, and two from a free cell."""
    return shift(other & shift(empty, back), back)


def list_jumps(moves, pieces, other, kings, turn, empty):
    count = 0
    for way in range(4):
        jumpers = find_kind(pieces, kings, turn, way) & jump_over(other, empty, 3 - way)
        count = write_moves(moves, count, jumpers, way)
    return count


def play(state, move):
    own, other, kings, turn, chain = split(state)
    bit, way = move % 35, move // 35
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
    if jumps and not crowned and find_jumpers(target, other, kings, turn, BOARD & ~(own | other)):
        chain = lowest_bit(target)
    else:
        after = 1 - turn
    if turn == 0:
        return own, other, kings, after, chain
    return other, own, kings, after, chain


def progress(state, move):
    """True for a jump, or a man's move: no earlier position comes again then."""
    _, other, kings, _, _ = split(state)
    piece = ONE << np.uint64(move % 35)
    return shift(piece, move // 35) & other != np.uint64(0) or kings & piece == np.uint64(0)


def result(state):
    own, other, kings, turn, _ = split(state)
    empty = BOARD & ~(own | other)
    movers = find_movers(own, kings, turn, empty)
    if not movers | find_jumpers(own, other, kings, turn, empty):
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


def changes(state, move, seat, listed):
    """What `see` shows differently after a move: the piece goes, one that it takes, it comes."""
    _, other, kings, turn, _ = split(state)
    way, bit = move // 35, move % 35
    first = 0 if turn == seat else 2
    king = np.int64((kings >> np.uint64(bit)) & ONE)
    listed[0] = ~find_plane_bit(first + king, bit, seat)
    count = 1
    target = bit + STEPS[way]
    if (other >> np.uint64(target)) & ONE:
        taken = np.int64((kings >> np.uint64(target)) & ONE)
        listed[1] = ~find_plane_bit(2 - first + taken, target, seat)
        count = 2
        target += STEPS[way]
    king |= np.int64((FAR >> np.uint64(target)) & ONE)
    listed[count] = find_plane_bit(first + king, target, seat)
    return count + 1


def find_plane_bit(plane, bit, seat):
    return 64 * plane + (bit if seat == 0 else 34 - bit)


def evaluate(state, seat):
    total = material(state[0], state[2]) - material(state[1], state[2])
    return total if seat == 0 else -total


def gain(state, move):
    """Growth of the material by a jump, and by a man that becomes a king."""
    _, other, kings, _, _ = split(state)
    way = move // 35
    piece = ONE << np.uint64(move % 35)
    target = shift(piece, way)
    total = 0
    if target & other:
        total = 100
        if target & kings:
            total = 130
        target = shift(target, way)
    if target & FAR and not kings & piece:
        total += 30
    return total


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
    bit, way = move % 35, move // 35
    square, towards = number_square(bit), number_square(bit + STEPS[way])
    return f"{square}-{towards}" if square and towards else f"none-{bit}{'abcd'[way]}"


def read_move(text):
    for move in range(MOVES):
        bit, way = move % 35, move // 35
        squares = number_square(bit), number_square(bit + 2 * STEPS[way])
        if text in (name_move(move), f"{squares[0]}x{squares[1]}") and text != "0x0":
            return move
    return None
