"""The legal moves of Ticket to Ride on a state's array, compiled.

The numbers of moves are explained in :mod:`evolve_arena.games.ticket_to_ride.layout`; moves are
played in :mod:`evolve_arena.games.ticket_to_ride.turns`. Source: the published rules (Days of
Wonder, 2004).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import lowest_bit
from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Number
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_LENGTH,
    LINES,
    LOCOMOTIVE,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    CLOSED_AT,
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
    OFFERED_SIZE,
    OFFERED_TICKETS,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    PASS,
    PHASE,
    SECOND_CARD,
    TICKET_DECK_SIZE,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)

LONGEST_LINE = 6
PAYABLE_LINES = np.array(
    [
        [
            [
                sum(
                    1 << line - 64 * word
                    for line in range(64 * word, min(64 * word + 64, LINES))
                    if LINE_COLOUR[line] == colour and LINE_LENGTH[line] <= cards
                )
                for word in range(2)
            ]
            for cards in range(LONGEST_LINE + 1)
        ]
        for colour in range(9)
    ],
    dtype=np.uint64,
)
"""The lines of each colour, or grey ones, that a number of cards pays for, as bits; shape ``(9, 7,
2)``."""
NONE, ONE = np.uint64(0), np.uint64(1)


@compiled
def list_moves(state: State, moves: NDArray[np.int64]) -> int:
    """Write the legal moves to *moves*, in ascending order, and return their number.

    *moves* has at least ``MOVES`` places. There is none once the game is over, else at least one.
    """
    phase = state[PHASE]
    if phase == OVER:
        return 0
    if phase in (KEEP_FIRST, KEEP):
        return _list_keeps(state, moves)
    count = _list_claims(state, moves) if phase == TURN else 0
    if state[DECK_SIZE] > 0:
        moves[count] = DRAW_DECK
        count += 1
    # Each colour of open cards is one move; a second card must not be a locomotive.
    open_colours = 0
    for place in range(state[OPEN_SIZE]):
        if state[OPEN_AT + place] >= 0:
            open_colours |= 1 << state[OPEN_AT + place]
    if phase == SECOND_CARD:
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
def can_claim(state: State) -> bool:
    """Return True if there is a line that the player to move may claim and can pay for."""
    return bool((_find_claims(state, 0) | _find_claims(state, 1)) != NONE)


@compiled
def _find_claims(state: State, word: int) -> Number:
    """Return the lines that can be claimed and paid for, as bits of one of two words."""
    player = player_at(state[TO_MOVE])
    hand, most = player + HAND_AT, 0
    locomotives, trains = state[hand + LOCOMOTIVE], min(state[player + TRAINS], LONGEST_LINE)
    lines = NONE
    for colour in range(LOCOMOTIVE):
        most = max(most, state[hand + colour])
        lines |= PAYABLE_LINES[colour, min(state[hand + colour] + locomotives, trains), word]
    lines |= PAYABLE_LINES[GREY, min(most + locomotives, trains), word]
    return lines & ~np.uint64(state[player + CLOSED_AT + word])


@compiled
def _list_claims(state: State, moves: NDArray[np.int64]) -> int:
    """Write the lines that can be claimed, with each way to pay, and return their number.

    A claim with a colour pays at least one card of it; colour 8 pays with locomotives alone.
    """
    hand, count = player_at(state[TO_MOVE]) + HAND_AT, 0
    locomotives = state[hand + LOCOMOTIVE]
    for word in range(2):
        left = _find_claims(state, word)
        while left:
            line = 64 * word + lowest_bit(left)
            left &= left - ONE
            length, colour = LINE_LENGTH[line], LINE_COLOUR[line]
            first, last = (0, LOCOMOTIVE) if colour == GREY else (colour, colour + 1)
            for paid in range(first, last):
                if state[hand + paid] > 0 and state[hand + paid] + locomotives >= length:
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
    """Return True if a move keeps tickets that are offered, and enough of them."""
    mask = move - KEEP_TICKETS
    if mask < 1 or mask >= 1 << state[OFFERED_SIZE]:
        return False
    kept = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1)
    return kept >= (KEEP_AT_START if state[PHASE] == KEEP_FIRST else KEEP_LATER)
