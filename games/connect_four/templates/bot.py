"""The outside of every exported Connect Four bot: the board, its rules, and how hosts ask it.

An exported file is made of the sections of this file and of one of its neighbours, in which
the network is, with a board and a network of its own in the first ones. A section begins with
a ruled line. The board that stands here only makes this file a module that tools can check.
Whatever is here must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from evolve_arena.games.connect_four.templates.mlp import TAKES_WINS, decide, see

# --- The board ----------------------------------------------------------------------------
COLUMNS, ROWS, CONNECT = 2, 1, 2
# --- How it plays -------------------------------------------------------------------------


def choose(board: Sequence[int], mark: int) -> int:
    """Returns the column, from 0, into which to drop a disc.

    board lists the cells row by row, the top row first: 0 is empty, 1 a disc of the player who
    began, 2 one of the other. mark is 1 or 2: whose turn it is.
    """
    if len(board) != COLUMNS * ROWS or mark not in (1, 2):
        raise ValueError(
            f"expected a board of {COLUMNS} columns and {ROWS} rows, and mark 1 or 2;"
            f" got {len(board)} cells and mark {mark!r}"
        )
    above = [disc and not below for disc, below in zip(board, board[COLUMNS:])]  # noqa: B905
    if min(board) < 0 or max(board) > 2 or any(above):
        raise ValueError("expected a board of 0, 1 and 2, and no disc above an empty cell")
    cells = {column: landing_cell(board, column) for column in range(COLUMNS) if board[column] == 0}
    if not cells:
        raise ValueError("the board is full")
    seen = see(board, mark)
    if TAKES_WINS:
        for column, cell in cells.items():
            if wins(board, cell, mark):
                return column
    return decide(seen, mark, cells)


def landing_cell(board: Sequence[int], column: int) -> int:
    """The cell on which a disc comes to lie in a column that has room."""
    return max(cell for cell in range(column, COLUMNS * ROWS, COLUMNS) if board[cell] == 0)


def wins(board: Sequence[int], cell: int, mark: int) -> bool:
    """Whether a disc of mark on that empty cell makes a line."""
    for down, right in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            row, column = cell // COLUMNS + sign * down, cell % COLUMNS + sign * right
            while 0 <= row < ROWS and 0 <= column < COLUMNS:
                if board[row * COLUMNS + column] != mark:
                    break
                length += 1
                row, column = row + sign * down, column + sign * right
        if length >= CONNECT:
            return True
    return False


# --- How a game is played -----------------------------------------------------------------


def start() -> tuple[list[int], int]:
    """Returns the state before the first move: the empty board, and the mark of who begins."""
    return [0] * (COLUMNS * ROWS), 1


def legal(state: tuple[list[int], int]) -> list[int]:
    """Returns the moves in a state; none once the game is over."""
    if result(state) is not None:
        return []
    return [column for column in range(COLUMNS) if state[0][column] == 0]


def play(state: tuple[list[int], int], move: int) -> tuple[list[int], int]:
    """Returns the state after a move."""
    board, mark = list(state[0]), state[1]
    if move not in legal(state):
        raise ValueError(f"there is no move {move!r} here")
    board[landing_cell(board, move)] = mark
    return board, 3 - mark


def result(state: tuple[list[int], int]) -> Any:
    """Returns None while the game goes on, else 1, 0 or -1 for each: won, drawn or lost."""
    board, mark = state
    last = 3 - mark
    if any(disc == last and wins(board, cell, last) for cell, disc in enumerate(board)):
        return (1, -1) if last == 1 else (-1, 1)
    return None if 0 in board else (0, 0)


# --- How hosts ask ------------------------------------------------------------------------


def play_on_stdin() -> None:
    """Plays by the text protocol of The AI Games or of Riddles.io, until the input ends."""
    settings: dict[str, str] = {}
    field = ""
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["settings"] and len(words) > 2:
            settings[words[1]] = words[2]
        elif words[:3] == ["update", "game", "field"] and len(words) > 3:
            field = words[3]
        elif words[:2] == ["action", "move"]:
            # Players are 1 and 2 where the host says field_columns (0 is an empty cell), but
            # 0 and 1 where it says field_width (a dot is an empty cell).
            shift = 1 if "field_width" in settings else 0
            cells = field.replace(";", ",").split(",")
            board = [0 if cell == "." else int(cell) + shift for cell in cells]
            mark = int(settings.get("your_botid", "-1")) + shift
            print("place_disc", choose(board, mark), flush=True)


def agent(observation: Any, configuration: Any = None) -> Any:
    """The agent for Kaggle, which takes the last function in this file.

    ConnectX wants a column; open_spiel_connect_four, which shows the lowest row first, wants it in
    a dictionary, and -1 if it is not this player's turn.
    """
    seen = observation if isinstance(observation, dict) else vars(observation)
    if "board" in seen:
        return choose(seen["board"], seen["mark"])
    if not seen.get("observationString") or seen["currentPlayer"] != seen["playerId"]:
        return {"submission": -1}
    try:
        rows = json.loads(seen["observationString"])["board"]
        board = [".xo".index(sign) for row in rows[::-1] for sign in row]
    except (LookupError, TypeError, ValueError):
        raise ValueError("the observationString holds no board") from None
    return {"submission": choose(board, 1 + seen["playerId"])}


if __name__ == "__main__":
    play_on_stdin()
