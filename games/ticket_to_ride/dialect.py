"""How programs that play Ticket to Ride are spoken to: a line of JSON for what a seat may see."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.games.ticket_to_ride.board import COLOURS, LINE_OF_ROUTE, ROUTE_LINES, ROUTES
from evolve_arena.games.ticket_to_ride.game import TicketToRide, find_fault
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_SIZE,
    DISCARD_AT,
    LAST_SEAT,
    PASSES,
    TICKET_DECK_SIZE,
)
from evolve_arena.games.ticket_to_ride.moves import route_name
from evolve_arena.games.ticket_to_ride.position import Position, describe_ticket
from evolve_arena.players.board.text_ui import BoardDialect
from evolve_arena.players.dialects import Limits

PHASES = ("keep first", "turn", "second card", "keep")
"""What the phases of a position that is not over are called, by number."""


class TicketDialect(BoardDialect):
    """A view as JSON, and a move as people write it."""

    answer: ClassVar[str] = "'move' and one of the legal moves"

    def greet(self, game: AnyGame, side: int, limits: Limits) -> str:
        """The options; how many play, and where it sits, is told with each view."""
        options = (f" {name}={value}" for name, value in game.options.items() if name != "players")
        return f"game {game.name}{''.join(options)}\n"

    def show(self, position: Position) -> str:  # type: ignore[override]
        """What the seat that is to move may know; see :func:`describe_view`."""
        return f"view {json.dumps(describe_view(position))}\n"

    def read(self, game: TicketToRide, position: Position, line: bytes) -> int | None:  # type: ignore[override]
        """The move of ``move claim Dallas-Houston red``."""
        found = re.fullmatch(rb"move[ \t]+([!-~][ -~]{0,80})", line.rstrip())
        if found is None:
            return None
        move = game.parse_move(found[1].decode("ascii"))
        if move not in game.legal_moves(position):
            raise IllegalMoveError(find_fault(game.rules, position, move))
        return move


def describe_view(position: Position) -> dict[str, Any]:
    """What the seat that is to move may know of a *position* that is not over, as JSON has it.

    Seats count from 0. Cards are counted by colour, those that there are. A ticket is named by its
    cities, and so is a route, with the seat that has claimed each of its one or two lines; routes
    of which no line is claimed are left out.
    """
    game = TicketToRide(**position.rules._asdict())
    seat, state = position.to_move, position.array
    discarded = state[DISCARD_AT : DISCARD_AT + len(COLOURS)].tolist()
    owners = [None if owner < 0 else owner for owner in position.owners]
    claimed = {}
    for route in range(ROUTES):
        lines = owners[LINE_OF_ROUTE[route] : LINE_OF_ROUTE[route] + ROUTE_LINES[route]]
        if lines.count(None) < len(lines):
            claimed[route_name(route)] = lines
    return {
        "seat": seat,
        "phase": PHASES[position.phase],
        "round": position.round,
        "last_seat": None if state[LAST_SEAT] < 0 else int(state[LAST_SEAT]),
        "passes": int(state[PASSES]),
        "seats": [
            {
                "trains": position.trains(other),
                "points": position.points(other),
                "cards": position.cards(other),
                "tickets": len(position.tickets(other)),
            }
            for other in range(position.players)
        ],
        "claimed": claimed,
        "open": list(position.open_cards),
        "deck": int(state[DECK_SIZE]),
        "discarded": {name: count for name, count in zip(COLOURS, discarded, strict=True) if count},
        "ticket_deck": int(state[TICKET_DECK_SIZE]),
        "hand": position.hand(seat),
        "tickets": [describe_ticket(ticket) for ticket in position.tickets(seat)],
        "offered": [describe_ticket(ticket) for ticket in position.offered],
        "moves": [game.format_move(move) for move in game.legal_moves(position)],
    }
