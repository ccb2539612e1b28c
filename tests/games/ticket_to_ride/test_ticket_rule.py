"""Each sub-decision of the rule player in positions worked out by hand, by reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    LINE_OF_ROUTE,
    ROUTE_FROM,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_TO,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    FORBIDDEN,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PART_AT,
    PASS,
    PHASE,
    ROUND,
    SECOND_CARD,
    STATE_FIELDS,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import is_legal
from evolve_arena.games.ticket_to_ride.options import OPTIONS, parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rule import (
    CLAIM_ROUTE,
    DO_NOTHING,
    DRAW_CARDS,
    TAKE_TICKETS,
    carry_out,
    choose_card,
    rule_decision,
    rule_move,
)
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.views import hide
from evolve_arena.games.ticket_to_ride.workspace import RULE, SEAT_FIELDS, make_ticket_workspace
from evolve_arena.players.packed import simple_player

RULES = TicketRules()
SHORT = ("Denver", "El Paso")
"""A ticket whose path is two grey routes of two trains, over Santa Fe."""


@compiled
def find_decision(rules: Any, state: Any, seat: int, variant: int, workspace: Any) -> Any:
    return rule_decision(rules, state, seat, variant, workspace)


@compiled
def find_move(
    rules: Any, state: Any, seat: int, variant: int, decision: int, workspace: Any
) -> Any:
    return carry_out(rules, state, seat, variant, decision, workspace)


@compiled
def find_card(rules: Any, state: Any, seat: int, variant: int, workspace: Any) -> Any:
    return choose_card(rules, state, seat, variant, workspace)


@pytest.fixture
def workspace() -> Any:
    return make_ticket_workspace(simple_player(SEAT_FIELDS, RULE))


def find(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(r for r in range(ROUTES) if {int(ROUTE_FROM[r]), int(ROUTE_TO[r])} == ends)


def find_ticket(one: str, other: str) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(t for t in range(TICKETS) if {int(TICKET_FROM[t]), int(TICKET_TO[t])} == ends)


def make_state(
    players: int = 2, tickets: tuple[tuple[str, str], ...] = (), cards: str = "", **hand: int
) -> Any:
    """The beginning of seat 0's turn on an empty map; *cards* lie open, such as "red blue"."""
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(RULES, players, np.uint64(3), state)
    state[PHASE], state[TO_MOVE], state[ROUND] = TURN, 0, 10
    player = player_at(0)
    state[player + HELD_TICKETS] = len(tickets)
    for place, ticket in enumerate(tickets):
        state[player + TICKETS_AT + place] = find_ticket(*ticket)
    for number, colour in enumerate(COLOURS):
        state[player + HAND_AT + number] = hand.get(colour, 0)
    state[player + CARDS] = sum(hand.values())
    if cards:
        state[OPEN_SIZE] = len(cards.split())
        state[OPEN_AT : OPEN_AT + 5] = -1
        for place, name in enumerate(cards.split()):
            state[OPEN_AT + place] = COLOURS.index(name)
    return state


def do_ticket(state: Any) -> Any:
    """Joins Denver and El Paso, as if their routes had been claimed long ago."""
    part = player_at(0) + PART_AT
    state[part + CITY_NAMES.index("El Paso")] = state[part + CITY_NAMES.index("Denver")]
    for way in (("Denver", "Santa Fe"), ("El Paso", "Santa Fe")):
        state[OWNER_AT + LINE_OF_ROUTE[find(*way)]] = 0
    return state


def decide(state: Any, variant: str, workspace: Any) -> int:
    bits = parse_variant(variant)
    prepare_turn(RULES, state, 0, bits, workspace)
    return int(find_decision(RULES, state, 0, bits, workspace))


def move(state: Any, variant: str, workspace: Any, rules: TicketRules = RULES) -> int:
    return int(rule_move(rules, state, 0, parse_variant(variant), workspace))


def claim_of(one: str, other: str, colour: str, place: int = 0) -> int:
    return 9 * int(LINE_OF_ROUTE[find(one, other)] + place) + COLOURS.index(colour)


