"""The rules: what holds in every game, and turns worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.stream import below, new_stream
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
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
    MOVES,
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
    STATE_FIELDS,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import can_pay, is_legal, list_moves
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal

WORTH = {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15}
RED, BLUE, WHITE, YELLOW = 0, 1, 2, 7
SEEDS = st.integers(0, 2**64 - 1)
RULES = st.builds(
    TicketRules,
    players=st.just(4),
    cards=st.sampled_from([110, 92]),
    longest_path=st.just(0),
    tie_breaks=st.just(0),
    sweep_first=st.integers(0, 1),
    second_locomotive=st.integers(0, 1),
    pink_line=st.integers(0, 1),
)


@settings(max_examples=25, deadline=None)
@given(RULES, st.integers(2, 5), SEEDS, st.integers(0, 9999))
def test_what_holds_in_every_state_of_every_game(play_game, rules, players, seed, choices):
    for turn, (state, moves) in enumerate(play_game(rules, players, seed, choices)):
        _check_cards(state, rules.cards, players)
        _check_tickets(state, players)
        _check_lines(state, players)
        assert moves == sorted(set(moves))
        assert (state[PHASE] == OVER) == (not moves)
        if PASS in moves:
            assert moves == [PASS]
        if turn % 40 == 0:
            legal = [move for move in range(-2, MOVES + 2) if is_legal(rules, state, move)]
            assert legal == moves
    assert turn < 800


@settings(max_examples=40, deadline=None)
@given(RULES, st.integers(2, 5), SEEDS)
def test_deal_is_that_of_a_second_program(rules, players, seed):
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(rules, players, np.uint64(seed), state)
    deck, opened, hands, offered, tickets = _deal_again(rules, players, seed)
    assert state[DECK_AT : DECK_AT + state[DECK_SIZE]].tolist() == deck
    assert set(state[DECK_AT + len(deck) : DECK_AT + MOST_CARDS]) <= {-1}
    assert state[OPEN_AT : OPEN_AT + state[OPEN_SIZE]].tolist() == opened
    for seat, hand in enumerate(hands):
        at = player_at(seat) + HAND_AT
        assert state[at : at + 9].tolist() == [hand.count(colour) for colour in range(9)]
    assert state[OFFERED_AT : OFFERED_AT + 3].tolist() == offered
    assert state[TICKET_DECK_AT : TICKET_DECK_AT + 27].tolist() == tickets
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (KEEP_FIRST, 0, 0)


def test_first_tickets_are_kept_in_turn_and_the_others_go_to_the_bottom():
    rules, state = TicketRules(), np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(rules, 2, np.uint64(5), state)
    deck = state[TICKET_DECK_AT : TICKET_DECK_AT + 27].tolist()
    first = state[OFFERED_AT : OFFERED_AT + 3].tolist()
    assert _list(rules, state) == [KEEP_TICKETS + mask for mask in (3, 5, 6, 7)]
    apply_move(rules, state, KEEP_TICKETS + 5)
    assert state[player_at(0) + TICKETS_AT : player_at(0) + TICKETS_AT + 3].tolist() == [
        first[0],
        first[2],
        -1,
    ]
    assert state[OFFERED_AT : OFFERED_AT + 3].tolist() == deck[:3]
    apply_move(rules, state, KEEP_TICKETS + 7)
    rest = [*deck[3:], first[1]]
    assert state[TICKET_DECK_AT : TICKET_DECK_AT + 30].tolist() == [*rest, *[-1] * 5]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 0, 1)
    apply_move(rules, state, DRAW_TICKETS)
    assert _list(rules, state) == [KEEP_TICKETS + mask for mask in range(1, 8)]
    apply_move(rules, state, KEEP_TICKETS + 2)
    rest = [*rest[3:], rest[0], rest[2]]
    assert state[TICKET_DECK_AT : TICKET_DECK_AT + 25].tolist() == [*rest, -1]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 1, 1)


def test_the_last_tickets_may_be_fewer_than_three(make_state):
    rules, state = TicketRules(), make_state(deck="red")
    state[TICKET_DECK_AT + 2 : TICKET_DECK_AT + 30] = -1
    state[TICKET_DECK_SIZE] = 2
    apply_move(rules, state, DRAW_TICKETS)
    assert (state[PHASE], state[OFFERED_SIZE], state[TICKET_DECK_SIZE]) == (KEEP, 2, 0)
    assert _list(rules, state) == [KEEP_TICKETS + mask for mask in (1, 2, 3)]
    apply_move(rules, state, KEEP_TICKETS + 3)
    assert DRAW_TICKETS not in _list(rules, state)


def test_a_claim_pays_with_its_colour_first_and_counts(make_state, line_of):
    rules = TicketRules()
    state = make_state(hands=("red red loco loco loco",), deck="blue white", opened="red " * 5)
    line = line_of("Chicago", "Saint Louis", "white")
    assert LINE_LENGTH[line] == 2
    miami = line_of("Miami", "New Orleans", "red")
    assert LINE_LENGTH[miami] == 6
    assert not can_pay(state, 0, miami, RED)
    state[player_at(0) + HAND_AT + RED] += 1
    state[player_at(0) + CARDS] += 1
    apply_move(rules, state, 9 * miami + RED)
    at = player_at(0)
    assert state[at + HAND_AT : at + HAND_AT + 9].tolist() == [0] * 9
    assert (state[at + TRAINS], state[at + POINTS], state[at + CARDS]) == (39, 15, 0)
    assert state[DISCARD_AT : DISCARD_AT + 9].tolist() == [3, 0, 0, 0, 0, 0, 0, 0, 3]
    assert state[OWNER_AT + miami] == 0
    assert state[TO_MOVE] == 1


def test_two_cards_make_a_turn(make_state):
    rules = TicketRules()
    state = make_state(deck="white blue green", opened="red red blue black loco")
    assert _list(rules, state) == [
        *[DRAW_DECK, DRAW_OPEN, DRAW_OPEN + BLUE, DRAW_OPEN + 3, DRAW_OPEN + LOCOMOTIVE],
        DRAW_TICKETS,
    ]
    apply_move(rules, state, DRAW_OPEN + RED)
    assert state[OPEN_AT : OPEN_AT + 5].tolist() == [0, 1, 3, 8, 4]
    assert (state[PHASE], state[TO_MOVE]) == (SECOND_CARD, 0)
    assert _list(rules, state) == [DRAW_DECK, *(DRAW_OPEN + colour for colour in (0, 1, 3, 4))]
    apply_move(rules, state, DRAW_DECK)
    hand = state[player_at(0) + HAND_AT : player_at(0) + HAND_AT + 9].tolist()
    assert hand == [1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert (state[PHASE], state[TO_MOVE], state[ROUND]) == (TURN, 1, 0)


def test_an_open_locomotive_is_a_whole_turn_but_one_off_the_deck_is_not(make_state):
    rules = TicketRules()
    state = make_state(deck="white blue loco", opened="red red blue black loco")
    taken = state.copy()
    apply_move(rules, taken, DRAW_OPEN + LOCOMOTIVE)
    assert (taken[PHASE], taken[TO_MOVE]) == (TURN, 1)
    apply_move(rules, state, DRAW_DECK)
    assert (state[PHASE], state[TO_MOVE]) == (SECOND_CARD, 0)
    assert not is_legal(rules, state, DRAW_OPEN + LOCOMOTIVE)
    lenient = TicketRules(second_locomotive=1)
    assert is_legal(lenient, state, DRAW_OPEN + LOCOMOTIVE)
    assert DRAW_OPEN + LOCOMOTIVE in _list(lenient, state)
    apply_move(lenient, state, DRAW_OPEN + LOCOMOTIVE)
    assert (state[PHASE], state[TO_MOVE]) == (TURN, 1)


@pytest.mark.parametrize(("lenient", "mover"), [(0, 1), (1, 0)])
def test_a_turn_ends_after_one_card_if_no_second_can_be_taken(make_state, lenient, mover):
    rules = TicketRules(second_locomotive=lenient)
    state = make_state(opened="red loco")
    apply_move(rules, state, DRAW_OPEN + RED)
    assert state[OPEN_AT : OPEN_AT + 5].tolist() == [8, -1, -1, -1, -1]
    assert state[TO_MOVE] == mover


def test_three_open_locomotives_are_swept_away(make_state):
    state = make_state(
        deck="yellow red red red red red loco", opened="red loco blue loco white", discarded="pink"
    )
    apply_move(TicketRules(), state, DRAW_OPEN + BLUE)
    assert state[OPEN_AT : OPEN_AT + 5].tolist() == [0] * 5
    assert state[DISCARD_AT : DISCARD_AT + 9].tolist() == [1, 0, 1, 0, 0, 1, 0, 0, 3]
    assert state[DECK_AT : DECK_AT + 2].tolist() == [YELLOW, -1]


@pytest.mark.parametrize(("discarded", "swept"), [("", False), ("pink", True)])
def test_nothing_is_swept_if_hardly_any_other_card_is_left(make_state, discarded, swept):
    state = make_state(
        deck="loco loco loco loco loco loco", opened="red loco blue loco white", discarded=discarded
    )
    apply_move(TicketRules(), state, DRAW_OPEN + BLUE)
    still = state[OPEN_AT : OPEN_AT + 5].tolist() == [0, 8, 8, 2, 8]
    assert still != swept


def test_sweeps_end_even_if_they_come_round_again(make_state):
    state = make_state(
        deck="loco",
        opened="red loco pink red loco",
        discarded="white white loco loco loco",
    )
    apply_move(TicketRules(), state, DRAW_OPEN + RED)
    assert state[OPEN_AT : OPEN_AT + 5].tolist().count(LOCOMOTIVE) == 3
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (5, 0)


def test_the_first_open_cards_are_swept_unless_the_option_says_no():
    kept = 0
    for seed in range(150):
        state = np.zeros(STATE_FIELDS, dtype=np.int64)
        deal(TicketRules(), 2, np.uint64(seed), state)
        assert (state[OPEN_AT : OPEN_AT + 5] == LOCOMOTIVE).sum() < 3
        deal(TicketRules(sweep_first=0), 2, np.uint64(seed), state)
        kept += (state[OPEN_AT : OPEN_AT + 5] == LOCOMOTIVE).sum() >= 3
    assert kept > 0


def test_the_discarded_cards_are_a_new_deck_as_soon_as_the_old_one_is_empty(make_state):
    state = make_state(deck="green", opened="red red blue blue white", discarded="pink pink black")
    apply_move(TicketRules(), state, DRAW_OPEN + WHITE)
    assert state[OPEN_AT : OPEN_AT + 5].tolist() == [0, 0, 1, 1, 4]
    assert sorted(state[DECK_AT : DECK_AT + 3].tolist()) == [3, 5, 5]
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (3, 0)
    assert set(state[DISCARD_AT : DISCARD_AT + 9]) == {0}


def test_a_payment_fills_an_empty_deck_and_the_open_cards(make_state, line_of):
    state = make_state(hands=("red red red",), opened="blue blue")
    apply_move(TicketRules(), state, 9 * line_of("Dallas", "Houston") + RED)
    assert state[OPEN_AT : OPEN_AT + 5].tolist() == [1, 1, 0, -1, -1]
    assert (state[DECK_SIZE], state[DISCARD_SIZE]) == (0, 0)


def test_passing_is_for_who_can_do_nothing_else_and_ends_the_game(make_state):
    rules, state = TicketRules(), make_state(3)
    assert not is_legal(rules, state, PASS)
    state[TICKET_DECK_SIZE] = 0
    for seat in range(3):
        assert _list(rules, state) == [PASS]
        assert (state[TO_MOVE], state[PASSES]) == (seat, seat)
        apply_move(rules, state, PASS)
    assert state[PHASE] == OVER


def test_passes_have_to_be_in_a_row(make_state, line_of):
    rules, state = TicketRules(), make_state(2, hands=("", "red"))
    state[TICKET_DECK_SIZE] = 0
    apply_move(rules, state, PASS)
    apply_move(rules, state, 9 * line_of("Dallas", "Houston") + RED)
    assert (state[PHASE], state[PASSES], state[ROUND]) == (TURN, 0, 1)


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("seat", [0, 1])
def test_everybody_has_one_more_turn_after_somebody_is_down_to_two_trains(
    make_state, line_of, players, seat
):
    rules = TicketRules()
    state = make_state(players, hands=("red",) * 5, deck="blue " * 60, opened="white " * 5)
    state[TO_MOVE] = seat
    state[player_at(seat) + TRAINS] = 4
    apply_move(rules, state, 9 * line_of("Dallas", "Houston") + RED)
    assert state[LAST_SEAT] == -1
    for _ in range(players - 1):
        _draw_two(rules, state)
    state[player_at(seat) + HAND_AT + RED] += 1
    state[player_at(seat) + CARDS] += 1
    apply_move(rules, state, 9 * line_of("Seattle", "Portland") + RED)
    assert (state[LAST_SEAT], state[player_at(seat) + TRAINS]) == (seat, 2)
    turns = []
    while state[PHASE] != OVER:
        turns.append(int(state[TO_MOVE]))
        _draw_two(rules, state)
    assert turns == [(seat + step) % players for step in range(1, players + 1)]
    assert _list(rules, state) == []
    assert not any(is_legal(rules, state, move) for move in range(MOVES))


def _draw_two(rules, state):
    apply_move(rules, state, DRAW_DECK)
    apply_move(rules, state, DRAW_DECK)


def _list(rules, state):
    moves = np.zeros(MOVES, dtype=np.int64)
    return moves[: list_moves(rules, state, moves)].tolist()


def _check_cards(state, cards, players):
    counts = state[DISCARD_AT : DISCARD_AT + 9].copy()
    assert counts.sum() == state[DISCARD_SIZE]
    for at, size, places in ((DECK_AT, DECK_SIZE, MOST_CARDS), (OPEN_AT, OPEN_SIZE, 5)):
        held = state[at : at + state[size]]
        counts += np.bincount(held, minlength=9)
        assert (state[at + state[size] : at + places] == -1).all()
    for seat in range(5):
        at = player_at(seat)
        hand = state[at + HAND_AT : at + HAND_AT + 9]
        assert hand.min() >= 0
        assert hand.sum() == state[at + CARDS]
        assert seat < players or hand.sum() == 0
        counts += hand
    assert counts.tolist() == ([12] * 8 + [14] if cards == 110 else [10] * 8 + [12])
    assert state[DECK_SIZE] > 0 or state[DISCARD_SIZE] == 0
    assert state[OPEN_SIZE] == 5 or state[DECK_SIZE] == 0


def _check_tickets(state, players):
    tickets = [
        *state[TICKET_DECK_AT : TICKET_DECK_AT + state[TICKET_DECK_SIZE]],
        *state[OFFERED_AT : OFFERED_AT + state[OFFERED_SIZE]],
    ]
    for seat in range(players):
        at = player_at(seat)
        tickets += state[at + TICKETS_AT : at + TICKETS_AT + state[at + HELD_TICKETS]].tolist()
    assert sorted(tickets) == list(range(30))


def _check_lines(state, players):
    owners = state[OWNER_AT : OWNER_AT + LINES]
    for line in np.flatnonzero(owners >= 0):
        twin = LINE_TWIN[line]
        if twin >= 0:
            assert owners[twin] != owners[line]
            assert players > 3 or owners[twin] == -1
    for seat in range(players):
        at = player_at(seat)
        own = np.flatnonzero(owners == seat)
        assert state[at + TRAINS] + LINE_LENGTH[own].sum() == 45
        assert state[at + POINTS] == sum(WORTH[int(LINE_LENGTH[line])] for line in own)
        assert state[at + PART_AT : at + PART_AT + CITIES].tolist() == _find_parts(own)


def _find_parts(own):
    """For each city the lowest that can be reached over lines, found by spreading."""
    parts = list(range(CITIES))
    changed = True
    while changed:
        changed = False
        for line in own:
            one, other = int(LINE_FROM[line]), int(LINE_TO[line])
            low = min(parts[one], parts[other])
            if parts[one] != low or parts[other] != low:
                parts[one] = parts[other] = low
                changed = True
    return parts


def _deal_again(rules, players, seed):
    """A deal by lists: deck with its top last, open cards, hands, offered tickets, the others."""
    stream = new_stream(seed)
    each, locomotives = (12, 14) if rules.cards == 110 else (10, 12)
    deck = [colour for colour in range(8) for _ in range(each)] + [8] * locomotives
    tickets = list(range(30))
    for cards in (deck, tickets):
        for place in range(len(cards) - 1, 0, -1):
            other = int(below(stream, place + 1))
            cards[place], cards[other] = cards[other], cards[place]
    hands = [[deck.pop() for _ in range(4)] for _ in range(players)]
    opened = [deck.pop() for _ in range(5)]
    while rules.sweep_first and opened.count(8) >= 3:
        opened = [deck.pop() for _ in range(5)]
    return deck, opened, hands, tickets[:3], tickets[3:]
