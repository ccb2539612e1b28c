"""Which claims are weighed: there is always one, if nothing else is left to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import LINES
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    CLOSED_AT,
    DECK_SIZE,
    HAND_AT,
    OPEN_SIZE,
    PHASE,
    TICKET_DECK_SIZE,
    TURN,
    player_at,
)
from tests.bred import make_bred


@pytest.mark.parametrize("line", [0, 6, LINES - 1])
def test_the_only_route_left_is_weighed(line: int) -> None:
    """Line 0 is grey, and has no twin; the others are grey second lines of their routes."""
    options = {"head": "action", "encoding": "features", "hidden": (4,)}
    player: Any = make_bred("ticket-to-ride", "mlp", 1, **options)
    game = player.game
    position = game.initial(1)
    while position.state[PHASE] != TURN:
        position = game.play(position, game.legal_moves(position)[0])
    state, own = np.array(position.state), player_at(0)
    state[[DECK_SIZE, OPEN_SIZE, TICKET_DECK_SIZE]] = 0
    open_lines = {line, max(line - 1, 0)}
    for word in range(2):
        closed = sum(1 << n for n in range(64) if 64 * word + n not in open_lines)
        state[own + CLOSED_AT + word] = np.uint64(closed).astype(np.int64)
    state[own + HAND_AT : own + HAND_AT + 9] = 6
    state[own + CARDS] = 54
    position = position._replace(state=tuple(state.tolist()))
    moves = game.legal_moves(position)
    assert {move // 9 for move in moves} == open_lines
    assert player.move(position) in [move for move in moves if move // 9 == min(open_lines)]
