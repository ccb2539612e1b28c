"""How people at a terminal see Connect Four and talk about its moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.drawing import draw_board
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.opinions import describe_opinions
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
        """Such as "column 3"."""
        return f"column {self.game.format_move(move)}"

    def question(self, position: Position) -> str:
        """Which columns there are."""
        return f"column 0-{self.game.format_move(self.game.rules.columns - 1)}"

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
        """A character for each move: ``3321``."""
        return "".join(self.game.format_move(move) for move in moves)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves such as ``3321``, with or without blanks between."""
        bare = "".join(text.split())
        try:
            moves = tuple(self.game.parse_move(character) for character in bare)
        except IllegalMoveError as error:
            raise PositionError(f"moves {text!r}: {error}") from None
        self.game.parse_position(bare)
        return moves

    def replay(self) -> str:
        """With the moves."""
        return "evolve play --moves MOVES"

    def has_values(self, player: Any) -> bool:
        """Networks have."""
        return isinstance(player, ColumnPlayer)

    def describe_values(
        self, player: ColumnPlayer, position: Position, earlier: Sequence[Position]
    ) -> str:
        """See :mod:`evolve_arena.games.connect_four.opinions`."""
        return describe_opinions(player, position, earlier)
