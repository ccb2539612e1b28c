"""Connect Four, and four in a row on other boards: discs drop into columns, a line of four wins.

Cell ``HEIGHT * column + row`` is a bit, row 0 at the bottom. If there is room in a word, each
column has an extra bit on top that stays empty, so that no line runs from one column into the next;
else LINE_STARTS says where lines may begin. A state is the discs of the player to move, those of
the other, and the number of discs. A move is the number of a column.
"""

import re

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit

COLUMNS = 7
"""Columns of the board, which has 64 cells at most."""
ROWS = 6
"""Rows of the board."""
CONNECT = 4
"""Discs in a row that win."""
LONGEST = COLUMNS * ROWS
OPTIONS = {"COLUMNS": range(1, 33), "ROWS": range(1, 33), "CONNECT": range(2, 33)}
if LONGEST > 64:
    raise ValueError(f"{COLUMNS} columns of {ROWS} rows: columns * rows must be 64 at most")
if max(COLUMNS, ROWS) < CONNECT:
    raise ValueError(f"connect is {CONNECT}: no line fits on {COLUMNS} columns of {ROWS} rows")
IS_STANDARD = COLUMNS == 7 and ROWS == 6 and CONNECT == 4
OPENSPIEL = f"connect_four(rows={ROWS},columns={COLUMNS},x_in_row={CONNECT})"
PETTINGZOO = "connect_four_v3" if IS_STANDARD else ""
SITES = "evolve_arena.games.connect_four.sites"
PLAYERS = ("test_bot",)
POSITIONS = ("data/concept_states.csv", "data/exact_positions.csv")
OPPONENTS = ("test-bot", "random")
ENDINGS = (f"{CONNECT} in a row", "the board is full")
MOVES = COLUMNS
MOVE_FEATURES = ("column",)
HEIGHT = ROWS + (COLUMNS * (ROWS + 1) <= 64)
CELLS, WIDTH, PLANES = COLUMNS * HEIGHT, HEIGHT, 2
SYMMETRY = "mirror"
STACKS = True
SHAPE = "round"
ONLY_WINS = True
ONE, ALL = np.uint64(1), 2**64 - 1
BOTTOM = np.uint64(sum(1 << HEIGHT * column for column in range(COLUMNS)))
BOARD = np.uint64(sum((1 << ROWS) - 1 << HEIGHT * column for column in range(COLUMNS)))


def find_lines():
    """Return the cells of each line, by direction: up first, then to the right."""
    lines = []
    for right, up in ((0, 1), (1, -1), (1, 0), (1, 1)):
        rows = [r for r in range(ROWS) if 0 <= r + up * (CONNECT - 1) < ROWS]
        columns = [c for c in range(COLUMNS) if c + right * (CONNECT - 1) < COLUMNS]
        first = [HEIGHT * c + r for c in columns for r in rows]
        lines.append([[c + k * (HEIGHT * right + up) for k in range(CONNECT)] for c in first])
    return lines


def count_lines():
    """Return the number of lines through each cell."""
    counts = [0] * CELLS
    for lines in find_lines():
        for line in lines:
            for cell in line:
                counts[cell] += 1
    return counts


def mark_starts(lines):
    """Return the cells where lines begin; all bits if columns are separated by an empty bit."""
    return ALL if HEIGHT > ROWS else sum(1 << line[0] for line in lines)


def find_spans():
    """Return the shifts that lengthen a run to a whole line, doubling it as long as possible."""
    spans, length = [], 1
    while length < CONNECT:
        spans.append(min(length, CONNECT - length))
        length += spans[-1]
    return tuple(spans)


LINES = np.array(count_lines())
WAYS = tuple(lines for lines in find_lines() if lines)  # elsewhere shifts could be of 64 and more
STEPS = tuple(lines[0][1] - lines[0][0] for lines in WAYS)
LINE_STARTS = tuple(np.uint64(mark_starts(lines)) for lines in WAYS)
STACK_STARTS = np.uint64(mark_starts(find_lines()[0]))
SPANS = find_spans()
TOP = BOTTOM << np.uint64(ROWS - 1)
ROWS_OF_SEATS = tuple(np.uint64(sum(int(BOTTOM) << r for r in range(s, ROWS, 2))) for s in (0, 1))
"""Cells on the first, third, fifth row from below, and on the others."""
COUNTS = ("wins at once", "later wins on rows of that seat", "later wins on other rows")
COUNTS += ("wins above one another", "lines that lack two discs", "lines through discs")
FEATURES = tuple(f"{whose} {count}" for count in COUNTS for whose in ("own", "other's"))


