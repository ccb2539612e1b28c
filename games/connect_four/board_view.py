"""What a network sees of the board, and what its outputs mean: the same for all kinds of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.workspace import ACTION, POLICY, VALUE
from evolve_arena.genomes.encoding import Encoding

HEADS = {"policy": POLICY, "value": VALUE, "action": ACTION}
VIEWPOINTS = {"absolute": 0, "mover": 1}


@dataclass(frozen=True)
class BoardView:
    """The board, how it reaches the inputs of a network, and what the outputs stand for.

    Raises:
        UnknownNameError: A name is not in :data:`HEADS`, :data:`ENCODINGS` or
            :data:`VIEWPOINTS`.
        BadValueError: There is no such board, or a size is no whole number.

    >>> BoardView(encoding="two-planes").inputs
    84
    """

    columns: int = 7
    rows: int = 6
    connect: int = 4
    head: str = "policy"
    """``policy``: an output per column, and one for STEAL where there is that move; the strongest
    legal one is played. ``value``: one output, which scores every position that a move can reach.
    ``action``: one output, which scores every move; the number of its column is the last input."""
    encoding: str = "0/1/2"
    """``0/1/2`` and ``0/1/-1``: one input a cell, which is that number for an empty cell, one's own
    disc and the opponent's. ``two-planes``: an input for each cell and owner, 0 or 1."""
    viewpoint: str = "mover"
    """``mover``: the player's own discs count as the first kind. ``absolute``: those of the
    player who began do."""
    steal: int = field(default=0, kw_only=True)
    """Whether there is the move STEAL: 0 or 1."""

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("head", self.head, HEADS),
            ("encoding", self.encoding, ENCODINGS),
            ("viewpoint", self.viewpoint, VIEWPOINTS),
        ):
            if name not in known:
                raise UnknownNameError(kind, name, known)
        for size in ("columns", "rows", "connect", "steal"):
            value = getattr(self, size)
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise BadValueError(f"{size} is {value!r}: it must be a whole number")
        _ = self.game

    @cached_property
    def game(self) -> ConnectFour:
        """What the player plays."""
        return ConnectFour(self.columns, self.rows, self.connect, self.steal)

    @cached_property
    def board(self) -> Encoding:
        """How the board, and for an action head the move, reaches the inputs."""
        cells = ENCODINGS[self.encoding](self.game.rules)
        return with_moves(cells, self.game.rules.moves) if self.head == "action" else cells

    @property
    def inputs(self) -> int:
        """How many numbers go in."""
        return self.board.inputs

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return self.game.rules.moves if self.head == "policy" else 1

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """What the planes of inputs show, and their rows and columns.

        An action head's last input is in none of them.
        """
        mover = self.viewpoint == "mover"
        own, other = ("own", "opponent's") if mover else ("first player's", "second player's")
        if self.encoding == "two-planes":
            names = [f"{own} discs", f"{other} discs"]
        else:
            _, first, second = self.encoding.replace("-", "−").split("/")
            names = [f"{own} discs as {first}, {other} as {second}"]
        return [(name, self.rows, self.columns) for name in names]

    @property
    def output_names(self) -> list[str]:
        """What the outputs stand for."""
        columns = [f"column {column}" for column in range(self.columns)]
        return columns if self.head == "policy" else ["value"]

    def encode(self, position: Position) -> NDArray[np.float64]:
        """The inputs that show a *position* to a network whose turn it is."""
        discs = [position.first, position.second]
        if self.viewpoint == "mover" and position.ply % 2:
            discs.reverse()
        bits = self.columns * self.game.rules.height
        both = discs[0] | discs[1] << bits
        inputs = np.zeros(self.inputs)
        for feature in range(self.board.features):
            if both >> feature & 1:
                inputs[self.board.index[feature]] += self.board.factor[feature]
        return inputs


def with_moves(board: Encoding, columns: int) -> Encoding:
    """*board* and one more input, the last one: the number of a column, 0 to *columns* - 1.

    It has a feature for each column, after those of the board; one of them is on at a time.
    """
    return Encoding(
        board.inputs + 1,
        np.concatenate([board.index, np.full(columns, board.inputs)]),
        np.concatenate([board.factor, np.arange(columns)]),
        board.active + 1,
        board.most + columns - 1,
    )


def _encode(rules: Rules, factors: tuple[int, int], planes: int) -> Encoding:
    """Features are bits of the board, twice: own discs, then the opponent's."""
    columns, rows, *_ = rules
    bits = columns * rules.height
    cells = columns * rows
    index = np.full(2 * bits, -1, dtype=np.int64)
    factor = np.zeros(2 * bits, dtype=np.int64)
    for owner in range(2):
        for column in range(columns):
            for row in range(rows):
                feature = owner * bits + column * rules.height + row
                cell = (rows - 1 - row) * columns + column
                index[feature] = cell + (cells * owner if planes == 2 else 0)
                factor[feature] = factors[owner]
    return Encoding(planes * cells, index, factor, cells)


ENCODINGS: dict[str, Callable[[Rules], Encoding]] = {
    "0/1/2": lambda rules: _encode(rules, (1, 2), 1),
    "0/1/-1": lambda rules: _encode(rules, (1, -1), 1),
    "two-planes": lambda rules: _encode(rules, (1, 1), 2),
}
"""Encodings by name. Inputs are cells, the top row first.

``0/1/2`` and ``0/1/-1`` give the number of an empty cell, of one's own disc and of the
opponent's. ``two-planes`` has an input for each cell and owner that is 0 or 1.
"""
