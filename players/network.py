"""Players that are networks: how genes, inputs and outputs make one that plays."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.connect_four import ConnectFour, Position
from games.errors import BadValueError, UnknownNameError
from games.registry import make_game
from genomes.encoding import Encoding
from genomes.mlp import MLP, Genomes
from genomes.simd import LANES
from genomes.symmetry import share_genes
from genomes.tensors import DamagedFileError, read_tensors, write_tensors
from players.connect_four import value_moves
from players.encodings import ENCODINGS
from players.lineup import (
    COLUMNS_AT,
    HEAD,
    KIND,
    NETWORK,
    POLICY,
    RELATIVE,
    SEAT_FIELDS,
    SHAPE,
    VALUE,
    WEIGHTS_AT,
    Lineup,
    make_scratch,
)
from players.player import CompiledPlayer

__all__ = ["HEADS", "VIEWPOINTS", "NetworkDesign", "NetworkPlayer", "read_player"]

HEADS = {"policy": POLICY, "value": VALUE}
VIEWPOINTS = {"absolute": 0, "mover": 1}
FORMAT = 1


@dataclass(frozen=True)
class NetworkDesign:
    """What turns a weight vector into a player: everything but the weights.

    Raises:
        UnknownNameError: A name is not in :data:`HEADS`, :data:`ENCODINGS`,
            :data:`VIEWPOINTS` or the activations.
        BadValueError: A policy network for a board of one column, or more than sixteen.

    >>> NetworkDesign(head="value", encoding="two-planes", hidden=(16,)).genes
    1377
    """

    columns: int = 7
    rows: int = 6
    connect: int = 4
    head: str = "policy"
    """``policy``: an output per column, the strongest legal one is played. ``value``: one
    output, which scores every position that a move can reach; a win at once is taken."""
    encoding: str = "0/1/2"
    viewpoint: str = "mover"
    """``mover``: the player's own discs count as the first kind. ``absolute``: those of the
    player who began do."""
    hidden: tuple[int, ...] = (10,)
    activation: str = "sigmoid"
    symmetric: bool = False
    """Whether the network treats a position and its mirror image alike; see
    :mod:`genomes.symmetry`. It then has about half as many genes."""

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("head", self.head, HEADS),
            ("encoding", self.encoding, ENCODINGS),
            ("viewpoint", self.viewpoint, VIEWPOINTS),
        ):
            if name not in known:
                raise UnknownNameError(kind, name, known)
        if self.head == "policy" and not 2 <= self.columns <= LANES:
            raise BadValueError(
                f"head is 'policy', for 2 to {LANES} columns, not {self.columns}: use 'value'"
            )
        _ = self.mlp, self.game

    @cached_property
    def game(self) -> ConnectFour:
        """What the player plays."""
        return make_game("connect-four", columns=self.columns, rows=self.rows, connect=self.connect)

    @cached_property
    def board(self) -> Encoding:
        """How the board reaches the inputs."""
        return ENCODINGS[self.encoding](self.game.rules)

    @cached_property
    def mlp(self) -> MLP:
        """The structure of the network."""
        outputs = self.columns if self.head == "policy" else 1
        return MLP(self.board.inputs, self.hidden, outputs, self.activation)

    @property
    def genes(self) -> int:
        """How many numbers make an individual."""
        return len(self._shared[1]) if self.symmetric else self.mlp.genes

    @cached_property
    def _shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells = np.arange(self.board.inputs).reshape(-1, self.columns)
        outputs = np.arange(self.mlp.outputs)[::-1]
        return share_genes(self.mlp, cells[:, ::-1].ravel(), outputs)

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

    def pack(self, genomes: Genomes) -> Lineup:
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
        return Lineup(seats, self.mlp.shape[None, :], columns.ravel(), weights.ravel())

    def player(self, genome: NDArray[np.float32], name: str) -> NetworkPlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return NetworkPlayer(self, genome, name)


class NetworkPlayer(CompiledPlayer):
    """A network that plays.

    Args:
        design: Its structure.
        genome: Its weights, shape ``(genes,)``.
        name: How tables call it.
    """

    def __init__(self, design: NetworkDesign, genome: NDArray[np.float32], name: str) -> None:
        super().__init__(design.game, design.pack(genome[None, :]), name)
        self.design = design
        self.genome = genome
        self.remarks: dict[str, Any] = {}
        """Where the player comes from, if it was read from a file."""

    def value_columns(self, position: Position) -> NDArray[np.float32]:
        """What a value network thinks of each column; not a number where a column is full.

        Raises:
            BadValueError: The player is a policy network.
        """
        if self.design.head != "value":
            raise BadValueError(f"{self.name} is a policy network: it has no values")
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        values = np.full(self.design.columns, np.nan, dtype=np.float32)
        scratch = make_scratch(self.lineup)
        boards = np.uint64(own), np.uint64(other)
        value_moves(self.game.rules, self.lineup, side, *boards, scratch, values)
        return values

    def serialise(self, **remarks: Any) -> bytes:
        """The player as a safetensors blob that :func:`read_player` reads.

        *remarks* (JSON-able) say where it comes from.
        """
        description = {
            "kind": "mlp",
            "game": self.game.name,
            "design": asdict(self.design),
            "name": self.name,
            "remarks": remarks,
        }
        return write_tensors("player", FORMAT, {"genome": self.genome}, description)


def read_player(blob: bytes, name: str | None = None) -> NetworkPlayer:
    """The player that :meth:`NetworkPlayer.serialise` wrote.

    Raises:
        DamagedFileError: The blob is no player, or not whole.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("player", FORMAT, blob)
    try:
        options = content.description["design"]
        design = NetworkDesign(**{**options, "hidden": tuple(options["hidden"])})
        genome = content.arrays["genome"]
        player = design.player(genome, name or content.description["name"])
        player.remarks = content.description["remarks"]
    except (KeyError, TypeError) as error:
        raise DamagedFileError(f"its description is incomplete ({error})") from None
    return player
