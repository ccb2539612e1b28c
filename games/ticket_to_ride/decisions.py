"""What there is to imitate: decisions from the best games of players of Ticket to Ride."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import seat_players
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.games.ticket_to_ride.logs import DecisionLog, join_logs, log_games
from evolve_arena.players.player import CompiledPlayer

Rows = Literal["winner", "all"]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Decisions, in the order of the numbers of players, the games, and the moves."""

    features: NDArray[np.float32]
    """What was known, shape ``(rows, 28)``; see `evolve_arena.games.ticket_to_ride.features`."""
    classes: NDArray[np.int64]
    """What was decided, 0 to 3, shape ``(rows,)``."""
    players: NDArray[np.int64]
    """How many took part in the game, shape ``(rows,)``."""
    games: NDArray[np.int64]
    """The number of the game, from 0, shape ``(rows,)``."""

    def __len__(self) -> int:
        return len(self.classes)

    def take(self, rows: NDArray[Any]) -> DataSet:
        """The decisions in these *rows*, numbers or a mask."""
        return DataSet(
            self.features[rows], self.classes[rows], self.players[rows], self.games[rows]
        )

    def hold_out(self, share: float, seed: int) -> tuple[DataSet, DataSet]:
        """The decisions of most games, and those of a random *share* of them.

        Whole games are held out, at least one if *share* is above 0: decisions of one game are
        too much alike for some of them to be a test of what was learnt from the others.
        """
        games = np.unique(self.games)
        count = int(np.ceil(share * len(games)))
        order = derive_generator(seed, 0, "games held out").permutation(games)
        held_out = np.isin(self.games, order[:count])
        return self.take(~held_out), self.take(held_out)


def build_data_set(
    game: AnyGame,
    teacher: CompiledPlayer,
    *,
    players: Sequence[int],
    games: int,
    best: int,
    minimum_points: int,
    rows: Rows,
    seed: int,
) -> DataSet:
    """Lets a teacher play itself, and keeps the decisions of the best games.

    The same arguments always give the same rows. In Łabno's data 30 games of each number of
    players, from 120 points on, gave 5,700 rows.

    Args:
        game: What is played.
        teacher: Who takes all seats.
        players: How many of it play; the games of one number after those of another.
        games: How many are played with each number.
        best: How many of these are kept at most, those with most points of one player.
        minimum_points: How many points that are at least.
        rows: ``winner``: decisions of that player only, the first one of equals; or ``all``.
        seed: Where decks and chances come from.

    Raises:
        BadValueError: No game of some number of players has so many points.
    """
    parts: list[DataSet] = []
    for count in players:
        seeds = derive_seeds(seed, 0, f"games of {count} to imitate", games)
        seatings = seat_players(np.zeros((games, count)), MOST_PLAYERS)
        logs = log_games(game, [teacher], seatings, seeds)
        log = join_logs([_leave_out(log, minimum_points, rows) for log in logs])
        chosen = choose_games(log.points, best, minimum_points)
        if not len(chosen):
            raise BadValueError(
                f"of {games} games of {count} players none has {minimum_points} points"
            )
        first = sum(len(np.unique(part.games)) for part in parts)
        parts.append(_pick(log, chosen, count, first))
    columns = [[getattr(part, field.name) for part in parts] for field in fields(DataSet)]
    return DataSet(*(np.concatenate(column) for column in columns))


def choose_games(points: NDArray[Any], best: int, minimum_points: int) -> NDArray[np.int64]:
    """The *best* games whose best player has at least *minimum_points*, the best one first.

    *points* has shape ``(games, seats)``. Of equal games the earlier one comes first.
    """
    most = points.max(axis=1)
    order = np.argsort(-most, kind="stable")
    chosen: NDArray[np.int64] = order[most[order] >= minimum_points][:best]
    return chosen


def _leave_out(log: DecisionLog, minimum_points: int, rows: Rows) -> DecisionLog:
    """The log without decisions that can't be wanted, so that memory does not fill with them."""
    kept = log.points.max(axis=1) >= minimum_points
    games = log.games - int(log.games[0])
    wanted = kept[games]
    if rows == "winner":
        wanted &= log.seats == log.points.argmax(axis=1)[games]
    return replace(
        log,
        features=log.features[wanted],
        classes=log.classes[wanted],
        games=log.games[wanted],
        seats=log.seats[wanted],
        rounds=log.rounds[wanted],
    )


def _pick(log: DecisionLog, chosen: NDArray[np.int64], count: int, first: int) -> DataSet:
    """The decisions in *chosen* games of *count* players, which are numbered from *first* on."""
    numbers = np.full(len(log.points), -1)
    numbers[np.sort(chosen)] = first + np.arange(len(chosen))
    kept = numbers[log.games] >= 0
    return DataSet(
        log.features[kept],
        log.classes[kept].astype(np.int64),
        np.full(int(kept.sum()), count, dtype=np.int64),
        numbers[log.games[kept]],
    )
