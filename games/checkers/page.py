"""How a page draws checkers."""

from __future__ import annotations

from typing import Any

from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import Move, Position
from evolve_arena.players.board_paths import shorten_paths
from evolve_arena.players.board_view import BoardView


class CheckersBoard(BoardView):
    """64 cells, of which the 32 dark ones have their numbers as names."""

    game: Checkers

    def layout(self) -> dict[str, Any]:
        """The cells, row by row; light's men move up unless the board is turned."""
        names = ["" for _ in range(64)]
        for square in range(1, 33):
            names[self.cell_of(square)] = str(square)
        cells = [
            {
                "x": cell % 8,
                "y": cell // 8,
                "name": name,
                "shape": "square",
                "shade": int(name != ""),
            }
            for cell, name in enumerate(names)
        ]
        kinds = ("man", "king")
        return {
            "kind": "cells",
            "width": 8,
            "height": 8,
            "cells": cells,
            "sides": self.sides(),
            "signs": {
                f"{seat}:{kind}": {"name": f"{side} {kinds[kind]}", "mark": "♛" * kind}
                for seat, side in enumerate(self.sides())
                for kind in range(2)
            },
            "labels": [
                {"x": cell["x"], "y": cell["y"], "text": cell["name"], "small": True}
                for cell in cells
                if cell["name"]
            ],
        }

    def cell_of(self, square: int) -> int:
        """The cell of a *square*, 1 to 32."""
        place = 32 - square if self.game.turned else square - 1
        return 2 * place + 1 - place // 4 % 2

    def draw(self, position: Position, seat: int) -> dict[str, Any]:
        """Men and kings; nothing is hidden."""
        cells = position.cells().ravel().tolist()
        pieces = []
        for square in range(1, 33):
            piece = cells[2 * (square - 1) + 1 - (square - 1) // 4 % 2] - 1
            if piece >= 0:
                owner = piece // 2 ^ int(self.game.turned)
                pieces.append([self.cell_of(square), owner, piece % 2])
        return {"pieces": pieces, "panels": [], "to_move": self.game.to_move(position)}

    def moves(self, position: Position) -> list[dict[str, Any]]:
        """The legal moves by their squares; the first and the last will do if they are unique."""
        found = super().moves(position)
        for move, paths in zip(found, shorten_paths([m["path"] for m in found]), strict=True):
            move["paths"] = paths
        return found

    def find_paths(self, position: Position, moves: list[Move]) -> list[list[int]]:
        """All squares of each move."""
        return [[self.cell_of(square) for square in move.path] for move in moves]
