"""The runs of the study ``checkers-td``: sixteen players, each trained against itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.tasks import Task
from evolve_arena.core.types import Array
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.studies.checkers_td.published import PLAYERS, Score
from evolve_arena.studies.checkers_td.td_linear import (
    Participants,
    TdLinear,
    make_learning_settings,
    make_meetings,
    make_participants,
)
from evolve_arena.studies.study import Material, Settings

UNSTATED = 3
"""Search depth of the recipes, in plies, where the text does not say it."""
FACTOR = 10.0
"""The recipes' rates are so many times those that the readings count as 1."""
GENERATIONS = 5
"""Number of generations of a player's training."""
CHECK_GAMES = 100
"""Games against the random player at the end, to check that something was learned."""
BRANCHING = 2.8
"""Approximate factor of the time of a search for one ply more."""
COUNTING = {4: 1.0, 14: 1.5, 20: 5.0}
"""Approximate relative time to value a position, by the number of features."""


@dataclass(frozen=True)
class Reading:
    """Values for some of the details that the text leaves open."""

    depth: int = 4
    """Search depth, in plies, of players for which the text does not say it."""
    rate: float = 1.0
    """Factor of the rates, which are a tenth of the recipes'."""
    draws: str = "standard"
    """Rule for draws: one of `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`."""
    states: str = "after"
    """Positions that are learned from; see
    `evolve_arena.studies.checkers_td.td_linear.TdLinearConfig`."""

    @property
    def name(self) -> str:
        """Name such as ``depth 3, rates x 3``, without other values that are the defaults."""
        parts = [f"depth {self.depth}", f"rates x {self.rate:g}" if self.rate != 1.0 else ""]
        parts.append(f"draws: {self.draws}" if self.draws != "standard" else "")
        parts.append(f"states {self.states}" if self.states != "after" else "")
        return ", ".join(filter(None, parts))

    def apply(self, recipe: Recipe) -> Recipe:
        """Return the *recipe* of a player with the values of this reading.

        A search depth that the text states (seven plies) stays.
        """
        rate = recipe.method["schedule"]["learning_rate"]
        changes = {
            "method.schedule.learning_rate": float(f"{self.rate / FACTOR * rate:.6g}"),
            "method.draws": self.draws,
            "method.updates.states": self.states,
        }
        if recipe.network["depth"] == UNSTATED:
            changes["network.depth"] = self.depth
        return recipe.change(changes)


CHOSEN = Reading(UNSTATED, FACTOR)
"""The reading of the recipes and all tables: the best fit in the table ``readings``."""
CHOSEN_GAMES = 500
"""Number of training games of each player."""


def plan(settings: Settings) -> list[Job]:
    """Return the jobs of all players for each seed, the longest ones first."""
    jobs = [_job(number, seed, settings) for seed in settings.each_seed for number in PLAYERS]
    return sorted(jobs, key=lambda job: -job.weight)


def trained(material: Material, seed: int, numbers: Sequence[int]) -> list[Run]:
    """Return the runs of the players with these *numbers* for one *seed*.

    Args:
        material: Finished runs of the study.
        seed: Number of the run of each player, from 1.
        numbers: Numbers of the players in the publication, 1 to 16; see :data:`PLAYERS`.
    """
    return [material.runs[f"{recipe_name(number)}-{seed}"] for number in numbers]


def recipe_name(number: int) -> str:
    """Return the name of the recipe of player *number*, such as ``checkers-06-rafalmore``."""
    return f"checkers-{number:02d}-{PLAYERS[number].lower()}"


def estimate_cost(depth: int, features: int) -> float:
    """Return the approximate relative time that a player takes for a game."""
    return COUNTING[features] * BRANCHING**depth


def _job(number: int, seed: int, settings: Settings) -> Job:
    """Return the run of one player; no two runs of the study have the same seed.

    A player whose weights diverge continues with the previous ones, as in the readings.
    """
    recipe = load_recipe(recipe_name(number))
    games = settings.scaled(CHOSEN_GAMES, least=2)
    generations = min(games, GENERATIONS)
    changes = {
        "method.individuals": 1,
        "method.games": games // generations,
        "check.every": generations,
        "check.games": settings.scaled(CHECK_GAMES, least=2),
        "check.opponents": ["random"],
        "run.seed": 1000 * number + seed,
        "run.generations": generations,
        "run.checkpoint_every": 1,
        "run.champion": "last",
    }
    cost = estimate_cost(recipe.network["depth"], recipe.network["features"])
    weight = games / generations * cost
    return Job(f"{recipe_name(number)}-{seed}", recipe.change(changes), weight)


def gather(material: Material, seed: int, numbers: Sequence[int]) -> Participants:
    """Return the players with these *numbers*, of one *seed*, as they are after their training.

    Args:
        material: Finished runs of the study.
        seed: Number of the run of each player, from 1.
        numbers: Numbers of the players in the publication, 1 to 16; see :data:`PLAYERS`.
    """
    return join_runs(trained(material, seed, numbers))


def join_runs(runs: Sequence[Run]) -> Participants:
    """Return the first players of *runs* of the method ``td-linear``, as they are now."""
    states = [run.state() for run in runs]
    methods = [cast(TdLinear, run.method) for run in runs]
    learning = [
        make_learning_settings(method.config, method.decoder, state.generation)
        for method, state in zip(methods, states, strict=True)
    ]
    genomes = [state.population[0] for state in states]
    return make_participants([method.decoder for method in methods], learning, genomes)


def make_beginners(recipes: Sequence[Recipe], seeds: Sequence[int]) -> Participants:
    """Return untrained players, one for each recipe and its seed."""
    methods = [recipe.make_method() for recipe in recipes]
    return make_participants(
        [method.decoder for method in methods],
        [make_learning_settings(method.config, method.decoder) for method in methods],
        [method.initial(seed).population[0] for method, seed in zip(methods, seeds, strict=True)],
    )


def arrange(
    participants: Participants,
    pairings: Array,
    seeds: NDArray[np.uint64],
    *,
    games: int,
    learn: bool,
    alternate: bool = False,
) -> Task:
    """Return a task of meetings, as `make_meetings` does, with the chosen reading's rule for draws.

    Args:
        participants: Players of all meetings.
        pairings: Rows of *participants* of each meeting's first and second player, shape
            ``(meetings, 2)``.
        seeds: Seed of each meeting, shape ``(meetings,)``.
        games: Number of games of each meeting.
        learn: True if the players learn from these games, by their own settings.
        alternate: True if both players begin in turn, False if the first begins every game.

    Raises:
        ValueError: The shapes do not fit together, or a pairing names no player.
    """
    return make_meetings(
        participants,
        pairings,
        seeds,
        games=games,
        learn=learn,
        alternate=alternate,
        draws=CHOSEN.draws,
    )


def read_scores(rows: NDArray[np.int64]) -> list[Score]:
    """Return scores from rows of wins, draws and losses, shape ``(meetings, 3)``."""
    return [Score(wins, losses, draws) for wins, draws, losses in rows.tolist()]
