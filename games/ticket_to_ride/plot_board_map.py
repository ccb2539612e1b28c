"""The map of Ticket to Ride on paper: where cities lie, and where the cars of each line stand.

Lengths are inches on paper, x to the right and y up, from the lower left corner of the map.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import (
    CITY_LATITUDES,
    CITY_LONGITUDES,
    CITY_NAMES,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
)

Points = NDArray[np.float64]

MAP_WIDTH, MARGIN, ROOM_RIGHT = 11.2, 0.6, 0.3
PARALLELS, CENTRE = (29.5, 45.5), (37.5, -96.0)
"""Degrees: the usual projection of the United States, Albers' conic of equal areas (Snyder, 1987,
equations 14-1 to 14-6, for a sphere)."""

NUDGES = {
    "Boston": (0.12, 0.08),
    "Charleston": (0.1, -0.05),
    "Las Vegas": (0.0, 0.05),
    "Los Angeles": (-0.08, -0.1),
    "Montreal": (0.0, 0.1),
    "New York": (0.1, 0.0),
    "Phoenix": (0.0, 0.1),
    "Pittsburgh": (-0.12, 0.0),
    "Raleigh": (0.0, -0.05),
    "Sault Ste. Marie": (0.0, 0.05),
    "Toronto": (-0.05, 0.05),
    "Washington": (0.18, -0.12),
}
"""By how much cities are moved, to make room between them."""

BENDS = {
    ("Atlanta", "Miami"): 0.02,
    ("Calgary", "Seattle"): 0.08,
    ("Calgary", "Winnipeg"): 0.05,
    ("Charleston", "Miami"): 0.1,
    ("Denver", "Omaha"): 0.05,
    ("Denver", "Phoenix"): -0.07,
    ("Duluth", "Toronto"): -0.07,
    ("El Paso", "Houston"): -0.12,
    ("El Paso", "Los Angeles"): 0.15,
    ("Helena", "Seattle"): -0.03,
    ("Miami", "New Orleans"): -0.1,
    ("Montreal", "Sault Ste. Marie"): -0.1,
    ("Nashville", "Pittsburgh"): 0.03,
    ("Portland", "Salt Lake City"): 0.06,
    ("Portland", "San Francisco"): -0.07,
    ("Sault Ste. Marie", "Winnipeg"): -0.05,
}
"""By how much of its length a route swings out to the left, seen from the first city."""

CITY_ROOM, CAR_GAP, LINE_GAP = 0.13, 0.03, 0.145
"""What is free around a city's middle and between two cars, and how far apart the lines of a
double route run."""
STEPS = 200


def city_places() -> Points:
    """Where the cities are, shape ``(36, 2)``."""
    return _lay_out()[0]


def line_cars(line: int, width: float) -> list[Points]:
    """The cars of a *line*, each the corners of a band so wide that follows the line.

    Args:
        line: Its number, 0 to 99.
        width: In inches.

    Returns:
        As many bands as the line is long, each of shape ``(corners, 2)``.
    """
    route = int(LINE_ROUTE[line])
    second = line - int(LINE_OF_ROUTE[route])
    shift = (second - 0.5) * LINE_GAP if ROUTE_LINES[route] == 2 else 0.0
    track, normals = _track(route)
    track = track + shift * normals
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(track, axis=0), axis=1))])
    cars, length = int(ROUTE_LENGTH[route]), along[-1] - 2 * CITY_ROOM
    step = length / cars
    bands = []
    for car in range(cars):
        begin = CITY_ROOM + car * step + CAR_GAP / 2
        places = np.linspace(begin, begin + step - CAR_GAP, 9)
        middle = np.stack([np.interp(places, along, track[:, axis]) for axis in (0, 1)], axis=1)
        out = np.stack([np.interp(places, along, normals[:, axis]) for axis in (0, 1)], axis=1)
        sides = middle + out * width / 2, middle - out * width / 2
        bands.append(np.concatenate([sides[0], sides[1][::-1]]))
    return bands


def _track(route: int) -> tuple[Points, Points]:
    """Points along a route, and the directions to its left there; a parabola, if it is bent."""
    places = city_places()
    first, last = int(ROUTE_FROM[route]), int(ROUTE_TO[route])
    begin, end = places[first], places[last]
    across = _left_of(end - begin)
    name = (CITY_NAMES[first], CITY_NAMES[last])
    bend = BENDS.get(name, 0.0) * float(np.linalg.norm(end - begin))
    share = np.linspace(0.0, 1.0, STEPS)[:, None]
    track = begin + share * (end - begin) + 4 * bend * share * (1 - share) * across
    steps = np.gradient(track, axis=0)
    return track, np.stack([_left_of(step) for step in steps])


def _left_of(direction: Points) -> Points:
    """One inch to the left of who looks in that *direction*."""
    return np.array([-direction[1], direction[0]]) / float(np.linalg.norm(direction))


@cache
def _lay_out() -> tuple[Points, float]:
    """Where the cities are, and how high the map is."""
    raw = _project(np.radians(CITY_LATITUDES), np.radians(CITY_LONGITUDES))
    raw -= raw.min(axis=0)
    scale = (MAP_WIDTH - 2 * MARGIN - ROOM_RIGHT) / float(raw[:, 0].max())
    places = raw * scale + MARGIN
    height = float(places[:, 1].max()) + MARGIN
    for name, nudge in NUDGES.items():
        places[CITY_NAMES.index(name)] += nudge
    return places, height


def _project(latitudes: Points, longitudes: Points) -> Points:
    one, other = np.radians(PARALLELS)
    latitude, longitude = np.radians(CENTRE)
    n = (np.sin(one) + np.sin(other)) / 2
    c = np.cos(one) ** 2 + 2 * n * np.sin(one)
    radius, centre = (np.sqrt(c - 2 * n * np.sin(at)) / n for at in (latitudes, latitude))
    angle = n * (longitudes - longitude)
    return np.stack([radius * np.sin(angle), centre - radius * np.cos(angle)], axis=1)


MAP_HEIGHT = _lay_out()[1]
