"""What a seat sees, and what it guesses of the rest."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride import rules
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DECK_SIZE,
    HAND_AT,
    HELD_TICKETS,
    OFFERED_AT,
    OFFERED_SIZE,
    SECRETS,
    STREAM,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    player_at,
)
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.games.ticket_to_ride.views import hide
from tests.games.ticket_to_ride.states import list_legal, play_game
from tests.games.ticket_to_ride.test_ticket_turns import check_cards, check_lines, check_tickets

some_states = given(st.integers(2, 5), st.integers(0, 2**64 - 1), st.integers(0, 150))


def view_of(state: Any, seat: int) -> Any:
    view = state.copy()
    hide(view, seat)
    return view


def find_state(players: int, seed: int, turn: int) -> tuple[Any, list[int]]:
    """A state of a random game after so many moves, or its last one but the end."""
    kept: tuple[Any, list[int]] = (None, [])
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
        assert view[SECRETS] == 2
        if state[TO_MOVE] == seat:
            assert list_legal(view) == moves
        other = change_hidden(state, seat, random.Random(seed))
        assert view_of(other, seat).tolist() == view.tolist()
        assert see(other, seat) == see(state, seat) == see(view, seat)


def see(state: Any, seat: int) -> list[int]:
    """What networks see, by a file of rules whose options are those of the default."""
    planes = np.zeros(2 * rules.PLANES, dtype=np.uint64)
    padded = state.copy()
    rules.see(padded, seat, planes)
    assert (padded == state).all()
    return [int(word) for word in planes]


def change_hidden(state: Any, seat: int, chooser: random.Random) -> Any:
    """The state with other cards and tickets wherever *seat* can't look."""
    other = state.copy()
    other[STREAM] = chooser.randrange(2**62)
    players = [player for player in range(int(state[0])) if player != seat]
    cards = list(range(DECK_AT, DECK_AT + int(state[DECK_SIZE])))
    tickets = list(range(TICKET_DECK_AT, TICKET_DECK_AT + int(state[TICKET_DECK_SIZE])))
    if state[TO_MOVE] != seat:
        tickets += range(OFFERED_AT, OFFERED_AT + int(state[OFFERED_SIZE]))
    pool = state[cards].tolist()
    for player in players:
        at = player_at(player)
        tickets += range(at + TICKETS_AT, at + TICKETS_AT + int(state[at + HELD_TICKETS]))
        for colour in range(9):
            pool += [colour] * int(state[at + HAND_AT + colour])
    other[tickets] = chooser.sample(state[tickets].tolist(), len(tickets))
    chooser.shuffle(pool)
    for player in players:
        at = player_at(player)
        new = [pool.pop() for _ in range(int(state[at + CARDS]))]
        other[at + HAND_AT : at + HAND_AT + 9] = np.bincount(np.array(new, int), minlength=9)
    other[cards] = pool
    return other


@settings(max_examples=30)
@some_states
def test_guesses_are_states_that_look_the_same(players: int, seed: int, turn: int) -> None:
    """Counts add up, all that a seat sees stays, and the game goes on to its end."""
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
    game: Any = make_game("ticket-to-ride", seats=seats)
    state = game.initial(3)
    state = game.play(state, game.parse_move("keep_1_2"))
    view, chooser = np.array(game.view(state, 0).state), random.Random(1)
    tickets, cards = set(), set()
    for _ in range(300):
        guess = view.copy()
        while rules.guesses(guess, 0):
            rules.guess(guess, 0, chooser.randrange(rules.OUTCOMES))
        tickets.add(int(guess[OFFERED_AT]))
        cards.add(int(guess[DECK_AT + guess[DECK_SIZE] - 1]))
    own = player_at(0) + TICKETS_AT
    assert tickets == set(range(30)) - set(view[own : own + 2])
    assert cards == set(range(9))


def test_what_a_seat_may_know_is_seen() -> None:
    game: Any = make_game("ticket-to-ride", seats=3)
    state = game.initial(4)
    for text in ("keep 1 2", "keep 1 2 3", "keep 2 3", "tickets"):
        state = game.play(state, game.parse_move(text))
    whole = state.state
    own, other = game.view(state, 0).state, game.view(state, 1).state
    assert own[OFFERED_AT : OFFERED_AT + 3] == whole[OFFERED_AT : OFFERED_AT + 3]
    assert other[OFFERED_AT : OFFERED_AT + 3] == (-1, -1, -1)
    for view, seat in ((own, 0), (other, 1)):
        for player in range(3):
            at = player_at(player)
            told = view[at : at + TICKETS_AT + 3]
            if player == seat:
                assert told == whole[at : at + TICKETS_AT + 3]
            else:
                assert told[:HAND_AT] == whole[at : at + HAND_AT]
                assert set(told[HAND_AT:TICKETS_AT]) == {0}
                assert set(told[TICKETS_AT:]) == {-1}
