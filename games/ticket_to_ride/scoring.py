"""The points of players of Ticket to Ride, and the tickets that they have done, compiled."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Number
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
    player_at,
)


@compiled
def count_points(state: State, seat: int) -> int:
    """Return the points of a *seat* if the game ends now, without those of the longest path.

    They are the points of claimed routes, plus those of tickets done, minus those of other tickets.
    """
    return int(state[player_at(seat) + POINTS] + ticket_points(state, seat))


@compiled
def path_points(state: State, seat: int) -> int:
    """Return the points of a *seat* for the longest path: none if another's is longer."""
    own, most = longest_path(state, seat), 1
    for other in range(state[NUMBER_OF_PLAYERS]):
        most = max(most, longest_path(state, other))
    return LONGEST_PATH_POINTS if own == most else 0


@compiled
def is_done(state: State, seat: int, ticket: int) -> bool:
    """Return True if the routes of *seat* join the two cities of a *ticket*.

    Args:
        state: State, or the part of it that some seat may know.
        seat: Owner of the routes, counted from 0.
        ticket: Number of the ticket, 0 to 29.
    """
    at = player_at(seat) + PART_AT
    return bool(state[at + TICKET_FROM[ticket]] == state[at + TICKET_TO[ticket]])


@compiled
def count_tickets(state: State, seat: int) -> tuple[int, int]:
    """Return the number of a seat's tickets that are done, and of those that are not."""
    at = player_at(seat)
    done = 0
    for held in range(state[at + HELD_TICKETS]):
        if is_done(state, seat, state[at + TICKETS_AT + held]):
            done += 1
    return done, state[at + HELD_TICKETS] - done


@compiled
def ticket_points(state: State, seat: int) -> int:
    """Return the points of the seat's tickets that are done, minus those of the others."""
    at = player_at(seat)
    points = 0
    for held in range(state[at + HELD_TICKETS]):
        ticket = state[at + TICKETS_AT + held]
        worth = TICKET_POINTS[ticket]
        points += worth if is_done(state, seat, ticket) else -worth
    return points


@compiled
def longest_path(state: State, seat: int) -> int:
    """Return the most trains on one path over routes of *seat*, each route used at most once.

    A path may visit a city again. All paths are tried, but no further start once a path is found
    that includes all of the seat's trains.
    """
    every = TRAINS_AT_START - state[player_at(seat) + TRAINS]
    best = 0
    for city in range(CITIES):
        if best < every:
            best = max(best, _walk(state, seat, city, np.uint64(0), np.uint64(0)))
    return best


@compiled
def _walk(state: State, seat: int, city: int, low: Number, high: Number) -> int:
    """Return the longest path on from *city*; *low* and *high* are bits of the routes behind it."""
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
    """Return True if *seat* has claimed a line of *route*."""
    line = OWNER_AT + LINE_OF_ROUTE[route]
    if state[line] == seat:
        return True
    return bool(ROUTE_LINES[route] == 2 and state[line + 1] == seat)
