"""Players that are tuple networks: how shapes and what was learned make one that plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.tuple_table import TupleTable, make_table
from evolve_arena.games.connect_four.workspace import SEAT_FIELDS
from evolve_arena.genomes.network import RESOLUTION, SHAPE_FIELDS
from evolve_arena.genomes.tuples import Cells, TuplePopulation, draw_shapes
from evolve_arena.players.lineup import COLUMNS_AT, INPUTS_AT, KIND, TUPLES, Lineup

__all__ = ["TupleDesign", "TuplePlayer"]


@dataclass(frozen=True)
class TupleDesign:
    """What turns shapes and tables into players.

    Raises:
        UnknownNameError: There is no such way to choose shapes.
        BadValueError: There is no such board, it has too many rows, or no room for the tuples.

    >>> TupleDesign(shape="lines").size
    (69, 4)
    """

    columns: int = 7
    rows: int = 6
    connect: int = 4
    shape: str = "walks"
    """How the cells of tuples are chosen; see `evolve_arena.genomes.tuples.SHAPES`."""
    tuples: int = 60
    """How many random walks there are; lines are as many as the board has."""
    length: int = 8
    """Cells of a random walk."""

    head: ClassVar[str] = "value"

    def __post_init__(self) -> None:
        if not 1 <= self.tuples <= 1000:
            raise BadValueError(f"tuples is {self.tuples}: it must be from 1 to 1000")
        if not 1 <= self.length <= 12:
            raise BadValueError(f"length is {self.length}: it must be from 1 to 12")
        _ = self.game
        make_table(self.draw(np.random.default_rng(0))[:1], self.game.rules)  # raises if it can't

    @cached_property
    def game(self) -> ConnectFour:
        """What the player plays."""
        return ConnectFour(columns=self.columns, rows=self.rows, connect=self.connect)

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many tuples a network has, and of how many cells."""
        tuples, length = self.draw(np.random.default_rng(0)).shape
        return tuples, length

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

    def pack(self, genomes: TuplePopulation) -> Lineup:
        """The players that *genomes* make: their tables in whole units of 1/65536.

        What is no number counts as 0, and what is so large that sums could overflow as the
        largest that is safe.
        """
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        parts: list[NDArray[np.int32]] = []
        at = 0
        for seat, cells, tables in zip(seats, genomes.cells, genomes.tables, strict=True):
            table = self.table(cells)
            limit = float(32767 // table.readings)
            numbers = np.nan_to_num(tables[: 2 * table.entries], posinf=limit, neginf=-limit)
            whole = np.rint(np.clip(numbers, -limit, limit).astype(np.float64) * RESOLUTION)
            seat[KIND] = TUPLES
            seat[COLUMNS_AT] = at
            seat[INPUTS_AT] = at + len(table.structure)
            parts += [table.structure, whole.astype(np.int32)]
            at += len(table.structure) + len(whole)
        return Lineup(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            np.concatenate([*parts, np.zeros(0, dtype=np.int32)]),
            np.zeros(0, dtype=np.float32),
            np.zeros(0, dtype=np.float64),
        )

    def player(self, genome: TuplePopulation, name: str) -> TuplePlayer:
        """The player that a population of one makes."""
        return TuplePlayer(self, genome, name)


@lru_cache(maxsize=64)
def _make_table(cells: bytes, shape: tuple[int, ...], rules: Rules) -> TupleTable:
    return make_table(np.frombuffer(cells, dtype=np.int16).reshape(shape), rules)


class TuplePlayer(ColumnPlayer):
    """A tuple network that plays.

    Args:
        design: The board, and how the shapes were chosen.
        genome: A population of one.
        name: How tables call it.
    """

    kind = "tuples"
    genome_kind = "tuples"
    design_type = TupleDesign
    design: TupleDesign

    def __init__(self, design: TupleDesign, genome: TuplePopulation, name: str) -> None:
        super().__init__(design, design.pack(genome), name)
        self.genome = genome

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The shapes as ``cells``, and what was learned as ``tables``."""
        entries = self.design.table(self.genome.cells[0]).entries
        tables = self.genome.tables[0, : 2 * entries].astype(np.float32)
        return {"cells": self.genome.cells[0], "tables": tables}

    @classmethod
    def read(
        cls, options: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
    ) -> TuplePlayer:
        """The player of a stored design and its arrays."""
        design = TupleDesign(**options)
        cells, tables = arrays["cells"], arrays["tables"]
        board = design.columns * design.rows
        if cells.ndim != 2 or cells.size == 0 or cells.dtype.kind != "i":
            raise BadValueError(f"its tuples are {cells.dtype} of shape {cells.shape}")
        if not 0 <= cells.min() <= cells.max() < board:
            raise BadValueError(f"its tuples are no cells of a board of {board}")
        needed = 2 * design.table(cells).entries
        if tables.shape != (needed,) or tables.dtype != np.float32:
            raise BadValueError(
                f"its tables are {tables.dtype} of shape {tables.shape}, expected float32 of shape"
                f" ({needed},)"
            )
        return design.player(TuplePopulation(cells[None], tables[None]), name)
