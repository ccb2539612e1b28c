"""How a page draws Connect Four."""

from __future__ import annotations

from typing import Any

from evolve_arena.games.connect_four.game import DIGITS, STEAL, ConnectFour, Position
from evolve_arena.players.board_view import BoardView


class ConnectFourBoard(BoardView):
    """Round cells, the top row first; any cell of a column drops a disc into it."""

    game: ConnectFour

    def layout(self) -> dict[str, Any]:
        """The cells, with the numbers of the columns below them."""
        columns, rows, *_ = self.game.rules
        cells = [
            {
                "x": column,
                "y": row,
                "name": f"column {DIGITS[column]}, row {rows - row}",
                "shape": "round",
                "shade": 0,
            }
            for row in range(rows)
            for column in range(columns)
        ]
        return {
            "kind": "cells",
            "width": columns,
            "height": rows,
            "cells": cells,
            "sides": self.sides(),
            "signs": {
                f"{seat}:0": {"name": side, "mark": ""} for seat, side in enumerate(self.sides())
            },
            "labels": [
                {"x": column + 0.5, "y": rows + 0.35, "text": DIGITS[column]}
                for column in range(columns)
            ],
        }

    def draw(self, position: Position, seat: int) -> dict[str, Any]:
        """The discs; nothing is hidden."""
        cells = position.cells().ravel().tolist()
        return {
            "pieces": [[cell, owner - 1, 0] for cell, owner in enumerate(cells) if owner],
            "panels": [{"title": STEAL.upper(), "lines": [_HINT]}]
            if self._offers(position)
            else [],
            "to_move": self.game.to_move(position),
        }

    def moves(self, position: Position) -> list[dict[str, Any]]:
        """The open columns; ``path`` is the cell on which the disc comes to lie.

        While STEAL is offered, the one disc stands for that.
        """
        found, columns = super().moves(position), self.game.rules.columns
        cells = position.cells().ravel().tolist()
        for move in found:
            if move["move"] == STEAL:
                move["path"] = [next(cell for cell, owner in enumerate(cells) if owner)]
                continue
            column = self.game.parse_move(move["move"])
            whole = range(column, len(cells), columns)
            landing = max(cell for cell in whole if not cells[cell])
            others = [cell for cell in whole if cell != landing]
            if self._offers(position):
                others = [cell for cell in others if not cells[cell]]
            move["path"] = [landing]
            move["paths"] = [[landing], *([cell] for cell in others)]
        return found

    def _offers(self, position: Position) -> bool:
        return bool(self.game.rules.steal) and position.ply == 1


_HINT = "The second player may take the disc instead of a column: click it."
