"""How people at a terminal see Connect Four and talk about its moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import (
    IllegalMoveError,
    PositionError,
    one_line,
)
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import STEAL, ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.players.text_ui import TextUI, shorten


class ConnectFourText(TextUI):
    """The players are x and o; moves are columns, ``3``."""

    ENTRY = re.compile(r"(?:column|col)?[\s:#=(]*(\w{1,20})[\s.,;!)]*", re.IGNORECASE)
    sides = ("x", "o")
    greeting = "The number of a column drops a disc there."
    meanings: ClassVar[Mapping[str, str]] = {"values": "what a network thinks of each column"}
    game: ConnectFour

    def read(self, text: str, position: Position) -> int:
        """The column that *text* names: ``3``, ``col 3``, `` (3)``."""
        match = self.ENTRY.fullmatch(text.strip())
        if match is None:
            raise IllegalMoveError(f"{shorten(text)!r} is not the number of a column")
        return self.game.parse_move(match[1])

    def name(self, move: int, position: Position) -> str:
        """Such as "column 3", or "STEAL"."""
        if move == self.game.rules.columns:
            return STEAL.upper()
        return f"column {self.game.format_move(move)}"

    def question(self, position: Position) -> str:
        """Which columns there are, and if STEAL is offered."""
        offered = self.game.rules.steal and position.ply == 1
        last = self.game.format_move(self.game.rules.columns - 1)
        return f"column 0-{last}{f' or {STEAL}' if offered else ''}"

    def list_moves(self, position: Position) -> str:
        """Which columns have room."""
        columns = [self.game.format_move(column) for column in self.game.legal_moves(position)]
        if len(columns) == 1:
            return f"Only column {columns[0]} is open."
        return f"Open are {', '.join(columns[:-1])} and {columns[-1]}."

    def draw(
        self,
        position: Position,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """See :func:`draw_board`."""
        return draw_board(self.game, position, last, colour=colour)

    def write_game(self, moves: Sequence[int], positions: Sequence[Position]) -> str:
        """A character for each move: ``3321``; STEAL is a word: ``4steal3``."""
        return "".join(self.game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves such as ``3321``, with or without blanks between."""
        bare = "".join(text.split())
        try:
            moves = tuple(map(self.game.parse_move, self.game.split_moves(bare)))
        except IllegalMoveError as error:
            raise PositionError(f"moves {text!r}: {error}") from None
        self.game.parse_position(bare)
        return moves

    def has_values(self, player: Any) -> bool:
        """Networks have."""
        return isinstance(player, ColumnPlayer)

    def find_values(
        self, player: ColumnPlayer, position: Position, earlier: Sequence[Position]
    ) -> dict[int, float]:
        """See :func:`find_values`."""
        values = find_values(player, position, earlier)
        return {column: float(values[column]) for column in self.game.legal_moves(position)}

    def describe_values(
        self, player: ColumnPlayer, position: Position, earlier: Sequence[Position]
    ) -> str:
        """See :mod:`evolve_arena.games.connect_four.text_ui`."""
        return describe_values(player, position, earlier)


def describe_values(player: ColumnPlayer, position: Position, earlier: Sequence[Position]) -> str:
    """The values in two lines, the best one with a star; see :func:`find_values`."""
    game, values = player.game, find_values(player, position, earlier)
    open_columns = game.legal_moves(position)
    best = max(open_columns, key=lambda column: values[column])
    texts = _write_apart([float(values[column]) for column in open_columns])
    parts = [
        f"{game.format_move(column)}: {text}{'*' if column == best else ''}"
        for column, text in zip(open_columns, texts, strict=True)
    ]
    notes = ""
    if player.decoder.head == "value":
        ends = {column: game.outcome(game.play(position, column)) for column in open_columns}
        wins = [column for column, end in ends.items() if end and end.winner is not None]
        if wins:
            notes = f"; column {game.format_move(wins[0])} wins at once"
        if _is_recurrent(player):
            notes += "; without what it remembers of the game"
    return f"{one_line(player.name)}'s {_WORDS[player.decoder.head]}{notes}:\n  {'  '.join(parts)}"


def find_values(
    player: ColumnPlayer, position: Position, earlier: Sequence[Position]
) -> NDArray[np.float64]:
    """What the network thinks of each column, for who is to move; the greater, the better.

    Args:
        player: Who is asked. A value network says what it thinks of the position after each
            move, an action network what it thinks of the move, a policy network gives its
            outputs, to which rounding of the weights that it plays with adds an error of some
            0.0001.
        position: The position, which is not over.
        earlier: Those before, in which a recurrent policy network has been asked.

    Returns:
        Shape ``(moves,)``: columns, and STEAL if the game has it; not a number where a column is
        full or nobody may STEAL.
    """
    if player.decoder.head != "policy":
        return player.value_columns(position)
    seen = [*(earlier if _is_recurrent(player) else ()), position]
    inputs = np.array([player.decoder.encode(board) for board in seen])
    if isinstance(player, GraphPlayer):
        decoder = player.decoder
        graphs = compile_graphs(
            player.genome, decoder.inputs, decoder.outputs, decoder.feed_forward
        )
        outputs = evaluate(graphs, 0, inputs)[-1]
    elif isinstance(player, NetworkPlayer):
        genome = player.decoder.expand(player.genome[None])[0]
        outputs = player.decoder.mlp.evaluate(genome, inputs)[-1]
    else:
        raise TypeError(f"{type(player).__name__} is no kind of network that is known here")
    values = np.full(player.game.rules.moves, np.nan)
    for column in player.game.legal_moves(position):
        values[column] = outputs[column]
    return values


_WORDS = {
    "policy": "preferences",
    "value": "values of the positions after each column",
    "action": "values of each column",
}


def _write_apart(values: Sequence[float]) -> list[str]:
    """The values with three decimals, or with as many more as tell them apart, up to nine."""
    texts: list[str] = []
    for decimals in range(3, 10):
        texts = [f"{value:.{decimals}f}" for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def _is_recurrent(player: ColumnPlayer) -> bool:
    return isinstance(player, GraphPlayer) and not player.decoder.feed_forward


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
    if last is not None and last < game.rules.columns:
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
    columns, rows, connect, _ = game.rules
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
