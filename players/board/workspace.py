"""What players of compiled board games keep: fields of their records, and room to compute in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import inlined  # noqa: F401  (so that the cache heeds changes)
from evolve_arena.genomes.network import LAYERS, SIZES, padded
from evolve_arena.genomes.tuple_entries import READINGS
from evolve_arena.players.packed import COLUMNS_AT, GRAPH, KIND, OWN_FIELDS, TUPLES, PackedPlayers

HEAD, TAKES_WINS, INPUTS, SLOTS, TERMS, DEPTH = range(OWN_FIELDS, OWN_FIELDS + 6)
"""Fields of a player's record, beside the usual ones: for what is bred its head, and whether it
plays a move that wins at once, whatever the values (1); for a graph how many inputs, slots and
terms it has; for a search how many plies it looks ahead."""
RECORD_FIELDS = OWN_FIELDS + 6
POLICY, VALUE = 0, 1
"""Heads: one output per move; or one value per state that a move leads to."""
SEARCH = 8
"""A kind of players, beside the usual ones."""
TRIAL = 2
"""What stands where the players in slots 0 and 1 would have a third one: a move that is tried."""


class Workspace(NamedTuple):
    """Arrays for matches of some players, used again and again."""

    streams: NDArray[np.uint64]
    """The random stream of the match."""
    players: NDArray[np.int64]
    """Who sits in each slot, by row."""
    moves: NDArray[np.int64]
    """Legal moves, of the state on the board and, in searches, of those behind it."""
    planes: NDArray[np.uint64]
    """What the player in each slot has seen of the board last, and what it sees now."""
    changes: NDArray[np.int64]
    """The bits that came and went since."""
    sums: NDArray[np.int32]
    """For each slot, and a trial, a network's running sums, or the entries that tuples read."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    outputs: NDArray[np.float32]
    picked: NDArray[np.int32]
    """What tuples pick from their tables."""
    values: NDArray[np.float64]
    """The plane of a graph's values, and then its terms."""


def make_workspace(rules: Any, players: PackedPlayers) -> Workspace:
    """Arrays for matches of packed *players* by the *rules* of a compiled module."""
    widest = 16
    for shape in players.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    seats = players.seats
    readings = [
        int(players.columns[at + READINGS])
        for at in np.unique(seats[seats[:, KIND] == TUPLES, COLUMNS_AT])
    ]
    graphs = seats[seats[:, KIND] == GRAPH]
    deepest = int(seats[seats[:, KIND] == SEARCH, DEPTH].max(initial=0))
    return Workspace(
        np.zeros(1, dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
        np.zeros(rules.MOVES * (deepest + 2), dtype=np.int64),
        np.zeros(3 * rules.PLANES, dtype=np.uint64),
        np.zeros(64 * rules.PLANES, dtype=np.int64),
        np.zeros(3 * max(widest, *readings, 0), dtype=np.int32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(int(padded(rules.MOVES)), dtype=np.float32),
        np.zeros(max(readings, default=0), dtype=np.int32),
        np.zeros(int((graphs[:, SLOTS] + graphs[:, TERMS]).max(initial=0)), dtype=np.float64),
    )
