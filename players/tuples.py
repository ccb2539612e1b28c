"""Players that are tuple networks: how shapes and what was learned make one that plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.network import RESOLUTION, SHAPE_FIELDS
from evolve_arena.genomes.tuples import Cells, TuplePopulation, TupleTable
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import COLUMNS_AT, INPUTS_AT, KIND, TUPLES, PackedPlayers


def explain_too_large(
    shape: tuple[int, ...], most: int, count: Callable[[int], int]
) -> BadValueError:
    """The error of tuples that need more numbers than there may be: the key, and a value that fits.

    Args:
        shape: How many tuples there are, and of how many cells each.
        most: How many numbers there may be.
        count: How many numbers as many tuples of another length need.
    """
    tuples, length = shape
    fits = [shorter for shorter in range(1, length) if count(shorter) <= most]
    advice = f"network.length={fits[-1]}" if fits else "fewer network.tuples"
    return BadValueError(
        f"network.length is {length}: {tuples} tuples (network.tuples) of so many cells need more"
        f" than {most:,} numbers; {advice} would do"
    )


class TupleDecoder(ABC):
    """What turns shapes and tables into players; a game's is a dataclass with its options.

    Raises:
        BadValueError: There are too few or many tuples, or these are too short or long.
    """

    tuples: int
    """How many there are."""
    length: int
    """Cells of each."""

    head: ClassVar[str] = "value"
    player_type: ClassVar[type[TuplePlayer]]

    def __post_init__(self) -> None:
        if not 1 <= self.tuples <= 1000:
            raise BadValueError(f"tuples is {self.tuples}: it must be from 1 to 1000")
        if not 1 <= self.length <= 16:
            raise BadValueError(f"length is {self.length}: it must be from 1 to 16")
        _ = self.game
        self.table(self.draw(np.random.default_rng(0))[:1])  # raises if it can't

    @property
    @abstractmethod
    def game(self) -> Any:
        """What the player plays."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells the board has."""

    @abstractmethod
    def draw(self, generator: np.random.Generator) -> Cells:
        """The genes of one individual, shape ``(tuples, length)``."""

    @abstractmethod
    def table(self, cells: Cells) -> TupleTable:
        """How tuples of *cells* read the board.

        Raises:
            BadValueError: They need too much room.
        """

    @property
    @abstractmethod
    def places(self) -> NDArray[np.int64]:
        """For each plane and cell the place and the change that stand for what lies there.

        Shape ``(planes, cells, 2)``; see `evolve_arena.genomes.tuple_entries`.
        """

    sides: ClassVar[tuple[str, ...]] = ("",)
    """After whose moves numbers count, if there are some for each player."""

    has_board = True
    """Whether cells are those of a board, and not numbers or single bits."""

    empty: ClassVar[str] = "empty"
    """What a cell is on which nothing lies."""
    output_names: ClassVar[tuple[str, ...]] = ("value",)

    @property
    @abstractmethod
    def planes(self) -> list[tuple[str, int, int]]:
        """What can lie on a cell, and the rows and columns of the board."""

    @property
    def states(self) -> tuple[str, ...]:
        """What a cell can be, the first one :attr:`empty`."""
        return (self.empty, *(name for name, _, _ in self.planes))

    @property
    @abstractmethod
    def views(self) -> NDArray[np.int64]:
        """Where each cell lies whenever tuples are read, shape ``(views, cells)``."""

    @abstractmethod
    def list_entries(self, cells: Cells) -> NDArray[np.int64]:
        """What the entries of one tuple stand for: the state of each of its *cells*.

        Returns:
            Shape ``(entries, cells)``: places in :attr:`states`.
        """

    @abstractmethod
    def read_cells(self, position: Any) -> tuple[int, NDArray[np.int64]]:
        """For which of :attr:`sides` numbers count in a *position*, and the state of each cell."""

    @abstractmethod
    def find_cell(self, cell: int) -> int:
        """The cell of the game's `BoardView` that a *cell* is; -1 if it is not drawn."""

    @abstractmethod
    def find_input(self, cell: int, state: int) -> int:
        """The place in :attr:`planes`, one after the other, where a *cell* shows a *state*."""

    @cached_property
    def tuple_shape(self) -> tuple[int, int]:
        """How many tuples a network has, and of how many cells."""
        tuples, length = self.draw(np.random.default_rng(0)).shape
        return tuples, length

    def pack(self, genomes: TuplePopulation) -> PackedPlayers:
        """The players that *genomes* make: their tables in whole units of 1/65536.

        What is no number counts as 0, and what is so large that sums could overflow as the
        largest that is safe.

        Raises:
            BadValueError: There are fewer numbers than the tuples read.
        """
        seats = np.zeros((len(genomes), RECORD_FIELDS), dtype=np.int64)
        parts: list[NDArray[np.int32]] = []
        at = 0
        for seat, cells, tables in zip(seats, genomes.cells, genomes.tables, strict=True):
            table = self.table(cells)
            if len(tables) < table.numbers:
                raise BadValueError(
                    f"there are {len(tables):,} numbers, but tuples read {table.numbers:,}"
                )
            limit = float(32767 // table.readings)
            numbers = np.nan_to_num(tables[: table.numbers], posinf=limit, neginf=-limit)
            whole = np.rint(np.clip(numbers, -limit, limit).astype(np.float64) * RESOLUTION)
            seat[KIND] = TUPLES
            seat[COLUMNS_AT] = at
            seat[INPUTS_AT] = at + len(table.structure)
            parts += [table.structure, whole.astype(np.int32)]
            at += len(table.structure) + len(whole)
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            np.concatenate([*parts, np.zeros(0, dtype=np.int32)]),
            np.zeros(0, dtype=np.float32),
            np.zeros(0, dtype=np.float64),
        )

    def player(self, genome: TuplePopulation, name: str) -> TuplePlayer:
        """The player that a population of one makes."""
        return self.player_type(self, genome, name)


