"""Each sub-decision of the rule player in positions worked out by hand, by reading."""

from __future__ import annotations

from typing import Any

import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    LINE_OF_ROUTE,
    ROUTE_FROM,
    ROUTE_TO,
    ROUTES,
)
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_SIZE,
    DISCARD_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    FORBIDDEN,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    OPEN_AT,
    OPEN_SIZE,
    OWNER_AT,
    PART_AT,
    PASS,
    PHASE,
    ROUND,
    SECOND_CARD,
    TICKET_DECK_SIZE,
    TO_MOVE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.options import OPTIONS, parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rule import (
    CLAIM_ROUTE,
    DO_NOTHING,
    DRAW_CARDS,
    TAKE_TICKETS,
    rule_decision,
    rule_move,
)
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.games.ticket_to_ride.views import hide
from tests.games.ticket_to_ride.states import (
    HOUSTON,
    SHORT,
    deal_state,
    find_claim,
    find_route,
    list_legal,
    make_room,
    make_state,
    offer,
    take,
)

FAR = ("Los Angeles", "New York")


@compiled
def find_decision(state: Any, seat: int, variant: int, room: Any) -> Any:
    return rule_decision(state, seat, variant, room)


@pytest.fixture
def room() -> Any:
    return make_room()


def do_ticket(state: Any) -> Any:
    """Joins Denver and El Paso, as if their routes had been claimed long ago."""
    part = player_at(0) + PART_AT
    state[part + CITY_NAMES.index("El Paso")] = state[part + CITY_NAMES.index("Denver")]
    return take(state, 0, ("Denver", "Santa Fe"), ("El Paso", "Santa Fe"))


def decide(state: Any, variant: str, room: Any) -> int:
    bits = parse_variant(variant)
    prepare_turn(state, 0, bits, room)
    return int(find_decision(state, 0, bits, room))


def move(state: Any, variant: str, room: Any, decision: int = -1) -> int:
    return int(rule_move(state, 0, parse_variant(variant), decision, False, room))


def no_cards_left(state: Any) -> Any:
    state[DECK_SIZE] = state[DISCARD_SIZE] = state[OPEN_SIZE] = 0
    return state


def test_with_an_open_ticket_it_claims_what_it_can(room: Any) -> None:
    assert decide(make_state(2, SHORT, blue=2), "text", room) == CLAIM_ROUTE
    assert decide(make_state(2, SHORT, blue=1), "text", room) == DRAW_CARDS


def test_a_long_route_beside_the_goal(room: Any) -> None:
    """New York to Washington is lacking, orange and black: blue cards pay long routes only."""
    state = make_state(2, ("New York", "Atlanta"), blue=5)
    take(state, 0, *(("Washington", "Raleigh"), ("Raleigh", "Atlanta")))
    assert decide(state, "text", room) == CLAIM_ROUTE, "figure 3.1: any possible route"
    assert decide(state, "text,claim_if=matching", room) == DRAW_CARDS
    assert decide(state, "text,claim_if=matching,long_match=yes", room) == CLAIM_ROUTE
    assert decide(state, "text,long=6", room) == DRAW_CARDS


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
    cards: int, trains: int, rival: int, deck: int, variant: str, expected: int, room: Any
) -> None:
    """All tickets are done. One card of each colour: nothing possible but routes of one train."""
    names = COLOURS[:cards]
    state = do_ticket(make_state(2, SHORT, **dict.fromkeys(names, 1)))
    state[player_at(0) + TRAINS], state[player_at(1) + TRAINS] = trains, rival
    state[TICKET_DECK_SIZE] = deck
    assert decide(state, variant, room) == expected


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
def test_many_cards_of_one_colour(variant: str, white: int, expected: int, room: Any) -> None:
    state = do_ticket(make_state(2, SHORT, white=white))
    assert decide(state, variant, room) == expected


def test_locomotives_are_a_colour_too(room: Any) -> None:
    state = do_ticket(make_state(2, SHORT, locomotive=6))
    assert decide(state, "code", room) == CLAIM_ROUTE


def test_late_in_the_game_cards_are_drawn_by_chance(room: Any) -> None:
    """Round 60: a number from 0 to 79 is below 40 every second time; 120: never; 20: always."""
    share = {}
    for turn in (20, 40, 60, 99, 120):
        state = do_ticket(make_state(2, SHORT, white=4))
        state[ROUND] = turn
        draws = [
            decide(state, "text,goal=open,claim_if=matching,late_claim=yes", room) == DRAW_CARDS
            for _ in range(2000)
        ]
        share[turn] = sum(draws) / len(draws)
    assert share[20] == share[40] == 1.0
    assert share[120] == 0.0
    assert share[60] == pytest.approx(0.5, abs=0.05)
    assert share[99] == pytest.approx(1 / 119, abs=0.01)


