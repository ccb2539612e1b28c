"""What programs that play are told and how they answer: a dialect for each kind of host.

A host writes lines to a program's standard input and reads its moves, a line each, from its
standard output.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.games.checkers import game as checkers
from evolve_arena.games.checkers.position import MOVE_TEXT, bit_of
from evolve_arena.games.connect_four import game as connect_four

__all__ = ["DIALECTS", "CheckersDialect", "Dialect", "Limits", "SiteDialect", "find_dialect"]


@dataclass(frozen=True)
class Limits:
    """What a bot may use: time in milliseconds, output in bytes and lines.

    Raises:
        BadValueError: One of them is not above 0 (``per_move`` may be 0).
    """

    time_bank: int
    """For the first move, and the most that can be saved up."""
    per_move: int
    """What each move adds to the time bank."""
    output_bytes: int = 65_536
    """For one move."""
    output_lines: int = 1_000
    """For one move."""

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            lowest = 0 if key == "per_move" else 1
            if value < lowest:
                raise BadValueError(f"{key} is {value}: it must be {lowest} or more")


class Dialect(ABC):
    """How a host says things. All texts are whole lines, or nothing."""

    game: ClassVar[str]
    """The name of the game that is spoken of."""
    answer: ClassVar[str]
    """What a bot has to answer, for messages."""
    farewell: ClassVar[str] = ""
    """What it is told after a game."""
    limits: Limits
    """What a bot may use, unless it is agreed otherwise."""

    @abstractmethod
    def greet(self, game: Any, side: int, limits: Limits) -> str:
        """What a bot is told before a game; *side* is 0 if it moves first."""

    @abstractmethod
    def show(self, position: Any) -> str:
        """What it is told of a *position* before it has to move there."""

    @abstractmethod
    def ask(self, bank: int, limits: Limits) -> str:
        """The line that asks for a move and starts the clock, with *bank* milliseconds left."""

    @abstractmethod
    def read(self, game: Any, position: Any, line: bytes) -> Any:
        """The move that an answer names, or None if it is no answer.

        Raises:
            IllegalMoveError: It names one that the rules do not allow.
        """

    def echo(self, position: Any) -> str:
        """What it is told of the *position* after its own move."""
        return ""


@dataclass(frozen=True)
class SiteDialect(Dialect):
    """Connect Four as contest sites had it."""

    limits: Limits
    """What a bot may use there."""
    settings: str
    """The lines before the game, with gaps to fill."""
    cells: str
    """The marks of an empty cell and of the two players; the latter are also their ids."""
    row_end: str
    """What stands between two rows of a field."""
    plies_per_round: int
    echoes: bool
    """Whether a bot is shown the field after its own move."""

    game = connect_four.ConnectFour.name
    answer = "'place_disc' and a column"

    def greet(self, game: connect_four.ConnectFour, side: int, limits: Limits) -> str:
        """Its settings."""
        columns, rows, _ = game.rules
        seat = {"columns": columns, "rows": rows, "id": self.cells[1 + side]}
        return self.settings.format(**seat, **vars(limits))

    def show(self, position: connect_four.Position) -> str:
        """The round and the field."""
        turn = position.ply // self.plies_per_round + 1
        return f"update game round {turn}\n{self._field(position)}"

    def ask(self, bank: int, limits: Limits) -> str:
        """The milliseconds in its time bank."""
        return f"action move {bank}\n"

    def read(
        self, game: connect_four.ConnectFour, position: connect_four.Position, line: bytes
    ) -> int | None:
        """The column of ``place_disc COLUMN``."""
        match = re.fullmatch(rb"place_disc[ \t]+([+-]?[0-9]{1,9})(?:[ \t].*)?", line)
        if match is None:
            return None
        column = int(match[1])
        game.play(position, column)
        return column

    def echo(self, position: connect_four.Position) -> str:
        """The field, where the site shows it."""
        return self._field(position) if self.echoes else ""

    def _field(self, position: connect_four.Position) -> str:
        """The line that shows *position*, top row first."""
        rows = (",".join(self.cells[cell] for cell in row) for row in position.cells())
        return f"update game field {self.row_end.join(rows)}\n"


@dataclass(frozen=True)
class CheckersDialect(Dialect):
    """Checkers as exported bots speak it.

    ``position PDN-FEN moves 11-15 ...``, then ``go movetime MILLISECONDS``, answered by
    ``move 11-15``. Moves are told only as far back as a position could be repeated.
    """

    limits: Limits = Limits(time_bank=10_000, per_move=500)

    game = checkers.Checkers.name
    answer = "'move' and a move such as 11-15"
    farewell = "quit\n"

    def greet(self, game: checkers.Checkers, side: int, limits: Limits) -> str:
        """Nothing: who moves first is seen from the positions."""
        return ""

    def show(self, position: checkers.Position) -> str:
        """The last position that can't come again, and the moves since then."""
        first, moves = _go_back(position)
        return f"position {first.fen()}{' moves ' if moves else ''}{' '.join(moves)}\n"

    def ask(self, bank: int, limits: Limits) -> str:
        """The time for this move.

        That is what a move adds to the bank, or a fortieth of the bank if that is more. A tenth
        of the bank at least is left, in case that the answer is on its way for long.
        """
        milliseconds = max(1, min(max(limits.per_move, bank // 40), bank * 9 // 10))
        return f"go movetime {milliseconds}\n"

    def read(
        self, game: checkers.Checkers, position: checkers.Position, line: bytes
    ) -> checkers.Move | None:
        """The move of ``move 11-15``, with its whole path."""
        words = line.decode("ascii", "replace").split()
        if len(words) < 2 or words[0] != "move" or not MOVE_TEXT.fullmatch(words[1].lower()):
            return None
        return game.resolve(position, game.parse_move(words[1]))


DIALECTS: dict[str, Dialect] = {
    "ai-games": SiteDialect(
        limits=Limits(time_bank=10_000, per_move=500),
        settings=(
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings player_names player1,player2\n"
            "settings your_bot player{id}\n"
            "settings your_botid {id}\n"
            "settings field_columns {columns}\n"
            "settings field_rows {rows}\n"
        ),
        cells="012",
        row_end=";",
        plies_per_round=1,
        echoes=True,
    ),
    "riddles": SiteDialect(
        limits=Limits(time_bank=5_000, per_move=200),
        settings=(
            "settings player_names player0,player1\n"
            "settings your_bot player{id}\n"
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings your_botid {id}\n"
            "settings field_width {columns}\n"
            "settings field_height {rows}\n"
        ),
        cells=".01",
        row_end=",",
        plies_per_round=2,
        echoes=False,
    ),
    "checkers": CheckersDialect(),
}
"""The AI Games (2016) and Riddles.io (2017), as recorded from their hosts; and checkers. The first
one of a game is its usual one."""


def find_dialect(game: AnyGame, name: str | None = None) -> Dialect:
    """The dialect called *name*, in which *game* is played; without a name, the usual one.

    Raises:
        UnknownNameError: There is no such dialect for that game.
    """
    known = {key: dialect for key, dialect in DIALECTS.items() if dialect.game == game.name}
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UnknownNameError("dialect", name, known)
    return known[name]


def _go_back(position: checkers.Position) -> tuple[checkers.Position, list[str]]:
    """The position after the last move that can't be taken back, and the moves since then.

    In all of these a king moved and nothing else changed.
    """
    dark, light, kings = position.dark, position.light, position.kings
    placed = [*position.past, _squares(dark & kings) | _squares(light & kings) << 32]
    crowned = [_bits(placed[0] & 0xFFFFFFFF), _bits(placed[0] >> 32)]
    first = checkers.Position(
        dark & ~kings | crowned[0],
        light & ~kings | crowned[1],
        crowned[0] | crowned[1],
        position.side ^ len(position.past) % 2,
        position.turned,
    )
    moves = []
    for before, after in pairwise(placed):
        squares = ((gone.bit_length() - 1) % 32 + 1 for gone in (before & ~after, after & ~before))
        moves.append("-".join(str(square) for square in squares))
    return first, moves


def _squares(pieces: int) -> int:
    """The same pieces, with square s as bit s - 1."""
    return sum(1 << (square - 1) for square in range(1, 33) if pieces & bit_of(square))


def _bits(squares: int) -> int:
    """What :func:`_squares` undoes."""
    return sum(bit_of(square) for square in range(1, 33) if squares >> (square - 1) & 1)
