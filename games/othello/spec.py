"""What the framework is told of Othello."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.game import GameSpec, Option
from evolve_arena.evolve.td_tuples import learn_on_board
from evolve_arena.players.board.game import MINIMAX, BoardGame, make_kernel
from evolve_arena.players.board.networks import make_networks
from evolve_arena.players.board.text_ui import BoardDialect, BoardText


class Rules(NamedTuple):
    """The board."""

    size: Annotated[int, Option(values=(6, 8))] = 8


class Othello(BoardGame):
    """Othello; moves are cells, ``d3``, and ``pass``."""

    name = "othello"
    rules_type = Rules
    place = "evolve_arena.games.othello.rules"
    symmetry = "all"
    endings = ("more discs", "as many discs")

    def describe(self) -> str:
        """The size of the board."""
        return f"a board of {self.rules.size} by {self.rules.size}"

    def parse_move(self, text: str) -> int:
        """The move that *text* names: a column's letter and a row, or ``pass``."""
        size = int(self.rules.size)
        bare = text.strip().lower()
        if bare == "pass":
            return size * size
        found = re.fullmatch(r"([a-h])([1-8])", bare)
        if found:
            column, row = ord(found[1]) - ord("a"), int(found[2]) - 1
            if max(column, row) < size:
                return row * size + column
        last = "abcdefgh"[size - 1]
        raise IllegalMoveError(f"{bare[:20]!r} is no cell from a1 to {last}{size}, nor 'pass'")

    def format_move(self, move: int) -> str:
        """Such as ``d3``."""
        size = self.rules.size
        return "pass" if move == size * size else f"{'abcdefgh'[move % size]}{move // size + 1}"


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
