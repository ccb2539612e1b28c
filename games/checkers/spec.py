"""What the framework is told of checkers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.games.checkers.board import CheckersRules, note_position
from evolve_arena.games.checkers.dialects import CheckersDialect
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.kernel import draw_openings
from evolve_arena.games.checkers.linear import LinearPlayer, make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.position import Position
from evolve_arena.games.checkers.seat import LINEAR, SEAT_FIELDS, make_checkers_scratch
from evolve_arena.games.checkers.text_ui import CheckersText
from evolve_arena.players.lineup import GRAPH, KIND, NETWORK, Lineup
from evolve_arena.players.player import Player
from evolve_arena.players.specification import (
    make_by_settings,
    read_number,
    read_switch,
    read_whole,
)

LONGEST_OPENING = 20
KIND_FLAGS = {NETWORK: "HAS_NETWORKS", GRAPH: "HAS_GRAPHS", LINEAR: "HAS_FEATURES"}


def _needs(players: Lineup) -> set[str]:
    """How the players value positions, as `seat` names it."""
    kinds = {int(kind) for kind in np.unique(players.seats[:, KIND])}
    return {flag for kind, flag in KIND_FLAGS.items() if kind in kinds}


def _decide(
    variant: Mapping[str, Any],
    rules: CheckersRules,
    lineup: Lineup,
    position: Position,
    scratch: Any,
) -> int:
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    quiet = len(position.past)
    scratch.past[:quiet] = np.array(position.past, dtype=np.uint64)
    note_position(scratch.past, quiet, *board)
    chair = position.side ^ rules.turned
    return int(variant["decision"].decide(lineup, chair, *board, quiet, scratch))


def _make_minimax(text: str, game: Checkers) -> Player:
    readers = {"depth": read_whole, "noise": read_number, "quiet": read_switch}
    return make_by_settings("minimax", text, readers, partial(make_minimax, game))


GAME = GameSpec(
    game=Checkers,
    kernel=KernelSpec(
        modules=tuple(
            f"evolve_arena.games.checkers.{name}"
            for name in ("seat", "search", "decision", "kernel")
        ),
        flags=tuple(KIND_FLAGS.values()),
        needs=_needs,
        decide=_decide,
        make_workspace=lambda rules, players: make_checkers_scratch(players),
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
