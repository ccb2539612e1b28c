"""Pictures of the board: the map itself, and who is told to have claimed what."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_COLOUR,
    LINE_ROUTE,
    LINES,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_TO,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.plot_board import (
    MAP_HEIGHT,
    MAP_WIDTH,
    PLAYER_COLOURS,
    BoardSeat,
    city_places,
    draw_board,
    line_cars,
)

WIDE = 0.135


@pytest.fixture(scope="module")
def cars() -> dict[tuple[int, int], NDArray[np.float64]]:
    """All cars, by line and number."""
    return {
        (line, number): car
        for line in range(LINES)
        for number, car in enumerate(line_cars(line, WIDE))
    }


def place(city: str) -> tuple[float, float]:
    x, y = city_places()[CITY_NAMES.index(city)]
    return float(x), float(y)


def test_cities_lie_as_on_a_map() -> None:
    places = city_places()
    assert places.shape == (36, 2)
    assert (places > 0.3).all()
    assert (places < [MAP_WIDTH - 0.3, MAP_HEIGHT - 0.3]).all()
    assert place("Seattle")[0] < place("Denver")[0] < place("Chicago")[0] < place("Boston")[0]
    assert place("Miami")[1] < place("Atlanta")[1] < place("Chicago")[1] < place("Winnipeg")[1]
    apart = [float(np.hypot(*(one - other))) for one, other in combinations(places, 2)]
    assert min(apart) > 0.4


def test_a_line_has_as_many_cars_as_it_is_long(
    cars: dict[tuple[int, int], NDArray[np.float64]],
) -> None:
    assert len(cars) == 309
    for line in range(LINES):
        own = [car for (other, _), car in cars.items() if other == line]
        assert len(own) == ROUTE_LENGTH[LINE_ROUTE[line]]
        ends = city_places()[[ROUTE_FROM[LINE_ROUTE[line]], ROUTE_TO[LINE_ROUTE[line]]]]
        for end, car in zip(ends, (own[0], own[-1]), strict=True):
            assert 0.05 < np.hypot(*(car - end).T).min() < 0.2
        for car in own:
            # Two corners at each end of the band, as far apart as it is wide.
            assert np.hypot(*(car[0] - car[-1])) == pytest.approx(WIDE, rel=1e-4)


def test_lines_meet_only_where_they_end(
    cars: dict[tuple[int, int], NDArray[np.float64]],
) -> None:
    """Cars of two lines overlap at most at a city that both come to."""
    middles = {key: car.mean(axis=0) for key, car in cars.items()}
    outlines = {key: Outline(car) for key, car in cars.items()}
    touching = 0
    for one, other in combinations(cars, 2):
        if one[0] == other[0] or np.hypot(*(middles[one] - middles[other])) > 1.0:
            continue
        if outlines[one].intersects_path(outlines[other]):
            assert end_of(*one) & end_of(*other), (one, other)
            touching += 1
    assert touching < 100


def end_of(line: int, car: int) -> set[int]:
    """The city beside which a car stands; both, of a line of one."""
    route = LINE_ROUTE[line]
    cities = set()
    if car == 0:
        cities.add(int(ROUTE_FROM[route]))
    if car == ROUTE_LENGTH[route] - 1:
        cities.add(int(ROUTE_TO[route]))
    return cities


def test_no_car_hides_a_city(cars: dict[tuple[int, int], NDArray[np.float64]]) -> None:
    for car in cars.values():
        assert not Outline(car).contains_points(city_places()).any()


SEATS = (
    BoardSeat("evolved", 107, 82, 1, ((0, True), (4, False)), "forfeited"),
    BoardSeat("rule", 61, 50, 7, ((7, True),)),
)


@pytest.fixture(scope="module")
def figure() -> Figure:
    owners = np.full(LINES, -1)
    owners[[3, 40, 41]] = 0
    owners[[99, 12]] = 1
    return draw_board(owners, SEATS, "A game", "seed 7")


def test_claimed_lines_have_their_owners_colours(figure: Figure) -> None:
    (axes,) = figure.axes
    found: dict[tuple[float, ...], int] = {}
    for part in axes.collections:
        if isinstance(part, PolyCollection):
            (colour,) = {tuple(row) for row in part.get_facecolor()}
            cars = len(part.get_paths())
            found[colour] = found.get(colour, 0) + cars
    lengths = ROUTE_LENGTH[LINE_ROUTE]
    for seat, lines in enumerate(([3, 40, 41], [99, 12])):
        assert found[to_rgba(PLAYER_COLOURS[seat])] == lengths[lines].sum()
    assert sum(found.values()) == 309
    free = np.setdiff1d(np.arange(LINES), [3, 40, 41, 99, 12])
    red = sum(int(lengths[line]) for line in free if LINE_COLOUR[line] == 0)
    assert found[to_rgba("#D8392B", 0.75)] == red


def test_the_legend_tells_points_and_tickets(figure: Figure) -> None:
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert set(CITY_NAMES) <= set(texts)
    for wanted in (
        "evolved",
        "107 points",
        "82 for 3 routes, 1 train left; forfeited",
        f"{CITY_NAMES[TICKET_FROM[0]]} – {CITY_NAMES[TICKET_TO[0]]}",
        f"+{TICKET_POINTS[0]}",
        "50 for 2 routes, 7 trains left",
    ):
        assert wanted in texts, texts
    assert texts.count("✓") == 2
    assert texts.count("✗") == 1


def test_names_of_cities_do_not_overlap(figure: Figure) -> None:
    (axes,) = figure.axes
    canvas = figure.canvas
    names = [text for text in axes.texts if text.get_text() in CITY_NAMES]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in names]  # type: ignore[attr-defined]
    assert len(boxes) == 36
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
