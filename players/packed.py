"""Players of a batch of matches, packed into arrays for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes.network import SHAPE_FIELDS

# Compiled code takes these: "core.compiled import constants" in this line makes the cache heed
# changes.

KIND, NOISE, SHAPE, COLUMNS_AT, INPUTS_AT, WEIGHTS_AT, NUMBERS_AT = range(7)
"""First fields of a player's record: the kind; the probability of a random move, in units of
2**-32; the row of a network in ``shapes``; and offsets in ``columns``, ``weights`` and ``numbers``.
COLUMNS_AT is that of a network's first layer, or of the structure of a graph or tuple network;
INPUTS_AT that of a graph's table from observed bits to inputs, or of a tuple network's weights."""
OWN_FIELDS = 7
"""Index of the first field that a game adds."""

RANDOM, NETWORK, GRAPH, TUPLES = 0, 1, 2, 3
"""Kinds of players. Kinds that a game adds are numbered from 8."""


class PackedPlayers(NamedTuple):
    """Players as arrays. A match refers to them by their rows in ``seats``."""

    seats: NDArray[np.int64]
    """A record for each player, shape ``(players, fields)``; the game defines the fields."""
    shapes: NDArray[np.int64]
    """Layer sizes of all networks, shape ``(structures, SHAPE_FIELDS)``, at least one row."""
    columns: NDArray[np.int32]
    """First layers, structures of graphs and tables of tuple networks, one after the other."""
    weights: NDArray[np.float32]
    """Weights of later layers, one after the other."""
    numbers: NDArray[np.float64]
    """Weights and biases of graphs, one after the other."""


def simple_player(fields: int, kind: int = RANDOM) -> PackedPlayers:
    """Return one player of a *kind* that needs no weights; its record has *fields* fields."""
    seats = np.zeros((1, fields), dtype=np.int64)
    seats[0, KIND] = kind
    return PackedPlayers(
        seats,
        np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
        np.zeros(0, dtype=np.float64),
    )


def combine_players(packed_players: Sequence[PackedPlayers]) -> PackedPlayers:
    """Concatenate *packed_players*, all of the same game, in the order given."""
    if len(packed_players) == 1:
        return packed_players[0]
    seats = []
    shapes = columns = weights = numbers = 0
    for packed in packed_players:  # offsets in the records shift by what stands before
        moved = packed.seats.copy()
        moved[:, SHAPE] += shapes
        moved[:, [COLUMNS_AT, INPUTS_AT]] += columns
        moved[:, WEIGHTS_AT] += weights
        moved[:, NUMBERS_AT] += numbers
        seats.append(moved)
        shapes += len(packed.shapes)
        columns += len(packed.columns)
        weights += len(packed.weights)
        numbers += len(packed.numbers)
    return PackedPlayers(
        np.concatenate(seats),
        *(np.concatenate(parts) for parts in list(zip(*packed_players, strict=True))[1:]),
    )


def with_noise(packed: PackedPlayers, noise: float) -> PackedPlayers:
    """Return the same players, with each move replaced by a random one with probability *noise*.

    Noise adds up: *noise* applies to the moves that earlier noise leaves.
    """
    seats = packed.seats.copy()
    seats[:, NOISE] += np.rint(noise * (2**32 - seats[:, NOISE])).astype(np.int64)
    return packed._replace(seats=seats)
