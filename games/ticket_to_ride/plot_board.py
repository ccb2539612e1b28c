"""The board of Ticket to Ride as a picture: the map, who has claimed what, and for how much.

The map of Ticket to Ride on paper: where cities lie, and where the cars of each line stand.

Lengths are inches on paper, x to the right and y up, from the lower left corner of the map.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from evolve_arena.core.errors import one_line
from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    CITY_LATITUDES,
    CITY_LONGITUDES,
    CITY_NAMES,
    LINE_COLOUR,
    LINE_OF_ROUTE,
    LINE_ROUTE,
    LINES,
    ROUTE_FROM,
    ROUTE_LENGTH,
    ROUTE_LINES,
    ROUTE_TO,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.runs.plots.style import new_figure, set_title

PAPER, SEA, INK = "#F7F2E6", "#FFFFFF", "#2B2B2B"
LINE_COLOURS = (
    "#D8392B",  # red
    "#2F6FC2",  # blue
    "#FFFFFF",  # white
    "#4A4A4A",  # black
    "#4FA052",  # green
    "#E48BC4",  # pink
    "#EE8A2A",  # orange
    "#EFCB2E",  # yellow
    "#B9B4A8",  # grey
)
"""Of lines by the number of their colour."""
PLAYER_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#6A3D9A", "#111111")
"""Of seats; all but violet and black are Okabe and Ito's."""
SLOT_WIDTH, TRAIN_WIDTH = 0.075, 0.135
"""Inches: how wide a free place for a car is, and a claimed one."""
TABLE_WIDTH, HEAD, LEAST_ROW, USUAL_ROW = 3.7, 0.75, 0.13, 0.2
NAME_LETTERS, NAME_SIZE, ANGLES = 26, 8.6, 24

_Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True)
class BoardSeat:
    """What the legend tells of a player."""

    name: str
    points: int
    route_points: int
    trains: int
    """How many were left."""
    tickets: tuple[tuple[int, bool], ...]
    """Their numbers, and whether they were done."""
    remark: str = ""
    """Such as "forbidden move"."""


def draw_board(
    owners: NDArray[np.int64], seats: Sequence[BoardSeat], title: str, remark: str = ""
) -> Figure:
    """A board with claimed lines in their owners' colours, and the players beside it.

    Args:
        owners: The seat that has claimed each line, or -1; shape ``(100,)``.
        seats: The players, seat by seat.
        title: What stands above.
        remark: A smaller line below the title.
    """
    width, height = MAP_WIDTH + TABLE_WIDTH, MAP_HEIGHT + HEAD
    figure = new_figure(width, height, dpi=130)
    figure.set_layout_engine("none")
    place = {"x": 0.2 / width, "y": 1 - 0.12 / height}
    set_title(figure, title, textwrap.wrap(remark, 150), place=place)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(0, height))
    _draw_paper(axes)
    crowded = _draw_lines(axes, owners)
    key = "wide: claimed, in the player's colour\nnarrow: free, in the colour of the cards it takes"
    axes.text(0.4, 0.35, key, fontsize=8, color="#777777", linespacing=1.4)
    _draw_cities(axes, crowded)
    _draw_players(axes, seats, owners)
    return figure


def _draw_paper(axes: Axes) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (0.2, 0.15),
            MAP_WIDTH - 0.3,
            MAP_HEIGHT - 0.2,
            boxstyle="round,pad=0,rounding_size=0.15",
            facecolor=PAPER,
            edgecolor="#D8CFB8",
            linewidth=0.8,
        )
    )


def _draw_lines(axes: Axes, owners: NDArray[np.int64]) -> NDArray[np.float64]:
    """All cars, those of claimed lines wider; gives points that labels had better avoid."""
    middles = []
    for claimed in (False, True):
        for line in range(LINES):
            if (owners[line] >= 0) != claimed:
                continue
            colour = LINE_COLOURS[LINE_COLOUR[line]]
            cars = line_cars(line, TRAIN_WIDTH if claimed else SLOT_WIDTH)
            middles += cars
            look: dict[str, Any] = {
                "facecolors": colour,
                "edgecolors": "#8F8775",
                "linewidths": 0.5,
                "alpha": 0.75,
            }
            if claimed:
                hue = PLAYER_COLOURS[owners[line]]
                look |= {"facecolors": hue, "edgecolors": INK, "linewidths": 0.7, "alpha": 1.0}
            axes.add_collection(PolyCollection(cars, zorder=3 if claimed else 2, **look))
    return np.concatenate(middles)


