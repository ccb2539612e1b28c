"""A survey of the map of Ticket to Ride for networks that weigh moves: distances, needs, opponents.

Distances (*ways*, see :mod:`evolve_arena.games.ticket_to_ride.ways`) are kept for each seat until
its routes or tickets change.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    LINES,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.facts import (
    LANE_AT,
    LENGTHS_AT,
    MISSING_AT,
    NEED_AT,
    NO_CARD_HELPS,
    OPEN_AT,
    OPEN_TICKETS,
    REACHED_AT,
    WANTED_AT,
)
from evolve_arena.games.ticket_to_ride.layout import (
    HAND_AT,
    HELD_TICKETS,
    OFFERED_AT,
    OFFERED_SIZE,
    OWNER_AT,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import (
    FREE_FIRST,
    FREE_SECOND,
    GOAL,
    OWN,
    Room,
    keys_at,
    seat_at,
    ways_at,
)
from evolve_arena.games.ticket_to_ride.scoring import is_done
from evolve_arena.games.ticket_to_ride.ways import measure_ways
from evolve_arena.genomes.simd import peek, poke

ONE = np.int64(1)
BIT = np.uint64(1)
NONE = np.uint64(0)
LINE_ENDS = (1 << ROUTE_FROM[LINE_ROUTE]) | (1 << ROUTE_TO[LINE_ROUTE])
"""The two cities of each line, as bits."""


@compiled
def survey(state: State, seat: int, room: Room) -> None:
    """Compute the facts and distances in the *room* for *seat*, after its plan.

    Args:
        state: The state, or the part of it that *seat* may know.
        seat: The seat whose view it is.
        room: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    at = seat_at(seat)
    facts = room.facts
    for field in range(REACHED_AT, WANTED_AT):
        poke(facts, field, 0)
    # Cities that each seat's routes touch.
    for line in range(LINES):
        owner = peek(state, OWNER_AT + line)
        if owner >= 0:
            poke(facts, REACHED_AT + owner, peek(facts, REACHED_AT + owner) | LINE_ENDS[line])
    # Wanted routes, and the lengths of lines that each colour may pay for.
    for word in range(2):
        first = peek(room.seats, at + FREE_FIRST + word)
        second = peek(room.seats, at + FREE_SECOND + word)
        wanted = peek(room.plan, GOAL + word) & (first | second)
        poke(facts, WANTED_AT + word, np.int64(wanted))
        _note_lines(state, seat, word, first, second, wanted, facts)
    grey = peek(facts, LENGTHS_AT + GREY)
    for colour in range(LOCOMOTIVE):
        poke(facts, LENGTHS_AT + colour, peek(facts, LENGTHS_AT + colour) | grey)
    tickets = _find_tickets(state, seat, facts)
    # Measure the ways anew if routes or tickets are not those of the last time.
    keys, key, same = room.keys, keys_at(seat), True
    for word in range(2):
        own = peek(room.seats, at + OWN + word)
        free = peek(room.seats, at + FREE_FIRST + word)
        free |= peek(room.seats, at + FREE_SECOND + word)
        same = same and peek(keys, key + word) == own and peek(keys, key + 2 + word) == free
        poke(keys, key + word, own)
        poke(keys, key + 2 + word, free)
    if not same or peek(keys, key + 4) != tickets:
        poke(keys, key + 4, tickets)
        measure_ways(keys, key, tickets, room.edges, room.ways, ways_at(seat))


@compiled
def _note_lines(
    state: State, seat: int, word: int, first: Number, second: Number, wanted: Number, facts: Array
) -> None:
    """Note, for 64 routes, the lengths that each colour pays for, and the needs of the wanted ones.

    Of a wanted double route the line counts whose colour is held more.
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


@compiled
def _find_tickets(state: State, seat: int, facts: Array) -> Number:
    """List the open tickets, and return open and offered tickets as bits.

    Offered tickets that a seat may not know are -1 and left out.
    """
    base, count, tickets = player_at(seat), 0, NONE
    for place in range(peek(state, base + HELD_TICKETS)):
        ticket = peek(state, base + TICKETS_AT + place)
        if not is_done(state, seat, ticket):
            poke(facts, OPEN_AT + count, ticket)
            tickets |= BIT << np.uint64(ticket)
            count += 1
    poke(facts, OPEN_TICKETS, count)
    for place in range(peek(state, OFFERED_SIZE) if peek(state, TO_MOVE) == seat else 0):
        ticket = peek(state, OFFERED_AT + place)
        if ticket >= 0:
            tickets |= BIT << np.uint64(ticket)
    # Two lanes for each ticket, one for each of its cities.
    left, lane = tickets, 0
    while left:
        poke(facts, LANE_AT + lowest_bit(left), lane)
        left &= left - BIT
        lane += 2
    return tickets


@inlined
def count_missing(state: State, seat: int, room: Room) -> None:
    """Note, for each colour, the number of cards that a wanted route of that colour lacks.

    Of the routes that can't be paid yet, the one that lacks the fewest cards counts: 1 means that a
    single card suffices.

    Args:
        state: State, or the part of it that *seat* may know.
        seat: Player whose hand it is.
        room: Survey of this seat, and the facts, which are written from ``MISSING_AT`` on; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    hand, at = player_at(seat) + HAND_AT, seat_at(seat)
    facts, wild = room.facts, peek(state, hand + LOCOMOTIVE)
    for colour in range(LOCOMOTIVE + 1):
        poke(facts, MISSING_AT + colour, NO_CARD_HELPS)
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, peek(state, hand + colour))
    for word in range(2):
        first = peek(room.seats, at + FREE_FIRST + word)
        left = np.uint64(peek(facts, WANTED_AT + word))
        while left:
            place = np.uint64(lowest_bit(left))
            left &= left - BIT
            route = 64 * word + np.int64(place)
            length, line = ROUTE_LENGTH[route], LINE_OF_ROUTE[route]
            one = LINE_COLOUR[line] if (first >> place) & BIT else LINE_COLOUR[line + 1]
            # A grey route takes any colour, most easily the one held most.
            if one == GREY:
                if length > most + wild:
                    _note_missing(facts, LOCOMOTIVE, length - wild - most)
                    for colour in range(LOCOMOTIVE):
                        _note_missing(facts, colour, length - wild - peek(state, hand + colour))
                continue
            # A double route may be paid in the colour of either line.
            other = one
            if (peek(room.seats, at + FREE_SECOND + word) >> place) & BIT:
                other = LINE_COLOUR[line + 1]
            held, more = peek(state, hand + one), peek(state, hand + other)
            if length > max(held, more) + wild:
                _note_missing(facts, LOCOMOTIVE, length - wild - max(held, more))
                _note_missing(facts, one, length - wild - held)
                _note_missing(facts, other, length - wild - more)


@inlined
def _note_missing(facts: Array, colour: int, cards: int) -> None:
    poke(facts, MISSING_AT + colour, min(peek(facts, MISSING_AT + colour), cards))