def no_cards_left(state: Any) -> Any:
    state[DECK_SIZE] = state[DISCARD_SIZE] = state[OPEN_SIZE] = 0
    return state


def test_with_an_open_ticket_it_claims_what_it_can(workspace: Any) -> None:
    assert decide(make_state(tickets=(SHORT,), blue=2), "text", workspace) == CLAIM_ROUTE
    assert decide(make_state(tickets=(SHORT,), blue=1), "text", workspace) == DRAW_CARDS


def test_a_long_route_beside_the_goal(workspace: Any) -> None:
    """New York to Washington is lacking, orange and black: blue cards pay long routes only."""
    state = make_state(tickets=(("New York", "Atlanta"),), blue=5)
    for way in (("Washington", "Raleigh"), ("Raleigh", "Atlanta")):
        state[OWNER_AT + LINE_OF_ROUTE[find(*way)]] = 0
    assert decide(state, "text", workspace) == CLAIM_ROUTE, "figure 3.1: any possible route"
    assert decide(state, "text,claim_if=matching", workspace) == DRAW_CARDS
    assert decide(state, "text,claim_if=matching,long_match=yes", workspace) == CLAIM_ROUTE
    assert decide(state, "text,long=6", workspace) == DRAW_CARDS


@pytest.mark.parametrize(
    ("cards", "trains", "rival", "deck", "variant", "expected"),
    [
        (8, 8, 6, 1, "text", TAKE_TICKETS),
        (7, 8, 6, 1, "text", DRAW_CARDS),
        (8, 7, 6, 1, "text", DRAW_CARDS),
        (8, 8, 5, 1, "text", DRAW_CARDS),
        (8, 8, 6, 0, "text", DRAW_CARDS),
        (8, 8, 6, 1, "text,opponents=7", DRAW_CARDS),
        (8, 8, 7, 1, "code", TAKE_TICKETS),
    ],
)
def test_when_tickets_are_drawn(
    cards: int, trains: int, rival: int, deck: int, variant: str, expected: int, workspace: Any
) -> None:
    """All tickets are done. One card of each colour: nothing possible but routes of one train."""
    names = COLOURS[:cards]
    state = do_ticket(make_state(tickets=(SHORT,), **dict.fromkeys(names, 1)))
    state[player_at(0) + TRAINS], state[player_at(1) + TRAINS] = trains, rival
    state[TICKET_DECK_SIZE] = deck
    assert decide(state, variant, workspace) == expected


@pytest.mark.parametrize(
    ("variant", "white", "expected"),
    [
        ("text", 5, CLAIM_ROUTE),
        ("text", 4, DRAW_CARDS),
        ("text,same_colour=6,claim_if=matching", 5, DRAW_CARDS),
        ("code", 5, DRAW_CARDS),
        ("code", 6, CLAIM_ROUTE),
    ],
)
def test_many_cards_of_one_colour(variant: str, white: int, expected: int, workspace: Any) -> None:
    state = do_ticket(make_state(tickets=(SHORT,), white=white))
    assert decide(state, variant, workspace) == expected


def test_locomotives_are_a_colour_too(workspace: Any) -> None:
    state = do_ticket(make_state(tickets=(SHORT,), locomotive=6))
    assert decide(state, "code", workspace) == CLAIM_ROUTE


def test_late_in_the_game_cards_are_drawn_by_chance(workspace: Any) -> None:
    """Round 60: a number from 0 to 79 is below 40 every second time; 120: never; 20: always."""
    share = {}
    for turn in (20, 40, 60, 99, 120):
        state = do_ticket(make_state(tickets=(SHORT,), white=4))
        state[ROUND] = turn
        draws = [
            decide(state, "text,goal=open,claim_if=matching,late_claim=yes", workspace)
            == DRAW_CARDS
            for _ in range(2000)
        ]
        share[turn] = sum(draws) / len(draws)
    assert share[20] == share[40] == 1.0
    assert share[120] == 0.0
    assert share[60] == pytest.approx(0.5, abs=0.05)
    assert share[99] == pytest.approx(1 / 119, abs=0.01)


