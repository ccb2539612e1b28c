"""Views of a game of Ticket to Ride for people: a text, a map, and panels of information."""

from __future__ import annotations

import json
import textwrap
from functools import cache
from importlib import resources

from evolve_arena.core.types import JsonObject
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    LINE_ROUTE,
    LINES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    HAND_AT,
    HELD_TICKETS,
    KEEP,
    KEEP_FIRST,
    LAST_SEAT,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PART_AT,
    PHASE,
    POINTS,
    ROUND,
    SECOND_CARD,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.games.ticket_to_ride.moves import route_name

WIDTH = 79
"""Columns of a terminal."""
NO_BREAK = "\xa0"
_TASKS = {
    KEEP_FIRST: "keeps at least two of",
    TURN: "begins a turn",
    SECOND_CARD: "may take a second card",
    KEEP: "keeps at least one of",
    OVER: "the game has ended",
}


@cache
def draw_map() -> JsonObject:
    """Return the map of `PageBoard.layout`: cities, and places for the cars of each line."""
    text = resources.files(__package__).joinpath("data/map.json").read_text("utf-8")
    layout: JsonObject = json.loads(text)
    return layout


def describe_ticket(ticket: int) -> str:
    """Return the two cities of a ticket, and its points.

    >>> describe_ticket(0)
    'Atlanta-Montreal (9)'
    """
    ends = f"{CITY_NAMES[TICKET_FROM[ticket]]}-{CITY_NAMES[TICKET_TO[ticket]]}"
    return f"{ends} ({TICKET_POINTS[ticket]})"


def describe(state: State) -> str:
    """Return a *state*, or the part of it that a seat may know, for a terminal of 80 columns."""
    lines = textwrap.wrap(_describe_turn(state), WIDTH, subsequent_indent="  ")
    for seat in range(state[NUMBER_OF_PLAYERS]):
        lines.append(f"player {seat + 1}: {_count_up(state, seat)}")
        for title, told in (
            ("cards", list_cards(state, seat)),
            ("tickets", list_tickets(state, seat)),
            ("routes", list_routes(state, seat)),
        ):
            if told:
                text = f"  {title}: {', '.join(each.replace(' ', NO_BREAK) for each in told)}"
                wrapped = textwrap.wrap(
                    text, WIDTH, subsequent_indent="    ", break_on_hyphens=False
                )
                lines += [line.replace(NO_BREAK, " ") for line in wrapped]
    lines += [f"open: {', '.join(list_open(state)) or 'nothing'}", _describe_decks(state)]
    return "\n".join(lines)


def list_panels(state: State, seat: int) -> list[tuple[str, list[str]]]:
    """Return the information that a *seat* has beside the map, as titles and lines."""
    everybody = [
        f"player {other + 1}: {_count_up(state, other)}"
        for other in range(state[NUMBER_OF_PLAYERS])
    ]
    offered = list_offered(state) if state[TO_MOVE] == seat else []
    return [
        *([("Offered tickets", offered)] if offered else []),
        ("Your cards", list_cards(state, seat)),
        ("Your tickets", list_tickets(state, seat)),
        ("Market", [", ".join(list_open(state)) or "nothing", _describe_decks(state)]),
        ("Players", everybody),
    ]


def list_cards(state: State, seat: int) -> list[str]:
    """Return the cards of a *seat* by colour, or none where they are hidden."""
    at = player_at(seat) + HAND_AT
    return [
        f"{state[at + colour]} {name}" for colour, name in enumerate(COLOURS) if state[at + colour]
    ]


def list_tickets(state: State, seat: int) -> list[str]:
    """Return the tickets of a *seat*, in the order taken, or none where they are hidden."""
    player = player_at(seat)
    held = state[player + TICKETS_AT : player + TICKETS_AT + state[player + HELD_TICKETS]]
    return [
        describe_ticket(ticket) + (", done" if _is_done(state, seat, ticket) else "")
        for ticket in held
        if ticket >= 0
    ]


def list_routes(state: State, seat: int) -> list[str]:
    """Return the routes of which a *seat* has claimed a line."""
    return [route_name(int(LINE_ROUTE[k])) for k in range(LINES) if state[OWNER_AT + k] == seat]


def list_open(state: State) -> list[str]:
    """Return the colours of the open cards, the oldest first."""
    cards = state[OPEN_AT : OPEN_AT + state[OPEN_SIZE]]
    return [COLOURS[card] if card >= 0 else "unknown" for card in cards]


def list_offered(state: State) -> list[str]:
    """Return the tickets on offer, with the numbers by which they are kept."""
    offered = state[OFFERED_AT : OFFERED_AT + state[OFFERED_SIZE]]
    return [
        f"{number} {describe_ticket(ticket) if ticket >= 0 else 'hidden'}"
        for number, ticket in enumerate(offered, start=1)
    ]


def _is_done(state: State, seat: int, ticket: int) -> bool:
    """Return True if the routes of a *seat* join the cities of a *ticket*."""
    at = player_at(seat) + PART_AT
    return bool(state[at + TICKET_FROM[ticket]] == state[at + TICKET_TO[ticket]])


def _count_up(state: State, seat: int) -> str:
    """Return the public figures of a *seat*."""
    trains, points, cards, tickets = (
        int(state[player_at(seat) + field]) for field in (TRAINS, POINTS, CARDS, HELD_TICKETS)
    )
    return f"{points} points, {trains} trains, {cards} cards, {tickets} tickets"


def _describe_decks(state: State) -> str:
    return (
        f"{state[DECK_SIZE]} cards in the deck, {state[DISCARD_SIZE]} discarded,"
        f" {state[TICKET_DECK_SIZE]} tickets left"
    )


def _describe_turn(state: State) -> str:
    if state[PHASE] == OVER:
        return f"round {state[ROUND]}: {_TASKS[OVER]}"
    last = " (the last round)" if state[LAST_SEAT] >= 0 else ""
    text = f"round {state[ROUND]}{last}: player {state[TO_MOVE] + 1} {_TASKS[int(state[PHASE])]}"
    offered = list_offered(state) if state[PHASE] in (KEEP_FIRST, KEEP) else []
    return text + (": " + ", ".join(offered) if offered else "")
