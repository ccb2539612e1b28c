"""What a seat may know of a state of Ticket to Ride, on the state's array, compiled."""

from __future__ import annotations

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import LOCOMOTIVE, TICKETS
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_AT,
    HAND_AT,
    MOST_CARDS,
    MOST_PLAYERS,
    OFFERED_AT,
    OFFERED_TICKETS,
    STATE_FIELDS,
    STREAM,
    TICKET_DECK_AT,
    TICKETS_AT,
    TO_MOVE,
    player_at,
)


@compiled
def hide(state: State, seat: int, view: State) -> None:
    """Copies *state* to *view* without what *seat* may not know.

    Others' hands become 0, and others' tickets, both decks' cards, tickets offered to another and
    the random stream are blanked (-1; the stream 0). How many there are of each stays.
    """
    for field in range(STATE_FIELDS):
        view[field] = state[field]
    view[STREAM] = 0
    for place in range(MOST_CARDS):
        view[DECK_AT + place] = -1
    for place in range(TICKETS):
        view[TICKET_DECK_AT + place] = -1
    if state[TO_MOVE] != seat:
        for place in range(OFFERED_TICKETS):
            view[OFFERED_AT + place] = -1
    for other in range(MOST_PLAYERS):
        if other != seat:
            at = player_at(other)
            for colour in range(LOCOMOTIVE + 1):
                view[at + HAND_AT + colour] = 0
            for place in range(TICKETS):
                view[at + TICKETS_AT + place] = -1