def test_when_no_card_is_left(workspace: Any) -> None:
    state = no_cards_left(make_state(tickets=(SHORT,), white=5))
    assert decide(state, "text,claim_if=matching", workspace) == CLAIM_ROUTE, "it matches"
    state = no_cards_left(make_state(tickets=(("Boston", "Miami"),), white=5))
    assert decide(state, "text,claim_if=matching", workspace) == CLAIM_ROUTE, "possible"
    state = no_cards_left(make_state(tickets=(SHORT,), red=1))
    assert decide(state, "text", workspace) == TAKE_TICKETS
    state[TICKET_DECK_SIZE] = 0
    assert decide(state, "text", workspace) == CLAIM_ROUTE, "affordable: it may not pass"
    state = no_cards_left(make_state(tickets=(SHORT,)))
    state[TICKET_DECK_SIZE] = 0
    assert decide(state, "text", workspace) == DO_NOTHING
    assert move(state, "text", workspace) == PASS


def test_what_cannot_be_carried_out_is_forbidden(workspace: Any) -> None:
    state = make_state(tickets=(SHORT,))
    prepare_turn(RULES, state, 0, 0, workspace)
    assert find_move(RULES, state, 0, 0, DO_NOTHING, workspace) == FORBIDDEN
    assert find_move(RULES, state, 0, 0, CLAIM_ROUTE, workspace) == FORBIDDEN
    assert find_move(RULES, state, 0, 0, TAKE_TICKETS, workspace) == DRAW_TICKETS
    state[TICKET_DECK_SIZE] = 0
    no_cards_left(state)
    assert find_move(RULES, state, 0, 0, TAKE_TICKETS, workspace) == FORBIDDEN
    assert find_move(RULES, state, 0, 0, DRAW_CARDS, workspace) == FORBIDDEN
    assert find_move(RULES, state, 0, 0, DO_NOTHING, workspace) == PASS


def test_the_shortest_matching_route_is_claimed(workspace: Any) -> None:
    """On the way from Kansas City to Houston one route is of one train: Dallas to Houston."""
    state = make_state(tickets=(("Kansas City", "Houston"),), green=2, locomotive=1)
    assert move(state, "text", workspace) == claim_of("Dallas", "Houston", "green")


def test_the_route_with_most_points_if_none_matches(workspace: Any) -> None:
    state = do_ticket(make_state(tickets=(SHORT,), black=6))
    bits = parse_variant("text,claim_if=matching")
    prepare_turn(RULES, state, 0, bits, workspace)
    chosen = find_move(RULES, state, 0, bits, CLAIM_ROUTE, workspace)
    assert chosen == claim_of("El Paso", "Los Angeles", "black")  # and Winnipeg's is numbered later


def test_paying(workspace: Any) -> None:
    """Grey: the colour held most; of a colour that is not held: locomotives alone."""
    state = make_state(tickets=(SHORT,), white=1, green=2, locomotive=1)
    low = min(find("Denver", "Santa Fe"), find("El Paso", "Santa Fe"))
    line = int(LINE_OF_ROUTE[low])
    assert move(state, "text", workspace) == 9 * line + COLOURS.index("green")
    state = make_state(tickets=(SHORT,), locomotive=2)
    assert move(state, "text", workspace) == 9 * line + COLOURS.index("locomotive")


@pytest.mark.parametrize(
    ("blue", "pink", "variant", "second"),
    [
        (3, 2, "text", False),
        (2, 3, "text", True),
        (2, 2, "text", False),
        (3, 2, "code", True),
        (3, 0, "code", False),
        (3, 1, "text", False),
    ],
)
def test_lines_of_a_double_route(
    blue: int, pink: int, variant: str, second: bool, workspace: Any
) -> None:
    """Kansas City to Saint Louis is blue and pink; nothing else is free."""
    state = make_state(blue=blue, pink=pink)
    for route in range(ROUTES):
        if route != find("Kansas City", "Saint Louis"):
            state[OWNER_AT + LINE_OF_ROUTE[route]] = 1
    bits = parse_variant(variant)
    prepare_turn(RULES, state, 0, bits, workspace)
    expected = claim_of("Kansas City", "Saint Louis", "pink" if second else "blue", int(second))
    assert find_move(RULES, state, 0, bits, CLAIM_ROUTE, workspace) == expected


