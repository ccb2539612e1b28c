"""The inputs of networks that describe a move of Ticket to Ride.

The inputs of :data:`MOVE_NAMES` follow those of :mod:`evolve_arena.games.ticket_to_ride.situation`,
and like them lie in about -1 to 1. Only these differ from move to move, and most of them are 0:
each kind of move has its own.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import inlined
from evolve_arena.core.types import Number
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_ROUTE,
    LINE_TWIN,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_POINTS,
    ROUTE_TO,
    TICKET_POINTS,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.facts import (
    GAIN_AT,
    MISSING_AT,
    NEED_AT,
    NO_CARD_HELPS,
    OPEN_AT,
    OPEN_TICKETS,
    REACHED_AT,
    SUBSET_AT,
    collect_open,
    is_wanted,
)
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    LAST_TRAINS,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OWNER_AT,
    PASS,
    PHASE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.pruning import count_locomotives
from evolve_arena.games.ticket_to_ride.situation import MOVES_AT, write_input
from evolve_arena.games.ticket_to_ride.ways import measure_tree, way_after, way_of
from evolve_arena.genomes.simd import peek, poke

MOVE_NAMES = (
    "claims",
    "takes from the deck",
    "takes an open card",
    "takes an open locomotive",
    "asks for tickets",
    "keeps tickets",
    "route: length",
    "route: points",
    "route: wanted by the plan",
    "route: tickets that it brings nearer",
    "route: trains that it saves on the way to tickets",
    "route: points of tickets that it completes",
    "route: trains left to the nearest of its tickets",
    "route: locomotives paid",
    "route: cards of that colour left",
    "route: cards of that colour lacking afterwards",
    "route: trains left",
    "route: trains left beyond the way to tickets",
    "route: begins the last round",
    "route: others who touch its ends",
    "route: closed for others as soon as taken",
    "route: ends that own routes touch",
    "route: grey",
    "card: lacking in the plan",
    "card: held",
    "card: how near to a wanted route",
    "card: points of a longer route that it pays",
    "tickets: how many kept",
    "tickets: points kept",
    "tickets: trains to those kept",
    "tickets: tree of all open ones",
    "tickets: trains beyond that tree",
    "tickets: points done at once",
    "tickets: out of reach",
    "tickets: points per train",
)
"""The last inputs, in their order: the kind of the move, and what distinguishes moves of a kind."""

INPUTS = MOVES_AT + len(MOVE_NAMES)
"""Number of all inputs."""

CLAIMS, FROM_DECK, OPEN_COLOUR, OPEN_LOCOMOTIVE, ASKS, KEEPS = 0, 1, 2, 3, 4, 5
ROUTE, CARD, KEPT = 6, 23, 27
"""First input of each kind of move, counted from ``MOVES_AT``."""

ONE = np.int64(1)


@inlined
def write_move(state: State, seat: int, move: int, room: Room) -> None:
    """Write the inputs of a *move* to ``room.inputs``, once the situation is described.

    Args:
        state: State, or the part of it that *seat* may know.
        seat: Player to move.
        move: Number of a legal move; see :mod:`evolve_arena.games.ticket_to_ride.layout`.
        room: Plan and survey of this seat, and the inputs, which are written from ``MOVES_AT`` on;
            see :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    out = room.inputs
    for place in range(MOVES_AT, INPUTS):
        poke(out, place, np.float32(0.0))
    if state[PHASE] in (KEEP, KEEP_FIRST):
        _describe_keep(state, seat, move - KEEP_TICKETS, room)
    elif move < DRAW_DECK:
        _describe_claim(state, seat, move, room)
    elif move < DRAW_TICKETS:
        _describe_card(state, seat, move, room)
    elif move != PASS:
        write_input(out, MOVES_AT + ASKS, 1.0)


@inlined
def _describe_claim(state: State, seat: int, move: int, room: Room) -> None:
    line = move // 9
    route = LINE_ROUTE[line]
    length = ROUTE_LENGTH[route]
    base, facts, out, at = player_at(seat), room.facts, room.inputs, MOVES_AT + ROUTE
    wanted = is_wanted(facts, route)
    write_input(out, MOVES_AT + CLAIMS, 1.0)
    write_input(out, at, length / 8.0)
    write_input(out, at + 1, ROUTE_POINTS[route] / 16.0)
    write_input(out, at + 2, 1.0 if wanted else 0.0)
    trains = peek(state, base + TRAINS)
    way = _describe_help(seat, route, trains, room)
    _describe_payment(state, base + HAND_AT, move, wanted, room)
    # Compare the trains left with the way that all open tickets still take.
    trains -= length
    write_input(out, at + 10, trains / 32.0)
    write_input(out, at + 11, (trains - way) / 32.0)
    write_input(out, at + 12, 1.0 if trains <= LAST_TRAINS else 0.0)
    # Count the opponents whose routes touch an end, and the ends that own routes touch.
    ends = (ONE << ROUTE_FROM[route]) | (ONE << ROUTE_TO[route])
    rivals = own = 0
    for other in range(state[NUMBER_OF_PLAYERS]):
        touched = peek(facts, REACHED_AT + other) & ends
        if other == seat:
            own = 2 if touched == ends else 1 if touched else 0
        elif touched:
            rivals += 1
    # Claiming the last free line closes the route to all others.
    twin = LINE_TWIN[line]
    last = twin < 0 or state[NUMBER_OF_PLAYERS] <= 3 or state[OWNER_AT + twin] >= 0
    write_input(out, at + 13, rivals / 4.0)
    write_input(out, at + 14, 1.0 if last else 0.0)
    write_input(out, at + 15, own / 2.0)
    write_input(out, at + 16, 1.0 if LINE_COLOUR[line] == GREY else 0.0)


