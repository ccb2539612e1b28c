"""Two players at the seats of one table: A, B, A, B and, with the same decks, B, A, B, A."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import check_games
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import Termination
from evolve_arena.arena.seating import SEATS, SeatedResults, Seatings, seat_players
from evolve_arena.arena.statistics import json_interval, normal_interval, wilson_interval
from evolve_arena.arena.tables import check_seats, play_tables
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player

__all__ = ["LIMITS", "SeatedDuelResult", "Side", "seated_duel"]

LIMITS = (110, 120, 140)
"""Points of which Łabno (2018) tells how many players had more."""


@dataclass(frozen=True)
class Side:
    """What one of the two did at all its seats."""

    points: float
    """The mean of its points over all its seats."""
    points_interval: tuple[float, float]
    """The 95 % interval of that, from pairs of games with the same decks."""
    above: dict[int, float]
    """The share of its seats that had more points than each of :data:`LIMITS`."""
    above_intervals: dict[int, tuple[float, float]]
    """The 95 % intervals of these shares, as if seats were independent."""
    done: float
    """Tickets done, mean per seat."""
    failed: float
    """Tickets not done, mean per seat."""
    forbidden: int
    """How many games it ended by a forbidden move."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "points": self.points,
            "points_95": json_interval(self.points_interval),
            "above": {str(limit): share for limit, share in self.above.items()},
            "above_95": {str(limit): list(ends) for limit, ends in self.above_intervals.items()},
            "tickets_done": self.done,
            "tickets_failed": self.failed,
            "forbidden_moves": self.forbidden,
        }


@dataclass(frozen=True)
class SeatedDuelResult(DuelResult):
    """What came of a duel at tables, from the first player's side.

    A game is won by whose best place is better, and drawn if the best places are equal. One
    that a forbidden move ended is a forfeit.
    """

    seats: int
    """How many sat at each table."""
    sides: tuple[Side, Side]
    """What the two did. Points of games that a forbidden move ended count as they stood."""
    margin: float
    """How many points more the first player has per seat: the mean over games."""
    margin_interval: tuple[float, float]
    """The 95 % interval of :attr:`margin`, from pairs of games with the same decks."""
    rounds: float
    """How many rounds a game takes, the mean of those that ended by the rules."""

    @property
    def mean_points(self) -> tuple[float, float]:
        """The mean points of the two."""
        return self.sides[0].points, self.sides[1].points

    @property
    def forbidden(self) -> tuple[int, int]:
        """How many games each of the two ended by a forbidden move."""
        return self.sides[0].forbidden, self.sides[1].forbidden

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; an interval of a single pair is None."""
        return {
            **super().to_dict(),
            "seats": self.seats,
            "margin": self.margin,
            "margin_95": json_interval(self.margin_interval),
            "rounds": self.rounds,
            "sides": [side.to_dict() for side in self.sides],
        }


def seated_duel(
    game: AnyGame,
    first: Player,
    second: Player,
    *,
    games: int = 1000,
    seed: int = 0,
    executor: Executor | None = None,
    seats: int | None = None,
) -> SeatedDuelResult:
    """Lets two players meet *games* times, each at every other seat.

    In every second game they have changed seats, and the decks are those of the game before.
    At tables of an odd number one of them so has a seat more, by turns.

    Args:
        game: The rules.
        first: From whose side the result is told.
        second: The opponent.
        games: How many; an odd number is rounded up.
        seed: Seeds decks and players.
        executor: Plays the games if both players are compiled; serial if None.
        seats: How many sit at a table; as many as *game* says if None.

    Raises:
        BadValueError: *games* is out of range, *seats* not from 2 to 5, or a player made for
            another board.
    """
    check_games(games)
    seats = check_seats(game.seats if seats is None else seats)
    pairs = (games + 1) // 2
    seeds = np.repeat(derive_seeds(seed, 0, "seated duel", pairs), 2)
    order = np.arange(seats) % 2
    seatings = seat_players(np.tile([order, 1 - order], (pairs, 1)))
    results, forfeits = play_tables(game, (first, second), seatings, seeds, executor)
    return summarise((first.name, second.name), seatings, results, forfeits)


def summarise(
    names: tuple[str, str],
    seatings: Seatings,
    results: SeatedResults,
    forfeits: tuple[ForfeitCount, ...],
) -> SeatedDuelResult:
    """Counts what players 0 and 1 of *seatings* won, in pairs of games with the same decks."""
    best = [_best_places(results, seatings == player) for player in (0, 1)]
    wins, draws, losses = (
        int(np.count_nonzero(cases & results.completed))
        for cases in (best[0] < best[1], best[0] == best[1], best[0] > best[1])
    )
    terminations = Counter({str(Termination.WIN): wins + losses, str(Termination.DRAW): draws})
    for forfeit in forfeits:
        terminations[forfeit.kind] += forfeit.games
    means = [_mean_points(results, seatings == player) for player in (0, 1)]
    margins = _pair_means(means[0] - means[1])
    return SeatedDuelResult(
        names=names,
        wins=wins,
        draws=draws,
        losses=losses,
        distinct_games=len(np.unique(results.games[results.completed])),
        terminations={ending: count for ending, count in terminations.items() if count},
        forfeits=forfeits,
        seats=int((seatings[0] >= 0).sum()),
        sides=(_side(results, seatings, 0), _side(results, seatings, 1)),
        margin=float(margins.mean()),
        margin_interval=normal_interval(margins),
        rounds=_mean_rounds(results),
    )


def _side(results: SeatedResults, seatings: Seatings, player: int) -> Side:
    here = seatings == player
    points = results.points[here]
    counts = {limit: int(np.count_nonzero(points > limit)) for limit in LIMITS}
    offenders = results.offenders[~results.completed]
    culprits = seatings[~results.completed, offenders]
    return Side(
        points=float(points.mean()),
        points_interval=normal_interval(_pair_totals(results.points, here)),
        above={limit: count / len(points) for limit, count in counts.items()},
        above_intervals={
            limit: wilson_interval(count, len(points)) for limit, count in counts.items()
        },
        done=float(results.done[here].mean()),
        failed=float(results.failed[here].mean()),
        forbidden=int(np.count_nonzero(culprits == player)),
    )


def _best_places(results: SeatedResults, here: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The best place of a player in each game; *here* says where it sits."""
    return np.asarray(np.where(here, results.places, SEATS + 1).min(axis=1))


def _mean_points(results: SeatedResults, here: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean of a player's points in each game."""
    total = np.where(here, results.points, 0).sum(axis=1)
    return np.asarray(total / here.sum(axis=1))


def _pair_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.reshape(-1, 2).mean(axis=1))


def _pair_totals(points: NDArray[np.int16], here: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean of a player's points over the seats of both games of each pair."""
    total = np.where(here, points, 0).sum(axis=1).reshape(-1, 2).sum(axis=1)
    return np.asarray(total / here.sum(axis=1).reshape(-1, 2).sum(axis=1))


def _mean_rounds(results: SeatedResults) -> float:
    rounds = results.rounds[results.completed]
    return float(rounds.mean()) if len(rounds) else 0.0
