"""English checkers: captures are compulsory, one jump a move; a piece that can jump on must do so.

Dark moves first, a man that is crowned stops there, and a player who has no move loses. A game is
drawn when a position occurs for the third time, or after 40 moves of each side without a capture or
a man's move. Source: the rules of the World Checkers Draughts Federation.

Square s is bit ``s - 1 + (s - 1) // 8`` of 35, so a step is a shift by 4 or 5 and edges need no
masks. In rows of five bits, neighbours on the board are neighbours, too: tuples are built on these
rows (WIDTH, SYMMETRY). A state is dark's pieces, light's, the kings, the player to move, and the
bit of the piece that must jump on, or -1. Move ``35 * way + bit`` is a step from a bit in one of
four ways, and ``140 + 35 * way + bit`` a jump.
"""

import math
import re

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

OPENSPIEL = "checkers"
BOARD = np.uint64(0x7FBFDFEFF)
FAR = np.uint64(0x78000000F)
CENTRE = np.uint64(0x0198CC00)
JUMPS = 4 * 35
MOVES = 2 * JUMPS
LONGEST = 1000
CELLS = 35
WIDTH = 5
SYMMETRY = "none"
PIECES = 2
PLANES = 4
POSITIONS = "data/exact_endings.csv"
PLANE_NAMES = ("own men", "own kings", "other's men", "other's kings")
STEPS = (4, 5, -5, -4)
ONE = np.uint64(1)
REPETITION = 3
NO_PROGRESS = 80
SIDES = ("dark", "light")
SIGNS = "bBwW"
MARKS = ("", "♛", "", "♛")
ENDINGS = ("the other player has no move", "a draw")
PLANE_VALUES = FEATURE_VALUES = (1.0, 1.5, -1.0, -1.5)
KING = 50
COUNTS = ("captures", "men in the centre", "kings in the centre", "centre squares in reach")
COUNTS += ("steps that threaten", "squares in reach", "covered ones of these", "safe ones of these")
MAX_PIECES = 4
CHOICES = np.array([[math.comb(n, k) for k in range(MAX_PIECES + 1)] for n in range(36)])
"""Numbers of ways to place k pieces on n squares."""
FEATURES = (
    *("own men", "own kings", "other's men", "other's kings"),
    *(f"{whose} {count}" for count in COUNTS for whose in ("own", "other's")),
)


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
    # Steps are legal only if there is no capture.
    if count == 0:
        for way in range(4):
            steps = find_kind(own, kings, turn, way) & shift(empty, 3 - way)
            count = write_moves(moves, count, steps, 35 * way)
    return count


def write_moves(moves, count, pieces, first):
    while pieces:
        moves[count] = first + lowest_bit(pieces)
        pieces &= pieces - ONE
        count += 1
    return count


def split(state):
    """Return the state with the pieces of the player to move first."""
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
    """Return the pieces that may go in a direction (*way*): all of them, or the kings."""
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
    """Return squares to jump from: one step before the other's pieces, two before free ones."""
    return shift(other & shift(empty, back), back)


def list_jumps(moves, pieces, other, kings, turn, empty):
    count = 0
    for way in range(4):
        jumpers = find_kind(pieces, kings, turn, way) & jump_over(other, empty, 3 - way)
        count = write_moves(moves, count, jumpers, JUMPS + 35 * way)
    return count


def play(state, move):
    own, other, kings, turn, chain = split(state)
    bit, way = move % 35, move // 35 % 4
    piece = ONE << np.uint64(bit)
    target = shift(piece, way)
    if move >= JUMPS:
        other ^= target
        kings &= ~target
        target = shift(target, way)
    # Crown a man on the last row, which ends its move.
    own ^= piece | target
    man = not kings & piece
    if not man:
        kings ^= piece | target
    crowned = man and target & FAR
    if crowned:
        kings |= target
    # The turn stays with a piece that can jump on.
    chain = -1
    after = 1 - turn
    empty = BOARD & ~(own | other)
    if move >= JUMPS and not crowned and find_jumpers(target, other, kings, turn, empty):
        chain = lowest_bit(target)
        after = turn
    if turn == 0:
        return own, other, kings, after, chain
    return other, own, kings, after, chain


