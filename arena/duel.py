"""Duels: two players over many games, colours balanced.

In games of more than two seats, they take alternate seats: A, B, A, B, and in every second game
B, A, B, A.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import (
    Pairings,
    Results,
    check_games,
    check_seats,
    join_results,
    seat_players,
)
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount, Side, join_forfeits
from evolve_arena.arena.executors import Executor
from evolve_arena.arena.match import OnMatch, Termination, play_matches
from evolve_arena.arena.pairings import random_openings
from evolve_arena.arena.statistics import (
    normal_interval,
    wilson_interval,
)
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.game import AnyGame, GameSpec
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.player import Player

MOMENT = 0.25
"""Duration in seconds of one part of a series; the series can be stopped between parts."""


def duel(
    game: AnyGame,
    first: Player,
    second: Player,
    *,
    games: int = 1000,
    opening_plies: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    seats: int | None = None,
    on_match: OnMatch | None = None,
) -> DuelResult:
    """Play *games* between two players, each moving first in every other game.

    In games of chance every second game begins as the one before, with seats swapped. With an odd
    number of seats they take turns in having one more.

    Args:
        game: The rules.
        first: The player from whose side the result is reported.
        second: Its opponent.
        games: Number of games; an odd one is rounded up, so that colours are balanced.
        opening_plies: Random plies at the beginning of each game; each opening is played twice,
            with colours swapped.
        seed: Seed of openings and players.
        executor: Executor of the games if both players are compiled; serial if None.
        seats: Seats of a match; those of *game* if None.
        on_match: Called with each match and its moves.

    Raises:
        BadValueError: *games*, *opening_plies* or *seats* is out of range, or a player is for
            another board.
    """
    series = DuelSeries(
        game,
        first,
        second,
        games=games,
        opening_plies=opening_plies,
        seed=seed,
        executor=executor,
        seats=seats,
        on_match=on_match,
    )
    series.play(series.games)
    return series.result


class DuelSeries:
    """The games of a :func:`duel`, to be played a few at a time.

    The arguments are those of :func:`duel`.
    """

    def __init__(
        self,
        game: AnyGame,
        first: Player,
        second: Player,
        *,
        games: int = 1000,
        opening_plies: int = 0,
        seed: int = 0,
        executor: Executor | None = None,
        seats: int | None = None,
        on_match: OnMatch | None = None,
    ) -> None:
        check_games(games)
        self._spec, seats = find_game(game.name), check_seats(game, seats)
        # Games come in pairs of the same opening, or the same deal, with colours swapped.
        pairs = (games + 1) // 2
        self.games = 2 * pairs
        """Number of games in total."""
        self.played = 0
        """Number of games played so far."""
        self._openings = np.repeat(random_openings(game, opening_plies, pairs, seed), 2, axis=0)
        if self._spec.has_chance:
            self._seeds = np.repeat(derive_seeds(seed, 0, "seated duel", pairs), 2)
        else:
            self._seeds = derive_seeds(seed, 0, "duel", 2 * pairs)
        order = np.arange(seats) % 2
        tables = np.tile([order, 1 - order], (pairs, 1))
        self._pairings = seat_players(tables, self._spec.most_seats)
        self._players = first, second
        self._play = partial(
            play_matches, game, self._players, executor=executor, on_match=on_match
        )
        self._parts: list[tuple[Results, tuple[ForfeitCount, ...]]] = []
        self._size = 2

    def play(self, games: int) -> None:
        """Play *games* more games, rounded up to balance colours, or all that are left."""
        end = min(self.games, self.played + games + games % 2)
        part = slice(self.played, end)
        self._parts.append(
            self._play(self._pairings[part], self._seeds[part], self._openings[part])
        )
        self.played = end

    def play_some(self, until: int) -> None:
        """Play about as many games as fit into :data:`MOMENT`, but not beyond *until* in total."""
        start = working_clock()
        size = min(self._size, until - self.played)
        self.play(size)
        fits = int(size * MOMENT / max(working_clock() - start, 1e-9))
        self._size = max(2, min(fits, 4 * self._size))

    @property
    def result(self) -> DuelResult:
        """The result of the games so far; there must be some."""
        results = join_results([results for results, _ in self._parts])
        forfeits = join_forfeits(forfeits for _, forfeits in self._parts)
        first, second = self._players
        pairings = self._pairings[: self.played]
        return summarise(self._spec, (first.name, second.name), pairings, results, forfeits)


def summarise(
    spec: GameSpec,
    names: tuple[str, str],
    pairings: Pairings,
    results: Results,
    forfeits: tuple[ForfeitCount, ...],
) -> DuelResult:
    """Summarise a duel of players 0 and 1, whose games come in pairs with seats swapped.

    Args:
        spec: The game, which determines the columns and thresholds that are reported.
        names: Names of players 0 and 1.
        pairings: The player at each seat, 0 or 1, shape ``(games, seats)``; -1 at empty seats.
            Games 2k and 2k + 1 are a pair.
        results: Results of these games.
        forfeits: Numbers of games that a player forfeited, by player and kind.
    """
    # The better best place wins; forfeited games count apart.
    best = [_best_places(results, pairings == player) for player in (0, 1)]
    wins, draws, losses = (
        int(np.count_nonzero(cases & results.completed))
        for cases in (best[0] < best[1], best[0] == best[1], best[0] > best[1])
    )
    terminations = Counter({str(Termination.WIN): wins + losses, str(Termination.DRAW): draws})
    for forfeit in forfeits:
        terminations[forfeit.kind] += forfeit.games
    result = DuelResult(
        names=names,
        wins=wins,
        draws=draws,
        losses=losses,
        distinct_games=len(np.unique(results.game_hashes[results.completed])),
        terminations={ending: count for ending, count in terminations.items() if count},
        forfeits=forfeits,
        seats=int((pairings[0] >= 0).sum()),
    )
    if "points" not in results.columns:
        return result
    # Points: margins by pairs of games, which share a deal.
    points = results.columns["points"]
    means = [_mean_points(points, pairings == player) for player in (0, 1)]
    margins = np.asarray((means[0] - means[1]).reshape(-1, 2).mean(axis=1))
    return replace(
        result,
        sides=(_side(spec, results, pairings, 0), _side(spec, results, pairings, 1)),
        margin=float(margins.mean()),
        margin_interval=normal_interval(margins),
        columns={
            name: float(values[results.completed].mean()) if results.completed.any() else 0.0
            for name, values in results.columns.items()
            if values.ndim == 1
        },
    )


def _side(spec: GameSpec, results: Results, pairings: Pairings, player: int) -> Side:
    here = pairings == player
    points = results.columns["points"][here]
    counts = {limit: int(np.count_nonzero(points > limit)) for limit in spec.limits}
    offenders = results.offenders[~results.completed]
    culprits = pairings[~results.completed, offenders]
    return Side(
        columns={
            name: float(values[here].mean())
            for name, values in results.columns.items()
            if values.ndim == 2
        },
        points_interval=normal_interval(_pair_totals(results.columns["points"], here)),
        above={limit: count / len(points) for limit, count in counts.items()},
        above_intervals={
            limit: wilson_interval(count, len(points)) for limit, count in counts.items()
        },
        forbidden=int(np.count_nonzero(culprits == player)),
    )


def _best_places(results: Results, here: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return the best place of a player in each game; *here* is True at its seats."""
    last = here.shape[1] + 1
    return np.asarray(np.where(here, results.places, last).min(axis=1))


def _mean_points(points: NDArray[np.int16], here: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean of a player's points in each game."""
    return np.asarray(np.where(here, points, 0).sum(axis=1) / here.sum(axis=1))


def _pair_totals(points: NDArray[np.int16], here: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean of a player's points over the seats of both games of each pair."""
    total = np.where(here, points, 0).sum(axis=1).reshape(-1, 2).sum(axis=1)
    return np.asarray(total / here.sum(axis=1).reshape(-1, 2).sum(axis=1))
