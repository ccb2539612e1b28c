"""Value networks for checkers, and how a weight vector makes a player of one.

After Chellapilla and Fogel: each of the 32 squares is an input, 1 for an own man, K for an own
king, -1 and -K for the other's, 0 if it is empty; K is a gene beside the weights. The sum of the
inputs goes to the output as well, by the side of the network, so that even random weights know
what pieces are worth. Sources: "Evolving neural networks to play checkers without relying on
expert knowledge", IEEE Transactions on Neural Networks 10 (1999); "Evolving an expert checkers
playing program without using human expertise", IEEE Transactions on Evolutionary Computation 5
(2001), for the sub-squares.

The square parts of a checkers board, each of which a unit of a network may see.

Source: Chellapilla and Fogel, "Evolving an expert checkers playing program without using human
expertise", IEEE Transactions on Evolutionary Computation 5 (2001).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.linear import MAX_DEPTH
from evolve_arena.games.checkers.page import CheckersBoard
from evolve_arena.games.checkers.position import Position
from evolve_arena.games.checkers.values import DEPTH, QUIET, SEAT_FIELDS
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.limits import check_sizes
from evolve_arena.genomes.mlp import MLP, Genomes
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.self_adaptive import StepGene
from evolve_arena.players.bred import Inputs, Labels, VectorPlayer
from evolve_arena.players.packed import COLUMNS_AT, KIND, NETWORK, SHAPE, WEIGHTS_AT, PackedPlayers

SQUARES, BITS = 32, 35
MEN, KINGS, OTHER_MEN, OTHER_KINGS = 1, 1 + BITS, 1 + 2 * BITS, 1 + 3 * BITS
"""Where the columns of each kind of piece begin; that of the biases comes first."""

LEAST_KING, MOST_KING, FIRST_KING, KING_STEP = 1.0, 3.0, 2.0, 0.1
MOST_PIECES = 24

RELAY = 1.0 / 256.0
"""By how much the sum of the inputs is made smaller on its way through curved activations: on so
short a piece they are as good as straight. Ten men more lose a thousandth in each layer."""
RELAYS = {"tanh": (1.0, 0.0, 0.0), "sigmoid": (4.0, -2.0, 0.0), "relu": (1.0, 0.0, 1.0)}
"""What a relaying unit's activation is multiplied by to give its input back, what is then added,
and what its input is raised by in the first layer, so that it never falls below 0."""


@dataclass(frozen=True)
class CheckersNetworkDecoder:
    """What turns a weight vector into a player: everything but the weights.

    Raises:
        UnknownNameError: No activation function bears that name.
        BadValueError: There is no hidden layer, or one is empty; *depth* or *turned* is out of
            range; a switch is neither true nor false.

    >>> CheckersNetworkDecoder().genes
    1742
    >>> CheckersNetworkDecoder(subsquares=True).genes
    5047
    """

    hidden: tuple[int, ...] = (40, 10)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "tanh"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    subsquares: bool = False
    """Whether a layer comes first that has a unit for each square part of the board, from 3 by 3
    to 8 by 8 cells, which sees only what stands there; see
    :mod:`evolve_arena.games.checkers.network`."""
    piece_difference: bool = True
    """Whether the sum of the inputs is added to the output."""
    depth: int = 4
    """How many plies the player looks ahead."""
    quiet: bool = False
    """Whether captures are followed beyond the last ply, until there are none."""
    turned: int = 0
    """Whether light moves first; see `evolve_arena.games.checkers.game.Checkers`."""

    head: ClassVar[str] = "value"

    def __post_init__(self) -> None:
        if not self.hidden:
            raise BadValueError("hidden is empty: the network needs at least one hidden layer")
        for switch in ("subsquares", "piece_difference", "quiet"):
            value = getattr(self, switch)
            if not isinstance(value, bool):
                raise BadValueError(f"{switch} is {value!r}: it must be true or false")
        whole = isinstance(self.depth, Integral) and not isinstance(self.depth, bool)
        if not whole or not 1 <= self.depth <= MAX_DEPTH:
            raise BadValueError(
                f"depth is {self.depth!r}: it must be a whole number from 1 to {MAX_DEPTH}"
            )
        _ = self.game, self._own_mlp
        check_sizes(self.mlp.sizes)

    @cached_property
    def game(self) -> Checkers:
        """What the player plays."""
        return Checkers(turned=self.turned)

    @property
    def genes(self) -> int:
        """How many numbers make an individual: weights, biases, and last the king's value."""
        return len(self._places) + 1

    @property
    def step_genes(self) -> tuple[StepGene, ...]:
        """The king's value is no weight: it changes by steps."""
        return (StepGene(self.genes - 1, KING_STEP, LEAST_KING, MOST_KING),)

    @cached_property
    def mlp(self) -> MLP:
        """The network that is played: all weights, and a relaying unit in each hidden layer."""
        sizes = self._own_mlp.hidden
        return MLP(
            SQUARES, tuple(size + self.piece_difference for size in sizes), 1, self.activation
        )

    @cached_property
    def _own_mlp(self) -> MLP:
        """The network without the units that relay the sum of the inputs."""
        first = (len(list_sub_squares()),) if self.subsquares else ()
        return MLP(SQUARES, (*first, *self.hidden), 1, self.activation)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where each gene but the last stands among the weights that are played."""
        places, at = [], 0
        for layer, (before, after) in enumerate(pairwise(self.mlp.sizes)):
            inside = np.arange(at, at + (before + 1) * after).reshape(before + 1, after)
            at += inside.size
            used = np.ones(inside.shape, dtype=bool)
            if layer == 0 and self.subsquares:
                used[:SQUARES, : len(list_sub_squares())] = connect_sub_squares().T
            if self.piece_difference:
                if layer < len(self.mlp.hidden):
                    used[:, -1] = False
                if layer > 0:
                    used[before - 1, :] = False
            places.append(inside[used])
        return np.concatenate(places)

    @cached_property
    def _fixed(self) -> NDArray[np.float32]:
        """What is played beside genes: the weights of the relaying units, and 0 elsewhere."""
        weights = np.zeros(self.mlp.genes, dtype=np.float32)
        if not self.piece_difference:
            return weights
        slope, lowering, raising = RELAYS[self.activation]
        at = 0
        for layer, (before, after) in enumerate(pairwise(self.mlp.sizes)):
            inside = weights[at : at + (before + 1) * after].reshape(before + 1, after)
            at += inside.size
            if layer == 0:
                inside[:SQUARES, -1] = RELAY
                inside[SQUARES, -1] = raising
                continue
            scale = 1.0 / RELAY if layer == len(self.mlp.hidden) else 1.0
            last = layer == len(self.mlp.hidden)
            scale = 1.0 / RELAY if last else 1.0
            inside[before - 1, -1] = slope * scale
            inside[before, -1] = (lowering - raising if last else lowering) * scale
        return weights

    @cached_property
    def _encoding(self) -> Encoding:
        """How pieces reach the inputs, if kings counted as men do."""
        index = np.full(4 * BITS, -1, dtype=np.int64)
        bits = _bits_of_squares()
        for plane in range(4):
            index[plane * BITS + bits] = np.arange(SQUARES)
        factor = np.repeat(np.array([1, 1, -1, -1], dtype=np.int64), BITS)
        return Encoding(SQUARES, index, factor, MOST_PIECES, round(MOST_PIECES * MOST_KING))

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population, shape ``(individuals, genes)``; see :meth:`MLP.initialise`.

        Kings are worth two men at first. Units that see a part of the board begin with weights
        as if they saw all of it.
        """
        genomes = np.empty((individuals, self.genes), dtype=np.float32)
        weights = self._own_mlp.initialise(individuals, name, generator)
        genomes[:, :-1] = weights[:, self._own_places]
        genomes[:, -1] = FIRST_KING
        return genomes

    @cached_property
    def _own_places(self) -> NDArray[np.int64]:
        """Where each gene but the last stands among the weights without relaying units."""
        used = np.ones(self._own_mlp.genes, dtype=bool)
        if self.subsquares:
            connections = connect_sub_squares().T
            used[: connections.size] = connections.ravel()
        return np.flatnonzero(used)

    def expand(self, genomes: Genomes) -> Genomes:
        """All weights of the networks that *genomes* make, shape ``(individuals, mlp.genes)``.

        Raises:
            BadValueError: *genomes* do not have the shape ``(individuals, genes)``.
        """
        if genomes.ndim != 2 or genomes.shape[1] != self.genes:
            raise BadValueError(
                f"genomes have shape {genomes.shape}, expected (individuals, {self.genes})"
            )
        weights = np.tile(self._fixed, (len(genomes), 1))
        weights[:, self._places] += genomes[:, :-1]
        return weights

    def king_values(self, genomes: Genomes) -> NDArray[np.float64]:
        """What kings count in the networks of *genomes*, shape ``(individuals,)``: 1 to 3."""
        values = np.clip(genomes[:, -1].astype(np.float64), LEAST_KING, MOST_KING)
        return np.where(np.isnan(values), FIRST_KING, values)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        Raises:
            BadValueError: They have another shape.
        """
        expanded = self.expand(genomes)
        columns, weights = self.mlp.pack(expanded, self._encoding)
        self._make_kings(expanded, self.king_values(genomes), columns)
        order = np.arange(len(genomes))
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        seats[:, KIND] = NETWORK
        seats[:, SHAPE] = 0
        seats[:, COLUMNS_AT] = order * columns[0].size
        seats[:, WEIGHTS_AT] = order * weights.shape[1]
        seats[:, DEPTH] = self.depth
        seats[:, QUIET] = self.quiet
        return PackedPlayers(
            seats,
            self.mlp.shape[None, :],
            columns.ravel(),
            weights.ravel(),
            np.zeros(0, dtype=np.float64),
        )

    def _make_kings(
        self, expanded: Genomes, kings: NDArray[np.float64], columns: NDArray[np.int32]
    ) -> None:
        """Writes the columns of kings, which count K times what men do."""
        units = self.mlp.sizes[1]
        first = expanded[:, : SQUARES * units].reshape(-1, SQUARES, units).astype(np.float64)
        limit = self._encoding.limit
        first = np.clip(np.nan_to_num(first, nan=0.0, posinf=limit, neginf=-limit), -limit, limit)
        whole = np.rint(first * kings[:, None, None] * RESOLUTION).astype(np.int32)
        bits = _bits_of_squares()
        columns[:, KINGS + bits, :units] = whole
        columns[:, OTHER_KINGS + bits, :units] = -whole

    def player(self, genome: NDArray[np.float32], name: str) -> CheckersNetworkPlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return CheckersNetworkPlayer(self, genome, name)


class CheckersNetworkPlayer(VectorPlayer):
    """A value network that plays checkers by search.

    Args:
        decoder: Its structure.
        genome: Its weights and the value of its kings, shape ``(genes,)``.
        name: How tables call it.
    """

    kind = "checkers-network"
    decoder_type = CheckersNetworkDecoder
    decoder: CheckersNetworkDecoder

    @property
    def labels(self) -> Labels:
        """The dark squares."""
        board = CheckersBoard(self.decoder.game)
        cells = [board.cell_of(square) for square in range(1, SQUARES + 1)]
        relay = "sum of the inputs" if self.decoder.piece_difference else ""
        return Labels([("own pieces, less other's", 8, 4)], cells=cells, last_unit=relay)

    def see(self, position: Position) -> Inputs:
        """Men as 1 and kings as their value, the other's as less than 0, on the dark squares.

        Light sees the board turned round: its men go to higher squares, too.
        """
        king = float(self.decoder.king_values(self.genome[None])[0])
        pieces = position.dark, position.light
        own, other = pieces if position.side == 0 else pieces[::-1]
        values = np.zeros(SQUARES)
        for square, bit in enumerate(_bits_of_squares().tolist()):
            sign = (own >> bit & 1) - (other >> bit & 1)
            values[square] = sign * (king if position.kings >> bit & 1 else 1.0)
        if position.side == 0:
            return Inputs(values, self.labels)
        turned = replace(self.labels, planes=[("own pieces, less other's; turned round", 8, 4)])
        return Inputs(values[::-1], turned)


def _bits_of_squares() -> NDArray[np.int64]:
    """The bit of each square on the board; see :mod:`evolve_arena.games.checkers.board`."""
    squares = np.arange(SQUARES)
    return squares + squares // 8


def list_sub_squares() -> list[tuple[int, ...]]:
    """The squares, 1 to 32, in each square part of the board, from 3 by 3 to 8 by 8 cells.

    The small parts come first, those of a size row by row. There are 36 of 3 by 3 cells, 25 of
    4 by 4, and so on to the whole board: 91 with 854 squares.

    >>> [len(part) for part in list_sub_squares()][:3]
    [4, 5, 4]
    """
    parts = []
    for size in range(3, 9):
        for top in range(9 - size):
            for left in range(9 - size):
                cells = (
                    (row, column)
                    for row in range(top, top + size)
                    for column in range(left, left + size)
                )
                parts.append(
                    tuple(
                        row * 4 + column // 2 + 1
                        for row, column in cells
                        if _is_square(row, column)
                    )
                )
    return parts


def connect_sub_squares() -> NDArray[np.bool_]:
    """Which part of the board has which square in it, shape ``(parts, 32)``."""
    parts = list_sub_squares()
    connections = np.zeros((len(parts), SQUARES), dtype=bool)
    for row, part in enumerate(parts):
        connections[row, np.array(part) - 1] = True
    return connections


def _is_square(row: int, column: int) -> bool:
    """Whether pieces may stand there; row 0 has the squares 1 to 4, square 1 in column 1."""
    return (row + column) % 2 == 1
