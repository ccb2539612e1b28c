"""What a strong player sees on the map before it weighs moves: ways to its tickets, needs, others.

A way is how many more trains it takes to join two cities: own routes cost nothing, and over routes
that the seat can't claim any more none leads. Ways are known from both cities of each ticket that
is not done or lies on offer, to all cities. They are kept for each seat until something about its
routes or tickets changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bits import lowest_bit
from games.compiled import hidden, internal
from games.ticket_to_ride.board import (
    CITIES,
    CITY_LONGITUDES,
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    LINES,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
)
from games.ticket_to_ride.layout import (
    HAND_AT,
    HELD_TICKETS,
    MOST_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OWNER_AT,
    TICKETS_AT,
    TRAINS,
    player_at,
)
from games.ticket_to_ride.scoring import is_done
from genomes.simd import LANES, add, halve_sum, load, minimum, peek, poke, spread, store, subtract
from players.ticket_to_ride.room import keys_at, ways_at
from players.ticket_to_ride.scratch import FREE_FIRST, FREE_SECOND, GOAL, OWN, seat_at

__all__ = [
    "BEST_AT",
    "FAR",
    "GAIN_AT",
    "LENGTHS_AT",
    "MISSING_AT",
    "NEED_AT",
    "NO_CARD_HELPS",
    "OPEN_AT",
    "OPEN_TICKETS",
    "REACHED_AT",
    "SUBSET_AT",
    "WANTED_AT",
    "count_missing",
    "helps_ticket",
    "measure_tree",
    "survey",
    "way_after",
    "way_of",
]

FAR = 1000.0
"""How long the way is where there is none."""

OPEN_TICKETS = 0
"""Fields of ``facts``: how many tickets in hand are not done; and from :data:`OPEN_AT` on which."""
OPEN_AT = 1
LANE_AT = OPEN_AT + 30
"""For each ticket, if ways from its cities are known, where among these."""
REACHED_AT = LANE_AT + 30
"""For each seat the cities that its routes touch, as bits."""
NEED_AT = REACHED_AT + MOST_PLAYERS
"""How many cards of each colour the routes of the plan take; in field 8 for grey routes."""
LENGTHS_AT = NEED_AT + 9
"""For each colour the lengths of the lines that may be paid with it, as bits."""
WANTED_AT = LENGTHS_AT + 9
"""The routes that the plan wants and that can be claimed, as bits of two words."""
MISSING_AT = WANTED_AT + 2
"""For each colour how many cards are missing; see :func:`count_missing`."""
GAIN_AT = MISSING_AT + 9
"""For each colour the points that a card of it brings at once."""
SUBSET_AT = GAIN_AT + 9
"""Room for a list of tickets."""
BEST_AT = SUBSET_AT + 33
"""Room for a move of each colour."""

NO_CARD_HELPS = 99
ONE = np.int64(1)
BIT = np.uint64(1)
NONE = np.uint64(0)
LINE_ENDS = (1 << ROUTE_FROM[LINE_ROUTE]) | (1 << ROUTE_TO[LINE_ROUTE])
"""The two cities of each line, as bits."""
LONGITUDES = np.array(CITY_LONGITUDES)
FROM_WEST_TO_EAST = np.argsort(LONGITUDES[ROUTE_FROM] + LONGITUDES[ROUTE_TO], kind="stable")
"""All routes; in this order, and back again, ways become shortest soonest."""


@internal
def survey(state: Any, seat: int, scratch: Any) -> None:
    """Fills facts and ways in ``scratch.room`` for *seat*, whose plan has been made.

    Args:
        state: The state, or what *seat* may know of it.
        seat: Whose view it is.
        scratch: See :class:`players.ticket_to_ride.scratch.TicketScratch`.
    """
    room, at = scratch.room, seat_at(seat)
    facts = room.facts
    for field in range(REACHED_AT, WANTED_AT):
        poke(facts, field, 0)
    for line in range(LINES):
        owner = peek(state, OWNER_AT + line)
        if owner >= 0:
            poke(facts, REACHED_AT + owner, peek(facts, REACHED_AT + owner) | LINE_ENDS[line])
    for word in range(2):
        first = peek(scratch.seats, at + FREE_FIRST + word)
        second = peek(scratch.seats, at + FREE_SECOND + word)
        wanted = peek(scratch.plan, GOAL + word) & (first | second)
        poke(facts, WANTED_AT + word, np.int64(wanted))
        _note_lines(state, seat, word, first, second, wanted, facts)
    grey = peek(facts, LENGTHS_AT + GREY)
    for colour in range(LOCOMOTIVE):
        poke(facts, LENGTHS_AT + colour, peek(facts, LENGTHS_AT + colour) | grey)
    tickets = _find_tickets(state, seat, facts)
    keys, key, same = room.keys, keys_at(seat), True
    for word in range(2):
        own = peek(scratch.seats, at + OWN + word)
        free = peek(scratch.seats, at + FREE_FIRST + word)
        free |= peek(scratch.seats, at + FREE_SECOND + word)
        same = same and peek(keys, key + word) == own and peek(keys, key + 2 + word) == free
        poke(keys, key + word, own)
        poke(keys, key + 2 + word, free)
    if not same or peek(keys, key + 4) != tickets:
        poke(keys, key + 4, tickets)
        _measure_ways(keys, key, tickets, room.edges, room.ways, ways_at(seat))


@hidden
def _note_lines(
    state: Any, seat: int, word: int, first: Any, second: Any, wanted: Any, facts: Any
) -> None:
    """Notes of 64 routes which lengths each colour pays, and what the wanted ones need.

    Of a wanted double route the line counts of whose colour more is held.
    """
    hand, trains = player_at(seat) + HAND_AT, peek(state, player_at(seat) + TRAINS)
    left = first | second
    while left:
        place = np.uint64(lowest_bit(left))
        left &= left - BIT
        route = 64 * word + np.int64(place)
        length, line = ROUTE_LENGTH[route], LINE_OF_ROUTE[route]
        chosen, most = GREY, -1
        for twin in range(2):
            if not ((second if twin else first) >> place) & BIT:
                continue
            colour = LINE_COLOUR[line + twin]
            if length <= trains:
                lengths = peek(facts, LENGTHS_AT + colour) | (ONE << length)
                poke(facts, LENGTHS_AT + colour, lengths)
            if peek(state, hand + colour) > most:
                chosen, most = colour, peek(state, hand + colour)
        if (wanted >> place) & BIT:
            poke(facts, NEED_AT + chosen, peek(facts, NEED_AT + chosen) + length)


@hidden
def _find_tickets(state: Any, seat: int, facts: Any) -> Any:
    """Lists the open tickets, and gives these and those on offer, as bits.

    What a seat may not know of an offer is -1 and left out.
    """
    base, count, tickets = player_at(seat), 0, NONE
    for place in range(peek(state, base + HELD_TICKETS)):
        ticket = peek(state, base + TICKETS_AT + place)
        if not is_done(state, seat, ticket):
            poke(facts, OPEN_AT + count, ticket)
            tickets |= BIT << np.uint64(ticket)
            count += 1
    poke(facts, OPEN_TICKETS, count)
    for place in range(peek(state, OFFERED_SIZE)):
        ticket = peek(state, OFFERED_AT + place)
        if ticket >= 0:
            tickets |= BIT << np.uint64(ticket)
    left, lane = tickets, 0
    while left:
        poke(facts, LANE_AT + lowest_bit(left), lane)
        left &= left - BIT
        lane += 2
    return tickets


@hidden
def _measure_ways(keys: Any, key: int, tickets: Any, edges: Any, ways: Any, at: int) -> None:
    """All ways from the cities of *tickets*, eight tickets at a time.

    By the algorithm of Bellman and Ford, in which each vector holds the ways from sixteen cities to
    one.
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


