"""What the framework is told of checkers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.games.checkers.board import CheckersRules, note_position
from evolve_arena.games.checkers.decision import decide
from evolve_arena.games.checkers.dialects import CheckersDialect
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.kernel import draw_openings, play_matches
from evolve_arena.games.checkers.linear import LinearPlayer, make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.seat import SEAT_FIELDS, make_checkers_scratch
from evolve_arena.games.checkers.text_ui import CheckersText
from evolve_arena.players.lineup import Lineup
from evolve_arena.players.player import Player
from evolve_arena.players.specification import (
    make_by_settings,
    read_number,
    read_switch,
    read_whole,
)

__all__ = ["GAME"]

LONGEST_OPENING = 20


def _decide(rules: CheckersRules, lineup: Lineup, position: Position, scratch: Any) -> int:
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    quiet = len(position.past)
    scratch.past[:quiet] = np.array(position.past, dtype=np.uint64)
    note_position(scratch.past, quiet, *board)
    chair = position.side ^ rules.turned
    return int(decide(lineup, chair, *board, quiet, scratch))


def _make_minimax(text: str, game: Checkers) -> Player:
    readers = {"depth": read_whole, "noise": read_number, "quiet": read_switch}
    return make_by_settings("minimax", text, readers, partial(make_minimax, game))


GAME = GameSpec(
    game=Checkers,
    kernel=KernelSpec(
        play=play_matches,
        decide=_decide,
        make_workspace=make_checkers_scratch,
        record_fields=SEAT_FIELDS,
        draw_openings=draw_openings,
        longest_opening=lambda rules: LONGEST_OPENING,
    ),
    networks={
        "network": CheckersNetworkPlayer,
        "linear": LinearPlayer,
        "graph": CheckersGraphPlayer,
    },
    players={
        "minimax": PlayerKind(
            "minimax:depth=4,noise=0.2",
            "searches 1 to 12 plies deep, of 5 moves plays one at random",
            _make_minimax,
            optional=True,
        ),
    },
    exporters={"python": "evolve_arena.games.checkers.export_python:export_checkers"},
    learners={"td-linear": "evolve_arena.games.checkers.td_linear:TdLinear"},
    opponents=("minimax:depth=2", "random"),
    stand_in="minimax:depth=4",
    ladder=("random", *(f"minimax:depth={depth}" for depth in range(1, 7))),
    make_text_ui=CheckersText,
    dialects={"checkers": CheckersDialect()},
)
