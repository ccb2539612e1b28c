"""The rules of Ticket to Ride on a state's array, compiled: dealing, legal moves, playing, hiding.

Where everything stands in a state and how moves are numbered is told in
:mod:`games.ticket_to_ride.layout`; final points are counted in
:mod:`games.ticket_to_ride.scoring`. Source: the published rules (Days of Wonder, 2004); what they
leave open is said where it is decided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.compiled import compiled, hidden
from games.ticket_to_ride.board import (
    CITIES,
    GREY,
    LINE_COLOUR,
    LINE_FROM,
    LINE_LENGTH,
    LINE_TO,
    LINE_TWIN,
    LINES,
    LOCOMOTIVE,
    PINK_LINE,
    TICKETS,
    length_points,
)
from games.ticket_to_ride.cards import (
    State,
    can_draw_cards,
    discard,
    draw_card,
    lay_open_cards,
    refill_deck,
    shuffle,
    take_card,
    take_open_card,
)
from games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
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
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    KEEP_TICKETS,
    LAST_SEAT,
    LAST_TRAINS,
    MOST_CARDS,
    MOST_PLAYERS,
    NUMBER_OF_PLAYERS,
    OFFENDER,
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
    STATE_FIELDS,
    STREAM,
    TICKET_DECK_AT,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TRAINS_AT_START,
    TURN,
    TicketRules,
    player_at,
)

__all__ = [
    "State",
    "apply_move",
    "can_claim",
    "can_draw_cards",
    "can_pay",
    "deal",
    "hide",
    "is_legal",
    "list_moves",
]

SWEEP = np.int64(1)
"""Open cards are swept; NumPy's number, since for a plain one all would be compiled again."""


@compiled
def deal(rules: TicketRules, players: int, seed: Any, state: State) -> None:
    """Fills *state* for so many *players*, 2 to 5, with decks that follow from *seed*.

    *seed* is a ``uint64``. The train deck is shuffled first, out of the order of colours, then
    the ticket deck, both from one stream. Each seat in turn gets four cards, five are laid open,
    and seat 0 is offered its first tickets. ``rules.players`` is not looked at.
    """
    _clear(players, state)
    state[STREAM] = np.int64(seed)
    per_colour = 12 if rules.cards == 110 else 10
    for colour in range(LOCOMOTIVE + 1):
        discard(state, colour, per_colour + 2 * (colour == LOCOMOTIVE))
    refill_deck(state)
    for ticket in range(TICKETS):
        state[TICKET_DECK_AT + ticket] = ticket
    state[TICKET_DECK_SIZE] = TICKETS
    shuffle(state, TICKET_DECK_AT, TICKETS)
    for seat in range(players):
        for _ in range(FIRST_CARDS):
            take_card(state, seat, draw_card(state))
    lay_open_cards(state, rules.sweep_first)
    _offer_tickets(state)


@compiled
def list_moves(rules: TicketRules, state: State, moves: NDArray[np.int64]) -> int:
    """Writes the legal moves to *moves*, in ascending order, and gives their number.

    *moves* has at least ``MOVES`` places. There is none once the game is over, else at least one.
    """
    phase = state[PHASE]
    if phase == OVER:
        return 0
    if phase in (KEEP_FIRST, KEEP):
        return _list_keeps(state, moves)
    count = _list_claims(rules, state, moves) if phase == TURN else 0
    if state[DECK_SIZE] > 0:
        moves[count] = DRAW_DECK
        count += 1
    open_colours = 0
    for place in range(state[OPEN_SIZE]):
        open_colours |= 1 << state[OPEN_AT + place]
    if phase == SECOND_CARD and not rules.second_locomotive:
        open_colours &= ~(1 << LOCOMOTIVE)
    for colour in range(LOCOMOTIVE + 1):
        if open_colours >> colour & 1:
            moves[count] = DRAW_OPEN + colour
            count += 1
    if phase == TURN:
        if state[TICKET_DECK_SIZE] > 0:
            moves[count] = DRAW_TICKETS
            count += 1
        if count == 0:
            moves[0] = PASS
            count = 1
    return count


@compiled
def is_legal(rules: TicketRules, state: State, move: int) -> bool:  # noqa: PLR0911
    """Whether the rules allow the *move*, which may be any integer."""
    phase = state[PHASE]
    if phase == OVER or move < 0 or move > PASS:
        return False
    if phase in (KEEP_FIRST, KEEP):
        return _is_keep(state, move)
    if DRAW_DECK <= move < DRAW_TICKETS:
        return _is_draw(rules, state, move)
    if phase != TURN:
        return False
    if move < DRAW_DECK:
        seat, line = state[TO_MOVE], move // 9
        return can_claim(rules, state, seat, line) and can_pay(state, seat, line, move % 9)
    if move == DRAW_TICKETS:
        return bool(state[TICKET_DECK_SIZE] > 0)
    return bool(move == PASS and not _can_act(rules, state))