@internal
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


@internal
def _way(room: Any, seat: int, lane: int, city: int) -> Any:
    return _way_at(room.ways, ways_at(seat), lane, city)


@internal
def _way_at(ways: Any, at: int, lane: int, city: int) -> Any:
    """The way from the city of a *lane* to another, of a seat whose ways begin at ``ways[at]``."""
    group = lane // LANES * (CITIES * LANES)
    return peek(ways, at + group + city * LANES + lane % LANES)


@internal
def way_of(room: Any, seat: int, ticket: int) -> Any:
    """How many trains a *ticket* takes that is open or on offer (``float32``)."""
    return _way(room, seat, peek(room.facts, LANE_AT + ticket), TICKET_TO[ticket])


@internal
def way_after(room: Any, seat: int, ticket: int, route: int) -> Any:
    """The same if *seat* had claimed a *route*."""
    lane = peek(room.facts, LANE_AT + ticket)
    near, far = ROUTE_FROM[route], ROUTE_TO[route]
    way = _way(room, seat, lane, near) + _way(room, seat, lane + 1, far)
    back = _way(room, seat, lane, far) + _way(room, seat, lane + 1, near)
    return min(way_of(room, seat, ticket), way, back)


@internal
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


@hidden
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


@internal
def count_missing(state: Any, seat: int, scratch: Any) -> None:
    """Notes for each colour how many cards a wanted route lacks that one of it helps to pay.

    Of the routes that can't be paid yet it is the one that lacks fewest: 1 if that card will do.
    """
    hand, at = player_at(seat) + HAND_AT, seat_at(seat)
    facts, wild = scratch.room.facts, peek(state, hand + LOCOMOTIVE)
    for colour in range(LOCOMOTIVE + 1):
        poke(facts, MISSING_AT + colour, NO_CARD_HELPS)
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, peek(state, hand + colour))
    for word in range(2):
        first = peek(scratch.seats, at + FREE_FIRST + word)
        left = np.uint64(peek(facts, WANTED_AT + word))
        while left:
            place = np.uint64(lowest_bit(left))
            left &= left - BIT
            route = 64 * word + np.int64(place)
            length, line = ROUTE_LENGTH[route], LINE_OF_ROUTE[route]
            one = LINE_COLOUR[line] if (first >> place) & BIT else LINE_COLOUR[line + 1]
            if one == GREY:
                if length > most + wild:
                    _note_missing(facts, LOCOMOTIVE, length - wild - most)
                    for colour in range(LOCOMOTIVE):
                        _note_missing(facts, colour, length - wild - peek(state, hand + colour))
                continue
            other = one
            if (peek(scratch.seats, at + FREE_SECOND + word) >> place) & BIT:
                other = LINE_COLOUR[line + 1]
            held, more = peek(state, hand + one), peek(state, hand + other)
            if length > max(held, more) + wild:
                _note_missing(facts, LOCOMOTIVE, length - wild - max(held, more))
                _note_missing(facts, one, length - wild - held)
                _note_missing(facts, other, length - wild - more)


@internal
def _note_missing(facts: Any, colour: int, cards: int) -> None:
    poke(facts, MISSING_AT + colour, min(peek(facts, MISSING_AT + colour), cards))


@internal
def helps_ticket(room: Any, seat: int, route: int, trains: int) -> bool:
    """Whether a *route* brings a ticket nearer that can be done with so many *trains*."""
    for place in range(peek(room.facts, OPEN_TICKETS)):
        ticket = peek(room.facts, OPEN_AT + place)
        way = way_of(room, seat, ticket)
        if way <= trains and way_after(room, seat, ticket, route) < way:
            return True
    return False