@pytest.mark.parametrize(
    ("cards", "hand", "variant", "expected"),
    [
        # Denver to El Paso lacks 2 + 2 grey cards; with one white card in hand 1 + 1 white ones.
        ("white red red red red", {"white": 1}, "text", DRAW_OPEN + COLOURS.index("white")),
        ("red red red red red", {"white": 1}, "text", DRAW_DECK),
        ("white red red red red", {"white": 1}, "code", DRAW_DECK),
        ("white red red red red", {"white": 1}, "text,lacking=none", DRAW_DECK),
        ("white red red red red", {"white": 1}, "text,needs=lengths", DRAW_DECK),
        ("white red red red red", {}, "text", DRAW_DECK),
    ],
)
def test_which_card_is_drawn(
    cards: str, hand: dict[str, int], variant: str, expected: int, workspace: Any
) -> None:
    assert move(make_state(tickets=(SHORT,), cards=cards, **hand), variant, workspace) == expected


def test_a_locomotive_for_the_last_card(workspace: Any) -> None:
    """One route of two trains lacks one card; none of that colour is open, but a locomotive."""
    state = make_state(tickets=(SHORT,), cards="red red locomotive red red", white=1)
    state[OWNER_AT + LINE_OF_ROUTE[find("Denver", "Santa Fe")]] = 0
    assert move(state, "text", workspace) == DRAW_OPEN + 8
    state[PHASE] = SECOND_CARD
    assert move(state, "text", workspace) == DRAW_DECK
    state[OPEN_AT] = COLOURS.index("white")
    assert move(state, "text", workspace) == DRAW_OPEN + COLOURS.index("white")


def test_who_lacks_many_colours_draws_blind(workspace: Any) -> None:
    """From Seattle to New York: lengths by line; more than three colours are wanted."""
    state = make_state(tickets=(("New York", "Seattle"),), cards="red blue white black green")
    assert move(state, "text,needs=lengths", workspace) == DRAW_DECK


def test_open_cards_when_the_deck_is_empty(workspace: Any) -> None:
    state = make_state(tickets=(SHORT,), cards="locomotive red blue")
    state[DECK_SIZE] = 0
    assert move(state, "code", workspace) == DRAW_OPEN + 8
    taken = {move(state, "text", workspace) for _ in range(200)}
    assert taken == {DRAW_OPEN + 8, DRAW_OPEN, DRAW_OPEN + 1}
    state[PHASE] = SECOND_CARD
    assert move(state, "code", workspace) == DRAW_OPEN, "no locomotive as the second card"
    assert {move(state, "text", workspace) for _ in range(200)} == {DRAW_OPEN, DRAW_OPEN + 1}
    rules = TicketRules(second_locomotive=1)
    assert move(state, "code", workspace, rules) == DRAW_OPEN + 8
    bits = parse_variant("code")
    assert find_card(rules, state, 0, bits, workspace) == DRAW_OPEN + 8


def offer(state: Any, phase: int, *tickets: tuple[str, str]) -> Any:
    state[PHASE], state[OFFERED_SIZE] = phase, len(tickets)
    for place, ticket in enumerate(tickets):
        state[OFFERED_AT + place] = find_ticket(*ticket)
    return state


FAR = ("Los Angeles", "New York")
HOUSTON = ("Kansas City", "Houston")


def test_which_tickets_are_kept(workspace: Any) -> None:
    """Costs: Denver to El Paso 4, Kansas City to Houston 5, Los Angeles to New York 20."""
    first = offer(make_state(), KEEP_FIRST, FAR, SHORT, HOUSTON)
    assert move(first, "text", workspace) == KEEP_TICKETS + 0b110
    later = offer(make_state(), KEEP, FAR, SHORT, HOUSTON)
    assert move(later, "text", workspace) == KEEP_TICKETS + 0b010
    done = offer(do_ticket(make_state()), KEEP, FAR, HOUSTON, SHORT)
    assert move(done, "text", workspace) == KEEP_TICKETS + 0b100
    assert move(offer(make_state(), KEEP, FAR), "text", workspace) == KEEP_TICKETS + 1


