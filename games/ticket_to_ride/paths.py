"""The cheapest paths of a seat's tickets on the map of Ticket to Ride, compiled.

A route costs its length in trains; nothing if the seat has claimed it; and :data:`BLOCKED_COST`,
"very much", if it no longer can. Of equally cheap paths the one with more points is best, then the
one with the lowest sum of fixed numbers, one for each route, whose only purpose is that no two
paths are equal.

So the best path is the least sum of one weight per route, and a path once found is kept: it stays
best while the routes beside it only become dearer, and when the seat claims a route on it, which
makes all paths over that route cheaper by the same amount. It is searched again when a route on it
is blocked, or when the seat claims one beside it. Source: Dijkstra's algorithm, as in Łabno's
program (2018); his text names that of Bellman and Ford, which finds the same.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.board import (
    LINE_OF_ROUTE,
    NEIGHBOUR_ROUTES,
    NEIGHBOURS,
    NEIGHBOURS_AT,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_POINTS,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import NUMBER_OF_PLAYERS, OWNER_AT
from evolve_arena.games.ticket_to_ride.notes import (
    BLOCKED,
    CITIES_AT,
    FOUND_BY,
    FREE_FIRST,
    FREE_SECOND,
    KNOWN,
    OWN,
    PATHS_AT,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import PATH_POINTS

BLOCKED_COST = 1000
"""Additional cost of a blocked route, in trains; Łabno's program has the same."""
TIE_NUMBERS = np.array([pow(route + 1, 5, 2**24 - 3) for route in range(ROUTES)], dtype=np.int64)
"""Fixed numbers that tell equal paths apart: (number of the route + 1)⁵ modulo 2²⁴ - 3."""

COST, POINT = 1 << 40, 1 << 30
"""Weight of a train, and of a point less; the fixed numbers of a whole path sum to less than a
point."""
FREE_WEIGHTS = ROUTE_LENGTH * COST - ROUTE_POINTS * POINT + TIE_NUMBERS
BLOCKED_WEIGHTS = BLOCKED_COST * COST - ROUTE_POINTS * POINT + TIE_NUMBERS
FARTHEST = np.int64(2**62)

