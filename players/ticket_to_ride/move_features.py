"""What a network that weighs moves of Ticket to Ride is told: the situation, and each move.

The inputs are the 28 features of the state, then :data:`SITUATION_NAMES`, then
:data:`MOVE_NAMES`. All are scaled to lie in about -1 to 1. Only the last ones differ from move to
move, and most of them are 0: each kind of move has its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.bits import count_bits
from games.compiled import hidden, internal
from games.ticket_to_ride.board import (
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
    length_points,
)
from games.ticket_to_ride.layout import (
    CARDS,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    LAST_SEAT,
    LAST_TRAINS,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OWNER_AT,
    PASS,
    PHASE,
    POINTS,
    SECOND_CARD,
    TRAINS,
    player_at,
)
from genomes.simd import peek, poke
from players.ticket_to_ride.scratch import AFFORDABLE, GOAL
from players.ticket_to_ride.survey import (
    BEST_AT,
    GAIN_AT,
    LENGTHS_AT,
    MISSING_AT,
    NEED_AT,
    NO_CARD_HELPS,
    OPEN_AT,
    OPEN_TICKETS,
    REACHED_AT,
    SUBSET_AT,
    WANTED_AT,
    count_missing,
    helps_ticket,
    measure_tree,
    way_after,
    way_of,
)

__all__ = [
    "FEATURES_AT",
    "INPUTS",
    "MOVES_AT",
    "MOVE_NAMES",
    "SITUATION_NAMES",
    "STATE_FEATURES",
    "describe_move",
    "describe_situation",
    "prune_moves",
]

STATE_FEATURES = 28
"""How many features of the state come first; see :mod:`players.ticket_to_ride.features`."""

SITUATION_NAMES = (
    "first tickets",
    "second card",
    "last round",
    "trains to open tickets",
    "tree of open tickets",
    "trains beyond that tree",
    "points of open tickets",
    "tickets out of reach",
    "trains to the nearest ticket",
    "locomotives",
    "most cards of a colour",
    "cards that the plan lacks",
    "wanted routes that can be paid",
    "lead over the best other",
    "most cards of another",
)
"""The inputs after those, in their order."""

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
"""The last inputs, in their order: the kind of the move, and what tells those of a kind apart."""

FEATURES_AT, SITUATION_AT = 0, STATE_FEATURES
MOVES_AT = SITUATION_AT + len(SITUATION_NAMES)
INPUTS = MOVES_AT + len(MOVE_NAMES)

CLAIMS, FROM_DECK, OPEN_COLOUR, OPEN_LOCOMOTIVE, ASKS, KEEPS = 0, 1, 2, 3, 4, 5
ROUTE, CARD, KEPT = 6, 23, 27
"""Where the inputs of each kind of move begin, counted from ``MOVES_AT``."""

ONE = np.int64(1)


@internal
def describe_situation(state: Any, seat: int, scratch: Any) -> None:
    """Writes the inputs of :data:`SITUATION_NAMES` to ``scratch.room.inputs``, after a survey.

    Notes, too, what :func:`describe_move` needs to know about cards.
    """
    room, base, at = scratch.room, player_at(seat), SITUATION_AT
    facts, out = room.facts, room.inputs
    trains = peek(state, base + TRAINS)
    _write(out, at, 1.0 if state[PHASE] == KEEP_FIRST else 0.0)
    _write(out, at + 1, 1.0 if state[PHASE] == SECOND_CARD else 0.0)
    _write(out, at + 2, 1.0 if state[LAST_SEAT] >= 0 else 0.0)
    ways, worth, lost, nearest = 0.0, 0, 0, 0.0
    count = _collect_open(facts)
    for place in range(count):
        ticket = peek(facts, OPEN_AT + place)
        worth += TICKET_POINTS[ticket]
        way = way_of(room, seat, ticket)
        if way > trains:
            lost += 1
            continue
        ways += way
        nearest = way if nearest == 0.0 else min(nearest, way)
    tree = measure_tree(room, seat, count)
    _write(out, at + 3, ways / 32.0)
    _write(out, at + 4, tree / 32.0)
    _write(out, at + 5, (trains - tree) / 32.0)
    _write(out, at + 6, worth / 32.0)
    _write(out, at + 7, lost / 2.0)
    _write(out, at + 8, nearest / 16.0)
    _describe_hand(state, base + HAND_AT, scratch)
    count_missing(state, seat, scratch)
    _count_gains(state, seat, facts)
    most_points = most_cards = 0
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat:
            most_points = max(most_points, peek(state, player_at(other) + POINTS))
            most_cards = max(most_cards, peek(state, player_at(other) + CARDS))
    _write(out, at + 13, (peek(state, base + POINTS) - most_points) / 64.0)
    _write(out, at + 14, most_cards / 16.0)


@internal
def _describe_hand(state: Any, hand: int, scratch: Any) -> None:
    """The inputs about own cards."""
    facts, out = scratch.room.facts, scratch.room.inputs
    wild = peek(state, hand + LOCOMOTIVE)
    most = lacking = 0
    for colour in range(LOCOMOTIVE):
        held = peek(state, hand + colour)
        most = max(most, held)
        lacking += max(0, peek(facts, NEED_AT + colour) - held)
    lacking += max(0, peek(facts, NEED_AT + GREY) - most)
    payable = 0
    for word in range(2):
        payable += count_bits(scratch.plan[GOAL + word] & scratch.plan[AFFORDABLE + word])
    _write(out, SITUATION_AT + 9, wild / 4.0)
    _write(out, SITUATION_AT + 10, most / 8.0)
    _write(out, SITUATION_AT + 11, max(0, lacking - wild) / 16.0)
    _write(out, SITUATION_AT + 12, payable / 4.0)


@hidden
def _collect_open(facts: Any) -> Any:
    """Copies the open tickets to where a tree is measured, and gives their number."""
    count = peek(facts, OPEN_TICKETS)
    for place in range(count):
        poke(facts, SUBSET_AT + place, peek(facts, OPEN_AT + place))
    return count


@internal
def prune_moves(state: Any, seat: int, moves: Any, count: int, room: Any) -> int:
    """Leaves out claims that are hardly ever better than others; gives how many moves are left.

    Of all ways to pay for a line only those stay that take the fewest locomotives, and of two
    free grey lines of a route only the first. Of the routes that neither the plan wants nor bring a
    ticket nearer only one stays for each colour: the first of the longest that it pays. A survey
    has been made.

    Args:
        state: The state, or what *seat* may know of it.
        seat: Whose turn it is.
        moves: The legal moves, in ascending order.
        count: How many.
        room: See :class:`~players.ticket_to_ride.room.NetworkRoom`.
    """
    hand, facts = player_at(seat) + HAND_AT, room.facts
    trains = peek(state, player_at(seat) + TRAINS)
    for colour in range(LOCOMOTIVE + 1):
        poke(facts, BEST_AT + colour, -1)
    kept = place = 0
    while place < count and moves[place] < DRAW_DECK:
        line = moves[place] // 9
        end, fewest = place, 99
        while end < count and moves[end] < DRAW_DECK and moves[end] // 9 == line:
            fewest = min(fewest, _locomotives(state, hand, moves[end]))
            end += 1
        twin, route = LINE_TWIN[line], LINE_ROUTE[line]
        again = LINE_COLOUR[line] == GREY and twin == line - 1
        if not (again and state[OWNER_AT + twin] < 0):
            wanted = _is_wanted(facts, route) or helps_ticket(room, seat, route, trains)
            for number in range(place, end):
                move = moves[number]
                if _locomotives(state, hand, move) == fewest:
                    if wanted:
                        moves[kept] = move
                        kept += 1
                    else:
                        _note_longer(facts, move)
        place = end
    for colour in range(LOCOMOTIVE + 1):
        if peek(facts, BEST_AT + colour) >= 0:
            moves[kept] = peek(facts, BEST_AT + colour)
            kept += 1
    while place < count:
        moves[kept] = moves[place]
        kept += 1
        place += 1
    return kept


@internal
def _note_longer(facts: Any, move: int) -> None:
    """Notes a claim as the best of its colour if its route is longer."""
    colour = move % 9
    best = peek(facts, BEST_AT + colour)
    if best < 0 or ROUTE_LENGTH[LINE_ROUTE[best // 9]] < ROUTE_LENGTH[LINE_ROUTE[move // 9]]:
        poke(facts, BEST_AT + colour, move)


@internal
def _is_wanted(facts: Any, route: int) -> Any:
    """Whether the plan wants a *route* that can be claimed."""
    return ((peek(facts, WANTED_AT + (route >> 6)) >> (route & 63)) & ONE) != 0


@internal
def _locomotives(state: Any, hand: int, move: int) -> Any:
    """How many locomotives a claim takes."""
    length, colour = ROUTE_LENGTH[LINE_ROUTE[move // 9]], move % 9
    held = 0 if colour == LOCOMOTIVE else peek(state, hand + colour)
    return length - min(length, held)


@internal
def describe_move(state: Any, seat: int, move: int, room: Any) -> int:
    """Writes the inputs of a *move* to ``room.inputs``, once the situation is described.

    Returns:
        How many of them are not 0; ``room.places`` says which.
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
        _write(out, MOVES_AT + ASKS, 1.0)
    count = 0
    for place in range(MOVES_AT, INPUTS):
        if peek(out, place) != np.float32(0.0):
            poke(room.places, count, place)
            count += 1
    return count