def test_a_ticket_that_costs_nothing_more_is_kept_too(workspace: Any) -> None:
    """Every route is claimed by the seat itself."""
    state = make_state()
    for route in range(ROUTES):
        state[OWNER_AT + LINE_OF_ROUTE[route]] = 0
    kept = move(offer(state, KEEP, SHORT, HOUSTON, FAR), "text", workspace)
    assert kept == KEEP_TICKETS + 0b111, "all cost nothing, and more points are better"


@pytest.mark.parametrize(
    ("trains", "variant", "expected"),
    [
        (5, "text", 0b001),  # Denver to El Paso costs 4
        (4, "text,ticket_limit=equal", 0b001),
        (4, "text", 0b001),  # none can be done: the cheapest
        (4, "code", 0b001),  # none can be done: the fewest points
    ],
)
def test_tickets_by_trains(trains: int, variant: str, expected: int, workspace: Any) -> None:
    state = offer(make_state(), KEEP, SHORT, HOUSTON, FAR)
    state[player_at(0) + TRAINS] = trains
    assert move(state, variant, workspace) == KEEP_TICKETS + expected


@pytest.mark.parametrize(
    ("variant", "expected"), [("code", 0b01), ("code,ticket_limit=equal", 0b10)]
)
def test_a_ticket_that_takes_all_trains(variant: str, expected: int, workspace: Any) -> None:
    """One train is left. Kansas City to Houston lacks one; Denver to El Paso has fewer points."""
    state = offer(make_state(), KEEP, SHORT, HOUSTON)
    state[player_at(0) + TRAINS] = 1
    for way in (("Kansas City", "Oklahoma City"), ("Oklahoma City", "Dallas")):
        state[OWNER_AT + LINE_OF_ROUTE[find(*way)]] = 0
    assert move(state, variant, workspace) == KEEP_TICKETS + expected


def test_cost_and_points_differ_where_routes_are_blocked(workspace: Any) -> None:
    """All ways to El Paso are closed, so its ticket costs 1000, but is worth fewest points."""
    state = offer(make_state(), KEEP, SHORT, HOUSTON)
    state[player_at(0) + TRAINS] = 3
    for route in range(ROUTES):
        if CITY_NAMES.index("El Paso") in (ROUTE_FROM[route], ROUTE_TO[route]):
            state[OWNER_AT + LINE_OF_ROUTE[route]] = 1
    assert move(state, "text", workspace) == KEEP_TICKETS + 0b10
    assert move(state, "code", workspace) == KEEP_TICKETS + 0b01


@pytest.mark.parametrize(
    "variant", ["text", "code", *[f"text,{o.name}={o.values[1]}" for o in OPTIONS]]
)
def test_whole_games_are_legal_and_need_no_hidden_knowledge(variant: str, workspace: Any) -> None:
    """The move from the whole state, with all that is known from before, and from the view."""
    bits = parse_variant(variant)
    state, view = np.zeros(STATE_FIELDS, dtype=np.int64), np.zeros(STATE_FIELDS, dtype=np.int64)
    for players in (2, 5):
        deal(RULES, players, np.uint64(players), state)
        count = 0
        while state[PHASE] != OVER:
            seat = int(state[TO_MOVE])
            hide(state, seat, view)
            anew = count % 10 == 0
            fresh = make_ticket_workspace(simple_player(SEAT_FIELDS, RULE)) if anew else workspace
            fresh.streams[0] = workspace.streams[0] = count
            wanted = rule_move(RULES, view, seat, bits, fresh)
            workspace.streams[0] = count
            chosen = rule_move(RULES, state, seat, bits, workspace)
            assert chosen == wanted
            assert is_legal(RULES, state, chosen)
            apply_move(RULES, state, chosen)
            count += 1
        assert 60 < count < 700
