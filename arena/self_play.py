"""Self-play with one player at all seats, to measure its points.

Games that ended by a forbidden move are counted, and left out of everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import (
    EMPTY,
    Pairings,
    Results,
    check_games,
    check_seats,
    join_results,
    seat_players,
)
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import play_matches
from evolve_arena.arena.statistics import Z_95, json_interval, wilson_interval
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array, JsonObject, Number
from evolve_arena.players.player import Player

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MirrorResult:
    """The results of a player at all seats; NaN where no game was completed."""

    name: str
    """The player's name."""
    pairings: Pairings
    """The pairings of the games: player 0 at every seat that is taken."""
    results: Results
    """The results of all games."""
    limits: Sequence[int] = ()
    """Thresholds of points, for the shares of :meth:`to_dict`."""

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.results)

    @property
    def aborted(self) -> int:
        """Number of games that ended by a forbidden move."""
        return int(np.count_nonzero(~self.results.completed))

    @property
    def counted(self) -> NDArray[np.bool_]:
        """True for each seat that counts, those of completed games, shape ``(games, seats)``."""
        return np.asarray((self.pairings != EMPTY) & self.results.completed[:, None])

    @property
    def points(self) -> Values:
        """The points of all seats that count, shape ``(seats,)``."""
        return self.results.columns["points"][self.counted].astype(np.float64)

    @property
    def maximum(self) -> float:
        """The most points of a seat."""
        return _measure(self.points, np.max)

    @property
    def minimum(self) -> float:
        """The fewest points of a seat."""
        return _measure(self.points, np.min)

    @property
    def mean(self) -> float:
        """The mean of points over seats."""
        return _measure(self.points, np.mean)

    @property
    def mean_interval(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`mean`, from whole games: their seats depend on each other.

        Where games have different numbers of seats, it is the usual one of a ratio: Cochran,
        "Sampling Techniques", 3rd edition (1977), equation 6.13.
        """
        # A ratio estimate: total points by total seats, over games as independent units.
        counted = self.counted[self.results.completed]
        if len(counted) < 2:
            return -math.inf, math.inf
        seats = counted.sum(axis=1)
        totals = np.where(counted, self.results.columns["points"][self.results.completed], 0).sum(
            axis=1
        )
        mean = totals.sum() / seats.sum()
        spread = np.sum((totals - mean * seats) ** 2) * len(seats) / (len(seats) - 1)
        half = Z_95 * math.sqrt(spread) / seats.sum()
        return float(mean - half), float(mean + half)

    @property
    def deviation(self) -> float:
        """The standard deviation of points over seats, that of a sample."""
        points = self.points
        return float(points.std(ddof=1)) if len(points) > 1 else math.nan

    @property
    def median(self) -> float:
        """The median of points over seats."""
        return _measure(self.points, np.median)

    def mean_of(self, column: str) -> float:
        """Return the mean of the game's *column*, over seats, or over matches."""
        values = self.results.columns[column]
        counted = self.counted if values.ndim == 2 else self.results.completed
        return _measure(values[counted], np.mean)

    def share_above(self, limit: float) -> float:
        """Return the share of seats with more points than *limit*."""
        return _measure(self.points > limit, np.mean)

    def share_interval(self, limit: float) -> tuple[float, float]:
        """Return the 95 % interval of :meth:`share_above`, as if seats were independent."""
        points = self.points
        return wilson_interval(int(np.count_nonzero(points > limit)), len(points))

    def to_dict(self) -> JsonObject:
        """Return everything as JSON; None stands for unknown values."""
        values = {
            "maximum": self.maximum,
            "minimum": self.minimum,
            "mean": self.mean,
            "deviation": self.deviation,
            "median": self.median,
            **{name: self.mean_of(name) for name in self.results.columns if name != "points"},
        }
        return {
            "player": self.name,
            "seats": np.unique((self.pairings != EMPTY).sum(axis=1)).tolist(),
            "games": self.games,
            "aborted_games": self.aborted,
            "columns": [name for name in self.results.columns if name != "points"],
            "distinct_games": self.results.distinct_games,
            **{key: None if math.isnan(value) else value for key, value in values.items()},
            "mean_95": json_interval(self.mean_interval),
            "above": {
                str(limit): {
                    "share": self.share_above(limit) if len(self.points) else None,
                    "wilson_95": list(self.share_interval(limit)),
                }
                for limit in self.limits
            },
        }


def play_mirror(
    game: AnyGame,
    player: Player,
    *,
    players: int | None = None,
    games: int = 1000,
    seed: int = 0,
    executor: Executor | None = None,
) -> MirrorResult:
    """Play games with *player* at all seats.

    Args:
        game: The rules.
        player: The player.
        players: Number of seats, 2 to 5; those of *game* if None.
        games: Number of games, each with a deal of its own.
        seed: Seed of deals and players.
        executor: Executor of the games if the player is compiled; serial if None.

    Raises:
        BadValueError: *games* is out of range, *players* is not from 2 to 5, or the player is for
            another board.
    """
    check_games(games)
    spec, seats = find_game(game.name), check_seats(game, players)
    pairings = seat_players(np.zeros((games, seats), dtype=np.int32), spec.most_seats)
    seeds = derive_seeds(seed, 0, "mirror", games)
    results, _ = play_matches(game, [player], pairings, seeds, executor=executor)
    return MirrorResult(player.name, pairings, results, spec.limits)


def pool(results: Sequence[MirrorResult]) -> MirrorResult:
    """Join *results*, such as those of different numbers of players."""
    return MirrorResult(
        results[0].name,
        np.concatenate([one.pairings for one in results]),
        join_results([one.results for one in results]),
        results[0].limits,
    )


def _measure(values: Array, measure: Callable[[Array], Number]) -> float:
    return float(measure(values)) if len(values) else math.nan
