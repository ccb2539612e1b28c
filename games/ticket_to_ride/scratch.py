"""Room for what players of Ticket to Ride work out before a move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS, MOVES
from evolve_arena.games.ticket_to_ride.room import NetworkRoom, make_network_room
from evolve_arena.players.lineup import Lineup

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


class TicketScratch(NamedTuple):
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
    room: NetworkRoom
    """What networks need."""


def make_ticket_scratch(lineup: Lineup) -> TicketScratch:
    """Room for any match among the players of *lineup*."""
    return TicketScratch(
        np.zeros(1, dtype=np.uint64),
        np.zeros(MOVES, dtype=np.int64),
        np.zeros(PLAN_WORDS, dtype=np.uint64),
        np.zeros(NOTES, dtype=np.int64),
        np.zeros(MOST_PLAYERS * SEAT_WORDS, dtype=np.uint64),
        make_network_room(lineup),
    )


@compiled
def seat_at(seat: int) -> int:
    """Where what is known of a *seat* begins."""
    return seat * SEAT_WORDS
