"""The method ``td-tuples``: tuple networks that learn by playing, by TD(λ).

The loop, for each learner, whose games are divided among shards:

1. Play: one game, against itself or fixed opponents; each move leads to the state of the highest
   value, or with probability ε is a random one.
2. Returns: λ-returns from the last state to the first, as in the method ``td``.
3. Learning: the entries of each state move towards its return by the learning rate.
4. After so many games the shards are merged, each entry by the mean of its changes, and a running
   mean of the tables is brought up to date, which is what plays in checks; go to 1.

Source: Thill, Koch and Konen, "Reinforcement learning with n-tuples on the game Connect-4",
PPSN 2012. docs/guides/tuples.md has the differences, and reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Array, Floats, JsonObject
from evolve_arena.evolve.learning.learner import Learner, pack_opponents
from evolve_arena.evolve.learning.tuple_learning import (
    FIGURES,
    TDSettings,
    average_tables,
    merge_shards,
)
from evolve_arena.evolve.settings.learning import TdTuplesConfig
from evolve_arena.evolve.state_checks import Shape, find_other_arrays
from evolve_arena.genomes.limits import COPIES
from evolve_arena.genomes.tuples import TuplePopulation, join_tuples
from evolve_arena.players.tuples import TupleDecoder


@dataclass(frozen=True, eq=False)
class TdTuplesState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: TuplePopulation
    averages: Floats
    """Running means of the tables, with which champions play; of the same shape."""


class TdTuples(Learner[TdTuplesState]):
    """Trains n-tuple networks on their games, by TD(λ).

    Raises:
        BadValueError: ``explore_wins`` is false, but the game's file lists no wins; or an opponent
            is unknown or not compiled.
    """

    name = "td-tuples"
    rate = "method.schedule.learning_rate"
    config_type = TdTuplesConfig
    genome_kind = "tuples"
    state_type = TdTuplesState
    config: TdTuplesConfig
    decoder: TupleDecoder

    def __init__(self, config: TdTuplesConfig, decoder: TupleDecoder) -> None:
        super().__init__(config, decoder)
        code = getattr(decoder.game, "code", None)
        if not config.explore_wins and not (code and code.HAS_WINS):
            raise BadValueError(
                f"explore_wins is false, but the file of {decoder.game.name} has no function wins"
            )
        self._opponents = pack_opponents(config.opponents, decoder.game)

    @classmethod
    def estimate_bytes(cls, config: TdTuplesConfig, decoder: TupleDecoder) -> int:
        """Estimate the bytes of tables, their means and those of shards, for typical tuples."""
        numbers = decoder.table(decoder.draw(np.random.default_rng(0))).numbers
        return (COPIES + config.shards) * 4 * config.individuals * numbers

    def initial(self, seed: int) -> TdTuplesState:
        """Return learners with random tuples of cells, whose tables are all 0."""
        rng = derive_generator(seed, 0, "initialisation")
        cells = np.stack([self.decoder.draw(rng) for _ in range(self.config.individuals)])
        tables = np.zeros((len(cells), self.count_numbers(cells)), dtype=np.float32)
        return TdTuplesState(seed, 0, TuplePopulation(cells, tables), tables.copy())

    def enter(self, state: TdTuplesState, individuals: TuplePopulation) -> TdTuplesState:
        """Return the initial *state* with *individuals* of other runs and their tables."""
        others = state.population.take(np.arange(len(individuals), len(state.population)))
        joined = join_tuples([individuals, others])
        numbers = self.count_numbers(joined.cells)
        room = np.zeros((len(joined), numbers), np.float32)
        kept = min(numbers, joined.tables.shape[1])
        room[:, :kept] = joined.tables[:, :kept]
        return replace(state, population=TuplePopulation(joined.cells, room), averages=room.copy())

    def state_of(self, seed: int, generation: int, population: TuplePopulation) -> TdTuplesState:
        """Return the state of a population without running means.

        Args:
            seed: Seed of the run.
            generation: Generation whose games are next.
            population: The learners, whose tables count as their own averages.
        """
        return TdTuplesState(seed, generation, population, population.tables)

    def find_mismatch(self, state: TdTuplesState) -> str | None:
        """Compare the shapes of the arrays with the configuration."""
        individuals, cells = self.config.individuals, state.population.cells
        shapes: dict[str, Shape] = {"population.cells": (individuals, *self.decoder.tuple_shape)}
        if fault := find_other_arrays(state, shapes, {}, np.int16):
            return fault
        if not 0 <= cells.min() <= cells.max() < self.decoder.cells:
            return "its tuples are no cells of the board"
        # The individual with the largest tables may have left, as in population-based training.
        room = max([self.count_numbers(cells), *state.population.tables.shape[1:2]])
        shapes = dict.fromkeys(("population.tables", "averages"), (individuals, room))
        return find_other_arrays(state, shapes, {})

    def make_settings(self, state: TdTuplesState) -> TDSettings:
        """Return the settings of the next generation's games."""
        config, played = self.config, state.generation * self.config.games
        return TDSettings(
            games=config.games // config.shards,
            step=config.schedule.find_rate(played),
            decay=config.trace_decay,
            discount=config.discount,
            exploration=config.exploration,
            damped=float(config.gradient == "squared"),
            explore_wins=config.explore_wins,
            random_starts=config.schedule.find_starts(played),
            start_plies=config.schedule.start_plies,
        )

    def make_task(self, state: TdTuplesState, settings: Sequence[TDSettings] | None = None) -> Task:
        """Return the task of the next generation's games, with one part per shard of a learner.

        Args:
            state: State before the games.
            settings: Each learner's settings; those of :meth:`make_settings` if None.
        """
        config = self.config
        parts = config.individuals * config.shards
        settings = settings or [self.make_settings(state)] * config.individuals
        tables = [self.decoder.table(cells).structure for cells in state.population.cells]
        places = np.cumsum([0, *(len(table) for table in tables)])
        return Task(
            kernel="evolve_arena.evolve.learning.tuple_lessons:teach_part",
            inputs=(
                state.population.tables,
                np.concatenate(tables),
                places,
                derive_seeds(state.seed, state.generation, "learning", parts),
                *self._opponents,
            ),
            outputs=(
                ("float32", (parts, state.population.tables.shape[1])),
                ("float64", (parts, FIGURES)),
            ),
            options={
                "game": self.decoder.game.name,
                "rules": list(self.decoder.game.rules),
                "learning": [list(one) for one in settings],
                "shards": config.shards,
            },
            coarse=True,
            games=config.games // config.shards,
        )

    def update(
        self, state: TdTuplesState, outputs: Sequence[Array]
    ) -> tuple[TdTuplesState, dict[str, float]]:
        """Return the state with merged shards and updated averages, and statistics of the games."""
        config = self.config
        shards, figures = outputs
        tables, averages = state.population.tables.copy(), state.averages.copy()
        share = max(config.schedule.averaging, 1.0 / (state.generation + 1))
        equal = np.ones(config.shards, dtype=np.float32)
        for one, parts in enumerate(np.split(shards, config.individuals)):
            merge_shards(tables[one], parts, equal)
            average_tables(averages[one], tables[one], share)
        population = TuplePopulation(state.population.cells, tables)
        after = TdTuplesState(state.seed, state.generation + 1, population, averages)
        return after, self.sum_figures(figures) | {"epsilon": config.exploration}

    def candidates(self, state: TdTuplesState) -> TuplePopulation:
        """Return the learners with their averages as tables."""
        return TuplePopulation(state.population.cells, state.averages)

    def describe(self, state: TdTuplesState) -> JsonObject:
        """Return the numbers of learners, tuples, cells and table entries, and the share used."""
        individuals, tuples, length = state.population.cells.shape
        numbers = state.population.tables.shape[1]
        return {
            "individuals": individuals,
            "tuples": tuples,
            "cells": length,
            "numbers": numbers,
            "used": float(np.count_nonzero(state.population.tables)) / (individuals * numbers),
        }

    def count_numbers(self, cells: NDArray[np.int16]) -> int:
        """Return the number of table entries of the largest individual.

        *cells* are the tuples of all, shape ``(individuals, tuples, length)``.
        """
        return max(self.decoder.table(shape).numbers for shape in cells)
