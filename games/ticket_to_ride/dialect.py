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
    CARDS,
    DECK_SIZE,
    DISCARD_AT,
    HAND_AT,
    HELD_TICKETS,
    LAST_SEAT,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OWNER_AT,
    PASSES,
    PHASE,
    POINTS,
    ROUND,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    player_at,
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
    """What the seat that is to move may know of a *position* that is not over, as JSON has it."""
    game = TicketToRide(**position.rules._asdict())
    moves = [game.format_move(move) for move in game.legal_moves(position)]
    return {**tell_view(position.array.tolist()), "moves": moves}


def tell_view(state: list[int]) -> dict[str, Any]:
    """The same but for the moves, of the numbers of a *state*, as exported bots have it, too.

    Seats count from 0. Cards are counted by colour, those that there are. A ticket is named by its
    cities, and so is a route, with the seat that has claimed each of its one or two lines; routes
    of which no line is claimed are left out.
    """
    seat, colours = state[TO_MOVE], len(COLOURS)
    claimed = {}
    for route in range(ROUTES):
        first = OWNER_AT + int(LINE_OF_ROUTE[route])
        lines = [
            None if owner < 0 else owner for owner in state[first : first + ROUTE_LINES[route]]
        ]
        if lines.count(None) < len(lines):
            claimed[route_name(route)] = lines
    seats = []
    for other in range(state[NUMBER_OF_PLAYERS]):
        at = player_at(other)
        counts = {"trains": TRAINS, "points": POINTS, "cards": CARDS, "tickets": HELD_TICKETS}
        seats.append({name: state[at + place] for name, place in counts.items()})
    own = player_at(seat)
    held = state[own + TICKETS_AT : own + TICKETS_AT + state[own + HELD_TICKETS]]
    return {
        "seat": seat,
        "phase": PHASES[state[PHASE]],
        "round": state[ROUND],
        "last_seat": None if state[LAST_SEAT] < 0 else state[LAST_SEAT],
        "passes": state[PASSES],
        "seats": seats,
        "claimed": claimed,
        "open": [COLOURS[card] for card in state[OPEN_AT : OPEN_AT + state[OPEN_SIZE]]],
        "deck": state[DECK_SIZE],
        "discarded": count_cards(state[DISCARD_AT : DISCARD_AT + colours]),
        "ticket_deck": state[TICKET_DECK_SIZE],
        "hand": count_cards(state[own + HAND_AT : own + HAND_AT + colours]),
        "tickets": [describe_ticket(ticket) for ticket in held],
        "offered": [
            describe_ticket(ticket)
            for ticket in state[OFFERED_AT : OFFERED_AT + state[OFFERED_SIZE]]
        ],
    }


def count_cards(counts: list[int]) -> dict[str, int]:
    """Count the cards of each colour of which there are some."""
    return {COLOURS[colour]: count for colour, count in enumerate(counts) if count}
