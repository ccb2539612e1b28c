"""What programs that play Connect Four are told and how they answer: a dialect for each host."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.players.dialects import Dialect, Limits


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

    answer = "'place_disc' and a column"

    def greet(self, game: ConnectFour, side: int, limits: Limits) -> str:
        """Its settings."""
        columns, rows, _ = game.rules
        seat = {"columns": columns, "rows": rows, "id": self.cells[1 + side]}
        return self.settings.format(**seat, **vars(limits))

    def show(self, position: Position) -> str:
        """The round and the field."""
        turn = position.ply // self.plies_per_round + 1
        return f"update game round {turn}\n{self._field(position)}"

    def ask(self, bank: int, limits: Limits) -> str:
        """The milliseconds in its time bank."""
        return f"action move {bank}\n"

    def read(self, game: ConnectFour, position: Position, line: bytes) -> int | None:
        """The column of ``place_disc COLUMN``."""
        match = re.fullmatch(rb"place_disc[ \t]+([+-]?[0-9]{1,9})(?:[ \t].*)?", line)
        if match is None:
            return None
        column = int(match[1])
        game.play(position, column)
        return column

    def echo(self, position: Position) -> str:
        """The field, where the site shows it."""
        return self._field(position) if self.echoes else ""

    def _field(self, position: Position) -> str:
        """The line that shows *position*, top row first."""
        rows = (",".join(self.cells[cell] for cell in row) for row in position.cells())
        return f"update game field {self.row_end.join(rows)}\n"


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
}
"""The AI Games (2016) and Riddles.io (2017), as recorded from their hosts."""
