"""The runs of the study ``checkers-td``: sixteen players, each trained against itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
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

UNSTATED = 4
"""How many plies the recipes look ahead where the text does not say it."""
GENERATIONS = 5
"""In how many generations a player trains."""
CHECK_GAMES = 100
"""Games against the random player at the end, to see that something was learned."""
BRANCHING = 2.8
"""By about how much a ply more lengthens a search."""
COUNTING = {4: 1.0, 14: 1.5, 20: 5.0}
"""About how long it takes to value a position, by how many features it has."""


@dataclass(frozen=True)
class Reading:
    """What is taken for some of the things that the text leaves open."""

    depth: int = 4
    """How many plies a player looks ahead of whom the text does not say it."""
    rate: float = 1.0
    """What the rates of the recipes are multiplied by."""
    draws: str = "standard"
    """When a game is drawn: one of `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`."""
    states: str = "after"
    """Which positions are learned from; see
    `evolve_arena.studies.checkers_td.td_linear.TdLinearConfig`."""

    @property
    def name(self) -> str:
        """Such as ``depth 3, rates x 3``; what is as in the recipes is left out."""
        parts = [f"depth {self.depth}", f"rates x {self.rate:g}" if self.rate != 1.0 else ""]
        parts.append(f"draws: {self.draws}" if self.draws != "standard" else "")
        parts.append(f"states {self.states}" if self.states != "after" else "")
        return ", ".join(filter(None, parts))

    def apply(self, recipe: Recipe) -> Recipe:
        """The *recipe* of a player, changed; who looks seven plies ahead goes on to do so."""
        changes = {
            "method.rate": float(f"{self.rate * recipe.method['rate']:.6g}"),
            "method.draws": self.draws,
            "method.states": self.states,
        }
        if recipe.network["depth"] == UNSTATED:
            changes["network.depth"] = self.depth
        return recipe.change(changes)


CHOSEN = Reading(3, 10.0)
"""The reading of the tables: of those in the table ``readings`` it fits best ..."""
CHOSEN_GAMES = 500
"""... after so many games of training."""


def plan(settings: Settings) -> list[Job]:
    """All players of all seeds, those that search deepest first: they would be the last to end."""
    jobs = [_job(number, seed, settings) for seed in settings.each_seed for number in PLAYERS]
    return sorted(jobs, key=lambda job: -job.weight)


def trained(material: Material, seed: int, numbers: Sequence[int]) -> list[Run]:
    """The runs of the players with these *numbers* that have the same *seed*."""
    return [material.runs[f"{recipe_name(number)}-{seed}"] for number in numbers]


def recipe_name(number: int) -> str:
    """The recipe of player *number*, such as ``checkers-06-rafalmore``."""
    return f"checkers-{number:02d}-{PLAYERS[number].lower()}"


def estimate_cost(depth: int, features: int) -> float:
    """About how long a player takes for a game, compared with others."""
    return COUNTING[features] * BRANCHING**depth


def _job(number: int, seed: int, settings: Settings) -> Job:
    """The run of one player; no two runs of the study have the same seed.

    A player whose weights grow beyond all bounds goes on with those before, as in the readings.
    """
    recipe = CHOSEN.apply(load_recipe(recipe_name(number)))
    games = settings.scaled(CHOSEN_GAMES, least=2)
    generations = min(games, GENERATIONS)
    changes = {
        "method.individuals": 1,
        "method.games": games // generations,
        "method.diverged": "keep",
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
    """The players with these *numbers*, of one *seed*, as they are after their training."""
    runs = trained(material, seed, numbers)
    states = [run.state() for run in runs]
    methods = [cast(TdLinear, run.method) for run in runs]
    learning = [
        make_learning_settings(method.config, method.decoder, state.generation)
        for method, state in zip(methods, states, strict=True)
    ]
    genomes = [state.population[0] for state in states]
    return make_participants([method.decoder for method in methods], learning, genomes)


def make_beginners(recipes: Sequence[Recipe], seeds: Sequence[int]) -> Participants:
    """Players who have learned nothing yet, each by a recipe and a seed."""
    methods = [recipe.make_method() for recipe in recipes]
    return make_participants(
        [method.decoder for method in methods],
        [make_learning_settings(method.config, method.decoder) for method in methods],
        [method.initial(seed).population[0] for method, seed in zip(methods, seeds, strict=True)],
    )


def arrange(
    participants: Participants, pairings: Any, seeds: NDArray[np.uint64], **options: Any
) -> Work:
    """Meetings, as by `make_meetings`, whose games are drawn as the tables' reading says."""
    return make_meetings(participants, pairings, seeds, draws=CHOSEN.draws, **options)


def read_scores(rows: NDArray[np.int64]) -> list[Score]:
    """Scores from what meetings give: wins, draws, losses."""
    return [Score(wins, losses, draws) for wins, draws, losses in rows.tolist()]
