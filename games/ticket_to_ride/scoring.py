"""What a game of Ticket to Ride is worth to each player: tickets, points, places; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    LINE_OF_ROUTE,
    NEIGHBOUR_ROUTES,
    NEIGHBOURS,
    NEIGHBOURS_AT,
    ROUTE_LENGTH,
    ROUTE_LINES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    HELD_TICKETS,
    LONGEST_PATH_POINTS,
    NUMBER_OF_PLAYERS,
    OWNER_AT,
    PART_AT,
    POINTS,
    TICKETS_AT,
    TRAINS,
    TRAINS_AT_START,
    TicketRules,
    player_at,
)


@compiled
def score(rules: TicketRules, state: State, points: NDArray[np.int64]) -> None:
    """Fills ``points[seat]`` with what each seat has if the game ends now.

    Points of claimed routes, plus those of tickets done, minus those of tickets that are not;
    with ``rules.longest_path`` ten more for each seat whose longest path no other exceeds.
    """
    players = state[NUMBER_OF_PLAYERS]
    for seat in range(players):
        points[seat] = state[player_at(seat) + POINTS] + ticket_points(state, seat)
    if rules.longest_path:
        longest = 1
        for seat in range(players):
            longest = max(longest, longest_path(state, seat))
        for seat in range(players):
            if longest_path(state, seat) == longest:
                points[seat] += LONGEST_PATH_POINTS


@compiled
def place(
    rules: TicketRules, state: State, points: NDArray[np.int64], places: NDArray[np.int64]
) -> None:
    """Fills ``places[seat]`` by the *points* of :func:`score`: 1 is first.

    Equal seats share the better place. With ``rules.tie_breaks`` equal points are told apart by
    the number of tickets done, then by the length of the longest path.
    """
    players = state[NUMBER_OF_PLAYERS]
    for seat in range(players):
        places[seat] = 1
        for other in range(players):
            if points[other] > points[seat] or (
                rules.tie_breaks and points[other] == points[seat] and _is_ahead(state, other, seat)
            ):
                places[seat] += 1


@compiled
def is_done(state: State, seat: int, ticket: int) -> bool:
    """Whether the routes of *seat* join the two cities of a *ticket*."""
    at = player_at(seat) + PART_AT
    return bool(state[at + TICKET_FROM[ticket]] == state[at + TICKET_TO[ticket]])


@compiled
def count_tickets(state: State, seat: int) -> tuple[int, int]:
    """How many of its tickets a seat has done, and how many not."""
    at = player_at(seat)
    done = 0
    for held in range(state[at + HELD_TICKETS]):
        if is_done(state, seat, state[at + TICKETS_AT + held]):
            done += 1
    return done, state[at + HELD_TICKETS] - done


@compiled
def ticket_points(state: State, seat: int) -> int:
    """The points of the seat's tickets that are done, minus those of the others."""
    at = player_at(seat)
    points = 0
    for held in range(state[at + HELD_TICKETS]):
        ticket = state[at + TICKETS_AT + held]
        worth = TICKET_POINTS[ticket]
        points += worth if is_done(state, seat, ticket) else -worth
    return points


@compiled
def longest_path(state: State, seat: int) -> int:
    """The most trains that one path over routes of *seat* passes, each route at most once.

    A path may meet a city again. All paths are tried, but no start once a path is found that
    leaves out none of the seat's trains.
    """
    every = TRAINS_AT_START - state[player_at(seat) + TRAINS]
    best = 0
    for city in range(CITIES):
        if best < every:
            best = max(best, _walk(state, seat, city, np.uint64(0), np.uint64(0)))
    return best


@compiled
def _walk(state: State, seat: int, city: int, low: Any, high: Any) -> int:
    """The longest path on from *city*; *low* and *high* are bits of the routes behind it."""
    best = 0
    for near in range(NEIGHBOURS_AT[city], NEIGHBOURS_AT[city + 1]):
        route = NEIGHBOUR_ROUTES[near]
        new_low, new_high = low, high
        if route < 64:
            new_low = low | np.uint64(1) << np.uint64(route)
        else:
            new_high = high | np.uint64(1) << np.uint64(route - 64)
        if (new_low != low or new_high != high) and _owns(state, seat, route):
            beyond = _walk(state, seat, NEIGHBOURS[near], new_low, new_high)
            best = max(best, ROUTE_LENGTH[route] + beyond)
    return best


@compiled
def _owns(state: State, seat: int, route: int) -> bool:
    """Whether a line of *route* is claimed by *seat*."""
    line = OWNER_AT + LINE_OF_ROUTE[route]
    if state[line] == seat:
        return True
    return bool(ROUTE_LINES[route] == 2 and state[line + 1] == seat)


@compiled
def _is_ahead(state: State, seat: int, other: int) -> bool:
    """Whether *seat* wins a tie on points against an *other*."""
    done, rivals = count_tickets(state, seat)[0], count_tickets(state, other)[0]
    if done != rivals:
        return bool(done > rivals)
    return longest_path(state, seat) > longest_path(state, other)
