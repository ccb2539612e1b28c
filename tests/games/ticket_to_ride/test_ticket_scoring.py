"""Final points, tallies, places and the longest path, worked out by hand or by brute force."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.board import (
    LINE_FROM,
    LINE_LENGTH,
    LINE_ROUTE,
    LINE_TO,
    LINES,
)
from evolve_arena.games.ticket_to_ride.layout import (
    OVER,
    OWNER_AT,
    PHASE,
    POINTS,
    ROUND,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.games.ticket_to_ride.scoring import (
    count_points,
    is_done,
    longest_path,
    path_points,
)
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.players.board.game import Board
from tests.games.ticket_to_ride.states import SHORT, find_line, find_ticket, give, hold, make_state

STAR = (("Dallas", "Houston"), ("Dallas", "Oklahoma City"), ("Dallas", "Little Rock"))
"""1, 2 and 2 trains, which meet in Dallas: the longest path has 4."""
APART = (("Kansas City", "Omaha"), ("Denver", "Santa Fe"), ("El Paso", "Santa Fe"))
"""1, 2 and 2 trains, of which only the last two meet: the longest path has 4, too."""


def claim(state: Any, seat: int, *routes: tuple[str, str]) -> None:
    """Claims routes with locomotives."""
    for route in routes:
        line = find_line(*route)
        state[TO_MOVE], state[PHASE] = seat, TURN
        give(state, seat, locomotive=LINE_LENGTH[line])
        apply_move(state, 9 * line + 8)


def make_board(game: Any, state: Any) -> Board:
    return Board(game.rules, tuple(state.tolist()))


def points_of(state: Any, longest: bool = False) -> list[int]:
    return [
        count_points(state, seat) + (path_points(state, seat) if longest else 0)
        for seat in range(state[0])
    ]


def test_tickets_done_count_and_others_are_taken_off() -> None:
    game = make_game("ticket-to-ride", seats=2)
    state = make_state(2, SHORT, ("Houston", "Kansas City"))
    hold(state, 1, ("Seattle", "New York"))
    claim(state, 0, *APART[1:])
    assert points_of(state) == [2 + 2 + 4 - 5, -22]
    state[PHASE], state[ROUND] = OVER, 7
    places, columns = game.tally(make_board(game, state))
    assert list(places) == [1, 2]
    assert columns["points"] == [3, -22]
    assert columns["tickets_done"] == [1, 0]
    assert columns["tickets_failed"] == [1, 1]
    assert columns["rounds"] == [7, 7]


def test_the_win_is_shared_by_who_is_first() -> None:
    game, state = make_game("ticket-to-ride", seats=3), make_state(3)
    state[PHASE] = OVER
    for seat, points in enumerate((30, 12, 30)):
        state[player_at(seat) + POINTS] = points
    outcome = game.outcome(make_board(game, state))
    assert outcome is not None
    assert (outcome.scores, outcome.places) == ((0.5, 0.0, 0.5), (1, 3, 1))
    assert outcome.winner is None
    assert outcome.points == (30, 12, 30)


def test_a_ticket_is_done_only_by_the_own_routes() -> None:
    state, ticket = make_state(), find_ticket(*SHORT)
    claim(state, 0, ("Denver", "Santa Fe"))
    claim(state, 1, ("El Paso", "Santa Fe"))
    assert not is_done(state, 0, ticket)
    assert not is_done(state, 1, ticket)


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        (3, 2, [5 + 10, 3]),
        (3, 3, [5 + 10, 5 + 10]),
        (0, 1, [0, 1 + 10]),
        (1, 3, [1, 5 + 10]),
        (0, 0, [0, 0]),
    ],
)
def test_the_longest_path_is_worth_ten_to_all_who_have_it(
    first: int, second: int, points: list[int]
) -> None:
    state = make_state(4)
    claim(state, 0, *STAR[:first])
    claim(state, 1, *APART[:second])
    assert points_of(state, True) == [*points, 0, 0]
    assert points_of(state) == [number % 10 for number in [*points, 0, 0]]


def test_longest_path_by_hand() -> None:
    state = make_state(5)
    assert longest_path(state, 0) == 0
    claim(state, 0, *STAR)
    assert longest_path(state, 0) == 4
    claim(state, 0, ("Little Rock", "Oklahoma City"))
    assert longest_path(state, 0) == 1 + 2 + 2 + 2  # round the triangle, then to Houston
    claim(state, 0, ("Vancouver", "Calgary"))
    assert longest_path(state, 0) == 7


@given(st.lists(st.integers(0, LINES - 1), min_size=1, max_size=9), st.integers(0, 99))
def test_longest_path_is_that_of_all_orders_of_routes(lines: list[int], start: int) -> None:
    state, city = make_state(5), LINE_FROM[start]
    near = [line for line in range(LINES) if city in (LINE_FROM[line], LINE_TO[line])]
    own: dict[int, int] = {}
    for line in [*near[:5], *lines]:
        if sum(LINE_LENGTH[each] for each in own.values()) + LINE_LENGTH[line] <= 45:
            own.setdefault(int(LINE_ROUTE[line]), line)
    for line in own.values():
        state[OWNER_AT + line] = 2
        state[player_at(2) + TRAINS] -= LINE_LENGTH[line]
    assert longest_path(state, 2) == find_longest(frozenset(own.values()), None)
    assert longest_path(state, 1) == 0


def find_longest(left: frozenset[int], end: int | None) -> int:
    """The longest path over the lines *left* from a city, or from any."""
    best = 0
    for line in left:
        ends = (int(LINE_FROM[line]), int(LINE_TO[line]))
        for here, there in (ends, ends[::-1]):
            if end is None or end == here:
                best = max(best, int(LINE_LENGTH[line]) + find_longest(left - {line}, there))
    return best