def start():
    return np.uint64(0), np.uint64(0), 0


def to_move(state):
    return state[2] & 1


def legal(state, moves):
    discs, count = state[0] | state[1], 0
    if not discs & TOP:  # the usual case: no column is full
        for column in range(COLUMNS):
            moves[column] = column
        return COLUMNS
    for column in range(COLUMNS):
        moves[count] = column
        count += not (discs >> np.uint64(HEIGHT * column + ROWS - 1)) & ONE
    return count


def legal_bits(state):
    discs, found = state[0] | state[1], np.uint64(0)
    for column in range(COLUMNS):
        top = (discs >> np.uint64(HEIGHT * column + ROWS - 1)) & ONE
        found |= (top ^ ONE) << np.uint64(column)
    return found


def find_cell(discs, column):
    """Return the bit on which a disc comes to rest in a column that has room."""
    shift = np.uint64(HEIGHT * column)
    return (discs + (ONE << shift)) & (np.uint64((1 << ROWS) - 1) << shift)


def play(state, move):
    own, other, discs = state
    return other, own | find_cell(own | other, move), discs + 1


def result(state):
    if has_line(state[1]):
        return 2 * (state[2] & 1) - 1
    return 0 if state[2] == LONGEST else 2


def has_line(discs):
    found = np.uint64(0)
    for way in range(len(STEPS)):
        # Each shift doubles the run whose first cell a bit is, until it spans a line.
        run = discs
        for span in SPANS:
            run &= run >> np.uint64(STEPS[way] * span)
        found |= run & LINE_STARTS[way]
    return found != np.uint64(0)


def find_gaps(discs):
    """Return the cells, free or not, on which one more disc completes a line."""
    found = np.uint64(0)
    for way in range(len(STEPS)):
        for gap in range(CONNECT):
            # Lines that have discs in all places but the gap.
            starts = LINE_STARTS[way]
            for place in range(CONNECT):
                if place != gap:
                    starts &= discs >> np.uint64(STEPS[way] * place)
            found |= starts << np.uint64(STEPS[way] * gap)
    return found & BOARD


def see(state, seat, planes):
    mine = seat == state[2] & 1
    planes[0] = state[0] if mine else state[1]
    planes[1] = state[1] if mine else state[0]


def changes(state, move, seat, bits):
    cell = lowest_bit(find_cell(state[0] | state[1], move))
    bits[0] = cell if seat == state[2] & 1 else 64 + cell
    return 1


def describe_move(state, move, seat, out):
    out[0] = move


def find_free(discs):
    """Return the free cells on which a disc may come to rest."""
    if HEIGHT > ROWS:
        return (discs + BOTTOM) & BOARD
    return ((discs << ONE) | BOTTOM) & BOARD & ~discs


def write_columns(cells, moves):
    count = 0
    while cells:
        moves[count] = lowest_bit(cells) // HEIGHT
        cells &= cells - ONE
        count += 1
    return count


def wins(state, moves):
    return write_columns(find_gaps(state[0]) & find_free(state[0] | state[1]), moves)


def safe(state, moves):
    """List the columns after which the other can't win at once."""
    free, threats = find_free(state[0] | state[1]), find_gaps(state[1])
    forced = free & threats
    # Two threats can't be met with one disc.
    if forced & (forced - ONE):
        return 0
    # One threat must be met; and no disc may support a winning one of the other's.
    return write_columns((forced or free) & ~((threats & ~BOTTOM) >> ONE), moves)


def evaluate(state, seat):
    """Return the lead in the number of lines that run through discs.

    Löfroth and Dalenius (2011), section 3.4.2, who took it from Stenmark.
    """
    value = weigh_discs(state[0]) - weigh_discs(state[1])
    return value if seat == state[2] & 1 else -value


def weigh_discs(discs):
    value = 0
    while discs:
        value += LINES[lowest_bit(discs)]
        discs &= discs - ONE
    return value


def gain(state, move):
    return LINES[lowest_bit(find_cell(state[0] | state[1], move))]