@internal
def _describe_claim(state: Any, seat: int, move: int, room: Any) -> None:
    line = move // 9
    route = LINE_ROUTE[line]
    length = ROUTE_LENGTH[route]
    base, facts, out, at = player_at(seat), room.facts, room.inputs, MOVES_AT + ROUTE
    wanted = _is_wanted(facts, route)
    _write(out, MOVES_AT + CLAIMS, 1.0)
    _write(out, at, length / 8.0)
    _write(out, at + 1, ROUTE_POINTS[route] / 16.0)
    _write(out, at + 2, 1.0 if wanted else 0.0)
    trains = peek(state, base + TRAINS)
    way = _describe_help(seat, route, trains, room)
    _describe_payment(state, base + HAND_AT, move, wanted, room)
    trains -= length
    _write(out, at + 10, trains / 32.0)
    _write(out, at + 11, (trains - way) / 32.0)
    _write(out, at + 12, 1.0 if trains <= LAST_TRAINS else 0.0)
    ends = (ONE << ROUTE_FROM[route]) | (ONE << ROUTE_TO[route])
    rivals = own = 0
    for other in range(state[NUMBER_OF_PLAYERS]):
        touched = peek(facts, REACHED_AT + other) & ends
        if other == seat:
            own = 2 if touched == ends else 1 if touched else 0
        elif touched:
            rivals += 1
    twin = LINE_TWIN[line]
    last = twin < 0 or state[NUMBER_OF_PLAYERS] <= 3 or state[OWNER_AT + twin] >= 0
    _write(out, at + 13, rivals / 4.0)
    _write(out, at + 14, 1.0 if last else 0.0)
    _write(out, at + 15, own / 2.0)
    _write(out, at + 16, 1.0 if LINE_COLOUR[line] == GREY else 0.0)


