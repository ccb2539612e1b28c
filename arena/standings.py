"""Tournaments in matches of two to five seats, and their ratings.

Ratings are those of the Plackett-Luce model, a distribution over orders of finishing. Source: Weng
and Lin, "A Bayesian approximation method for online ranking", Journal of Machine Learning Research
12 (2011), algorithm 4, as implemented by openskill.
"""

from __future__ import annotations

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
    rotations,
    seat_players,
)
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import OnMatch, play_matches
from evolve_arena.arena.statistics import json_interval, normal_interval, wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.extras import check_extra, import_extra
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player, distinct_names

PART = 1000
"""Games between two reports of progress."""


@dataclass(frozen=True)
class PlaceRating:
    """The strength of a player among its opponents."""

    mu: float
    """The mean of the distribution of its strength; 25 for an average player."""
    sigma: float
    """The standard deviation of that distribution."""

    @property
    def ordinal(self) -> float:
        """A conservative estimate of the strength: three deviations below the mean."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, eq=False)
class Standings:
    """The result of a tournament."""

    names: tuple[str, ...]
    pairings: Pairings
    """The player at each seat, shape ``(games, seats)``; the rotations of a table follow each
    other."""
    results: Results
    ratings: list[PlaceRating]
    """The ratings in the order of :attr:`names`."""

    @property
    def seats(self) -> int:
        """Number of seats in each match."""
        return int((self.pairings[0] != EMPTY).sum())

    @property
    def ranking(self) -> list[int]:
        """Indices of players, the strongest first."""
        strengths = [-rating.mu for rating in self.ratings]
        return [int(place) for place in np.argsort(strengths, kind="stable")]

    def to_dict(self) -> JsonObject:
        """Return everything as JSON, with players in the order of their ranks."""
        rows = [{"rank": rank, **self._row(player)} for rank, player in enumerate(self.ranking, 1)]
        return {
            "seats": self.seats,
            "games": len(self.results),
            "distinct_games": self.results.distinct_games,
            "aborted_games": int(np.count_nonzero(~self.results.completed)),
            "players": rows,
            "columns": [name for name in self._means if name != "points"],
        }

    @property
    def _means(self) -> list[str]:
        """Names of the game's counts for each seat."""
        return [name for name, values in self.results.columns.items() if values.ndim == 2]

    def _row(self, player: int) -> JsonObject:
        here = self.pairings == player
        played = int(here.sum())
        firsts = (self.results.places == 1) & (self.pairings != EMPTY)
        won = float((firsts / firsts.sum(axis=1, keepdims=True))[here].sum())
        offended = np.flatnonzero(~self.results.completed)
        culprits = self.pairings[offended, self.results.offenders[offended]]
        rating = self.ratings[player]
        return {
            "name": self.names[player],
            "mu": rating.mu,
            "sigma": rating.sigma,
            "ordinal": rating.ordinal,
            "games": played,
            **{name: float(self.results.columns[name][here].mean()) for name in self._means},
            "points_95": json_interval(normal_interval(self._points_by_table(here))),
            "wins": won,
            "share": won / played,
            "wilson_95": list(wilson_interval(won, played)),
            "forbidden_moves": int(np.count_nonzero(culprits == player)),
        }

    def _points_by_table(self, here: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return a player's mean points over the seats of each of its tables, of equal deals."""
        points = np.where(here, self.results.columns["points"], 0).sum(axis=1)
        tables = points.reshape(-1, self.seats).mean(axis=1)
        return np.asarray(tables[np.any(here, axis=1).reshape(-1, self.seats)[:, 0]])


def play_at_tables(
    game: AnyGame,
    players: Sequence[Player],
    *,
    games: int = 1000,
    seats: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    on_match: OnMatch | None = None,
) -> Standings:
    """Play a tournament at random tables, in which each player has each seat equally often.

    The same deal is played once for each seat of a table, with all players moving up in between.

    Args:
        game: The rules.
        players: At least two. Equal names are numbered.
        games: Number of games in total, rounded up to a multiple of players and seats.
        seats: Seats of a match; if None those of *game*, or all players if these are fewer.
        seed: Seed of tables, deals and players.
        executor: Executor of the games if all players are compiled; serial if None.
        progress: Called after each part with the number of games so far and in total.
        on_match: Called with each match and its moves.

    Raises:
        BadValueError: There are fewer than two players, or than *seats*, *games* is not positive,
            or a player is for another board.
        MissingPackageError: openskill, which rates them, is not installed.
    """
    if len(players) < 2:
        raise BadValueError("a tournament needs at least two players")
    check_extra("openskill", "ratings")
    check_games(games)
    seats = check_seats(game, min(game.seats, len(players)) if seats is None else seats)
    if seats > len(players):
        raise BadValueError(f"a table of {seats} seats: there are only {len(players)} players")
    # All rotations of a table have its seed, and so its deal.
    tables = _draw_tables(len(players), seats, games, seed)
    pairings = seat_players(rotations(tables), find_game(game.name).most_seats)
    seeds = np.repeat(derive_seeds(seed, 0, "seated tournament", len(tables)), seats)
    parts = []
    for start in range(0, len(pairings), PART):
        here = slice(start, start + PART)
        results, _ = play_matches(
            game, players, pairings[here], seeds[here], executor=executor, on_match=on_match
        )
        parts.append(results)
        if progress:
            progress(min(start + PART, len(pairings)), len(pairings))
    results = join_results(parts)
    names = distinct_names([player.name for player in players])
    ratings = rate_places(len(players), pairings, results.places)
    return Standings(names, pairings, results, ratings)


def rate_places(players: int, pairings: Pairings, places: NDArray[np.int8]) -> list[PlaceRating]:
    """Compute ratings of *players* after the games of *pairings*, in that order.

    Args:
        players: Number of players.
        pairings: The player at each seat, shape ``(games, seats)``.
        places: The place of each seat, of the same shape.
    """
    model = import_extra("openskill.models", "ratings").PlackettLuce()
    ratings = [model.rating() for _ in range(players)]
    for pairing, row in zip(pairings.tolist(), places.tolist(), strict=True):
        seated = [player for player in pairing if player != EMPTY]
        after = model.rate(
            [[ratings[player]] for player in seated], ranks=[float(p) for p in row[: len(seated)]]
        )
        for player, (rating,) in zip(seated, after, strict=True):
            ratings[player] = rating
    return [PlaceRating(float(rating.mu), float(rating.sigma)) for rating in ratings]


def _draw_tables(players: int, seats: int, games: int, seed: int) -> NDArray[np.int32]:
    """Draw tables with each player equally often, shape ``(tables, seats)``.

    In each round the players form a random circle. For each of them there is a table with the
    players at the same random distances from it.
    """
    rng = derive_generator(seed, 0, "tables")
    rounds = -(-games // (players * seats))
    parts = []
    for _ in range(rounds):
        circle = rng.permutation(players)
        distances = [0, *(1 + rng.permutation(players - 1)[: seats - 1])]
        places = np.arange(players)[:, None] + np.array(distances)
        parts.append(circle[places % players])
    return np.concatenate(parts).astype(np.int32)
