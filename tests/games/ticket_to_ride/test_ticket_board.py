"""The map has the numbers that six public transcriptions of it agree on."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    CITY_NAMES,
    COLOURS,
    GREY,
    LINE_COLOUR,
    LINE_LENGTH,
    LINE_ROUTE,
    LINES,
    NEIGHBOUR_ROUTES,
    NEIGHBOURS,
    NEIGHBOURS_AT,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_POINTS,
    ROUTE_TO,
    ROUTES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
    TICKETS,
    length_points,
)

DEGREES = (
    "Atlanta 5, Boston 2, Calgary 4, Charleston 3, Chicago 5, Dallas 4, Denver 7, Duluth 6,"
    " El Paso 6, Helena 7, Houston 3, Kansas City 4, Las Vegas 2, Little Rock 5, Los Angeles 4,"
    " Miami 3, Montreal 4, Nashville 5, New Orleans 4, New York 4, Oklahoma City 6, Omaha 5,"
    " Phoenix 4, Pittsburgh 7, Portland 3, Raleigh 5, Saint Louis 5, Salt Lake City 5,"
    " San Francisco 3, Santa Fe 4, Sault Ste. Marie 4, Seattle 4, Toronto 5, Vancouver 2,"
    " Washington 3, Winnipeg 4"
)


def test_cities_routes_and_lines_are_as_many_as_on_the_map() -> None:
    assert (CITIES, ROUTES, LINES, TICKETS) == (36, 78, 100, 30)
    doubles = ROUTE_LINES == 2
    assert doubles.sum() == 22
    first = np.concatenate([[0], np.cumsum(ROUTE_LINES)[:-1]])
    assert sum(LINE_COLOUR[first[route]] == GREY for route in np.flatnonzero(doubles)) == 10


def test_lengths_and_points_add_up() -> None:
    assert ROUTE_LENGTH.sum() == 256
    assert LINE_LENGTH.sum() == 309
    assert ROUTE_POINTS.sum() == 436
    assert ROUTE_POINTS[LINE_ROUTE].sum() == 508
    assert np.bincount(ROUTE_LENGTH)[1:].tolist() == [5, 25, 17, 14, 8, 9]
    assert np.bincount(LINE_LENGTH)[1:].tolist() == [9, 36, 20, 16, 10, 9]
    assert [length_points(length) for length in range(1, 7)] == [1, 2, 4, 7, 10, 15]


def test_each_colour_has_seven_lines_of_total_length_27() -> None:
    for colour in range(8):
        lengths = [LINE_LENGTH[line] for line in range(LINES) if LINE_COLOUR[line] == colour]
        assert (len(lengths), sum(lengths)) == (7, 27), COLOURS[colour]
    assert LINE_LENGTH[LINE_COLOUR == GREY].sum() == 93
    assert (LINE_COLOUR == GREY).sum() == 44


def test_tickets_are_worth_349_points_and_lead_to_all_but_six_cities() -> None:
    assert (TICKET_POINTS.sum(), TICKET_POINTS.min(), TICKET_POINTS.max()) == (349, 4, 22)
    without = set(range(CITIES)) - set(TICKET_FROM) - set(TICKET_TO)
    named = ", ".join(sorted(CITY_NAMES[city] for city in without))
    assert named == "Charleston, Las Vegas, Omaha, Raleigh, Saint Louis, Washington"


def test_cities_have_the_neighbours_of_the_map() -> None:
    ends = Counter(CITY_NAMES[city] for city in (*ROUTE_FROM, *ROUTE_TO))
    assert ends == {part.rpartition(" ")[0].strip(): int(part[-1]) for part in DEGREES.split(",")}
    for city in range(CITIES):
        for near in range(NEIGHBOURS_AT[city], NEIGHBOURS_AT[city + 1]):
            route = NEIGHBOUR_ROUTES[near]
            assert {city, NEIGHBOURS[near]} == {ROUTE_FROM[route], ROUTE_TO[route]}
