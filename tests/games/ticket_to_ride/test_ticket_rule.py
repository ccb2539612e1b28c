"""Each sub-decision of the rule player in positions worked out by hand, by reading."""

from __future__ import annotations

import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import board, layout, rule
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.options import parse_variant
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from tests.games.ticket_to_ride.states import SHORT, find_claim, make_room, make_state, take


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


def make_gap(players: int, trains: int = 40, **hand: int) -> Array:
    """Return a state in which Kansas City to Omaha, two grey lines of 1, joins seat 1's parts."""
    state = make_state(players, SHORT, **hand)
    routes = ("Duluth", "Omaha"), ("Kansas City", "Oklahoma City")
    take(state, 1, *routes)
    at = layout.player_at(1)
    for one, other in routes:
        cities = [at + layout.PART_AT + board.CITY_NAMES.index(city) for city in (one, other)]
        state[cities] = min(state[cities])
    state[at + layout.TRAINS] = trains
    return state


@pytest.mark.parametrize("reading", ["text", "code"])
def test_it_blocks_a_route_that_an_opponent_needs(reading: str, room: Room) -> None:
    state, blocks = make_gap(2, red=1), f"{reading},blocks=yes"
    block = find_claim("Kansas City", "Omaha", "red", second=reading == "code")  # of equal lines
    assert move(state, blocks, room) == block
    assert move(state, reading, make_room()) == layout.DRAW_DECK, "it does not without the option"
    state = make_gap(2, red=2)
    assert move(state, blocks, room) == find_claim("Denver", "Santa Fe", "red"), "own routes first"
    assert move(make_gap(2, trains=0, red=1), blocks, room) == layout.DRAW_DECK, "no trains left"


def test_a_route_with_another_free_line_can_not_be_blocked(room: Room) -> None:
    state = make_gap(4, red=1)
    assert move(state, "code,blocks=yes", room) == layout.DRAW_DECK
    take(state, 2, ("Kansas City", "Omaha"))
    second = find_claim("Kansas City", "Omaha", "red", second=True)
    assert move(state, "code,blocks=yes", room) == second


def test_what_joins_no_parts_is_not_needed(room: Room) -> None:
    state = make_gap(2, red=1)
    at = layout.player_at(1) + layout.PART_AT
    for city in ("Kansas City", "Oklahoma City"):  # they are joined to the others elsewhere
        state[at + board.CITY_NAMES.index(city)] = state[at + board.CITY_NAMES.index("Omaha")]
    assert move(state, "code,blocks=yes", room) == layout.DRAW_DECK
