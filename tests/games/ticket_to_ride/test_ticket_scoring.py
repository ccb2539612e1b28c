"""Final points, places and the longest path, worked out by hand or by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    LINE_FROM,
    LINE_LENGTH,
    LINE_ROUTE,
    LINE_TO,
    LINES,
    TICKET_FROM,
    TICKET_POINTS,
    TICKET_TO,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    HAND_AT,
    HELD_TICKETS,
    OWNER_AT,
    PHASE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.rules import apply_move
from evolve_arena.games.ticket_to_ride.scoring import (
    count_tickets,
    is_done,
    longest_path,
    place,
    score,
)

STAR = (("Dallas", "Houston"), ("Dallas", "Oklahoma City"), ("Dallas", "Little Rock"))
"""1, 2 and 2 trains, which meet in Dallas: the longest path has 4."""
APART = (("Kansas City", "Omaha"), ("Denver", "Santa Fe"), ("El Paso", "Santa Fe"))
"""1, 2 and 2 trains, of which only the last two meet: the longest path has 4, too."""


def test_tickets_done_count_and_others_are_taken_off(make_state, line_of):
    state = make_state(deck="red " * 60)
    _hold(state, 0, ("Denver", "El Paso", 4), ("Houston", "Kansas City", 5))
    _hold(state, 1, ("Seattle", "New York", 22))
    _claim(state, 0, line_of("Denver", "Santa Fe"), line_of("El Paso", "Santa Fe"))
    assert count_tickets(state, 0) == (1, 1)
    assert count_tickets(state, 1) == (0, 1)
    assert _score(TicketRules(), state) == [2 + 2 + 4 - 5, -22]


def test_a_ticket_is_done_only_by_the_own_routes(make_state, line_of):
    state = make_state(deck="red " * 60)
    ticket = _ticket("Denver", "El Paso")
    _claim(state, 0, line_of("Denver", "Santa Fe"))
    _claim(state, 1, line_of("El Paso", "Santa Fe"))
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
    make_state, line_of, first, second, points
):
    state = make_state(4, deck="red " * 60)
    _claim(state, 0, *[line_of(*pair) for pair in STAR[:first]])
    _claim(state, 1, *[line_of(*pair) for pair in APART[:second]])
    assert _score(TicketRules(longest_path=1), state) == [*points, 0, 0]
    assert _score(TicketRules(), state) == [number % 10 for number in [*points, 0, 0]]


def test_places_are_shared_unless_ties_are_broken(make_state, line_of):
    state = make_state(4, deck="red " * 60)
    plain, broken = TicketRules(), TicketRules(tie_breaks=1)
    _claim(state, 0, line_of("Kansas City", "Omaha"))
    _claim(state, 1, line_of("Dallas", "Houston"))
    _claim(state, 2, line_of("Seattle", "Vancouver"))
    assert _place(plain, state) == [1, 1, 1, 4]
    assert _place(broken, state) == [1, 1, 1, 4]
    _hold(state, 1, ("Denver", "El Paso", 4), ("Duluth", "Houston", 8))
    _claim(state, 1, line_of("Denver", "Santa Fe"), line_of("El Paso", "Santa Fe"))
    assert _score(plain, state) == [1, 1 + 4 + 4 - 8, 1, 0]
    assert _place(plain, state) == [1, 1, 1, 4]
    assert _place(broken, state) == [2, 1, 2, 4]


def test_the_second_tie_break_is_the_longest_path(make_state, line_of):
    state = make_state(2, deck="red " * 60)
    _claim(state, 0, line_of("Dallas", "Houston"), line_of("Seattle", "Vancouver"))
    _claim(state, 1, line_of("Dallas", "Oklahoma City"))
    assert _score(TicketRules(), state) == [2, 2]
    assert _place(TicketRules(), state) == [1, 1]
    assert _place(TicketRules(tie_breaks=1), state) == [2, 1]


def test_longest_path_by_hand(make_state, line_of):
    state = make_state(5, deck="red " * 60)
    assert longest_path(state, 0) == 0
    _claim(state, 0, *[line_of(*pair) for pair in STAR])
    assert longest_path(state, 0) == 4
    _claim(state, 0, line_of("Little Rock", "Oklahoma City"))
    assert longest_path(state, 0) == 1 + 2 + 2 + 2  # round the triangle, then to Houston
    _claim(state, 0, line_of("Vancouver", "Calgary"))
    assert longest_path(state, 0) == 7


@given(st.lists(st.integers(0, LINES - 1), min_size=1, max_size=9), st.integers(0, 99))
def test_longest_path_is_that_of_all_orders_of_routes(make_state, lines, start):
    state = make_state(5, deck="red " * 60)
    city = LINE_FROM[start]
    near = [line for line in range(LINES) if city in (LINE_FROM[line], LINE_TO[line])]
    own: dict[int, int] = {}
    for line in [*near[:5], *lines]:
        if sum(LINE_LENGTH[own[route]] for route in own) + LINE_LENGTH[line] <= 45:
            own.setdefault(int(LINE_ROUTE[line]), line)
    for line in own.values():
        state[OWNER_AT + line] = 2
        state[player_at(2) + TRAINS] -= LINE_LENGTH[line]
    assert longest_path(state, 2) == _longest(frozenset(own.values()), None)
    assert longest_path(state, 1) == 0


def _longest(left, end):
    """The longest path over the lines *left* from a city, or from any."""
    best = 0
    for line in left:
        ends = (int(LINE_FROM[line]), int(LINE_TO[line]))
        for here, there in (ends, ends[::-1]):
            if end is None or end == here:
                best = max(best, int(LINE_LENGTH[line]) + _longest(left - {line}, there))
    return best


def _ticket(one, other):
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    return next(
        ticket
        for ticket in range(len(TICKET_FROM))
        if {int(TICKET_FROM[ticket]), int(TICKET_TO[ticket])} == ends
    )


def _hold(state, seat, *tickets):
    """Gives tickets, each by its cities and points, to a seat."""
    at = player_at(seat)
    for one, other, points in tickets:
        ticket = _ticket(one, other)
        assert TICKET_POINTS[ticket] == points
        state[at + TICKETS_AT + state[at + HELD_TICKETS]] = ticket
        state[at + HELD_TICKETS] += 1


def _claim(state, seat, *lines):
    """Claims lines with locomotives."""
    for line in lines:
        state[TO_MOVE], state[PHASE] = seat, TURN
        state[player_at(seat) + HAND_AT + 8] = state[player_at(seat) + CARDS] = LINE_LENGTH[line]
        apply_move(TicketRules(), state, 9 * line + 8)


def _score(rules, state):
    points = np.zeros(5, dtype=np.int64)
    score(rules, state, points)
    return points[: state[0]].tolist()


def _place(rules, state):
    points, places = np.zeros((2, 5), dtype=np.int64)
    score(rules, state, points)
    place(rules, state, points, places)
    return places[: state[0]].tolist()
