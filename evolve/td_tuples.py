"""The method ``td-tuples``: tuple networks that learn by playing, by TD(λ).

After Thill, Koch and Konen, "Reinforcement learning with n-tuples on the game Connect-4",
PPSN 2012. What is different here, and why, stands in docs/guides/tuples.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.learning.learner import Learner, pack_opponents
from evolve_arena.evolve.learning.lessons import RETURNS, Lesson, find_game_of, make_lesson
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIGURES,
    FIRST_WINS,
    PLIES,
    LearningSettings,
    TupleWorkspace,
    average_tables,
    make_tuple_workspace,
    merge_shards,
)
from evolve_arena.evolve.settings.learning import TdTuplesConfig
from evolve_arena.genomes.limits import COPIES
from evolve_arena.genomes.tuple_entries import READINGS
from evolve_arena.genomes.tuples import TuplePopulation, join_tuples
from evolve_arena.players.board.workspace import count_changes, make_states, seen_words
from evolve_arena.players.tuples import TupleDecoder

LESSONS = "evolve_arena.evolve.learning.board_learning"


@dataclass(frozen=True, eq=False)
class TdTuplesState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: TuplePopulation
    averages: NDArray[np.float32]
    """What plays: running means of the tables, of the same shape."""


class TdTuples(Learner[TdTuplesState]):
    """Learns tables by temporal differences."""

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
        """Tables, their means, and those of all shards, at the size that walks usually have."""
        numbers = decoder.table(decoder.draw(np.random.default_rng(0))).numbers
        return (COPIES + config.shards) * 4 * config.individuals * numbers

    def initial(self, seed: int) -> TdTuplesState:
        """Learners of random shapes, who know nothing: all their tables are 0."""
        generator = derive_generator(seed, 0, "initialisation")
        cells = np.stack([self.decoder.draw(generator) for _ in range(self.config.individuals)])
        tables = np.zeros((len(cells), self._count_numbers(cells)), dtype=np.float32)
        return TdTuplesState(seed, 0, TuplePopulation(cells, tables), tables.copy())

    def enter(self, state: TdTuplesState, individuals: TuplePopulation) -> TdTuplesState:
        """The initial *state* with *individuals* of other runs, whose averages are their tables."""
        others = state.population.take(np.arange(len(individuals), len(state.population)))
        joined = join_tuples([individuals, others])
        numbers = self._count_numbers(joined.cells)
        room = np.zeros((len(joined), numbers), np.float32)
        kept = min(numbers, joined.tables.shape[1])
        room[:, :kept] = joined.tables[:, :kept]
        return replace(state, population=TuplePopulation(joined.cells, room), averages=room.copy())

    def find_mismatch(self, state: TdTuplesState) -> str | None:
        """Compares the shapes of the arrays with the configuration."""
        cells, tables = state.population.cells, state.population.tables
        expected = (self.config.individuals, *self.decoder.tuple_shape)
        if cells.shape != expected:
            return f"its tuples have shape {cells.shape}, not {expected}"
        if cells.dtype != np.int16 or not 0 <= cells.min() <= cells.max() < self.decoder.cells:
            return "its tuples are no cells of the board"
        numbers = (self.config.individuals, self._count_numbers(cells))
        for array in (tables, state.averages):
            if array.shape != numbers or array.dtype != np.float32:
                return f"its tables have shape {array.shape}, not {numbers}"
        return None

    def make_work(self, state: TdTuplesState) -> Work:
        """A part for each shard of each learner."""
        config = self.config
        parts = config.individuals * config.shards
        tables = [self.decoder.table(cells).structure for cells in state.population.cells]
        places = np.cumsum([0, *(len(table) for table in tables)])
        learning = LearningSettings(
            games=config.games // config.shards,
            step=self._find_step(state),
            decay=config.trace_decay,
            discount=config.discount,
            exploration=config.exploration,
            damped=float(config.gradient == "squared"),
            explore_wins=config.explore_wins,
        )
        return Work(
            kernel="evolve_arena.evolve.td_tuples:teach_part",
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
                "learning": list(learning),
                "shards": config.shards,
            },
            coarse=True,
            games=config.games // config.shards,
        )

    def update(
        self, state: TdTuplesState, outputs: Sequence[NDArray[Any]]
    ) -> tuple[TdTuplesState, dict[str, float]]:
        """Brings shards together, and the averages up to date."""
        config = self.config
        shards, figures = outputs
        tables, averages = state.population.tables.copy(), state.averages.copy()
        share = max(config.averaging, 1.0 / (state.generation + 1))
        for one, parts in enumerate(np.split(shards, config.individuals)):
            merge_shards(tables[one], parts)
            average_tables(averages[one], tables[one], share)
        population = TuplePopulation(state.population.cells, tables)
        after = TdTuplesState(state.seed, state.generation + 1, population, averages)
        sums = figures.sum(axis=0)
        statistics = self.describe_games(
            error=sums[ERROR], plies=sums[PLIES], first_wins=sums[FIRST_WINS], draws=sums[DRAWS]
        )
        return after, statistics | {"epsilon": config.exploration}

    def candidates(self, state: TdTuplesState) -> TuplePopulation:
        """The learners with their averages as tables."""
        return TuplePopulation(state.population.cells, state.averages)

    def describe(self, state: TdTuplesState) -> dict[str, Any]:
        """Learners, tuples, and numbers of each."""
        individuals, tuples, length = state.population.cells.shape
        numbers = state.population.tables.shape[1]
        return {
            "individuals": individuals,
            "tuples": tuples,
            "cells": length,
            "numbers": numbers,
            "used": float(np.count_nonzero(state.population.tables)) / (individuals * numbers),
        }

    def _count_numbers(self, cells: NDArray[np.int16]) -> int:
        """Room for the tables of the largest individual."""
        return max(self.decoder.table(shape).numbers for shape in cells)

    def _find_step(self, state: TdTuplesState) -> float:
        """How far entries move in this generation."""
        schedule = self.config.schedule
        start, end = schedule.learning_rate, schedule.final_learning_rate
        if end is None:
            return start
        progress = min(1.0, state.generation * self.config.games / schedule.games)
        return start + (end - start) * progress


def teach_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """A kernel of `evolve_arena.arena.work`; see `TdTuples.make_work`."""
    tables, structures, places, seeds, *against = inputs
    game = find_game_of(options)
    lesson = make_lesson(game, against, RETURNS, LESSONS)
    learning = LearningSettings(*options["learning"])
    if part.start == part.stop:  # only to compile
        scratch = tables[0].copy(), seeds[:1].copy(), outputs[1][0].copy()
        _teach(lesson, learning._replace(games=0), structures[places[0] : places[1]], *scratch)
    for place in range(part.start, part.stop):
        one = place // options["shards"]
        structure = structures[places[one] : places[one + 1]]
        learned, figures = outputs[0][place], outputs[1][place]
        learned[:] = tables[one]
        figures[:] = 0.0
        _teach(lesson, learning, structure, learned, seeds[place : place + 1].copy(), figures)


def _teach(
    lesson: Lesson,
    learning: LearningSettings,
    structure: NDArray[np.int32],
    tables: NDArray[np.float32],
    stream: NDArray[np.uint64],
    figures: NDArray[np.float64],
) -> None:
    """Play games and change *tables* by them; see `board_learning.teach`."""
    structure, code = np.array(structure), lesson.code
    made = make_tuple_workspace(
        *(int(code.LONGEST), int(structure[READINGS])),
        moves=2 * code.MOVES,
        planes=seen_words(code),
        changes=count_changes(code),
        states=make_states(code, 2),
        seats=int(code.SEATS),
    )
    workspace: TupleWorkspace = lesson.share(made)
    given = learning, structure, tables, stream, workspace, figures
    lesson.lessons.teach(*given, lesson.opponents)
    lesson.refuse_faults(workspace.states, workspace.planes)
