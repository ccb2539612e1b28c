"""What all decoders of players of Ticket to Ride share: the game's options, and networks' weights.

A player may sit at tables of any size: how many play is no part of what it is bred for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.games.ticket_to_ride.choose import weigh_moves
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES, fill_features
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.inputs import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import PHASE, TO_MOVE, TURN
from evolve_arena.games.ticket_to_ride.move_features import INPUTS, MOVE_NAMES
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.situation import SITUATION_NAMES, STATE_FEATURES
from evolve_arena.games.ticket_to_ride.workspace import (
    FEATURES,
    FORBIDS,
    HEAD,
    SEAT_FIELDS,
    VARIANT,
    make_ticket_workspace,
)
from evolve_arena.genomes.dense import pack_dense
from evolve_arena.genomes.mlp import MLP, Genomes
from evolve_arena.players.bred import BredPlayer, Inputs, Labels
from evolve_arena.players.packed import KIND, NETWORK, WEIGHTS_AT, PackedPlayers


@dataclass(frozen=True, kw_only=True)
class TicketDecoder:
    """The options that every decoder for Ticket to Ride has.

    Raises:
        BadValueError: An option of the game is out of range.
        UnknownNameError: There is no such variant of the rule player.
    """

    variant: str = "text"
    """How the rule player decides that helps out: it makes the plan that the features count, and
    the decisions that the network leaves to it (see
    :mod:`evolve_arena.games.ticket_to_ride.options`)."""
    players: int = 4
    """At what tables it plays if nothing else is said, 2 to 5."""
    cards: int = 110
    longest_path: int = 0
    tie_breaks: int = 0
    sweep_first: int = 1
    second_locomotive: int = 0
    pink_line: int = 1
    """Options of the game; see :class:`evolve_arena.games.ticket_to_ride.game.TicketToRide`."""

    def __post_init__(self) -> None:
        _ = self.game, self.variant_bits

    @cached_property
    def game(self) -> TicketToRide:
        """What the player plays."""
        return TicketToRide(
            players=self.players,
            cards=self.cards,
            longest_path=self.longest_path,
            tie_breaks=self.tie_breaks,
            sweep_first=self.sweep_first,
            second_locomotive=self.second_locomotive,
            pink_line=self.pink_line,
        )

    @property
    def input_names(self) -> tuple[str, ...]:
        """What the inputs are, which are multiplied by their scales."""
        decoder: Any = self
        if decoder.head == "decision":
            return FEATURE_NAMES[: decoder.features]
        return (*FEATURE_NAMES, *SITUATION_NAMES, *MOVE_NAMES)

    @cached_property
    def variant_bits(self) -> int:
        """The variant as compiled code takes it."""
        return parse_variant(self.variant)

    def make_seats(self, count: int, **chosen: int) -> NDArray[np.int64]:
        """So many equal rows of packed players, with *kind*, *head*, *features* and *forbids*."""
        seats = np.zeros((count, SEAT_FIELDS), dtype=np.int64)
        fields = {"kind": KIND, "head": HEAD, "features": FEATURES, "forbids": FORBIDS}
        for name, value in chosen.items():
            seats[:, fields[name]] = value
        seats[:, VARIANT] = self.variant_bits
        return seats


def pack_networks(
    decoder: TicketDecoder,
    mlp: MLP,
    genomes: Genomes,
    scales: NDArray[np.float32] | None,
    **chosen: int,
) -> PackedPlayers:
    """The networks that *genomes* make, with fields as :meth:`TicketDecoder.make_seats` takes them.

    Args:
        decoder: What they play.
        mlp: Their structure.
        genomes: Shape ``(individuals, genes)``.
        scales: What each input is multiplied by, or None for nothing.
        chosen: *head*, *features* and *forbids*.

    Raises:
        BadValueError: *genomes* have another shape.
    """
    if scales is not None and genomes.ndim == 2 and genomes.shape[1] == mlp.genes:
        first = mlp.inputs * mlp.sizes[1]
        scaled = genomes[:, :first].reshape(-1, mlp.inputs, mlp.sizes[1]) * scales[None, :, None]
        genomes = np.concatenate([scaled.reshape(-1, first), genomes[:, first:]], axis=1)
    weights = pack_dense(mlp, genomes)
    seats = decoder.make_seats(len(genomes), kind=NETWORK, **chosen)
    seats[:, WEIGHTS_AT] = np.arange(len(genomes)) * weights.shape[1]
    return PackedPlayers(
        seats,
        mlp.shape[None, :],
        np.zeros(0, dtype=np.int32),
        weights.ravel(),
        np.zeros(0, dtype=np.float64),
    )


def label_features(count: int, outputs: Sequence[str] = ()) -> Labels:
    """The first *count* features as inputs of a network whose outputs are called *outputs*."""
    return Labels([("features, scaled", count, 1)], FEATURE_NAMES[:count], outputs=outputs)


def see_features(
    player: BredPlayer, position: Position, scales: NDArray[Any], labels: Labels
) -> Inputs | None:
    """What a *player* is shown whose inputs are features; None where it is not asked.

    Args:
        player: It decides at the beginning of a turn; all else its rule player decides.
        position: What lies there.
        scales: By what its features are multiplied, shape ``(features,)``.
        labels: What inputs and outputs are.
    """
    state, decoder = position.array, player.decoder
    if state[PHASE] != TURN:
        return None
    workspace, out = make_ticket_workspace(player.packed), np.zeros(40, dtype=np.float32)
    given = decoder.game.rules, state, state[TO_MOVE]
    prepare_turn(*given, decoder.variant_bits, workspace)
    fill_features(*given, len(scales), decoder.variant_bits, workspace, out)
    return Inputs((out[: len(scales)] * scales).astype(np.float64), labels)


MOVE_LABELS = Labels(
    [
        ("features, scaled", STATE_FEATURES, 1),
        ("the situation", len(SITUATION_NAMES), 1),
        ("the move", len(MOVE_NAMES), 1),
    ],
    (*FEATURE_NAMES, *SITUATION_NAMES, *MOVE_NAMES),
)
"""What the inputs are of who weighs moves."""


def see_move(player: BredPlayer, position: Position) -> Inputs | None:
    """What a *player* who weighs moves is told of its own; None if there is nothing to weigh."""
    move = player.move(position)
    return next(
        (Inputs(seen, MOVE_LABELS) for one, seen, _ in weigh(player, position) if one == move), None
    )


def weigh(
    player: BredPlayer, position: Position
) -> Iterator[tuple[int, NDArray[np.float64], float]]:
    """The moves that a *player* weighs, what it is told of them, and what it thinks of them."""
    workspace = make_ticket_workspace(player.packed)
    most = len(workspace.moves)
    inputs, worths = np.zeros((most, INPUTS), dtype=np.float32), np.zeros(most)
    given = player.decoder.game.rules, player.packed, position.array.copy(), workspace
    count = weigh_moves(*given, inputs, worths)
    inputs[:, :STATE_FEATURES] *= FEATURE_SCALES
    for place in range(count):
        yield int(workspace.moves[place]), inputs[place].astype(np.float64), float(worths[place])


def check_switch(name: str, value: Any) -> None:
    """Makes sure that the field *name* is a truth value.

    Raises:
        BadValueError: It is not.
    """
    if not isinstance(value, bool):
        raise BadValueError(f"{name} is {value!r}: it must be true or false")
