"""Moves of Ticket to Ride in sentences: what everybody at the table sees of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import (
    COLOURS,
    LINE_ROUTE,
    LOCOMOTIVE,
    ROUTE_LENGTH,
    ROUTE_POINTS,
)
from evolve_arena.games.ticket_to_ride.drawing import name_route
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    KEEP_TICKETS,
    OFFERED_SIZE,
    PASS,
    TO_MOVE,
    player_at,
)


def tell_move(state: NDArray[np.int64], move: int) -> str:
    """What who is to move does, after his name: "claims Boston – New York with 2 red (2 points)".

    Args:
        state: The state before the move, with the mover's hand.
        move: Its number.
    """
    if move < DRAW_DECK:
        line, colour = divmod(move, 9)
        points = count_points(int(ROUTE_POINTS[LINE_ROUTE[line]]))
        paid = list_payment(state, int(state[TO_MOVE]), line, colour)
        return f"claims {name_route(int(LINE_ROUTE[line]))} with {paid} ({points})"
    if move == DRAW_DECK:
        return "draws from the deck"
    if move < DRAW_TICKETS:
        return f"takes {COLOURS[move - DRAW_OPEN]}"
    if move == DRAW_TICKETS:
        return "draws tickets"
    if move == PASS:
        return "passes"
    kept = (move - KEEP_TICKETS).bit_count()
    return f"keeps {kept} of {state[OFFERED_SIZE]} tickets"


def list_payment(state: NDArray[np.int64], seat: int, line: int, colour: int) -> str:
    """The cards that pay for a *line*: "2 red and 1 locomotive"."""
    length = int(ROUTE_LENGTH[LINE_ROUTE[line]])
    held = int(state[player_at(seat) + HAND_AT + colour])
    paid = length if colour == LOCOMOTIVE else min(length, held)
    parts = [(paid, colour), (length - paid, LOCOMOTIVE)]
    texts = [f"{count} {COLOURS[card]}" for count, card in parts if count]
    plural = (paid if colour == LOCOMOTIVE else length - paid) > 1
    return " and ".join(texts) + "s" * plural


def count_points(points: int) -> str:
    """Such as "1 point" or "15 points"."""
    return f"{points} point{'s' * (abs(points) != 1)}"
