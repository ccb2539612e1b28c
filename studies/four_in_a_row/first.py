"""What four-in-a-row would look like if the evolved player always moved first.

The publication does not say who begins. Checks here balance colours; the same champions are
measured once more as first movers, and so are populations in their round robins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.method import State
from evolve_arena.games.connect_four.network import NetworkDesign
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.players.lineup import combine_lineups
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.runs.run import Run
from evolve_arena.studies.four_in_a_row.curves import LAST, Point
from evolve_arena.studies.intervals import Sample


def begin_each_check(run: Run) -> list[Point]:
    """The champion of each check against the test bot, moving first in all games."""
    bot, games = make_test_bot(run.method.design.game), run.recipe.check.games
    curve = []
    for generation in dict.fromkeys(check.generation for check in run.checks()):
        seeds = derive_seeds(run.recipe.run.seed, generation, "moves first", games)
        sample = move_first(run.champion_at(generation), bot, seeds)
        curve.append(Point(sample.won, sample.games, generation))
    return curve


def move_first(player: CompiledPlayer, other: CompiledPlayer, seeds: NDArray[np.uint64]) -> Sample:
    """What *player* wins against *other*, moving first, in a game for each of the *seeds*."""
    lineup = combine_lineups([player.lineup, other.lineup])
    pairings = np.tile(np.array([[0, 1]], dtype=np.int32), (len(seeds), 1))
    results = SerialExecutor().play(make_batch(player.game, lineup, pairings, seeds))
    return Sample(int(np.count_nonzero(results.outcomes == 1)), len(seeds))


def begin_round_robins(run: Run) -> Sample:
    """The best individual's matches against all others, moving first, at late checkpoints.

    Those are the regular checkpoints among the last checks; one that was written because the
    run was stopped does not count. Of each, the individual that wins most.
    """
    last = run.recipe.run.generations
    begin = max(0, last - LAST * run.recipe.check.every)
    late = [*range(0, last, run.recipe.run.checkpoint_every), last]
    results = []
    for generation in (at for at in late if at > begin):
        state = run.state(generation)
        wins = _wins_as_first(run.method.design, state)
        results.append((float(wins.max()), len(state.population) - 1))
    return Sample.pool(results)


def _wins_as_first(design: NetworkDesign, state: State) -> NDArray[np.int64]:
    """How many of all others each individual beats, moving first; shape ``(individuals,)``."""
    count = len(state.population)
    first, second = np.nonzero(~np.eye(count, dtype=bool))
    pairings = np.stack([first, second], axis=1).astype(np.int32)
    seeds = derive_seeds(state.seed, state.generation, "all move first", len(pairings))
    lineup = design.pack(state.population)
    results = SerialExecutor().play(make_batch(design.game, lineup, pairings, seeds))
    return np.bincount(first[results.outcomes == 1], minlength=count)
