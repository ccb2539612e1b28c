"""What a strong player sees on the map before it weighs moves: ways to its tickets, needs, others.

Ways (see :mod:`evolve_arena.games.ticket_to_ride.ways`) are kept for each seat until
something about its routes or tickets changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
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
def survey(state: Any, seat: int, room: Any) -> None:
    """Fills facts and ways in the *room* for *seat*, whose plan has been made.

    Args:
        state: The state, or what *seat* may know of it.
        seat: Whose view it is.
        room: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    at = seat_at(seat)
    facts = room.facts
    for field in range(REACHED_AT, WANTED_AT):
        poke(facts, field, 0)
    for line in range(LINES):
        owner = peek(state, OWNER_AT + line)
        if owner >= 0:
            poke(facts, REACHED_AT + owner, peek(facts, REACHED_AT + owner) | LINE_ENDS[line])
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


@compiled
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
    for place in range(peek(state, OFFERED_SIZE) if peek(state, TO_MOVE) == seat else 0):
        ticket = peek(state, OFFERED_AT + place)
        if ticket >= 0:
            tickets |= BIT << np.uint64(ticket)
    left, lane = tickets, 0
    while left:
        poke(facts, LANE_AT + lowest_bit(left), lane)
        left &= left - BIT
        lane += 2
    return tickets


@inlined
def count_missing(state: Any, seat: int, room: Any) -> None:
    """Notes for each colour how many cards a wanted route lacks that one of it helps to pay.

    Of the routes that can't be paid yet it is the one that lacks fewest: 1 if that card will do.
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
            if one == GREY:
                if length > most + wild:
                    _note_missing(facts, LOCOMOTIVE, length - wild - most)
                    for colour in range(LOCOMOTIVE):
                        _note_missing(facts, colour, length - wild - peek(state, hand + colour))
                continue
            other = one
            if (peek(room.seats, at + FREE_SECOND + word) >> place) & BIT:
                other = LINE_COLOUR[line + 1]
            held, more = peek(state, hand + one), peek(state, hand + other)
            if length > max(held, more) + wild:
                _note_missing(facts, LOCOMOTIVE, length - wild - max(held, more))
                _note_missing(facts, one, length - wild - held)
                _note_missing(facts, other, length - wild - more)


@inlined
def _note_missing(facts: Any, colour: int, cards: int) -> None:
    poke(facts, MISSING_AT + colour, min(peek(facts, MISSING_AT + colour), cards))
