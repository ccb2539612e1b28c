"""Players of checkers that add up features of a position: how weights make one that searches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.checkers.features import FEATURE_SETS, FEATURE_WORDS, see_features
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.position import Position
from evolve_arena.games.checkers.values import (
    DEPTH,
    FEATURES,
    LINEAR,
    QUIET,
    SEAT_FIELDS,
    TABLE_SIZE,
    UNIT,
)
from evolve_arena.genomes.mlp import INITIALISATIONS, Genomes
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.players.bred import Inputs, Labels, VectorPlayer
from evolve_arena.players.packed import COLUMNS_AT, KIND, PackedPlayers, with_noise

MAX_DEPTH = 12
"""The deepest search, in plies."""
PIECES = (1.0, 1.5, -1.0, -1.5)
"""What the piece counts are worth to who counts nothing else: men and kings, then the other's."""

ENCODINGS = ("binary", "many-valued")
OWN_INITIALISATIONS = ("pieces", "zero")


@dataclass(frozen=True)
class LinearDecoder:
    """What turns weights into a player: everything but the weights.

    A position is worth the sum of its features times their weights to the player who looks
    ahead. There is no bias: a position without anything in it is worth as much as a draw.
    Source: Piotrowski (2004), sections 4.3 and 5.4.

    Raises:
        UnknownNameError: There is no such encoding.
        BadValueError: A number is out of range.

    >>> LinearDecoder(features=14).genes, LinearDecoder(features=4, encoding="binary").genes
    (14, 128)
    """

    features: int = 14
    """How many of :data:`evolve_arena.games.checkers.features.FEATURE_NAMES` count: the first 4,
    14 or 20."""
    encoding: str = "many-valued"
    """``many-valued``: a weight for each feature, times its value. ``binary``: a weight for each
    value of each feature from 0 to 31, and larger ones count as 31."""
    depth: int = 4
    """How many plies the player looks ahead, 1 to 12."""
    quiet: bool = False
    """Whether captures are followed beyond the last ply until none is left."""
    turned: int = 0
    """1 to play the game in which light moves first; see
    :class:`evolve_arena.games.checkers.game.Checkers`."""

    head: ClassVar[str] = "value"

    def __post_init__(self) -> None:
        if self.features not in FEATURE_SETS:
            raise BadValueError(f"features is {self.features!r}: it must be 4, 14 or 20")
        if self.encoding not in ENCODINGS:
            raise UnknownNameError("encoding", self.encoding, ENCODINGS)
        whole = isinstance(self.depth, Integral) and not isinstance(self.depth, bool)
        if not whole or not 1 <= self.depth <= MAX_DEPTH:
            raise BadValueError(
                f"depth is {self.depth!r}: it must be a whole number from 1 to {MAX_DEPTH}"
            )
        if not isinstance(self.quiet, bool):
            raise BadValueError(f"quiet is {self.quiet!r}: it must be true or false")
        _ = self.game

    @cached_property
    def game(self) -> Checkers:
        """What the player plays."""
        return Checkers(turned=self.turned)

    @property
    def genes(self) -> int:
        """How many numbers make an individual.

        Binary ones stand feature by feature, the weight of value 0 first.
        """
        return self.features * TABLE_SIZE if self.encoding == "binary" else self.features

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population, shape ``(individuals, genes)``.

        Args:
            individuals: How many.
            name: ``zero``; ``pieces``, the worth of pieces in :data:`PIECES` and nothing else,
                or ``pieces:0.1``, with Gaussian numbers of that standard deviation added; or one
                of :data:`evolve_arena.genomes.mlp.INITIALISATIONS`, perhaps with its width,
                ``uniform:0.5``, as for a layer of as many inputs as there are features and one
                unit.
            generator: Where the numbers come from.

        Raises:
            UnknownNameError: There is no such initialisation.
            BadValueError: The width is no positive number, or ``zero`` has one.
        """
        kind, colon, text = name.partition(":")
        known = (*INITIALISATIONS, *OWN_INITIALISATIONS)
        if kind not in known:
            raise UnknownNameError("initialisation", kind, known)
        if kind == "zero" and colon:
            raise BadValueError(f"initialisation {name!r}: zero has no width")
        size = (individuals, self.genes)
        if kind == "zero":
            return np.zeros(size, dtype=np.float32)
        if kind == "pieces":
            spread = _read_width(name, text) if colon else 0.0
            return (self._pieces + generator.normal(0.0, spread, size)).astype(np.float32)
        width = _read_width(name, text) if colon else 1.0
        spread = width * INITIALISATIONS[kind](self.features, 1)
        if kind in ("normal", "he"):
            return generator.normal(0.0, spread, size).astype(np.float32)
        return generator.uniform(-spread, spread, size).astype(np.float32)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        What is no number counts as 0, and what is too large for its table (about 2048 in a
        product of weight and value) as the largest that is not.

        Raises:
            BadValueError: They have another shape.
        """
        if genomes.ndim != 2 or genomes.shape[1] != self.genes:
            raise BadValueError(
                f"genomes have shape {genomes.shape}, expected (individuals, {self.genes})"
            )
        tables = self._tables(genomes)
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        seats[:, KIND] = LINEAR
        seats[:, COLUMNS_AT] = np.arange(len(genomes)) * self.features * TABLE_SIZE
        seats[:, FEATURES] = self.features
        seats[:, DEPTH] = self.depth
        seats[:, QUIET] = self.quiet
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            tables.ravel(),
            np.zeros(0, dtype=np.float32),
            np.zeros(0, dtype=np.float64),
        )

    def player(self, genome: NDArray[np.float32], name: str) -> LinearPlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return LinearPlayer(self, genome, name)

    @property
    def _pieces(self) -> NDArray[np.float64]:
        """The genome of who counts pieces only."""
        weights = np.zeros(self.features)
        weights[: len(PIECES)] = PIECES
        if self.encoding == "binary":
            return np.multiply.outer(weights, np.arange(TABLE_SIZE)).ravel()
        return weights

    def _tables(self, genomes: Genomes) -> NDArray[np.int32]:
        """What each value of each feature adds: ``(individuals, features, TABLE_SIZE)``."""
        largest = np.iinfo(np.int32).max
        worths = np.clip(np.nan_to_num(genomes.astype(np.float64)), -largest, largest)
        worths = worths.reshape(len(genomes), self.features, -1) * UNIT
        if self.encoding == "many-valued":
            worths = worths * np.arange(TABLE_SIZE)
        return np.rint(np.clip(worths, -largest, largest)).astype(np.int32)


