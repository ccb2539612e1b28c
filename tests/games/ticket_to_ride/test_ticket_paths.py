"""Paths of tickets against a plain search, and what is kept of them against seeking anew."""

from __future__ import annotations

import random
from heapq import heappop, heappush
from typing import Any

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_OF_ROUTE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_POINTS,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.layout import (
    NUMBER_OF_PLAYERS,
    OWNER_AT,
    STATE_FIELDS,
    TicketRules,
)
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.paths import TIE_NUMBERS, know_path, know_routes, routes_cost
from evolve_arena.games.ticket_to_ride.workspace import (
    BLOCKED,
    OWN,
    PATHS_AT,
    RULE,
    SEAT_FIELDS,
    make_ticket_workspace,
    seat_at,
)
from evolve_arena.players.packed import simple_player

ENDS = [(int(ROUTE_FROM[r]), int(ROUTE_TO[r])) for r in range(ROUTES)]
WAYS = [
    [(int(ROUTE_FROM[r] + ROUTE_TO[r]) - city, r) for r in range(ROUTES) if city in ENDS[r]]
    for city in range(len(CITY_NAMES))
]
"""The cities next to each city, and by which route."""
TEXT, CODE = parse_variant("text"), parse_variant("code")


def empty_state(players: int) -> Any:
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    state[NUMBER_OF_PLAYERS] = players
    state[OWNER_AT : OWNER_AT + 100] = -1
    return state


def make_workspace() -> Any:
    return make_ticket_workspace(simple_player(SEAT_FIELDS, RULE))


def find(one: str, other: str) -> int:
    """The number of the route between two cities."""
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(r for r in range(ROUTES) if {int(ROUTE_FROM[r]), int(ROUTE_TO[r])} == ends)