def test_when_no_card_is_left(room: Any) -> None:
    state = no_cards_left(make_state(2, SHORT, white=5))
    assert decide(state, "text,claim_if=matching", room) == CLAIM_ROUTE, "it matches"
    state = no_cards_left(make_state(2, ("Boston", "Miami"), white=5))
    assert decide(state, "text,claim_if=matching", room) == CLAIM_ROUTE, "possible"
    state = no_cards_left(make_state(2, SHORT, red=1))
    assert decide(state, "text", room) == TAKE_TICKETS
    state[TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == CLAIM_ROUTE, "affordable: it may not pass"
    state = no_cards_left(make_state(2, SHORT))
    state[TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == DO_NOTHING
    assert move(state, "text", room) == PASS


def test_what_cannot_be_carried_out_is_forbidden(room: Any) -> None:
    state = make_state(2, SHORT)
    for decision in (DO_NOTHING, CLAIM_ROUTE):
        assert move(state, "text", room, decision) == FORBIDDEN
    assert move(state, "text", room, TAKE_TICKETS) == DRAW_TICKETS
    state[TICKET_DECK_SIZE] = 0
    no_cards_left(state)
    for decision in (TAKE_TICKETS, DRAW_CARDS):
        assert move(state, "text", room, decision) == FORBIDDEN
    assert move(state, "text", room, DO_NOTHING) == PASS


def test_the_shortest_matching_route_is_claimed(room: Any) -> None:
    """On the way from Kansas City to Houston one route is of one train: Dallas to Houston."""
    state = make_state(2, ("Kansas City", "Houston"), green=2, locomotive=1)
    assert move(state, "text", room) == find_claim("Dallas", "Houston", "green")


def test_the_route_with_most_points_if_none_matches(room: Any) -> None:
    state = do_ticket(make_state(2, SHORT, black=6))
    chosen = move(state, "text,claim_if=matching", room, CLAIM_ROUTE)
    assert chosen == find_claim(
        "El Paso", "Los Angeles", "black"
    )  # and Winnipeg's is numbered later


def test_paying(room: Any) -> None:
    """Grey: the colour held most; of a colour that is not held: locomotives alone."""
    state = make_state(2, SHORT, white=1, green=2, locomotive=1)
    low = min(find_route("Denver", "Santa Fe"), find_route("El Paso", "Santa Fe"))
    line = int(LINE_OF_ROUTE[low])
    assert move(state, "text", room) == 9 * line + COLOURS.index("green")
    state = make_state(2, SHORT, locomotive=2)
    assert move(state, "text", room) == 9 * line + COLOURS.index("locomotive")


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
    blue: int, pink: int, variant: str, second: bool, room: Any
) -> None:
    """Kansas City to Saint Louis is blue and pink; nothing else is free."""
    state = make_state(blue=blue, pink=pink)
    for route in range(ROUTES):
        if route != find_route("Kansas City", "Saint Louis"):
            state[OWNER_AT + LINE_OF_ROUTE[route]] = 1
    expected = find_claim("Kansas City", "Saint Louis", "pink" if second else "blue", second)
    assert move(state, variant, room, CLAIM_ROUTE) == expected


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
    cards: str, hand: dict[str, int], variant: str, expected: int, room: Any
) -> None:
    assert move(make_state(2, SHORT, opened=cards, **hand), variant, room) == expected


def test_a_locomotive_for_the_last_card(room: Any) -> None:
    """One route of two trains lacks one card; none of that colour is open, but a locomotive."""
    state = make_state(2, SHORT, opened="red red locomotive red red", white=1)
    take(state, 0, ("Denver", "Santa Fe"))
    assert move(state, "text", room) == DRAW_OPEN + 8
    state[PHASE] = SECOND_CARD
    assert move(state, "text", room) == DRAW_DECK
    state[OPEN_AT] = COLOURS.index("white")
    assert move(state, "text", room) == DRAW_OPEN + COLOURS.index("white")