class LinearPlayer(VectorPlayer):
    """A weighted sum of features that looks ahead.

    Args:
        decoder: What the weights belong to, and how far it looks.
        genome: The weights, shape ``(genes,)``.
        name: How tables call it.
    """

    kind = "linear"
    decoder_type = LinearDecoder
    decoder: LinearDecoder

    @property
    def feature_tables(self) -> tuple[NDArray[np.int32], float]:
        """What each value of each feature adds, shape ``(features, values)``, and its unit."""
        return self.packed.columns.reshape(-1, TABLE_SIZE), 1.0 / UNIT

    @property
    def labels(self) -> Labels:
        """The features."""
        count = self.decoder.features
        return Labels([("features", count, 1)], FEATURE_WORDS[:count])

    def see(self, position: Position) -> Inputs:
        """The features of a position, as who is to move counts them."""
        counts = see_features(position, self.decoder.features)
        return Inputs(counts.astype(np.float64), self.labels)


def make_minimax(
    game: Checkers, depth: int = 4, noise: float = 0.0, quiet: bool = False
) -> LinearPlayer:
    """A player that looks *depth* plies ahead and counts pieces where it stops looking.

    They are worth :data:`PIECES`: a king is worth one and a half men.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.
        quiet: Whether captures are followed beyond the last ply.

    Raises:
        BadValueError: A value is out of range.

    >>> make_minimax(Checkers(), depth=2, noise=0.1).name
    'minimax:depth=2,noise=0.1'
    """
    if not 0.0 <= noise <= 1.0:
        raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
    decoder = LinearDecoder(features=4, depth=depth, quiet=quiet, turned=int(game.turned))
    name = f"minimax:depth={depth}"
    name += f",noise={noise:.10g}" if noise else ""
    name += ",quiet=1" if quiet else ""
    player = decoder.player(np.array(PIECES, dtype=np.float32), name)
    player.packed = with_noise(player.packed, noise)
    return player


def _read_width(name: str, text: str) -> float:
    """The number behind the colon of an initialisation called *name*."""
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if not 0.0 < width < float("inf"):
        raise BadValueError(f"initialisation {name!r}: its width must be a number above 0")
    return width
