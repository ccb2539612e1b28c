"""Players that are n-tuple networks, and the decoders from shapes and tables to such players."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Arrays, Floats, Position, Settings
from evolve_arena.genomes.network import RESOLUTION, SHAPE_FIELDS
from evolve_arena.genomes.tuple_entries import FIRST_AT
from evolve_arena.genomes.tuples import Cells, TuplePopulation, TupleTable
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.packed import COLUMNS_AT, INPUTS_AT, KIND, TUPLES, PackedPlayers

if TYPE_CHECKING:
    from evolve_arena.players.board.game import BoardGame


def explain_too_large(
    shape: tuple[int, ...], most: int, count: Callable[[int], int]
) -> BadValueError:
    """Return the error for tables that are too large, with a length that would fit.

    Args:
        shape: Number of tuples, and cells of each.
        most: Maximum number of table entries.
        count: Returns the entries that tuples of a given length need.
    """
    tuples, length = shape
    fits = [shorter for shorter in range(1, length) if count(shorter) <= most]
    advice = f"network.length={fits[-1]}" if fits else "fewer network.tuples"
    return BadValueError(
        f"network.length is {length}: {tuples} tuples (network.tuples) of so many cells need more"
        f" than {most:,} numbers; {advice} would do"
    )


class TupleDecoder(ABC):
    """A mapping from shapes and tables to players; a game's decoder is a dataclass with options.

    Raises:
        BadValueError: The number of tuples or their length is out of range.
    """

    tuples: int
    """Number of tuples."""
    length: int
    """Number of cells of each tuple."""
    systematic: bool
    """True if there are further tuples, which are not drawn at random."""

    head: ClassVar[str] = "value"
    player_type: ClassVar[type[TuplePlayer]]

    def __post_init__(self) -> None:
        least = 0 if self.systematic else 1
        if not least <= self.tuples <= 1000:
            raise BadValueError(f"tuples is {self.tuples}: it must be from {least} to 1000")
        if not 1 <= self.length <= 16:
            raise BadValueError(f"length is {self.length}: it must be from 1 to 16")
        _ = self.game
        self.table(self.draw(np.random.default_rng(0))[:1])  # raises if it is too large

    @property
    @abstractmethod
    def game(self) -> BoardGame:
        """Game that the player plays."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """Number of cells of the board."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Cells:
        """Draw the shapes of one individual, shape ``(tuples, length)``."""

    @abstractmethod
    def table(self, cells: Cells) -> TupleTable:
        """Return the table by which tuples of *cells* read the board.

        Raises:
            BadValueError: It would be too large.
        """

    @property
    @abstractmethod
    def places(self) -> NDArray[np.int64]:
        """Place and change by which the evaluation notes each content of each cell.

        The shape is ``(planes, cells, 2)``; `evolve_arena.genomes.tuple_entries` defines places and
        the two kinds of changes, 0 and 1.
        """

    @property
    @abstractmethod
    def count_weights(self) -> int:
        """Number of weights, of each side, that belong to no tuple."""

    sides: ClassVar[tuple[str, ...]] = ("",)
    """Names of the separate sets of weights, such as one for each seat; one empty name without."""

    has_board = True
    """True if cells are those of a board, False if they are numbers or single bits."""

    empty: ClassVar[str] = "empty"
    """Name of the state of an empty cell."""
    output_names: ClassVar[tuple[str, ...]] = ("value",)

    @property
    @abstractmethod
    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of each plane: the states that a cell can have."""

    @property
    def states(self) -> tuple[str, ...]:
        """States of a cell, the first one :attr:`empty`."""
        return (self.empty, *(name for name, _, _ in self.planes))

    @property
    @abstractmethod
    def views(self) -> NDArray[np.int64]:
        """Images of each cell under the symmetries of the board, shape ``(views, cells)``."""

    @abstractmethod
    def list_entries(self, cells: Cells) -> NDArray[np.int64]:
        """Return the states of a tuple's *cells* for each of its table entries.

        Returns:
            Indices in :attr:`states`, shape ``(entries, cells)``.
        """

    @abstractmethod
    def read_cells(self, position: Position) -> tuple[int, NDArray[np.int64]]:
        """Return the index in :attr:`sides` for a *position*, and the state of each cell."""

    @abstractmethod
    def find_cell(self, cell: int) -> int:
        """Return the cell of the game's `PageBoard` for a *cell*; -1 if it is not drawn."""

    @abstractmethod
    def find_input(self, cell: int, state: int) -> int:
        """Return the index of the input, over all :attr:`planes`, for a *state* of a *cell*."""

    @cached_property
    def tuple_shape(self) -> tuple[int, int]:
        """Number of tuples of a network, and of cells of each."""
        tuples, length = self.draw(np.random.default_rng(0)).shape
        return tuples, length

    def split(self, cells: Cells, numbers: Floats) -> list[Floats]:
        """Return the weights of each tuple, and the rest, each of shape ``(sides, entries)``.

        Args:
            cells: The tuples of an individual, shape ``(tuples, length)``.
            numbers: Its weights, at least as many as its tuples read, flat.
        """
        table = self.table(cells)
        first = table.structure[table.structure[FIRST_AT] :]
        starts = first[: len(cells) * len(self.views) : len(self.views)]
        by_side = numbers[: table.numbers].reshape(len(self.sides), -1)
        return np.split(by_side, [*starts[1:], by_side.shape[1] - self.count_weights], axis=1)

    def join(self, weights: Sequence[Floats], room: int) -> Floats:
        """Return the weights of an individual, with zeros up to so many, of those of its tuples.

        Args:
            weights: The weights of each tuple, and the rest, as :meth:`split` gives them.
            room: Number of weights.
        """
        joined = np.concatenate(weights, axis=1).ravel()
        return np.pad(joined, (0, room - len(joined)))

    def pack(self, genomes: TuplePopulation) -> PackedPlayers:
        """Return the arrays of the players that *genomes* encode, tables in units of 1/65536.

        NaN counts as 0; weights so large that sums could overflow are clipped to the largest that
        is safe.

        Raises:
            BadValueError: A table is shorter than the tuples need.
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
            # Fixed point; the limit keeps a sum over all readings within 32 bits.
            limit = float(32767 // table.readings)
            numbers = np.nan_to_num(tables[: table.numbers], posinf=limit, neginf=-limit)
            whole = np.rint(np.clip(numbers, -limit, limit).astype(np.float64) * RESOLUTION)
            # The structure comes first in the columns, then the table.
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
        """Return the player that *genome*, a population of one individual, encodes."""
        return self.player_type(self, genome, name)


class TuplePlayer(EvolvedPlayer):
    """A player that is an n-tuple network.

    Args:
        decoder: Board, and choice of the shapes.
        genome: Population of one individual.
        name: Name in tables.
    """

    kind = "tuples"
    genome_kind = "tuples"
    decoder: Any

    def __init__(self, decoder: TupleDecoder, genome: TuplePopulation, name: str) -> None:
        super().__init__(decoder, decoder.pack(genome), name)
        self.genome = genome

    @property
    def arrays(self) -> Arrays:
        """Shapes as ``cells``, and learned weights as ``tables``."""
        numbers = self.decoder.table(self.genome.cells[0]).numbers
        tables = self.genome.tables[0, :numbers].astype(np.float32)
        return {"cells": self.genome.cells[0], "tables": tables}

    def round(self, step: float) -> Self:
        """Return a player whose weights are the multiples of *step* that are nearest."""
        return self.with_tables(np.rint(self.genome.tables[0] / step) * step)

    def with_tables(self, tables: Floats) -> Self:
        """Return the same player with other weights, shape ``(weights,)``."""
        genome = TuplePopulation(self.genome.cells, tables.astype(np.float32)[None])
        made = type(self)(self.decoder, genome, self.name)
        made.remarks = self.remarks
        return made

    def read_entries(self, position: Position) -> NDArray[np.float64]:
        """Return the table entries that a *position* selects, shape ``(tuples, views)``."""
        side, states = self.decoder.read_cells(position)
        numbers = self.arrays["tables"].astype(np.float64).reshape(len(self.decoder.sides), -1)
        found, at = [], 0
        for cells in self.genome.cells[0].astype(np.int64):
            # The entry whose states equal those of the cells, for each view of the board
            entries = self.decoder.list_entries(cells)
            rows = [(entries == states[view[cells]]).all(axis=1) for view in self.decoder.views]
            found.append([numbers[side, at + int(np.flatnonzero(row)[0])] for row in rows])
            at += len(entries)
        return np.array(found)

    @classmethod
    def read(cls, options: Settings, arrays: Mapping[str, Array], name: str) -> Self:
        """Return the player of a stored decoder and its arrays.

        Args:
            options: Fields of the decoder by name.
            arrays: Shapes as ``cells`` (integers), shape ``(tuples, length)``, and learned weights
                as ``tables`` (``float32``), shape ``(weights,)``.
            name: Name of the player in tables.

        Raises:
            BadValueError: The arrays do not fit the decoder.
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
