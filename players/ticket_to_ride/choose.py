"""How each kind of compiled player chooses a move of Ticket to Ride.

The match kernel, learners and the Python classes call the same functions, so a player moves alike
in all of them. Nobody looks at what a seat may not know: a state and what
:func:`games.ticket_to_ride.rules.hide` leaves of it give the same move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.compiled import compiled, internal
from games.stream import below, next_word
from games.ticket_to_ride.cards import State
from games.ticket_to_ride.layout import FORBIDDEN, PHASE, TO_MOVE, TURN, TicketRules
from games.ticket_to_ride.rules import list_moves
from genomes.simd import peek, poke
from players.lineup import (
    DECISION,
    FEATURES,
    FORBIDS,
    GRAPH,
    HEAD,
    KIND,
    NETWORK,
    NOISE,
    RANDOM,
    RULE,
    VARIANT,
    Lineup,
)
from players.ticket_to_ride.features import fill_features
from players.ticket_to_ride.move_features import describe_move, describe_situation, prune_moves
from players.ticket_to_ride.plan import prepare_turn
from players.ticket_to_ride.rule import carry_out, rule_move
from players.ticket_to_ride.scratch import TicketScratch
from players.ticket_to_ride.survey import survey
from players.ticket_to_ride.thinking import (
    DECISIONS,
    begin_weighing,
    weigh_decisions,
    weigh_move,
)

__all__ = ["begin_match", "choose_move", "decide"]


@compiled
def choose_move(rules: Any, lineup: Any, player: int, state: Any, scratch: Any) -> Any:
    """The number of the move of the seat whose turn it is, or ``FORBIDDEN``.

    Args:
        rules: The options of the game.
        lineup: The players.
        player: The row of who sits there.
        state: The state, or what that seat may know of it; the game is not over.
        scratch: Room for a match (:class:`~players.ticket_to_ride.scratch.TicketScratch`); chance
            comes from ``scratch.streams``.
    """
    noise, kind = lineup.seats[player, NOISE], lineup.seats[player, KIND]
    if noise > 0 and np.int64(next_word(scratch.streams) >> np.uint64(32)) < noise:
        kind = RANDOM
    thinks = kind in (NETWORK, GRAPH)
    decides = thinks and lineup.seats[player, HEAD] == DECISION
    seat, variant = state[TO_MOVE], lineup.seats[player, VARIANT]
    if kind == RULE or (decides and state[PHASE] != TURN):
        return rule_move(rules, state, seat, variant, scratch)
    moves = scratch.moves
    count = list_moves(rules, state, moves)
    if not thinks:
        return peek(moves, below(scratch.streams, count) if count > 1 else 0)
    if count == 1 and not decides:
        return peek(moves, 0)
    prepare_turn(rules, state, seat, variant, scratch)
    features = lineup.seats[player, FEATURES]
    fill_features(rules, state, seat, features, variant, scratch, scratch.room.inputs)
    if decides:
        return _play_decision(rules, lineup, player, state, scratch)
    return _play_best_move(lineup, player, state, count, scratch)


@compiled
def begin_match(scratch: Any) -> None:
    """Forgets what is known of the seats of the match before.

    No move depends on it: what is known is always checked. It makes sure that a match takes the
    same steps whatever was played before.
    """
    for place in range(scratch.seats.shape[0]):
        poke(scratch.seats, place, np.uint64(0))
    for place in range(scratch.room.keys.shape[0]):
        poke(scratch.room.keys, place, np.uint64(0))


def decide(rules: TicketRules, lineup: Lineup, state: State, scratch: TicketScratch) -> int:
    """The number of the move that the first player of *lineup* chooses, or ``FORBIDDEN``.

    The arguments are those of :func:`choose_move`.
    """
    begin_match(scratch)
    return int(choose_move(rules, lineup, 0, state, scratch))


@internal
def _play_decision(rules: Any, lineup: Any, player: int, state: Any, scratch: Any) -> Any:
    """Asks the network, whose features are filled in; the rule player carries its decision out."""
    seat, variant = state[TO_MOVE], lineup.seats[player, VARIANT]
    worths = scratch.room.worths
    weigh_decisions(lineup, player, scratch.room)
    for _ in range(DECISIONS):
        best = _strongest(worths)
        move = carry_out(rules, state, seat, variant, best, scratch)
        if move >= 0:
            return move
        if not lineup.seats[player, FORBIDS]:
            return np.int64(FORBIDDEN)
        poke(worths, best, -np.inf)
    return peek(scratch.moves, 0)


@internal
def _strongest(worths: Any) -> int:
    """The first of the strongest outputs; those that are no numbers are weaker than all others."""
    best = 0
    for place in range(1, DECISIONS):
        if worths[place] > worths[best] or worths[best] != worths[best]:
            best = place
    return best


@internal
def _play_best_move(lineup: Any, player: int, state: Any, count: int, scratch: Any) -> Any:
    """The first of the moves of which the network thinks most; there are *count* legal ones."""
    seat, moves, room = state[TO_MOVE], scratch.moves, scratch.room
    survey(state, seat, scratch)
    describe_situation(state, seat, scratch)
    begin_weighing(lineup, player, room)
    count = prune_moves(state, seat, moves, count, room)
    best, chosen = -np.inf, peek(moves, 0)
    for place in range(count):
        move = peek(moves, place)
        told = describe_move(state, seat, move, room)
        worth = weigh_move(lineup, player, room, told)
        if worth > best:
            best, chosen = worth, move
    return chosen
