"""The features of a state against a slow reading of its array."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_OF_ROUTE,
    ROUTE_FROM,
    ROUTE_TO,
    ROUTES,
    TICKET_POINTS,
)
from evolve_arena.games.ticket_to_ride.features import FEATURE_COUNTS, FEATURE_NAMES, fill_features
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    HAND_AT,
    HELD_TICKETS,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PHASE,
    POINTS,
    ROUND,
    STATE_FIELDS,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rule import rule_move
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.scoring import is_done
from evolve_arena.games.ticket_to_ride.views import hide
from evolve_arena.games.ticket_to_ride.workspace import (
    GOAL,
    LACKING,
    MATCHING,
    POSSIBLE,
    RULE,
    SEAT_FIELDS,
    make_ticket_workspace,
)
from evolve_arena.players.packed import simple_player

RULES = TicketRules()


@pytest.fixture
def workspace() -> Any:
    return make_ticket_workspace(simple_player(SEAT_FIELDS, RULE))


def features_of(state: Any, variant: str, workspace: Any, count: int = 28) -> list[float]:
    seat, bits = int(state[TO_MOVE]), parse_variant(variant)
    out = np.full(40, -99, dtype=np.float32)
    prepare_turn(RULES, state, seat, bits, workspace)
    fill_features(RULES, state, seat, count, bits, workspace, out)
    assert (out[count:] == -99).all()
    return out[:count].tolist()


def read_features(state: Any, every: bool, workspace: Any) -> list[float]:
    """The same without our code, but for the sets of routes (tested with the plan)."""
    seat, players = int(state[TO_MOVE]), int(state[0])
    player = player_at(seat)
    held = state[player + TICKETS_AT : player + TICKETS_AT + state[player + HELD_TICKETS]]
    done = [int(ticket) for ticket in held if is_done(state, seat, ticket)]
    failed = [int(ticket) for ticket in held if int(ticket) not in done]
    points = int(state[player + POINTS])
    seats = [other for other in range(players) if every or other != seat]
    trains = [int(state[player_at(other) + TRAINS]) for other in seats]
    tickets = [int(state[player_at(other) + HELD_TICKETS]) for other in seats]
    sizes = [
        bin(int(workspace.plan[place]) | int(workspace.plan[place + 1]) << 64).count("1")
        for place in (POSSIBLE, MATCHING, GOAL, LACKING)
    ]
    hand = [int(card) for card in state[player + HAND_AT : player + HAND_AT + 9]]
    capacity = [card + hand[8] for card in hand[:8]] + [max(hand[:8]) + hand[8]]
    won = sum(int(TICKET_POINTS[t]) for t in done) - sum(int(TICKET_POINTS[t]) for t in failed)
    cards = [int(state[field]) for field in (OPEN_SIZE, DECK_SIZE, DISCARD_SIZE)]
    return [
        int(state[ROUND]),
        int(state[player + CARDS]),
        *cards,
        len(held),
        int(state[TICKET_DECK_SIZE]),
        int(state[player + TRAINS]),
        points + won,
        cards[0] + cards[1],
        *sizes,
        players,
        *(min(trains), max(trains), statistics.mean(trains), statistics.median(trains)),
        *(min(tickets), max(tickets), statistics.mean(tickets), statistics.median(tickets)),
        len(failed),
        len(done),
        points,
        max(capacity),
        sum(value > 0 for value in capacity),
    ]


def test_names() -> None:
    assert len(FEATURE_NAMES) == len(set(FEATURE_NAMES)) == FEATURE_COUNTS[1] == 28


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", ["text", "text,players=all"])
def test_through_a_game(players: int, variant: str, workspace: Any) -> None:
    state, view = np.zeros(STATE_FIELDS, dtype=np.int64), np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, players, np.uint64(players), state)
    turns = 0
    while state[PHASE] != OVER:
        seat = int(state[TO_MOVE])
        if state[PHASE] == TURN:
            turns += 1
            hide(state, seat, view)
            found = features_of(view, variant, workspace)
            every = variant != "text"
            assert found == pytest.approx(read_features(state, every, workspace), abs=1e-5)
            assert features_of(state, variant, workspace, 26) == found[:26]
        apply_move(RULES, state, rule_move(RULES, state, seat, parse_variant(variant), workspace))
    assert turns > 50


def test_a_position_by_hand(workspace: Any) -> None:
    """Three players after the deal: nobody has claimed anything."""
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, 3, np.uint64(1), state)
    state[PHASE], state[TO_MOVE], state[ROUND] = TURN, 1, 7
    for seat, (trains, tickets) in enumerate([(30, 2), (20, 0), (11, 5)]):
        state[player_at(seat) + TRAINS] = trains
        state[player_at(seat) + HELD_TICKETS] = tickets
    hand = player_at(1) + HAND_AT
    state[hand : hand + 9] = [2, 0, 1, 0, 0, 0, 0, 0, 1]
    found = features_of(state, "text", workspace)
    assert found[:6] == [7, 4, 5, 110 - 12 - 5, 0, 0]
    assert found[15:23] == [11, 30, 20.5, 20.5, 2, 5, 3.5, 3.5]
    assert found[26:] == [3, 9], "two red cards and a locomotive; it makes one of every colour"
    found = features_of(state, "text,players=all", workspace)
    assert found[15:19] == pytest.approx([11, 30, 61 / 3, 20])


def test_the_count_of_the_goal_in_the_program(workspace: Any) -> None:
    """It is 0 once the last route of its map, Boston to New York, is closed."""
    ends = {CITY_NAMES.index("Boston"), CITY_NAMES.index("New York")}
    last = next(r for r in range(ROUTES) if {int(ROUTE_FROM[r]), int(ROUTE_TO[r])} == ends)
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, 3, np.uint64(1), state)
    state[PHASE] = TURN
    player = player_at(0)
    state[player + HELD_TICKETS], state[player + TICKETS_AT] = 1, 0
    whole = features_of(state, "text", workspace)[12]
    assert whole > 0
    assert features_of(state, "text,goal_count=last", workspace)[12] == whole
    state[OWNER_AT + LINE_OF_ROUTE[last]] = 2
    assert features_of(state, "text,goal_count=last", workspace)[12] == 0
    assert features_of(state, "text", workspace)[12] > 0
    state[OWNER_AT + LINE_OF_ROUTE[last]] = -1
    state[player + TRAINS] = 1
    assert features_of(state, "text,goal_count=last,path_limit=none", workspace)[12] == 0
