"""What is wrong with a move of Ticket to Ride that is not legal, in half a sentence."""

from __future__ import annotations

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import COLOURS, LINE_ROUTE, LINE_TWIN
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    KEEP,
    KEEP_FIRST,
    MOVES,
    PASS,
    TURN,
    TicketRules,
)
from evolve_arena.games.ticket_to_ride.legality import can_claim, is_legal
from evolve_arena.games.ticket_to_ride.moves import format_move, route_name
from evolve_arena.games.ticket_to_ride.position import Position


def find_fault(rules: TicketRules, state: Position, move: int) -> str:
    """What is wrong with *move*, which may be any number, in a *state* that is not over."""
    name = name_of(move)
    if name != f"{move}" and 0 <= move < MOVES:
        return f"{name!r}: {_find_fault(rules, state, move)}"
    return f"no move has the number {move}"


def name_of(move: int) -> str:
    """The text of a move, or its number if it has none."""
    try:
        return format_move(move)
    except IllegalMoveError:
        return f"{move}"


def _find_fault(rules: TicketRules, state: Position, move: int) -> str:  # noqa: PLR0911
    if state.phase in (KEEP_FIRST, KEEP):
        least = "two" if state.phase == KEEP_FIRST else "one"
        return f"at least {least} of {len(state.offered)} offered tickets must be kept"
    if move == DRAW_DECK:
        return "the deck is empty"
    if DRAW_OPEN <= move < DRAW_TICKETS:
        if COLOURS[move - DRAW_OPEN] in state.open_cards:
            return "an open locomotive can't be the second card"
        return f"the open cards are {' '.join(state.open_cards) or 'all taken'}"
    if state.phase != TURN:
        return "the turn goes on with a second card"
    if move < DRAW_DECK:
        return _find_fault_of_claim(rules, state, move)
    if move == DRAW_TICKETS:
        return "no tickets are left"
    return "there is something else to do" if move == PASS else "no tickets are offered"


def _find_fault_of_claim(rules: TicketRules, state: Position, move: int) -> str:
    line, colour = divmod(move, 9)
    array = state.array.copy()
    if can_claim(rules, array, state.to_move, line):
        hand = ", ".join(f"{count} {name}" for name, count in state.hand(state.to_move).items())
        return f"the cards do not suffice: {hand or 'there are none'}"
    owner, twin = state.owners[line], int(LINE_TWIN[line])
    if owner < 0:
        return f"{route_name(int(LINE_ROUTE[line]))} is closed, or there are too few trains"
    taken = f"player {owner + 1} has claimed it"
    if twin >= 0 and is_legal(rules, array, 9 * twin + colour):
        return f"{taken}, but {format_move(9 * twin + colour)!r} is possible"
    return taken
