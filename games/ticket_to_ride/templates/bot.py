"""The outside of exported bots of Ticket to Ride, which `bundle` gathers with all that it needs.

What stands in capitals here is put in by the export. It must stay free of everything but Python 3.8
and its standard library, and what the arena's own kernel has.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from types import SimpleNamespace
from typing import Any

from evolve_arena.games.ticket_to_ride.board import (
    CITIES,
    COLOURS,
    LINE_FROM,
    LINE_OF_ROUTE,
    LINE_TO,
    ROUTES,
    TICKETS,
)
from evolve_arena.games.ticket_to_ride.choose import choose_move
from evolve_arena.games.ticket_to_ride.dialect import PHASES, tell_view
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_SIZE,
    DISCARD_SIZE,
    HAND_AT,
    HELD_TICKETS,
    LAST_SEAT,
    MOST_PLAYERS,
    MOVES,
    NUMBER_OF_PLAYERS,
    OFFERED_AT,
    OFFERED_SIZE,
    OPEN_AT,
    OPEN_SIZE,
    OVER,
    OWNER_AT,
    PART_AT,
    PASSES,
    PHASE,
    POINTS,
    ROUND,
    STATE_FIELDS,
    TICKET_DECK_SIZE,
    TICKETS_AT,
    TO_MOVE,
    TRAINS,
    player_at,
)
from evolve_arena.games.ticket_to_ride.layout import (
    STREAM as STREAM_AT,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.moves import format_move, route_name
from evolve_arena.games.ticket_to_ride.position import describe_ticket
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.scoring import score
from evolve_arena.runs.export.templates.kernel import below
from evolve_arena.runs.export.templates.numbers_mlp import evaluate_numbers

RULES: Any = SimpleNamespace()
PLAYER: Any = SimpleNamespace()
ROOM: Any = SimpleNamespace(inputs=array("f"))
STREAM = [0]


def choose(view: dict[str, Any], stream: list[int] = STREAM) -> str:
    """The move to make, as the arena writes it, for what the seat that is to move may know.

    Where chance decides, it comes from the stream: a list of one whole number of 64 bits, which
    changes.
    """
    ROOM.streams = stream
    return format_move(choose_move(RULES, PLAYER, 0, read_view(view), ROOM))


def read_view(view: dict[str, Any]) -> list[int]:
    """The fields of a state as the arena has them; what is hidden is 0 or -1."""
    state, seat = [-1] * STATE_FIELDS, view["seat"]
    state[NUMBER_OF_PLAYERS], state[TO_MOVE] = len(view["seats"]), seat
    state[PHASE], state[ROUND] = PHASES.index(view["phase"]), view["round"]
    if view["last_seat"] is not None:
        state[LAST_SEAT] = view["last_seat"]
    state[PASSES], state[DECK_SIZE] = view["passes"], view["deck"]
    state[DISCARD_SIZE] = sum(view["discarded"].values())
    state[TICKET_DECK_SIZE] = view["ticket_deck"]
    state[OPEN_SIZE], state[OFFERED_SIZE] = len(view["open"]), len(view["offered"])
    tickets = [describe_ticket(ticket) for ticket in range(TICKETS)]
    for place, colour in enumerate(view["open"]):
        state[OPEN_AT + place] = COLOURS.index(colour)
    for place, ticket in enumerate(view["offered"]):
        state[OFFERED_AT + place] = tickets.index(ticket)
    for other, told in enumerate(view["seats"]):
        at = player_at(other)
        state[at + TRAINS], state[at + POINTS] = told["trains"], told["points"]
        state[at + CARDS], state[at + HELD_TICKETS] = told["cards"], told["tickets"]
    own = player_at(seat)
    for place, colour in enumerate(COLOURS):
        state[own + HAND_AT + place] = view["hand"].get(colour, 0)
    for place, ticket in enumerate(view["tickets"]):
        state[own + TICKETS_AT + place] = tickets.index(ticket)
    parts = list(range(CITIES))
    for route in range(ROUTES):
        for place, owner in enumerate(view["claimed"].get(route_name(route), ())):
            line = LINE_OF_ROUTE[route] + place
            state[OWNER_AT + line] = -1 if owner is None else owner
            if owner == seat:
                low, high = sorted((parts[LINE_FROM[line]], parts[LINE_TO[line]]))
                parts = [low if part == high else part for part in parts]
    state[own + PART_AT : own + PART_AT + CITIES] = parts
    if len(state) != STATE_FIELDS or any(type(n) is not int or abs(n) > 999 for n in state):
        raise ValueError("the view has a number that no game has")
    return state


def start(players: int, seed: int | None = None) -> list[int]:
    """Returns the state before the first move; the decks follow from the seed, else from now."""
    if players not in range(2, MOST_PLAYERS + 1):
        raise ValueError("2 to 5 play")
    state: Any = [0] * STATE_FIELDS
    deal(RULES, players, time.time_ns() if seed is None else seed, state)
    return list(state)


def view(state: list[int]) -> dict[str, Any]:
    """Returns what the seat that is to move may know of a state: what choose takes."""
    return {**tell_view(state), "moves": legal(state)}


def legal(state: Any) -> list[str]:
    """Returns the moves in a state; none once the game is over."""
    return list(number_moves(state))


def number_moves(state: Any) -> dict[str, int]:
    """The numbers of the moves in a state, by their names."""
    numbers: Any = [0] * MOVES
    return {format_move(move): move for move in numbers[: list_moves(RULES, state, numbers)]}


def play(state: list[int], move: str) -> list[int]:
    """Returns the state after a move."""
    moves = number_moves(state)
    after: Any = list(state)
    if move not in moves:
        raise ValueError(f"there is no move {move!r} here")
    apply_move(RULES, after, moves[move])
    return list(after)


def result(state: Any) -> Any:
    """Returns None while the game goes on, else the points of each seat."""
    if state[PHASE] != OVER:
        return None
    points: Any = [0] * MOST_PLAYERS
    score(RULES, state, points)
    return tuple(points[: state[NUMBER_OF_PLAYERS]])


def draw_state(state: list[int], count: int) -> int:
    """A random integer from 0 to count - 1 from the state's own stream."""
    stream = [state[STREAM_AT]]
    drawn = below(stream, count)
    state[STREAM_AT] = stream[0]
    return drawn


def weigh_decisions(packed: Any, player: int, network: Any) -> None:
    """Writes what the network thinks of each kind of decision."""
    network.worths[:4] = evaluate_numbers(network.inputs)


def begin_weighing(packed: Any, player: int, network: Any) -> None:
    """Nothing: every move is weighed by itself."""


def weigh_move(packed: Any, player: int, network: Any, count: int) -> float:
    """What the network thinks of the move that the inputs tell of."""
    return evaluate_numbers(network.inputs)[0]


def play_on_stdin() -> None:
    """Answers each line "go" with "move MOVE", for what a line "view JSON" told."""
    view: dict[str, Any] = {}
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "view":
            view = json.loads(rest)
        elif word == "go":
            print("move", choose(view), flush=True)
        elif word == "quit":
            break