@internal
def _describe_payment(state: Any, hand: int, move: int, wanted: bool, room: Any) -> None:
    """The inputs about the cards that a claim takes."""
    line, colour = move // 9, move % 9
    at, length = MOVES_AT + ROUTE, ROUTE_LENGTH[LINE_ROUTE[line]]
    spent = _locomotives(state, hand, move)
    left = peek(state, hand + colour) - (spent if colour == LOCOMOTIVE else length - spent)
    need = peek(room.facts, NEED_AT + colour) if colour != LOCOMOTIVE else 0
    if wanted and LINE_COLOUR[line] == colour:
        need -= length
    _write(room.inputs, at + 7, spent / 4.0)
    _write(room.inputs, at + 8, left / 8.0)
    _write(room.inputs, at + 9, max(0, need - left) / 8.0)


@internal
def _describe_help(seat: int, route: int, trains: int, room: Any) -> Any:
    """The inputs about open tickets of a claim; gives the way that is left to all of them."""
    out, at = room.inputs, MOVES_AT + ROUTE
    helped, saved, done, nearest, left = 0, 0.0, 0, 0.0, 0.0
    for place in range(peek(room.facts, OPEN_TICKETS)):
        ticket = peek(room.facts, OPEN_AT + place)
        before, after = way_of(room, seat, ticket), way_after(room, seat, ticket, route)
        if before > trains:
            continue
        left += after
        if after < before:
            helped += 1
            saved += before - after
            nearest = after if helped == 1 else min(nearest, after)
            done += TICKET_POINTS[ticket] if after == np.float32(0.0) else 0
    _write(out, at + 3, helped / 4.0)
    _write(out, at + 4, saved / 8.0)
    _write(out, at + 5, done / 16.0)
    _write(out, at + 6, nearest / 16.0)
    return left


