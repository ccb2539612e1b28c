"""States of Ticket to Ride for tests: of random games, and made by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from evolve_arena.core.types import Array
from evolve_arena.games.ticket_to_ride import board, layout
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.notes import ROOM_SIZE, Room
from evolve_arena.games.ticket_to_ride.rules import read_notes
from evolve_arena.games.ticket_to_ride.turns import apply_move, deal

SHORT = ("Denver", "El Paso")
"""A ticket whose path is two grey routes of two trains, over Santa Fe: four points."""
HOUSTON = ("Kansas City", "Houston")
"""One whose path takes five trains, over Oklahoma City and Dallas: five points."""


def deal_state(players: int, seed: int = 1) -> Array:
    """Return a state in which first tickets are offered to seat 0."""
    state = np.zeros(layout.STATE_FIELDS, dtype=np.int64)
    state[layout.STREAM] = np.uint64(seed % 2**64).astype(np.int64)
    deal(players, state)
    return state


def make_state(
    players: int = 2,
    *tickets: tuple[str, str],
    deck: str | None = None,
    opened: str | None = None,
    discarded: str = "",
    **hand: int,
) -> Array:
    """Return a state at seat 0's turn on an empty map, with these tickets and cards in its hand.

    A *deck* is a text of colours, its top card the last of them. If it is given, no other cards
    exist, and the other players have none.
    """
    state = deal_state(players, 3)
    state[layout.PHASE], state[layout.ROUND], state[layout.OFFERED_SIZE] = layout.TURN, 1, 0
    state[layout.OFFERED_AT : layout.OFFERED_AT + 3] = -1
    if deck is not None:
        lay(state, layout.DECK_AT, layout.DECK_SIZE, layout.MAX_CARDS, deck)
        opened = opened or ""
        for seat in range(players):
            give(state, seat)
        state[layout.DISCARD_AT : layout.DISCARD_AT + 9] = np.bincount(
            read_cards(discarded), minlength=9
        )
        state[layout.DISCARD_SIZE] = len(discarded.split())
    if opened is not None:
        lay(state, layout.OPEN_AT, layout.OPEN_SIZE, layout.OPEN_CARDS, opened)
    give(state, 0, **hand)
    hold(state, 0, *tickets)
    return state


def lay(state: Array, at: int, size: int, places: int, cards: str) -> None:
    """Lay *cards* at these *places* of a state."""
    colours = read_cards(cards)
    state[at : at + places] = -1
    state[at : at + len(colours)] = colours
    state[size] = len(colours)


def read_cards(text: str) -> Array:
    names = ["locomotive" if word == "loco" else word for word in text.split()]
    return np.array([board.COLOURS.index(name) for name in names], dtype=np.int64)


def give(state: Array, seat: int, **hand: int) -> None:
    """Give a *hand* to a *seat*, in place of the one it has."""
    at = layout.player_at(seat)
    state[at + layout.HAND_AT : at + layout.HAND_AT + 9] = [
        hand.get(colour, 0) for colour in board.COLOURS
    ]
    state[at + layout.CARDS] = sum(hand.values())


def hold(state: Array, seat: int, *tickets: tuple[str, str]) -> None:
    """Give tickets to a *seat*, beside those it has."""
    at = layout.player_at(seat)
    for ticket in tickets:
        state[at + layout.TICKETS_AT + state[at + layout.HELD_TICKETS]] = find_ticket(*ticket)
        state[at + layout.HELD_TICKETS] += 1


def offer(state: Array, phase: int, *tickets: tuple[str, str]) -> Array:
    """Offer tickets to the player to move."""
    state[layout.PHASE], state[layout.OFFERED_SIZE] = phase, len(tickets)
    for place, ticket in enumerate(tickets):
        state[layout.OFFERED_AT + place] = find_ticket(*ticket)
    return state


def take(state: Array, seat: int, *routes: tuple[str, str]) -> Array:
    """Set the owner of first lines of *routes* to a *seat*, without any trains, points or parts."""
    for route in routes:
        state[layout.OWNER_AT + find_line(*route)] = seat
    return state


def find_route(one: str, other: str) -> int:
    """Return the number of the route between two cities."""
    ends = {board.CITY_NAMES.index(one), board.CITY_NAMES.index(other)}
    return next(r for r in range(board.ROUTES) if {board.ROUTE_FROM[r], board.ROUTE_TO[r]} == ends)


def find_line(one: str, other: str, colour: str = "", second: bool = False) -> int:
    """Return the line between two cities, of a *colour* if one is named."""
    route = find_route(one, other)
    first = int(board.LINE_OF_ROUTE[route])
    lines = range(first, first + int(board.ROUTE_LINES[route]))
    colours = {line: board.COLOURS[board.LINE_COLOUR[line]] for line in lines}
    return [line for line in lines if colour in ("", colours[line])][second]


def find_claim(one: str, other: str, colour: str, second: bool = False) -> int:
    """Return the move that claims a line between two cities with cards of a *colour*."""
    return 9 * find_line(one, other, second=second) + board.COLOURS.index(colour)


def find_ticket(one: str, other: str) -> int:
    """Return the number of the ticket between two cities."""
    ends = {board.CITY_NAMES.index(one), board.CITY_NAMES.index(other)}
    return next(t for t in range(30) if {board.TICKET_FROM[t], board.TICKET_TO[t]} == ends)


def list_legal(state: Array) -> list[int]:
    moves = np.zeros(layout.MOVES, dtype=np.int64)
    listed: list[int] = moves[: list_moves(state, moves)].tolist()
    return listed


def make_notes() -> Array:
    """Return the notes of a player without knowledge yet."""
    return np.zeros(ROOM_SIZE, dtype=np.int64)


def make_room() -> Room:
    """Return such notes, split into their parts."""
    return read_notes(make_notes())


def list_routes(words: Array, place: int) -> set[int]:
    """Return the routes in a set of two words."""
    bits = int(words[place]) | int(words[place + 1]) << 64
    return {route for route in range(board.ROUTES) if bits >> route & 1}


def play_game(players: int, seed: int, *, claims: float = 0.0) -> Iterator[tuple[Array, list[int]]]:
    """Yield each state of a game of random moves, which is changed in place, and its moves.

    *claims* is the share of turns in which a route is claimed, if one can be.
    """
    chooser, state = random.Random(seed), deal_state(players, seed)
    while moves := list_legal(state):
        yield state, moves
        claimed = [move for move in moves if move < layout.DRAW_DECK]
        some = claimed if claimed and chooser.random() < claims else moves
        apply_move(state, chooser.choice(some))
    yield state, []
