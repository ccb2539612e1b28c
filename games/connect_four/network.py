"""Players that are multilayer perceptrons: how a weight vector makes one that plays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.connect_four.board_view import HEADS, VIEWPOINTS, BoardView
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import Position
from evolve_arena.games.connect_four.workspace import HEAD, RELATIVE, SEAT_FIELDS, TAKES_WINS
from evolve_arena.genomes.limits import check_sizes
from evolve_arena.genomes.mlp import MLP, Genomes, share_genes
from evolve_arena.genomes.simd import LANES
from evolve_arena.players.bred import Inputs, VectorPlayer
from evolve_arena.players.packed import COLUMNS_AT, KIND, NETWORK, SHAPE, WEIGHTS_AT, PackedPlayers


@dataclass(frozen=True)
class NetworkDecoder(BoardView):
    """What turns a weight vector into a player: everything but the weights.

    Raises:
        UnknownNameError: A name is not one of :class:`BoardView`'s or the activations'.
        BadValueError: A policy network for a board of one column, or more than sixteen; a
            symmetric action network; *take_wins* without a value network.

    >>> NetworkDecoder(head="value", encoding="two-planes", hidden=(16,)).genes
    1377
    """

    hidden: tuple[int, ...] = (10,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "sigmoid"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    symmetric: bool = False
    """Whether the network treats a position and its mirror image alike; see
    :mod:`evolve_arena.genomes.mlp`. It then has about half as many genes."""
    take_wins: bool = True
    """Whether a value network plays a move that wins at once, whatever the values. Without,
    it goes by its values alone, those of won positions included. Other heads have no such rule:
    they always play by their outputs alone."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head == "policy" and not (self.columns >= 2 and self.outputs <= LANES):
            raise BadValueError(
                f"head is 'policy', for 2 to {LANES - self.steal} columns, not {self.columns}: use"
                " 'value'"
            )
        if self.head == "action" and self.symmetric:
            raise BadValueError("symmetric is for the heads 'policy' and 'value', not 'action'")
        if not isinstance(self.take_wins, bool):
            raise BadValueError(f"take_wins is {self.take_wins!r}: it must be true or false")
        if self.head != "value" and not self.take_wins:
            raise BadValueError(
                f"take_wins is false and head is {self.head!r}: only with head 'value' is there a"
                " rule about wins to do without"
            )
        check_sizes(self.mlp.sizes)

    @cached_property
    def mlp(self) -> MLP:
        """The structure of the network."""
        return MLP(self.board.inputs, self.hidden, self.outputs, self.activation)

    @property
    def genes(self) -> int:
        """How many numbers make an individual."""
        return len(self._shared[1]) if self.symmetric else self.mlp.genes

    @cached_property
    def _shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells = np.arange(self.board.inputs).reshape(-1, self.columns)
        outputs = np.arange(self.mlp.outputs)
        outputs[: self.columns] = outputs[: self.columns][::-1].copy()
        inputs = np.stack([cells.ravel(), cells[:, ::-1].ravel()])
        return share_genes(self.mlp, inputs, np.stack([np.arange(len(outputs)), outputs]))

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population; see :meth:`MLP.initialise`."""
        genomes = self.mlp.initialise(individuals, name, generator)
        return genomes[:, self._shared[1]] if self.symmetric else genomes

    def expand(self, genomes: Genomes) -> Genomes:
        """All weights of the networks that *genomes* make, shape ``(individuals, mlp.genes)``.

        Raises:
            BadValueError: *genomes* do not have the shape ``(individuals, genes)``.
        """
        if genomes.ndim != 2 or genomes.shape[1] != self.genes:
            raise BadValueError(
                f"genomes have shape {genomes.shape}, expected (individuals, {self.genes})"
            )
        return genomes[:, self._shared[0]] if self.symmetric else genomes

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        Raises:
            BadValueError: They have another shape.
        """
        columns, weights = self.mlp.pack(self.expand(genomes), self.board)
        order = np.arange(len(genomes))
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        seats[:, KIND] = NETWORK
        seats[:, SHAPE] = 0
        seats[:, COLUMNS_AT] = order * columns[0].size
        seats[:, WEIGHTS_AT] = order * weights.shape[1]
        seats[:, HEAD] = HEADS[self.head]
        seats[:, RELATIVE] = VIEWPOINTS[self.viewpoint]
        seats[:, TAKES_WINS] = self.take_wins
        return PackedPlayers(
            seats,
            self.mlp.shape[None, :],
            columns.ravel(),
            weights.ravel(),
            np.zeros(0, dtype=np.float64),
        )

    def player(self, genome: NDArray[np.float32], name: str) -> NetworkPlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return NetworkPlayer(self, genome, name)


class NetworkPlayer(VectorPlayer, ColumnPlayer):
    """A multilayer perceptron that plays.

    Args:
        decoder: Its structure.
        genome: Its weights, shape ``(genes,)``.
        name: How tables call it.
    """

    kind = "mlp"
    decoder_type = NetworkDecoder
    decoder: NetworkDecoder

    def see(self, position: Position) -> Inputs | None:
        """The board; and the move that it plays, if it is told moves."""
        seen = super().see(position)
        if seen is not None and self.decoder.head == "action":
            seen.values[-1] = self.move(position)
        return seen
