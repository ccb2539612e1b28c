"""How a board of Connect Four is drawn at the table: the last disc and lines are marked."""

from __future__ import annotations

from evolve_arena.games.connect_four.game import ConnectFour, Position

MARKS = ".xo"
COLOURS = {1: "31", 2: "33"}
INDENT = "  "


def draw_board(
    game: ConnectFour, position: Position, last: int | None, *, colour: bool = False
) -> str:
    """The board as ``str(position)`` gives it, its columns numbered alike, with marks on it.

    Args:
        game: The rules.
        position: What lies on the board.
        last: The column of the last disc, which is put in brackets; None if there is none.
        colour: Whether discs are drawn in colour, with codes that terminals understand.

    Discs of a complete line are in upper case, and in colour reversed.

    >>> game = ConnectFour(4, 3, 3)
    >>> print(draw_board(game, game.parse_position("01122"), 2))
      . . . .
      . x[x].
      x o o .
      0 1 2 3
    """
    cells = position.cells()
    line = find_lines(game, position)
    top = None
    if last is not None:
        top = (int((cells[:, last] != 0).argmax()), last)
    rows = []
    for row in range(game.rules.rows):
        text = INDENT[:-1]
        for column in range(game.rules.columns):
            here, before = (row, column), (row, column - 1)
            text += "[" if here == top else "]" if before == top and column else " "
            text += _draw_cell(int(cells[here]), here in line, here == top, colour)
        rows.append(text + ("]" if top == (row, game.rules.columns - 1) else ""))
    numbers = " ".join(game.format_move(column) for column in range(game.rules.columns))
    return "\n".join([*rows, INDENT + numbers])


def find_lines(game: ConnectFour, position: Position) -> set[tuple[int, int]]:
    """The cells of all complete lines, as (row, column), row 0 on top."""
    columns, rows, connect = game.rules
    cells = position.cells()
    found: set[tuple[int, int]] = set()
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                run = [(row + n * down, column + n * right) for n in range(connect)]
                if all(r < rows and 0 <= c < columns for r, c in run):
                    owners = {int(cells[cell]) for cell in run}
                    if len(owners) == 1 and owners != {0}:
                        found.update(run)
    return found


def _draw_cell(owner: int, in_line: bool, is_last: bool, colour: bool) -> str:
    mark = MARKS[owner]
    if in_line:
        mark = mark.upper()
    if not colour or not owner:
        return mark
    codes = [COLOURS[owner]] + ["1"] * (in_line or is_last) + ["7"] * in_line
    return f"\x1b[{';'.join(codes)}m{mark}\x1b[0m"
