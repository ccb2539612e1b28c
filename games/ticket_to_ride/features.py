"""The 26 or 28 features of a state of Ticket to Ride, compiled.

The first 26 are those of Łabno (2018), table 4.1, in his order; the last two are in his program
only. In his program the features 23 to 25 are by mistake those of the previous player; here they
are always the seat's own, since others' tickets are hidden.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
    ROUTES,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    HELD_TICKETS,
    NUMBER_OF_PLAYERS,
    OPEN_SIZE,
    POINTS,
    ROUND,
    TICKET_DECK_SIZE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import (
    CAPACITY_AT,
    DONE_POINTS,
    DONE_TICKETS,
    FREE_FIRST,
    FREE_SECOND,
    GOAL,
    LACKING,
    MATCHING,
    OPEN_POINTS,
    OPEN_TICKETS,
    POSSIBLE,
    Room,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import GOAL_COUNT, OTHERS

FEATURE_NAMES = (
    "round",
    "own cards",
    "open cards",
    "deck",
    "discarded cards",
    "own tickets",
    "ticket deck",
    "own trains",
    "own points with tickets",
    "deck and open cards",
    "possible routes",
    "matching routes",
    "goal routes",
    "lacking routes",
    "players",
    "fewest trains",
    "most trains",
    "mean trains",
    "median trains",
    "fewest tickets",
    "most tickets",
    "mean tickets",
    "median tickets",
    "open tickets",
    "done tickets",
    "route points",
    "largest capacity",
    "colours with capacity",
)
"""All features, in the order in which they are written. Trains and tickets of the others, or of all
players, are summarized; a capacity is the number of cards of a colour, with locomotives, that the
hand can pay, and for locomotives the number of cards for a grey route."""
FEATURE_SCALES = np.array(
    [
        *(1 / 64, 1 / 32, 1 / 8, 1 / 128, 1 / 128),
        *(1 / 8, 1 / 32, 1 / 64, 1 / 128, 1 / 128),
        *(1 / 32, 1 / 16, 1 / 16, 1 / 16),
        1 / 8,
        *(1 / 64, 1 / 64, 1 / 64, 1 / 64),
        *(1 / 8, 1 / 8, 1 / 8, 1 / 8),
        *(1 / 4, 1 / 8, 1 / 128),
        *(1 / 16, 1 / 8),
    ],
    dtype=np.float32,
)
"""Factors that scale each feature to about 0 to 1, shape ``(28,)``: powers of two, so that nothing
is rounded."""

LAST_ROUTE = next(
    route
    for route in range(ROUTES)
    if {CITY_NAMES[ROUTE_FROM[route]], CITY_NAMES[ROUTE_TO[route]]} == {"Boston", "New York"}
)
"""The last route in the map of Łabno's program."""
SUMMARIZED, SUMMARIES_AT = np.array([TRAINS, HELD_TICKETS]), np.array([15, 19])
"""Fields of players, and the first feature of the summary of each."""


@compiled
def fill_features(state: State, seat: int, variant: int, room: Room) -> None:
    """Write the features that *seat* sees to ``room.inputs``, not scaled, from place 0 on.

    :func:`evolve_arena.games.ticket_to_ride.plan.prepare_turn` has to be called before.

    Args:
        state: The state, or the part of it that *seat* may know.
        seat: The seat whose view it is.
        variant: Options of the rule player as bits; ``players`` and ``goal_count`` are used.
        room: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    player, plan, counts, out = player_at(seat), room.plan, room.counts, room.inputs
    out[0] = state[ROUND]
    out[1] = state[player + CARDS]
    out[2] = state[OPEN_SIZE]
    out[3] = state[DECK_SIZE]
    out[4] = state[DISCARD_SIZE]
    out[5] = state[player + HELD_TICKETS]
    out[6] = state[TICKET_DECK_SIZE]
    out[7] = state[player + TRAINS]
    out[8] = state[player + POINTS] + counts[DONE_POINTS] - counts[OPEN_POINTS]
    out[9] = state[DECK_SIZE] + state[OPEN_SIZE]
    out[10] = _size(plan, POSSIBLE)
    out[11] = _size(plan, MATCHING)
    out[12] = _size(plan, GOAL)
    out[13] = _size(plan, LACKING)
    out[14] = state[NUMBER_OF_PLAYERS]
    if variant & GOAL_COUNT and not _can_claim_last(state, seat, room.seats):
        out[12] = 0
    every = (variant & OTHERS) != 0
    for number in range(2):
        _summarize(state, seat, SUMMARIZED[number], every, out, SUMMARIES_AT[number])
    out[23] = counts[OPEN_TICKETS]
    out[24] = counts[DONE_TICKETS]
    out[25] = state[player + POINTS]
    _describe_hand(counts, out)


@inlined
def _size(plan: Array, place: Number) -> Number:
    """Return the number of routes in a set of the plan."""
    return count_bits(plan[place]) + count_bits(plan[place + 1])


@inlined
def _can_claim_last(state: State, seat: int, seats: Array) -> bool:
    """Return True if the last route of Łabno's map may be claimed, whatever the hand."""
    at, word = seat_at(seat), LAST_ROUTE >> 6
    free = seats[at + FREE_FIRST + word] | seats[at + FREE_SECOND + word]
    if (free >> np.uint64(LAST_ROUTE & 63)) & np.uint64(1) == np.uint64(0):
        return False
    return bool(state[player_at(seat) + TRAINS] >= ROUTE_LENGTH[LAST_ROUTE])


@compiled
def _summarize(state: State, seat: int, field: int, every: bool, out: Floats, at: int) -> None:
    """Write minimum, maximum, mean and median of a *field* over the others, or *every* player."""
    total = count = 0
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other == seat and not every:
            continue
        value = np.float32(state[player_at(other) + field])
        total += state[player_at(other) + field]
        place = at + count  # the values are sorted where the results go, and one place on
        while place > at and out[place - 1] > value:
            out[place] = out[place - 1]
            place -= 1
        out[place] = value
        count += 1
    low, high = out[at], out[at + count - 1]
    median = (out[at + (count - 1) // 2] + out[at + count // 2]) * np.float32(0.5)
    out[at], out[at + 1] = low, high
    out[at + 2] = np.float32(total) / np.float32(count)
    out[at + 3] = median


@inlined
def _describe_hand(counts: Array, out: Floats) -> None:
    """Write the largest capacity, and the number of capacities that are not 0."""
    largest = several = 0
    for colour in range(LOCOMOTIVE + 1):
        capacity = counts[CAPACITY_AT + colour]
        largest = max(largest, capacity)
        if capacity > 0:
            several += 1
    out[26] = largest
    out[27] = several
