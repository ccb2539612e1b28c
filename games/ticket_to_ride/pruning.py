"""The moves of Ticket to Ride that a network weighs: claims that hardly ever win are left out."""

from __future__ import annotations

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.games.ticket_to_ride.board import (
    GREY,
    LINE_COLOUR,
    LINE_ROUTE,
    LINE_TWIN,
    LOCOMOTIVE,
    ROUTE_LENGTH,
)
from evolve_arena.games.ticket_to_ride.cards import State
from evolve_arena.games.ticket_to_ride.facts import BEST_AT, is_wanted
from evolve_arena.games.ticket_to_ride.layout import DRAW_DECK, HAND_AT, OWNER_AT, TRAINS, player_at
from evolve_arena.games.ticket_to_ride.notes import Room
from evolve_arena.games.ticket_to_ride.ways import helps_ticket
from evolve_arena.genomes.simd import peek, poke


@compiled
def prune_moves(state: State, seat: int, moves: Array, count: int, room: Room) -> int:
    """Leave out claims that are hardly ever better than others; return the number of moves left.

    Of all ways to pay for a line only those stay that take the fewest locomotives, and of two free
    grey lines of a route only the first. Of the routes that are neither in the plan nor bring a
    ticket nearer, only one stays for each colour: the first of the longest that it pays for. Call
    :func:`~evolve_arena.games.ticket_to_ride.survey.survey` before.

    Args:
        state: The state, or the part of it that *seat* may know.
        seat: The player to move.
        moves: The legal moves, in ascending order; changed in place.
        count: Number of legal moves.
        room: See :class:`~evolve_arena.games.ticket_to_ride.notes.Room`.
    """
    hand, facts = player_at(seat) + HAND_AT, room.facts
    trains = peek(state, player_at(seat) + TRAINS)
    for colour in range(LOCOMOTIVE + 1):
        poke(facts, BEST_AT + colour, -1)
    kept = place = 0
    # Claims come first, those of one line in a row.
    while place < count and moves[place] < DRAW_DECK:
        line = moves[place] // 9
        end, fewest = place, 99
        while end < count and moves[end] < DRAW_DECK and moves[end] // 9 == line:
            fewest = min(fewest, count_locomotives(state, hand, moves[end]))
            end += 1
        twin, route = LINE_TWIN[line], LINE_ROUTE[line]
        again = LINE_COLOUR[line] == GREY and twin >= 0 and twin == line - 1
        if not (again and state[OWNER_AT + twin] < 0):
            wanted = is_wanted(facts, route) or helps_ticket(room, seat, route, trains)
            for number in range(place, end):
                move = moves[number]
                if count_locomotives(state, hand, move) == fewest:
                    if wanted:
                        moves[kept] = move
                        kept += 1
                    else:
                        _note_longer(facts, move)
        place = end
    # The longest route of each colour, then all moves that are no claims.
    for colour in range(LOCOMOTIVE + 1):
        if peek(facts, BEST_AT + colour) >= 0:
            moves[kept] = peek(facts, BEST_AT + colour)
            kept += 1
    while place < count:
        moves[kept] = moves[place]
        kept += 1
        place += 1
    return kept


@inlined
def _note_longer(facts: Array, move: int) -> None:
    """Note a claim as the best of its colour if its route is longer."""
    colour = move % 9
    best = peek(facts, BEST_AT + colour)
    if best < 0 or ROUTE_LENGTH[LINE_ROUTE[best // 9]] < ROUTE_LENGTH[LINE_ROUTE[move // 9]]:
        poke(facts, BEST_AT + colour, move)


@inlined
def count_locomotives(state: State, hand: int, move: int) -> Number:
    """Return the number of locomotives that a claim takes.

    Args:
        state: State, or the part of it that the claiming player may know.
        hand: Index in *state* of that player's cards, ``player_at(seat) + HAND_AT``.
        move: Number of the claim, ``9 * line + colour``.
    """
    length, colour = ROUTE_LENGTH[LINE_ROUTE[move // 9]], move % 9
    held = 0 if colour == LOCOMOTIVE else peek(state, hand + colour)
    return length - min(length, held)
