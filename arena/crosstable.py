"""Round-robin tournaments: their games, crosstables and Elo ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import OnMatch
from evolve_arena.arena.pairings import round_robin
from evolve_arena.arena.statistics import Z_95, json_share, wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.html import make_table
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.players.player import Player, distinct_names


@dataclass(frozen=True, eq=False)
class Crosstable:
    """The result of a round robin."""

    names: tuple[str, ...]
    duels: dict[tuple[int, int], DuelResult]
    """The result of each pair of players, keyed by their indices, the lower one first."""

    @property
    def points(self) -> NDArray[np.float64]:
        """Points in games that ended by the rules, shape ``(players, opponents)``."""
        table = np.zeros((len(self.names), len(self.names)))
        for (first, second), result in self.duels.items():
            table[first, second] = result.wins + result.draws / 2
            table[second, first] = result.losses + result.draws / 2
        return table

    @property
    def games(self) -> NDArray[np.float64]:
        """Number of games that ended by the rules, shape ``(players, opponents)``."""
        table = np.zeros((len(self.names), len(self.names)))
        for (first, second), result in self.duels.items():
            table[first, second] = table[second, first] = result.finished
        return table

    @property
    def ratings(self) -> list[Rating]:
        """Ratings in the order of :attr:`names`."""
        return rate_players(self.points, self.games)

    @property
    def ranking(self) -> list[int]:
        """Indices of players, the strongest first, and last those without a finished game."""
        played = self.games.any(axis=1)
        strengths = np.where(played, [-rating.elo for rating in self.ratings], np.inf)
        return [int(place) for place in np.argsort(strengths, kind="stable")]

    def __str__(self) -> str:
        """Return a line for each player, the strongest first: rating and share of the points."""
        points, games, ratings = self.points.sum(axis=1), self.games.sum(axis=1), self.ratings
        width = max(map(len, self.names))
        return "\n".join(
            f"{name:{width}}  Elo {rating.elo:+5.0f} ± {rating.error:.0f}"
            f"  score {points[player] / max(1.0, games[player]):.3f} in {games[player]:.0f} games"
            for player in self.ranking
            for name, rating in [(self.names[player], ratings[player])]
        )

    def _repr_html_(self) -> str:
        points, games, ranking = self.points, self.games, self.ranking
        names = [self.names[player] for player in ranking]
        rows = []
        for player in ranking:
            elo = self.ratings[player]
            met = [
                f"{points[player, o] / games[player, o]:.3f}" if games[player, o] else ""
                for o in ranking
            ]
            rows.append((self.names[player], f"{elo.elo:.0f}", f"± {elo.error:.0f}", *met))
        return make_table("Tournament", ["player", "Elo", "95 %", *names], rows)

    def to_dict(self) -> JsonObject:
        """Return everything as JSON, with players in the order of their ranks."""
        ranking, ratings = self.ranking, self.ratings
        met = [self._results_of(player) for player in range(len(self.names))]
        return {
            "players": [
                {
                    "rank": rank,
                    "name": self.names[player],
                    **_describe(ratings[player], met[player]),
                }
                for rank, player in enumerate(ranking, start=1)
            ],
            "crosstable": {
                self.names[player]: {
                    self.names[other]: met[player][other].score
                    for other in ranking
                    if other in met[player] and met[player][other].counted
                }
                for player in ranking
            },
            "duels": [result.to_dict() for result in self.duels.values()],
        }

    def _results_of(self, player: int) -> dict[int, DuelResult]:
        """Return the results of *player* from its side, by the number of its opponent."""
        found = {}
        for (first, second), result in self.duels.items():
            if player in (first, second):
                other = second if player == first else first
                found[other] = result if player == first else result.reversed()
        return found


def play_tournament(
    game: AnyGame,
    players: Sequence[Player],
    *,
    games: int = 200,
    opening_plies: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    on_match: OnMatch | None = None,
) -> Crosstable:
    """Play a round robin: every two of *players* meet *games* times.

    Args:
        game: The rules.
        players: At least two. Equal names are numbered.
        games: Games per pair, colours balanced.
        opening_plies: Random plies at the beginning of each game.
        seed: Seed of openings and players.
        executor: Executor of matches of compiled players; serial if None.
        progress: Called after each duel with the number of duels so far and in total.
        on_match: Called with each match and its moves.

    Raises:
        BadValueError: There are fewer than two players.
    """
    if len(players) < 2:
        raise BadValueError("a tournament needs at least two players")
    pairs = round_robin(len(players))
    seeds = derive_seeds(seed, 0, "tournament", len(pairs))
    duels = {}
    for number, (first, second) in enumerate(pairs.tolist()):
        duels[first, second] = duel(
            game,
            players[first],
            players[second],
            games=games,
            opening_plies=opening_plies,
            seed=int(seeds[number]),
            executor=executor,
            on_match=on_match,
        )
        if progress:
            progress(number + 1, len(pairs))
    return Crosstable(distinct_names([player.name for player in players]), duels)


def _describe(rating: Rating, met: dict[int, DuelResult]) -> JsonObject:
    """Return a player's row; its rating is None if no game ended by the rules."""
    results = met.values()
    points = sum(result.wins + result.draws / 2 for result in results)
    counted = sum(result.counted for result in results)
    rated = any(result.finished for result in results)
    return {
        "elo": rating.elo if rated else None,
        "elo_error_95": rating.error if rated else None,
        "games": sum(result.games for result in results),
        "counted_games": counted,
        "points": points,
        "score": json_share(points / counted if counted else float("nan")),
        "wilson_95": list(wilson_interval(points, counted)),
        "distinct_games": sum(result.distinct_games for result in results),
        "finished_games": sum(result.finished for result in results),
        "forfeited_games": sum(f.games for r in results for f in r.forfeits if f.player == 0),
    }