def _draw_cities(axes: Axes, crowded: NDArray[np.float64]) -> None:
    places = city_places()
    x, y = places.T
    axes.scatter(x, y, s=52, color="#FFFFFF", edgecolors=INK, linewidths=1.1, zorder=5)
    axes.scatter(x, y, s=13, color="#B5342A", linewidths=0, zorder=6)
    for city, place in enumerate(_find_label_places(crowded)):
        axes.text(
            *place,
            CITY_NAMES[city],
            fontsize=NAME_SIZE,
            fontweight="bold",
            ha="center",
            va="center",
            color=INK,
            zorder=7,
            path_effects=[withStroke(linewidth=2.4, foreground=PAPER)],
        )


def _find_label_places(crowded: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Where the middle of each city's name stands: where it hides least; in order of cities."""
    places = city_places()
    taken: list[_Box] = []
    found = {}
    for city in sorted(range(CITIES), key=lambda city: -len(CITY_NAMES[city])):
        boxes = list(_try_boxes(places[city], *_measure(CITY_NAMES[city])))
        costs = [
            60 * _count_inside(places, box, 0.06)
            + _count_inside(crowded, box)
            + 400 * sum(_overlap(box, other) for other in taken)
            + 1000 * (box[0] < 0.22 or box[2] > MAP_WIDTH - 0.12)
            + 4 * number // ANGLES
            for number, box in enumerate(boxes)
        ]
        best = boxes[costs.index(min(costs))]
        found[city] = ((best[0] + best[2]) / 2, (best[1] + best[3]) / 2)
        taken.append(best)
    return [found[city] for city in range(CITIES)]


def _try_boxes(place: NDArray[np.float64], width: float, height: float) -> Iterator[_Box]:
    """Room for a name around a city, the nearest first, so as it would stand there."""
    for distance in (0.1, 0.16, 0.23):
        for angle in np.linspace(0.0, 2 * np.pi, ANGLES, endpoint=False):
            x = place[0] + np.cos(angle) * (width / 2 + distance)
            y = place[1] + np.sin(angle) * (height / 2 + distance)
            yield x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _measure(name: str) -> tuple[float, float]:
    """Width and height of a city's name, in inches."""
    font = FontProperties(size=NAME_SIZE, weight="bold")
    return float(TextPath((0, 0), name, prop=font).get_extents().width) / 72 + 0.04, 0.14


def _count_inside(points: NDArray[np.float64], box: _Box, margin: float = 0.0) -> int:
    low, high = np.array(box[:2]) - margin, np.array(box[2:]) + margin
    return int(np.count_nonzero(np.all((points > low) & (points < high), axis=1)))


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _draw_players(axes: Axes, seats: Sequence[BoardSeat], owners: NDArray[np.int64]) -> None:
    """A block of lines for each player: name and points, what these come from, the tickets."""
    rows = sum(3.1 + len(seat.tickets) for seat in seats)
    row = max(LEAST_ROW, min(USUAL_ROW, (MAP_HEIGHT - 0.3) / rows))
    size = 8.6 * row / USUAL_ROW
    left, y = MAP_WIDTH + 0.12, MAP_HEIGHT - 0.05 - row
    right = MAP_WIDTH + TABLE_WIDTH - 0.2
    for number, seat in enumerate(seats):
        hue = PLAYER_COLOURS[number]
        axes.add_patch(Rectangle((left, y - 0.03), 0.32, row * 0.62, facecolor=hue, edgecolor=INK))
        name = one_line(seat.name, NAME_LETTERS)
        axes.text(left + 0.42, y, name, fontsize=size * 1.2, fontweight="bold", color=hue)
        points = f"{seat.points} points"
        axes.text(right, y, points, fontsize=size * 1.2, fontweight="bold", ha="right")
        y -= row
        claimed = int(np.count_nonzero(owners == number))
        text = f"{seat.route_points} for {_count(claimed, 'route')},"
        text += f" {_count(seat.trains, 'train')} left"
        text += f"; {seat.remark}" * bool(seat.remark)
        axes.text(left + 0.42, y, text, fontsize=size * 0.93, color="#555555")
        y -= row
        for ticket, done in seat.tickets:
            ends = f"{CITY_NAMES[TICKET_FROM[ticket]]} – {CITY_NAMES[TICKET_TO[ticket]]}"
            worth = int(TICKET_POINTS[ticket])
            mark, colour = ("✓", "#1E7B34") if done else ("✗", "#B5342A")
            axes.text(left + 0.42, y, mark, fontsize=size, color=colour, fontweight="bold")
            axes.text(left + 0.62, y, ends, fontsize=size, color=INK if done else "#777777")
            text = f"+{worth}" if done else f"−{worth}"
            axes.text(right, y, text, fontsize=size, color=colour, ha="right")
            y -= row
        y -= 0.6 * row


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


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
