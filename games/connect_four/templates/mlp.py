"""The inside of exported bots that are multilayer perceptrons; see `bot`.

The network that stands here (a board of two cells, all weights zero) only makes this file a
module that tools can check. It must stay free of everything but Python 3.8 and its standard
library.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from operator import add
from struct import unpack

from evolve_arena.runs.export.templates.mlp import HEAD, UNITS, evaluate

# --- The network --------------------------------------------------------------------------
TAKES_WINS = False
VIEWPOINT = "mover"
CELLS = 2
FIRST_LAYER = """
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
"""
# --- How the network decides --------------------------------------------------------------


def see(board: Sequence[int], mark: int) -> list[int]:
    """The first layer's sums for this board: whole numbers, in units of 1/65536."""
    sums = BIASES
    for cell, owner in enumerate(board):
        if owner:
            sums = list(map(add, sums, disc_weights(cell, owner, mark)))
    return sums


def decide(seen: list[int], mark: int, cells: Mapping[int, int]) -> int:
    """One of the open columns; cells says on which cell a disc in each of them comes to lie."""
    if HEAD == "policy":
        return strongest(evaluate(seen), list(cells))
    best, best_value = -1, 0.0
    for column, cell in cells.items():
        weights = MOVES[column] if HEAD == "action" else disc_weights(cell, mark, mark)
        value = evaluate(list(map(add, seen, weights)))[0]
        if best < 0 or value > best_value:
            best, best_value = column, value
    return best


def disc_weights(cell: int, owner: int, mark: int) -> list[int]:
    """What a disc of owner adds to the first layer when mark is to move."""
    kind = owner != mark if VIEWPOINT == "mover" else owner == 2
    return DISCS[len(DISCS) // 2 * kind + cell]


def strongest(outputs: list[float], columns: list[int]) -> int:
    """The first of the given columns with the largest output.

    The order of comparisons matters only if an output is not a number: as in the arena.
    """
    lowest = float("-inf")
    tops = [outputs[place] if place in columns else lowest for place in range(16)]
    while len(tops) > 1:
        half = len(tops) // 2
        tops = [tops[i] if tops[i] > tops[i + half] else tops[i + half] for i in range(half)]
    return next((column for column in columns if outputs[column] == tops[0]), columns[0])


def unpack_first_layer() -> tuple[list[int], list[list[int]], list[list[int]]]:
    """Biases; the weights of a disc on each cell: kind 0 (own, or first), then kind 1; of a move.

    Only networks that score moves have the last ones.
    """
    data = b64decode(FIRST_LAYER)
    numbers = list(unpack(f"<{len(data) // 4}i", data))
    units = UNITS[0]
    rows = [numbers[i : i + units] for i in range(0, len(numbers), units)]
    moves = 1 + 2 * CELLS
    return rows[0], rows[1:moves], rows[moves:]


BIASES, DISCS, MOVES = unpack_first_layer()