@compiled
def apply_move(rules: TicketRules, state: State, move: int) -> None:
    """Plays a *move* that must be legal: *state* is changed, phase and turn move on."""
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
        _draw(rules, state, seat, move)
    elif move == DRAW_TICKETS:
        state[PHASE] = KEEP
        _offer_tickets(state)
    else:
        _keep(state, seat, move - KEEP_TICKETS)


@compiled
def can_claim(rules: TicketRules, state: State, seat: int, line: int) -> bool:
    """Whether *line* may be claimed by *seat* if its cards suffice.

    It is free, the trains suffice, and if it is one of a double route, the seat has not claimed
    the other, nor with two or three players has anybody.
    """
    if state[OWNER_AT + line] >= 0 or state[player_at(seat) + TRAINS] < LINE_LENGTH[line]:
        return False
    twin = LINE_TWIN[line]
    if twin < 0:
        return True
    if line == PINK_LINE and not rules.pink_line:
        return False
    owner = state[OWNER_AT + twin]
    return bool(owner < 0 or (owner != seat and state[NUMBER_OF_PLAYERS] > 3))


@compiled
def can_pay(state: State, seat: int, line: int, colour: int) -> bool:
    """Whether the hand of *seat* pays for *line* with cards of *colour*, then locomotives.

    With a colour below 8 at least one card of it has to be paid; 8 are locomotives alone.
    """
    at = player_at(seat) + HAND_AT
    if colour == LOCOMOTIVE:
        return bool(state[at + LOCOMOTIVE] >= LINE_LENGTH[line])
    if LINE_COLOUR[line] not in (GREY, colour) or state[at + colour] == 0:
        return False
    return bool(state[at + colour] + state[at + LOCOMOTIVE] >= LINE_LENGTH[line])


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


@hidden
def _clear(players: int, state: State) -> None:
    """A state before anything is dealt."""
    for field in range(STATE_FIELDS):
        state[field] = -1
    state[NUMBER_OF_PLAYERS] = players
    state[TO_MOVE] = 0
    state[PHASE] = KEEP_FIRST
    state[ROUND] = 0
    state[LAST_SEAT] = -1
    state[PASSES] = 0
    state[OFFENDER] = -1
    state[DECK_SIZE] = 0
    state[DISCARD_SIZE] = 0
    state[TICKET_DECK_SIZE] = 0
    state[OFFERED_SIZE] = 0
    state[OPEN_SIZE] = 0
    for colour in range(LOCOMOTIVE + 1):
        state[DISCARD_AT + colour] = 0
    for seat in range(MOST_PLAYERS):
        at = player_at(seat)
        state[at + TRAINS] = TRAINS_AT_START
        state[at + POINTS] = 0
        state[at + CARDS] = 0
        state[at + HELD_TICKETS] = 0
        for colour in range(LOCOMOTIVE + 1):
            state[at + HAND_AT + colour] = 0
        for city in range(CITIES):
            state[at + PART_AT + city] = city


@hidden
def _list_claims(rules: TicketRules, state: State, moves: NDArray[np.int64]) -> int:
    """Writes the lines that can be claimed, with each way to pay."""
    seat = state[TO_MOVE]
    at = player_at(seat) + HAND_AT
    locomotives = state[at + LOCOMOTIVE]
    most = 0
    for colour in range(LOCOMOTIVE):
        most = max(most, state[at + colour])
    longest = min(most + locomotives, state[player_at(seat) + TRAINS])
    count = 0
    for line in range(LINES):
        length = LINE_LENGTH[line]
        if length > longest or not can_claim(rules, state, seat, line):
            continue
        colour = LINE_COLOUR[line]
        if colour != GREY:
            if state[at + colour] > 0 and state[at + colour] + locomotives >= length:
                moves[count] = 9 * line + colour
                count += 1
        else:
            for paid in range(LOCOMOTIVE):
                if state[at + paid] > 0 and state[at + paid] + locomotives >= length:
                    moves[count] = 9 * line + paid
                    count += 1
        if locomotives >= length:
            moves[count] = 9 * line + LOCOMOTIVE
            count += 1
    return count


