"""Two players over many games, colours balanced."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Openings, Results, check_games, make_batch
from evolve_arena.arena.duel_result import DuelResult, count_forfeits
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.arena.kernels import SEATED_KERNELS
from evolve_arena.arena.match import Termination, play_match
from evolve_arena.arena.openings import check_plies, random_openings
from evolve_arena.arena.seated_duel import seated_duel
from evolve_arena.core.game import AnyGame
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.lineup import combine_lineups
from evolve_arena.players.player import CompiledPlayer, Player, check_board

__all__ = ["DuelResult", "duel"]

Case = tuple[int, tuple[int, str, str, tuple[str, ...]]]


def duel(
    game: AnyGame,
    first: Player,
    second: Player,
    *,
    games: int = 1000,
    opening_plies: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
) -> DuelResult:
    """Lets two players meet *games* times, each moving first in every other game.

    In games of more than two seats both sit at every other one; see
    :func:`evolve_arena.arena.seated_duel.seated_duel`, whose result this is then.

    Args:
        game: The rules.
        first: From whose side the result is told.
        second: The opponent.
        games: How many; an odd number is rounded up, so that colours are balanced.
        opening_plies: How many random plies begin each game; each beginning is played twice,
            with colours swapped.
        seed: Seeds beginnings and players.
        executor: Plays the games if both players are compiled; serial if None.

    Raises:
        BadValueError: *games* or *opening_plies* is out of range, or a player made
            for another board.
    """
    check_games(games)
    if game.name in SEATED_KERNELS:
        check_plies(game, opening_plies)
        return seated_duel(game, first, second, games=games, seed=seed, executor=executor)
    for player in (first, second):
        check_board(player, game.rules)
    pairs = (games + 1) // 2
    openings = np.repeat(random_openings(game, opening_plies, pairs, seed), 2, axis=0)
    seeds = derive_seeds(seed, 0, "duel", 2 * pairs)
    if isinstance(first, CompiledPlayer) and isinstance(second, CompiledPlayer):
        lineup = combine_lineups([first.lineup, second.lineup])
        pairings = np.tile(np.array([[0, 1], [1, 0]], dtype=np.int32), (pairs, 1))
        batch = make_batch(game, lineup, pairings, seeds, openings)
        results = (executor or SerialExecutor()).play(batch)
        return _summarise((first.name, second.name), results, [])
    results, cases = _play_one_by_one(game, (first, second), seeds, openings)
    return _summarise((first.name, second.name), results, cases)


def _play_one_by_one(
    game: AnyGame,
    players: tuple[Player, Player],
    seeds: NDArray[np.uint64],
    openings: Openings,
) -> tuple[Results, list[Case]]:
    outcomes, plies, games = [], [], []
    cases: list[Case] = []
    for number, seed in enumerate(seeds):
        order = players if number % 2 == 0 else players[::-1]
        match = play_match(game, order, seed=int(seed), opening=openings[number].tolist())
        outcomes.append(match.outcome)
        plies.append(len(match.moves))
        games.append(match.game)
        if match.offender >= 0:
            player = (match.offender + number) % 2
            cases.append((number, (player, match.termination, match.sentence, match.errors)))
    results = Results(
        np.array(outcomes, dtype=np.int8),
        np.array(plies, dtype=np.int16),
        np.array(games, dtype=np.uint64),
    )
    return results, cases


def _summarise(names: tuple[str, str], results: Results, cases: list[Case]) -> DuelResult:
    """Counts the points of the player who moved first in every even game.

    Args:
        names: The players'.
        results: All games.
        cases: Those that were forfeited: the number of the game, and who forfeited how.
    """
    points = results.outcomes.copy()
    points[1::2] *= -1
    finished = np.ones(len(points), dtype=np.bool_)
    finished[[number for number, _ in cases]] = False
    points = points[finished]
    wins, draws, losses = (int(np.count_nonzero(points == value)) for value in (1, 0, -1))
    endings = Counter({str(Termination.WIN): wins + losses, str(Termination.DRAW): draws})
    endings.update(str(kind) for _, (_, kind, *_) in cases)
    return DuelResult(
        names=names,
        wins=wins,
        draws=draws,
        losses=losses,
        distinct_games=len(np.unique(results.games[finished])),
        terminations={ending: count for ending, count in endings.items() if count},
        forfeits=count_forfeits(case for _, case in cases),
    )
