"""The train cards of Ticket to Ride on a state's array, compiled: shuffles, draws, open cards.

How cards lie in a state is described in :mod:`evolve_arena.games.ticket_to_ride.layout`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import GOLDEN, mix
from evolve_arena.core.types import Number
from evolve_arena.games.ticket_to_ride.board import LOCOMOTIVE
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    HAND_AT,
    MAX_SWEEPS,
    OPEN_AT,
    OPEN_CARDS,
    OPEN_SIZE,
    STREAM,
    SWEPT_AT,
    player_at,
)

CARDS_OF = np.array([12] * LOCOMOTIVE + [14], dtype=np.int64)
"""Number of cards of each colour, and of locomotives."""

State = NDArray[np.int64]
"""An array of shape ``(STATE_FIELDS,)``; see :mod:`evolve_arena.games.ticket_to_ride.layout`."""


@compiled
def can_draw_cards(state: State) -> bool:
    """Return True if a player whose turn begins may take a card."""
    return bool(state[DECK_SIZE] > 0 or state[OPEN_SIZE] > 0)


@compiled
def shuffle(state: State, start: int, count: int) -> None:
    """Shuffle the *count* fields from *start* with the state's own stream (Fisher and Yates).

    Args:
        state: State, changed in place, its random stream included.
        start: Index of the first of these fields.
        count: Number of fields.
    """
    for place in range(count - 1, 0, -1):
        other = draw_state(state, place + 1)
        kept = state[start + place]
        state[start + place] = state[start + other]
        state[start + other] = kept


@compiled
def refill_deck(state: State) -> None:
    """Make a new deck of the discarded cards if the deck is empty."""
    if state[DECK_SIZE] > 0 or state[DISCARD_SIZE] == 0:
        return
    size = 0
    for colour in range(LOCOMOTIVE + 1):
        for _ in range(state[DISCARD_AT + colour]):
            state[DECK_AT + size] = colour
            size += 1
        state[DISCARD_AT + colour] = 0
    state[DECK_SIZE] = size
    state[DISCARD_SIZE] = 0
    shuffle(state, DECK_AT, size)


@compiled
def draw_card(state: State) -> int:
    """Take the top card off the deck, which must not be empty, and return its colour.

    If that empties the deck, it is made anew at once from the discarded cards, if any.
    """
    size = state[DECK_SIZE] - 1
    colour = state[DECK_AT + size]
    state[DECK_AT + size] = -1
    state[DECK_SIZE] = size
    if size == 0:
        refill_deck(state)
    return int(colour)


@compiled
def discard(state: State, colour: int, count: int) -> None:
    """Add *count* cards to the discarded ones.

    Args:
        state: State, changed in place.
        colour: Colour of the cards, 0 to 7, or 8 for locomotives.
        count: Number of cards.
    """
    state[DISCARD_AT + colour] += count
    state[DISCARD_SIZE] += count


@compiled
def take_card(state: State, seat: int, colour: int) -> None:
    """Put a card into the hand of *seat*.

    Args:
        state: State, changed in place.
        seat: Player who takes the card, counted from 0.
        colour: Colour of the card, 0 to 7, or 8 for a locomotive; if negative, the colour is
            unknown, and the card is only counted.
    """
    at = player_at(seat)
    if colour >= 0:  # a card from a hidden deck has no known colour
        state[at + HAND_AT + colour] += 1
    state[at + CARDS] += 1


@compiled
def take_open_card(state: State, colour: int) -> None:
    """Remove the first open card of a *colour*; later ones move up, the last place is free."""
    size = state[OPEN_SIZE] - 1
    place = 0
    while state[OPEN_AT + place] != colour:
        place += 1
    for later in range(place, size):
        state[OPEN_AT + later] = state[OPEN_AT + later + 1]
    state[OPEN_AT + size] = -1
    state[OPEN_SIZE] = size


@compiled
def lay_open_cards(state: State) -> None:
    """Lay cards from the deck until five lie open or none is left.

    If three of them are locomotives, all open cards are discarded and new ones laid, repeatedly;
    but not if fewer than three other cards are left outside of hands, and no more than MAX_SWEEPS
    times, since either could repeat forever (the published rules are silent). Open cards are
    checked only after new ones have been laid.
    """
    sweeps = 0
    while state[OPEN_SIZE] < OPEN_CARDS and state[DECK_SIZE] > 0:
        while state[OPEN_SIZE] < OPEN_CARDS and state[DECK_SIZE] > 0:
            state[OPEN_AT + state[OPEN_SIZE]] = draw_card(state)
            state[OPEN_SIZE] += 1
        if sweeps < MAX_SWEEPS and _must_sweep(state):
            sweeps += 1
            for place in range(state[OPEN_SIZE]):
                discard(state, state[OPEN_AT + place], 1)
                state[OPEN_AT + place] = -1
            state[OPEN_SIZE] = 0
            refill_deck(state)


@compiled
def _must_sweep(state: State) -> bool:
    """Return True if three open cards are locomotives, and three cards outside of hands are not."""
    size = state[OPEN_SIZE]
    locomotives = 0
    for place in range(size):
        if state[OPEN_AT + place] == LOCOMOTIVE:
            locomotives += 1
    if locomotives < SWEPT_AT:
        return False
    others = size - locomotives + state[DISCARD_SIZE] - state[DISCARD_AT + LOCOMOTIVE]
    for place in range(state[DECK_SIZE]):
        if state[DECK_AT + place] != LOCOMOTIVE:
            others += 1
    return bool(others > OPEN_CARDS - SWEPT_AT)


@inlined
def draw_state(state: State, count: int) -> Number:
    """Return a random integer from 0 to *count* - 1 from the state's own stream.

    It is :func:`evolve_arena.core.rng.below` on a stream that lies in the field STREAM.
    """
    word = np.uint64(state[STREAM]) + GOLDEN
    state[STREAM] = np.int64(word)
    return np.int64(((mix(word) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
