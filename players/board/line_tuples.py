"""Weight vectors as tuple networks: all straight tuples of a board, with shared weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.genomes.lines import LineTuples, find_lines
from evolve_arena.genomes.network import RESOLUTION, SHAPE_FIELDS
from evolve_arena.genomes.tuple_entries import (
    ENTRIES,
    FIELDS,
    FIRST_AT,
    READINGS,
    STARTS_AT,
)
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.networks import BoardDecoder, find_views
from evolve_arena.players.board.workspace import RECORD_FIELDS, TAKES_WINS, plane_words
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.packed import INPUTS_AT, KIND, TUPLES, PackedPlayers

Genomes = NDArray[np.float32]


@dataclass(frozen=True)
class LineTupleDecoder(BoardDecoder):
    """Decoder of the weights of all straight tuples of a board.

    Raises:
        BadValueError: The board declares no symmetry, or the tuples are too long for it.
    """

    straight: int = 2
    """Cells of a tuple: neighbours in a row, in a column or on a diagonal."""
    squares: bool = False
    """True if all squares of two by two cells are tuples, too."""
    short_lines: bool = False
    """True if the lines of two or more cells that are shorter than a tuple are tuples, too."""

    grows: ClassVar[tuple[str, ...]] = ("straight", "squares", "short_lines")
    """Fields in which a smaller network may differ that :meth:`embed` takes."""
    head: ClassVar[str] = "value"
    output_names: ClassVar[tuple[str, ...]] = ("value",)
    player_type: ClassVar[type[EvolvedPlayer]]

    def __post_init__(self) -> None:
        for key in ("squares", "short_lines"):
            if not isinstance(value := getattr(self, key), bool):
                raise BadValueError(f"{key} is {value!r}: it must be true or false")
        self._find_search()
        _ = self.lines

    @cached_property
    def lines(self) -> LineTuples:
        """The tuples, and the tables with which they are read."""
        game = self.game
        views = np.ascontiguousarray(find_views(game), dtype=np.int64)
        kinds = game.board_planes + 1
        return find_lines(
            *game.grid.shape,
            kinds,
            self.straight,
            views.tobytes(),
            squares=self.squares,
            short_lines=self.short_lines,
        )

    @property
    def genes(self) -> int:
        """Number of weights."""
        return self.lines.genes

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of each plane: the contents that a cell can have."""
        return list(self.game.planes[: self.game.board_planes])

    def initialise(self, individuals: int, name: str, rng: np.random.Generator) -> Genomes:
        """Return random genomes, shape ``(individuals, genes)``.

        Args:
            individuals: Number of genomes.
            name: ``zero``; or ``normal:SIGMA`` or ``uniform:BOUND``, such as ``normal:1``.
            rng: Source of random numbers.

        Raises:
            UnknownNameError: There is no such distribution.
            BadValueError: Its parameter is no positive number.
        """
        shape, (kind, _, text) = (individuals, self.genes), name.partition(":")
        if name == "zero":
            return np.zeros(shape, dtype=np.float32)
        if kind not in ("normal", "uniform"):
            raise UnknownNameError("initialisation", name, ["zero", "normal:1", "uniform:1"])
        try:
            width = float(text or 1.0)
        except ValueError:
            width = np.nan
        if not 0.0 < width < 1e6:
            raise BadValueError(f"initialisation is {name!r}: write {kind}:1, for example")
        drawn = rng.normal(size=shape) if kind == "normal" else rng.uniform(-1.0, 1.0, shape)
        return (width * drawn).astype(np.float32)

    def embed(self, genomes: Genomes, smaller: LineTupleDecoder, base: Genomes) -> Genomes:
        """Return genomes that value each position as those of shorter tuples do.

        Args:
            genomes: Genomes of the shorter tuples, shape ``(individuals, smaller.genes)``.
            smaller: Their decoder.
            base: Random genomes, as all decoders take them; none is needed here.

        Raises:
            BadValueError: One of the shorter tuples is in none of these.
        """
        embedded = self.lines.embed(genomes.astype(np.float64), smaller.lines)
        return embedded.astype(np.float32)

    @cached_property
    def _structure(self) -> NDArray[np.int32]:
        """Structure of the tables for compiled code; see `evolve_arena.genomes.tuple_entries`."""
        lines, game = self.lines, self.game
        plane_bits, grid = 64 * plane_words(game.code), game.grid.ravel()
        found: list[list[tuple[int, int]]] = [[] for _ in range(plane_bits * int(game.code.PLANES))]
        for reading, block in enumerate(lines.blocks):
            for place, cell in enumerate(block):
                for plane in range(game.board_planes):
                    bit = plane * plane_bits + int(grid[cell])
                    found[bit].append((reading, (plane + 1) * lines.kinds**place))
        members = [[reading for reading, _ in pairs] for pairs in found]
        deltas = [
            [sign * add for _, add in pairs] for pairs in found for sign in (1, -1)
        ]  # a cleared bit takes back what a set bit adds
        starts = np.cumsum([0, *map(len, members)])
        parts = [starts, np.concatenate(members), np.concatenate(deltas), lines.tables]
        head = np.zeros(FIELDS)
        head[[READINGS, ENTRIES]] = len(lines.blocks), len(lines.gather)
        head[STARTS_AT : FIRST_AT + 1] = np.cumsum([FIELDS, *map(len, parts[:-1])])
        return np.concatenate([head, *parts]).astype(np.int32)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """Return the arrays of the players that *genomes* encode, shape ``(individuals, genes)``.

        Only differences between values count, so weights are scaled to fit fixed point.
        """
        structure, count = self._structure, len(genomes)
        tables = self.lines.fill(self._scale(genomes), RESOLUTION, self._limit)
        seats = np.zeros((count, RECORD_FIELDS), dtype=np.int64)
        seats[:, KIND] = TUPLES
        seats[:, INPUTS_AT] = len(structure) + tables.shape[1] * np.arange(count)
        seats[:, TAKES_WINS] = not self.game.code.HAS_GUESS
        for field, number in self._find_search().items():
            seats[:, field] = number
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            np.concatenate([structure, tables.ravel()]),
            np.zeros(0, dtype=np.float32),
            np.zeros(0, dtype=np.float64),
        )

    def _scale(self, genomes: Genomes) -> Genomes:
        """Return *genomes* with smaller weights, if any is too large for fixed point."""
        readings = len(self.lines.classes) * len(find_views(self.game))
        most = min(100.0, 32767 // readings)
        largest = np.abs(np.nan_to_num(genomes)).max(axis=1, keepdims=True, initial=most)
        scaled: Genomes = (genomes * (most / largest)).astype(np.float32)
        return scaled

    @property
    def _limit(self) -> int:
        """Largest magnitude of a table's entry, in units of 1/65536: sums have 32 bits."""
        return (2**31 - 1) // len(self.lines.blocks)

    def player(self, genome: Genomes, name: str) -> EvolvedPlayer:
        """Return the player that *genome* encodes, of shape ``(genes,)``: a tuple network.

        It reads one tuple of each class with all symmetries, and has the same values.
        """
        lines, game = self.lines, self.game
        weights = self._scale(genome[None])
        whole = lines.quantise(weights, RESOLUTION, self._limit)[0]
        # Tuples of one length: shorter ones get further cells, which make no difference.
        length = max(map(len, lines.classes))
        cells = np.array(
            [
                [*window, *sorted(set(range(game.grid.size)) - set(window))][:length]
                for window in lines.classes
            ],
            dtype=np.int16,
        )
        options = {name: getattr(self, name) for name in game.options}
        options |= {"depth": self.depth, "rollouts": self.rollouts}
        decoder: Any = (
            find_game(game.name)
            .networks["tuples"]
            .decoder_type(**options, tuples=len(cells), length=length)
        )
        tables = []
        for tuple_cells, window, first, share in zip(
            cells, lines.classes, lines.firsts, lines.shares, strict=False
        ):
            contents = decoder.list_entries(tuple_cells)[:, : len(window)]
            contents = np.where(contents < lines.kinds, contents, 0)  # the next cell is empty
            genes = first + contents @ lines.kinds ** np.arange(len(window))
            tables.append(whole[genes] / (share * RESOLUTION))
        numbers = np.concatenate(tables).astype(np.float32)
        population = TuplePopulation(cells[None], numbers[None])
        made: EvolvedPlayer = decoder.player(population, name)
        return made