class TuplePlayer(BredPlayer):
    """A tuple network that plays.

    Args:
        decoder: The board, and how the shapes were chosen.
        genome: A population of one.
        name: How tables call it.
    """

    kind = "tuples"
    genome_kind = "tuples"
    decoder: Any

    def __init__(self, decoder: TupleDecoder, genome: TuplePopulation, name: str) -> None:
        super().__init__(decoder, decoder.pack(genome), name)
        self.genome = genome

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The shapes as ``cells``, and what was learned as ``tables``."""
        numbers = self.decoder.table(self.genome.cells[0]).numbers
        tables = self.genome.tables[0, :numbers].astype(np.float32)
        return {"cells": self.genome.cells[0], "tables": tables}

    def read_entries(self, position: Any) -> NDArray[np.float64]:
        """The numbers that a *position* picks, shape ``(tuples, views)``."""
        side, states = self.decoder.read_cells(position)
        numbers = self.arrays["tables"].astype(np.float64).reshape(len(self.decoder.sides), -1)
        found, at = [], 0
        for cells in self.genome.cells[0].astype(np.int64):
            entries = self.decoder.list_entries(cells)
            rows = [(entries == states[view[cells]]).all(axis=1) for view in self.decoder.views]
            found.append([numbers[side, at + int(np.flatnonzero(row)[0])] for row in rows])
            at += len(entries)
        return np.array(found)

    @classmethod
    def read(
        cls, options: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
    ) -> Self:
        """The player of a stored decoder and its arrays.

        Raises:
            BadValueError: They do not fit together.
        """
        decoder = cls.decoder_type(**options)
        cells, tables = arrays["cells"], arrays["tables"]
        if cells.ndim != 2 or cells.size == 0 or cells.dtype.kind != "i":
            raise BadValueError(f"its tuples are {cells.dtype} of shape {cells.shape}")
        if not 0 <= cells.min() <= cells.max() < decoder.cells:
            raise BadValueError(f"its tuples are no cells of a board of {decoder.cells}")
        needed = decoder.table(cells).numbers
        if tables.shape != (needed,) or tables.dtype != np.float32:
            raise BadValueError(
                f"its tables are {tables.dtype} of shape {tables.shape}, expected float32 of shape"
                f" ({needed},)"
            )
        return cls(decoder, TuplePopulation(cells[None], tables[None]), name)