ELO_PER_UNIT = 400.0 / np.log(10.0)
"""Elo points for a unit of strength: odds of e to 1."""
PRIOR_DRAWS = 1.0
"""Additional draws between every two players who met, so that ratings are finite."""
STEPS = 500
"""Most steps of Newton's method."""


@dataclass(frozen=True)
class Rating:
    """The strength of a player among its opponents."""

    elo: float
    """Elo points above the mean of all players, or above the anchor."""
    error: float
    """Half the width of the 95 % interval of :attr:`elo`."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`elo`."""
        return self.elo - self.error, self.elo + self.error


def rate_players(
    points: NDArray[np.float64], games: NDArray[np.float64], anchor: int | None = None
) -> list[Rating]:
    """Compute Bradley-Terry ratings by Newton's method, on Elo's scale.

    Every two players who met get an additional draw, so that a player who won everything, or
    nothing, has a finite rating. Players of separate groups, without common opponents, can't be
    compared: each group's mean is 0.

    Args:
        points: ``points[i, j]`` are the points of i against j; a draw is half a point.
        games: ``games[i, j]`` is the number of their games, symmetric.
        anchor: The player whose rating is 0 without error, instead of the group's mean; players of
            other groups have an infinite error.

    Source: Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
    Statistics 32 (2004), equation 3, for the likelihood.
    """
    met = (games > 0).astype(np.float64)
    won = points + PRIOR_DRAWS / 2 * met
    total = games + PRIOR_DRAWS * met
    group = _same_group(met)
    # Maximum likelihood, starting from equal strengths.
    strength = np.zeros(len(points))
    for _ in range(STEPS):
        # A Newton step, shortened until the likelihood grows.
        gradient, information = _differentiate(strength, won, total)
        step = _solve(information, group, gradient)
        strength, moved = _climb(strength, step, won)
        if moved < 1e-12:
            break
    # Errors from the inverse of the information matrix.
    strength -= group @ strength / group.sum(axis=1)
    _, information = _differentiate(strength, won, total)
    covariance = np.linalg.pinv(information, hermitian=True)
    variance = np.diag(covariance)
    if anchor is not None:
        strength -= strength[anchor]
        variance = variance + variance[anchor] - 2.0 * covariance[anchor]
        variance = np.where(group[anchor] > 0.0, variance, np.inf)
    errors = Z_95 * np.sqrt(np.maximum(variance, 0.0))
    return [
        Rating(float(s * ELO_PER_UNIT), float(e * ELO_PER_UNIT))
        for s, e in zip(strength, errors, strict=True)
    ]


def _differentiate(
    strength: NDArray[np.float64], won: NDArray[np.float64], total: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gradient of the log-likelihood, and its negative second derivative."""
    ahead = np.clip(strength[:, None] - strength[None, :], -500.0, 500.0)
    expected = 1.0 / (1.0 + np.exp(-ahead))
    gradient = (won - total * expected).sum(axis=1)
    curvature = total * expected * expected.T
    return gradient, np.diag(curvature.sum(axis=1)) - curvature


def _solve(
    information: NDArray[np.float64], anchor: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute Newton's step, scaled for very unequal players; *anchor* fixes the means."""
    diagonal = np.diag(information)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))  # 0: a player without games
    matrix = scale[:, None] * information * scale[None, :] + anchor * scale[:, None] * scale
    step, *_ = np.linalg.lstsq(matrix, scale * gradient, rcond=None)
    return np.asarray(scale * step)


def _climb(
    strength: NDArray[np.float64], step: NDArray[np.float64], won: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Take *step*, halved until it increases the likelihood, and return the largest change, too."""
    before = _log_likelihood(strength, won)
    for halvings in range(60):
        shorter = step * 0.5**halvings
        if _log_likelihood(strength + shorter, won) > before:
            return strength + shorter, float(np.abs(shorter).max())
    return strength, 0.0


def _log_likelihood(strength: NDArray[np.float64], won: NDArray[np.float64]) -> float:
    return -float((won * np.logaddexp(0.0, strength[None, :] - strength[:, None])).sum())


def _same_group(met: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 for each two players who are connected by games, directly or through others."""
    # Repeated squaring: paths of up to 2**k games.
    reach = np.eye(len(met)) + met
    for _ in range(max(1, len(met).bit_length())):
        reach = np.minimum(reach @ reach, 1.0)
    return (reach > 0).astype(np.float64)
