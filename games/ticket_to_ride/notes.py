"""What players of Ticket to Ride note down: plans, paths and ways, and where each of them stands.

The notes are one array of ``int64``, shape ``(ROOM_SIZE,)``, which the file of rules divides into a
:class:`Room`. Its first number says what has been worked out about the state at hand. What is kept
of seats' paths and ways from earlier states is always checked before it is used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS

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
"""Places in ``counts``: how many tickets in hand are not done, and are, and their points."""
CAPACITY_AT = 4
"""For each colour how many cards of it can be paid, locomotives included; the last one is for grey
routes. 9 places."""
NEEDS_AT = CAPACITY_AT + 9
"""For each colour how many cards of it are wanted. 9 places."""
CITIES_AT = NEEDS_AT + 9
"""For the search of a path: of each city its distance and by which route it is reached."""
COUNTS = CITIES_AT + 2 * 36

BLOCK = 16
"""Floats that are added at once: what they stand in is as long as a multiple of it."""
MOST_TICKETS = 33
"""That a seat may hold and be offered."""
SEAT_WAYS = 36 * BLOCK * -(-2 * MOST_TICKETS // BLOCK)
"""Of each seat, from two cities of each ticket to each city."""
KEYS = 8
MOST_INPUTS = 96
FACTS = 192
MOST_EDGES = 3 * 78

PLAN_AT = 1
COUNTS_AT = PLAN_AT + PLAN_WORDS
STREAM_AT = COUNTS_AT + COUNTS
SEATS_AT = STREAM_AT + 1
KEYS_AT = SEATS_AT + MOST_PLAYERS * SEAT_WORDS
EDGES_AT = KEYS_AT + MOST_PLAYERS * KEYS
FACTS_AT = EDGES_AT + MOST_EDGES
INPUTS_AT = FACTS_AT + FACTS
NEAREST_AT = INPUTS_AT + MOST_INPUTS // 2
WAYS_AT = NEAREST_AT + MOST_TICKETS
ROOM_SIZE = WAYS_AT + MOST_PLAYERS * SEAT_WAYS // 2
"""How many numbers there are; a number is two floats."""


class Room(NamedTuple):
    """The notes, in parts."""

    known: Any
    """What has been worked out about the state at hand, as bits; shape ``(1,)``."""
    plan: Any
    """Sets of routes, of ``uint64``."""
    counts: Any
    """What else a plan says."""
    streams: Any
    """The random stream of a rule player's turn, shape ``(1,)``."""
    seats: Any
    """What is known of each seat's routes and paths, of ``uint64``, seat by seat."""
    keys: Any
    """For which routes and tickets the ways of each seat hold, of ``uint64``."""
    edges: Any
    """The routes that ways may take: two cities, and trains."""
    facts: Any
    """What else a survey finds; see :mod:`evolve_arena.games.ticket_to_ride.facts`."""
    inputs: Any
    """What networks are told, as counted, of ``float32``."""
    nearest: Any
    """How far each city is from a tree that grows, of ``float32``."""
    ways: Any
    """For each seat how many trains its tickets' cities are away from others, of ``float32``; see
    :mod:`evolve_arena.games.ticket_to_ride.ways`."""


@compiled
def seat_at(seat: int) -> int:
    """Where what is known of a *seat* begins."""
    return seat * SEAT_WORDS


@compiled
def keys_at(seat: int) -> int:
    """Where the keys of a *seat* begin: own routes, free ones, tickets."""
    return seat * KEYS


@compiled
def ways_at(seat: int) -> int:
    """Where the ways of a *seat* begin."""
    return seat * SEAT_WAYS