def features(state, seat, out):
    """Count what each player can complete, and where.

    If both fill columns in turn, the first player gets the cells on the first, third and fifth row
    from below, the second player the others. Source: Allis, A Knowledge-Based Approach of
    Connect-Four, Vrije Universiteit Amsterdam (1988).
    """
    mine = seat == state[2] & 1
    own, other = (state[0], state[1]) if mine else (state[1], state[0])
    count_chances(out, 0, own, other, ROWS_OF_SEATS[seat])
    count_chances(out, 1, other, own, ROWS_OF_SEATS[1 - seat])


def count_chances(out, at, own, other, rows):
    empty, free = BOARD & ~(own | other), find_free(own | other)
    gaps = find_gaps(own) & empty
    out[at] = count_bits(gaps & free)
    out[at + 2] = count_bits(gaps & ~free & rows)
    out[at + 4] = count_bits(gaps & ~free & ~rows)
    out[at + 6] = count_bits(gaps & (gaps << ONE) & ~BOTTOM)
    out[at + 8] = count_pairs(own, empty) / 10
    out[at + 10] = weigh_discs(own) / 100


def count_pairs(discs, empty):
    """Count the lines that lack two discs and have room for them."""
    count = 0
    for way in range(len(STEPS)):
        for second in range(1, CONNECT):
            for first in range(second):
                starts = LINE_STARTS[way]
                for place in range(CONNECT):
                    cells = empty if place in (first, second) else discs
                    starts &= cells >> np.uint64(STEPS[way] * place)
                count += count_bits(starts)
    return count


def key(state):
    if HEIGHT > ROWS:
        return (state[0] | state[1]) + BOTTOM | state[0]
    return state[0] * np.uint64(0x9E3779B97F4A7C15) ^ state[1] * np.uint64(0xC2B2AE3D27D4EB4F)


def test_bot(state, moves, count, random):
    """Complete or block an upright line that is one short, else play at random.

    Of several such columns it takes the leftmost, first of its own stacks. Source: Dragan and Izert
    (2016).
    """
    free = find_free(state[0] | state[1])
    # First complete an own line, then block one of the other's.
    for discs in (state[0], state[1]):
        run = discs
        for place in range(1, CONNECT - 1):
            run &= discs >> np.uint64(place)
        cells = ((run & STACK_STARTS) << np.uint64(CONNECT - 1)) & free
        if cells:
            return lowest_bit(cells) // HEIGHT
    return moves[random % count]


# Names and drawings, for people


def place_cell(cell):
    """Return column and row of a cell, the top row first; None for the bit on top of a column."""
    column, row = divmod(cell, HEIGHT)
    return (column, ROWS - 1 - row) if row < ROWS else None


DIGITS = "0123456789abcdefghijklmnpqrstuvwyz"
"""Names of columns; x and o stand for discs in drawings."""


def name_move(move):
    return DIGITS[move]


def name_cell(cell):
    return f"{DIGITS[cell // HEIGHT]}{cell % HEIGHT + 1}"


def read_position(text):
    """Return the state of a drawing, the top row first; None if it has no signs of cells."""
    bare = re.sub(r"[\s/|]", "", text.lower())
    if not re.search("[xo._-]", bare):
        return None
    if len(bare) != COLUMNS * ROWS or re.search("[^xo._-]", bare):
        raise ValueError(f"a drawing has {COLUMNS * ROWS} cells, which are x, o or .")
    first, second = (np.uint64(mark_discs([mark == side for mark in bare])) for side in "xo")
    counts = [bare.count(side) for side in "xo"]
    if counts[0] - counts[1] not in (0, 1):
        raise ValueError(f"{counts[0]} discs of x and {counts[1]} of o: x begins, in turn")
    if (first | second) & ~(((first | second) << ONE) | BOTTOM):
        raise ValueError("a disc floats above an empty cell")
    own, other = (second, first) if sum(counts) & 1 else (first, second)
    if has_line(own):
        raise ValueError(f"{'xo'[sum(counts) & 1]} is to move, but has a line already")
    return own, other, sum(counts)


def mark_discs(cells):
    """Return the bits of the cells with a disc, of all cells row by row from the top."""
    marked = [divmod(place, COLUMNS) for place, disc in enumerate(cells) if disc]
    return sum(1 << HEIGHT * column + ROWS - 1 - row for row, column in marked)


def pettingzoo_state(first, second, turn):
    """Return the state of PettingZoo's board: the cells of each player, and the player to move."""
    discs = [mark_discs(first), mark_discs(second)]
    return discs[turn], discs[1 - turn], sum(first) + sum(second)