def test_who_lacks_many_colours_draws_blind(room: Any) -> None:
    """From Seattle to New York: lengths by line; more than three colours are wanted."""
    state = make_state(2, ("New York", "Seattle"), opened="red blue white black green")
    assert move(state, "text,needs=lengths", room) == DRAW_DECK


def test_open_cards_when_the_deck_is_empty(room: Any) -> None:
    state = make_state(2, SHORT, opened="locomotive red blue")
    state[DECK_SIZE] = 0
    assert move(state, "code", room) == DRAW_OPEN + 8
    taken = {move(state, "text", room) for _ in range(200)}
    assert taken == {DRAW_OPEN + 8, DRAW_OPEN, DRAW_OPEN + 1}
    state[PHASE] = SECOND_CARD
    assert move(state, "code", room) == DRAW_OPEN, "no locomotive as the second card"
    assert {move(state, "text", room) for _ in range(200)} == {DRAW_OPEN, DRAW_OPEN + 1}


def test_which_tickets_are_kept(room: Any) -> None:
    """Costs: Denver to El Paso 4, Kansas City to Houston 5, Los Angeles to New York 20."""
    first = offer(make_state(), KEEP_FIRST, FAR, SHORT, HOUSTON)
    assert move(first, "text", room) == KEEP_TICKETS + 0b110
    later = offer(make_state(), KEEP, FAR, SHORT, HOUSTON)
    assert move(later, "text", room) == KEEP_TICKETS + 0b010
    done = offer(do_ticket(make_state()), KEEP, FAR, HOUSTON, SHORT)
    assert move(done, "text", room) == KEEP_TICKETS + 0b100
    assert move(offer(make_state(), KEEP, FAR), "text", room) == KEEP_TICKETS + 1


def test_a_ticket_that_costs_nothing_more_is_kept_too(room: Any) -> None:
    """Every route is claimed by the seat itself."""
    state = make_state()
    for route in range(ROUTES):
        state[OWNER_AT + LINE_OF_ROUTE[route]] = 0
    kept = move(offer(state, KEEP, SHORT, HOUSTON, FAR), "text", room)
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
def test_tickets_by_trains(trains: int, variant: str, expected: int, room: Any) -> None:
    state = offer(make_state(), KEEP, SHORT, HOUSTON, FAR)
    state[player_at(0) + TRAINS] = trains
    assert move(state, variant, room) == KEEP_TICKETS + expected


@pytest.mark.parametrize(
    ("variant", "expected"), [("code", 0b01), ("code,ticket_limit=equal", 0b10)]
)
def test_a_ticket_that_takes_all_trains(variant: str, expected: int, room: Any) -> None:
    """One train is left. Kansas City to Houston lacks one; Denver to El Paso has fewer points."""
    state = offer(make_state(), KEEP, SHORT, HOUSTON)
    state[player_at(0) + TRAINS] = 1
    take(state, 0, *(("Kansas City", "Oklahoma City"), ("Oklahoma City", "Dallas")))
    assert move(state, variant, room) == KEEP_TICKETS + expected


def test_cost_and_points_differ_where_routes_are_blocked(room: Any) -> None:
    """All ways to El Paso are closed, so its ticket costs 1000, but is worth fewest points."""
    state = offer(make_state(), KEEP, SHORT, HOUSTON)
    state[player_at(0) + TRAINS] = 3
    for route in range(ROUTES):
        if CITY_NAMES.index("El Paso") in (ROUTE_FROM[route], ROUTE_TO[route]):
            state[OWNER_AT + LINE_OF_ROUTE[route]] = 1
    assert move(state, "text", room) == KEEP_TICKETS + 0b10
    assert move(state, "code", room) == KEEP_TICKETS + 0b01


@pytest.mark.parametrize("variant", [f"text,{o.name}={o.values[1]}" for o in OPTIONS])
def test_whole_games_are_legal_and_need_no_hidden_knowledge(variant: str, room: Any) -> None:
    """The move from the whole state, with all that is known from before, and from the view."""
    bits = parse_variant(variant)
    for players in (2, 5):
        state, count = deal_state(players, players), 0
        while legal := list_legal(state):
            seat, view = state[TO_MOVE], state.copy()
            hide(view, seat)
            fresh = make_room() if count % 10 == 0 else room
            fresh.streams[0] = count
            wanted = rule_move(view, seat, bits, -1, False, fresh)
            room.streams[0] = count
            assert rule_move(state, seat, bits, -1, False, room) == wanted
            assert wanted in legal
            apply_move(state, wanted)
            count += 1
        assert 60 < count < 700
