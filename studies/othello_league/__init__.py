"""The Othello League: published evaluators of positions, and how they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve_arena.core.game import PlayerKind

if TYPE_CHECKING:
    from evolve_arena.players.board.game import BoardGame
    from evolve_arena.players.tuples import TuplePlayer


def _make(path: str, game: BoardGame) -> TuplePlayer:
    from evolve_arena.studies.othello_league.league import read_member

    return read_member(path, game)


PLAYERS = {
    "othello": {
        "league": PlayerKind(
            "league:PATH.json",
            "a published player of the Othello League, by the file of its weights",
            _make,
        )
    }
}