@internal
def _describe_card(state: Any, seat: int, move: int, room: Any) -> None:
    """The inputs of taking a card; the deck's top card counts as the mean of all cards."""
    out, card = room.inputs, MOVES_AT + CARD
    first, last, share = 0, LOCOMOTIVE + 1, 1.0 / 110.0
    kind = FROM_DECK
    if move != DRAW_DECK:
        first, share = move - DRAW_OPEN, 1.0
        last = first + 1
        kind = OPEN_LOCOMOTIVE if first == LOCOMOTIVE else OPEN_COLOUR
    hand = player_at(seat) + HAND_AT
    lacking = held = near = gain = 0.0
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
    _write(out, MOVES_AT + kind, 1.0)
    _write(out, card, lacking / 8.0)
    _write(out, card + 1, held / 8.0)
    _write(out, card + 2, near)
    _write(out, card + 3, gain / 16.0)


@hidden
def _count_gains(state: Any, seat: int, facts: Any) -> None:
    """Notes for each colour how many points more a route brings that one card more of it pays."""
    hand, most = player_at(seat) + HAND_AT, 0
    wild = peek(state, hand + LOCOMOTIVE)
    for colour in range(LOCOMOTIVE):
        cards, lengths = peek(state, hand + colour) + wild, peek(facts, LENGTHS_AT + colour)
        gain = _most_points(lengths, cards + 1) - _most_points(lengths, cards)
        poke(facts, GAIN_AT + colour, gain)
        most = max(most, gain)
    poke(facts, GAIN_AT + LOCOMOTIVE, most)


@internal
def _most_points(lengths: int, cards: int) -> int:
    """The points of the longest of the *lengths* (bits) that so many cards pay."""
    for length in range(min(cards, 6), 0, -1):
        if (lengths >> length) & ONE:
            return length_points(length)
    return 0


@internal
def _describe_keep(state: Any, seat: int, mask: int, room: Any) -> None:
    """The inputs of keeping the offered tickets whose bits are set in *mask*."""
    facts, out, at = room.facts, room.inputs, MOVES_AT + KEPT
    trains = peek(state, player_at(seat) + TRAINS)
    count = _collect_open(facts)
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
    _write(out, MOVES_AT + KEEPS, 1.0)
    _write(out, at, kept / 4.0)
    _write(out, at + 1, points / 32.0)
    _write(out, at + 2, ways / 32.0)
    _write(out, at + 3, tree / 32.0)
    _write(out, at + 4, (trains - tree) / 32.0)
    _write(out, at + 5, done / 16.0)
    _write(out, at + 6, lost / 2.0)
    _write(out, at + 7, points / (1.0 + max(0.0, tree - before)) / 4.0)


@internal
def _write(out: Any, place: int, value: Any) -> None:
    poke(out, place, np.float32(value))
