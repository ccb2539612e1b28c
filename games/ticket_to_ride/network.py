"""Networks that choose among the four general decisions of Ticket to Ride.

The rule player carries the decision out: which cards are drawn, which route is claimed, which
tickets are kept. Source: Łabno (2018), chapter 4, for the features, the classes and a network of
180 and 160 units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.ticket_to_ride.bred import (
    TicketDecoder,
    check_switch,
    label_features,
    pack_networks,
    see_features,
)
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES, FEATURE_SETS
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.workspace import DECISION
from evolve_arena.genomes.limits import check_sizes
from evolve_arena.genomes.mlp import MLP, Genomes
from evolve_arena.players.bred import Inputs, Labels, VectorPlayer
from evolve_arena.players.packed import PackedPlayers

CLASSES = ("pass", "draw cards", "draw tickets", "claim")
"""What the outputs mean, in their order."""
SCALINGS = ("unit", "raw")


@dataclass(frozen=True, kw_only=True)
class DecisionDecoder(TicketDecoder):
    """What turns a weight vector into a player: everything but the weights.

    Raises:
        UnknownNameError: No activation function, scaling or variant bears that name.
        BadValueError: A number is out of range, or *masked* is neither true nor false.

    >>> DecisionDecoder().genes, DecisionDecoder(hidden=(180, 160)).genes
    (314, 34464)
    """

    features: int = 26
    """How many features of a state are its inputs: 26, or 28 with the two of Łabno's program."""
    hidden: tuple[int, ...] = (10,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "tanh"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    scaling: str = "unit"
    """``unit``: features times :data:`evolve_arena.games.ticket_to_ride.inputs.FEATURE_SCALES`.
    ``raw``: as they are counted, as Łabno has them."""
    masked: bool = True
    """Whether the network takes the best decision that can be carried out. If not, one that can't
    be is a forbidden move."""

    head: ClassVar[str] = "decision"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features not in FEATURE_SETS:
            raise BadValueError(f"features is {self.features!r}: it must be 26 or 28")
        if self.scaling not in SCALINGS:
            raise UnknownNameError("scaling", self.scaling, SCALINGS)
        check_switch("masked", self.masked)
        check_sizes(self.mlp.sizes)

    @cached_property
    def mlp(self) -> MLP:
        """The network's structure."""
        return MLP(self.features, tuple(self.hidden), len(CLASSES), self.activation)

    @property
    def genes(self) -> int:
        """How many numbers make an individual: all weights and biases."""
        return self.mlp.genes

    @property
    def scales(self) -> NDArray[np.float32]:
        """By what features are multiplied, shape ``(features,)``."""
        if self.scaling == "raw":
            return np.ones(self.features, dtype=np.float32)
        return FEATURE_SCALES[: self.features]

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population, shape ``(individuals, genes)``; see :meth:`MLP.initialise`."""
        return self.mlp.initialise(individuals, name, generator)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        Raises:
            BadValueError: They have another shape.
        """
        chosen = {"head": DECISION, "features": self.features, "forbids": int(self.masked)}
        return pack_networks(self, self.mlp, genomes, self.scales, **chosen)

    def player(self, genome: NDArray[np.float32], name: str) -> DecisionPlayer:
        """The player that one *genome*, of shape ``(genes,)``, makes."""
        return DecisionPlayer(self, genome, name)


class DecisionPlayer(VectorPlayer):
    """A network that decides what kind of thing to do.

    Args:
        decoder: Its structure.
        genome: Its weights, shape ``(genes,)``.
        name: How tables call it.
    """

    kind = "ticket-decision"
    decoder_type = DecisionDecoder
    decoder: DecisionDecoder

    @property
    def labels(self) -> Labels:
        """The features, and the decisions."""
        return label_features(self.decoder.features, CLASSES)

    def see(self, position: Position) -> Inputs | None:
        """The features at the beginning of a turn; see `see_features`."""
        return see_features(self, position, self.decoder.scales, self.labels)

    def decision_probabilities(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """How likely the network thinks each of :data:`CLASSES`, in plain NumPy.

        Args:
            features: Of states, as counted; shape ``(states, features)``.

        Returns:
            Shape ``(states, 4)``; each row adds up to 1.

        Raises:
            BadValueError: *features* have another shape.
        """
        if features.ndim != 2 or features.shape[1] != self.decoder.features:
            raise BadValueError(
                f"features have shape {features.shape}, expected (states, {self.decoder.features})"
            )
        outputs = self.decoder.mlp.evaluate(self.genome, features * self.decoder.scales)
        powers: NDArray[np.float64] = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)
