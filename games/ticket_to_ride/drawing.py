"""What a player of Ticket to Ride sees of the table, as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    GREY,
    LINE_COLOUR,
    LINE_LENGTH,
    LINE_ROUTE,
    LINES,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_POINTS,
    ROUTE_TO,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    DRAW_DECK,
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
    OWNER_AT,
    PHASE,
    POINTS,
    ROUND,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.missing import find_missing, open_lines

State = NDArray[np.int64]

CHIPS = (
    "48;5;160;38;5;231",  # red
    "48;5;27;38;5;231",  # blue
    "48;5;254;38;5;16",  # white
    "48;5;237;38;5;231",  # black
    "48;5;34;38;5;231",  # green
    "48;5;212;38;5;16",  # pink
    "48;5;208;38;5;16",  # orange
    "48;5;226;38;5;16",  # yellow
    "1;48;5;91;38;5;231",  # locomotive
)
"""Codes for terminals: the ground and the letters of each card."""
CODE = re.compile(r"\x1b\[[0-9;]*m")
INDENT = 16
"""Before the second line of a ticket's way."""

WIDTH = 80
"""Columns of a terminal that is not wide."""


def draw_table(
    rules: TicketRules,
    state: State,
    seat: int,
    names: Sequence[str] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Everything that *seat* knows: all players, open cards, the own hand and tickets.

    Args:
        rules: The game's options.
        state: A state, or what the seat sees of it.
        seat: Who looks.
        names: What players are called; "you" and "player 2" and so on if None.
        colour: Whether cards are drawn in colour, with codes that terminals understand.
    """
    count = int(state[NUMBER_OF_PLAYERS])
    called = names or ["you" if other == seat else f"player {other + 1}" for other in range(count)]
    lines = [_draw_heading(state), *_draw_players(state, seat, called), ""]
    slots = [int(state[OPEN_AT + place]) for place in range(state[OPEN_SIZE])]
    shown = " ".join(describe_card(card, colour=colour) for card in slots) or "none"
    lines.append(f"  open     {shown}")
    lines.append(
        f"  decks    {state[DECK_SIZE]} cards, {state[DISCARD_SIZE]} discarded;"
        f" {state[TICKET_DECK_SIZE]} tickets"
    )
    lines += _set_cards("  hand     ", _draw_hand(state, seat, colour) or ["empty"])
    return "\n".join(lines + _draw_tickets(rules, state, seat))


def describe_card(card: int, count: int = 0, *, colour: bool = False) -> str:
    """A card, or how many of a kind.

    >>> describe_card(0), describe_card(8, 2)
    ('[red]', '[2 locomotive]')
    """
    text = f"{count} {COLOURS[card]}" if count else COLOURS[card]
    return f"\x1b[{CHIPS[card]}m {text} \x1b[0m" if colour else f"[{text}]"


def list_claims(state: State, legal: Sequence[int], *, colour: bool = False) -> str:
    """The routes that can be claimed, one in each line, with the cards that pay for each.

    Args:
        state: A state, or what who is to move sees of it.
        legal: The numbers of all legal moves.
        colour: Whether cards are drawn in colour.
    """
    ways: dict[int, list[int]] = {}
    for move in legal:
        if move < DRAW_DECK:
            paid = ways.setdefault(int(LINE_ROUTE[move // 9]), [])
            paid += [move % 9] if move % 9 not in paid else []
    if not ways:
        return "You have the cards for no route."
    width = max(len(name_route(route)) for route in ways)
    lines = []
    for route in sorted(ways, key=lambda route: (-int(ROUTE_LENGTH[route]), name_route(route))):
        cards = [describe_card(card, colour=colour) for card in sorted(ways[route])]
        length, points = int(ROUTE_LENGTH[route]), int(ROUTE_POINTS[route])
        worth = f"{length} train{'s,' if length > 1 else ', '} {points:2} point{'s '[points == 1]}"
        begin = f"  {name_route(route):{width}}  {worth}  "
        lines += _set_cards(begin, cards)
    return "\n".join(lines)


def _set_cards(begin: str, cards: Sequence[str]) -> list[str]:
    """The *cards* after a *begin*, in as many lines as they take."""
    lines, free = [begin], WIDTH - len(begin)
    for number, card in enumerate(cards):
        size = len(CODE.sub("", card)) + 1
        if number and size > free:
            lines.append(" " * len(begin))
            free = WIDTH - len(begin)
        first = len(lines[-1]) == len(begin)
        lines[-1] += card if first else f" {card}"
        free -= size - first
    return lines


def list_claimed(state: State, names: Sequence[str]) -> str:
    """Who has claimed which routes; *names* are those of the players, seat by seat."""
    lines = []
    for seat, name in enumerate(names):
        owned = np.flatnonzero(state[OWNER_AT : OWNER_AT + LINES] == seat)
        routes = [f"{name_route(int(LINE_ROUTE[line]))} {LINE_LENGTH[line]}" for line in owned]
        text = f"{name}: {', '.join(routes) or 'no route'}"
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def name_route(route: int) -> str:
    """Its two cities: "Boston – New York"."""
    return f"{CITY_NAMES[ROUTE_FROM[route]]} – {CITY_NAMES[ROUTE_TO[route]]}"


def name_ticket(ticket: int) -> str:
    """Its two cities and its points: "Dallas – New York (11)"."""
    ends = f"{CITY_NAMES[TICKET_FROM[ticket]]} – {CITY_NAMES[TICKET_TO[ticket]]}"
    return f"{ends} ({TICKET_POINTS[ticket]})"


def _draw_heading(state: State) -> str:
    round_ = int(state[ROUND])
    text = f"Round {round_}" if round_ else "First tickets"
    return f"{text}: the last turns" if state[LAST_SEAT] >= 0 else text


def _draw_players(state: State, seat: int, names: Sequence[str]) -> list[str]:
    """A line for each player; a mark stands before whose turn it is."""
    width = max(6, *(len(name) for name in names))
    lines = [f"    {'':{width}}  points  trains  cards  tickets  routes"]
    for other, name in enumerate(names):
        at = player_at(other)
        routes = int(np.count_nonzero(state[OWNER_AT : OWNER_AT + LINES] == other))
        figures = (state[at + field] for field in (POINTS, TRAINS, CARDS, HELD_TICKETS))
        points, trains, cards, tickets = figures
        mark = ">" if state[TO_MOVE] == other else " "
        lines.append(
            f"  {mark} {name:{width}}  {points:6}  {trains:6}  {cards:5}  {tickets:7}  {routes:6}"
        )
    return lines


def _draw_hand(state: State, seat: int, colour: bool) -> list[str]:
    hand = state[player_at(seat) + HAND_AT :][: LOCOMOTIVE + 1]
    held = sorted((-int(count), card) for card, count in enumerate(hand) if count)
    held.sort(key=lambda item: item[1] == LOCOMOTIVE)
    return [describe_card(card, -count, colour=colour) for count, card in held]


def _draw_tickets(rules: TicketRules, state: State, seat: int) -> list[str]:
    """The tickets held, and those that are offered now."""
    at = player_at(seat)
    held = [int(state[at + TICKETS_AT + place]) for place in range(state[at + HELD_TICKETS])]
    lines = _list_tickets(rules, state, seat, "tickets", held, [""] * len(held))
    if state[PHASE] in (KEEP_FIRST, KEEP) and state[TO_MOVE] == seat:
        offered = [int(state[OFFERED_AT + place]) for place in range(state[OFFERED_SIZE])]
        numbers = [f"{number}: " for number in range(1, len(offered) + 1)]
        lines += _list_tickets(rules, state, seat, "offered", offered, numbers)
    return lines


def _list_tickets(
    rules: TicketRules,
    state: State,
    seat: int,
    heading: str,
    tickets: Sequence[int],
    numbers: Sequence[str],
) -> list[str]:
    lines: list[str] = []
    width = max((len(name_ticket(ticket)) for ticket in tickets), default=0)
    for ticket, number in zip(tickets, numbers, strict=True):
        way = _describe_way(rules, state, seat, ticket)
        begin = f"  {heading:8} {number}{name_ticket(ticket):{width}}  "
        lines += textwrap.wrap(way, WIDTH, initial_indent=begin, subsequent_indent=" " * INDENT)
        heading = ""
    return lines


def _describe_way(rules: TicketRules, state: State, seat: int, ticket: int) -> str:
    """Whether a ticket is done, and if not, what it needs."""
    way = find_missing(rules, state, seat, ticket)
    if way is None:
        return "cannot be done any more"
    if not way:
        return "done"
    trains = sum(int(ROUTE_LENGTH[leg.route]) for leg in way)
    short = bool(trains > state[player_at(seat) + TRAINS])
    text = f"lacks {trains}{', more than you have' * short}:"
    here = -1
    for leg in way:
        lines = open_lines(rules, state, seat, leg.route)
        kinds = dict.fromkeys(int(LINE_COLOUR[line]) for line in lines)
        colours = "/".join("any" if kind == GREY else COLOURS[kind] for kind in kinds)
        text += "" if leg.start == here else f"{';' * (here >= 0)} {CITY_NAMES[leg.start]}"
        text += f" –{ROUTE_LENGTH[leg.route]} {colours}– {CITY_NAMES[leg.end]}"
        here = leg.end
    return text
