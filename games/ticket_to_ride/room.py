"""Room for what networks think in Ticket to Ride."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import hidden
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.genomes.dense import room_for
from evolve_arena.players.lineup import GRAPH, KIND, OWN_FIELDS, Lineup

HEAD, FEATURES, VARIANT, FORBIDS, INPUTS, SLOTS, TERMS = range(OWN_FIELDS, OWN_FIELDS + 7)
"""Fields of a player's record, beside the usual ones: a network's head; how many features of a
state it sees; the bits that say how the rule player decides that helps out (see
:mod:`evolve_arena.games.ticket_to_ride.rule`); whether it is kept from choosing what it may not do
(1), or may make a forbidden move (0); and how many inputs, slots and terms a graph has (see
:mod:`evolve_arena.genomes.neat.graph`)."""
SEAT_FIELDS = OWN_FIELDS + 7
RULE = 8
"""A kind of players, beside the usual ones."""
ACTION, DECISION = 0, 1
"""Heads: one value per move, of which inputs tell; or one output per class of moves."""

BLOCK = 16
"""Arrays that vectors read are as long as a multiple of it."""
MOST_INPUTS = 96
MOST_TICKETS = 33
"""That a seat may hold and be offered."""
SEAT_WAYS = 36 * BLOCK * -(-2 * MOST_TICKETS // BLOCK)
"""Of each seat, from two cities of each ticket to each city."""
KEYS = 8
FACTS = 192
MOST_EDGES = 3 * 78


class NetworkRoom(NamedTuple):
    """Arrays that are used again and again; none holds anything on which a move depends."""

    inputs: NDArray[np.float32]
    """The values of a network's inputs."""
    places: NDArray[np.int64]
    """Which of a move's inputs are not 0."""
    base: NDArray[np.float32]
    """The sums of the first layer without the move's inputs."""
    ping: NDArray[np.float32]
    pong: NDArray[np.float32]
    values: NDArray[np.float64]
    """The plane of a graph's values, and then its terms (see
    :mod:`evolve_arena.genomes.neat.graph`)."""
    worths: NDArray[np.float64]
    """What a network thinks of each class of decisions."""
    ways: NDArray[np.float32]
    """For each seat how many trains its tickets' cities are away from others; see
    :mod:`evolve_arena.games.ticket_to_ride.ways`."""
    keys: NDArray[np.uint64]
    """For which routes and tickets they hold."""
    edges: NDArray[np.int64]
    """The routes that ways may take: two cities, and trains."""
    nearest: NDArray[np.float32]
    """How far each city is from a tree that grows."""
    facts: NDArray[np.int64]
    """What else the survey finds; see :mod:`evolve_arena.games.ticket_to_ride.facts`."""


def make_network_room(lineup: Lineup) -> NetworkRoom:
    """Room for the networks and graphs of *lineup*."""
    graphs = lineup.seats[lineup.seats[:, KIND] == GRAPH]
    widest = max(room_for(lineup.shapes), BLOCK)
    return NetworkRoom(
        np.zeros(MOST_INPUTS, dtype=np.float32),
        np.zeros(MOST_INPUTS, dtype=np.int64),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(int((graphs[:, SLOTS] + graphs[:, TERMS]).max(initial=0)), dtype=np.float64),
        np.zeros(BLOCK, dtype=np.float64),
        np.zeros(MOST_PLAYERS * SEAT_WAYS, dtype=np.float32),
        np.zeros(MOST_PLAYERS * KEYS, dtype=np.uint64),
        np.zeros(MOST_EDGES, dtype=np.int64),
        np.zeros(2 * MOST_TICKETS, dtype=np.float32),
        np.zeros(FACTS, dtype=np.int64),
    )


@hidden
def keys_at(seat: int) -> int:
    """Where the keys of a *seat* begin: own routes, free ones, tickets."""
    return seat * KEYS


@hidden
def ways_at(seat: int) -> int:
    """Where the ways of a *seat* begin."""
    return seat * SEAT_WAYS
