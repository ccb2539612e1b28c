"""The part of a state of Ticket to Ride that a seat may know, and deals of the rest, compiled."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import LOCOMOTIVE, TICKETS
from evolve_arena.games.ticket_to_ride.cards import CARDS_OF, State, shuffle
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DISCARD_AT,
    HAND_AT,
    HELD_TICKETS,
    MAX_CARDS,
    MAX_PLAYERS,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OFFERED_TICKETS,
    OPEN_AT,
    OPEN_SIZE,
    SECRETS,
    STREAM,
    TICKET_DECK_AT,
    TICKETS_AT,
    TO_MOVE,
    player_at,
)

ONE = np.int64(1)


@compiled
def hide(state: State, seat: int) -> None:
    """Blank everything that *seat* may not know in a *state*.

    Others' hands become 0, and others' tickets, both decks' cards, tickets offered to another and
    the random stream are blanked (-1; the stream 0). The numbers of cards and tickets stay.
    """
    state[STREAM] = 0
    state[SECRETS] = 2
    for place in range(MAX_CARDS):
        state[DECK_AT + place] = -1
    for place in range(TICKETS):
        state[TICKET_DECK_AT + place] = -1
    if state[TO_MOVE] != seat:
        for place in range(OFFERED_TICKETS):
            state[OFFERED_AT + place] = -1
    for other in range(MAX_PLAYERS):
        if other != seat:
            at = player_at(other)
            for colour in range(LOCOMOTIVE + 1):
                state[at + HAND_AT + colour] = 0
            for place in range(TICKETS):
                state[at + TICKETS_AT + place] = -1


@compiled
def deal_hidden(state: State, seat: int) -> None:
    """Deal anew, at random by the state's own stream, everything that :func:`hide` has blanked.

    Cards that lie nowhere else go to others' hands and to the deck, tickets to others, to an offer
    that *seat* does not see, and to their deck.
    """
    left = _gather_cards(state, seat)
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat:
            for _ in range(min(state[player_at(other) + CARDS], left)):
                left -= 1
                state[player_at(other) + HAND_AT + state[DECK_AT + left]] += 1
                state[DECK_AT + left] = -1
    left = _gather_tickets(state, seat)
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat:
            left = _deal_tickets(
                state, player_at(other), state[player_at(other) + HELD_TICKETS], left
            )
    if state[TO_MOVE] != seat:
        _deal_tickets(state, OFFERED_AT - TICKETS_AT, state[OFFERED_SIZE], left)


@compiled
def _gather_cards(state: State, seat: int) -> int:
    """Put all cards that *seat* can't see into the deck, shuffled; return their number."""
    left = 0
    for colour in range(LOCOMOTIVE + 1):
        hidden = CARDS_OF[colour] - state[DISCARD_AT + colour]
        hidden -= state[player_at(seat) + HAND_AT + colour]
        for place in range(state[OPEN_SIZE]):
            hidden -= state[OPEN_AT + place] == colour
        for _ in range(min(hidden, MAX_CARDS - left)):
            state[DECK_AT + left] = colour
            left += 1
    shuffle(state, DECK_AT, left)
    return left


@compiled
def _gather_tickets(state: State, seat: int) -> int:
    """Put all tickets that *seat* can't see into their deck, shuffled; return their number."""
    seen, own, left = np.int64(0), player_at(seat), 0
    for place in range(state[own + HELD_TICKETS]):
        seen |= ONE << state[own + TICKETS_AT + place]
    for place in range(state[OFFERED_SIZE] if state[TO_MOVE] == seat else 0):
        seen |= ONE << state[OFFERED_AT + place]
    for ticket in range(TICKETS):
        if not seen >> ticket & ONE:
            state[TICKET_DECK_AT + left] = ticket
            left += 1
    shuffle(state, TICKET_DECK_AT, left)
    return left


@compiled
def _deal_tickets(state: State, player: int, count: int, left: int) -> int:
    """Give the last *count* of *left* tickets to a *player*; return the number that remain."""
    for place in range(min(count, left)):
        left -= 1
        state[player + TICKETS_AT + place] = state[TICKET_DECK_AT + left]
        state[TICKET_DECK_AT + left] = -1
    return left
