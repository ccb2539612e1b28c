"""Logs of decisions in Ticket to Ride: what a player saw at the beginning of a turn, and did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Seatings, make_batch
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.games.ticket_to_ride.kernel import LOGGED_FEATURES, new_table
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.games.ticket_to_ride.workspace import make_ticket_workspace
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer, check_board

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
    kernel: Any = find_variant(find_game(game.name), game.rules, packed)["kernel"]
    start = 0
    while start < len(batch):
        part = slice(start, None)
        log = _new_log(rows, len(batch) - start)
        played, decisions = kernel.log_matches(
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
