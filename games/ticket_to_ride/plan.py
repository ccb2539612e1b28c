"""The plan of Ticket to Ride's rule player at the beginning of a turn, compiled.

Four sets of routes, after Łabno (2018), section 3.2.5: the *goal*, all routes of the paths of its
tickets; the *possible* ones, which it may claim now; the *matching* ones, possible and in the goal;
and the *lacking* ones, in the goal but not possible. A player that blocks has a fifth set, the
*blocking* routes. The details depend on the reading; see
:mod:`evolve_arena.games.ticket_to_ride.options`.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
    ROUTES,
    TICKET_POINTS,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    HAND_AT,
    HELD_TICKETS,
    NUMBER_OF_PLAYERS,
    OWNER_AT,
    PART_AT,
    TICKETS_AT,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import (
    AFFORDABLE,
    BLOCKING,
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
    OWN,
    PATHS_AT,
    POSSIBLE,
    Room,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import (
    BLOCKS,
    GOAL_ROUTES,
    LACKING_KEPT,
    LONG,
    LONG_MATCH,
    PATH_LIMIT,
    POSSIBLE_ROUTES,
)
from evolve_arena.games.ticket_to_ride.paths import (
    LENGTH_SETS,
    know_path,
    know_routes,
    routes_cost,
)
from evolve_arena.games.ticket_to_ride.scoring import is_done


def _payable(second: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Return sets of routes by colour, cards and word: those whose line the cards pay for."""
    sets = [[[0, 0] for _ in range(7)] for _ in range(9)]
    for route in range(ROUTES):
        if second and ROUTE_LINES[route] < 2:
            continue
        colour = LINE_COLOUR[LINE_OF_ROUTE[route] + second]
        for cards in range(ROUTE_LENGTH[route], 7):
            sets[colour][cards][route // 64] |= 1 << (route % 64)
    return np.array(sets, dtype=np.uint64)


PAYABLE_FIRST, PAYABLE_SECOND = _payable(False), _payable(True)
"""Shape ``(9, 7, 2)``: the routes whose first (second) line has a colour, or is grey (8), and is at
most as long as the second index."""
NOT_LONGER = np.bitwise_or.accumulate(LENGTH_SETS, axis=0)
"""Shape ``(7, 2)``: the routes that are at most as long as the first index."""
LONG_ROUTES = np.stack([LENGTH_SETS[5] | LENGTH_SETS[6], LENGTH_SETS[6]])
"""Shape ``(2, 2)``: the long routes, by the value of the option ``long``."""

NONE, ONE = np.uint64(0), np.uint64(1)


@compiled
def prepare_turn(state: State, seat: int, variant: int, room: Room) -> None:
    """Fill ``room.plan`` and ``room.counts`` with the routes that *seat* can and wants to claim.

    Args:
        state: The state, or the part of it that *seat* may know.
        seat: The owner of the plan.
        variant: The reading of the description; see
            :func:`evolve_arena.games.ticket_to_ride.options.parse_variant`.
        room: See :class:`evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    plan, counts, seats = room.plan, room.counts, room.seats
    know_routes(state, seat, seats)
    _collect_goal(state, seat, variant, plan, counts, seats)
    _count_capacities(state, seat, counts)
    _fill_affordable(state, seat, plan, counts, seats)
    empty = (plan[GOAL] | plan[GOAL + 1]) == NONE
    trains = min(state[player_at(seat) + TRAINS], 6)
    at = seat_at(seat)
    long = 1 if variant & LONG else 0
    # Combine the sets as the reading has it, one word of bits at a time.
    for word in range(2):
        goal, affordable = plan[GOAL + word], plan[AFFORDABLE + word]
        wanted = goal | LONG_ROUTES[long, word]
        possible = affordable
        if not (empty or variant & POSSIBLE_ROUTES):
            possible &= wanted
        plan[POSSIBLE + word] = possible
        plan[MATCHING + word] = possible & (wanted if variant & LONG_MATCH else goal)
        lacking = NONE
        if not variant & LACKING_KEPT:
            free = seats[at + FREE_FIRST + word] | seats[at + FREE_SECOND + word]
            lacking = goal & free & NOT_LONGER[trains, word] & ~possible
        plan[LACKING + word] = lacking
    if variant & BLOCKS:
        _fill_blocking(state, seat, plan)


@inlined
def is_empty(plan: Array, place: Number) -> bool:
    """Return True if the set of routes at a *place* of the plan is empty."""
    return bool((plan[place] | plan[place + 1]) == NONE)


@compiled
def _collect_goal(
    state: State, seat: int, variant: int, plan: Array, counts: Array, seats: Array
) -> None:
    """Join the paths of all tickets held, and count tickets that are done and that are not.

    Some readings leave out paths that cost too many trains.
    """
    at = seat_at(seat)
    player = player_at(seat)
    low = high = NONE
    done = done_points = open_points = 0
    held = state[player + HELD_TICKETS]
    for place in range(held):
        ticket = state[player + TICKETS_AT + place]
        know_path(seat, ticket, variant, seats, counts)
        path = at + PATHS_AT + 2 * ticket
        cost = routes_cost(seat, seats[path], seats[path + 1], seats)
        if variant & PATH_LIMIT or cost < state[player + TRAINS]:
            low |= seats[path]
            high |= seats[path + 1]
        if is_done(state, seat, ticket):
            done += 1
            done_points += TICKET_POINTS[ticket]
        else:
            open_points += TICKET_POINTS[ticket]
    if variant & GOAL_ROUTES:
        low &= ~seats[at + OWN]
        high &= ~seats[at + OWN + 1]
    plan[GOAL], plan[GOAL + 1] = low, high
    counts[OPEN_TICKETS], counts[DONE_TICKETS] = held - done, done
    counts[OPEN_POINTS], counts[DONE_POINTS] = open_points, done_points


@compiled
def _count_capacities(state: State, seat: int, counts: Array) -> None:
    """Count the cards of each colour that the hand can pay, and those for a grey route (8)."""
    hand = player_at(seat) + HAND_AT
    locomotives = state[hand + LOCOMOTIVE]
    most = 0
    for colour in range(LOCOMOTIVE):
        held = state[hand + colour]
        counts[CAPACITY_AT + colour] = held + locomotives
        most = max(most, held)
    counts[CAPACITY_AT + GREY] = most + locomotives


@compiled
def _fill_affordable(state: State, seat: int, plan: Array, counts: Array, seats: Array) -> None:
    """Find all routes that the seat may claim and can pay for."""
    at = seat_at(seat)
    trains = state[player_at(seat) + TRAINS]
    for word in range(2):
        first = second = NONE
        for colour in range(9):
            cards = min(counts[CAPACITY_AT + colour], trains, 6)
            first |= PAYABLE_FIRST[colour, cards, word]
            second |= PAYABLE_SECOND[colour, cards, word]
        first &= seats[at + FREE_FIRST + word]
        second &= seats[at + FREE_SECOND + word]
        plan[AFFORDABLE + word] = first | second


@compiled
def _fill_blocking(state: State, seat: int, plan: Array) -> None:
    """Find the affordable routes that some opponent needs and that a claim closes to it."""
    for word in range(2):
        blocking, left = NONE, plan[AFFORDABLE + word]
        while left:
            route = 64 * word + lowest_bit(left)
            bit = left & ~(left - ONE)
            left &= left - ONE
            if _is_closed_by_claim(state, route) and _is_needed(state, seat, route):
                blocking |= bit
        plan[BLOCKING + word] = blocking


@inlined
def _is_closed_by_claim(state: State, route: int) -> bool:
    """Return True if nobody else can claim a free *route* once a line of it is claimed."""
    line = OWNER_AT + LINE_OF_ROUTE[route]
    if ROUTE_LINES[route] < 2 or state[NUMBER_OF_PLAYERS] <= 3:
        return True
    return bool(state[line] >= 0 or state[line + 1] >= 0)


@inlined
def _is_needed(state: State, seat: int, route: int) -> bool:
    """Return True if a *route* would join two parts of the routes of an opponent with the trains.

    Only what everybody sees counts: tickets are hidden.
    """
    for other in range(state[NUMBER_OF_PLAYERS]):
        player = player_at(other)
        if other == seat or state[player + TRAINS] < ROUTE_LENGTH[route]:
            continue
        one = state[player + PART_AT + ROUTE_FROM[route]]
        two = state[player + PART_AT + ROUTE_TO[route]]
        if one != two and _has_routes(state, player, one) and _has_routes(state, player, two):
            return True
    return False


@inlined
def _has_routes(state: State, player: int, part: Number) -> bool:
    """Return True if a *part* of a player's cities is more than one city."""
    cities = 0
    for city in range(CITIES):
        cities += state[player + PART_AT + city] == part
    return bool(cities > 1)
