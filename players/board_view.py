"""How a page draws a game and lets people play it: a game has one `BoardView`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.players.text_ui import TextUI, find_text_ui

SHAPES = ("square", "round", "hex")
"""What cells look like."""


class BoardView:
    """How a page draws a game; this one shows the drawing for terminals, with a button per move.

    All that its methods give is ready for JSON. Lengths are in cells, x to the right, y downwards.

    Args:
        game: What is played.
    """

    def __init__(self, game: Any) -> None:
        self.game = game
        self.text_ui: TextUI = find_text_ui(game)

    def layout(self) -> dict[str, Any]:
        """What stays the same in all positions.

        ``kind`` is one of

        - ``cells``: ``width``, ``height``, and ``cells``, each a dictionary of ``x``, ``y``
          (its upper left corner), ``name``, ``shape`` (one of :data:`SHAPES`) and ``shade`` (0 or
          1). A cell without a name is only drawn.
        - ``map``: ``width``, ``height``, ``points`` with ``x``, ``y`` and ``name``, and ``cells``,
          each a ``line`` of points ``[x, y]`` with its ``name``, ``colour`` and ``length``.
        - ``text``.

        All have ``sides``, the names of the seats; the first two also ``signs``, for each
        ``"OWNER:KIND"`` of pieces a ``name`` and a ``mark``, and ``labels``: ``x``, ``y``, ``text``
        of what stands beside the board, or ``small`` in a corner of a cell.
        """
        return {"kind": "text", "sides": self.sides()}

    def draw(self, position: Any, seat: int) -> dict[str, Any]:
        """What changes, as *seat* may know it.

        Returns:
            ``pieces``, a list of ``[cell, owner or -1, kind]``; ``text``, if the layout is of that
            kind; ``panels``, each with a ``title`` and ``lines``; ``to_move``, a seat.
        """
        return {
            "pieces": [],
            "text": self.text_ui.draw(self.game.view(position, seat)),
            "panels": [],
            "to_move": int(self.game.to_move(position)),
        }

    def moves(self, position: Any) -> list[dict[str, Any]]:
        """The legal moves, for who is to move.

        Returns:
            For each ``move``, a text that the game's ``parse_move`` reads; its ``name``; and its
            ``path``, the cells to click one after the other. No path is the beginning of another
            one; an empty one stands for a button.
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

    def find_paths(self, position: Any, moves: list[Any]) -> list[list[int]]:
        """The cells to click for each of the legal *moves*."""
        return [[] for _ in moves]

    def sides(self) -> list[str]:
        """What the seats are called."""
        named = list(self.text_ui.sides)
        return named or [f"player {seat + 1}" for seat in range(self.game.seats)]


def find_board_view(game: AnyGame) -> BoardView:
    """How a page draws *game*."""
    make: Callable[[AnyGame], BoardView] = find_game(game.name).make_board or BoardView
    return make(game)
