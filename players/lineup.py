"""The players of a batch of matches, packed into arrays for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.compiled import inlined
from genomes.network import LAYERS, SHAPE_FIELDS, SIZES, padded

__all__ = [
    "COLUMNS_AT",
    "HEAD",
    "KIND",
    "NETWORK",
    "NOISE",
    "POLICY",
    "RANDOM",
    "RELATIVE",
    "SEAT_FIELDS",
    "SHAPE",
    "TEST_BOT",
    "VALUE",
    "WEIGHTS_AT",
    "Lineup",
    "Scratch",
    "combine_lineups",
    "first_width",
    "make_scratch",
    "simple_lineup",
    "with_noise",
]

KIND, NOISE, SHAPE, COLUMNS_AT, WEIGHTS_AT, HEAD, RELATIVE = 0, 1, 2, 3, 4, 5, 6
"""Fields of a seat: what decides its moves; how often a random move is played instead, in
units of 2**-32; and for a network its row in ``shapes``, where its numbers begin in
``columns`` and ``weights``, its head, and whether it sees the board from its own side (1) or
as the colours are (0)."""
SEAT_FIELDS = 7

RANDOM, TEST_BOT, NETWORK = 0, 1, 2
"""Kinds of seats."""

POLICY, VALUE = 0, 1
"""Heads: one output per move, or one value per position reached."""


class Lineup(NamedTuple):
    """Players as arrays. A pairing names them by their row in ``seats``."""

    seats: NDArray[np.int64]
    """Shape ``(players, SEAT_FIELDS)``."""
    shapes: NDArray[np.int64]
    """The structures of all networks, shape ``(structures, SHAPE_FIELDS)``, at least one."""
    columns: NDArray[np.int32]
    """First layers, one after the other."""
    weights: NDArray[np.float32]
    """Later layers, one after the other."""


class Scratch(NamedTuple):
    """Room for one match of a lineup's players, reused from match to match."""

    sums: NDArray[np.int32]
    """The running sums of both seats, one half each."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    stream: NDArray[np.uint64]


def simple_lineup(kind: int) -> Lineup:
    """One player of a *kind* that needs no numbers."""
    seats = np.zeros((1, SEAT_FIELDS), dtype=np.int64)
    seats[0, KIND] = kind
    return Lineup(
        seats,
        np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
    )


def combine_lineups(lineups: Sequence[Lineup]) -> Lineup:
    """All players of *lineups* in one, in the order given."""
    if len(lineups) == 1:
        return lineups[0]
    seats = []
    shapes = columns = weights = 0
    for lineup in lineups:
        moved = lineup.seats.copy()
        moved[:, SHAPE] += shapes
        moved[:, COLUMNS_AT] += columns
        moved[:, WEIGHTS_AT] += weights
        seats.append(moved)
        shapes += len(lineup.shapes)
        columns += len(lineup.columns)
        weights += len(lineup.weights)
    return Lineup(
        np.concatenate(seats),
        np.concatenate([lineup.shapes for lineup in lineups]),
        np.concatenate([lineup.columns for lineup in lineups]),
        np.concatenate([lineup.weights for lineup in lineups]),
    )


def with_noise(lineup: Lineup, noise: float) -> Lineup:
    """The same players, who play a random move instead of their own with probability *noise*."""
    seats = lineup.seats.copy()
    seats[:, NOISE] = round(noise * 2**32)
    return lineup._replace(seats=seats)


def make_scratch(lineup: Lineup) -> Scratch:
    """Room for any match among the players of *lineup*."""
    widest = 0
    for shape in lineup.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    return Scratch(
        np.zeros(2 * widest, dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(1, dtype=np.uint64),
    )


@inlined
def first_width(lineup: Any, seat: int) -> Any:
    """The padded width of a network's first layer; 0 if *seat* holds no network."""
    if lineup.seats[seat, KIND] != NETWORK:
        return 0
    return padded(lineup.shapes[lineup.seats[seat, SHAPE], SIZES + 1])
