"""The rules: what holds in every game, and turns worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride import rules
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    LINE_COLOUR,
    LINE_FROM,
    LINE_LENGTH,
    LINE_TO,
    LINE_TWIN,
    LINES,
    LOCOMOTIVE,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    LAST_SEAT,
    MOST_CARDS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PART_AT,
    PASS,
    PASSES,
    PHASE,
    POINTS,
    ROUND,
    SECOND_CARD,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.games.ticket_to_ride.turns import apply_move
from tests.games.ticket_to_ride.states import (
    deal_state,
    find_claim,
    find_line,
    give,
    list_legal,
    make_state,
    play_game,
)

WORTH = {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15}
RED, BLUE, WHITE, YELLOW = 0, 1, 2, 7
SEEDS = st.integers(0, 2**64 - 1)
FIVE_RED = "red " * 5


def open_cards(state: Any) -> list[int]:
    return list(state[OPEN_AT : OPEN_AT + 5])


def hand_of(state: Any, seat: int = 0) -> list[int]:
    at = player_at(seat) + HAND_AT
    return list(state[at : at + 9])


# Every game


@settings(max_examples=25)
@given(st.integers(2, 5), SEEDS, st.sampled_from([0.0, 0.7]))
def test_what_holds_in_every_state_of_every_game(players: int, seed: int, claims: float) -> None:
    turns = 0
    for state, moves in play_game(players, seed, claims=claims):
        turns += 1
        check_cards(state, players)
        check_tickets(state, players)
        check_lines(state, players)
        assert moves == sorted(set(moves))
        assert (state[PHASE] == OVER) == (not moves)
        assert PASS not in moves or moves == [PASS]
        kinds = rules.kinds(state) if moves else 0
        keeps = state[PHASE] in (KEEP, KEEP_FIRST)
        assert kinds == sum({1 << find_kind(move, keeps) for move in moves})
    assert 50 < turns < rules.LONGEST


def find_kind(move: int, keeps: bool) -> int:
    if move < DRAW_DECK:
        return rules.CLAIM_KIND
    if move < DRAW_TICKETS:
        return rules.DRAW_CARDS_KIND
    return rules.PASS_KIND if move == PASS else rules.DRAW_TICKETS_KIND


def check_cards(state: Any, players: int) -> None:
    counts = state[DISCARD_AT : DISCARD_AT + 9].copy()
    assert counts.sum() == state[DISCARD_SIZE]
    for at, size, places in ((DECK_AT, DECK_SIZE, MOST_CARDS), (OPEN_AT, OPEN_SIZE, 5)):
        counts += np.bincount(state[at : at + state[size]], minlength=9)
        assert (state[at + state[size] : at + places] == -1).all()
    for seat in range(players):
        hand = np.array(hand_of(state, seat))
        assert hand.min() >= 0
        assert hand.sum() == state[player_at(seat) + CARDS]
        counts += hand
    assert counts.tolist() == [12] * 8 + [14]
    assert state[DECK_SIZE] > 0 or state[DISCARD_SIZE] == 0
    assert state[OPEN_SIZE] == 5 or state[DECK_SIZE] == 0


def check_tickets(state: Any, players: int) -> None:
    tickets = [
        *state[TICKET_DECK_AT : TICKET_DECK_AT + state[TICKET_DECK_SIZE]],
        *state[OFFERED_AT : OFFERED_AT + state[OFFERED_SIZE]],
    ]
    for seat in range(players):
        at = player_at(seat)
        tickets += state[at + TICKETS_AT : at + TICKETS_AT + state[at + HELD_TICKETS]].tolist()
    assert sorted(tickets) == list(range(30))


def check_lines(state: Any, players: int) -> None:
    owners = state[OWNER_AT : OWNER_AT + LINES]
    for line in np.flatnonzero((owners >= 0) & (LINE_TWIN >= 0)):
        twin = LINE_TWIN[line]
        assert owners[twin] != owners[line]
        assert players > 3 or owners[twin] == -1
    for seat in range(players):
        at = player_at(seat)
        own = np.flatnonzero(owners == seat)
        assert state[at + TRAINS] + LINE_LENGTH[own].sum() == 45
        assert state[at + POINTS] == sum(WORTH[int(LINE_LENGTH[line])] for line in own)
        assert list(state[at + PART_AT : at + PART_AT + CITIES]) == find_parts(own)


def find_parts(own: Any) -> list[int]:
    """For each city the lowest that can be reached over lines, found by spreading."""
    parts = list(range(CITIES))
    for _ in own:
        for line in own:
            one, other = int(LINE_FROM[line]), int(LINE_TO[line])
            parts[one] = parts[other] = min(parts[one], parts[other])
    return parts


def test_games_differ_by_their_outcomes_of_chance() -> None:
    game = make_game("ticket-to-ride", seats=3)
    states = [game.initial(seed).state for seed in range(20)]
    assert len(set(states)) == 20
    assert states[7] == game.initial(7).state
    for state in states:
        assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (KEEP_FIRST, 0, 0)
        assert open_cards(state).count(LOCOMOTIVE) < 3


@pytest.mark.parametrize("move", [-1, 919, 9 * 3 + 8, KEEP_TICKETS + 1])
def test_moves_that_are_not_legal_are_refused(move: int) -> None:
    """Of the first three tickets two must be kept."""
    game = make_game("ticket-to-ride")
    with pytest.raises(IllegalMoveError, match="can't be played here"):
        game.play(game.initial(), move)


# Tickets


def test_first_tickets_are_kept_in_turn_and_the_others_go_to_the_bottom() -> None:
    state = deal_state(2, 5)
    deck = list(state[TICKET_DECK_AT : TICKET_DECK_AT + 27])
    first = list(state[OFFERED_AT : OFFERED_AT + 3])
    assert list_legal(state) == [KEEP_TICKETS + mask for mask in (3, 5, 6, 7)]
    apply_move(state, KEEP_TICKETS + 5)
    at = player_at(0) + TICKETS_AT
    assert list(state[at : at + 3]) == [first[0], first[2], -1]
    assert list(state[OFFERED_AT : OFFERED_AT + 3]) == deck[:3]
    apply_move(state, KEEP_TICKETS + 7)
    rest = [*deck[3:], first[1]]
    assert list(state[TICKET_DECK_AT : TICKET_DECK_AT + 30]) == [*rest, *[-1] * 5]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 0, 1)
    apply_move(state, DRAW_TICKETS)
    assert list_legal(state) == [KEEP_TICKETS + mask for mask in range(1, 8)]
    apply_move(state, KEEP_TICKETS + 2)
    rest = [*rest[3:], rest[0], rest[2]]
    assert list(state[TICKET_DECK_AT : TICKET_DECK_AT + 25]) == [*rest, -1]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 1, 1)


def test_the_last_tickets_may_be_fewer_than_three() -> None:
    state = make_state()
    state[TICKET_DECK_AT + 2 : TICKET_DECK_AT + 30] = -1
    state[TICKET_DECK_SIZE] = 2
    apply_move(state, DRAW_TICKETS)
    assert (state[PHASE], state[OFFERED_SIZE], state[TICKET_DECK_SIZE]) == (KEEP, 2, 0)
    assert list_legal(state) == [KEEP_TICKETS + mask for mask in (1, 2, 3)]
    apply_move(state, KEEP_TICKETS + 3)
    assert DRAW_TICKETS not in list_legal(state)


# Claims


def test_ways_to_pay() -> None:
    state = make_state(deck="red red", red=1, white=2, locomotive=2)
    paid: dict[int, list[int]] = {}
    for move in list_legal(state):
        paid.setdefault(move // 9, []).append(move % 9)
    green = find_line("Chicago", "Saint Louis", "green")
    assert paid[find_line("Chicago", "Saint Louis", "white")] == [WHITE, LOCOMOTIVE]
    assert paid[green] == [LOCOMOTIVE]
    assert paid[find_line("Dallas", "Houston")] == [RED, WHITE, LOCOMOTIVE]
    apply_move(state, 9 * green + LOCOMOTIVE)
    assert hand_of(state) == [1, 0, 2, *[0] * 6]


def test_a_claim_pays_with_its_colour_first_and_counts() -> None:
    state = make_state(deck="blue white", opened=FIVE_RED, red=2, locomotive=3)
    claim = find_claim("Miami", "New Orleans", "red")
    assert claim not in list_legal(state)
    give(state, 0, red=3, locomotive=3)
    apply_move(state, claim)
    at = player_at(0)
    assert hand_of(state) == [0] * 9
    assert (state[at + TRAINS], state[at + POINTS], state[at + CARDS]) == (39, 15, 0)
    assert list(state[DISCARD_AT : DISCARD_AT + 9]) == [3, *[0] * 7, 3]
    assert (state[OWNER_AT + claim // 9], state[TO_MOVE]) == (0, 1)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_second_line_of_a_double_route(players: int) -> None:
    state = make_state(players, red=2)
    for seat in range(1, players):
        give(state, seat, red=2)
    first, second = (find_claim("Dallas", "Houston", "red", line) for line in (False, True))
    apply_move(state, second)
    assert (first in list_legal(state)) == (players >= 4)
    assert second not in list_legal(state)
    state[TO_MOVE] = 0
    assert first not in list_legal(state)


def test_a_line_needs_its_trains() -> None:
    line = find_line("Dallas", "El Paso")
    assert LINE_LENGTH[line] == 4
    for trains, expected in ((4, True), (3, False)):
        state = make_state(red=4)
        state[player_at(0) + TRAINS] = trains
        assert (9 * line + RED in list_legal(state)) == expected
        assert LINE_COLOUR[line] == RED


# Cards


def test_two_cards_make_a_turn() -> None:
    state = make_state(deck="white blue green", opened="red red blue black loco")
    cards = [DRAW_DECK, DRAW_OPEN, DRAW_OPEN + BLUE, DRAW_OPEN + 3, DRAW_OPEN + LOCOMOTIVE]
    assert list_legal(state) == [*cards, DRAW_TICKETS]
    apply_move(state, DRAW_OPEN + RED)
    assert open_cards(state) == [0, 1, 3, 8, 4]
    assert (state[PHASE], state[TO_MOVE]) == (SECOND_CARD, 0)
    assert list_legal(state) == [DRAW_DECK, *(DRAW_OPEN + colour for colour in (0, 1, 3, 4))]
    apply_move(state, DRAW_DECK)
    assert hand_of(state) == [1, 1, *[0] * 7]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 1, 1)


def test_an_open_locomotive_is_a_whole_turn_but_one_off_the_deck_is_not() -> None:
    state = make_state(deck="white blue loco", opened="red red blue black loco")
    taken = state.copy()
    apply_move(taken, DRAW_OPEN + LOCOMOTIVE)
    assert (taken[PHASE], taken[TO_MOVE]) == (TURN, 1)
    apply_move(state, DRAW_DECK)
    assert (state[PHASE], state[TO_MOVE]) == (SECOND_CARD, 0)
    assert DRAW_OPEN + LOCOMOTIVE not in list_legal(state)


def test_a_turn_ends_after_one_card_if_no_second_can_be_taken() -> None:
    state = make_state(deck="", opened="red loco")
    apply_move(state, DRAW_OPEN + RED)
    assert open_cards(state) == [8, -1, -1, -1, -1]
    assert state[TO_MOVE] == 1


def test_three_open_locomotives_are_swept_away() -> None:
    state = make_state(
        deck="yellow red red red red red loco", opened="red loco blue loco white", discarded="pink"
    )
    apply_move(state, DRAW_OPEN + BLUE)
    assert open_cards(state) == [0] * 5
    assert list(state[DISCARD_AT : DISCARD_AT + 9]) == [1, 0, 1, 0, 0, 1, 0, 0, 3]
    assert list(state[DECK_AT : DECK_AT + 2]) == [YELLOW, -1]


@pytest.mark.parametrize(("discarded", "swept"), [("", False), ("pink", True)])
def test_nothing_is_swept_if_hardly_any_other_card_is_left(discarded: str, swept: bool) -> None:
    state = make_state(deck="loco " * 6, opened="red loco blue loco white", discarded=discarded)
    apply_move(state, DRAW_OPEN + BLUE)
    assert (open_cards(state) != [0, 8, 8, 2, 8]) == swept


def test_sweeps_end_even_if_they_come_round_again() -> None:
    state = make_state(
        deck="loco", opened="red loco pink red loco", discarded="white white loco loco loco"
    )
    apply_move(state, DRAW_OPEN + RED)
    assert open_cards(state).count(LOCOMOTIVE) == 3
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (5, 0)


def test_the_discarded_cards_are_a_new_deck_as_soon_as_the_old_one_is_empty() -> None:
    state = make_state(deck="green", opened="red red blue blue white", discarded="pink pink black")
    apply_move(state, DRAW_OPEN + WHITE)
    assert open_cards(state) == [0, 0, 1, 1, 4]
    assert sorted(state[DECK_AT : DECK_AT + 3]) == [3, 5, 5]
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (3, 0)
    assert set(state[DISCARD_AT : DISCARD_AT + 9]) == {0}


def test_a_payment_fills_an_empty_deck_and_the_open_cards() -> None:
    state = make_state(deck="", opened="blue blue", red=3)
    apply_move(state, find_claim("Dallas", "Houston", "red"))
    assert open_cards(state) == [1, 1, 0, -1, -1]
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (0, 0)


# The end


def test_passing_is_for_who_can_do_nothing_else_and_ends_the_game() -> None:
    state = make_state(3, deck="")
    assert list_legal(state) == [DRAW_TICKETS]
    state[TICKET_DECK_SIZE] = 0
    for seat in range(3):
        assert list_legal(state) == [PASS]
        assert (state[TO_MOVE], state[PASSES]) == (seat, seat)
        apply_move(state, PASS)
    assert state[PHASE] == OVER


def test_passes_have_to_be_in_a_row() -> None:
    state = make_state(2, deck="")
    give(state, 1, red=1)
    state[TICKET_DECK_SIZE] = 0
    apply_move(state, PASS)
    apply_move(state, find_claim("Dallas", "Houston", "red"))
    assert (state[PHASE], state[PASSES], state[ROUND]) == (TURN, 0, 2)


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("seat", [0, 1])
def test_everybody_has_one_more_turn_after_somebody_is_down_to_two_trains(
    players: int, seat: int
) -> None:
    state = make_state(players, deck="blue " * 60, opened="white " * 5)
    give(state, seat, red=2)
    state[TO_MOVE] = seat
    state[player_at(seat) + TRAINS] = 4
    apply_move(state, find_claim("Dallas", "Houston", "red"))
    assert state[LAST_SEAT] == -1
    for _ in range(players - 1):
        draw_two(state)
    apply_move(state, find_claim("Seattle", "Portland", "red"))
    assert (state[LAST_SEAT], state[player_at(seat) + TRAINS]) == (seat, 2)
    turns = []
    while state[PHASE] != OVER:
        turns.append(int(state[TO_MOVE]))
        draw_two(state)
    assert turns == [(seat + step) % players for step in range(1, players + 1)]
    assert list_legal(state) == []


def draw_two(state: Any) -> None:
    apply_move(state, DRAW_DECK)
    apply_move(state, DRAW_DECK)