def progress(state, move):
    """Return True for a jump or a man's move, after which no earlier position can recur."""
    return move >= JUMPS or not (state[2] >> np.uint64(move % 35)) & ONE


def result(state):
    own, other, kings, turn, _ = split(state)
    empty = BOARD & ~(own | other)
    if find_movers(own, kings, turn, empty) or find_jumpers(own, other, kings, turn, empty):
        return 2
    return -1 if turn == 0 else 1


def see(state, seat, planes):
    """Set own men, own kings, the other's men and kings; light sees the board turned round."""
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
    """List the bits of `see` that change: the piece leaves, may capture, and arrives."""
    kings, turn = state[2], state[3]
    bit, step = move % 35, STEPS[move // 35 % 4]
    first = 0 if turn == seat else 2
    king = np.int64((kings >> np.uint64(bit)) & ONE)
    listed[0] = ~find_plane_bit(first + king, bit, seat)
    count = 1
    target = bit + step
    if move >= JUMPS:
        taken = np.int64((kings >> np.uint64(target)) & ONE)
        listed[1] = ~find_plane_bit(2 - first + taken, target, seat)
        count = 2
        target += step
    king |= np.int64((FAR >> np.uint64(target)) & ONE)
    listed[count] = find_plane_bit(first + king, target, seat)
    return count + 1


def find_plane_bit(plane, bit, seat):
    return 64 * plane + (bit if seat == 0 else 34 - bit)


# Endgames, by numbers: kinds of material, each from its first number on; then the squares of men
# and kings as combinations, and the player to move. Fewer pieces, then fewer men come first, as
# no move leads back to more.


def list_materials():
    """List dark men, dark kings, light men and light kings of all endgames, in their order."""
    most = range(MAX_PIECES + 1)
    found = [(a, b, c, d) for a in most for b in most for c in most for d in most]
    found = [each for each in found if each[0] + each[1] and each[2] + each[3]]
    return sorted((m for m in found if sum(m) <= MAX_PIECES), key=lambda m: (sum(m), m[0] + m[2]))


MATERIALS = np.array(list_materials())
SIZES = [
    2 * math.comb(28, a) * math.comb(32, b) * math.comb(28, c) * math.comb(32, d)
    for a, b, c, d in MATERIALS.tolist()
]
ENDGAMES = tuple(zip(MATERIALS.sum(axis=1).tolist(), SIZES, strict=True))
FIRSTS = np.zeros((MAX_PIECES + 1,) * 4, dtype=np.int64)
FIRSTS[tuple(MATERIALS.T)] = np.cumsum([0, *SIZES[:-1]])
ENDS = np.cumsum(SIZES)


def endgame(state):
    dark, light, kings, turn, chain = state
    if chain >= 0 or not dark or not light or count_bits(dark | light) > MAX_PIECES:
        return -1
    men, crowned = dark & ~kings, dark & kings
    others, rivals = light & ~kings, light & kings
    number = append(append(0, men, 28, 0), crowned, 32, 0)
    number = append(append(number, others, 28, 4), rivals, 32, 0)
    material = count_bits(men), count_bits(crowned), count_bits(others), count_bits(rivals)
    return FIRSTS[material] + 2 * number + turn


def append(number, pieces, squares, lowest):
    """Return a *number* with that of a set of pieces behind it, on so many *squares*."""
    return number * CHOICES[squares, count_bits(pieces)] + rank(pieces, lowest)


def rank(pieces, lowest):
    """Return the number of a set of squares among those of equal size, from a *lowest* square."""
    number, count = 0, 0
    while pieces:
        bit = lowest_bit(pieces)
        pieces &= pieces - ONE
        count += 1
        number += CHOICES[bit - bit // 9 - lowest, count]
    return number


def endgame_state(number):
    """Return the position of a *number*; one without pieces if two would share a square."""
    material = 0
    while ENDS[material] <= number:
        material += 1
    men, crowned, others, rivals = MATERIALS[material]
    number -= FIRSTS[men, crowned, others, rivals]
    turn, number = number % 2, number // 2
    # The reverse of `append`: from the last set to the first
    number, last = divmod(number, CHOICES[32, rivals])
    number, third = divmod(number, CHOICES[28, others])
    number, second = divmod(number, CHOICES[32, crowned])
    kings = place(second, crowned, 0), place(last, rivals, 0)
    dark, light = place(number, men, 0) | kings[0], place(third, others, 4) | kings[1]
    if count_bits(dark | light) < men + crowned + others + rivals:
        return np.uint64(0), np.uint64(0), np.uint64(0), 0, -1
    return dark, light, kings[0] | kings[1], turn, -1


def place(number, count, lowest):
    """Return the set of *count* squares that :func:`rank` gives a *number*."""
    pieces = np.uint64(0)
    while count:
        square = count - 1
        while CHOICES[square + 1, count] <= number:
            square += 1
        number -= CHOICES[square, count]
        square += lowest
        pieces |= ONE << np.uint64(square + square // 8)
        count -= 1
    return pieces


def evaluate(state, seat):
    """Return the lead in material, with a king worth one and a half men."""
    total = weigh_pieces(state[0], state[2]) - weigh_pieces(state[1], state[2])
    return total if seat == 0 else -total


def weigh_pieces(pieces, kings):
    return 100 * count_bits(pieces) + KING * count_bits(pieces & kings)


def gain(state, move):
    """Return the growth of the evaluation by a capture and by crowning."""
    kings, way = state[2], move // 35 % 4
    piece = ONE << np.uint64(move % 35)
    target = shift(piece, way)
    total = 0
    if move >= JUMPS:
        total = 100 + KING * np.int64(target & kings != np.uint64(0))
        target = shift(target, way)
    if target & FAR and not kings & piece:
        total += KING
    return total


# Twenty numbers that describe a position, after A. L. Samuel, "Some studies in machine learning
# using the game of checkers", IBM Journal of Research and Development 3 (1959), appendix C, as
# Piotrowski (2004), section 4.3, lists them. They do not depend on the player to move: what a side
# can do is what it could do in its turn. Details that the text leaves open: to step is to move
# without a capture, even where one must capture; a piece that steps is threatened by, or threatens,
# captures that begin with it, crowned if it was crowned; each path of captures counts once.


def features(state, seat, out):
    own, other = (state[0], state[1]) if seat == 0 else (state[1], state[0])
    kings = state[2]
    out[0], out[1] = count_bits(own & ~kings), count_bits(own & kings)
    out[2], out[3] = count_bits(other & ~kings), count_bits(other & kings)
    if len(out) > 4:
        count_position(out, 4, own, other, kings, seat)
        count_position(out, 5, other, own, kings, 1 - seat)
    if len(out) > 14:
        count_mobility(out, 14, own, other, kings, seat)
        count_mobility(out, 15, other, own, kings, 1 - seat)


def count_position(out, at, own, other, kings, side):
    """Count captures, pieces in the centre, its squares in reach, and steps that threaten one."""
    empty = BOARD & ~(own | other)
    # A step may be made by a man or a king; a man on the last row is crowned.
    by_men, by_kings = find_reach(own & ~kings, kings, side, empty), np.uint64(0)
    if own & kings:
        by_kings = find_reach(own & kings, kings, side, empty)
    crowned = by_kings | (by_men & FAR)
    reached = by_men | by_kings
    out[at] = count_captures(own, other, kings, side, empty)
    out[at + 2] = count_bits(own & ~kings & CENTRE)
    out[at + 4] = count_bits(own & kings & CENTRE)
    out[at + 6] = count_bits((own | reached) & CENTRE)
    out[at + 8] = count_bits(reached & find_jumpers(reached, other, crowned, side, empty))


def find_reach(pieces, kings, side, empty):
    """Return the squares to which pieces can step."""
    reached = np.uint64(0)
    for way in range(4):
        reached |= shift(find_kind(pieces, kings, side, way), way)
    return reached & empty


def land(pieces, other, kings, side):
    """Return the squares on which jumps of pieces over the other's would end, free or not."""
    ends = np.uint64(0)
    for way in range(4):
        ends |= shift(shift(find_kind(pieces, kings, side, way), way) & other, way)
    return ends


def count_captures(own, other, kings, side, empty):
    """Count complete captures; paths are followed only if one may take several pieces."""
    ends = land(own, other, kings, side) & empty
    if not ends:
        return 0
    if land(ends, other, ends if own & kings else np.uint64(0), side) & empty:
        total, left = 0, find_jumpers(own, other, kings, side, empty)
        while left:
            piece = left & ~(left - ONE)
            left ^= piece
            total += count_paths(piece, other, kings & piece, side, empty | piece)
        return total
    # Without a second jump each jump is a whole capture.
    total = 0
    for way in range(4):
        ends = shift(shift(find_kind(own, kings, side, way), way) & other, way)
        total += count_bits(ends & empty)
    return total


def count_paths(piece, other, king, side, empty):
    """Count the captures that a piece can make from its square; one if it can make none."""
    if not land(piece, other, king, side) & empty:
        return 1
    total = 0
    for way in range(4):
        target = shift(shift(find_kind(piece, king, side, way), way) & other, way) & empty
        if target:
            left = other ^ shift(target, 3 - way)
            total += count_paths(target, left, target if king else np.uint64(0), side, empty)
    return total


def count_mobility(out, at, own, other, kings, side):
    """Count the squares in reach, those of them that are covered, and the rest.

    A square is covered if each piece that can step there could be captured for nothing: by a
    capture after which its side can't capture.
    """
    empty = BOARD & ~(own | other)
    reached = find_reach(own, kings, side, empty)
    # Only squares in danger can be covered; each is looked at by itself.
    left, covered = reached & find_danger(own, other, kings, side, empty), 0
    while left:
        target = left & ~(left - ONE)
        left ^= target
        covered += is_covered(target, own, other, kings, side)
    mobility = count_bits(reached)
    out[at], out[at + 2], out[at + 4] = mobility, covered, mobility - covered


def find_danger(own, other, kings, side, empty):
    """Return all squares on which a piece that stepped there could be captured, and some more."""
    danger = np.uint64(0)
    for way in range(4):
        # By the first jump, which ends on an empty square or where the piece came from
        free = empty | find_kind(own, kings, side, 3 - way)
        danger |= shift(find_kind(other, kings, 1 - side, way), way) & shift(free, 3 - way)
    # By a later one: the first is then over another piece. Among men no jump over another piece
    # that ends where one stood that stepped goes on over that one, which is behind.
    landing = empty | own if kings else empty
    ends = land(other, own, kings, 1 - side) & landing
    while ends:
        both = ends if other & kings else np.uint64(0)
        for way in range(4):
            danger |= shift(find_kind(ends, both, 1 - side, way), way)
        landing &= ~ends
        ends = land(ends, own, both, 1 - side) & landing
    return danger


def is_covered(target, own, other, kings, side):
    for way in range(4):
        origin = shift(target, 3 - way) & find_kind(own, kings, side, way)
        if origin and not is_lost(target, own ^ origin ^ target, other, kings, side):
            return 0
    return 1


def is_lost(piece, own, other, kings, side):
    """Return True if a piece can be captured so that its side can't capture at all afterwards.

    It does not matter whether it is a king, nor whether the capturing piece is crowned: neither
    takes part in the recapture.
    """
    empty = BOARD & ~(own | other)
    ends = land(other, own, kings, 1 - side) & empty
    if not ends:
        return False
    both = ends if other & kings else np.uint64(0)
    # No capture takes several pieces: try each jump over the piece.
    if not land(ends, own, both, 1 - side) & empty:
        for way in range(4):
            begin = shift(piece, 3 - way) & find_kind(other, kings, 1 - side, way)
            end = shift(piece, way) & empty
            if begin and end:
                after, left = other ^ begin ^ end, own ^ piece
                if not find_jumpers(left, after, kings, side, BOARD & ~(left | after)):
                    return True
        return False
    # Otherwise follow each path of jumps.
    left = find_jumpers(other, own, kings, 1 - side, empty)
    while left:
        jumper = left & ~(left - ONE)
        left ^= jumper
        if is_lost_to(jumper, kings & jumper, piece, own, other ^ jumper, kings & ~jumper, side):
            return True
    return False


def is_lost_to(jumper, king, piece, own, rest, kings, side):
    """Return the result of `is_lost` for captures by one jumper; *rest* are its side's others."""
    empty = BOARD & ~(own | rest | jumper)
    if not land(jumper, own, king, 1 - side) & empty:
        return not own & piece and not find_jumpers(own, rest | jumper, kings, side, empty)
    for way in range(4):
        over = shift(find_kind(jumper, king, 1 - side, way), way) & own
        target = shift(over, way) & empty
        if target:
            crown = target if king else np.uint64(0)
            if is_lost_to(target, crown, piece, own ^ over, rest, kings & ~over, side):
                return True
    return False


# Names and notation, for people


def number_bit(square):
    return square - 1 + (square - 1) // 8


def number_square(bit):
    """Return the square of a bit, from 1; 0 for a bit that is no square."""
    return bit + 1 - bit // 9 if 0 <= bit < 35 and bit % 9 != 8 else 0


def place_cell(bit):
    """Return column and row of a square; None for a bit that is no square."""
    square = number_square(bit) - 1
    return (2 * (square % 4) + 1 - square // 4 % 2, square // 4) if square >= 0 else None


def name_cell(bit):
    return str(number_square(bit))


def name_move(move):
    bit, step, jumps = move % 35, STEPS[move // 35 % 4], move >= JUMPS
    square, end = number_square(bit), number_square(bit + step * (1 + jumps))
    mark = "x" if jumps else "-"
    return f"{square}{mark}{end}" if square and end else f"none-{move}"


def read_move(text):
    """Return the step or jump between two squares, with any separator; None if there is none."""
    squares = re.sub("[-x:×, ]+", "-", text)
    moves = (move for move in range(MOVES) if name_move(move).replace("x", "-") == squares)
    return next(moves, None)


def name_turn(moves):
    """Return the names of a capture of several pieces: all its squares, or its ends."""
    squares = [name_move(move).split("x") for move in moves]
    path = [squares[0][0], *(end for _, end in squares)]
    return [mark.join(named) for mark in "x-" for named in (path, path[:: len(path) - 1])]


def read_position(text):
    """Return a position as PDN files write it, such as W:W21,K30:B1-4; None if it is none."""
    sides = re.fullmatch(
        r"([BW]):([BW][K0-9,-]*):([BW][K0-9,-]*)\.?", text.replace(" ", "").upper()
    )
    if not sides or sides[2][0] == sides[3][0]:
        return None
    pieces, kings = {"B": 0, "W": 0}, 0
    for part in sides.groups()[1:]:
        for king, first, last in re.findall("(K?)([0-9]+)(?:-([0-9]+))?", part):
            for square in range(int(first), int(last or first) + 1):
                bit = 1 << number_bit(square) if 1 <= square <= 32 else 0
                if not bit or (pieces["B"] | pieces["W"]) & bit:
                    raise ValueError(f"no piece can stand on square {square}, or two do")
                pieces[part[0]] |= bit
                kings |= bit if king else 0
    kings |= pieces["B"] & 0x780000000 | pieces["W"] & 0xF
    words = (np.uint64(word) for word in (pieces["B"], pieces["W"], kings))
    return *words, "BW".index(sides[1]), -1


def openspiel_move(state, move):
    """Return digits for row, column, way and jump; the board is turned round, dark below."""
    row, column = place_cell(move % 35)[::-1]
    way = (1, 0, 2, 3)[move // 35 % 4]
    return ((7 - row) * 8 + 7 - column) * 8 + 2 * way + (move >= JUMPS)
