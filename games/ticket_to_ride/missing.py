"""Which routes a ticket of Ticket to Ride still needs, for people who hold it."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    LINE_OF_ROUTE,
    LINE_TWIN,
    NEIGHBOUR_ROUTES,
    NEIGHBOURS,
    NEIGHBOURS_AT,
    PINK_LINE,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.layout import NUMBER_OF_PLAYERS, OWNER_AT, TicketRules


class Leg(NamedTuple):
    """A route, in the direction in which a way passes it."""

    start: int
    """A city."""
    end: int
    """The next one."""
    route: int


def find_missing(
    rules: TicketRules, state: NDArray[np.int64], seat: int, ticket: int
) -> list[Leg] | None:
    """What *seat* lacks of the way of fewest trains between the ticket's cities.

    Args:
        rules: The game's options.
        state: A state, or what the seat sees of it.
        seat: Whose ticket it is.
        ticket: Its number.

    Returns:
        The legs still to be claimed, in the order of the way; none if the ticket is done; None
        if others have closed every way. Whether the trains suffice is not looked at.
    """
    costs = [_cost(rules, state, seat, route) for route in range(ROUTES)]
    start, end = int(TICKET_FROM[ticket]), int(TICKET_TO[ticket])
    came_by: dict[int, tuple[int, int]] = {}
    best = [np.inf] * CITIES
    best[start] = 0
    queue = [(0.0, start)]
    while queue:
        spent, city = heappop(queue)
        if city == end:
            break
        if spent > best[city]:
            continue
        for near in range(NEIGHBOURS_AT[city], NEIGHBOURS_AT[city + 1]):
            other, route = int(NEIGHBOURS[near]), int(NEIGHBOUR_ROUTES[near])
            total = spent + costs[route]
            if total < best[other]:
                best[other] = total
                came_by[other] = city, route
                heappush(queue, (total, other))
    if np.isinf(best[end]):
        return None
    way = []
    while end != start:
        city, route = came_by[end]
        if costs[route] > 0:
            way.append(Leg(city, end, route))
        end = city
    return way[::-1]


def open_lines(rules: TicketRules, state: NDArray[np.int64], seat: int, route: int) -> list[int]:
    """The lines of a *route* that *seat* may still claim, if it has cards and trains enough."""
    first = int(LINE_OF_ROUTE[route])
    lines = range(first, first + int(ROUTE_LINES[route]))
    return [line for line in lines if _is_open(rules, state, seat, line)]


def _cost(rules: TicketRules, state: NDArray[np.int64], seat: int, route: int) -> float:
    first = int(LINE_OF_ROUTE[route])
    if seat in state[OWNER_AT + first : OWNER_AT + first + int(ROUTE_LINES[route])]:
        return 0.0
    return float(ROUTE_LENGTH[route]) if open_lines(rules, state, seat, route) else np.inf


def _is_open(rules: TicketRules, state: NDArray[np.int64], seat: int, line: int) -> bool:
    if state[OWNER_AT + line] >= 0 or (line == PINK_LINE and not rules.pink_line):
        return False
    twin = int(LINE_TWIN[line])
    owner = -1 if twin < 0 else int(state[OWNER_AT + twin])
    return owner < 0 or (owner != seat and int(state[NUMBER_OF_PLAYERS]) > 3)
