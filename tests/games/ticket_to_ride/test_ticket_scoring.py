"""Final points, tallies, places and the longest path, worked out by hand or by brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.registry import make_game
from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import board, layout
from evolve_arena.games.ticket_to_ride.scoring import count_points, longest_path
from evolve_arena.games.ticket_to_ride.turns import apply_move
from evolve_arena.players.board.game import Board, BoardGame
from tests.games.ticket_to_ride.states import SHORT, find_line, give, hold, make_state


def make_board(game: BoardGame, state: Array) -> Board:
    return Board(game.rules, tuple(state.tolist()))


def test_tickets_done_count_and_others_are_taken_off() -> None:
    game = make_game("ticket-to-ride", seats=2)
    state = make_state(2, SHORT, ("Houston", "Kansas City"))
    hold(state, 1, ("Seattle", "New York"))
    for route in (("Denver", "Santa Fe"), ("El Paso", "Santa Fe")):
        state[layout.TO_MOVE], state[layout.PHASE] = 0, layout.TURN
        give(state, 0, locomotive=2)
        apply_move(state, 9 * find_line(*route) + 8)
    assert [count_points(state, seat) for seat in range(2)] == [2 + 2 + 4 - 5, -22]
    state[layout.PHASE], state[layout.ROUND] = layout.OVER, 7
    places, columns = game.tally(make_board(game, state))
    assert list(places) == [1, 2]
    assert columns["points"] == [3, -22]
    assert columns["tickets_done"] == [1, 0]
    assert columns["tickets_failed"] == [1, 1]
    assert columns["rounds"] == [7, 7]


def test_the_win_is_shared_by_who_is_first() -> None:
    game, state = make_game("ticket-to-ride", seats=3), make_state(3)
    state[layout.PHASE] = layout.OVER
    for seat, points in enumerate((30, 12, 30)):
        state[layout.player_at(seat) + layout.POINTS] = points
    outcome = game.outcome(make_board(game, state))
    assert outcome is not None
    assert (outcome.scores, outcome.places) == ((0.5, 0.0, 0.5), (1, 3, 1))
    assert outcome.winner is None
    assert outcome.points == (30, 12, 30)


@given(st.lists(st.integers(0, board.LINES - 1), min_size=1, max_size=9), st.integers(0, 99))
def test_longest_path_is_that_of_all_orders_of_routes(lines: list[int], start: int) -> None:
    state, city = make_state(5), board.LINE_FROM[start]
    near = np.flatnonzero((city == board.LINE_FROM) | (city == board.LINE_TO)).tolist()
    own: dict[int, int] = {}
    for line in [*near[:5], *lines]:
        if sum(board.LINE_LENGTH[each] for each in own.values()) + board.LINE_LENGTH[line] <= 45:
            own.setdefault(int(board.LINE_ROUTE[line]), line)
    for line in own.values():
        state[layout.OWNER_AT + line] = 2
        state[layout.player_at(2) + layout.TRAINS] -= board.LINE_LENGTH[line]
    assert longest_path(state, 2) == find_longest(frozenset(own.values()), None)
    assert longest_path(state, 1) == 0


def find_longest(left: frozenset[int], end: int | None) -> int:
    """Return the longest path over the lines *left* from a city, or from any."""
    best = 0
    for line in left:
        ends = (int(board.LINE_FROM[line]), int(board.LINE_TO[line]))
        for here, there in (ends, ends[::-1]):
            if end is None or end == here:
                best = max(best, int(board.LINE_LENGTH[line]) + find_longest(left - {line}, there))
    return best
