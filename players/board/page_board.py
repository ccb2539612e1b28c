"""Drawing of any game in one file on a page: its cells, else the text that the file draws."""

from __future__ import annotations

from functools import cached_property

from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import Board, BoardGame, name_column
from evolve_arena.players.board.text_ui import BoardText
from evolve_arena.players.board_paths import find_path, list_ways, tell_apart
from evolve_arena.players.page_board import PageBoard

UNDRAWN = "none"
"""Value of ``SHAPE`` for cells that a page does not draw."""


class BoardGamePage(PageBoard):
    """Drawing of the cells of a game in one file, if networks see its cells (``SYMMETRY``).

    Args:
        game: Game to draw. Its file may set ``SHAPE``, the shape of cells, one of
            `evolve_arena.players.page_board.SHAPES`. Each row of hexagons begins half a cell to the
            right of the one above. Cells of the shape ``none`` are not drawn. The file's
            ``place_cell`` gives the place of each cell. Its ``draw`` gives a map as described in
            `PageBoard.layout`, with ``find_owner(state, cell)`` for the seat that owns a cell, or
            -1, and ``find_cell(move)`` for the cell on which a move is made, or -1. Its
            ``tell(state, seat)`` gives titles and lines of what a seat knows beyond the board.
    """

    game: BoardGame
    text_ui: BoardText

    @property
    def has_cells(self) -> bool:
        """True if there are cells to draw."""
        is_drawn = bool(self.game.symmetry) and self.game.plain.get("SHAPE") != UNDRAWN
        return self.has_map or is_drawn

    @property
    def has_map(self) -> bool:
        """True if the file draws a map."""
        return "draw" in self.game.plain

    @cached_property
    def names(self) -> list[str]:
        """Names of the cells, such as d3."""
        return [self.game.name_cell(cell) for cell in range(int(self.game.code.CELLS))]

    def layout(self) -> JsonObject:
        """Return the board, row by row, with letters above and numbers at the left."""
        if not self.has_cells:
            return super().layout()
        if self.has_map:
            sides = self.sides()
            signs = {f"{seat}:0": {"name": side, "mark": ""} for seat, side in enumerate(sides)}
            drawn = self.game.ask("draw")
            return {**drawn, "kind": "map", "sides": sides, "signs": signs, "labels": []}
        code, names = self.game.code, self.names
        if self.game.has_places:
            return self._lay_places()
        width, height = int(code.WIDTH), -(-int(code.CELLS) // int(code.WIDTH))
        shape = str(self.game.plain.get("SHAPE", "square"))
        shift, step = (0.5, 0.866) if shape == "hex" else (0.0, 1.0)
        cells = [
            {
                "x": round(cell % width + shift * (cell // width), 3),
                "y": round(step * (cell // width), 3),
                "name": names[cell],
                "shape": shape,
                "shade": (cell // width + cell % width) % 2 if shape == "square" else 0,
            }
            for cell in range(len(names))
        ]
        labels = [
            {"x": column + 0.5, "y": -0.3, "text": name_column(column)} for column in range(width)
        ]
        labels += [
            {"x": shift * row - 0.35, "y": round(step * row + 0.5, 3), "text": str(row + 1)}
            for row in range(height)
        ]
        return {
            "kind": "cells",
            "width": width + shift * (height - 1),
            "height": round(step * (height - 1) + 1, 3),
            "cells": cells,
            "sides": self.sides(),
            "signs": self.signs(),
            "labels": labels,
        }

    def _lay_places(self) -> JsonObject:
        """Return the cells where the file puts them, each with its name in a corner.

        With stacks, the names of the columns stand below instead.
        """
        shape, cells = str(self.game.plain.get("SHAPE", "square")), list[JsonObject]()
        for cell in self.game.drawn:
            place = self.game.places[cell]
            assert place is not None
            (x, y), name = place, self.names[cell]
            cells.append({"x": x, "y": y, "name": name, "shape": shape, "shade": 1})
        corners = [(cell["x"], cell["y"]) for cell in cells]
        labels: list[JsonObject] = [
            {"x": cell["x"], "y": cell["y"], "text": cell["name"], "small": True} for cell in cells
        ]
        if self.game.stacks:
            height = 1 + max(y for _, y in corners)
            labels = [
                {"x": cells[column]["x"] + 0.5, "y": height + 0.35, "text": name}
                for column, name in enumerate(self.game.column_names)
            ]
        return {
            "kind": "cells",
            "width": 1 + max(x for x, _ in corners),
            "height": 1 + max(y for _, y in corners),
            "cells": cells,
            "sides": self.sides(),
            "signs": self.signs(),
            "labels": labels,
        }

    def signs(self) -> dict[str, dict[str, str]]:
        """Return the name of each kind of piece, and its mark if a player has several kinds.

        The file's ``MARKS`` are written on pieces instead of its ``SIGNS``.
        """
        code, signs = self.game.code, self.game.plain.get("MARKS", self.text_ui.signs)
        found = {}
        for plane in range(int(code.PLANES)):
            owner, kind = self.find_owner(plane)
            sign = signs[plane % len(signs)]
            mark = sign if owner < 0 or int(code.PIECES) > 1 else ""
            side = f"{self.sides()[owner]} {sign}" if mark and owner >= 0 else sign
            found[f"{owner}:{kind}"] = {"name": side, "mark": mark}
        return found

    def find_owner(self, plane: int) -> tuple[int, int]:
        """Return the owner of the pieces of a *plane*, or -1, and their kind."""
        code, owned = self.game.code, self.game.seats * int(self.game.code.PIECES)
        if int(code.PLANES) < owned:
            return -1, plane
        return (
            (plane // int(code.PIECES), plane % int(code.PIECES))
            if plane < owned
            else (
                -1,
                plane - owned,
            )
        )

    def list_pieces(self, position: Board) -> list[list[int]]:
        """List the pieces of a *position*, each as ``[cell, owner or -1, kind]``."""
        if self.has_map:
            state = self.game.to_native(position)
            owners = [
                int(self.game.ask("find_owner", state, k)) for k in range(self.game.code.CELLS)
            ]
            return [[cell, owner, 0] for cell, owner in enumerate(owners) if owner >= 0]
        planes = self.game.observe(position, 0)[:, self.game.drawn]
        return [
            [int(cell), *self.find_owner(plane)]
            for plane in range(len(planes))
            for cell in planes[plane].nonzero()[0]
        ]

    def draw(self, position: Board, seat: int) -> JsonObject:
        """Return the pieces, or the text, and the panels by the file's ``tell``."""
        seen = self.game.view(position, seat)
        told = (
            self.game.ask("tell", self.game.to_native(seen), seat)
            if "tell" in self.game.plain
            else ()
        )
        panels = [{"title": title, "lines": list(lines)} for title, lines in told]
        if not self.has_cells:
            return {**super().draw(position, seat), "panels": panels}
        return {
            "pieces": self.list_pieces(seen),
            "panels": panels,
            "to_move": self.game.to_move(position),
        }

    def moves(self, position: Board) -> list[JsonObject]:
        """Return the legal moves; with stacks, any cell of its column plays a move."""
        found = super().moves(position)
        if self.has_cells and self.game.stacks:
            paths = [move["path"] for move in found]
            for move, ways in zip(
                found, list_ways(paths, self.game.grid.shape[1], self.game.grid.size), strict=True
            ):
                move["paths"] = ways
        return found

    def find_paths(self, position: Board, moves: list[int]) -> list[list[int]]:
        """Return for each move the cell that names it, else the cells that it changes."""
        if not self.has_cells:
            return super().find_paths(position, moves)
        if self.has_map:
            cells = [int(self.game.ask("find_cell", move)) for move in moves]
            return tell_apart([[cell] if cell >= 0 else [] for cell in cells])
        seat = self.game.to_move(position)
        position = self.game.view(position, seat)
        before, paths = self.list_pieces(position), []
        for move in moves:
            name = self.game.format_move(move)
            if name in self.names:
                paths.append([self.game.drawn.index(self.names.index(name))])
            else:
                after = self.list_pieces(self.game.follow(position, "play", move))
                paths.append(find_path(before, after, seat))
        return tell_apart(paths)
