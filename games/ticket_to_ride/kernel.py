"""The compiled arena of Ticket to Ride: whole matches between packed players at tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.games.ticket_to_ride.cards import players_word
from evolve_arena.games.ticket_to_ride.choose import begin_match, choose_move
from evolve_arena.games.ticket_to_ride.features import fill_features
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_TICKETS,
    MOST_PLAYERS,
    NUMBER_OF_PLAYERS,
    OFFENDER,
    OVER,
    PASS,
    PHASE,
    ROUND,
    STATE_FIELDS,
    TO_MOVE,
    TURN,
    TicketRules,
)
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.scoring import count_tickets, place, score
from evolve_arena.games.ticket_to_ride.workspace import VARIANT

LOGGED_FEATURES = 28
"""How many features a decision is logged with; the first 26 are those of the smaller set."""
PASSED, DREW_CARDS, DREW_TICKETS, CLAIMED = 0, 1, 2, 3
FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)


class Table(NamedTuple):
    """Room for a match, used again and again; all of ``int64``."""

    state: NDArray[np.int64]
    """Shape ``(STATE_FIELDS,)``."""
    points: NDArray[np.int64]
    """By seat, shape ``(MOST_PLAYERS,)``; so are the following."""
    places: NDArray[np.int64]
    done: NDArray[np.int64]
    failed: NDArray[np.int64]


def new_table() -> Table:
    """Room for a match."""
    seats = (np.zeros(MOST_PLAYERS, dtype=np.int64) for _ in range(4))
    return Table(np.zeros(STATE_FIELDS, dtype=np.int64), *seats)


@compiled
def play_matches(
    rules: TicketRules,
    packed: Any,
    seatings: Any,
    seeds: Any,
    workspace: Any,
    table: Any,
    places: Any,
    plies: Any,
    offenders: Any,
    games: Any,
    points: Any,
    done: Any,
    failed: Any,
    rounds: Any,
) -> None:
    """Plays every seating and fills in the rest; n is the number of matches.

    Args:
        rules: The options of the game; how many play is told by the seating.
        packed: The players.
        seatings: Rows of the packed players by seat, -1 beyond, shape ``(n, MOST_PLAYERS)``.
        seeds: What the decks, and the players' stream, depend on, shape ``(n,)``.
        workspace: Room for the players; see
            :class:`evolve_arena.games.ticket_to_ride.workspace.TicketWorkspace`.
        table: Room for a match.
        places: 1 for the most points; 0 at empty seats; shape ``(n, MOST_PLAYERS)``.
        plies: How many moves were made, shape ``(n,)`` as the next two.
        offenders: The seat whose forbidden move ended the match, or -1.
        games: A hash of the moves (``uint64``): equal games have equal hashes.
        points: Final points by seat, shape ``(n, MOST_PLAYERS)`` as the next two.
        done: Tickets done.
        failed: Tickets not done.
        rounds: How many rounds were played, shape ``(n,)``.
    """
    state = table.state
    for match in range(seatings.shape[0]):
        players = set_up(rules, seatings, seeds, match, state, workspace)
        game = FNV_START
        ply = 0
        while state[PHASE] != OVER:
            player = seatings[match, state[TO_MOVE]]
            move = choose_move(rules, packed, player, state, workspace)
            play_move(rules, state, move)
            if move >= 0:
                game = (game ^ np.uint64(move + 1)) * FNV_PRIME
                ply += 1
        games[match] = game
        plies[match] = ply
        judge(rules, table)
        rounds[match] = state[ROUND]
        offenders[match] = state[OFFENDER]
        for seat in range(MOST_PLAYERS):
            here = seat < players
            points[match, seat] = table.points[seat] if here else 0
            places[match, seat] = table.places[seat] if here else 0
            done[match, seat] = table.done[seat] if here else 0
            failed[match, seat] = table.failed[seat] if here else 0


@compiled
def set_up(
    rules: TicketRules, seatings: Any, seeds: Any, match: int, state: Any, workspace: Any
) -> int:
    """Deals a match, readies the players' room, and tells how many play."""
    players = 0
    while players < MOST_PLAYERS and seatings[match, players] >= 0:
        players += 1
    deal(rules, players, seeds[match], state)
    workspace.streams[0] = players_word(seeds[match])
    begin_match(workspace)
    return players


@compiled
def play_move(rules: TicketRules, state: Any, move: int) -> None:
    """Plays the *move* that a player has chosen.

    It is negative if the player wanted something that is forbidden: the match is over then.
    """
    if move < 0:
        state[OFFENDER] = state[TO_MOVE]
        state[PHASE] = OVER
    else:
        apply_move(rules, state, move)


@compiled
def judge(rules: TicketRules, table: Any) -> None:
    """Fills in points, places and tickets of a match that is over, or was ended by an offence.

    Who made a forbidden move comes last, whatever the points are.
    """
    state, places = table.state, table.places
    score(rules, state, table.points)
    place(rules, state, table.points, places)
    players, offender = state[NUMBER_OF_PLAYERS], state[OFFENDER]
    for seat in range(players):
        table.done[seat], table.failed[seat] = count_tickets(state, seat)
    if offender >= 0:
        for seat in range(players):
            if places[seat] > places[offender]:
                places[seat] -= 1
        places[offender] = players


@compiled
def decision_of(move: int) -> int:
    """The class of decisions to which a *move* at the beginning of a turn belongs."""
    if move == PASS:
        return PASSED
    if move == DRAW_TICKETS:
        return DREW_TICKETS
    return CLAIMED if move < DRAW_DECK else DREW_CARDS


@compiled
def log_matches(
    rules: Any,
    packed: Any,
    seatings: Any,
    seeds: Any,
    workspace: Any,
    table: Any,
    features: Any,
    classes: Any,
    games: Any,
    seats: Any,
    rounds: Any,
    points: Any,
    places: Any,
    offenders: Any,
) -> Any:
    """Plays matches until the room is used up; how many games and decisions there are now."""
    state = table.state
    row = 0
    for match in range(min(seatings.shape[0], points.shape[0])):
        first = row
        players = set_up(rules, seatings, seeds, match, state, workspace)
        while state[PHASE] != OVER:
            if row == classes.shape[0]:
                return match, first
            player = seatings[match, state[TO_MOVE]]
            asked = state[PHASE] == TURN
            if asked:
                _note(rules, packed, player, state, workspace, features[row])
                games[row], seats[row], rounds[row] = match, state[TO_MOVE], state[ROUND]
            move = choose_move(rules, packed, player, state, workspace)
            play_move(rules, state, move)
            if asked and move >= 0:
                classes[row] = decision_of(move)
                row += 1
        judge(rules, table)
        offenders[match] = state[OFFENDER]
        for seat in range(players):
            points[match, seat] = table.points[seat]
            places[match, seat] = table.places[seat]
    return min(seatings.shape[0], points.shape[0]), row


@compiled
def _note(rules: Any, packed: Any, player: int, state: Any, workspace: Any, row: Any) -> None:
    """Fills *row* with the features of a turn, as the rule player of that seat understands it."""
    variant = packed.seats[player, VARIANT]
    prepare_turn(rules, state, state[TO_MOVE], variant, workspace)
    fill_features(rules, state, state[TO_MOVE], LOGGED_FEATURES, variant, workspace, row)
