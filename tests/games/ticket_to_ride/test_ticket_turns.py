"""The rules: what holds in every game, and what random games do not come to."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import board, layout, rules
from evolve_arena.games.ticket_to_ride.turns import apply_move
from tests.games.ticket_to_ride.states import find_claim, give, list_legal, make_state, play_game

WORTH = {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15}
RED = 0
SEEDS = st.integers(0, 2**64 - 1)


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
        assert (state[layout.PHASE] == layout.OVER) == (not moves)
        assert layout.PASS not in moves or moves == [layout.PASS]
        kinds = rules.kinds(state) if moves else 0
        keeps = state[layout.PHASE] in (layout.KEEP, layout.KEEP_FIRST)
        assert kinds == sum({1 << find_kind(move, keeps) for move in moves})
    assert 50 < turns < rules.LONGEST


def find_kind(move: int, keeps: bool) -> int:
    if move < layout.DRAW_DECK:
        return rules.CLAIM_KIND
    if move < layout.DRAW_TICKETS:
        return rules.DRAW_CARDS_KIND
    return rules.PASS_KIND if move == layout.PASS else rules.DRAW_TICKETS_KIND


def check_cards(state: Array, players: int) -> None:
    counts = state[layout.DISCARD_AT : layout.DISCARD_AT + 9].copy()
    assert counts.sum() == state[layout.DISCARD_SIZE]
    for at, size, places in (
        (layout.DECK_AT, layout.DECK_SIZE, layout.MAX_CARDS),
        (layout.OPEN_AT, layout.OPEN_SIZE, 5),
    ):
        counts += np.bincount(state[at : at + state[size]], minlength=9)
        assert (state[at + state[size] : at + places] == -1).all()
    for seat in range(players):
        at = layout.player_at(seat) + layout.HAND_AT
        hand = state[at : at + 9]
        assert hand.min() >= 0
        assert hand.sum() == state[layout.player_at(seat) + layout.CARDS]
        counts += hand
    assert counts.tolist() == [12] * 8 + [14]
    assert state[layout.DECK_SIZE] > 0 or state[layout.DISCARD_SIZE] == 0
    assert state[layout.OPEN_SIZE] == 5 or state[layout.DECK_SIZE] == 0


def check_tickets(state: Array, players: int) -> None:
    tickets = [
        *state[layout.TICKET_DECK_AT : layout.TICKET_DECK_AT + state[layout.TICKET_DECK_SIZE]],
        *state[layout.OFFERED_AT : layout.OFFERED_AT + state[layout.OFFERED_SIZE]],
    ]
    for seat in range(players):
        at = layout.player_at(seat)
        tickets += state[
            at + layout.TICKETS_AT : at + layout.TICKETS_AT + state[at + layout.HELD_TICKETS]
        ].tolist()
    assert sorted(tickets) == list(range(30))


def check_lines(state: Array, players: int) -> None:
    owners = state[layout.OWNER_AT : layout.OWNER_AT + board.LINES]
    for line in np.flatnonzero((owners >= 0) & (board.LINE_TWIN >= 0)):
        twin = board.LINE_TWIN[line]
        assert owners[twin] != owners[line]
        assert players > 3 or owners[twin] == -1
    for seat in range(players):
        at = layout.player_at(seat)
        own = np.flatnonzero(owners == seat)
        assert state[at + layout.TRAINS] + board.LINE_LENGTH[own].sum() == 45
        assert state[at + layout.POINTS] == sum(WORTH[int(board.LINE_LENGTH[line])] for line in own)
        parts = state[at + layout.PART_AT :][: board.CITIES]
        assert parts.tolist() == find_parts(own)


def find_parts(own: Array) -> list[int]:
    """Return for each city the lowest one that can be reached over lines, by flood fill."""
    parts = list(range(board.CITIES))
    for _ in own:
        for line in own:
            one, other = int(board.LINE_FROM[line]), int(board.LINE_TO[line])
            parts[one] = parts[other] = min(parts[one], parts[other])
    return parts


# Tickets


# Claims


# Cards


def test_sweeps_end_even_if_they_come_round_again() -> None:
    state = make_state(
        deck="loco", opened="red loco pink red loco", discarded="white white loco loco loco"
    )
    apply_move(state, layout.DRAW_OPEN + RED)
    assert list(state[layout.OPEN_AT : layout.OPEN_AT + 5]).count(board.LOCOMOTIVE) == 3
    assert (state[layout.DECK_SIZE], state[layout.DISCARD_SIZE]) == (5, 0)


# The end


def test_passing_is_for_who_can_do_nothing_else_and_ends_the_game() -> None:
    state = make_state(3, deck="")
    assert list_legal(state) == [layout.DRAW_TICKETS]
    state[layout.TICKET_DECK_SIZE] = 0
    for seat in range(3):
        assert list_legal(state) == [layout.PASS]
        assert (state[layout.TO_MOVE], state[layout.PASSES]) == (seat, seat)
        apply_move(state, layout.PASS)
    assert state[layout.PHASE] == layout.OVER


def test_passes_have_to_be_in_a_row() -> None:
    state = make_state(2, deck="")
    give(state, 1, red=1)
    state[layout.TICKET_DECK_SIZE] = 0
    apply_move(state, layout.PASS)
    apply_move(state, find_claim("Dallas", "Houston", "red"))
    assert (state[layout.PHASE], state[layout.PASSES], state[layout.ROUND]) == (layout.TURN, 0, 2)
