"""The inside of exported bots that are NEAT graphs; see `bot`.

The network that stands here (a board of two cells, two outputs) only makes this file a module
that tools can check. It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evolve_arena.runs.export.templates.graph import activate, comparable

# --- The network --------------------------------------------------------------------------
HEAD = "policy"
TAKES_WINS = False
VIEWPOINT = "mover"
RECURRENT = False
INPUTS, SLOTS = 2, 4
DISCS = [(0, 1.0), (0, 2.0)]
# --- How the network decides --------------------------------------------------------------

BOARDS: dict[int, list[int]] = {}
PLANES: dict[int, list[float]] = {}


def see(board: Sequence[int], mark: int) -> list[float]:
    """The plane that the network starts from: the board, and what it remembers."""
    plane = recall(board, mark)
    for cell, owner in enumerate(board):
        if owner:
            show_disc(plane, cell, owner, mark)
    return plane


def decide(seen: list[float], mark: int, cells: Mapping[int, int]) -> int:
    """One of the open columns; cells says on which cell a disc in each of them comes to lie."""
    if HEAD == "policy":
        PLANES[mark] = plane = activate(seen)
        return max(cells, key=lambda column: comparable(plane[INPUTS + column]))
    tried = {}
    for column, cell in cells.items():
        after = list(seen)
        show_disc(after, cell, mark, mark)
        tried[column] = activate(after)
    best = max(tried, key=lambda column: comparable(tried[column][INPUTS]))
    PLANES[mark] = tried[best]
    return best


def recall(board: Sequence[int], mark: int) -> list[float]:
    """A plane without inputs: the values that a recurrent network's nodes had last, else 0.

    It remembers its own moves in one game. If all discs still lie where they lay when it last
    chose for this mark, and each player has put one more, the game goes on; any other board
    begins another game.
    """
    last = BOARDS.get(mark, board)
    changes = sorted((last[cell], now) for cell, now in enumerate(board) if now != last[cell])
    goes_on = changes == [(0, 1), (0, 2)]
    BOARDS[mark] = list(board)
    if not (RECURRENT and goes_on):
        PLANES[mark] = [0.0] * SLOTS
    return [0.0] * INPUTS + PLANES[mark][INPUTS:]


def show_disc(plane: list[float], cell: int, owner: int, mark: int) -> None:
    """Sets the input for a disc of owner when mark is to move."""
    first, number = DISCS[owner != mark if VIEWPOINT == "mover" else owner == 2]
    plane[first + cell] = number