@hidden
def _list_keeps(state: State, moves: NDArray[np.int64]) -> int:
    count = 0
    for mask in range(1, 1 << OFFERED_TICKETS):
        if _is_keep(state, KEEP_TICKETS + mask):
            moves[count] = KEEP_TICKETS + mask
            count += 1
    return count


@hidden
def _is_keep(state: State, move: int) -> bool:
    """Whether a move keeps tickets that are offered, and enough of them."""
    mask = move - KEEP_TICKETS
    if mask < 1 or mask >= 1 << state[OFFERED_SIZE]:
        return False
    kept = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1)
    return kept >= (KEEP_AT_START if state[PHASE] == KEEP_FIRST else KEEP_LATER)


@hidden
def _is_draw(rules: TicketRules, state: State, move: int) -> bool:
    """Whether the card that a move takes may be taken now."""
    if move == DRAW_DECK:
        return bool(state[DECK_SIZE] > 0)
    colour = move - DRAW_OPEN
    if state[PHASE] == SECOND_CARD and colour == LOCOMOTIVE and not rules.second_locomotive:
        return False
    found = False
    for place in range(state[OPEN_SIZE]):
        found |= state[OPEN_AT + place] == colour
    return found


@hidden
def _can_act(rules: TicketRules, state: State) -> bool:
    """Whether who begins a turn can do anything but pass."""
    if can_draw_cards(state) or state[TICKET_DECK_SIZE] > 0:
        return True
    seat = state[TO_MOVE]
    for line in range(LINES):
        if can_claim(rules, state, seat, line):
            for colour in range(LOCOMOTIVE + 1):
                if can_pay(state, seat, line, colour):
                    return True
    return False


@hidden
def _claim(state: State, seat: int, line: int, colour: int) -> None:
    """Pays for a line, takes it, and counts its points."""
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
    _join(state, at + PART_AT, LINE_FROM[line], LINE_TO[line])
    refill_deck(state)
    lay_open_cards(state, SWEEP)


@hidden
def _join(state: State, at: int, one: int, other: int) -> None:
    """Makes one part of the two parts in which two cities lie; the lowest city names it."""
    low = min(state[at + one], state[at + other])
    high = max(state[at + one], state[at + other])
    if low == high:
        return
    for city in range(CITIES):
        if state[at + city] == high:
            state[at + city] = low


@hidden
def _draw(rules: TicketRules, state: State, seat: int, move: int) -> None:
    """Takes a card; the turn goes on after the first, if a second can be taken."""
    colour = move - DRAW_OPEN
    if move == DRAW_DECK:
        take_card(state, seat, draw_card(state))
    else:
        take_open_card(state, colour)
        take_card(state, seat, colour)
        lay_open_cards(state, SWEEP)
    if state[PHASE] == SECOND_CARD or colour == LOCOMOTIVE or not _is_card_left(rules, state):
        _end_turn(state)
    else:
        state[PHASE] = SECOND_CARD


@hidden
def _is_card_left(rules: TicketRules, state: State) -> bool:
    """Whether there is a card that may be the second of a turn."""
    if state[DECK_SIZE] > 0:
        return True
    for place in range(state[OPEN_SIZE]):
        if rules.second_locomotive or state[OPEN_AT + place] != LOCOMOTIVE:
            return True
    return False


@hidden
def _offer_tickets(state: State) -> None:
    """Lays up to three tickets from the top of their deck before who is to move."""
    size = state[TICKET_DECK_SIZE]
    offered = min(OFFERED_TICKETS, size)
    for place in range(OFFERED_TICKETS):
        state[OFFERED_AT + place] = state[TICKET_DECK_AT + place] if place < offered else -1
    for place in range(size):
        later = place + offered
        state[TICKET_DECK_AT + place] = state[TICKET_DECK_AT + later] if later < size else -1
    state[OFFERED_SIZE] = offered
    state[TICKET_DECK_SIZE] = size - offered


@hidden
def _keep(state: State, seat: int, mask: int) -> None:
    """Gives the chosen tickets to a seat, the others to the bottom of their deck."""
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
    if state[PHASE] == KEEP:
        _end_turn(state)
    elif seat + 1 < state[NUMBER_OF_PLAYERS]:
        state[TO_MOVE] = seat + 1
        _offer_tickets(state)
    else:
        state[TO_MOVE] = 0
        state[PHASE] = TURN
        state[ROUND] = 1


@hidden
def _end_turn(state: State) -> None:
    """Hands the turn on, begins the last round, or ends the game."""
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
