"""Tuple networks that play Connect Four."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.tuple_table import make_table, show_entries
from evolve_arena.genomes.tuples import Cells, TupleTable, draw_shapes
from evolve_arena.players import tuples


@dataclass(frozen=True)
class TupleDecoder(tuples.TupleDecoder):
    """What turns shapes and tables into players.

    Raises:
        UnknownNameError: There is no such way to choose shapes.
        BadValueError: There is no such board, it has too many rows, or no room for the tuples.

    >>> TupleDecoder(shape="lines").tuple_shape
    (69, 4)
    """

    halves: ClassVar[bool] = True

    columns: int = 7
    rows: int = 6
    connect: int = 4
    shape: str = "walks"
    """How the cells of tuples are chosen; see `evolve_arena.genomes.tuples.SHAPES`."""
    tuples: int = 60
    """How many random walks there are; lines are as many as the board has."""
    length: int = 8
    """Cells of a random walk."""
    steal: int = field(default=0, kw_only=True)
    """Whether there is the move STEAL: 0 or 1."""

    @cached_property
    def game(self) -> ConnectFour:
        """What the player plays."""
        return ConnectFour(self.columns, self.rows, self.connect, self.steal)

    @property
    def cells(self) -> int:
        """How many cells the board has."""
        return self.columns * self.rows

    @property
    def places(self) -> NDArray[np.int64]:
        """Cells stand row by row, the top row first; the bits of the board column by column."""
        rows, columns = np.mgrid[self.rows - 1 : -1 : -1, : self.columns]
        bits = (columns * self.game.rules.height + rows).ravel()
        return np.stack([np.stack([bits, np.full_like(bits, owner)], 1) for owner in range(2)])

    sides = ("after a move of who began", "after a move of the other")
    empty = "empty, not yet in reach"

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """Discs, and where the next ones would lie."""
        names = "disc of who began", "disc of the other", "next to be filled"
        return [(name, self.rows, self.columns) for name in names]

    @property
    def views(self) -> NDArray[np.int64]:
        """The board and its mirror image."""
        board = np.arange(self.cells).reshape(self.columns, self.rows)
        return np.stack([board.ravel(), board[::-1].ravel()])

    def list_entries(self, cells: Cells) -> NDArray[np.int64]:
        """See `show_entries`."""
        return show_entries(cells, self.game.rules).astype(np.int64)

    def read_cells(self, position: Position) -> tuple[int, NDArray[np.int64]]:
        """The discs, and where the next ones would lie; what counts is who has moved."""
        lying = position.cells()[::-1].T.astype(np.int64)
        heights = (lying > 0).sum(axis=1)
        for column in np.flatnonzero(heights < self.rows):
            lying[column, heights[column]] = 3
        return (position.ply + 1) % 2, lying.ravel()

    def find_cell(self, cell: int) -> int:
        """Pictures have the top row first."""
        column, row = divmod(cell, self.rows)
        return (self.rows - 1 - row) * self.columns + column

    def draw(self, generator: np.random.Generator) -> Cells:
        """The genes of one individual, shape ``(tuples, length)``."""
        return draw_shapes(
            self.shape,
            self.columns,
            self.rows,
            self.connect,
            self.tuples,
            self.length,
            generator,
        )

    def table(self, cells: Cells) -> TupleTable:
        """How tuples of *cells* read the board."""
        return _make_table(cells.astype(np.int16).tobytes(), cells.shape, self.game.rules)


@lru_cache(maxsize=64)
def _make_table(cells: bytes, shape: tuple[int, ...], rules: Rules) -> TupleTable:
    return make_table(np.frombuffer(cells, dtype=np.int16).reshape(shape), rules)


class TuplePlayer(tuples.TuplePlayer, ColumnPlayer):
    """A tuple network that plays."""

    decoder_type = TupleDecoder
    decoder: TupleDecoder


TupleDecoder.player_type = TuplePlayer
