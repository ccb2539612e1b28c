"""What a person means who types a move of Ticket to Ride, in whatever way it is clear."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
    ROUTES,
)
from evolve_arena.games.ticket_to_ride.drawing import name_route
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    HAND_AT,
    KEEP,
    KEEP_FIRST,
    KEEP_TICKETS,
    OWNER_AT,
    PASS,
    PHASE,
    SECOND_CARD,
    TO_MOVE,
    TRAINS,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.missing import open_lines
from evolve_arena.games.ticket_to_ride.moves import parse_route

State = NDArray[np.int64]
SPARE = {"claim", "with", "from", "to", "using", "paid", "in", "the", "build"}
"""Words between cities and colours that say nothing."""
SHORTENED = 40


def read_move(rules: TicketRules, state: State, legal: Sequence[int], text: str) -> int:
    """The one of the *legal* moves that *text* names.

    Understood are ``draw deck`` and ``deck``, ``draw red`` and ``red``, ``tickets``, ``keep 1 3``
    and ``1 3``, ``pass``, ``claim Dallas-Houston red`` with or without ``claim``, ``-`` and the
    colour, and beginnings of all names. ``line 2`` behind it is the second line of a route.

    Args:
        rules: The game's options.
        state: A state, or what who is to move sees of it.
        legal: The numbers of all legal moves.
        text: What was typed.

    Raises:
        IllegalMoveError: It names none, or several; the text says why.
    """
    words = re.findall(r"[a-z]+|[0-9]+", text.lower().replace(".", ""))
    if not words:
        raise IllegalMoveError(f"{_shorten(text)} is no move")
    if state[PHASE] in (KEEP_FIRST, KEEP):
        return _read_keep(legal, words, text)
    move = _read_draw(words)
    if move is None:
        if state[PHASE] == SECOND_CARD:
            raise IllegalMoveError("you have drawn a card, and may only draw another one")
        return _read_claim(rules, state, legal, words, text)
    if move not in legal:
        raise IllegalMoveError(_why_no_draw(state, move))
    return move


def _read_keep(legal: Sequence[int], words: Sequence[str], text: str) -> int:
    if words[0] == "all":
        return max(legal)
    digits = "".join(word for word in words if word.isdecimal())
    if not digits or [word for word in words if word.isalpha() and word not in ("keep", "and")]:
        raise IllegalMoveError(f"{_shorten(text)}: first say which tickets you keep: keep 1 2")
    mask = 0
    for digit in digits:
        mask |= 1 << int(digit) >> 1
    if KEEP_TICKETS + mask not in legal:
        fewest = min((move - KEEP_TICKETS).bit_count() for move in legal)
        most = (max(legal) - KEEP_TICKETS).bit_count()
        raise IllegalMoveError(f"keep from {fewest} to {most} of the tickets 1 to {most}")
    return KEEP_TICKETS + mask


def _read_draw(words: Sequence[str]) -> int | None:
    """A move that is no claim; None if the words name none."""
    rest = list(words[words[0] in ("draw", "take", "open") :])
    rest = [word for word in rest if word not in ("a", "an", "card", "open", "the", "from")]
    if not rest:
        return DRAW_DECK
    if len(rest) > 1:
        return None
    (word,) = rest
    for name, move in (("deck", DRAW_DECK), ("tickets", DRAW_TICKETS), ("pass", PASS)):
        if name.startswith(word):
            return move
    colour = _find_colour(word)
    return None if colour is None else DRAW_OPEN + colour


def _why_no_draw(state: State, move: int) -> str:
    if move == DRAW_DECK:
        return "no cards are left in the deck"
    if move == PASS:
        return "only who can do nothing else may pass"
    if move == DRAW_TICKETS:
        second = state[PHASE] == SECOND_CARD
        return "you have drawn a card already" if second else "no tickets are left"
    if move == DRAW_OPEN + LOCOMOTIVE and state[PHASE] == SECOND_CARD:
        return "an open locomotive may not be the second card"
    return f"no {COLOURS[move - DRAW_OPEN]} card lies open"


def _read_claim(
    rules: TicketRules, state: State, legal: Sequence[int], words: Sequence[str], text: str
) -> int:
    second = list(words[-2:]) == ["line", "2"]
    names = [word for word in words if word not in SPARE]
    if names[-2:-1] == ["line"]:
        names = names[:-2]
    colour = _find_colour(names[-1]) if len(names) > 2 else None
    routes = _find_routes(names if colour is None else names[:-1])
    if not routes and ("-" in text or text.lower().startswith("claim")):
        parse_route(" ".join(names if colour is None else names[:-1]))  # says which city is none
    if not routes:
        raise IllegalMoveError(f"{_shorten(text)} is neither a move nor a route")
    if len(routes) > 1:
        listed = _list_words([name_route(route) for route in routes])
        raise IllegalMoveError(f"{_shorten(text)} could be {listed}")
    (route,) = routes
    lines = open_lines(rules, state, int(state[TO_MOVE]), route)
    lines = [line for line in lines if not second or line > LINE_OF_ROUTE[route]]
    found = {}
    for move in reversed(legal):  # of two lines alike, the first is meant
        if move < DRAW_DECK and move // 9 in lines and colour in (None, move % 9):
            found[move % 9] = move
    if not found:
        raise IllegalMoveError(_why_no_claim(rules, state, route, colour))
    if len(found) > 1:
        listed = _list_words([COLOURS[paid] for paid in sorted(found)])
        raise IllegalMoveError(f"{name_route(route)} can be paid in {listed}: say which")
    return next(iter(found.values()))


def _find_routes(words: Sequence[str]) -> list[int]:
    """The routes whose two cities begin as *words* do, divided anywhere."""
    found = set()
    for cut in range(1, len(words)):
        begins = " ".join(words[:cut]), " ".join(words[cut:])
        for route in range(ROUTES):
            ends = [CITY_NAMES[ROUTE_FROM[route]], CITY_NAMES[ROUTE_TO[route]]]
            for one, other in (ends, ends[::-1]):
                if _begins(one, begins[0]) and _begins(other, begins[1]):
                    found.add(route)
    return sorted(found)


def _begins(city: str, text: str) -> bool:
    name = city.lower().replace(".", "")
    return name.startswith(text) or name.replace("saint", "st").startswith(text)


def _find_colour(word: str) -> int | None:
    near = [colour for colour, name in enumerate(COLOURS) if name.startswith(word)]
    return near[0] if len(near) == 1 and (len(word) > 2 or word == COLOURS[near[0]]) else None


def _why_no_claim(rules: TicketRules, state: State, route: int, colour: int | None) -> str:
    seat, name = int(state[TO_MOVE]), name_route(route)
    at, length = player_at(seat), int(ROUTE_LENGTH[route])
    lines = open_lines(rules, state, seat, route)
    if not lines:
        first = OWNER_AT + int(LINE_OF_ROUTE[route])
        owners = [int(owner) for owner in state[first : first + int(ROUTE_LINES[route])]]
        return f"{name} is yours already" if seat in owners else f"{name} is taken"
    if state[at + TRAINS] < length:
        return f"{name} takes {length} trains, and you have {state[at + TRAINS]}"
    kinds = dict.fromkeys(int(LINE_COLOUR[line]) for line in lines)
    needed = _list_words(["any one colour" if kind == GREY else COLOURS[kind] for kind in kinds])
    text = f"{name} takes {length} of {needed}, or locomotives"
    if colour is not None and colour != LOCOMOTIVE and not kinds.keys() & {colour, GREY}:
        return text
    hand = state[at + HAND_AT : at + HAND_AT + LOCOMOTIVE + 1]
    if colour is None or colour == LOCOMOTIVE:
        return f"{text}: you have too few"
    wild = int(hand[LOCOMOTIVE])
    held = f"{hand[colour]} {COLOURS[colour]} and {wild} locomotive{'s' * (wild != 1)}"
    return f"{text}: you have {held}"


def _list_words(words: Sequence[str]) -> str:
    """Such as "red, black or pink"."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _shorten(text: str) -> str:
    return repr(text if len(text) <= SHORTENED else f"{text[:SHORTENED]}…")
