"""Piotrowski (2004): sixteen learners of checkers by temporal differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve_arena.core.game import PlayerKind

if TYPE_CHECKING:
    from evolve_arena.players.board.game import BoardGame
    from evolve_arena.players.evolved import VectorPlayer


def _make(name: str, game: BoardGame) -> VectorPlayer:
    from evolve_arena.studies.checkers_td.sixteen import make_piotrowski

    return make_piotrowski(name, game)


PLAYERS = {
    "checkers": {
        "piotrowski": PlayerKind(
            "piotrowski:NAME",
            "one of the sixteen learners of Piotrowski (2004), such as rafalmored",
            _make,
        )
    }
}

LEARNERS = {"checkers": {"td-linear": "evolve_arena.studies.checkers_td.td_linear:TdLinear"}}

LADDERS = {"checkers": ("piotrowski:rafalmore", "piotrowski:rafalmmore")}
"""Benchmark opponents, without those that search seven plies deep: the strongest, rafalmmored,
takes a third of a second for a game."""
