"""Which moves are legal: lines that may be claimed, and how each is paid."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import LINE_TWIN, LOCOMOTIVE, PINK_LINE
from evolve_arena.games.ticket_to_ride.layout import (
    HAND_AT,
    MOVES,
    OWNER_AT,
    TRAINS,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import can_claim, list_moves
from evolve_arena.games.ticket_to_ride.rules import apply_move

RED, WHITE = 0, 2


def test_the_ways_to_pay(make_state, line_of):
    rules = TicketRules()
    state = make_state(hands=("red white white loco loco",), deck="red red")
    white, green = (line_of("Chicago", "Saint Louis", colour) for colour in ("white", "green"))
    grey = line_of("Dallas", "Houston")
    listed = _list(rules, state)
    assert [move % 9 for move in listed if move // 9 == white] == [WHITE, LOCOMOTIVE]
    assert [move % 9 for move in listed if move // 9 == green] == [LOCOMOTIVE]
    assert [move % 9 for move in listed if move // 9 == grey] == [RED, WHITE, LOCOMOTIVE]
    apply_move(rules, state, 9 * green + LOCOMOTIVE)
    assert state[player_at(0) + HAND_AT : player_at(0) + HAND_AT + 9].tolist() == [
        *[1, 0, 2],
        *[0] * 6,
    ]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_second_line_of_a_double_route(make_state, line_of, players):
    rules, state = TicketRules(), make_state(players, deck="red red")
    first, second = line_of("Dallas", "Houston"), line_of("Dallas", "Houston", second=True)
    assert LINE_TWIN[first] == second
    state[OWNER_AT + second] = 0
    assert not can_claim(rules, state, 1, second)
    assert not can_claim(rules, state, 0, first)
    assert can_claim(rules, state, 1, first) == (players >= 4)


def test_a_line_needs_its_trains(make_state, line_of):
    rules, state = TicketRules(), make_state(deck="red")
    line = line_of("Dallas", "El Paso")
    state[player_at(0) + TRAINS] = 4
    assert can_claim(rules, state, 0, line)
    state[player_at(0) + TRAINS] = 3
    assert not can_claim(rules, state, 0, line)


def test_without_its_pink_line_the_route_is_single(make_state):
    state = make_state(4, deck="red")
    assert can_claim(TicketRules(), state, 0, PINK_LINE)
    assert not can_claim(TicketRules(pink_line=0), state, 0, PINK_LINE)
    assert can_claim(TicketRules(pink_line=0), state, 0, int(LINE_TWIN[PINK_LINE]))


def _list(rules, state):
    moves = np.zeros(MOVES, dtype=np.int64)
    return moves[: list_moves(rules, state, moves)].tolist()
