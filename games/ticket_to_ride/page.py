"""How a page draws Ticket to Ride."""

from __future__ import annotations

from functools import cache
from typing import Any

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_COLOUR,
    LINE_LENGTH,
    LINE_ROUTE,
    LINES,
)
from evolve_arena.games.ticket_to_ride.drawing import name_route
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import DECK_SIZE, DRAW_DECK, TICKET_DECK_SIZE
from evolve_arena.games.ticket_to_ride.position import Position, describe_ticket
from evolve_arena.players.board_paths import tell_apart
from evolve_arena.players.board_view import BoardView


class TicketBoard(BoardView):
    """The map, whose cells are the lines; a claimed line is a piece on it."""

    game: TicketToRide

    def layout(self) -> dict[str, Any]:
        """Cities and lines; a unit is an inch of the map on paper."""
        return {
            **draw_map(),
            "sides": self.sides(),
            "signs": {
                f"{seat}:0": {"name": f"{side}'s trains", "mark": ""}
                for seat, side in enumerate(self.sides())
            },
            "labels": [],
        }

    def draw(self, position: Position, seat: int) -> dict[str, Any]:
        """Who has claimed what, and what *seat* knows of cards and tickets."""
        seen = self.game.view(position, seat)
        owners = seen.owners
        return {
            "pieces": [[line, owner, 0] for line, owner in enumerate(owners) if owner >= 0],
            "panels": _list_panels(seen, seat, self.sides()),
            "to_move": seen.to_move,
        }

    def find_paths(self, position: Position, moves: list[int]) -> list[list[int]]:
        """The line that a move claims, if it can be paid for in one way only."""
        return tell_apart([[move // 9] if move < DRAW_DECK else [] for move in moves])


@cache
def draw_map() -> dict[str, Any]:
    """The part of the layout that is the same in all games."""
    from evolve_arena.games.ticket_to_ride.plot_board import (
        LINE_COLOURS,
        MAP_HEIGHT,
        MAP_WIDTH,
        city_places,
        line_cars,
    )

    def place(x: float, y: float) -> list[float]:
        return [round(float(x), 2), round(float(MAP_HEIGHT - y), 2)]

    points = [place(*city) for city in city_places()]
    lines = []
    for line in range(LINES):
        bands = line_cars(line, 0.0)
        middles = [band[: len(band) // 2] for band in bands]
        lines.append([place(*end) for band in middles for end in (band[0], band[-1])])
    return {
        "kind": "map",
        "width": MAP_WIDTH,
        "height": round(float(MAP_HEIGHT), 2),
        "points": [
            {"x": x, "y": y, "name": name} for (x, y), name in zip(points, CITY_NAMES, strict=True)
        ],
        "cells": [
            {
                "line": lines[line],
                "name": name_route(int(LINE_ROUTE[line])),
                "colour": LINE_COLOURS[LINE_COLOUR[line]],
                "length": int(LINE_LENGTH[line]),
            }
            for line in range(LINES)
        ],
    }


def _list_panels(seen: Position, seat: int, names: list[str]) -> list[dict[str, Any]]:
    """What *seat* knows beside the map."""
    state = seen.array
    tickets = [
        describe_ticket(ticket) + (", done" if seen.is_done(seat, ticket) else "")
        for ticket in seen.tickets(seat)
    ]
    everybody = [
        f"{name}: {seen.points(other)} points, {seen.trains(other)} trains,"
        f" {seen.cards(other)} cards, {len(seen.tickets(other))} tickets"
        for other, name in enumerate(names)
    ]
    decks = f"{state[DECK_SIZE]} cards in the deck, {state[TICKET_DECK_SIZE]} tickets"
    panels = [
        {"title": "Your cards", "lines": [f"{n} {c}" for c, n in seen.hand(seat).items()]},
        {"title": "Your tickets", "lines": tickets},
        {"title": "Market", "lines": [", ".join(seen.open_cards) or "nothing", decks]},
        {"title": "Players", "lines": everybody},
    ]
    if seen.to_move == seat and seen.offered:
        offered = [
            f"{number} {describe_ticket(ticket)}" for number, ticket in enumerate(seen.offered, 1)
        ]
        panels.insert(0, {"title": "Offered tickets", "lines": offered})
    return panels
