"""Migration: the generations of an island between two exchanges, its emigrants and immigrants.

An island chooses its emigrants by the fitness of the generation before, and immigrants take their
places before a generation plays: fitness among individuals that met each other says nothing about
others, so they have to play where they arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.seeding import derive_generator
from evolve_arena.evolve.method import AnyMethod, Report
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.tuples import TuplePopulation, join_tuples

Individuals: TypeAlias = Any
"""Genomes that are sent, of the type `Method.individuals_type`."""


@dataclass(frozen=True, eq=False)
class IslandsState:
    """The states of all islands; a subclass declares their type."""

    seed: int
    generation: int
    islands: tuple[Any, ...]
    """The state of each island."""
    waiting: tuple[Any, ...]
    """The emigrants of each island that wait for the next migration."""

    @property
    def population(self) -> Any:
        """The individuals of all islands, one island after the other."""
        return join([island.population for island in self.islands])


def make_state_type(state_type: type[Any], individuals_type: Any) -> type[IslandsState]:
    """Return the type of the states of islands whose own states and emigrants are of these types.

    Checkpoints are read as this type.
    """
    kind: Any = tuple[state_type, ...]  # type: ignore[valid-type]
    sent: Any = tuple[individuals_type, ...]
    return make_dataclass(
        "IslandsState",
        [("islands", kind), ("waiting", sent)],
        bases=(IslandsState,),
        frozen=True,
        eq=False,
    )


@dataclass(frozen=True)
class IslandTask:
    """The generations of an island until the next migration; it can be sent to a worker."""

    method: AnyMethod
    state: Any
    until: int
    """The generation at which the task ends."""
    config: IslandsConfig
    arriving: Individuals | None
    """The immigrants that arrive first; None if there are none."""


@dataclass(frozen=True)
class IslandResult:
    """The result of an `IslandTask`."""

    state: Any
    reports: list[Report]
    leaving: Individuals | None = None
    """The emigrants, if the task ended at a migration."""
    games: int = 0


def run_island(task: IslandTask, arena: Arena | None = None) -> IslandResult:
    """Breed an island to the end of its *task*; in a new arena if *arena* is None."""
    method, state, config = task.method, task.state, task.config
    arena = arena or Arena(method.decoder, SerialExecutor())
    before, reports, leaving = arena.games_played, [], None
    # Immigration: immigrants take their places before a generation plays
    if task.arriving is not None:
        rows = _choose_places(method, state, config, arena)
        state = method.immigrate(state, rows, task.arriving)
    while state.generation < task.until:
        parents, (state, report) = state, method.step(state, arena)
        reports.append(replace(report, fitness=None))
        # Emigration: copies of the fittest of the generation that was played
        if config.migrants and state.generation % config.interval == 0:
            fitness: Any = report.fitness
            known = np.nan_to_num(fitness, nan=-np.inf)
            best = np.argsort(-known, kind="stable")[: config.migrants]
            leaving = method.emigrants(parents, best)
    return IslandResult(state, reports, leaving, arena.games_played - before)


def _choose_places(
    method: AnyMethod, state: Any, config: IslandsConfig, arena: Arena
) -> NDArray[np.int64]:
    """Return the rows of the individuals that give way to immigrants."""
    if config.replace == "worst":
        known = np.nan_to_num(method.find_fitness(state, arena), nan=-np.inf)
        return np.argsort(known, kind="stable")[: config.arriving]
    rng = derive_generator(state.seed, state.generation, "newcomers")
    return rng.choice(len(state.population), config.arriving, replace=False)


def find_immigrants(
    config: IslandsConfig, seed: int, generation: int, waiting: Sequence[Individuals]
) -> list[Individuals | None]:
    """Return the immigrants of each island at this *generation*; None where there are none.

    Args:
        config: The section ``[islands]``.
        seed: The run's seed.
        generation: The generation that is to be played.
        waiting: The emigrants of each island.
    """
    migration, between = divmod(generation, config.interval)
    if between or not waiting:
        return [None] * config.count
    senders = config.find_senders(seed, migration)
    return [join([waiting[sender] for sender in each]) for each in senders]


def join(groups: Sequence[Individuals]) -> Individuals:
    """Return individuals of several islands, one after the other."""
    if isinstance(groups[0], NeatPopulation):
        return concatenate(groups)
    if isinstance(groups[0], TuplePopulation):
        return join_tuples(groups)
    return np.concatenate(groups)


def pick(individuals: Individuals, rows: NDArray[np.int64]) -> Individuals:
    """Return copies of some *individuals*, in the order of *rows*."""
    return individuals[rows] if isinstance(individuals, np.ndarray) else individuals.take(rows)
