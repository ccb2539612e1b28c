"""The moves of Ticket to Ride as texts: ``claim Dallas-Houston red``, ``draw deck``, ``keep 1 3``.

Each move has one text, which :func:`format_move` writes. :func:`parse_move` reads more: any case,
unique beginnings of names, cities in either order, and blanks where hyphens should be.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    GREY,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    LINE_TWIN,
    LOCOMOTIVE,
    ROUTE_FROM,
    ROUTE_LINES,
    ROUTE_TO,
    ROUTES,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CLAIM,
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    KEEP_TICKETS,
    OFFERED_TICKETS,
    PASS,
)

_ROUTE_OF = {
    frozenset((int(ROUTE_FROM[route]), int(ROUTE_TO[route]))): route for route in range(ROUTES)
}
MAX_WORDS = 6
"""Longest text of two cities: no name has more than three words."""
LIKE = 0.4
"""Least similarity of a word to a name, 0 to 1, for the name to be suggested."""
_WORDS = ("claim", "draw", "tickets", "keep", "pass")
_CITY_KEYS = tuple(re.sub(r"[^a-z ]", "", name.lower()) for name in CITY_NAMES)


def route_name(route: int) -> str:
    """Return the two cities of a route: ``Dallas-Houston``."""
    return f"{CITY_NAMES[ROUTE_FROM[route]]}-{CITY_NAMES[ROUTE_TO[route]]}"


def format_move(move: int) -> str:
    """Return the text of a move.

    A claim names the colour of its cards, ``locomotive`` if it is paid with these alone. If both
    lines of a double route can be paid with that colour, ``line 2`` stands for the second.

    Raises:
        IllegalMoveError: No move has that number.

    >>> format_move(900), format_move(915), format_move(918)
    ('draw deck', 'keep 1 3', 'pass')
    """
    if CLAIM <= move < DRAW_DECK:
        line, colour = divmod(move - CLAIM, 9)
        if colour in _payable(line):
            text = f"claim {route_name(int(LINE_ROUTE[line]))} {COLOURS[colour]}"
            return f"{text} line 2" if _is_second(line, colour) else text
    elif move == DRAW_DECK:
        return "draw deck"
    elif DRAW_OPEN <= move < DRAW_TICKETS:
        return f"draw {COLOURS[move - DRAW_OPEN]}"
    elif move == DRAW_TICKETS:
        return "tickets"
    elif KEEP_TICKETS < move < PASS:
        mask = move - KEEP_TICKETS
        kept = [str(place + 1) for place in range(OFFERED_TICKETS) if mask >> place & 1]
        return "keep " + " ".join(kept)
    elif move == PASS:
        return "pass"
    raise IllegalMoveError(f"no move has the number {move}")


def parse_move(text: str) -> int:
    """Return the move that *text* names.

    Raises:
        IllegalMoveError: It names none.

    >>> format_move(parse_move("CLAIM houston - dal red line 2"))
    'claim Dallas-Houston red line 2'
    >>> format_move(parse_move("draw loc"))
    'draw locomotive'
    """
    words = text.split()
    if not words:
        raise IllegalMoveError("no move: say claim, draw, tickets, keep or pass")
    word = _find(words[0], _WORDS, "move")
    rest = words[1:]
    if word == "claim":
        return _parse_claim(" ".join(rest), text)
    if word == "keep":
        return _parse_keep(rest)
    if word == "draw":
        return _parse_draw(rest)
    if rest:
        raise IllegalMoveError(f"{word!r} stands alone, without {' '.join(rest)[:20]!r}")
    return DRAW_TICKETS if word == "tickets" else PASS


def _parse_draw(words: Sequence[str]) -> int:
    if len(words) != 1:
        raise IllegalMoveError("draw what? deck, tickets, or the colour of an open card")
    name = _find(_singular(words[0]), ("deck", "tickets", *COLOURS), "card")
    if name == "deck":
        return DRAW_DECK
    return DRAW_TICKETS if name == "tickets" else DRAW_OPEN + COLOURS.index(name)


def _parse_keep(words: Sequence[str]) -> int:
    numbers = [word for part in words for word in part.split(",") if word]
    if not numbers or any(number not in {"1", "2", "3"} for number in numbers):
        raise IllegalMoveError("keep which tickets? their numbers, 1 to 3: keep 1 3")
    return KEEP_TICKETS + sum(1 << (int(number) - 1) for number in set(numbers))


def _parse_claim(rest: str, text: str) -> int:
    second = False
    if found := re.search(r"\bline\s*(\d+)$", rest, re.IGNORECASE):
        if found[1] not in {"1", "2"}:
            raise IllegalMoveError(f"there is no line {found[1][:9]}: a double route has 1 and 2")
        second = found[1] == "2"
        rest = rest[: found.start()].rstrip()
    cities, _, last = rest.rpartition(" ")
    if not cities:
        raise IllegalMoveError(
            f"{text.strip()[:40]!r} claims no route: claim Dallas-Houston red, with two cities"
            " and the colour of the cards"
        )
    colour = COLOURS.index(_find(_singular(last), COLOURS, "colour of cards"))
    return _claim(parse_route(cities), colour, second=second)


def _claim(route: int, colour: int, *, second: bool) -> int:
    """Return the claim of a line of *route* that can be paid with *colour*."""
    first = int(LINE_OF_ROUTE[route])
    lines = [first + place for place in range(int(ROUTE_LINES[route]))]
    payable = [line for line in lines if colour in _payable(line)]
    if not payable:
        colours = " or ".join(COLOURS[LINE_COLOUR[line]] for line in lines)
        raise IllegalMoveError(
            f"{route_name(route)} is {colours}: it can't be paid with {COLOURS[colour]}"
        )
    if not second:
        return CLAIM + 9 * payable[0] + colour
    if lines[-1] == first or lines[-1] not in payable:
        raise IllegalMoveError(f"{route_name(route)} has no second line for {COLOURS[colour]}")
    return CLAIM + 9 * lines[-1] + colour


def parse_route(text: str) -> int:
    """Return the route between the two cities in *text*: ``Dallas-Houston``, or with a space.

    Raises:
        IllegalMoveError: A city is unknown or ambiguous, or no route joins them.
    """
    divided = re.split(r"[-–—]", text, maxsplit=1)
    if len(divided) == 2:
        return _join(divided[0], divided[1])
    words = text.split()
    if not 2 <= len(words) <= MAX_WORDS:
        raise IllegalMoveError(f"{text[:40]!r} names no route: write Dallas-Houston")
    # Without a hyphen, try each place at which the two names may be divided.
    cuts = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    found = sorted({route for cut in cuts for route in _routes_between(*cut)})
    if len(found) > 1:
        names = " or ".join(route_name(route) for route in found)
        raise IllegalMoveError(f"{text[:40]!r} could be {names}")
    return found[0] if found else _join(*max(cuts, key=_likeness))


def _join(first: str, second: str) -> int:
    """Return the route between two named cities."""
    one, other = _find_city(first), _find_city(second)
    route = _ROUTE_OF.get(frozenset((one, other)))
    if route is None:
        raise IllegalMoveError(
            f"no route joins {CITY_NAMES[one]} and {CITY_NAMES[other]}: from {CITY_NAMES[one]}"
            f" they lead to {', '.join(_next_to(one))}"
        )
    return route


def _routes_between(first: str, second: str) -> set[int]:
    """Return all routes between cities whose names begin like two texts."""
    pairs = {frozenset((one, other)) for one in _begins(first) for other in _begins(second)}
    return {_ROUTE_OF[pair] for pair in pairs if pair in _ROUTE_OF}


def _likeness(cut: tuple[str, str]) -> float:
    """Return the likelihood that two texts are meant for cities, 0 to 2."""
    return sum(1.0 if _begins(name) else _find_nearest(name)[0] for name in cut)


def _find_city(text: str) -> int:
    found = _begins(text)
    if len(found) == 1:
        return found[0]
    name = text.strip()[:20]
    if not name:
        raise IllegalMoveError("a city is missing: write Dallas-Houston")
    if found:
        names = " or ".join(CITY_NAMES[city] for city in found)
        raise IllegalMoveError(f"{name!r} could be {names}")
    likeness, nearest = _find_nearest(text)
    hint = f"did you mean {CITY_NAMES[nearest]}?" if likeness >= LIKE else "write Dallas-Houston"
    raise IllegalMoveError(f"there is no city {name!r}: {hint}")


def _find_nearest(text: str) -> tuple[float, int]:
    """Return the similarity to the most similar city name, 0 to 1, and the number of that city."""
    key = _city_key(text)[:40]
    matcher = difflib.SequenceMatcher(b=key)
    likeness = []
    for city, name in enumerate(_CITY_KEYS):
        matcher.set_seq1(name)
        likeness.append((matcher.ratio(), -city))
    best, place = max(likeness)
    return best, -place


def _begins(text: str) -> list[int]:
    """Return the cities whose names begin like *text*, or only the one with exactly this name."""
    key = _city_key(text)
    if not key:
        return []
    if key in _CITY_KEYS:
        return [_CITY_KEYS.index(key)]
    return [city for city, name in enumerate(_CITY_KEYS) if name.startswith(key)]


def _city_key(text: str) -> str:
    return " ".join(re.sub(r"[^a-z ]", "", text.lower()).split())


def _next_to(city: int) -> list[str]:
    ends = [pair - {city} for pair in _ROUTE_OF if city in pair]
    return sorted(CITY_NAMES[next(iter(end))] for end in ends)


def _find(word: str, known: Sequence[str], kind: str) -> str:
    """Return the one *known* name that begins like *word*."""
    found = [name for name in known if name.startswith(word.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise IllegalMoveError(f"{word[:20]!r} could be {' or '.join(found)}")
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=LIKE)
    hint = f": did you mean {near[0]}?" if near else f": say {', '.join(known)}"
    raise IllegalMoveError(f"there is no {kind} {word[:20]!r}{hint}")


def _singular(word: str) -> str:
    return "locomotive" if word.lower() == "locomotives" else word


def _payable(line: int) -> Sequence[int]:
    """Return the colours that can pay for a line."""
    colour = int(LINE_COLOUR[line])
    return range(LOCOMOTIVE + 1) if colour == GREY else (colour, LOCOMOTIVE)


def _is_second(line: int, colour: int) -> bool:
    """Return True if *line* is the second of two that can both be paid with *colour*."""
    twin = int(LINE_TWIN[line])
    return 0 <= twin < line and colour in _payable(twin)
