"""NEAT graphs for Ticket to Ride: how a genome whose structure grows makes a player.

Graphs see what networks see, and there are both kinds: those that choose among the four general
decisions (:mod:`evolve_arena.games.ticket_to_ride.network`), and those that weigh moves
(:mod:`evolve_arena.games.ticket_to_ride.move_network`). They are feed-forward: what was seen in
other matches or seats must not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.ticket_to_ride.bred import (
    MOVE_LABELS,
    TicketDecoder,
    check_switch,
    label_features,
    see_features,
    see_move,
    weigh,
)
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES, FEATURE_SETS
from evolve_arena.games.ticket_to_ride.move_features import INPUTS as MOVE_INPUTS
from evolve_arena.games.ticket_to_ride.network import CLASSES
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.situation import STATE_FEATURES
from evolve_arena.games.ticket_to_ride.workspace import ACTION, DECISION, INPUTS, SLOTS, TERMS
from evolve_arena.genomes.neat.graph import compile_graphs
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.players.bred import Inputs, Labels, NeatPlayer
from evolve_arena.players.packed import COLUMNS_AT, GRAPH, NUMBERS_AT, PackedPlayers

HEADS = {"decision": DECISION, "action": ACTION}


@dataclass(frozen=True, kw_only=True)
class TicketGraphDecoder(TicketDecoder):
    """What turns a NEAT genome into a player: everything but the genome.

    Raises:
        UnknownNameError: There is no such head or variant.
        BadValueError: A number is out of range, or *masked* is neither true nor false.

    >>> decoder = TicketGraphDecoder()
    >>> decoder.inputs, decoder.outputs
    (26, 4)
    """

    head: str = "decision"
    """``decision``: an output for each general decision. ``action``: one for what a move is
    worth."""
    features: int = 26
    """How many features of a state a graph of decisions sees: 26 or 28; one of moves sees 28."""
    masked: bool = True
    """Whether a graph of decisions takes the best one that can be carried out. If not, one that
    can't be is a forbidden move."""

    why_feed_forward: ClassVar[str] = "graphs go from table to table and must remember nothing"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head not in HEADS:
            raise UnknownNameError("head", self.head, HEADS)
        if self.features not in FEATURE_SETS:
            raise BadValueError(f"features is {self.features!r}: it must be 26 or 28")
        check_switch("masked", self.masked)

    @property
    def inputs(self) -> int:
        """How many inputs the graph has."""
        return self.features if self.head == "decision" else MOVE_INPUTS

    @property
    def outputs(self) -> int:
        """And outputs."""
        return len(CLASSES) if self.head == "decision" else 1

    def pack(self, genomes: NeatPopulation) -> PackedPlayers:
        """The players that *genomes* make."""
        graphs = compile_graphs(genomes, self.inputs, self.outputs, feed_forward=True)
        decides = self.head == "decision"
        seats = self.make_seats(
            len(genomes),
            kind=GRAPH,
            head=HEADS[self.head],
            features=self.features if decides else STATE_FEATURES,
            forbids=int(self.masked or not decides),
        )
        seats[:, COLUMNS_AT] = graphs.structure_at
        seats[:, NUMBERS_AT] = graphs.numbers_at
        seats[:, INPUTS] = self.inputs
        seats[:, SLOTS] = graphs.slots
        seats[:, TERMS] = graphs.terms
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            graphs.structure,
            np.zeros(0, dtype=np.float32),
            graphs.numbers,
        )

    def player(self, genome: NeatPopulation, name: str) -> TicketGraphPlayer:
        """The player that one *genome*, a population of one, makes."""
        return TicketGraphPlayer(self, genome, name)


class TicketGraphPlayer(NeatPlayer):
    """A NEAT graph that plays Ticket to Ride.

    Args:
        decoder: What it sees and decides.
        genome: A population of this one genome.
        name: How tables call it.
    """

    kind = "ticket-neat"
    decoder_type = TicketGraphDecoder
    decoder: TicketGraphDecoder

    @property
    def labels(self) -> Labels:
        """The features, and the decisions; or what is told of moves."""
        decides = self.decoder.head == "decision"
        return label_features(self.decoder.features, CLASSES) if decides else MOVE_LABELS

    def see(self, position: Position) -> Inputs | None:
        """The features at the beginning of a turn, or what is told of the move that it plays."""
        if self.decoder.head == "decision":
            return see_features(
                self, position, FEATURE_SCALES[: self.decoder.features], self.labels
            )
        return see_move(self, position)

    def values(self, position: Position) -> dict[int, float]:
        """What it thinks of the moves that it weighs."""
        if self.decoder.head == "decision":
            return super().values(position)
        return {move: worth for move, _, worth in weigh(self, position)}
