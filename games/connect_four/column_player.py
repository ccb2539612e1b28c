"""Bred players of Connect Four, which can be asked what they think of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    drop,
    full_columns,
    hide_steal,
    may_steal,
)
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network_moves import (
    begin_match,
    init_player,
    value_cell,
    value_column,
)
from evolve_arena.games.connect_four.workspace import (
    ACTION,
    CACHE_FIELDS,
    CACHE_HEAD,
    DEPTH,
    MINIMAX,
    SEAT_FIELDS,
    make_workspace,
)
from evolve_arena.genomes.simd import peek
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import PackedPlayers, simple_player, with_noise
from evolve_arena.players.player import CompiledPlayer


class ColumnPlayer(BredPlayer):
    """A bred player of Connect Four.

    Its decoder has the board's ``columns``, and what the network's output means as ``head``.
    """

    game: ConnectFour

    def value_columns(self, position: Position) -> NDArray[np.float64]:
        """What a value network, or one of actions, thinks of each column, and of STEAL behind them.

        Not a number where a column is full, or nobody may STEAL.

        Raises:
            BadValueError: The player is a policy network.
        """
        if self.decoder.head == "policy":
            raise BadValueError(f"{self.name} is a policy network: it has no values")
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        values = np.full(self.game.rules.moves, np.nan)
        workspace = make_workspace(self.packed)
        boards = np.uint64(own), np.uint64(other)
        value_moves(self.game.rules, self.packed, side, *boards, workspace, values)
        return values


ONE = np.uint64(1)


@compiled
def value_moves(
    rules: Rules, packed: Any, side: int, own: Any, other: Any, workspace: Any, values: Any
) -> None:
    """Puts what a network thinks of each move into *values* (``float64``).

    Its head is a value or an action.
    """
    full = hide_steal(rules, side, own, full_columns(own | other, rules))
    begin_match(rules, packed, side, own, other, workspace, False)
    cache = side * CACHE_FIELDS
    acts = peek(workspace.caches, cache + CACHE_HEAD) == ACTION
    for column in range(rules.columns):
        if not (full >> np.uint64(column)) & ONE:
            if acts:
                values[column] = value_column(packed, cache, column, workspace)
            else:
                cell = cell_of(drop(own | other, column, rules))
                values[column] = value_cell(packed, cache, cell, workspace)
    if may_steal(rules, full):
        if acts:
            values[rules.columns] = value_column(packed, cache, rules.columns, workspace)
        else:
            init_player(rules, packed, 0, workspace, side)
            values[rules.columns] = value_cell(packed, cache, cell_of(other), workspace)


MAX_DEPTH = 12


class MinimaxPlayer(CompiledPlayer):
    """Chooses by alpha-beta search, *depth* plies deep, with seed 001's evaluation.

    Wins come first, the sooner the better, losses last, the later the better; between them
    :func:`count_lines` decides. Of equally good moves each is as likely.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.

    Raises:
        BadValueError: *depth* or *noise* is out of range.

    >>> game = ConnectFour()
    >>> from evolve_arena.core.stream import new_stream
    >>> MinimaxPlayer(game, depth=2).choose(game.parse_position("04142"), new_stream(1))
    3
    """

    def __init__(self, game: ConnectFour, depth: int = 4, noise: float = 0.0) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        name = f"minimax:depth={depth}" + (f",noise={noise:.10g}" if noise else "")
        super().__init__(game, _pack(game.rules, depth, noise), name)
        self.depth = depth
        self.noise = noise


def count_lines(rules: Rules) -> NDArray[np.int32]:
    """How many winning lines run through each cell, by the cell's bit.

    The bits on top of the columns are no cells and have none. On the usual board this is table
    3.1 of Löfroth and Dalenius (2011).

    >>> count_lines(Rules(7, 6, 4)).reshape(7, 7)[:4, :6].tolist()
    [[3, 4, 5, 5, 4, 3], [4, 6, 8, 8, 6, 4], [5, 8, 11, 11, 8, 5], [7, 10, 13, 13, 10, 7]]
    """
    columns, rows, connect, _ = rules
    lines = np.zeros((columns, rules.height), dtype=np.int32)
    places = np.arange(connect)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(columns - right * (connect - 1)):
            for row in range(rows):
                if 0 <= row + up * (connect - 1) < rows:
                    lines[column + right * places, row + up * places] += 1
    return lines.ravel()


def _pack(rules: Rules, depth: int, noise: float) -> PackedPlayers:
    packed = simple_player(SEAT_FIELDS, MINIMAX)
    packed.seats[0, DEPTH] = depth
    return with_noise(packed._replace(columns=count_lines(rules)), noise)
