"""What a page asks of an exported Connect Four bot where the second player may STEAL; see `page`.

A position is the board, as `choose` takes it, and behind it 1 if the first disc was stolen, or 0.
"""

from __future__ import annotations

from evolve_arena.games.connect_four.templates.bot import (
    COLUMNS,
    ROWS,
    landing_cell,
    wins,
)
from evolve_arena.games.connect_four.templates.page_mlp import weigh
from evolve_arena.games.connect_four.templates.steal import (
    VALUES_POSITIONS,
    choose,
    offers_steal,
)

# --- What a page asks ---------------------------------------------------------------------


def begin_page() -> list[int]:
    """The empty board."""
    return [0] * (COLUMNS * ROWS + 1)


def ask_board(position: list[int]) -> list[int]:
    """The board alone."""
    return position[: COLUMNS * ROWS]


def ask_seat(position: list[int]) -> int:
    """Whose turn it is."""
    return (sum(1 for owner in ask_board(position) if owner) + position[COLUMNS * ROWS]) % 2


def has_line(board: list[int]) -> bool:
    """Whether somebody has won."""
    return any(owner and wins(board, cell, owner) for cell, owner in enumerate(board))


def ask_moves(position: list[int]) -> list[int]:
    """The open columns, then STEAL; none once the game is over."""
    board = ask_board(position)
    if has_line(board):
        return []
    columns = [column for column in range(COLUMNS) if board[column] == 0]
    if offers_steal(board, 1 + ask_seat(position)):
        columns.append(COLUMNS)
    return columns


def ask_names(position: list[int]) -> list[str]:
    """What the legal moves are called."""
    names = []
    for move in ask_moves(position):
        if move == COLUMNS:
            names.append("STEAL")
        else:
            names.append(f"column {'0123456789abcdefghijklmnpqrstuvw'[move]}")
    return names


def play_on_page(position: list[int], move: int) -> list[int]:
    """The position after a move."""
    if move not in ask_moves(position):
        raise ValueError(f"{move!r} is no move here")
    after = list(position)
    if move == COLUMNS:
        after[after.index(1)] = 2
        after[COLUMNS * ROWS] = 1
    else:
        after[landing_cell(ask_board(position), move)] = 1 + ask_seat(position)
    return after


def ask_places(position: list[int]) -> list[int]:
    """The place of each seat once the game is over."""
    if not has_line(ask_board(position)):
        return [1, 1]
    return [2, 1] if ask_seat(position) == 0 else [1, 2]


def ask_bot(position: list[int]) -> int:
    """The move that the bot chooses."""
    return choose(ask_board(position), 1 + ask_seat(position))


def ask_values(position: list[int]) -> list[float]:
    """What the network thinks of each move, for who is to move."""
    board, mark = ask_board(position), 1 + ask_seat(position)
    moves = ask_moves(position)
    cells = {column: landing_cell(board, column) for column in moves if column != COLUMNS}
    values = weigh(board, mark, cells)
    if COLUMNS in moves:
        before = [0] * (COLUMNS * ROWS) if VALUES_POSITIONS else board
        values.append(weigh(before, mark, {COLUMNS: board.index(1)})[0])
    return values


def ask_pieces(position: list[int]) -> list[list[int]]:
    """Cell, owner and kind of each disc."""
    return [[cell, owner - 1, 0] for cell, owner in enumerate(ask_board(position)) if owner]


def ask_paths(position: list[int]) -> list[list[list[int]]]:
    """For each move what to click: any free cell of a column, that of its landing first.

    While STEAL is offered, it is the disc.
    """
    board, moves = ask_board(position), ask_moves(position)
    found = []
    for move in moves:
        if move == COLUMNS:
            found.append([[board.index(1)]])
        else:
            landing = landing_cell(board, move)
            others = [cell for cell in range(move, COLUMNS * ROWS, COLUMNS) if cell != landing]
            if COLUMNS in moves:
                others = [cell for cell in others if board[cell] == 0]
            found.append([[landing], *([cell] for cell in others)])
    return found
