"""What the framework is told of Connect Four."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.evolve.learning.tuple_learning import make_tuple_workspace
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.column_player import MinimaxPlayer
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.kernel import draw_openings
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.page import ConnectFourBoard
from evolve_arena.games.connect_four.text_ui import ConnectFourText
from evolve_arena.games.connect_four.tuple_games import teach
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.games.connect_four.workspace import (
    ACTION,
    HEAD,
    MINIMAX,
    POLICY,
    SEAT_FIELDS,
    TEST_BOT,
    VALUE,
    make_workspace,
)
from evolve_arena.genomes.network import LAYERS
from evolve_arena.players.dialects import Dialect, Limits
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    SHAPE,
    TUPLES,
    PackedPlayers,
    simple_player,
)
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number, read_whole


@dataclass(frozen=True)
class SiteDialect(Dialect):
    """Connect Four as contest sites had it."""

    limits: Limits
    """What a bot may use there."""
    settings: str
    """The lines before the game, with gaps to fill."""
    cells: str
    """The marks of an empty cell and of the two players; the latter are also their ids."""
    row_end: str
    """What stands between two rows of a field."""
    plies_per_round: int
    echoes: bool
    """Whether a bot is shown the field after its own move."""

    answer = "'place_disc' and a column"

    def greet(self, game: ConnectFour, side: int, limits: Limits) -> str:
        """Its settings."""
        columns, rows, *_ = game.rules
        seat = {"columns": columns, "rows": rows, "id": self.cells[1 + side]}
        return self.settings.format(**seat, **vars(limits))

    def show(self, position: Position) -> str:
        """The round and the field."""
        turn = position.ply // self.plies_per_round + 1
        return f"update game round {turn}\n{self._field(position)}"

    def ask(self, bank: int, limits: Limits) -> str:
        """The milliseconds in its time bank."""
        return f"action move {bank}\n"

    def read(self, game: ConnectFour, position: Position, line: bytes) -> int | None:
        """The column of ``place_disc COLUMN``."""
        match = re.fullmatch(rb"place_disc[ \t]+([+-]?[0-9]{1,9})(?:[ \t].*)?", line)
        if match is None:
            return None
        column = int(match[1])
        game.play(position, column)
        return column

    def echo(self, game: ConnectFour, position: Position, move: int) -> str:
        """The field, where the site shows it."""
        return self._field(game.play(position, move)) if self.echoes else ""

    def _field(self, position: Position) -> str:
        """The line that shows *position*, top row first."""
        rows = (",".join(self.cells[cell] for cell in row) for row in position.cells())
        return f"update game field {self.row_end.join(rows)}\n"


@dataclass(frozen=True)
class CodinGameDialect(Dialect):
    """Connect 4 on CodinGame, where STEAL is called so, or -2."""

    limits: Limits
    """What a bot may use there."""

    answer = "a column or STEAL"

    def greet(self, game: ConnectFour, side: int, limits: Limits) -> str:
        """Its number and that of the other."""
        return f"{side} {1 - side}\n"

    def show(self, position: Position) -> str:
        """The number of the turn, the board, the legal moves, and the move before."""
        game = ConnectFour(**position.rules._asdict())
        rows = ["".join(".01"[cell] for cell in row) for row in position.cells()]
        moves = [self._write(game, move) for move in game.legal_moves(position)]
        last = "-1" if position.last is None else self._write(game, position.last)
        return "\n".join([str(position.ply), *rows, str(len(moves)), *moves, last, ""])

    def ask(self, bank: int, limits: Limits) -> str:
        """Nothing: a bot answers what it is shown."""
        return ""

    def read(self, game: ConnectFour, position: Position, line: bytes) -> int | None:
        """The column, or STEAL; what follows a space is for spectators."""
        match = re.fullmatch(rb"(STEAL|-2|[0-9]{1,2})(?:[ \t].*)?", line)
        if match is None:
            return None
        move = game.rules.columns if match[1] in (b"STEAL", b"-2") else int(match[1])
        if move == game.rules.columns and match[1].isdigit():
            return None
        game.play(position, move)
        return move

    def _write(self, game: ConnectFour, move: int) -> str:
        return "-2" if move == game.rules.columns else str(move)


DIALECTS: dict[str, Dialect] = {
    "ai-games": SiteDialect(
        limits=Limits(time_bank=10_000, per_move=500),
        settings=(
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings player_names player1,player2\n"
            "settings your_bot player{id}\n"
            "settings your_botid {id}\n"
            "settings field_columns {columns}\n"
            "settings field_rows {rows}\n"
        ),
        cells="012",
        row_end=";",
        plies_per_round=1,
        echoes=True,
    ),
    "riddles": SiteDialect(
        limits=Limits(time_bank=5_000, per_move=200),
        settings=(
            "settings player_names player0,player1\n"
            "settings your_bot player{id}\n"
            "settings timebank {time_bank}\n"
            "settings time_per_move {per_move}\n"
            "settings your_botid {id}\n"
            "settings field_width {columns}\n"
            "settings field_height {rows}\n"
        ),
        cells=".01",
        row_end=",",
        plies_per_round=2,
        echoes=False,
    ),
    "codingame": CodinGameDialect(Limits(time_bank=1_000, per_move=100)),
}
"""The AI Games (2016) and Riddles.io (2017), as recorded from their hosts; and CodinGame."""


HEAD_FLAGS = {POLICY: "HAS_POLICIES", VALUE: "HAS_VALUES", ACTION: "HAS_ACTIONS"}
KIND_FLAGS = {
    GRAPH: "HAS_GRAPHS",
    TUPLES: "HAS_TUPLES",
    MINIMAX: "HAS_SEARCHES",
    TEST_BOT: "HAS_TEST_BOTS",
}

LADDER = tuple(f"minimax:depth={depth},noise=0.2" for depth in range(1, 5))
"""The players MM1 to MM4 of Löfroth and Dalenius (2011)."""


def make_test_bot(game: ConnectFour) -> CompiledPlayer:
    """The test bot of Dragan and Izert (2016).

    If discs of one colour lie on top of each other, one short of a line, with a free cell
    above, it completes a stack of its own, else it blocks one of the other player. Otherwise
    it plays at random. Of several such columns it takes the leftmost.
    """
    return CompiledPlayer(game, simple_player(SEAT_FIELDS, TEST_BOT), "test-bot")


def _needs(players: PackedPlayers) -> set[str]:
    """What the players are, as a game at the terminal names it."""
    networks = players.seats[players.seats[:, KIND] == NETWORK]
    needed = {HEAD_FLAGS[int(head)] for head in np.unique(networks[:, HEAD])}
    if (players.shapes[networks[:, SHAPE], LAYERS] != 2).any():
        needed.add("HAS_DEEP")
    kinds = {int(kind) for kind in np.unique(players.seats[:, KIND])}
    return needed | {flag for kind, flag in KIND_FLAGS.items() if kind in kinds}


def _decide(
    variant: Mapping[str, Any],
    rules: Rules,
    packed: PackedPlayers,
    position: Position,
    workspace: Any,
) -> int:
    side = position.ply % 2
    own, other = position.first, position.second
    if side:
        own, other = other, own
    discs = np.uint64(own), np.uint64(other)
    return int(variant["kernel"].decide(rules, packed, side, *discs, workspace, False))


def _examine(*asked: Any) -> dict[str, Any]:
    from evolve_arena.games.connect_four.positions import examine

    return examine(*asked)


def _print_examination(content: dict[str, Any]) -> None:
    from evolve_arena.games.connect_four.positions import print_examination

    print_examination(content)


def _make_minimax(text: str, game: ConnectFour) -> Player:
    readers = {"depth": read_whole, "noise": read_number}
    return make_by_settings("minimax", text, readers, partial(MinimaxPlayer, game))


GAME = GameSpec(
    game=ConnectFour,
    kernel=KernelSpec(
        modules=tuple(
            f"evolve_arena.games.connect_four.{name}" for name in ("network_moves", "kernel")
        ),
        flags=(*HEAD_FLAGS.values(), "HAS_DEEP", *KIND_FLAGS.values()),
        needs=_needs,
        decide=_decide,
        make_workspace=lambda rules, players: make_workspace(players, rules),
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
            "searches 1 to 12 plies deep and plays 20 % of its moves at random",
            _make_minimax,
            optional=True,
        ),
    },
    page="evolve_arena.games.connect_four.export_page:write_page",
    exporters={
        "python": "evolve_arena.games.connect_four.export_python:export_python",
        "c": "evolve_arena.games.connect_four.export_c:export_c",
        "codingame": "evolve_arena.games.connect_four.export_codingame:export_codingame",
    },
    hosts={
        "openspiel": "evolve_arena.games.connect_four.export_python:write_host",
        "pettingzoo": "evolve_arena.games.connect_four.export_python:write_host",
    },
    learn_tuples=lambda rules: (
        partial(teach, rules),
        partial(make_tuple_workspace, rules.columns * rules.rows + rules.steal),
    ),
    opponents=("test-bot", "random"),
    stand_in="test-bot",
    ladder=("random", "test-bot", *LADDER),
    make_text_ui=ConnectFourText,
    make_board=ConnectFourBoard,
    examine=_examine,
    print_examination=_print_examination,
    dialects=DIALECTS,
)
