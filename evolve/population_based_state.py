"""States of the method ``population-based-training``: genes and weights of the individuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.game import Config, GameSpec
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Floats, JsonObject, Settings
from evolve_arena.evolve.learning.tuple_structure import (
    OneTuple,
    put_together,
    replace_worst,
    take_apart,
)
from evolve_arena.evolve.matches import sum_points
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.migration import pick
from evolve_arena.evolve.settings.learning import LearnedMlpConfig, TdConfig, TdTuplesConfig
from evolve_arena.evolve.settings.population_based_training import (
    GENES,
    PopulationBasedTrainingConfig,
)
from evolve_arena.evolve.td import Td
from evolve_arena.evolve.td_tuples import TdTuples
from evolve_arena.genomes.tuples import TuplePopulation, join_tuples
from evolve_arena.players.evolved import EvolvedPlayer


@dataclass(frozen=True, eq=False)
class PopulationBasedState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: Any
    """The individuals with the weights that they begin the generation with."""
    averages: Floats
    """Running means of their weights, with which champions play, shape ``(individuals,
    numbers)``."""
    genes: NDArray[np.float64]
    """The genes, on their logarithmic scale, shape ``(individuals, 4)``; see `GENES`."""
    parents: NDArray[np.int64]
    """The rows of each individual's parents in the generation before, shape ``(individuals,
    2)``."""


@dataclass(frozen=True, eq=False)
class PopulationOfTuples(PopulationBasedState):
    """The state with tuple networks."""

    population: TuplePopulation


@dataclass(frozen=True, eq=False)
class PopulationOfVectors(PopulationBasedState):
    """The state with multilayer perceptrons."""

    population: Floats


class PopulationBasedBreeder(Method[Any]):
    """Base of the method: its networks, checks of states, and the champion."""

    sections = ("variation",)
    genome_kind = "tuples"
    only_pairs = True
    individuals_type = TuplePopulation
    config: PopulationBasedTrainingConfig

    def __init__(self, config: PopulationBasedTrainingConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.is_of_tuples = not hasattr(decoder, "mlp")
        self.state_type = PopulationOfTuples if self.is_of_tuples else PopulationOfVectors
        self.teacher = make_teacher(config, decoder)
        self.migrates = self.is_of_tuples
        self.genome_kind = "tuples" if self.is_of_tuples else "vector"

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return the networks that can learn in *game*: tuple networks before perceptrons."""
        return TdTuples.networks(game) | Td.networks(game) if game.most_seats == 2 else {}

    @classmethod
    def network_section(cls, game: GameSpec, content: Settings) -> type[Config]:
        """Return the model of a section ``[network]`` of this *content*."""
        section = super().network_section(game, content)
        return LearnedMlpConfig if "hidden" in section.model_fields else section

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """Estimate the bytes of the weights, their means, and what is learned."""
        teacher = make_teacher(config, decoder)
        return 2 * int(teacher.estimate_bytes(teacher.config, decoder))

    @property
    def replaced(self) -> int:
        """Number of tuples that are replaced at a time."""
        together = self.is_of_tuples and self.config.inheritance == "recombined"
        return round(self.config.tuples.replaced * self.decoder.tuple_shape[0]) if together else 0

    def replace_tuples(
        self, population: TuplePopulation, averages: Floats, seed: int, generation: int
    ) -> tuple[TuplePopulation, Floats]:
        """Replace the tuples that contribute least, in the network that all individuals have.

        Args:
            population: Individuals with the same network.
            averages: Running means of their weights, shape ``(individuals, numbers)``.
            seed: Seed of the run.
            generation: Generation that was played.
        """
        whole = population.cells[0], population.tables[0], averages[0]
        tuples, rest = take_apart(self.decoder, *whole)
        rng = derive_generator(seed, generation, "tuples")
        replaced = replace_worst(self.decoder, tuples, self.replaced, rng)
        return self._repeat(replaced, rest)

    def _repeat(self, tuples: Sequence[OneTuple], rest: OneTuple) -> tuple[TuplePopulation, Floats]:
        """Return individuals that all have the network of these tuples, and its running means."""
        cells, weights, average = put_together(self.decoder, tuples, rest)
        count = self.config.individuals
        population = TuplePopulation(
            np.repeat(cells[None], count, axis=0), np.tile(weights, (count, 1))
        )
        return population, np.tile(average, (count, 1))

    def enter(self, state: Any, individuals: Any) -> Any:
        """Return the initial *state* with networks of other runs; if they recombine, the first."""
        count = len(state.genes)
        rows = np.arange(count) % len(individuals)
        if self.config.inheritance == "recombined":
            rows = np.zeros(count, dtype=np.int64)
        chosen = pick(individuals, rows)
        if self.is_of_tuples:
            numbers = self.teacher.count_numbers(chosen.cells)
            chosen = with_weights(chosen, chosen.tables[:, :numbers].copy())
        return replace(state, population=chosen, averages=weights_of(chosen).copy())

    def emigrants(self, state: Any, rows: NDArray[np.int64]) -> TuplePopulation:
        """Return copies of tuple networks, with their running means as weights."""
        return TuplePopulation(state.population.cells[rows], state.averages[rows])

    def immigrate(self, state: Any, rows: NDArray[np.int64], immigrants: TuplePopulation) -> Any:
        """Return the *state* in which immigrants contributed tuples, or replaced individuals.

        If weights recombine, the best tuples of the first immigrant replace those of the common
        network that contribute least, with their weights. Else immigrants replace individuals.

        Args:
            state: State of the population that they join.
            rows: Rows of the individuals that give way, shape ``(immigrants,)``.
            immigrants: Tuple networks, as :meth:`emigrants` gives them.
        """
        if self.config.inheritance == "recombined":
            theirs, _ = take_apart(
                self.decoder, immigrants.cells[0], *(immigrants.tables[0] for _ in range(2))
            )
            own, rest = take_apart(
                self.decoder,
                state.population.cells[0],
                state.population.tables[0],
                state.averages[0],
            )
            crossed = round(self.config.tuples.crossed * len(own))
            population, averages = self._repeat(
                [*own[: len(own) - crossed], *theirs[:crossed]], rest
            )
            return replace(state, population=population, averages=averages)
        others = np.setdiff1d(np.arange(len(state.population)), rows)
        order = np.argsort(np.concatenate([others, rows]))
        joined = join_tuples([state.population.take(others), immigrants])
        means = TuplePopulation(state.population.cells, state.averages)
        averages = join_tuples([means.take(others), immigrants]).tables[order]
        return replace(state, population=joined.take(order), averages=averages)

    def candidates(self, state: Any) -> Any:
        """Return the individuals with the running means as weights."""
        return with_weights(state.population, state.averages)

    def champion(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Return the winner of matches among the individuals; there are none if all are alike."""
        found = self.candidates(state)
        if self.config.inheritance == "recombined":
            return found[0], Report(state.generation, 0, {"points": 0.0, "matches": 0.0})
        lesson = self.teacher.state_of(state.seed, state.generation, found)
        results, pairings = self.teacher.meet_one_another(lesson, arena, found)
        points, played = sum_points(results, pairings, len(found), 0.5)
        best = int(np.argmax(points))
        figures = {"points": float(points[best]), "matches": float(played[best])}
        return found[best], Report(state.generation, len(pairings), figures)

    def find_mismatch(self, state: Any) -> str | None:
        """Compare the shapes of the arrays with the configuration."""
        lesson = self.teacher.state_of(state.seed, state.generation, state.population)
        if fault := self.teacher.find_mismatch(lesson):
            return str(fault)
        count, weights = self.config.individuals, weights_of(state.population)
        for name, shape in (
            ("averages", weights.shape),
            ("genes", (count, len(GENES))),
            ("parents", (count, 2)),
        ):
            if getattr(state, name).shape != shape:
                return f"its {name} have the shape {getattr(state, name).shape}, not {shape}"
        if not 0 <= state.parents.min() <= state.parents.max() < count:
            return "its parents are no individuals"
        return None

    def describe(self, state: Any) -> JsonObject:
        """Return the figures of the learners."""
        lesson = self.teacher.state_of(state.seed, state.generation, state.population)
        described: JsonObject = self.teacher.describe(lesson)
        return described


def make_teacher(config: PopulationBasedTrainingConfig, decoder: Any) -> Any:
    """Return the method by which the individuals learn."""
    common: JsonObject = {
        "individuals": config.individuals,
        "games": config.games,
        "final": {"games": config.match_games},
    }
    if hasattr(decoder, "mlp"):
        return Td(TdConfig.model_validate(common), decoder)
    return TdTuples(TdTuplesConfig.model_validate(common | {"shards": 1}), decoder)


def to_scale(genes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return genes on their logarithmic scale: a rate as log x, a share as log(p / (1 - p))."""
    scaled = np.log(genes)
    scaled[..., 1:] -= np.log1p(-genes[..., 1:])
    return scaled


def from_scale(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return genes as settings, from their logarithmic scale, rounded to 32 bits.

    The last bits of exponentials depend on the processor.
    """
    grown = np.exp(np.clip(scaled, -30.0, 30.0))
    shares = grown / (1.0 + grown)
    genes = np.concatenate([grown[..., :1], shares[..., 1:]], axis=-1)
    return genes.astype(np.float32).astype(np.float64)


def weights_of(population: Any) -> Floats:
    """Return the weights that are learned, shape ``(individuals, numbers)``."""
    found: Floats = population.tables if isinstance(population, TuplePopulation) else population
    return found


def with_weights(population: Any, weights: Floats) -> Any:
    """Return the *population* with other weights, shape ``(individuals, numbers)``."""
    if isinstance(population, TuplePopulation):
        return TuplePopulation(population.cells, weights)
    return weights