@inlined
def _describe_payment(state: State, hand: int, move: int, wanted: bool, room: Room) -> None:
    """Write the inputs about the cards that a claim takes."""
    line, colour = move // 9, move % 9
    at, length = MOVES_AT + ROUTE, ROUTE_LENGTH[LINE_ROUTE[line]]
    spent = count_locomotives(state, hand, move)
    left = peek(state, hand + colour) - (spent if colour == LOCOMOTIVE else length - spent)
    need = peek(room.facts, NEED_AT + colour) if colour != LOCOMOTIVE else 0
    if wanted and LINE_COLOUR[line] == colour:
        need -= length
    write_input(room.inputs, at + 7, spent / 4.0)
    write_input(room.inputs, at + 8, left / 8.0)
    write_input(room.inputs, at + 9, max(0, need - left) / 8.0)


@inlined
def _describe_help(seat: int, route: int, trains: int, room: Room) -> Number:
    """Write the inputs of a claim about open tickets; return the way left to all of them."""
    out, at = room.inputs, MOVES_AT + ROUTE
    helped, saved, done, nearest, left = 0, 0.0, 0, 0.0, 0.0
    for place in range(peek(room.facts, OPEN_TICKETS)):
        ticket = peek(room.facts, OPEN_AT + place)
        before, after = way_of(room, seat, ticket), way_after(room, seat, ticket, route)
        if before > trains:
            # A ticket out of reach is not worth a route.
            continue
        left += after
        if after < before:
            helped += 1
            saved += before - after
            nearest = after if helped == 1 else min(nearest, after)
            done += TICKET_POINTS[ticket] if after == np.float32(0.0) else 0
    write_input(out, at + 3, helped / 4.0)
    write_input(out, at + 4, saved / 8.0)
    write_input(out, at + 5, done / 16.0)
    write_input(out, at + 6, nearest / 16.0)
    return left


@inlined
def _describe_card(state: State, seat: int, move: int, room: Room) -> None:
    """Write the inputs of taking a card; the deck's top card counts as the mean of all cards."""
    out, card = room.inputs, MOVES_AT + CARD
    first, last, share = 0, LOCOMOTIVE + 1, 1.0 / 110.0
    kind = FROM_DECK
    if move != DRAW_DECK:
        first, share = move - DRAW_OPEN, 1.0
        last = first + 1
        kind = OPEN_LOCOMOTIVE if first == LOCOMOTIVE else OPEN_COLOUR
    hand = player_at(seat) + HAND_AT
    lacking = held = near = gain = 0.0
    # The expectation over the colours that the card may have.
    for colour in range(first, last):
        times = share
        if move == DRAW_DECK:
            times *= 14.0 if colour == LOCOMOTIVE else 12.0
        cards = peek(state, hand + colour)
        held += times * cards
        if colour != LOCOMOTIVE:
            lacking += times * max(0, peek(room.facts, NEED_AT + colour) - cards)
        missing = peek(room.facts, MISSING_AT + colour)
        near += times / missing if missing < NO_CARD_HELPS else 0.0
        gain += times * peek(room.facts, GAIN_AT + colour)
    write_input(out, MOVES_AT + kind, 1.0)
    write_input(out, card, lacking / 8.0)
    write_input(out, card + 1, held / 8.0)
    write_input(out, card + 2, near)
    write_input(out, card + 3, gain / 16.0)


@inlined
def _describe_keep(state: State, seat: int, mask: int, room: Room) -> None:
    """Write the inputs of keeping the offered tickets whose bits are set in *mask*."""
    facts, out, at = room.facts, room.inputs, MOVES_AT + KEPT
    trains = peek(state, player_at(seat) + TRAINS)
    count = collect_open(facts)
    # The least tree grows by the tickets that are kept and can be done.
    before = measure_tree(room, seat, count)
    kept, points, ways, done, lost = 0, 0, 0.0, 0, 0
    for place in range(state[OFFERED_SIZE]):
        if not (mask >> place) & 1:
            continue
        ticket = peek(state, OFFERED_AT + place)
        way = way_of(room, seat, ticket)
        kept += 1
        points += TICKET_POINTS[ticket]
        if way == np.float32(0.0):
            done += TICKET_POINTS[ticket]
        elif way > trains:
            lost += 1
        else:
            ways += way
            poke(facts, SUBSET_AT + count, ticket)
            count += 1
    tree = measure_tree(room, seat, count)
    write_input(out, MOVES_AT + KEEPS, 1.0)
    write_input(out, at, kept / 4.0)
    write_input(out, at + 1, points / 32.0)
    write_input(out, at + 2, ways / 32.0)
    write_input(out, at + 3, tree / 32.0)
    write_input(out, at + 4, (trains - tree) / 32.0)
    write_input(out, at + 5, done / 16.0)
    write_input(out, at + 6, lost / 2.0)
    write_input(out, at + 7, points / (1.0 + max(0.0, tree - before)) / 4.0)
