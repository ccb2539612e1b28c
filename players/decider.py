"""How Python asks a compiled player for one move: by game.

Whole matches do without; there the kernels of :mod:`evolve_arena.arena.kernels` ask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evolve_arena.games.checkers import game as checkers
from evolve_arena.games.checkers.board import CheckersRules, note_position
from evolve_arena.games.checkers.decision import decide as decide_checkers
from evolve_arena.games.checkers.seat import make_checkers_scratch
from evolve_arena.games.connect_four import game as connect_four
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.seats import decide as decide_connect_four
from evolve_arena.games.ticket_to_ride.choose import decide as decide_ticket_to_ride
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import TicketRules
from evolve_arena.games.ticket_to_ride.position import Position as TicketPosition
from evolve_arena.games.ticket_to_ride.scratch import make_ticket_scratch
from evolve_arena.players.lineup import Lineup, make_scratch

__all__ = ["DECIDERS", "Decider"]


@dataclass(frozen=True)
class Decider:
    """How it is done in one game."""

    make_scratch: Callable[[Lineup], Any]
    """Room for the players of a lineup, with a field ``streams``."""
    decide: Callable[[Any, Lineup, Any, Any], int]
    """The number of the move that the lineup's only player chooses, or less than 0 if it wants
    something that is never allowed: takes the rules, the lineup, the position and the scratch, from
    whose first stream chance comes."""


def _decide_checkers(
    rules: CheckersRules, lineup: Lineup, position: checkers.Position, scratch: Any
) -> int:
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    quiet = len(position.past)
    scratch.past[:quiet] = np.array(position.past, dtype=np.uint64)
    note_position(scratch.past, quiet, *board)
    chair = position.side ^ rules.turned
    return int(decide_checkers(lineup, chair, *board, quiet, scratch))


def _decide_connect_four(
    rules: Rules, lineup: Lineup, position: connect_four.Position, scratch: Any
) -> int:
    side = position.ply % 2
    own, other = position.first, position.second
    if side:
        own, other = other, own
    boards = np.uint64(own), np.uint64(other)
    return int(decide_connect_four(rules, lineup, side, *boards, scratch, False))


def _decide_ticket_to_ride(
    rules: TicketRules, lineup: Lineup, position: TicketPosition, scratch: Any
) -> int:
    return int(decide_ticket_to_ride(rules, lineup, position.array.copy(), scratch))


DECIDERS: dict[str, Decider] = {
    checkers.Checkers.name: Decider(make_checkers_scratch, _decide_checkers),
    connect_four.ConnectFour.name: Decider(make_scratch, _decide_connect_four),
    TicketToRide.name: Decider(make_ticket_scratch, _decide_ticket_to_ride),
}
"""By the game's name."""
