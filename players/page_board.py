"""Drawings of positions for a page on which people play: each game has one `PageBoard`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject, Position
from evolve_arena.players.text_ui import TextUI, find_text_ui

SHAPES = ("square", "round", "hex")
"""Shapes of cells."""


class PageBoard:
    """Drawing of a game on a page; by default its text, and a button for each move.

    Results of all methods can be written as JSON. Lengths are in cells; x points to the right,
    y down.

    Args:
        game: Game to draw.
    """

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.text_ui: TextUI = find_text_ui(game)

    def layout(self) -> JsonObject:
        """Return the parts of the drawing that are the same in all positions.

        ``kind`` is one of

        - ``cells``: ``width``, ``height``, and ``cells``, each a dictionary of ``x``, ``y``
          (its upper left corner), ``name``, ``shape`` (one of :data:`SHAPES`) and ``shade`` (0 or
          1). A cell without a name is only drawn.
        - ``map``: ``width``, ``height``, ``points`` with ``x``, ``y`` and ``name``, and ``cells``,
          each a ``line`` of points ``[x, y]`` with its ``name``, ``colour`` and ``length``.
        - ``text``.

        All have ``sides``, the names of the seats. The first two also have ``signs``, a ``name``
        and a ``mark`` for each ``"OWNER:KIND"`` of pieces, and ``labels`` with ``x``, ``y`` and
        ``text`` beside the board, or ``small`` in a corner of a cell.
        """
        return {"kind": "text", "sides": self.sides()}

    def draw(self, position: Position, seat: int) -> JsonObject:
        """Return the parts of the drawing that change, as far as *seat* may know them.

        Returns:
            ``pieces``, a list of ``[cell, owner or -1, kind]``; ``text``, for layouts of kind
            ``text``; ``panels``, each with a ``title`` and ``lines``; ``to_move``, a seat.
        """
        return {
            "pieces": [],
            "text": self.text_ui.draw(self.game.view(position, seat)),
            "panels": [],
            "to_move": int(self.game.to_move(position)),
        }

    def moves(self, position: Position) -> list[JsonObject]:
        """Return the legal moves of the player to move.

        Returns:
            For each move: ``move``, the text that the game's ``parse_move`` reads; its ``name``;
            and its ``path``, the cells to click one after the other. No path begins another one;
            an empty path stands for a button.
        """
        moves = self.game.legal_moves(position)
        return [
            {
                "move": self.game.format_move(move),
                "name": self.text_ui.name(move, position),
                "path": path,
            }
            for move, path in zip(moves, self.find_paths(position, moves), strict=True)
        ]

    def find_paths(self, position: Position, moves: list[Any]) -> list[list[int]]:
        """Return the cells to click for each of the legal *moves*."""
        return [[] for _ in moves]

    def sides(self) -> list[str]:
        """Return the names of the seats."""
        named = list(self.text_ui.sides)
        return named or [f"player {seat + 1}" for seat in range(self.game.seats)]


def find_page_board(game: AnyGame) -> PageBoard:
    """Return the drawing of *game*."""
    make: Callable[[AnyGame], PageBoard] = find_game(game.name).make_board or PageBoard
    return make(game)
