"""The inside of exported checkers bots that are value networks; see `checkers`.

The network that stands here (one hidden unit, all weights zero) only makes this file a module
that tools can check. It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from base64 import b64decode
from struct import unpack

from evolve_arena.games.checkers.templates.rules import FAR_ROWS, bit_of
from evolve_arena.runs.export.templates.mlp import evaluate

# --- The player ---------------------------------------------------------------------------
HEAD = "value"
ACTIVATION = "tanh"
UNITS = (1, 1)
FIRST_LAYER = """
"""
LATER_LAYERS = """
"""
SCALE = {"sigmoid": -1.4426950216293335, "tanh": -2.885390043258667}
POLYNOMIAL: tuple[float, ...] = (1.0,)
# --- How it values positions --------------------------------------------------------------

# The first layer is kept while looking ahead: for each unit a sum, in units of 1/65536, of what
# all pieces add. All sums together are one whole number, of which each has 32 bits, so that a
# piece comes or goes by a single addition. Light's board is turned round: whoever looks ahead
# sees its own men going to higher squares.

ENDS = sum(1 << (32 * unit + 31) for unit in range(UNITS[0]))
LARGEST = float(1 << 39)


def begin(own: int, other: int, kings: int, side: int) -> int:
    """The sums of a position in the eyes of the player to move."""
    planes, sums = PLANES[side], BIASES
    kinds = (own & ~kings, own & kings, other & ~kings, other & kings)
    for number, pieces in enumerate(kinds):
        for piece, column in planes[number].items():
            sums += column if pieces & piece else 0
    return sums


def follow(sums: int, kings: int, side: int, searcher: int, move: tuple[int, ...]) -> int:
    """The sums after a move of side; the kings are those before it."""
    planes = PLANES[searcher]
    men, crowned = planes[:2] if side == searcher else planes[2:]
    captured, origin, target = move[0], move[1], move[-1]
    if kings & origin:
        sums += crowned[target] - crowned[origin]
    else:
        sums += (crowned if target & FAR_ROWS else men)[target] - men[origin]
    if captured:
        men, crowned = planes[2:] if side == searcher else planes[:2]
        while captured:
            piece = captured & -captured
            captured ^= piece
            sums -= (crowned if kings & piece else men)[piece]
    return sums


def value_board(own: int, other: int, kings: int, side: int, searcher: int, sums: int) -> int:
    """What the position is worth to the player to move, in units of 2**-20.

    searcher, dark (0) or light (1), is the player who looks ahead and in whose eyes it is worth
    that.
    """
    # The highest bit of each sum is turned over, then they follow one another as 32 bits do.
    parts = ((sums + ENDS) ^ ENDS).to_bytes(4 * UNITS[0], "little")
    output = evaluate(list(unpack(UNPACKING, parts)))[0] * (1 << 20)
    if not abs(output) <= LARGEST:
        output = LARGEST if output > 0.0 else -LARGEST if output < 0.0 else 0.0
    return round(output) if side == searcher else -round(output)


def unpack_planes() -> tuple[int, list[list[dict[int, int]]]]:
    """Biases, and what each kind of piece on each square adds, for dark and for light.

    The kinds are own men, own kings, the other's men, the other's kings.
    """
    data = b64decode(FIRST_LAYER)
    numbers = unpack(f"<{len(data) // 4}i", data)
    units = UNITS[0]
    columns = [
        sum(number << (32 * unit) for unit, number in enumerate(numbers[at : at + units]))
        for at in range(0, len(numbers), units)
    ]
    planes: list[list[dict[int, int]]] = [[], []]
    for at in range(1, len(columns), 32):
        plane = columns[at : at + 32]
        planes[0].append({bit_of(1 + number): column for number, column in enumerate(plane)})
        planes[1].append({bit_of(32 - number): column for number, column in enumerate(plane)})
    return columns[0] if columns else 0, planes


UNPACKING = f"<{UNITS[0]}i"
BIASES, PLANES = unpack_planes()
