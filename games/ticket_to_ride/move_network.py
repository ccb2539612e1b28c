"""Networks that weigh every move of Ticket to Ride, and how a weight vector makes a player of one.

All phases are theirs: which route to claim with which cards, which card to take, first or second,
when to ask for tickets and which to keep. Of the moves that the rules allow they play that of which
the network thinks most, so nothing forbidden can be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.bred import (
    MOVE_LABELS,
    TicketDecoder,
    pack_networks,
    see_move,
    weigh,
)
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.move_features import INPUTS
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.situation import STATE_FEATURES
from evolve_arena.games.ticket_to_ride.workspace import ACTION
from evolve_arena.genomes.limits import check_sizes
from evolve_arena.genomes.mlp import MLP, Genomes
from evolve_arena.players.bred import Inputs, VectorPlayer
from evolve_arena.players.packed import PackedPlayers


@dataclass(frozen=True, kw_only=True)
class MoveDecoder(TicketDecoder):
    """What turns a weight vector into a player: everything but the weights.

    The inputs are described in :mod:`evolve_arena.games.ticket_to_ride.situation` and
    :mod:`evolve_arena.games.ticket_to_ride.move_features`; the one output is what a move is
    worth.

    Raises:
        UnknownNameError: No activation function or variant bears that name.
        BadValueError: A number is out of range.

    >>> MoveDecoder(hidden=(16,)).genes
    1281
    """

    hidden: tuple[int, ...] = (24,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "tanh"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""

    features: ClassVar[int] = STATE_FEATURES
    head: ClassVar[str] = "action"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_sizes(self.mlp.sizes)

    @cached_property
    def mlp(self) -> MLP:
        """The network's structure."""
        return MLP(INPUTS, tuple(self.hidden), 1, self.activation)

    @property
    def genes(self) -> int:
        """How many numbers make an individual: all weights and biases."""
        return self.mlp.genes

    @property
    def scales(self) -> NDArray[np.float32]:
        """By what inputs are multiplied, shape ``(INPUTS,)``: only features of the state are."""
        scales = np.ones(INPUTS, dtype=np.float32)
        scales[:STATE_FEATURES] = FEATURE_SCALES
        return scales

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population, shape ``(individuals, genes)``; see :meth:`MLP.initialise`."""
        return self.mlp.initialise(individuals, name, generator)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        Raises:
            BadValueError: They have another shape.
        """
        chosen = {"head": ACTION, "features": STATE_FEATURES, "forbids": 1}
        return pack_networks(self, self.mlp, genomes, self.scales, **chosen)

    def player(self, genome: NDArray[np.float32], name: str) -> MovePlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return MovePlayer(self, genome, name)


class MovePlayer(VectorPlayer):
    """A network that weighs moves.

    Args:
        decoder: Its structure.
        genome: Its weights, shape ``(genes,)``.
        name: How tables call it.
    """

    kind = "ticket-moves"
    decoder_type = MoveDecoder
    decoder: MoveDecoder
    labels = MOVE_LABELS

    def see(self, position: Position) -> Inputs | None:
        """What it is told of the move that it plays."""
        return see_move(self, position)

    def values(self, position: Position) -> dict[int, float]:
        """What it thinks of the moves that it weighs."""
        return {move: worth for move, _, worth in weigh(self, position)}
