"""What the framework is told of Connect Four."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.dialects import DIALECTS
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.kernel import draw_openings, play_matches
from evolve_arena.games.connect_four.minimax import MinimaxPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.seats import decide
from evolve_arena.games.connect_four.text_ui import ConnectFourText
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.games.connect_four.workspace import SEAT_FIELDS, TEST_BOT, make_scratch
from evolve_arena.players.lineup import Lineup, simple_lineup
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number, read_whole

__all__ = ["GAME", "make_test_bot"]

LADDER = tuple(f"minimax:depth={depth},noise=0.2" for depth in range(1, 5))
"""The players MM1 to MM4 of Löfroth and Dalenius (2011)."""


def make_test_bot(game: ConnectFour) -> CompiledPlayer:
    """The test bot of Dragan and Izert (2016).

    If discs of one colour lie on top of each other, one short of a line, with a free cell
    above, it completes a stack of its own, else it blocks one of the other player. Otherwise
    it plays at random. Of several such columns it takes the leftmost.
    """
    return CompiledPlayer(game, simple_lineup(SEAT_FIELDS, TEST_BOT), "test-bot")


def _decide(rules: Rules, lineup: Lineup, position: Position, scratch: Any) -> int:
    side = position.ply % 2
    own, other = position.first, position.second
    if side:
        own, other = other, own
    return int(decide(rules, lineup, side, np.uint64(own), np.uint64(other), scratch, False))


def _examine(*asked: Any) -> dict[str, Any]:
    from evolve_arena.games.connect_four.examination import examine

    return examine(*asked)


def _print_examination(content: dict[str, Any]) -> None:
    from evolve_arena.games.connect_four.examination import print_examination

    print_examination(content)


def _make_minimax(text: str, game: ConnectFour) -> Player:
    readers = {"depth": read_whole, "noise": read_number}
    return make_by_settings("minimax", text, readers, partial(MinimaxPlayer, game))


GAME = GameSpec(
    game=ConnectFour,
    kernel=KernelSpec(
        play=play_matches,
        decide=_decide,
        make_workspace=make_scratch,
        record_fields=SEAT_FIELDS,
        draw_openings=draw_openings,
        longest_opening=lambda rules: rules.columns * rules.rows // 2,
        move_type=np.int8,
    ),
    networks={"mlp": NetworkPlayer, "graph": GraphPlayer, "tuples": TuplePlayer},
    players={
        "test-bot": PlayerKind(
            "test-bot",
            "completes or blocks a stack that is one short of a line, else plays at random",
            lambda argument, game: make_test_bot(game),
        ),
        "minimax": PlayerKind(
            "minimax:depth=4,noise=0.2",
            "searches 1 to 12 plies deep, of 5 moves plays one at random",
            _make_minimax,
            optional=True,
        ),
    },
    plots={"network": "evolve_arena.games.connect_four.plot_network:draw_player"},
    exporters={
        "python": "evolve_arena.games.connect_four.export_python:export_python",
        "neat-python": "evolve_arena.games.connect_four.export_neat:export_neat_python",
    },
    importers={"neat-python": "evolve_arena.games.connect_four.export_neat:import_neat_python"},
    learners={
        "td": "evolve_arena.games.connect_four.td:Td",
        "td-tuples": "evolve_arena.games.connect_four.td_tuples:TdTuples",
        "q-learning": "evolve_arena.games.connect_four.q_learning:QLearning",
    },
    opponents=("test-bot", "random"),
    stand_in="test-bot",
    ladder=("random", "test-bot", *LADDER),
    make_text_ui=ConnectFourText,
    examine=_examine,
    print_examination=_print_examination,
    dialects=DIALECTS,
)
