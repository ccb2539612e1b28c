"""NEAT graphs for checkers: how a genome whose structure grows makes a player that searches.

A graph sees no squares but the first fourteen features of
:mod:`evolve_arena.games.checkers.features`: a tenth of the connections that the board would take,
and each means the same in both colours. The features are those of the player who looks ahead, in
whose eyes its own pieces come first; the one output is what the position is worth to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import ClassVar

import numpy as np

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.checkers.features import FEATURE_WORDS, see_features
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.linear import MAX_DEPTH
from evolve_arena.games.checkers.position import Position
from evolve_arena.games.checkers.values import (
    DEPTH,
    FEATURES,
    INPUT_SCALE,
    QUIET,
    SEAT_FIELDS,
    SLOTS,
    TERMS,
)
from evolve_arena.genomes.neat.graph import compile_graphs
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.players.bred import Inputs, Labels, NeatPlayer
from evolve_arena.players.packed import COLUMNS_AT, GRAPH, KIND, NUMBERS_AT, PackedPlayers


@dataclass(frozen=True)
class CheckersGraphDecoder:
    """What turns a NEAT genome into a player: everything but the genome.

    Graphs are feed-forward: a search looks at positions in an order that means nothing, so there
    is nothing to remember.

    Raises:
        BadValueError: *depth* or *turned* is out of range, or *quiet* is no truth value.

    >>> CheckersGraphDecoder(depth=4).inputs
    14
    """

    depth: int = 2
    """How many plies the player looks ahead, 1 to 12."""
    quiet: bool = False
    """Whether captures are followed beyond the last ply, until there are none."""
    turned: int = 0
    """Whether light moves first; see `evolve_arena.games.checkers.game.Checkers`."""

    inputs: ClassVar[int] = 14
    """How many features the graph sees, each times
    `evolve_arena.games.checkers.values.INPUT_SCALE`."""
    outputs: ClassVar[int] = 1
    feed_forward: ClassVar[bool] = True
    why_feed_forward: ClassVar[str] = (
        "graphs value positions of a search, which has nothing to remember"
    )
    head: ClassVar[str] = "value"

    def __post_init__(self) -> None:
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

    def pack(self, genomes: NeatPopulation) -> PackedPlayers:
        """The players that *genomes* make."""
        graphs = compile_graphs(genomes, self.inputs, self.outputs, feed_forward=True)
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        seats[:, KIND] = GRAPH
        seats[:, COLUMNS_AT] = graphs.structure_at
        seats[:, NUMBERS_AT] = graphs.numbers_at
        seats[:, FEATURES] = self.inputs
        seats[:, SLOTS] = graphs.slots
        seats[:, TERMS] = graphs.terms
        seats[:, DEPTH] = self.depth
        seats[:, QUIET] = self.quiet
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            graphs.structure,
            np.zeros(0, dtype=np.float32),
            graphs.numbers,
        )

    def player(self, genome: NeatPopulation, name: str) -> CheckersGraphPlayer:
        """The player that one *genome*, a population of one, makes."""
        return CheckersGraphPlayer(self, genome, name)


class CheckersGraphPlayer(NeatPlayer):
    """A NEAT graph that plays checkers by search.

    Args:
        decoder: How far it looks ahead.
        genome: A population of this one genome.
        name: How tables call it.
    """

    kind = "checkers-neat"
    decoder_type = CheckersGraphDecoder
    decoder: CheckersGraphDecoder

    @property
    def labels(self) -> Labels:
        """The features."""
        count = self.decoder.inputs
        return Labels([(f"features, times {INPUT_SCALE:g}", count, 1)], FEATURE_WORDS[:count])

    def see(self, position: Position) -> Inputs:
        """The features of a position, as who is to move counts them."""
        counts = see_features(position, self.decoder.inputs)
        return Inputs(counts.astype(np.float64) * INPUT_SCALE, self.labels)
