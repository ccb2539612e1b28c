"""What a seat knows of Ticket to Ride, as an array of numbers whose places never change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import COLOURS, LINES, TICKETS
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    HAND_AT,
    HELD_TICKETS,
    LAST_SEAT,
    MOST_PLAYERS,
    NUMBER_OF_PLAYERS,
    OPEN_AT,
    OPEN_SIZE,
    OWNER_AT,
    PASSES,
    PHASE,
    POINTS,
    ROUND,
    TICKET_DECK_SIZE,
    TO_MOVE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.position import Position

_COUNTS = (NUMBER_OF_PLAYERS, ROUND, PHASE, PASSES, DECK_SIZE, DISCARD_SIZE, TICKET_DECK_SIZE)
_PUBLIC = (TRAINS, POINTS, CARDS, HELD_TICKETS)
OBSERVED = len(_COUNTS) + 2 + 3 * len(COLOURS) + 2 * TICKETS + LINES + MOST_PLAYERS * len(_PUBLIC)
"""How many numbers there are."""


def observe(view: Position, seat: int) -> NDArray[np.int16]:
    """The numbers of a *view* of *seat*, shape ``(OBSERVED,)``.

    In order: players; round; phase; passes in a row; cards in the deck; discarded; tickets in
    their deck; who is to move and whose next turn is the last, as seats counted on from the own,
    -1 for nobody (2); open cards by colour (9); discarded cards by colour (9); the own hand by
    colour (9); for each ticket 1 if it is offered (30), 1 if it is held and 2 if it is done, too
    (30); for each line its owner as a seat counted on from the own, -1 if it is free (100); for
    each seat, the own first, trains, points of routes, cards and tickets held, 0 for seats that
    nobody has (5 x 4).
    """
    state, players = view.array, view.players
    own = player_at(seat)
    parts = [
        state[list(_COUNTS)],
        _count_on(state[[TO_MOVE, LAST_SEAT]], seat, players),
        np.bincount(state[OPEN_AT : OPEN_AT + state[OPEN_SIZE]], minlength=len(COLOURS)),
        state[DISCARD_AT : DISCARD_AT + len(COLOURS)],
        state[own + HAND_AT : own + HAND_AT + len(COLOURS)],
        _tickets(view, seat),
        _count_on(state[OWNER_AT : OWNER_AT + LINES], seat, players),
    ]
    for step in range(MOST_PLAYERS):
        at = player_at((seat + step) % players)
        parts.append(state[[at + field for field in _PUBLIC]] * (step < players))
    return np.concatenate(parts).astype(np.int16)


def _count_on(seats: NDArray[np.int64], seat: int, players: int) -> NDArray[np.int64]:
    return np.where(seats < 0, -1, (seats - seat) % players)


def _tickets(view: Position, seat: int) -> NDArray[np.int64]:
    marks = np.zeros((2, TICKETS), dtype=np.int64)
    if view.to_move == seat:
        marks[0, list(view.offered)] = 1
    for ticket in view.tickets(seat):
        marks[1, ticket] = 2 if view.is_done(seat, ticket) else 1
    return marks.ravel()
