"""Room for what players of Ticket to Ride work out before a move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS, MOVES
from evolve_arena.genomes.dense import room_for
from evolve_arena.players.packed import GRAPH, KIND, OWN_FIELDS, PackedPlayers

GOAL, AFFORDABLE, POSSIBLE, MATCHING, LACKING = np.arange(0, 10, 2)
"""Places in ``plan``: sets of routes, two words of bits each (route r is bit ``r % 64`` of word
``r // 64``). See :mod:`evolve_arena.games.ticket_to_ride.plan`. They are NumPy's numbers, since a
function called with plain ones is compiled for each of them."""
PLAN_WORDS = 10

OWN, BLOCKED, FREE_FIRST, FREE_SECOND, KNOWN, FOUND_BY = 0, 2, 4, 6, 8, 9
"""Places in a seat's part of ``seats``, sets of two words again: routes that the seat has claimed;
that it can no longer claim; whose first line and whose second it may claim; of which tickets the
path is known, one word of bits; and by which reading of ``path_points`` the paths were found."""
PATHS_AT = 10
"""And the path of each ticket, as a set of routes."""
SEAT_WORDS = PATHS_AT + 2 * 30

OPEN_TICKETS, DONE_TICKETS, OPEN_POINTS, DONE_POINTS = 0, 1, 2, 3
"""Places in ``notes``: how many tickets in hand are not done, and are, and their points."""
CAPACITY_AT = 4
"""For each colour how many cards of it can be paid, locomotives included; the last one is for grey
routes. 9 places."""
NEEDS_AT = CAPACITY_AT + 9
"""For each colour how many cards of it are wanted. 9 places."""
CITIES_AT = NEEDS_AT + 9
"""For the search of a path: of each city its distance and by which route it is reached."""
NOTES = CITIES_AT + 2 * 36


class TicketWorkspace(NamedTuple):
    """Arrays that are used again and again. No move depends on what they hold before it."""

    streams: NDArray[np.uint64]
    """The random stream of the match's players; shape ``(1,)``."""
    moves: NDArray[np.int64]
    """A list of moves; shape ``(MOVES,)``."""
    plan: NDArray[np.uint64]
    """What is worked out at the beginning of a turn, as sets of routes."""
    notes: NDArray[np.int64]
    """What else is."""
    seats: NDArray[np.uint64]
    """What is known of each seat's routes and paths, seat by seat."""
    network: NetworkWorkspace
    """What networks need."""


def make_ticket_workspace(packed: PackedPlayers) -> TicketWorkspace:
    """Room for any match among the players of *packed*."""
    return TicketWorkspace(
        np.zeros(1, dtype=np.uint64),
        np.zeros(MOVES, dtype=np.int64),
        np.zeros(PLAN_WORDS, dtype=np.uint64),
        np.zeros(NOTES, dtype=np.int64),
        np.zeros(MOST_PLAYERS * SEAT_WORDS, dtype=np.uint64),
        make_network_workspace(packed),
    )


@compiled
def seat_at(seat: int) -> int:
    """Where what is known of a *seat* begins."""
    return seat * SEAT_WORDS


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


class NetworkWorkspace(NamedTuple):
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


def make_network_workspace(packed: PackedPlayers) -> NetworkWorkspace:
    """Room for the networks and graphs of *packed*."""
    graphs = packed.seats[packed.seats[:, KIND] == GRAPH]
    widest = max(room_for(packed.shapes), BLOCK)
    return NetworkWorkspace(
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


@compiled
def keys_at(seat: int) -> int:
    """Where the keys of a *seat* begin: own routes, free ones, tickets."""
    return seat * KEYS


@compiled
def ways_at(seat: int) -> int:
    """Where the ways of a *seat* begin."""
    return seat * SEAT_WAYS
