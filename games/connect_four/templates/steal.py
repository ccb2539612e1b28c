"""What exported Connect Four bots decide where the second player may STEAL; see `bot`.

The move STEAL has the number COLUMNS. In these bots `choose` of `bot` is called `choose_column`.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.games.connect_four.templates.bot import COLUMNS, ROWS, landing_cell
from evolve_arena.games.connect_four.templates.bot import choose as choose_column
from evolve_arena.games.connect_four.templates.bot import legal as legal_columns
from evolve_arena.games.connect_four.templates.bot import play as play_column
from evolve_arena.games.connect_four.templates.page_mlp import weigh

VALUES_POSITIONS = True
# --- How it steals ------------------------------------------------------------------------


def choose(board: Sequence[int], mark: int) -> int:
    """Returns the column, from 0, into which to drop a disc, or COLUMNS for STEAL.

    board lists the cells row by row, the top row first: 0 is empty, 1 a disc of the player who
    began, 2 one of the other. mark is 1 or 2: whose turn it is.
    """
    if offers_steal(board, mark) and prefers_steal(board, mark):
        return COLUMNS
    return choose_column(board, mark)


def offers_steal(board: Sequence[int], mark: int) -> bool:
    """Whether the second player is to make the first move of his own."""
    return mark == 2 and 2 not in board and 1 in board


def prefers_steal(board: Sequence[int], mark: int) -> bool:
    """Whether the network thinks more of STEAL than of each column.

    What it is worth to own the one disc is what a disc there is worth on the empty board; networks
    that value moves say it of STEAL as of any move.
    """
    disc = next(cell for cell, owner in enumerate(board) if owner)
    before = [0] * (COLUMNS * ROWS) if VALUES_POSITIONS else list(board)
    stolen = order(weigh(before, mark, {COLUMNS: disc})[0])
    cells = {column: landing_cell(board, column) for column in range(COLUMNS) if board[column] == 0}
    return all(stolen > order(value) for value in weigh(list(board), mark, cells))


def order(value: float) -> float:
    """The value; what is no number is worse than any."""
    return value if value == value else float("-inf")  # noqa: PLR0124


# --- How a game is played -----------------------------------------------------------------


def legal(state: tuple[list[int], int]) -> list[int]:
    """Returns the moves in a state, of which COLUMNS is STEAL; none once the game is over."""
    return legal_columns(state) + [COLUMNS] * offers_steal(*state)


def play(state: tuple[list[int], int], move: int) -> tuple[list[int], int]:
    """Returns the state after a move."""
    if move == COLUMNS and offers_steal(*state):
        return [2 * disc for disc in state[0]], 1
    return play_column(state, move)
