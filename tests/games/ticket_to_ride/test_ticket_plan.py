"""Goal, possible, matching and lacking routes: by hand, and against a slow reading of the rules."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    HAND_AT,
    HELD_TICKETS,
    OWNER_AT,
    PHASE,
    STATE_FIELDS,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import can_claim, can_pay, list_moves
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.workspace import (
    AFFORDABLE,
    GOAL,
    LACKING,
    MATCHING,
    PATHS_AT,
    POSSIBLE,
    RULE,
    SEAT_FIELDS,
    make_ticket_workspace,
    seat_at,
)
from evolve_arena.players.packed import simple_player

RULES = TicketRules()
NORTH, SOUTH = ("Denver", "Santa Fe"), ("El Paso", "Santa Fe")
"""The two grey routes of two trains on the way of the ticket from Denver to El Paso."""


@pytest.fixture
def workspace() -> Any:
    return make_ticket_workspace(simple_player(SEAT_FIELDS, RULE))


def find(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(r for r in range(ROUTES) if {int(ROUTE_FROM[r]), int(ROUTE_TO[r])} == ends)


def find_ticket(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(t for t in range(TICKETS) if {int(TICKET_FROM[t]), int(TICKET_TO[t])} == ends)


def make_state(players: int = 2, tickets: tuple[tuple[str, str], ...] = (), **hand: int) -> Any:
    """The beginning of seat 0's turn on an empty map, with these tickets and cards."""
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, players, np.uint64(3), state)
    state[PHASE], state[TO_MOVE] = TURN, 0
    player = player_at(0)
    state[player + HELD_TICKETS] = len(tickets)
    for place, ticket in enumerate(tickets):
        state[player + TICKETS_AT + place] = find_ticket(*ticket)
    for number, colour in enumerate(COLOURS):
        state[player + HAND_AT + number] = hand.get(colour, 0)
    state[player + CARDS] = sum(hand.values())
    return state


def routes_of(workspace: Any, place: int) -> set[int]:
    bits = int(workspace.plan[place]) | int(workspace.plan[place + 1]) << 64
    return {route for route in range(ROUTES) if bits >> route & 1}


def plan_of(state: Any, variant: str, workspace: Any) -> dict[str, set[int]]:
    prepare_turn(RULES, state, int(state[TO_MOVE]), parse_variant(variant), workspace)
    places = {"goal": GOAL, "possible": POSSIBLE, "matching": MATCHING, "lacking": LACKING}
    return {name: routes_of(workspace, place) for name, place in places.items()}


def test_routes_that_can_be_paid_match_and_the_others_lack(workspace: Any) -> None:
    goal = {find(*NORTH), find(*SOUTH)}
    rich = plan_of(make_state(tickets=(("Denver", "El Paso"),), blue=2), "text", workspace)
    assert rich == {"goal": goal, "possible": goal, "matching": goal, "lacking": set()}
    poor = plan_of(make_state(tickets=(("Denver", "El Paso"),), blue=1, red=1), "text", workspace)
    assert poor == {"goal": goal, "possible": set(), "matching": set(), "lacking": goal}
    joker = plan_of(
        make_state(tickets=(("Denver", "El Paso"),), red=1, locomotive=1), "text", workspace
    )
    assert joker["matching"] == goal


def test_long_routes_are_possible_but_match_only_in_the_program(workspace: Any) -> None:
    """Six pink cards pay every pink and every grey line."""
    state = make_state(tickets=(("Denver", "El Paso"),), pink=6)
    goal = {find(*NORTH), find(*SOUTH)}
    text = plan_of(state, "text", workspace)
    long = {r for r in range(ROUTES) if ROUTE_LENGTH[r] >= 5 and any_line(r, "pink")}
    assert text["possible"] == goal | long
    assert text["matching"] == goal
    code = plan_of(state, "code", workspace)
    assert code["matching"] == goal | {r for r in long if ROUTE_LENGTH[r] == 6}
    assert code["possible"] == {r for r in range(ROUTES) if any_line(r, "pink")}
    assert plan_of(state, "text,long=6", workspace)["possible"] == code["matching"]
    assert plan_of(state, "text,long_match=yes", workspace)["matching"] == goal | long


def any_line(route: int, colour: str) -> bool:
    """Whether cards of one colour pay for one of a route's lines."""
    lines = [LINE_OF_ROUTE[route] + place for place in range(ROUTE_LINES[route])]
    return any(LINE_COLOUR[line] in (GREY, COLOURS.index(colour)) for line in lines)


