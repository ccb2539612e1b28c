"""The deal and the moves of Ticket to Ride on a state's array, compiled.

Fields and numbers of moves are explained in :mod:`evolve_arena.games.ticket_to_ride.layout`; legal
moves are listed by :mod:`evolve_arena.games.ticket_to_ride.legality`; final points are counted by
:mod:`evolve_arena.games.ticket_to_ride.scoring`. Source: the published rules (Days of Wonder,
2004); details that they leave open are stated at the place of the decision.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    LINE_FROM,
    LINE_LENGTH,
    LINE_TO,
    LINE_TWIN,
    LOCOMOTIVE,
    TICKETS,
    length_points,
)
from evolve_arena.games.ticket_to_ride.cards import (
    CARDS_OF,
    State,
    discard,
    draw_card,
    lay_open_cards,
    refill_deck,
    shuffle,
    take_card,
    take_open_card,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    CLOSED_AT,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    FIRST_CARDS,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    LAST_SEAT,
    LAST_TRAINS,
    MAX_PLAYERS,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OFFERED_TICKETS,
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
    SECRETS,
    STATE_FIELDS,
    STREAM,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TRAINS_AT_START,
    TURN,
    player_at,
)

ONE = np.int64(1)


@compiled
def deal(players: int, state: State) -> None:
    """Deal to *players* seats, 2 to 5, from decks that follow from the state's own stream.

    The train deck is shuffled first, out of the order of colours, then the ticket deck. Each seat
    in turn gets four cards, five are laid open, and seat 0 is offered its first tickets.
    """
    rng = state[STREAM]
    _clear(players, state)
    state[STREAM] = rng
    for colour in range(LOCOMOTIVE + 1):
        discard(state, colour, CARDS_OF[colour])
    refill_deck(state)
    for ticket in range(TICKETS):
        state[TICKET_DECK_AT + ticket] = ticket
    state[TICKET_DECK_SIZE] = TICKETS
    shuffle(state, TICKET_DECK_AT, TICKETS)
    for seat in range(players):
        for _ in range(FIRST_CARDS):
            take_card(state, seat, draw_card(state))
    lay_open_cards(state)
    _offer_tickets(state)


@compiled
def apply_move(state: State, move: int) -> None:
    """Play a legal *move*: *state* is changed, phase and turn move on."""
    seat = state[TO_MOVE]
    if move == PASS:
        state[PASSES] += 1
        _end_turn(state)
        return
    state[PASSES] = 0
    if move < DRAW_DECK:
        _claim(state, seat, move // 9, move % 9)
        _end_turn(state)
    elif move < DRAW_TICKETS:
        _draw(state, seat, move)
    elif move == DRAW_TICKETS:
        state[PHASE] = KEEP
        _offer_tickets(state)
    else:
        _keep(state, seat, move - KEEP_TICKETS)


@compiled
def _clear(players: int, state: State) -> None:
    """Write a state before anything is dealt."""
    for field in range(STATE_FIELDS):
        state[field] = -1
    state[NUMBER_OF_PLAYERS] = players
    state[TO_MOVE] = 0
    state[PHASE] = KEEP_FIRST
    state[SECRETS] = 0
    state[ROUND] = 0
    state[LAST_SEAT] = -1
    state[PASSES] = 0
    state[DECK_SIZE] = 0
    state[DISCARD_SIZE] = 0
    state[TICKET_DECK_SIZE] = 0
    state[OFFERED_SIZE] = 0
    state[OPEN_SIZE] = 0
    for colour in range(LOCOMOTIVE + 1):
        state[DISCARD_AT + colour] = 0
    for seat in range(MAX_PLAYERS):
        at = player_at(seat)
        state[at + TRAINS] = TRAINS_AT_START
        state[at + POINTS] = 0
        state[at + CARDS] = 0
        state[at + HELD_TICKETS] = 0
        for colour in range(LOCOMOTIVE + 1):
            state[at + HAND_AT + colour] = 0
        for city in range(CITIES):
            state[at + PART_AT + city] = city
        for word in range(2):
            state[at + CLOSED_AT + word] = 0


@compiled
def _claim(state: State, seat: int, line: int, colour: int) -> None:
    """Pay for a line, take it, and count its points."""
    at = player_at(seat)
    length = LINE_LENGTH[line]
    paid = 0 if colour == LOCOMOTIVE else min(state[at + HAND_AT + colour], length)
    if paid:
        state[at + HAND_AT + colour] -= paid
        discard(state, colour, paid)
    state[at + HAND_AT + LOCOMOTIVE] -= length - paid
    discard(state, LOCOMOTIVE, length - paid)
    state[at + CARDS] -= length
    state[at + TRAINS] -= length
    state[at + POINTS] += length_points(length)
    state[OWNER_AT + line] = seat
    # Close the line for all, and its twin for those who may not take it.
    twin = LINE_TWIN[line]
    for other in range(state[NUMBER_OF_PLAYERS]):
        closed = player_at(other) + CLOSED_AT
        state[closed + (line >> 6)] |= ONE << (line & 63)
        if twin >= 0 and (other == seat or state[NUMBER_OF_PLAYERS] <= 3):
            state[closed + (twin >> 6)] |= ONE << (twin & 63)
    _join(state, at + PART_AT, LINE_FROM[line], LINE_TO[line])
    refill_deck(state)
    lay_open_cards(state)


@compiled
def _join(state: State, at: int, one: int, other: int) -> None:
    """Merge the parts in which two cities lie; the lowest city names the merged part."""
    low = min(state[at + one], state[at + other])
    high = max(state[at + one], state[at + other])
    if low == high:
        return
    for city in range(CITIES):
        if state[at + city] == high:
            state[at + city] = low


@compiled
def _draw(state: State, seat: int, move: int) -> None:
    """Take a card; the turn continues after the first, if a second can be taken."""
    colour = move - DRAW_OPEN
    if move == DRAW_DECK:
        take_card(state, seat, draw_card(state))
    else:
        take_open_card(state, colour)
        take_card(state, seat, colour)
        lay_open_cards(state)
    if state[PHASE] == SECOND_CARD or colour == LOCOMOTIVE or not _is_card_left(state):
        _end_turn(state)
    else:
        state[PHASE] = SECOND_CARD


@compiled
def _is_card_left(state: State) -> bool:
    """Return True if there is a card that may be the second of a turn."""
    if state[DECK_SIZE] > 0:
        return True
    for place in range(state[OPEN_SIZE]):
        if state[OPEN_AT + place] != LOCOMOTIVE:
            return True
    return False


@compiled
def _offer_tickets(state: State) -> None:
    """Offer up to three tickets from the top of their deck to the player to move."""
    size = state[TICKET_DECK_SIZE]
    offered = min(OFFERED_TICKETS, size)
    for place in range(OFFERED_TICKETS):
        state[OFFERED_AT + place] = state[TICKET_DECK_AT + place] if place < offered else -1
    for place in range(size):
        later = place + offered
        state[TICKET_DECK_AT + place] = state[TICKET_DECK_AT + later] if later < size else -1
    state[OFFERED_SIZE] = offered
    state[TICKET_DECK_SIZE] = size - offered


@compiled
def _keep(state: State, seat: int, mask: int) -> None:
    """Give the chosen tickets to a seat, the others to the bottom of their deck."""
    at = player_at(seat)
    for place in range(state[OFFERED_SIZE]):
        ticket = state[OFFERED_AT + place]
        if mask >> place & 1:
            state[at + TICKETS_AT + state[at + HELD_TICKETS]] = ticket
            state[at + HELD_TICKETS] += 1
        else:
            state[TICKET_DECK_AT + state[TICKET_DECK_SIZE]] = ticket
            state[TICKET_DECK_SIZE] += 1
        state[OFFERED_AT + place] = -1
    state[OFFERED_SIZE] = 0
    # Either the turn ends, or the next seat keeps first tickets, or the first turn begins.
    if state[PHASE] == KEEP:
        _end_turn(state)
    elif seat + 1 < state[NUMBER_OF_PLAYERS]:
        state[TO_MOVE] = seat + 1
        _offer_tickets(state)
    else:
        state[TO_MOVE] = 0
        state[PHASE] = TURN
        state[ROUND] = 1


@compiled
def _end_turn(state: State) -> None:
    """Pass the turn, begin the last round, or end the game."""
    seat = state[TO_MOVE]
    if state[LAST_SEAT] == seat or state[PASSES] == state[NUMBER_OF_PLAYERS]:
        state[PHASE] = OVER
        return
    if state[LAST_SEAT] < 0 and state[player_at(seat) + TRAINS] <= LAST_TRAINS:
        state[LAST_SEAT] = seat
    state[PHASE] = TURN
    state[TO_MOVE] = (seat + 1) % state[NUMBER_OF_PLAYERS]
    if state[TO_MOVE] == 0:
        state[ROUND] += 1
