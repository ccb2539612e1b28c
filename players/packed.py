"""The players of a batch of matches, packed into arrays for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes.network import SHAPE_FIELDS

# Compiled code takes these: "core.compiled import constants" in this line makes the cache heed
# changes.

KIND, NOISE, SHAPE, COLUMNS_AT, INPUTS_AT, WEIGHTS_AT, NUMBERS_AT = range(7)
"""The first fields of a player's record: what decides its moves; how often a random move is played
instead, in units of 2**-32; for a network its row in ``shapes``; and where its numbers begin in
``columns`` (twice: a graph or a tuple network has a structure and something that leads to it),
``weights`` and ``numbers``."""
OWN_FIELDS = 7
"""Where the fields begin that a game adds."""

RANDOM, NETWORK, GRAPH, TUPLES = 0, 1, 2, 3
"""Kinds of players. Those that a game adds are numbered from 8."""


class PackedPlayers(NamedTuple):
    """Players as arrays. A match names them by their row in ``seats``."""

    seats: NDArray[np.int64]
    """A record for each player, shape ``(players, fields)``; a game says how many fields."""
    shapes: NDArray[np.int64]
    """The structures of all networks, shape ``(structures, SHAPE_FIELDS)``, at least one."""
    columns: NDArray[np.int32]
    """First layers (and the structures of graphs, the lines of searches), one after the other."""
    weights: NDArray[np.float32]
    """Later layers, one after the other."""
    numbers: NDArray[np.float64]
    """The numbers of graphs, one after the other."""


def simple_player(fields: int, kind: int = RANDOM) -> PackedPlayers:
    """One player of a *kind* that needs no numbers, whose record has so many *fields*."""
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
    """All players of *packed_players* in one, in the order given; all are of the same game."""
    if len(packed_players) == 1:
        return packed_players[0]
    seats = []
    shapes = columns = weights = numbers = 0
    for packed in packed_players:
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
    """The same players, who play a random move instead of their own with probability *noise*.

    Who does so already does it more often: the choice that is left now may be replaced as well.
    """
    seats = packed.seats.copy()
    seats[:, NOISE] += np.rint(noise * (2**32 - seats[:, NOISE])).astype(np.int64)
    return packed._replace(seats=seats)