def find_ticket(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(t for t in range(TICKETS) if {int(TICKET_FROM[t]), int(TICKET_TO[t])} == ends)


def claim(state: Any, seat: int, one: str, other: str, place: int = 0) -> None:
    state[OWNER_AT + LINE_OF_ROUTE[find(one, other)] + place] = seat


def to_set(low: Any, high: Any) -> set[int]:
    bits = int(low) | int(high) << 64
    return {route for route in range(ROUTES) if bits >> route & 1}


def path_of(
    state: Any, seat: int, ticket: int, workspace: Any, variant: int = 0
) -> tuple[set[int], int]:
    """The path as our code finds it, and its cost."""
    seats = workspace.seats
    know_routes(TicketRules(), state, seat, seats)
    know_path(seat, ticket, variant, seats, workspace.notes)
    at = seat_at(seat) + PATHS_AT + 2 * ticket
    cost = routes_cost(seat, seats[at], seats[at + 1], seats)
    return to_set(seats[at], seats[at + 1]), int(cost)


def plain_cost(state: Any, seat: int, route: int, players: int) -> int:
    lines = [int(LINE_OF_ROUTE[route]) + place for place in range(ROUTE_LINES[route])]
    owners = [int(state[OWNER_AT + line]) for line in lines]
    if seat in owners:
        return 0
    free = owners.count(-1)
    if free == 0 or (players <= 3 and free < len(owners)):
        return 1000
    return int(ROUTE_LENGTH[route])


def plain_path(state: Any, seat: int, ticket: int, players: int) -> tuple[set[int], int]:
    """Fewest trains, then most points of routes that are not own, then the lowest tie numbers."""
    start, end = int(TICKET_FROM[ticket]), int(TICKET_TO[ticket])
    costs = [plain_cost(state, seat, route, players) for route in range(ROUTES)]
    queue: list[tuple[int, int, int, int, frozenset[int]]] = [(0, 0, 0, start, frozenset())]
    seen = set()
    while True:
        cost, points, ties, city, path = heappop(queue)
        if city == end:
            return set(path), cost
        if city in seen:
            continue
        seen.add(city)
        for other, route in WAYS[city]:
            worth = int(ROUTE_POINTS[route]) if costs[route] else 0
            ties_then = ties + int(TIE_NUMBERS[route])
            label = (cost + costs[route], points - worth, ties_then, other)
            if other not in seen:
                heappush(queue, (*label, path | {route}))


def test_on_the_empty_map_paths_cost_what_tickets_are_worth() -> None:
    dearer = {
        ("Chicago", "Los Angeles"): 1,
        ("Los Angeles", "Miami"): 1,
        ("Los Angeles", "New York"): 1,
        ("New York", "Seattle"): 2,
        ("Oklahoma City", "Sault Ste. Marie"): 1,
    }
    state, workspace = empty_state(4), make_workspace()
    for ticket in range(TICKETS):
        first, second = sorted([CITY_NAMES[TICKET_FROM[ticket]], CITY_NAMES[TICKET_TO[ticket]]])
        _, cost = path_of(state, 0, ticket, workspace)
        assert cost == TICKET_POINTS[ticket] - dearer.get((first, second), 0)


def test_a_path_by_hand() -> None:
    state, workspace = empty_state(2), make_workspace()
    ticket = find_ticket("Kansas City", "Houston")
    north, middle = find("Kansas City", "Oklahoma City"), find("Oklahoma City", "Dallas")
    south = find("Dallas", "Houston")
    assert path_of(state, 0, ticket, workspace) == ({north, middle, south}, 5)
    claim(state, 0, "Oklahoma City", "Dallas")
    assert path_of(state, 0, ticket, workspace) == ({north, middle, south}, 3)
    assert path_of(state, 1, ticket, workspace)[1] == 7, "over Little Rock: 2 + 2 + 2 + 1"
    claim(state, 1, "Kansas City", "Oklahoma City")
    assert path_of(state, 0, ticket, workspace)[1] == 2 + 2 + 2 + 1
    assert north not in path_of(state, 0, ticket, workspace)[0]


def test_points_decide_between_equal_costs() -> None:
    """Denver to Kansas City (4) and on to Chicago; or over Omaha: the same trains, fewer points."""
    state, workspace = empty_state(4), make_workspace()
    ticket = find_ticket("Denver", "Pittsburgh")
    path, cost = path_of(state, 0, ticket, workspace)
    assert cost == 11
    assert sum(ROUTE_POINTS[route] for route in path) == max(
        sum(ROUTE_POINTS[route] for route in way)
        for way in all_ways(int(TICKET_FROM[ticket]), int(TICKET_TO[ticket]), 11)
    )


def all_ways(start: int, end: int, trains: int) -> list[list[int]]:
    """Every way of exactly so many trains on the empty map that meets no city twice."""
    ways: list[list[int]] = []

    def go(city: int, left: int, route_list: list[int], seen: set[int]) -> None:
        if city == end and left == 0:
            ways.append(route_list)
        for route in range(ROUTES):
            ends = [int(ROUTE_FROM[route]), int(ROUTE_TO[route])]
            other = sum(ends) - city
            if city in ends and left >= ROUTE_LENGTH[route] and other not in seen:
                go(other, left - int(ROUTE_LENGTH[route]), [*route_list, route], seen | {other})

    go(start, trains, [], {start})
    assert len(ways) > 1
    return ways


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_kept_paths_are_those_of_a_plain_search(players: int) -> None:
    """While lines are claimed one by one, by anybody, as the rules allow."""
    chance = random.Random(players)
    state, workspace = empty_state(players), make_workspace()
    lines = [(r, place) for r in range(ROUTES) for place in range(ROUTE_LINES[r])]
    chance.shuffle(lines)
    checked = 0
    for turn, (route, place) in enumerate(lines[:60]):
        seat = chance.randrange(players)
        if plain_cost(state, seat, route, players) not in (0, 1000):
            state[OWNER_AT + LINE_OF_ROUTE[route] + place] = seat
        for ticket in range(turn % 3, TICKETS, 3):
            checked += 1
            for seat in range(2):
                assert path_of(state, seat, ticket, workspace) == plain_path(
                    state, seat, ticket, players
                )
    assert checked == 600


def test_another_game_is_noticed() -> None:
    full, workspace = empty_state(4), make_workspace()
    for route in range(0, ROUTES, 2):
        full[OWNER_AT + LINE_OF_ROUTE[route]] = route % 4
    for state in (full, empty_state(4), full):
        for ticket in range(TICKETS):
            assert path_of(state, 0, ticket, workspace) == path_of(
                state, 0, ticket, make_workspace()
            )


def test_readings_do_not_share_paths() -> None:
    """What one reading has found is not taken for what the other finds."""
    for variant in (TEXT, CODE):
        workspace = make_workspace()
        state = empty_state(4)
        claim(state, 0, "Washington", "Raleigh")
        ticket = find_ticket("Montreal", "Atlanta")
        for kept in (0, 1):
            workspace = workspace if kept else make_workspace()
            path, cost = path_of(state, 0, ticket, workspace, variant)
            assert cost == 3 + 2 + 0 + 2
            assert find("Washington", "Raleigh") in path
    other = path_of(state, 0, ticket, workspace, TEXT)
    assert other == path_of(state, 0, ticket, make_workspace(), TEXT), "the reading is noticed"


def test_double_routes_by_number_of_players() -> None:
    denver = find("Denver", "Kansas City")
    for players, blocked in ((3, True), (4, False)):
        state, workspace = empty_state(players), make_workspace()
        claim(state, 1, "Denver", "Kansas City", place=1)
        seats = workspace.seats
        know_routes(TicketRules(), state, 0, seats)
        know_routes(TicketRules(), state, 1, seats)
        assert (denver in to_set(seats[BLOCKED], seats[BLOCKED + 1])) == blocked
        at = seat_at(1) + OWN
        assert to_set(seats[at], seats[at + 1]) == {denver}


def test_the_missing_pink_line_is_not_free() -> None:
    state, workspace = empty_state(4), make_workspace()
    coast = find("Los Angeles", "San Francisco")
    claim(state, 1, "Los Angeles", "San Francisco", place=1)
    for pink in (1, 0):
        know_routes(TicketRules(pink_line=pink), state, 0, workspace.seats)
        blocked = to_set(workspace.seats[BLOCKED], workspace.seats[BLOCKED + 1])
        assert (coast in blocked) == (not pink)
