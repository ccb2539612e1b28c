"""Logs of decisions in Ticket to Ride: what a player saw at the beginning of a turn, and did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Seatings, make_batch
from evolve_arena.core.compiled import compiled
from evolve_arena.core.game import AnyGame
from evolve_arena.games.ticket_to_ride.choose import choose_move
from evolve_arena.games.ticket_to_ride.features import fill_features
from evolve_arena.games.ticket_to_ride.kernel import judge, new_table, play_move, set_up
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_TICKETS,
    MOST_PLAYERS,
    OFFENDER,
    OVER,
    PASS,
    PHASE,
    ROUND,
    TO_MOVE,
    TURN,
)
from evolve_arena.games.ticket_to_ride.plan import prepare_turn
from evolve_arena.games.ticket_to_ride.workspace import VARIANT, make_ticket_workspace
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer, check_board

LOGGED_FEATURES = 28
"""How many features a decision is logged with; the first 26 are those of the smaller set."""
PASSED, DREW_CARDS, DREW_TICKETS, CLAIMED = 0, 1, 2, 3
ROWS = 100_000
"""Decisions that are held in memory at once, unless a single game has more."""


@dataclass(frozen=True, eq=False)
class DecisionLog:
    """Decisions in the order in which they were made, and how the games ended."""

    features: NDArray[np.float32]
    """What the player saw, shape ``(decisions, 28)``: :data:`FEATURE_NAMES` of
    :mod:`evolve_arena.games.ticket_to_ride.features`."""
    classes: NDArray[np.int8]
    """What it did: 0 pass, 1 draw cards, 2 draw tickets, 3 claim a route; shape ``(decisions,)``
    as the next three."""
    games: NDArray[np.int32]
    """In which game, counted from 0 through all logs of one call."""
    seats: NDArray[np.int8]
    rounds: NDArray[np.int16]
    points: NDArray[np.int16]
    """Final points by seat, 0 at empty ones, shape ``(games, MOST_PLAYERS)``."""
    places: NDArray[np.int8]
    """Who came in where, 0 at empty seats, shape ``(games, MOST_PLAYERS)``."""
    offenders: NDArray[np.int8]
    """The seat whose forbidden move ended a game, or -1, shape ``(games,)``. That move itself is
    not among the decisions."""

    def __len__(self) -> int:
        return len(self.classes)


def log_games(
    game: AnyGame,
    players: Sequence[CompiledPlayer],
    seatings: Seatings,
    seeds: NDArray[np.uint64],
    *,
    rows: int = ROWS,
) -> Iterator[DecisionLog]:
    """Plays the matches that an arena would play, and logs all decisions at beginnings of turns.

    Logs come in parts of whole games, so that memory does not grow with their number.

    Args:
        game: The rules.
        players: Whom the seatings name, by number.
        seatings: Who sits where, shape ``(matches, MOST_PLAYERS)``.
        seeds: Shape ``(matches,)``.
        rows: How many decisions a part may have; more if a single game has more.

    Raises:
        BadValueError: A player is made for another board.
    """
    for player in players:
        check_board(player, game.rules)
    packed = combine_players([player.packed for player in players])
    batch = make_batch(game, packed, seatings, seeds)
    workspace, table = make_ticket_workspace(packed), new_table()
    start = 0
    while start < len(batch):
        part = slice(start, None)
        log = _new_log(rows, len(batch) - start)
        played, decisions = _log_matches(
            game.rules, packed, batch.seatings[part], batch.seeds[part], workspace, table, *log
        )
        if played:
            yield _cut(log, start, played, decisions)
        else:
            rows *= 2
        start += played


def join_logs(logs: Sequence[DecisionLog]) -> DecisionLog:
    """Parts of a log as one."""
    columns = [[getattr(log, field.name) for log in logs] for field in fields(DecisionLog)]
    return DecisionLog(*(np.concatenate(column) for column in columns))


@compiled
def decision_of(move: int) -> int:
    """The class of decisions to which a *move* at the beginning of a turn belongs."""
    if move == PASS:
        return PASSED
    if move == DRAW_TICKETS:
        return DREW_TICKETS
    return CLAIMED if move < DRAW_DECK else DREW_CARDS


def _new_log(rows: int, games: int) -> tuple[NDArray[Any], ...]:
    """Room for so many decisions, of at most as many games; in the order of a log's fields."""
    games = min(games, rows)
    return (
        np.zeros((rows, LOGGED_FEATURES), dtype=np.float32),
        np.zeros(rows, dtype=np.int8),
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows, dtype=np.int8),
        np.zeros(rows, dtype=np.int16),
        np.zeros((games, MOST_PLAYERS), dtype=np.int16),
        np.zeros((games, MOST_PLAYERS), dtype=np.int8),
        np.zeros(games, dtype=np.int8),
    )


def _cut(log: tuple[NDArray[Any], ...], start: int, played: int, decisions: int) -> DecisionLog:
    by_decision, by_game = log[:5], log[5:]
    found = DecisionLog(
        *(column[:decisions].copy() for column in by_decision),
        *(column[:played].copy() for column in by_game),
    )
    found.games[:] += start
    return found


@compiled
def _log_matches(
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
