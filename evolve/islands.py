"""Islands: populations that evolve side by side, and now and then send individuals to each other.

The loop, for m islands, between two migrations:

1. Immigration: on each island the emigrants of its neighbours replace individuals.
2. Evolution: each island breeds ``interval`` generations by its own method, alone.
3. Emigration: each island copies its fittest individuals for its neighbours; go to 1.

An island's own seed and its immigrants decide its future, so islands can be bred in any order, on
any machine, with bit-identical results. See :mod:`evolve_arena.evolve.migration` for steps 1 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.island_reports import merge_descriptions, merge_reports, play_final
from evolve_arena.evolve.method import AnyMethod, Method, Report
from evolve_arena.evolve.migration import (
    Individuals,
    IslandsState,
    IslandTask,
    find_immigrants,
    join,
    make_state_type,
    pick,
    run_island,
)
from evolve_arena.evolve.settings.islands import IslandsConfig


class Islands(Method[Any]):
    """Several populations, each bred by a method of its own.

    Args:
        config: The section ``[islands]``.
        methods: The method of each island.

    Raises:
        BadValueError: Their individuals can't migrate, or too many would arrive on an island.
    """

    config_type = IslandsConfig

    def __init__(self, config: IslandsConfig, methods: Sequence[AnyMethod]) -> None:
        super().__init__(config, methods[0].decoder)
        first = methods[0]
        if not first.migrates:
            raise BadValueError(
                f"islands: individuals of {first.name!r} can't migrate: leave the section out"
            )
        self.methods = list(methods)
        self.name = first.name
        for number, method in enumerate(methods):
            method.island = number
        self.state_type = make_state_type(first.state_type, first.individuals_type)
        for method in methods:
            size = method.population_size
            if config.arriving > size:
                raise BadValueError(
                    f"islands.migrants is {config.migrants}: {config.arriving} would arrive on an"
                    f" island of {size} individuals"
                )

    def check_ready(self) -> None:
        """Make sure that all islands can begin."""
        for method in self.methods:
            method.check_ready()

    def initial(self, seed: int) -> IslandsState:
        """Return the initial state: a population on each island, each from a seed of its own."""
        seeds = self._derive_seeds(seed)
        begun = [method.initial(each) for method, each in zip(self.methods, seeds, strict=True)]
        return self._make_state(seed, 0, tuple(begun), ())

    def reseed(self, state: IslandsState, seed: int) -> IslandsState:
        """Return the same *state* with other seeds, on each island one of its own."""
        parts = zip(self.methods, state.islands, self._derive_seeds(seed), strict=True)
        return replace(state, seed=seed, islands=tuple(m.reseed(*part) for m, *part in parts))

    def enter(self, state: IslandsState, individuals: Individuals) -> IslandsState:
        """Return the initial *state* with *individuals* of other runs, spread over the islands."""
        count, numbers = self.config.count, np.arange(len(individuals))
        islands = [
            method.enter(island, pick(individuals, numbers[place::count]))
            for place, (method, island) in enumerate(zip(self.methods, state.islands, strict=True))
        ]
        return replace(state, islands=tuple(islands))

    def _make_state(
        self, seed: int, generation: int, islands: tuple[Any, ...], waiting: tuple[Any, ...]
    ) -> IslandsState:
        state: IslandsState = self.state_type(seed, generation, islands, waiting)
        return state

    def _derive_seeds(self, seed: int) -> list[int]:
        seeds = derive_seeds(seed, 0, "islands", self.config.count) >> np.uint64(1)
        return [int(each) for each in seeds]

    def find_mismatch(self, state: IslandsState) -> str | None:
        """Compare each island with its settings, and waiting emigrants with the migrations."""
        config, count = self.config, self.config.count
        waiting = count if config.migrants and state.generation >= config.interval else 0
        faults = (m.find_mismatch(s) for m, s in zip(self.methods, state.islands, strict=False))
        found = next(filter(None, faults), None)
        if len(state.islands) != count:
            found = f"it has {len(state.islands)} islands, not {count}"
        elif any(island.generation != state.generation for island in state.islands):
            found = "its islands are at other generations"
        elif [len(group) for group in state.waiting] != [config.migrants] * waiting:
            found = f"{len(state.waiting)} groups of emigrants wait"
        return found

    def step(self, state: IslandsState, arena: Arena) -> tuple[IslandsState, Report]:
        """Breed one generation on each island."""
        after, reports = self.proceed(state, arena, state.generation + 1)
        return after, reports[0]

    def proceed(
        self, state: IslandsState, arena: Arena, until: int
    ) -> tuple[IslandsState, list[Report]]:
        """Breed until the next migration, but not beyond generation *until*.

        Args:
            state: State of all islands, and the emigrants that wait.
            arena: Arena for the matches; its workers share out islands, or the matches of each.
            until: Number of the last generation to reach, later than that of the state.
        """
        config, interval = self.config, self.config.interval
        until = min(until, (state.generation // interval + 1) * interval)

        # Immigration
        arriving = find_immigrants(self.config, state.seed, state.generation, state.waiting)

        # Evolution of each island, emigrants included
        parts = zip(self.methods, state.islands, arriving, strict=True)
        tasks = [IslandTask(method, island, until, config, come) for method, island, come in parts]
        if 1 < arena.executor.workers <= config.count:
            ends = arena.executor.map(run_island, tasks)
            arena.games_played += sum(end.games for end in ends)
        else:  # the matches of each island are enough work for all workers, or for the only one
            ends = [run_island(task, arena) for task in tasks]

        # Emigration: those that left wait for the next migration
        left = tuple(end.leaving for end in ends)
        waiting = state.waiting if left[0] is None else left
        after = self._make_state(state.seed, until, tuple(end.state for end in ends), waiting)
        reports = [merge_reports(each) for each in zip(*(end.reports for end in ends), strict=True)]
        return after, reports

    def champion(self, state: IslandsState, arena: Arena) -> tuple[Any, Report]:
        """Return the winner of matches among the champions of all islands."""
        before = arena.games_played
        found = [
            method.champion(island, arena)[0]
            for method, island in zip(self.methods, state.islands, strict=True)
        ]
        rows = [each[None] if isinstance(each, np.ndarray) else each for each in found]
        final = replace(state.islands[0], seed=state.seed, population=join(rows))
        has_fitness = getattr(self.methods[0].config, "fitness", None) is not None
        if find_game(self.decoder.game.name).most_seats == 2 and not has_fitness:
            row, report = play_final(final, arena, self.config.count)
            return found[row], replace(report, games=arena.games_played - before)
        champion, report = self.methods[0].find_best(final, arena)
        return champion, replace(report, games=arena.games_played - before)

    def describe(self, state: IslandsState) -> JsonObject:
        """Return the number of islands, and their individuals together; sizes are averages."""
        parts = zip(self.methods, state.islands, strict=True)
        return merge_descriptions([method.describe(island) for method, island in parts])