LENGTH_SETS = np.array(
    [
        [
            sum(1 << (r % 64) for r in range(ROUTES) if r // 64 == word and ROUTE_LENGTH[r] == size)
            for word in range(2)
        ]
        for size in range(7)
    ],
    dtype=np.uint64,
)
"""The routes of each length, 0 to 6, as bits of two words."""
ALL_ROUTES = np.array([2**64 - 1, 2 ** (ROUTES - 64) - 1], dtype=np.uint64)

NONE, ONE = np.uint64(0), np.uint64(1)


@compiled
def know_routes(state: State, seat: int, seats: Array) -> None:
    """Note the routes that *seat* has claimed, can claim and can't, and forget stale paths.

    Args:
        state: The state, or the part of it that *seat* may know.
        seat: The owner of the routes.
        seats: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    at = seat_at(seat)
    shared = state[NUMBER_OF_PLAYERS] > 3
    for word in range(2):
        own = first = second = NONE
        for route in range(64 * word, min(64 * word + 64, ROUTES)):
            line = OWNER_AT + LINE_OF_ROUTE[route]
            bit = ONE << np.uint64(route & 63)
            double = ROUTE_LINES[route] == 2
            owner, twin = state[line], state[line + 1] if double else -1
            if seat in (owner, twin):
                own |= bit
            elif shared or (owner < 0 and twin < 0):
                if owner < 0:
                    first |= bit
                if double and twin < 0:
                    second |= bit
        # Compare with the earlier sets before they are replaced.
        blocked = ALL_ROUTES[word] & ~(own | first | second)
        _forget_paths(at, word, own, blocked, seats)
        seats[at + OWN + word] = own
        seats[at + BLOCKED + word] = blocked
        seats[at + FREE_FIRST + word] = first
        seats[at + FREE_SECOND + word] = second


@compiled
def know_path(seat: int, ticket: int, variant: int, seats: Array, counts: Array) -> None:
    """Make sure that *seats* has the path of a *ticket*, at ``PATHS_AT + 2 * ticket`` of its part.

    :func:`know_routes` has to be called before.

    Args:
        seat: The seat whose costs count.
        ticket: Number of the ticket.
        variant: Options of the rule player as bits; ``path_points`` is used.
        seats: Known routes and paths of all seats; see
            :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
        counts: Work space of the search, in the same room.
    """
    at = seat_at(seat)
    every = (variant & PATH_POINTS) != 0
    # Paths that were found by another reading are void.
    if (seats[at + FOUND_BY] != NONE) != every:
        seats[at + FOUND_BY] = ONE if every else NONE
        seats[at + KNOWN] = NONE
    bit = ONE << np.uint64(ticket)
    if (seats[at + KNOWN] & bit) == NONE:
        _find_path(at, ticket, every, seats, counts)
        seats[at + KNOWN] |= bit


@compiled
def routes_cost(seat: int, low: Number, high: Number, seats: Array) -> Number:
    """Return the trains that it takes to own a set of routes, :data:`BLOCKED_COST` included.

    Args:
        seat: Player who is to own the routes.
        low: Routes 0 to 63 of the set, as bits of a ``uint64``.
        high: Routes from 64 on, as bits of a ``uint64``: route r is bit ``r - 64``.
        seats: Routes that :func:`know_routes` has noted for *seat*; see
            :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    at = seat_at(seat)
    blocked_low, blocked_high = seats[at + BLOCKED], seats[at + BLOCKED + 1]
    cost = BLOCKED_COST * (count_bits(low & blocked_low) + count_bits(high & blocked_high))
    low &= ~(seats[at + OWN] | blocked_low)
    high &= ~(seats[at + OWN + 1] | blocked_high)
    if low | high:
        for length in range(1, 7):
            lengths = LENGTH_SETS[length]
            cost += length * (count_bits(low & lengths[0]) + count_bits(high & lengths[1]))
    return cost


@compiled
def _forget_paths(at: int, word: int, own: Number, blocked: Number, seats: Array) -> None:
    """Forget paths that may no longer be best, now that these routes are *own* and *blocked*."""
    was_own, was_blocked = seats[at + OWN + word], seats[at + BLOCKED + word]
    if own == was_own and blocked == was_blocked:
        return
    # If routes were given back, this is another game: no path holds.
    if seats[at + FOUND_BY] or (was_own & ~own) or (was_blocked & ~blocked):
        seats[at + KNOWN] = NONE
        return
    taken, lost = own & ~was_own, blocked & ~was_blocked
    left = seats[at + KNOWN]
    while left:
        ticket = lowest_bit(left)
        left &= left - ONE
        path = seats[at + PATHS_AT + 2 * ticket + word]
        if (lost & path) or (taken & ~path):
            seats[at + KNOWN] &= ~(ONE << np.uint64(ticket))


@inlined
def _weigh(seats: Array, at: int, route: int, every: bool) -> Number:
    """Return the weight of a route in a path."""
    word, bit = route >> 6, ONE << np.uint64(route & 63)
    if seats[at + OWN + word] & bit:
        return TIE_NUMBERS[route] - (ROUTE_POINTS[route] * POINT if every else 0)
    if seats[at + BLOCKED + word] & bit:
        return BLOCKED_WEIGHTS[route]
    return FREE_WEIGHTS[route]


@compiled
def _find_path(at: int, ticket: int, every: bool, seats: Array, counts: Array) -> None:
    """Find the path between the cities of a *ticket* by Dijkstra's algorithm.

    If points of own routes count (*every*), weights may be negative; as in Łabno's program, each
    city is settled once all the same.
    """
    start, goal = TICKET_FROM[ticket], TICKET_TO[ticket]
    for city in range(36):
        counts[CITIES_AT + city] = FARTHEST
    counts[CITIES_AT + start] = 0
    waiting, settled = ONE << np.uint64(start), NONE
    while True:
        # The nearest city that is not settled.
        here, distance = 0, FARTHEST
        left = waiting
        while left:
            city = lowest_bit(left)
            left &= left - ONE
            if counts[CITIES_AT + city] < distance:
                here, distance = city, counts[CITIES_AT + city]
        if here == goal:
            break
        settled |= ONE << np.uint64(here)
        waiting &= ~settled
        # Relax all routes that leave it.
        for place in range(NEIGHBOURS_AT[here], NEIGHBOURS_AT[here + 1]):
            city, route = NEIGHBOURS[place], NEIGHBOUR_ROUTES[place]
            bit = ONE << np.uint64(city)
            if settled & bit:
                continue
            further = distance + _weigh(seats, at, route, every)
            if further < counts[CITIES_AT + city]:
                counts[CITIES_AT + city] = further
                counts[CITIES_AT + 36 + city] = route
                waiting |= bit
    _note_path(at, ticket, start, goal, seats, counts)


@inlined
def _note_path(at: int, ticket: int, start: int, goal: int, seats: Array, counts: Array) -> None:
    """Write the routes that lead from *goal* back to *start*."""
    low = high = NONE
    city = goal
    while city != start:
        route = counts[CITIES_AT + 36 + city]
        bit = ONE << np.uint64(route & 63)
        if route < 64:
            low |= bit
        else:
            high |= bit
        city = ROUTE_FROM[route] + ROUTE_TO[route] - city
    seats[at + PATHS_AT + 2 * ticket] = low
    seats[at + PATHS_AT + 2 * ticket + 1] = high
