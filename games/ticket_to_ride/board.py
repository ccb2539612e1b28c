"""The map of Ticket to Ride: cities, routes and tickets, as arrays for compiled code.

A *route* joins two cities; each of its one or two *lines* can be claimed by one player. Lines,
routes, cities and tickets are numbered in the order of ``data/usa.json``, the second line of a
double route right behind its first. Sources: the published game (Days of Wonder, 2004), as six
public transcriptions of its map agree on it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

import numpy as np

from evolve_arena.core.compiled import compiled

COLOURS = ("red", "blue", "white", "black", "green", "pink", "orange", "yellow", "locomotive")
"""Names of cards, by number."""
LOCOMOTIVE = 8
"""The number of the card that counts as any colour."""
GREY = 8
"""The colour of a line that may be paid with cards of any one colour."""
POINTS_OF_LENGTH = (0, 1, 2, 4, 7, 10, 15)


@dataclass(frozen=True)
class _Map:
    cities: list[dict[str, object]]
    routes: list[dict[str, object]]
    tickets: list[dict[str, object]]


def _read_map() -> _Map:
    text = resources.files(__package__).joinpath("data/usa.json").read_text("utf-8")
    content = json.loads(text)
    return _Map(content["cities"], content["routes"], content["tickets"])


_MAP = _read_map()
CITY_NAMES: tuple[str, ...] = tuple(str(city["name"]) for city in _MAP.cities)
CITY_LONGITUDES: tuple[float, ...] = tuple(float(str(city["lon"])) for city in _MAP.cities)
"""Degrees east; all are negative."""
CITIES, ROUTES, TICKETS = len(_MAP.cities), len(_MAP.routes), len(_MAP.tickets)


def _city(item: dict[str, object], end: str) -> int:
    return CITY_NAMES.index(str(item[end]))


def _colours(route: dict[str, object]) -> list[int]:
    names = route["colors"]
    assert isinstance(names, list)
    return [GREY if name == "gray" else COLOURS.index(name) for name in names]


ROUTE_FROM = np.array([_city(route, "a") for route in _MAP.routes], dtype=np.int64)
ROUTE_TO = np.array([_city(route, "b") for route in _MAP.routes], dtype=np.int64)
ROUTE_LENGTH = np.array([int(str(route["length"])) for route in _MAP.routes], dtype=np.int64)
"""In trains, 1 to 6; shape ``(ROUTES,)`` as all arrays of routes."""
ROUTE_POINTS = np.array([POINTS_OF_LENGTH[length] for length in ROUTE_LENGTH], dtype=np.int64)
ROUTE_LINES = np.array([len(_colours(route)) for route in _MAP.routes], dtype=np.int64)
"""1, or 2 for a double route."""
LINE_OF_ROUTE = np.concatenate([[0], np.cumsum(ROUTE_LINES)[:-1]]).astype(np.int64)
"""The first line of each route; the second is the next one."""
LINE_ROUTE = np.repeat(np.arange(ROUTES, dtype=np.int64), ROUTE_LINES)
"""The route of each line."""
LINE_COLOUR = np.array([c for route in _MAP.routes for c in _colours(route)], dtype=np.int64)
"""0 to 7, or :data:`GREY`."""
LINES = len(LINE_COLOUR)
LINE_LENGTH = ROUTE_LENGTH[LINE_ROUTE]
LINE_FROM, LINE_TO = ROUTE_FROM[LINE_ROUTE], ROUTE_TO[LINE_ROUTE]
"""Length and ends of each line, equal to those of its route; shape ``(LINES,)`` as all arrays of
lines."""
LINE_TWIN = np.array(
    [
        (2 * LINE_OF_ROUTE[LINE_ROUTE[line]] + 1 - line)
        if ROUTE_LINES[LINE_ROUTE[line]] == 2
        else -1
        for line in range(LINES)
    ],
    dtype=np.int64,
)
"""The other line of a double route, or -1."""
TICKET_FROM = np.array([_city(ticket, "a") for ticket in _MAP.tickets], dtype=np.int64)
TICKET_TO = np.array([_city(ticket, "b") for ticket in _MAP.tickets], dtype=np.int64)
TICKET_POINTS = np.array([int(str(ticket["points"])) for ticket in _MAP.tickets], dtype=np.int64)

_ends = [
    sorted(
        [(int(ROUTE_TO[route]), route) for route in range(ROUTES) if ROUTE_FROM[route] == city]
        + [(int(ROUTE_FROM[route]), route) for route in range(ROUTES) if ROUTE_TO[route] == city]
    )
    for city in range(CITIES)
]
NEIGHBOURS_AT = np.concatenate([[0], np.cumsum([len(ends) for ends in _ends])]).astype(np.int64)
"""Start of each city's part of the two lists below; shape ``(CITIES + 1,)``."""
NEIGHBOURS = np.array([city for ends in _ends for city, _ in ends], dtype=np.int64)
"""Cities adjacent to each city."""
NEIGHBOUR_ROUTES = np.array([route for ends in _ends for _, route in ends], dtype=np.int64)
"""Routes to these cities, in the same order."""


@compiled
def length_points(length: int) -> int:
    """Return the points of a route of *length* trains: 1, 2, 4, 7, 10 or 15."""
    return POINTS_OF_LENGTH[length]
