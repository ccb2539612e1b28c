"""What the framework is told of checkers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.games.checkers.board import CheckersRules, note_position
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.kernel import draw_openings
from evolve_arena.games.checkers.linear import LinearPlayer, make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.page import CheckersBoard
from evolve_arena.games.checkers.position import MOVE_TEXT, Move, Position, bit_of
from evolve_arena.games.checkers.text_ui import CheckersText
from evolve_arena.games.checkers.values import LINEAR, SEAT_FIELDS, make_checkers_workspace
from evolve_arena.players.dialects import Dialect, Limits
from evolve_arena.players.packed import GRAPH, KIND, NETWORK, PackedPlayers
from evolve_arena.players.player import Player
from evolve_arena.players.specification import (
    make_by_settings,
    read_number,
    read_switch,
    read_whole,
)


@dataclass(frozen=True)
class CheckersDialect(Dialect):
    """Checkers as exported bots speak it.

    ``position PDN-FEN moves 11-15 ...``, then ``go movetime MILLISECONDS``, answered by
    ``move 11-15``. Moves are told only as far back as a position could be repeated.
    """

    limits: Limits = field(default=Limits(time_bank=10_000, per_move=500))

    answer = "'move' and a move such as 11-15"
    farewell = "quit\n"

    def greet(self, game: Checkers, side: int, limits: Limits) -> str:
        """Nothing: who moves first is seen from the positions."""
        return ""

    def show(self, position: Position) -> str:
        """The last position that can't come again, and the moves since then."""
        first, moves = _go_back(position)
        return f"position {first.fen()}{' moves ' if moves else ''}{' '.join(moves)}\n"

    def ask(self, bank: int, limits: Limits) -> str:
        """The time for this move.

        That is what a move adds to the bank, or a fortieth of the bank if that is more. A tenth
        of the bank at least is left, in case that the answer is on its way for long.
        """
        milliseconds = max(1, min(max(limits.per_move, bank // 40), bank * 9 // 10))
        return f"go movetime {milliseconds}\n"

    def read(self, game: Checkers, position: Position, line: bytes) -> Move | None:
        """The move of ``move 11-15``, with its whole path."""
        words = line.decode("ascii", "replace").split()
        if len(words) < 2 or words[0] != "move" or not MOVE_TEXT.fullmatch(words[1].lower()):
            return None
        return game.resolve(position, game.parse_move(words[1]))


def _go_back(position: Position) -> tuple[Position, list[str]]:
    """The position after the last move that can't be taken back, and the moves since then.

    In all of these a king moved and nothing else changed.
    """
    dark, light, kings = position.dark, position.light, position.kings
    placed = [*position.past, _squares(dark & kings) | _squares(light & kings) << 32]
    crowned = [_bits(placed[0] & 0xFFFFFFFF), _bits(placed[0] >> 32)]
    first = Position(
        dark & ~kings | crowned[0],
        light & ~kings | crowned[1],
        crowned[0] | crowned[1],
        position.side ^ len(position.past) % 2,
        position.turned,
    )
    moves = []
    for before, after in pairwise(placed):
        squares = ((gone.bit_length() - 1) % 32 + 1 for gone in (before & ~after, after & ~before))
        moves.append("-".join(str(square) for square in squares))
    return first, moves


def _squares(pieces: int) -> int:
    """The same pieces, with square s as bit s - 1."""
    return sum(1 << (square - 1) for square in range(1, 33) if pieces & bit_of(square))


def _bits(squares: int) -> int:
    """What :func:`_squares` undoes."""
    return sum(bit_of(square) for square in range(1, 33) if squares >> (square - 1) & 1)


LONGEST_OPENING = 20
KIND_FLAGS = {NETWORK: "HAS_NETWORKS", GRAPH: "HAS_GRAPHS", LINEAR: "HAS_FEATURES"}


def _needs(players: PackedPlayers) -> set[str]:
    """How the players value positions, as `seat` names it."""
    kinds = {int(kind) for kind in np.unique(players.seats[:, KIND])}
    return {flag for kind, flag in KIND_FLAGS.items() if kind in kinds}


def _decide(
    variant: Mapping[str, Any],
    rules: CheckersRules,
    packed: PackedPlayers,
    position: Position,
    workspace: Any,
) -> int:
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    quiet = len(position.past)
    workspace.past[:quiet] = np.array(position.past, dtype=np.uint64)
    note_position(workspace.past, quiet, *board)
    slot = position.side ^ rules.turned
    return int(variant["kernel"].decide(packed, slot, *board, quiet, workspace))


def _make_minimax(text: str, game: Checkers) -> Player:
    readers = {"depth": read_whole, "noise": read_number, "quiet": read_switch}
    return make_by_settings("minimax", text, readers, partial(make_minimax, game))


GAME = GameSpec(
    game=Checkers,
    kernel=KernelSpec(
        modules=tuple(
            f"evolve_arena.games.checkers.{name}" for name in ("values", "search", "kernel")
        ),
        flags=tuple(KIND_FLAGS.values()),
        needs=_needs,
        decide=_decide,
        make_workspace=lambda rules, players: make_checkers_workspace(players),
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
            "searches 1 to 12 plies deep and plays 20 % of its moves at random",
            _make_minimax,
            optional=True,
        ),
    },
    page="evolve_arena.games.checkers.export_page:write_page",
    exporters={
        "python": "evolve_arena.games.checkers.export_python:export_checkers",
        "c": "evolve_arena.games.checkers.export_c:export_c",
        "checkerboard": "evolve_arena.games.checkers.export_c:export_checkerboard",
    },
    hosts={"openspiel": "evolve_arena.games.checkers.export_python:write_host"},
    opponents=("minimax:depth=2", "random"),
    stand_in="minimax:depth=4",
    ladder=("random", *(f"minimax:depth={depth}" for depth in range(1, 7))),
    make_text_ui=CheckersText,
    make_board=CheckersBoard,
    dialects={"checkers": CheckersDialect()},
)
