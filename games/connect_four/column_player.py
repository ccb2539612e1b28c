"""Bred players of Connect Four, which can be asked what they think of each column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.values import value_moves
from evolve_arena.games.connect_four.workspace import make_scratch
from evolve_arena.players.bred import BredPlayer


class ColumnPlayer(BredPlayer):
    """A bred player of Connect Four.

    Its design has the board's ``columns``, and what the network's output means as ``head``.
    """

    game: ConnectFour

    def value_columns(self, position: Position) -> NDArray[np.float64]:
        """What a value network, or one of actions, thinks of each column.

        Not a number where a column is full.

        Raises:
            BadValueError: The player is a policy network.
        """
        if self.design.head == "policy":
            raise BadValueError(f"{self.name} is a policy network: it has no values")
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        values = np.full(self.design.columns, np.nan)
        scratch = make_scratch(self.lineup)
        boards = np.uint64(own), np.uint64(other)
        value_moves(self.game.rules, self.lineup, side, *boards, scratch, values)
        return values
