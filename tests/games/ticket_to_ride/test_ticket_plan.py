"""Paths of tickets, and goal, possible, matching and lacking routes, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evolve_arena.games.ticket_to_ride.board import (
    COLOURS,
    GREY,
    LINE_COLOUR,
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
from evolve_arena.games.ticket_to_ride.layout import OWNER_AT, TO_MOVE, TRAINS, player_at
from evolve_arena.games.ticket_to_ride.notes import (
    BLOCKED,
    GOAL,
    LACKING,
    MATCHING,
    OWN,
    PATHS_AT,
    POSSIBLE,
    seat_at,
)
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.paths import know_path, know_routes, routes_cost
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from tests.games.ticket_to_ride.states import (
    HOUSTON,
    SHORT,
    find_route,
    find_ticket,
    list_routes,
    make_room,
    make_state,
    take,
)

NORTH, SOUTH = ("Denver", "Santa Fe"), ("El Paso", "Santa Fe")
"""The two grey routes of two trains on the way of the ticket from Denver to El Paso."""


@pytest.fixture
def room() -> Any:
    return make_room()


def path_of(state: Any, seat: int, ticket: int, room: Any) -> tuple[set[int], int]:
    """The path of a ticket, and its cost."""
    know_routes(state, seat, room.seats)
    know_path(seat, ticket, 0, room.seats, room.counts)
    at = seat_at(seat) + PATHS_AT + 2 * ticket
    cost = routes_cost(seat, room.seats[at], room.seats[at + 1], room.seats)
    return list_routes(room.seats, at), int(cost)


def test_on_the_empty_map_paths_cost_what_tickets_are_worth(room: Any) -> None:
    """But for five, which are worth more."""
    costs = TICKET_POINTS.copy()
    for one, other, more in (
        ("Chicago", "Los Angeles", 1),
        ("Los Angeles", "Miami", 1),
        ("Los Angeles", "New York", 1),
        ("New York", "Seattle", 2),
        ("Oklahoma City", "Sault Ste. Marie", 1),
    ):
        costs[find_ticket(one, other)] -= more
    state = make_state(4)
    assert [path_of(state, 0, ticket, room)[1] for ticket in range(TICKETS)] == costs.tolist()


def test_a_path_by_hand(room: Any) -> None:
    state, ticket = make_state(2), find_ticket(*HOUSTON)
    north, middle = (
        find_route("Kansas City", "Oklahoma City"),
        find_route("Oklahoma City", "Dallas"),
    )
    south = find_route("Dallas", "Houston")
    assert path_of(state, 0, ticket, room) == ({north, middle, south}, 5)
    take(state, 0, ("Oklahoma City", "Dallas"))
    assert path_of(state, 0, ticket, room) == ({north, middle, south}, 3)
    assert path_of(state, 1, ticket, room)[1] == 7, "over Little Rock: 2 + 2 + 2 + 1"
    take(state, 1, ("Kansas City", "Oklahoma City"))
    path, cost = path_of(state, 0, ticket, room)
    assert cost == 2 + 2 + 2 + 1
    assert north not in path


def test_points_decide_between_equal_costs(room: Any) -> None:
    ticket = find_ticket("Denver", "Pittsburgh")
    path, cost = path_of(make_state(4), 0, ticket, room)
    assert cost == 11
    ways = list_ways(int(TICKET_FROM[ticket]), int(TICKET_TO[ticket]), 11, frozenset())
    assert len(ways) > 1
    assert ROUTE_POINTS[list(path)].sum() == max(ROUTE_POINTS[way].sum() for way in ways)


def list_ways(city: int, end: int, trains: int, seen: frozenset[int]) -> list[list[int]]:
    """Every way of exactly so many trains on the empty map that meets no city twice."""
    ways: list[list[int]] = [[]] if city == end and trains == 0 else []
    for route in range(ROUTES):
        ends = [int(ROUTE_FROM[route]), int(ROUTE_TO[route])]
        other, left = sum(ends) - city, trains - int(ROUTE_LENGTH[route])
        if city in ends and left >= 0 and other not in seen:
            ways += [[route, *way] for way in list_ways(other, end, left, seen | {city})]
    return ways


def test_paths_of_another_game_are_not_kept(room: Any) -> None:
    full = make_state(4)
    for route in range(0, ROUTES, 2):
        full[OWNER_AT + LINE_OF_ROUTE[route]] = route % 4
    for state in (full, make_state(4), full):
        for ticket in range(TICKETS):
            assert path_of(state, 0, ticket, room) == path_of(state, 0, ticket, make_room())


@pytest.mark.parametrize(("players", "blocked"), [(3, True), (4, False)])
def test_double_routes_by_number_of_players(players: int, blocked: bool, room: Any) -> None:
    state, denver = make_state(players), find_route("Denver", "Kansas City")
    state[OWNER_AT + LINE_OF_ROUTE[denver] + 1] = 1
    for seat in range(2):
        know_routes(state, seat, room.seats)
    assert (denver in list_routes(room.seats, seat_at(0) + BLOCKED)) == blocked
    assert list_routes(room.seats, seat_at(1) + OWN) == {denver}


def plan_of(state: Any, variant: str, room: Any) -> dict[str, set[int]]:
    prepare_turn(state, int(state[TO_MOVE]), parse_variant(variant), room)
    places = {"goal": GOAL, "possible": POSSIBLE, "matching": MATCHING, "lacking": LACKING}
    return {name: list_routes(room.plan, place) for name, place in places.items()}


def test_routes_that_can_be_paid_match_and_the_others_lack(room: Any) -> None:
    goal = {find_route(*NORTH), find_route(*SOUTH)}
    rich = plan_of(make_state(2, SHORT, blue=2), "text", room)
    assert rich == {"goal": goal, "possible": goal, "matching": goal, "lacking": set()}
    poor = plan_of(make_state(2, SHORT, blue=1, red=1), "text", room)
    assert poor == {"goal": goal, "possible": set(), "matching": set(), "lacking": goal}
    joker = plan_of(make_state(2, SHORT, red=1, locomotive=1), "text", room)
    assert joker["matching"] == goal


def test_long_routes_are_possible_but_match_only_in_the_program(room: Any) -> None:
    """Six pink cards pay every pink and every grey line."""
    state = make_state(2, SHORT, pink=6)
    goal = {find_route(*NORTH), find_route(*SOUTH)}
    text = plan_of(state, "text", room)
    long = {r for r in range(ROUTES) if ROUTE_LENGTH[r] >= 5 and any_line(r, "pink")}
    assert text["possible"] == goal | long
    assert text["matching"] == goal
    code = plan_of(state, "code", room)
    assert code["matching"] == goal | {r for r in long if ROUTE_LENGTH[r] == 6}
    assert code["possible"] == {r for r in range(ROUTES) if any_line(r, "pink")}
    assert plan_of(state, "text,long=6", room)["possible"] == code["matching"]
    assert plan_of(state, "text,long_match=yes", room)["matching"] == goal | long


def any_line(route: int, colour: str) -> bool:
    """Whether cards of one colour pay for one of a route's lines."""
    lines = [LINE_OF_ROUTE[route] + place for place in range(ROUTE_LINES[route])]
    return any(LINE_COLOUR[line] in (GREY, COLOURS.index(colour)) for line in lines)


def test_with_no_goal_all_that_can_be_paid_is_possible(room: Any) -> None:
    plan = plan_of(make_state(blue=1), "text", room)
    assert plan["goal"] == plan["matching"] == set()
    ones = {r for r in range(ROUTES) if ROUTE_LENGTH[r] == 1}
    assert plan["possible"] == {r for r in ones if any_line(r, "blue")}
    assert len(plan["possible"]) == 5


def test_paths_that_cost_all_trains_are_no_goal(room: Any) -> None:
    state = make_state(2, SHORT, blue=2)
    state[player_at(0) + TRAINS] = 4
    assert plan_of(state, "text", room)["goal"] == set()
    assert len(plan_of(state, "text,path_limit=none", room)["goal"]) == 2
    state[player_at(0) + TRAINS] = 5
    assert len(plan_of(state, "text", room)["goal"]) == 2


def test_whether_own_routes_stay_in_the_goal(room: Any) -> None:
    state = make_state(2, SHORT, blue=1)
    take(state, 0, NORTH)
    assert plan_of(state, "text", room)["goal"] == {find_route(*NORTH), find_route(*SOUTH)}
    assert plan_of(state, "text,goal=open", room)["goal"] == {find_route(*SOUTH)}
