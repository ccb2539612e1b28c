"""Each sub-decision of the rule player in positions worked out by hand, by reading."""

from __future__ import annotations

import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import layout, rule
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from tests.games.ticket_to_ride.states import SHORT, make_room, make_state


@compiled
def find_decision(state: Array, seat: int, variant: int, room: Room) -> int:
    return rule.rule_decision(state, seat, variant, room)


@pytest.fixture
def room() -> Room:
    return make_room()


def decide(state: Array, variant: str, room: Room) -> int:
    bits = parse_variant(variant)
    prepare_turn(state, 0, bits, room)
    return int(find_decision(state, 0, bits, room))


def move(state: Array, variant: str, room: Room, decision: int = -1) -> int:
    return int(rule.rule_move(state, 0, parse_variant(variant), decision, False, room))


def no_cards_left(state: Array) -> Array:
    state[layout.DECK_SIZE] = state[layout.DISCARD_SIZE] = state[layout.OPEN_SIZE] = 0
    return state


def test_when_no_card_is_left(room: Room) -> None:
    state = no_cards_left(make_state(2, SHORT, white=5))
    assert decide(state, "text,claim_if=matching", room) == rule.CLAIM_ROUTE, "it matches"
    state = no_cards_left(make_state(2, ("Boston", "Miami"), white=5))
    assert decide(state, "text,claim_if=matching", room) == rule.CLAIM_ROUTE, "possible"
    state = no_cards_left(make_state(2, SHORT, red=1))
    assert decide(state, "text", room) == rule.TAKE_TICKETS
    state[layout.TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == rule.CLAIM_ROUTE, "affordable: it may not pass"
    state = no_cards_left(make_state(2, SHORT))
    state[layout.TICKET_DECK_SIZE] = 0
    assert decide(state, "text", room) == rule.DO_NOTHING
    assert move(state, "text", room) == layout.PASS


def test_what_cannot_be_carried_out_is_forbidden(room: Room) -> None:
    state = make_state(2, SHORT)
    for decision in (rule.DO_NOTHING, rule.CLAIM_ROUTE):
        assert move(state, "text", room, decision) == layout.FORBIDDEN
    assert move(state, "text", room, rule.TAKE_TICKETS) == layout.DRAW_TICKETS
    state[layout.TICKET_DECK_SIZE] = 0
    no_cards_left(state)
    for decision in (rule.TAKE_TICKETS, rule.DRAW_CARDS):
        assert move(state, "text", room, decision) == layout.FORBIDDEN
    assert move(state, "text", room, rule.DO_NOTHING) == layout.PASS