def test_with_no_goal_all_that_can_be_paid_is_possible(workspace: Any) -> None:
    plan = plan_of(make_state(blue=1), "text", workspace)
    assert plan["goal"] == plan["matching"] == set()
    ones = {r for r in range(ROUTES) if ROUTE_LENGTH[r] == 1}
    assert plan["possible"] == {r for r in ones if any_line(r, "blue")}
    assert len(plan["possible"]) == 5


def test_paths_that_cost_all_trains_are_no_goal(workspace: Any) -> None:
    state = make_state(tickets=(("Denver", "El Paso"),), blue=2)
    state[player_at(0) + TRAINS] = 4
    assert plan_of(state, "text", workspace)["goal"] == set()
    assert len(plan_of(state, "text,path_limit=none", workspace)["goal"]) == 2
    state[player_at(0) + TRAINS] = 5
    assert len(plan_of(state, "text", workspace)["goal"]) == 2


def test_whether_own_routes_stay_in_the_goal(workspace: Any) -> None:
    state = make_state(tickets=(("Denver", "El Paso"),), blue=1)
    state[OWNER_AT + LINE_OF_ROUTE[find(*NORTH)]] = 0
    assert plan_of(state, "text", workspace)["goal"] == {find(*NORTH), find(*SOUTH)}
    assert plan_of(state, "text,goal=open", workspace)["goal"] == {find(*SOUTH)}


@pytest.mark.parametrize(
    "variant", ["text", "code", "text,path_limit=none", "text,goal=open,long_match=yes,long=6"]
)
@pytest.mark.parametrize("players", [2, 5])
def test_against_a_slow_reading(variant: str, players: int, workspace: Any) -> None:
    """Through random games: the sets by the rules' own answers, line by line."""
    chance = random.Random(players)
    state, moves = np.zeros(STATE_FIELDS, dtype=np.int64), np.zeros(919, dtype=np.int64)
    deal(RULES, players, np.uint64(players), state)
    text = not variant.startswith("code")
    long = 6 if "long=6" in variant or not text else 5
    turns = 0
    while turns < 120:
        seat = int(state[TO_MOVE])
        if state[PHASE] == TURN:
            turns += 1
            plan = plan_of(state, variant, workspace)
            affordable, free = read_routes(state, seat)
            goal = read_goal(state, seat, variant, workspace)
            wanted = {r for r in affordable if r in goal or ROUTE_LENGTH[r] >= long or not goal}
            possible = wanted if text else affordable
            matching = possible & goal
            if "long_match=yes" in variant or not text:
                matching |= {r for r in possible if ROUTE_LENGTH[r] >= long}
            assert routes_of(workspace, AFFORDABLE) == affordable
            assert plan == {
                "goal": goal,
                "possible": possible,
                "matching": matching,
                "lacking": (goal & free) - possible if text else set(),
            }
        count = list_moves(RULES, state, moves)
        claims = [int(move) for move in moves[:count] if move < 900]
        legal = claims or [int(move) for move in moves[:count]]
        apply_move(RULES, state, chance.choice(legal))
        if state[PHASE] == 4:
            deal(RULES, players, np.uint64(turns), state)


def read_routes(state: Any, seat: int) -> tuple[set[int], set[int]]:
    """The routes that *seat* can pay now, and those that it may claim once it can."""
    free = [line for line in range(100) if can_claim(RULES, state, seat, line)]
    paid = [line for line in free if any(can_pay(state, seat, line, c) for c in range(9))]
    return {int(LINE_ROUTE[line]) for line in paid}, {int(LINE_ROUTE[line]) for line in free}


def read_goal(state: Any, seat: int, variant: str, workspace: Any) -> set[int]:
    """The union of the paths that cost fewer trains than are left (tested with the paths)."""
    player, goal = player_at(seat), set()
    for place in range(state[player + HELD_TICKETS]):
        at = seat_at(seat) + PATHS_AT + 2 * int(state[player + TICKETS_AT + place])
        bits = int(workspace.seats[at]) | int(workspace.seats[at + 1]) << 64
        path = {route for route in range(ROUTES) if bits >> route & 1}
        costs = [read_cost(state, seat, route) for route in path]
        unlimited = variant == "code" or "path_limit=none" in variant
        if unlimited or sum(costs) < state[player + TRAINS]:
            goal |= {r for r in path if "goal=open" not in variant or read_cost(state, seat, r)}
    return goal


def read_cost(state: Any, seat: int, route: int) -> int:
    lines = [int(LINE_OF_ROUTE[route]) + place for place in range(ROUTE_LINES[route])]
    if any(state[OWNER_AT + line] == seat for line in lines):
        return 0
    with_trains = state.copy()
    with_trains[player_at(seat) + TRAINS] = 45
    free = any(can_claim(RULES, with_trains, seat, line) for line in lines)
    return int(ROUTE_LENGTH[route]) if free else 1000
