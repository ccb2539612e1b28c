"""Views of a seat, and its guesses of the rest."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.registry import make_game
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import layout, rules
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.games.ticket_to_ride.views import hide
from tests.games.ticket_to_ride.states import list_legal, play_game
from tests.games.ticket_to_ride.test_ticket_turns import check_cards, check_lines, check_tickets

some_states = given(st.integers(2, 5), st.integers(0, 2**64 - 1), st.integers(0, 150))


def view_of(state: Array, seat: int) -> Array:
    view = state.copy()
    hide(view, seat)
    return view


def find_state(players: int, seed: int, turn: int) -> tuple[Array, list[int]]:
    """Return a state of a random game after so many moves, or its last one but the end."""
    kept = (None, [])
    for number, (state, moves) in enumerate(play_game(players, seed, claims=0.5)):
        if moves:
            kept = state.copy(), moves
        if number == turn:
            break
    return kept


@settings(max_examples=30)
@some_states
def test_a_view_is_the_same_whatever_is_hidden(players: int, seed: int, turn: int) -> None:
    state, moves = find_state(players, seed, turn)
    for seat in range(players):
        view = view_of(state, seat)
        assert view[layout.SECRETS] == 2
        if state[layout.TO_MOVE] == seat:
            assert list_legal(view) == moves
        other = change_hidden(state, seat, random.Random(seed))
        assert view_of(other, seat).tolist() == view.tolist()
        assert see(other, seat) == see(state, seat) == see(view, seat)


def see(state: Array, seat: int) -> list[int]:
    """Return the networks' inputs, by a file of rules with default options."""
    planes = np.zeros(2 * rules.PLANES, dtype=np.uint64)
    padded = state.copy()
    rules.see(padded, seat, planes)
    assert (padded == state).all()
    return [int(word) for word in planes]


def change_hidden(state: Array, seat: int, chooser: random.Random) -> Array:
    """Return the state with other cards and tickets wherever *seat* can't look."""
    other = state.copy()
    other[layout.STREAM] = chooser.randrange(2**62)
    players = [player for player in range(int(state[0])) if player != seat]
    cards = list(range(layout.DECK_AT, layout.DECK_AT + int(state[layout.DECK_SIZE])))
    tickets = list(
        range(layout.TICKET_DECK_AT, layout.TICKET_DECK_AT + int(state[layout.TICKET_DECK_SIZE]))
    )
    if state[layout.TO_MOVE] != seat:
        tickets += range(layout.OFFERED_AT, layout.OFFERED_AT + int(state[layout.OFFERED_SIZE]))
    pool = state[cards].tolist()
    for player in players:
        at = layout.player_at(player)
        tickets += range(
            at + layout.TICKETS_AT, at + layout.TICKETS_AT + int(state[at + layout.HELD_TICKETS])
        )
        for colour in range(9):
            pool += [colour] * int(state[at + layout.HAND_AT + colour])
    other[tickets] = chooser.sample(state[tickets].tolist(), len(tickets))
    chooser.shuffle(pool)
    for player in players:
        at = layout.player_at(player)
        new = [pool.pop() for _ in range(int(state[at + layout.CARDS]))]
        other[at + layout.HAND_AT : at + layout.HAND_AT + 9] = np.bincount(
            np.array(new, int), minlength=9
        )
    other[cards] = pool
    return other


@settings(max_examples=30)
@some_states
def test_guesses_are_states_that_look_the_same(players: int, seed: int, turn: int) -> None:
    """Counts add up, all that a seat sees stays, and the game can be finished."""
    state, _ = find_state(players, seed, turn)
    chooser = random.Random(seed)
    for seat in range(players):
        view, guessed = view_of(state, seat), []
        for _ in range(3):
            guess = view.copy()
            while rules.guesses(guess, seat):
                rules.guess(guess, seat, chooser.randrange(rules.OUTCOMES))
            check_cards(guess, players)
            check_tickets(guess, players)
            check_lines(guess, players)
            assert view_of(guess, seat).tolist() == view.tolist()
            guessed.append(tuple(guess.tolist()))
        assert len(set(guessed)) == 3
        guess = np.array(guessed[0])
        while moves := list_legal(guess):
            apply_move(guess, chooser.choice(moves))


@pytest.mark.parametrize("seats", [2, 5])
def test_guesses_spread_over_all_that_may_be(seats: int) -> None:
    """Where another's first ticket and the top card may be any that the seat does not see."""
    game = make_game("ticket-to-ride", seats=seats)
    state = game.initial(3)
    state = game.play(state, game.parse_move("keep_1_2"))
    view, chooser = np.array(game.view(state, 0).state), random.Random(1)
    tickets, cards = set(), set()
    for _ in range(300):
        guess = view.copy()
        while rules.guesses(guess, 0):
            rules.guess(guess, 0, chooser.randrange(rules.OUTCOMES))
        tickets.add(int(guess[layout.OFFERED_AT]))
        cards.add(int(guess[layout.DECK_AT + guess[layout.DECK_SIZE] - 1]))
    own = layout.player_at(0) + layout.TICKETS_AT
    assert tickets == set(range(30)) - set(view[own : own + 2])
    assert cards == set(range(9))
