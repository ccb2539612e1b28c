"""Each sub-decision of the rule player in positions worked out by hand, by reading."""

from __future__ import annotations

from typing import Any

import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride import layout
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
)
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rule import (
    CLAIM_ROUTE,
    DO_NOTHING,
    DRAW_CARDS,
    TAKE_TICKETS,
    rule_decision,
    rule_move,
)
from tests.games.ticket_to_ride.states import (
    HOUSTON,
    SHORT,
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
    part = layout.player_at(0) + layout.PART_AT
    state[part + CITY_NAMES.index("El Paso")] = state[part + CITY_NAMES.index("Denver")]
    return take(state, 0, ("Denver", "Santa Fe"), ("El Paso", "Santa Fe"))


def decide(state: Any, variant: str, room: Any) -> int:
    bits = parse_variant(variant)
    prepare_turn(state, 0, bits, room)
    return int(find_decision(state, 0, bits, room))


def move(state: Any, variant: str, room: Any, decision: int = -1) -> int:
    return int(rule_move(state, 0, parse_variant(variant), decision, False, room))


def no_cards_left(state: Any) -> Any:
    state[layout.DECK_SIZE] = state[layout.DISCARD_SIZE] = state[layout.OPEN_SIZE] = 0
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
    ],
)
def test_when_tickets_are_drawn(
    cards: int, trains: int, rival: int, deck: int, variant: str, expected: int, room: Any
) -> None:
    """All tickets are done. One card of each colour: nothing possible but routes of one train."""
    state = do_ticket(make_state(2, SHORT, **dict.fromkeys(COLOURS[:cards], 1)))
    state[layout.player_at(0) + layout.TRAINS], state[layout.player_at(1) + layout.TRAINS] = (
        trains,
        rival,
    )
    state[layout.TICKET_DECK_SIZE] = deck
    assert decide(state, variant, room) == expected


def test_when_no_card_is_left(room: Any) -> None:
    state = no_cards_left(make_state(2, SHORT, white=5))
    assert decide(state, "text,claim_if=matching", room) == CLAIM_ROUTE, "it matches"
    state = no_cards_left(make_state(2, ("Boston", "Miami"), white=5))
    assert decide(state, "text,claim_if=matching", room) == CLAIM_ROUTE, "possible"
    state = no_cards_left(make_state(2, SHORT, red=1))
    assert decide(state, "text", room) == TAKE_TICKETS
    state[layout.TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == CLAIM_ROUTE, "affordable: it may not pass"
    state = no_cards_left(make_state(2, SHORT))
    state[layout.TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == DO_NOTHING
    assert move(state, "text", room) == layout.PASS


def test_what_cannot_be_carried_out_is_forbidden(room: Any) -> None:
    state = make_state(2, SHORT)
    for decision in (DO_NOTHING, CLAIM_ROUTE):
        assert move(state, "text", room, decision) == layout.FORBIDDEN
    assert move(state, "text", room, TAKE_TICKETS) == layout.DRAW_TICKETS
    state[layout.TICKET_DECK_SIZE] = 0
    no_cards_left(state)
    for decision in (TAKE_TICKETS, DRAW_CARDS):
        assert move(state, "text", room, decision) == layout.FORBIDDEN
    assert move(state, "text", room, DO_NOTHING) == layout.PASS


def test_open_cards_when_the_deck_is_empty(room: Any) -> None:
    state = make_state(2, SHORT, opened="locomotive red blue")
    state[layout.DECK_SIZE] = 0
    assert move(state, "code", room) == layout.DRAW_OPEN + 8
    taken = {move(state, "text", room) for _ in range(200)}
    assert taken == {layout.DRAW_OPEN + 8, layout.DRAW_OPEN, layout.DRAW_OPEN + 1}
    state[layout.PHASE] = layout.SECOND_CARD
    assert move(state, "code", room) == layout.DRAW_OPEN, "no locomotive as the second card"
    assert {move(state, "text", room) for _ in range(200)} == {
        layout.DRAW_OPEN,
        layout.DRAW_OPEN + 1,
    }


def test_which_tickets_are_kept(room: Any) -> None:
    """Costs: Denver to El Paso 4, Kansas City to Houston 5, Los Angeles to New York 20."""
    first = offer(make_state(), layout.KEEP_FIRST, FAR, SHORT, HOUSTON)
    assert move(first, "text", room) == layout.KEEP_TICKETS + 0b110
    later = offer(make_state(), layout.KEEP, FAR, SHORT, HOUSTON)
    assert move(later, "text", room) == layout.KEEP_TICKETS + 0b010
    done = offer(do_ticket(make_state()), layout.KEEP, FAR, HOUSTON, SHORT)
    assert move(done, "text", room) == layout.KEEP_TICKETS + 0b100
