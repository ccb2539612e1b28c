"""Which moves of Ticket to Ride are legal, on a state's array, compiled.

How moves are numbered is told in :mod:`evolve_arena.games.ticket_to_ride.layout`; they are played
in :mod:`evolve_arena.games.ticket_to_ride.rules`. Source: the published rules (Days of Wonder,
2004).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_LENGTH,
    LINE_TWIN,
    LINES,
    LOCOMOTIVE,
    PINK_LINE,
)
from evolve_arena.games.ticket_to_ride.cards import State, can_draw_cards
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_SIZE,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    KEEP,
    KEEP_AT_START,
    KEEP_FIRST,
    KEEP_LATER,
    KEEP_TICKETS,
    NUMBER_OF_PLAYERS,
    OFFERED_SIZE,
    OFFERED_TICKETS,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PASS,
    PHASE,
    SECOND_CARD,
    TICKET_DECK_SIZE,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)


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


@compiled
def _list_keeps(state: State, moves: NDArray[np.int64]) -> int:
    count = 0
    for mask in range(1, 1 << OFFERED_TICKETS):
        if _is_keep(state, KEEP_TICKETS + mask):
            moves[count] = KEEP_TICKETS + mask
            count += 1
    return count


@compiled
def _is_keep(state: State, move: int) -> bool:
    """Whether a move keeps tickets that are offered, and enough of them."""
    mask = move - KEEP_TICKETS
    if mask < 1 or mask >= 1 << state[OFFERED_SIZE]:
        return False
    kept = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1)
    return kept >= (KEEP_AT_START if state[PHASE] == KEEP_FIRST else KEEP_LATER)


@compiled
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


@compiled
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
