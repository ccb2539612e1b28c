"""Everybody against everybody: the games, the table, the ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.pairings import round_robin
from evolve_arena.arena.ratings import Rating, rate_players
from evolve_arena.arena.statistics import json_share, wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player, distinct_names


@dataclass(frozen=True, eq=False)
class Crosstable:
    """The result of a tournament in which every two players met."""

    names: tuple[str, ...]
    duels: dict[tuple[int, int], DuelResult]
    """The result of each pair of players, the lower number first."""

    @property
    def points(self) -> NDArray[np.float64]:
        """What each player won by the rules against each other, shape ``(players, players)``."""
        table = np.zeros((len(self.names), len(self.names)))
        for (first, second), result in self.duels.items():
            table[first, second] = result.wins + result.draws / 2
            table[second, first] = result.losses + result.draws / 2
        return table

    @property
    def games(self) -> NDArray[np.float64]:
        """How many games of each two players ended by the rules, shape ``(players, players)``."""
        table = np.zeros((len(self.names), len(self.names)))
        for (first, second), result in self.duels.items():
            table[first, second] = table[second, first] = result.finished
        return table

    @property
    def ratings(self) -> list[Rating]:
        """Strengths in the order of :attr:`names`."""
        return rate_players(self.points, self.games)

    @property
    def ranking(self) -> list[int]:
        """Players, the strongest first; at the end those of whom no game ended by the rules."""
        played = self.games.any(axis=1)
        strengths = np.where(played, [-rating.elo for rating in self.ratings], np.inf)
        return [int(place) for place in np.argsort(strengths, kind="stable")]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; players in the order of their ranks."""
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
        """The results of *player* from its side, by the number of whom it met."""
        found = {}
        for (first, second), result in self.duels.items():
            if player in (first, second):
                other = second if player == first else first
                found[other] = result if player == first else result.turned()
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
) -> Crosstable:
    """Every two of *players* meet *games* times.

    Arguments as in :func:`evolve_arena.arena.duel.duel`.

    Args:
        game: The rules.
        players: At least two. Equal names are numbered.
        games: Games per pair, colours balanced.
        opening_plies: Random plies at the beginning of each game.
        seed: Seeds everything.
        executor: Plays what is compiled.
        progress: Called after each duel with how many are done, and of how many.

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
        )
        if progress:
            progress(number + 1, len(pairs))
    return Crosstable(distinct_names([player.name for player in players]), duels)


def _describe(rating: Rating, met: dict[int, DuelResult]) -> dict[str, Any]:
    """A player's row: a rating only if some game ended by the rules."""
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
