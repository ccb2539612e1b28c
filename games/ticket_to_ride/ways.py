"""Ways over the map of Ticket to Ride: how many more trains it takes to join cities.

Own routes cost nothing, and over routes that the seat can't claim any more no way leads. Ways are
known from both cities of each ticket that is not done or lies on offer, to all cities.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
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
from evolve_arena.games.ticket_to_ride.notes import ways_at
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
"""How long the way is where there is none."""

BIT = np.uint64(1)
LONGITUDES = np.array(CITY_LONGITUDES)
FROM_WEST_TO_EAST = np.argsort(LONGITUDES[ROUTE_FROM] + LONGITUDES[ROUTE_TO], kind="stable")
"""All routes; in this order, and back again, ways become shortest soonest."""


@compiled
def measure_ways(keys: Any, key: int, tickets: Any, edges: Any, ways: Any, at: int) -> None:
    """All ways of a seat from the cities of *tickets*, eight tickets at a time.

    By the algorithm of Bellman and Ford, in which each vector holds the ways from sixteen cities to
    one.

    Args:
        keys: The routes of seats; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
        key: Where those of that seat begin: own ones, and two words later those to be had.
        tickets: Which, as bits.
        edges: Room for the routes that ways may take.
        ways: Where the ways of seats go to.
        at: Where those of that seat begin.
    """
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
    while tickets:
        for city in range(CITIES):
            store(ways, at + city * LANES, spread(np.float32(FAR)))
        for lane in range(0, LANES, 2):
            if tickets:
                ticket = lowest_bit(tickets)
                tickets &= tickets - BIT
                poke(ways, at + TICKET_FROM[ticket] * LANES + lane, np.float32(0.0))
                poke(ways, at + TICKET_TO[ticket] * LANES + lane + 1, np.float32(0.0))
        while _relax(edges, 0, count, 3, ways, at) and _relax(edges, count - 3, -3, -3, ways, at):
            pass
        at += CITIES * LANES


@inlined
def _relax(edges: Any, first: int, last: int, step: int, ways: Any, at: int) -> Any:
    """Shortens ways by each edge once; whether any became shorter."""
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
    return halve_sum(gained) > np.float32(0.0)


@inlined
def way_of(room: Any, seat: int, ticket: int) -> Any:
    """How many trains a *ticket* takes that is open or on offer (``float32``)."""
    return _way(room, seat, peek(room.facts, LANE_AT + ticket), TICKET_TO[ticket])


@inlined
def way_after(room: Any, seat: int, ticket: int, route: int) -> Any:
    """The same if *seat* had claimed a *route*."""
    lane = peek(room.facts, LANE_AT + ticket)
    near, far = ROUTE_FROM[route], ROUTE_TO[route]
    way = _way(room, seat, lane, near) + _way(room, seat, lane + 1, far)
    back = _way(room, seat, lane, far) + _way(room, seat, lane + 1, near)
    return min(way_of(room, seat, ticket), way, back)


@inlined
def helps_ticket(room: Any, seat: int, route: int, trains: int) -> bool:
    """Whether a *route* brings a ticket nearer that can be done with so many *trains*."""
    for place in range(peek(room.facts, OPEN_TICKETS)):
        ticket = peek(room.facts, OPEN_AT + place)
        way = way_of(room, seat, ticket)
        if way <= trains and way_after(room, seat, ticket, route) < way:
            return True
    return False


@inlined
def measure_tree(room: Any, seat: int, count: int) -> Any:
    """About how many trains it takes to join the cities of tickets into one net (``float32``).

    The least tree over these cities, by Prim's algorithm, whose edges are whole ways: it may count
    a piece twice that two of them share. Tickets that can't be done do not count, and nets that no
    way joins count one by one.

    Args:
        room: Where the tickets stand, from ``facts[SUBSET_AT]`` on.
        seat: Whose ways count.
        count: How many tickets.
    """
    return _measure_tree(room.facts, room.nearest, room.ways, ways_at(seat), count)


@compiled
def _measure_tree(facts: Any, nearest: Any, ways: Any, at: int, count: int) -> Any:
    for place in range(0, 2 * count, 2):
        ticket = peek(facts, SUBSET_AT + place // 2)
        start = _way_at(ways, at, peek(facts, LANE_AT + ticket), TICKET_TO[ticket])
        start = np.float32(2.0 * FAR) if start < FAR else np.float32(-1.0)
        poke(nearest, place, start)
        poke(nearest, place + 1, start)
    total = np.float32(0.0)
    while True:
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
        lane = peek(facts, LANE_AT + peek(facts, SUBSET_AT + best // 2)) + best % 2
        for place in range(2 * count):
            ticket = peek(facts, SUBSET_AT + place // 2)
            city = TICKET_TO[ticket] if place % 2 else TICKET_FROM[ticket]
            poke(nearest, place, min(peek(nearest, place), _way_at(ways, at, lane, city)))


@inlined
def _way(room: Any, seat: int, lane: int, city: int) -> Any:
    return _way_at(room.ways, ways_at(seat), lane, city)


@inlined
def _way_at(ways: Any, at: int, lane: int, city: int) -> Any:
    """The way from the city of a *lane* to another, of a seat whose ways begin at ``ways[at]``."""
    group = lane // LANES * (CITIES * LANES)
    return peek(ways, at + group + city * LANES + lane % LANES)
