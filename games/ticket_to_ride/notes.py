"""Work arrays (*notes*) of Ticket to Ride's players: plans, paths and distances (*ways*).

The notes are one array of ``int64``, shape ``(ROOM_SIZE,)``, which the file of rules divides into a
:class:`Room`. Its first number says which parts hold for the current state. Paths and distances
that were found in earlier states are always checked before use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Array, Floats
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS

GOAL, AFFORDABLE, POSSIBLE, MATCHING, LACKING, BLOCKING = np.arange(0, 12, 2)
"""Places in ``plan``: sets of routes, two words of bits each (route r is bit ``r % 64`` of word ``r
// 64``). See :mod:`evolve_arena.games.ticket_to_ride.plan`. They are NumPy scalars, since a
function called with plain integers is compiled for each of them."""
PLAN_WORDS = 12

OWN, BLOCKED, FREE_FIRST, FREE_SECOND, KNOWN, FOUND_BY = 0, 2, 4, 6, 8, 9
"""Places in a seat's part of ``seats``, sets of two words again: routes that the seat has claimed;
routes that it can no longer claim; routes whose first line, and whose second line, it may claim;
the tickets with known paths, one word of bits; and the reading of ``path_points`` by which these
were found."""
PATHS_AT = 10
"""The path of each ticket, as a set of routes."""
SEAT_WORDS = PATHS_AT + 2 * 30

OPEN_TICKETS, DONE_TICKETS, OPEN_POINTS, DONE_POINTS = 0, 1, 2, 3
"""Places in ``counts``: numbers of tickets in hand that are open and done, and their points."""
CAPACITY_AT = 4
"""Number of cards of each colour that can be paid, locomotives included; the last one is for grey
routes. 9 places."""
NEEDS_AT = CAPACITY_AT + 9
"""For each colour, the number of cards of it that are wanted. 9 places."""
CITIES_AT = NEEDS_AT + 9
"""For the search of a path: the distance of each city, and the route by which it is reached."""
COUNTS = CITIES_AT + 2 * 36

BLOCK = 16
"""Number of floats in a vector: lengths of arrays are multiples of it."""
MAX_TICKETS = 33
"""Most tickets that a seat may hold and be offered."""
SEAT_WAYS = 36 * BLOCK * -(-2 * MAX_TICKETS // BLOCK)
"""Number of distances of each seat, padded: from both cities of each ticket to each city."""
KEYS = 8
MAX_INPUTS = 96
FACTS = 192
MAX_EDGES = 3 * 78

PLAN_AT = 1
COUNTS_AT = PLAN_AT + PLAN_WORDS
STREAM_AT = COUNTS_AT + COUNTS
SEATS_AT = STREAM_AT + 1
KEYS_AT = SEATS_AT + MAX_PLAYERS * SEAT_WORDS
EDGES_AT = KEYS_AT + MAX_PLAYERS * KEYS
FACTS_AT = EDGES_AT + MAX_EDGES
INPUTS_AT = FACTS_AT + FACTS
NEAREST_AT = INPUTS_AT + MAX_INPUTS // 2
WAYS_AT = NEAREST_AT + MAX_TICKETS
ROOM_SIZE = WAYS_AT + MAX_PLAYERS * SEAT_WAYS // 2
"""Number of notes; one holds two floats."""


class Room(NamedTuple):
    """Views of the parts of the notes: numbers that searches derive from a state and keep."""

    known: Array
    """Parts that hold for the current state, as bits; shape ``(1,)``."""
    plan: Array
    """Sets of routes, of ``uint64``."""
    counts: Array
    """Other numbers of a plan."""
    streams: Stream
    """Random stream of a rule player's turn, shape ``(1,)``."""
    seats: Array
    """Known routes and paths of each seat, of ``uint64``, seat by seat."""
    keys: Array
    """Routes and tickets for which the distances of each seat were computed, of ``uint64``."""
    edges: Array
    """Usable routes: for each, two cities and the number of additional trains."""
    facts: Array
    """Other results of a survey; see :mod:`evolve_arena.games.ticket_to_ride.facts`."""
    inputs: Floats
    """Inputs of networks (``float32``); the first ones, the features, are not scaled yet."""
    nearest: Floats
    """Distance of each city from a growing tree, of ``float32``."""
    ways: Floats
    """For each seat, the distances in trains from its tickets' cities to all cities (``float32``);
    see :mod:`evolve_arena.games.ticket_to_ride.ways`."""


@compiled
def seat_at(seat: int) -> int:
    """Return the index in ``seats`` of a *seat*'s first word."""
    return seat * SEAT_WORDS


@compiled
def keys_at(seat: int) -> int:
    """Return the index in ``keys`` of a *seat*'s first key: own routes, free ones, tickets."""
    return seat * KEYS


@compiled
def ways_at(seat: int) -> int:
    """Return the index in ``ways`` of a *seat*'s first distance."""
    return seat * SEAT_WAYS
