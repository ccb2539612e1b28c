"""Connect Four on words of bits, with accelerators: what the rules say, said faster.

Bit ``7 * column + row`` is a cell, row 0 at the bottom.
"""

import numpy as np

from evolve_arena.core.bits import lowest_bit

U = np.uint64
MOVES = 7
LONGEST = 42
BOTTOM = U(0x40810204081)
TOP = U(0x810204081020)
INSIDE = U(0xFDFBF7EFDFBF)
LINES = (
    *(3, 4, 5, 5, 4, 3, 0),
    *(4, 6, 8, 8, 6, 4, 0),
    *(5, 8, 11, 11, 8, 5, 0),
    *(7, 10, 13, 13, 10, 7, 0),
    *(5, 8, 11, 11, 8, 5, 0),
    *(4, 6, 8, 8, 6, 4, 0),
    *(3, 4, 5, 5, 4, 3, 0),
)
"""Lines through each cell."""
GATHER = U(sum(1 << 36 - 6 * column for column in range(7)))
"""What brings the bits of TOP, times this, to the places from 41 on."""
PLANES, CELLS, WIDTH = 2, 49, 7
ONLY_WINS = True


def start():
    return U(0), U(0), 0  # whose turn it is, the other, and how many discs there are


def to_move(state):
    return state[2] & 1


def legal(state, moves):
    discs, count = state[0] | state[1], 0
    if not discs & TOP:  # the usual case: no column is full
        for column in range(7):
            moves[column] = column
        return 7
    for column in range(7):
        moves[count] = column
        count += not (discs >> U(7 * column + 5)) & U(1)
    return count


def legal_bits(state):
    full = ((state[0] | state[1]) & TOP) * GATHER >> U(41)
    return ~full & U(127)


def play(state, move):
    own, other, discs = state
    shift = U(7 * move)
    disc = ((own | other) + (U(1) << shift)) & (U(63) << shift)
    return other, own | disc, discs + 1


def result(state):
    own, lines = state[1], U(0)
    for step in (U(1), U(6), U(7), U(8)):
        pairs = own & (own >> step)
        lines |= pairs & (pairs >> (step + step))
    if lines:
        return 2 * (state[2] & 1) - 1
    return 0 if state[2] == 42 else 2


def see(state, seat, planes):
    mine = seat == state[2] & 1
    planes[0] = state[0] if mine else state[1]
    planes[1] = state[1] if mine else state[0]


def wins(state, moves):
    discs, count = state[0] | state[1], 0
    cells = complete_lines(state[0]) & (discs + BOTTOM) & INSIDE
    while cells:
        column = lowest_bit(cells) // 7
        moves[count] = column
        count += 1
        cells &= cells - U(1)
    return count


def complete_lines(own):
    """Cells, free or not, on which one more disc completes a line."""
    found = (own << U(1)) & (own << U(2)) & (own << U(3))
    for step in (U(6), U(7), U(8)):
        pair = (own << step) & (own << (step + step))
        found |= pair & ((own << (step + step + step)) | (own >> step))
        pair = (own >> step) & (own >> (step + step))
        found |= pair & ((own >> (step + step + step)) | (own << step))
    return found


def safe(state, moves):
    discs, count = state[0] | state[1], 0
    free = (discs + BOTTOM) & INSIDE
    threats = complete_lines(state[1]) & INSIDE
    forced = free & threats
    if forced & (forced - U(1)):
        return 0
    cells = (forced or free) & ~(threats >> U(1))
    while cells:
        moves[count] = lowest_bit(cells) // 7
        count += 1
        cells &= cells - U(1)
    return count


def evaluate(state, seat):
    own, other = state[0], state[1]
    value = 0
    while own:
        value += LINES[lowest_bit(own)]
        own &= own - U(1)
    while other:
        value -= LINES[lowest_bit(other)]
        other &= other - U(1)
    return value if seat == state[2] & 1 else -value


def gain(state, move):
    discs, shift = state[0] | state[1], U(7 * move)
    return LINES[lowest_bit((discs + (U(1) << shift)) & (U(63) << shift))]


def key(state):
    return (state[0] | state[1]) + BOTTOM | state[0]


def changes(state, move, seat, bits):
    discs, shift = state[0] | state[1], U(7 * move)
    bit = lowest_bit((discs + (U(1) << shift)) & (U(63) << shift))
    bits[0] = bit if seat == state[2] & 1 else 64 + bit
    return 1
