"""Distances (*ways*) on the map of Ticket to Ride: the fewest additional trains between cities.

Own routes cost nothing, and routes that the seat can't claim any more can't be used. Distances to
all cities are computed from both cities of each ticket that is held and not done, or on offer.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    CITY_LONGITUDES,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.facts import LANE_AT, OPEN_AT, OPEN_TICKETS, SUBSET_AT
from evolve_arena.games.ticket_to_ride.notes import Room, ways_at
from evolve_arena.genomes.simd import (
    LANES,
    add,
    halve_sum,
    load,
    minimum,
    peek,
    poke,
    spread,
    store,
    subtract,
)

FAR = 1000.0
"""Distance of cities that no usable routes join."""

BIT = np.uint64(1)
LONGITUDES = np.array(CITY_LONGITUDES)
FROM_WEST_TO_EAST = np.argsort(LONGITUDES[ROUTE_FROM] + LONGITUDES[ROUTE_TO], kind="stable")
"""All routes from west to east: relaxed in this order and back, distances converge fast."""


@compiled
def measure_ways(
    keys: Array, key: int, tickets: Number, edges: Array, ways: Floats, at: int
) -> None:
    """Compute a seat's distances from the cities of *tickets* to all, eight tickets at a time.

    The algorithm is that of Bellman and Ford, with vectors that hold the distances from sixteen
    cities to one.

    Args:
        keys: Routes of all seats as bits; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
        key: Index in *keys* of the seat's own routes; two words later come free ones.
        tickets: The tickets, as bits.
        edges: Space for the usable routes.
        ways: Distances of all seats (``float32``), of which the seat's are written.
        at: Index in *ways* of the seat's first distance.
    """
    # Collect the usable routes as edges.
    count = 0
    for number in range(ROUTES):
        route = FROM_WEST_TO_EAST[number]
        word, place = route >> 6, np.uint64(route & 63)
        own = (peek(keys, key + word) >> place) & BIT
        if own or (peek(keys, key + 2 + word) >> place) & BIT:
            poke(edges, count, ROUTE_FROM[route] * LANES)
            poke(edges, count + 1, ROUTE_TO[route] * LANES)
            poke(edges, count + 2, 0 if own else ROUTE_LENGTH[route])
            count += 3
    # All cities are far, but for the two of each ticket, each in a lane of its own.
    while tickets:
        for city in range(CITIES):
            store(ways, at + city * LANES, spread(np.float32(FAR)))
        for lane in range(0, LANES, 2):
            if tickets:
                ticket = lowest_bit(tickets)
                tickets &= tickets - BIT
                poke(ways, at + TICKET_FROM[ticket] * LANES + lane, np.float32(0.0))
                poke(ways, at + TICKET_TO[ticket] * LANES + lane + 1, np.float32(0.0))
        # Relax all edges to the east, then to the west, until nothing changes.
        while _relax(edges, 0, count, 3, ways, at) and _relax(edges, count - 3, -3, -3, ways, at):
            pass
        at += CITIES * LANES


@inlined
def _relax(edges: Array, first: int, last: int, step: int, ways: Floats, at: int) -> bool:
    """Relax each edge once; return True if any distance became shorter."""
    gained = spread(np.float32(0.0))
    for edge in range(first, last, step):
        one, other = at + peek(edges, edge), at + peek(edges, edge + 1)
        cost = spread(np.float32(peek(edges, edge + 2)))
        here, there = load(ways, one), load(ways, other)
        nearer = minimum(here, add(there, cost))
        closer = minimum(there, add(here, cost))
        store(ways, one, nearer)
        store(ways, other, closer)
        gained = add(gained, add(subtract(here, nearer), subtract(there, closer)))
    return bool(halve_sum(gained) > np.float32(0.0))


@inlined
def way_of(room: Room, seat: int, ticket: int) -> Number:
    """Return the number of trains that a *ticket*, open or on offer, still takes (``float32``).

    Args:
        room: Survey of *seat*; see :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
        seat: Player whose distances count; the player's own routes cost nothing.
        ticket: Number of a ticket that *seat* holds and has not done, or that is offered to it.
    """
    return _way(room, seat, peek(room.facts, LANE_AT + ticket), TICKET_TO[ticket])


@inlined
def way_after(room: Room, seat: int, ticket: int, route: int) -> Number:
    """Return the number of trains that the *ticket* would take if *seat* had claimed a *route*.

    Args:
        room: Survey of *seat*; see :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
        seat: Player whose distances count; the player's own routes cost nothing.
        ticket: Number of a ticket that *seat* holds and has not done, or that is offered to it.
        route: Number of the route.
    """
    lane = peek(room.facts, LANE_AT + ticket)
    near, far = ROUTE_FROM[route], ROUTE_TO[route]
    way = _way(room, seat, lane, near) + _way(room, seat, lane + 1, far)
    back = _way(room, seat, lane, far) + _way(room, seat, lane + 1, near)
    return min(way_of(room, seat, ticket), way, back)


@inlined
def helps_ticket(room: Room, seat: int, route: int, trains: int) -> bool:
    """Return True if a *route* brings a ticket nearer that can be done with this many *trains*.

    Args:
        room: Survey of *seat*; see :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
        seat: Player whose open tickets and distances count.
        route: Number of the route.
        trains: Number of trains that a ticket may take, as a rule those left to *seat*.
    """
    for place in range(peek(room.facts, OPEN_TICKETS)):
        ticket = peek(room.facts, OPEN_AT + place)
        way = way_of(room, seat, ticket)
        if way <= trains and way_after(room, seat, ticket, route) < way:
            return True
    return False


@inlined
def measure_tree(room: Room, seat: int, count: int) -> Number:
    """Return the approximate number of trains that join the cities of tickets (``float32``).

    It is the minimum spanning tree of these cities by their distances (Prim's algorithm), in which
    a stretch that two edges share counts twice. Tickets that can't be done do not count, and the
    trees of parts that no routes join are added up.

    Args:
        room: The room with the tickets, from ``facts[SUBSET_AT]`` on.
        seat: The seat whose distances count.
        count: The number of tickets.
    """
    return _measure_tree(room.facts, room.nearest, room.ways, ways_at(seat), count)


@compiled
def _measure_tree(facts: Array, nearest: Floats, ways: Floats, at: int, count: int) -> Number:
    # No city belongs to the tree yet; those of impossible tickets are left out (-1).
    for place in range(0, 2 * count, 2):
        ticket = peek(facts, SUBSET_AT + place // 2)
        start = _way_at(ways, at, peek(facts, LANE_AT + ticket), TICKET_TO[ticket])
        start = np.float32(2.0 * FAR) if start < FAR else np.float32(-1.0)
        poke(nearest, place, start)
        poke(nearest, place + 1, start)
    total = np.float32(0.0)
    while True:
        # Add the nearest city, or begin a new net if none can be reached.
        best, shortest = -1, np.float32(3.0 * FAR)
        for place in range(2 * count):
            way = peek(nearest, place)
            if way >= 0.0 and way < shortest:
                best, shortest = place, way
        if best < 0:
            return total
        if shortest < FAR:
            total += shortest
        poke(nearest, best, np.float32(-1.0))
        # The new city may bring the others nearer.
        lane = peek(facts, LANE_AT + peek(facts, SUBSET_AT + best // 2)) + best % 2
        for place in range(2 * count):
            ticket = peek(facts, SUBSET_AT + place // 2)
            city = TICKET_TO[ticket] if place % 2 else TICKET_FROM[ticket]
            poke(nearest, place, min(peek(nearest, place), _way_at(ways, at, lane, city)))


@inlined
def _way(room: Room, seat: int, lane: int, city: int) -> Number:
    return _way_at(room.ways, ways_at(seat), lane, city)


@inlined
def _way_at(ways: Floats, at: int, lane: int, city: int) -> Number:
    """Return the distance of a *city* from that of a *lane*; the seat's distances begin at *at*."""
    group = lane // LANES * (CITIES * LANES)
    return peek(ways, at + group + city * LANES + lane % LANES)
