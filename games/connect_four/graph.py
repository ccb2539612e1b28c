"""Players that are NEAT graphs: how a genome whose structure grows makes one that plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream
from evolve_arena.games.connect_four.board_view import HEADS, VIEWPOINTS, BoardView
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import Position
from evolve_arena.games.connect_four.workspace import (
    HEAD,
    INPUTS,
    PLANES,
    RELATIVE,
    SEAT_FIELDS,
    SLOTS,
    TERMS,
)
from evolve_arena.genomes.neat.graph import compile_graphs
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.players.bred import NeatPlayer
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    INPUTS_AT,
    KIND,
    NUMBERS_AT,
    PackedPlayers,
)
from evolve_arena.players.player import check_board


@dataclass(frozen=True)
class GraphDecoder(BoardView):
    """What turns a NEAT genome into a player: everything but the genome.

    Raises:
        UnknownNameError: A name is not one of :class:`BoardView`'s.
        BadValueError: There is no such board, the head is ``action``, or *feed_forward* is no
            truth value.

    >>> GraphDecoder(head="value", encoding="two-planes").inputs
    84
    """

    feed_forward: bool = True
    """Whether the graph computes from the board alone; else it remembers its values from one
    move of its own to the next, beginning each match with none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head == "action":
            raise BadValueError("head 'action' is for multilayer perceptrons, not for graphs")
        if not isinstance(self.feed_forward, bool):
            raise BadValueError(f"feed_forward is {self.feed_forward!r}: it must be true or false")

    def pack(self, genomes: NeatPopulation) -> PackedPlayers:
        """The players that *genomes* make."""
        graphs = compile_graphs(genomes, self.inputs, self.outputs, self.feed_forward)
        discs = np.stack([np.maximum(self.board.index, 0), self.board.factor], axis=1)
        seats = np.zeros((len(genomes), SEAT_FIELDS), dtype=np.int64)
        seats[:, KIND] = GRAPH
        seats[:, COLUMNS_AT] = discs.size + graphs.structure_at
        seats[:, HEAD] = HEADS[self.head]
        seats[:, RELATIVE] = VIEWPOINTS[self.viewpoint]
        seats[:, NUMBERS_AT] = graphs.numbers_at
        seats[:, INPUTS_AT] = 0
        seats[:, INPUTS] = self.inputs
        seats[:, SLOTS] = graphs.slots
        seats[:, TERMS] = graphs.terms
        seats[:, PLANES] = 1 if self.feed_forward else 3
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            np.concatenate([discs.astype(np.int32).ravel(), graphs.structure]),
            np.zeros(0, dtype=np.float32),
            graphs.numbers,
        )

    def player(self, genome: NeatPopulation, name: str) -> GraphPlayer:
        """The player that one *genome*, a population of one, makes."""
        return GraphPlayer(self, genome, name)


class GraphPlayer(NeatPlayer, ColumnPlayer):
    """A NEAT graph that plays.

    Args:
        decoder: How it is connected with the board.
        genome: A population of this one genome.
        name: How tables call it.
    """

    kind = "neat"
    decoder_type = GraphDecoder
    decoder: GraphDecoder

    def __init__(self, decoder: GraphDecoder, genome: NeatPopulation, name: str) -> None:
        super().__init__(decoder, genome, name)
        self._seen: dict[int, tuple[int, int]] = {}

    def begin(self, side: int) -> None:
        """Forgets the game before."""
        self._seen.pop(side, None)

    def choose(self, position: Position, stream: Stream) -> int:
        """The very move that the match kernel would play.

        A recurrent graph goes on with a game, and remembers it, if all discs still lie where
        they lay when it last chose for the same side, and each player has put one more. Any
        other position begins a game of which it remembers nothing.

        Raises:
            BadValueError: The position is of another board.
        """
        check_board(self, position.rules)
        side = position.ply % 2
        own, other = position.first, position.second
        if side:
            own, other = other, own
        going_on = not self.decoder.feed_forward and _follows(self._seen.get(side), (own, other))
        self._seen[side] = (own, other)
        workspace = self._workspace._replace(streams=stream)
        boards = np.uint64(own), np.uint64(other)
        seats = find_variant(self._spec, self.game.rules, self.packed)["kernel"]
        return int(seats.decide(self.game.rules, self.packed, side, *boards, workspace, going_on))


def _follows(before: tuple[int, int] | None, now: tuple[int, int]) -> bool:
    """Whether both players, each with his discs as bits, have put one disc more than *before*."""
    return before is not None and all(
        discs & old == old and (discs ^ old).bit_count() == 1
        for discs, old in zip(now, before, strict=True)
    )
