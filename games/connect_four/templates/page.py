"""What a page asks of an exported Connect Four bot; see `bot`, whose sections precede these.

A position is the board, as `choose` takes it.
"""

from __future__ import annotations

from evolve_arena.games.connect_four.templates.bot import (
    COLUMNS,
    ROWS,
    choose,
    landing_cell,
    wins,
)
from evolve_arena.games.connect_four.templates.page_mlp import weigh

# --- What a page asks ---------------------------------------------------------------------


def begin_page() -> list[int]:
    """The empty board."""
    return [0] * (COLUMNS * ROWS)


def ask_seat(board: list[int]) -> int:
    """Whose turn it is."""
    return sum(1 for owner in board if owner) % 2


def has_line(board: list[int]) -> bool:
    """Whether somebody has won."""
    return any(owner and wins(board, cell, owner) for cell, owner in enumerate(board))


def ask_moves(board: list[int]) -> list[int]:
    """The open columns; none once the game is over."""
    if has_line(board):
        return []
    return [column for column in range(COLUMNS) if board[column] == 0]


def ask_names(board: list[int]) -> list[str]:
    """What the legal moves are called."""
    return [f"column {'0123456789abcdefghijklmnpqrstuvw'[column]}" for column in ask_moves(board)]


def play_on_page(board: list[int], column: int) -> list[int]:
    """The board after a move."""
    if column not in ask_moves(board):
        raise ValueError(f"no disc may be dropped into column {column!r}")
    after = list(board)
    after[landing_cell(board, column)] = 1 + ask_seat(board)
    return after


def ask_places(board: list[int]) -> list[int]:
    """The place of each seat once the game is over."""
    if not has_line(board):
        return [1, 1]
    return [2, 1] if ask_seat(board) == 0 else [1, 2]


def ask_bot(board: list[int]) -> int:
    """The column that the bot chooses."""
    return choose(board, 1 + ask_seat(board))


def ask_values(board: list[int]) -> list[float]:
    """What the network thinks of each open column, for who is to move."""
    cells = {column: landing_cell(board, column) for column in ask_moves(board)}
    return weigh(board, 1 + ask_seat(board), cells)


def ask_pieces(board: list[int]) -> list[list[int]]:
    """Cell, owner and kind of each disc."""
    return [[cell, owner - 1, 0] for cell, owner in enumerate(board) if owner]


def ask_paths(board: list[int]) -> list[list[list[int]]]:
    """For each open column the cell on which the disc comes to lie, then its other cells."""
    found = []
    for column in ask_moves(board):
        landing = landing_cell(board, column)
        others = [cell for cell in range(column, COLUMNS * ROWS, COLUMNS) if cell != landing]
        found.append([[landing], *([cell] for cell in others)])
    return found
