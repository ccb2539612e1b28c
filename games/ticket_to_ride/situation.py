"""The inputs of networks that describe the situation in Ticket to Ride, before any move.

The inputs are the 28 features of the state, then :data:`SITUATION_NAMES`, then those of
:mod:`evolve_arena.games.ticket_to_ride.move_features`. All are scaled to lie in about -1 to 1.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.games.ticket_to_ride.board import GREY, LOCOMOTIVE, TICKET_POINTS, length_points
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.facts import (
    GAIN_AT,
    LENGTHS_AT,
    NEED_AT,
    OPEN_AT,
    collect_open,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    HAND_AT,
    KEEP_FIRST,
    LAST_SEAT,
    NUMBER_OF_PLAYERS,
    PHASE,
    POINTS,
    SECOND_CARD,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.notes import AFFORDABLE, GOAL, Room
from evolve_arena.games.ticket_to_ride.survey import count_missing
from evolve_arena.games.ticket_to_ride.ways import measure_tree, way_of
from evolve_arena.genomes.simd import peek, poke

STATE_FEATURES = 28
"""Number of features of the state that come first; see
:mod:`evolve_arena.games.ticket_to_ride.features`."""

SITUATION_NAMES = (
    "first tickets",
    "second card",
    "last round",
    "trains to open tickets",
    "tree of open tickets",
    "trains beyond that tree",
    "points of open tickets",
    "tickets out of reach",
    "trains to the nearest ticket",
    "locomotives",
    "most cards of a colour",
    "cards that the plan lacks",
    "wanted routes that can be paid",
    "lead over the best other",
    "most cards of another",
)
"""Names of the inputs after the features of the state, in order."""

SITUATION_AT = STATE_FEATURES
MOVES_AT = SITUATION_AT + len(SITUATION_NAMES)
"""First input of situations, and first input of moves."""

ONE = np.int64(1)


@compiled
def describe_situation(state: State, seat: int, room: Room) -> None:
    """Write the inputs of :data:`SITUATION_NAMES` to ``room.inputs``, after a survey.

    Note, too, the facts about cards that
    :func:`~evolve_arena.games.ticket_to_ride.move_features.write_move` needs.

    Args:
        state: State, or the part of it that *seat* may know.
        seat: Player whose situation it is.
        room: Plan and survey of this seat, and the inputs and facts, which are written; see
            :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    base, at = player_at(seat), SITUATION_AT
    facts, out = room.facts, room.inputs
    trains = peek(state, base + TRAINS)
    write_input(out, at, 1.0 if state[PHASE] == KEEP_FIRST else 0.0)
    write_input(out, at + 1, 1.0 if state[PHASE] == SECOND_CARD else 0.0)
    write_input(out, at + 2, 1.0 if state[LAST_SEAT] >= 0 else 0.0)
    # Open tickets: sums, those out of reach, and the nearest one.
    ways, worth, lost, nearest = 0.0, 0, 0, 0.0
    count = collect_open(facts)
    for place in range(count):
        ticket = peek(facts, OPEN_AT + place)
        worth += TICKET_POINTS[ticket]
        way = way_of(room, seat, ticket)
        if way > trains:
            lost += 1
            continue
        ways += way
        nearest = way if nearest == 0.0 else min(nearest, way)
    tree = measure_tree(room, seat, count)
    write_input(out, at + 3, ways / 32.0)
    write_input(out, at + 4, tree / 32.0)
    write_input(out, at + 5, (trains - tree) / 32.0)
    write_input(out, at + 6, worth / 32.0)
    write_input(out, at + 7, lost / 2.0)
    write_input(out, at + 8, nearest / 16.0)
    _describe_hand(state, base + HAND_AT, room)
    count_missing(state, seat, room)
    _count_gains(state, seat, facts)
    most_points = most_cards = 0
    for other in range(state[NUMBER_OF_PLAYERS]):
        if other != seat:
            most_points = max(most_points, peek(state, player_at(other) + POINTS))
            most_cards = max(most_cards, peek(state, player_at(other) + CARDS))
    write_input(out, at + 13, (peek(state, base + POINTS) - most_points) / 64.0)
    write_input(out, at + 14, most_cards / 16.0)


@inlined
def _describe_hand(state: State, hand: int, room: Room) -> None:
    """Write the inputs about own cards."""
    facts, out = room.facts, room.inputs
    wild = peek(state, hand + LOCOMOTIVE)
    most = lacking = 0
    for colour in range(LOCOMOTIVE):
        held = peek(state, hand + colour)
        most = max(most, held)
        lacking += max(0, peek(facts, NEED_AT + colour) - held)
    # Grey routes take the colour held most; locomotives fill up any of them.
    lacking += max(0, peek(facts, NEED_AT + GREY) - most)
    payable = 0
    for word in range(2):
        payable += count_bits(room.plan[GOAL + word] & room.plan[AFFORDABLE + word])
    write_input(out, SITUATION_AT + 9, wild / 4.0)
    write_input(out, SITUATION_AT + 10, most / 8.0)
    write_input(out, SITUATION_AT + 11, max(0, lacking - wild) / 16.0)
    write_input(out, SITUATION_AT + 12, payable / 4.0)


@compiled
def _count_gains(state: State, seat: int, facts: Array) -> None:
    """Note, for each colour, the additional points of a route that one more card of it pays for."""
    hand, most = player_at(seat) + HAND_AT, 0
    wild = peek(state, hand + LOCOMOTIVE)
    for colour in range(LOCOMOTIVE):
        cards, lengths = peek(state, hand + colour) + wild, peek(facts, LENGTHS_AT + colour)
        gain = _most_points(lengths, cards + 1) - _most_points(lengths, cards)
        poke(facts, GAIN_AT + colour, gain)
        most = max(most, gain)
    poke(facts, GAIN_AT + LOCOMOTIVE, most)


@inlined
def _most_points(lengths: int, cards: int) -> int:
    """Return the points of the longest of the *lengths* (bits) that *cards* cards pay for."""
    for length in range(min(cards, 6), 0, -1):
        if (lengths >> length) & ONE:
            return length_points(length)
    return 0


@inlined
def write_input(out: Floats, place: int, value: Number) -> None:
    """Write the *value* of the input at a *place* to ``room.inputs``.

    Args:
        out: ``room.inputs``, of ``float32``.
        place: Index of the input.
        value: Value, scaled to about -1 to 1; it is rounded to ``float32``.
    """
    poke(out, place, np.float32(value))
