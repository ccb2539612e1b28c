"""What the framework is told of Othello."""

from __future__ import annotations

from evolve_arena.core.game import GameSpec
from evolve_arena.evolve.td_tuples import learn_on_board
from evolve_arena.games.othello.game import Othello
from evolve_arena.players.board.dialect import BoardDialect
from evolve_arena.players.board.game import make_kernel
from evolve_arena.players.board.minimax import MINIMAX
from evolve_arena.players.board.networks import make_networks
from evolve_arena.players.board.text_ui import BoardText

GAME = GameSpec(
    game=Othello,
    kernel=make_kernel(Othello.place),
    networks=make_networks(Othello),
    players={"minimax": MINIMAX},
    opponents=("minimax:depth=2,noise=0.2", "random"),
    stand_in="minimax:depth=2",
    ladder=("random", *(f"minimax:depth={depth},noise=0.2" for depth in range(1, 5))),
    make_text_ui=BoardText,
    learn_tuples=learn_on_board(Othello),
    dialects={"plain": BoardDialect()},
    exporters={"python": "evolve_arena.runs.export.board:export_python"},
)
