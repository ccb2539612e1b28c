"""Nothing that is hidden from a seat changes what it sees."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DECK_SIZE,
    HAND_AT,
    HELD_TICKETS,
    MOVES,
    OFFERED_AT,
    OFFERED_SIZE,
    STATE_FIELDS,
    STREAM,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.views import hide


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**64 - 1), st.integers(0, 9999), st.integers(0, 150))
def test_a_view_is_the_same_whatever_is_hidden(play_game, players, seed, choices, stop):
    chooser = random.Random(seed ^ choices)
    for turn, (state, moves) in enumerate(play_game(TicketRules(), players, seed, choices)):
        if turn < stop and moves:
            continue
        for seat in range(players):
            _check_view(state.copy(), seat, moves, chooser)
        break


def test_what_a_seat_may_know_is_seen():
    game = TicketToRide(players=3)
    state = game.initial(4)
    for text in ("keep 1 2", "keep 1 2 3", "keep 2 3"):
        state = game.play(state, game.parse_move(text))
    view = game.view(state, 1)
    assert view.tickets(1) == state.tickets(1)
    assert view.hand(1) == state.hand(1)
    assert view.open_cards == state.open_cards
    assert (view.tickets(0), view.tickets(2)) == ((-1, -1), (-1, -1))
    assert (view.hand(0), view.cards(0)) == ({}, 4)
    assert view.seen_by == 1
    offered = game.play(state, game.parse_move("tickets"))
    assert game.view(offered, 0).offered == offered.offered
    assert game.view(offered, 1).offered == (-1, -1, -1)


def test_the_own_cards_and_tickets_change_what_is_seen():
    game = TicketToRide(players=2)
    state = game.initial(4)
    other = state.array.copy()
    at = player_at(0) + HAND_AT
    other[at : at + 9] = np.roll(other[at : at + 9], 1)
    changed = Position(game.rules, other)
    assert game.view(changed, 0) != game.view(state, 0)
    assert game.view(changed, 1) == game.view(state, 1)
    assert game.observe(changed, 0).tolist() != game.observe(state, 0).tolist()


def _check_view(state, seat, moves, chooser):
    game = TicketToRide(players=int(state[0]))
    view, again = np.zeros((2, STATE_FIELDS), dtype=np.int64)
    hide(state, seat, view)
    if state[TO_MOVE] == seat:
        listed = np.zeros(MOVES, dtype=np.int64)
        assert listed[: list_moves(game.rules, view, listed)].tolist() == moves
    seen = game.observe(Position(game.rules, state.copy()), seat).tolist()
    other = _change_hidden(state, seat, chooser)
    hide(other, seat, again)
    assert again.tolist() == view.tolist()
    assert game.observe(Position(game.rules, other), seat).tolist() == seen


def _change_hidden(state, seat, chooser):
    """The state with other cards and tickets wherever *seat* can't look."""
    other = state.copy()
    other[STREAM] = chooser.randrange(2**62)
    players = [player for player in range(int(state[0])) if player != seat]
    cards = list(range(DECK_AT, DECK_AT + int(state[DECK_SIZE])))
    tickets = list(range(TICKET_DECK_AT, TICKET_DECK_AT + int(state[TICKET_DECK_SIZE])))
    if state[TO_MOVE] != seat:
        tickets += range(OFFERED_AT, OFFERED_AT + int(state[OFFERED_SIZE]))
    for player in players:
        at = player_at(player)
        tickets += range(at + TICKETS_AT, at + TICKETS_AT + int(state[at + HELD_TICKETS]))
    other[tickets] = chooser.sample(state[tickets].tolist(), len(tickets))
    sizes = [int(state[player_at(player) + CARDS]) for player in players]
    pool = state[cards].tolist()
    for player in players:
        for colour in range(9):
            pool += [colour] * int(state[player_at(player) + HAND_AT + colour])
    chooser.shuffle(pool)
    for player, size in zip(players, sizes, strict=True):
        new = [pool.pop() for _ in range(size)]
        at = player_at(player) + HAND_AT
        other[at : at + 9] = np.bincount(np.array(new, dtype=np.int64), minlength=9)
    other[cards] = pool
    return other
