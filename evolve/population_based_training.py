"""The method ``population-based-training``: individuals learn, and what they became is selected.

An individual has weights and genes: the learning rate, λ, exploration, and the share of games with
random starts. The loop, for n individuals:

1. Learning: each plays a slice of games against itself and learns by TD(λ), with its own genes.
2. Evaluation: every two individuals meet, from random openings, in both colours.
3. Selection: the winner of each of 2n random tournaments becomes a parent.
4. Crossover: a child takes each gene from its second parent with probability p_c.
5. Mutation: each gene gets a number from N(0, σ²) added, on a logarithmic scale.
6. Inheritance: all children begin with the same weights, those of the parents plus what all have
   learned, weighted by rank; go to 1.

So the games of all individuals teach one lineage, as those of shards of a learner do, and nothing
is lost by dividing them. With ``inheritance = "lamarck"`` a child has the weights of its first
parent instead, and individuals are rivals; with ``"baldwin"`` those that its parent began with. The
champion plays with a running mean of the weights.

Source: Jaderberg et al., "Population based training of neural networks" (2017); recombination by
rank as in evolution strategies, with the weights of linear ranking, Baker (1985).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.game import Config, GameSpec
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.core.types import Floats, JsonObject, Settings
from evolve_arena.evolve.learning.tuple_learning import TDSettings, merge_shards
from evolve_arena.evolve.matches import (
    TournamentResults,
    describe_fitness,
    draw_members,
    sum_points,
)
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.settings.learning import LearnedMlpConfig, TdConfig, TdTuplesConfig
from evolve_arena.evolve.settings.population_based_training import (
    GENES,
    PopulationBasedTrainingConfig,
)
from evolve_arena.evolve.td import Td
from evolve_arena.evolve.td_tuples import TdTuples
from evolve_arena.genomes.tuples import TuplePopulation
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


class PopulationBasedTraining(Method[Any]):
    """Selects individuals by what they have learned."""

    name = "population-based-training"
    config_type = PopulationBasedTrainingConfig
    sections = ("variation",)
    genome_kind = "tuples"
    only_pairs = True
    config: PopulationBasedTrainingConfig

    def __init__(self, config: PopulationBasedTrainingConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.is_of_tuples = not hasattr(decoder, "mlp")
        self.state_type = PopulationOfTuples if self.is_of_tuples else PopulationOfVectors
        self.teacher = make_teacher(config, decoder)

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

    def initial(self, seed: int) -> Any:
        """Return individuals with random networks and genes; if they recombine, the same one."""
        config = self.config
        population = self.teacher.initial(seed).population
        if config.inheritance == "recombined":
            population = take(population, np.zeros(config.individuals, dtype=np.int64))
        started = to_scale(np.array([getattr(config.genes, name) for name in GENES]))
        genes = self._mutate(np.tile(started, (config.individuals, 1)), seed, 0, "first genes")
        nobody = np.zeros((config.individuals, 2), dtype=np.int64)
        weights = weights_of(population).copy()
        return self.state_type(seed, 0, population, weights, genes, nobody)

    def _mutate(
        self, genes: NDArray[np.float64], seed: int, generation: int, purpose: str
    ) -> NDArray[np.float64]:
        """Return *genes* with Gaussian numbers added to those that are not fixed."""
        rng = derive_generator(seed, generation, purpose)
        steps = self.config.variation.step_size * rng.standard_normal(genes.shape)
        free = [name not in self.config.genes.fixed for name in GENES]
        return genes + steps * free

    def express(self, state: Any) -> list[TDSettings]:
        """Return the settings with which each individual learns."""
        config = self.config
        factor = config.schedule.find_factor(state.generation)
        return [
            TDSettings(
                games=config.games,
                step=float(rate) * factor,
                decay=float(decay),
                discount=1.0,
                exploration=float(exploration),
                damped=0.0,
                random_starts=float(starts),
                start_plies=config.start_plies,
            )
            for rate, decay, exploration, starts in from_scale(state.genes)
        ]

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Let every individual learn, and breed the next generation."""
        config, seed, now = self.config, state.seed, state.generation
        count, before = config.individuals, arena.games_played

        # Learning
        lesson = self.teacher.state_of(seed, now, state.population)
        weights, figures = self.teacher.learn(lesson, arena, self.express(state))

        # Evaluation
        learned = with_weights(state.population, weights)
        results, pairings = self.teacher.meet_one_another(lesson, arena, learned)
        points, played = sum_points(results, pairings, count, 0.5)
        fitness = points / played

        # Selection
        size = config.variation.tournament_size
        members = draw_members(count, 2 * count, size, derive_stream(seed, now, "members"))
        tournaments = TournamentResults(members, fitness[members], fitness)
        parents = tournaments.winners(derive_stream(seed, now, "selection")).reshape(-1, 2)
        first, second = parents.T

        # Crossover
        drawn = derive_generator(seed, now, "crossover").random(state.genes.shape)
        from_second = drawn < config.variation.crossover_probability
        genes = np.where(from_second, state.genes[second], state.genes[first])

        # Mutation
        genes = self._mutate(genes, seed, now, "mutation")

        # Inheritance
        share = np.float32(max(config.averaging, 1.0 / (now + 1)))
        if config.inheritance == "recombined":
            ranks = np.argsort(np.argsort(-fitness, kind="stable"))
            pressure = config.selection_pressure
            worth = pressure - 2.0 * (pressure - 1.0) * ranks / (count - 1)
            common = weights_of(state.population)[0].copy()
            merge_shards(common, weights, worth.astype(np.float32))
            inherited = np.tile(common, (count, 1))
            averages = state.averages + share * (inherited - state.averages)
        elif config.inheritance == "lamarck":
            inherited = weights[first]
            averages = (state.averages + share * (weights - state.averages))[first]
        else:
            inherited, averages = weights_of(state.population)[first], weights[first]
        population = with_weights(take(state.population, first), inherited)

        told = describe_fitness(fitness) | self.teacher.sum_figures(figures)
        told |= dict(zip(GENES, np.median(from_scale(state.genes), axis=0).tolist(), strict=True))
        report = Report(now, arena.games_played - before, told, fitness=fitness)
        return self.state_type(seed, now + 1, population, averages, genes, parents), report

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


def take(population: Any, rows: NDArray[np.int64]) -> Any:
    """Return copies of individuals."""
    if isinstance(population, TuplePopulation):
        return population.take(rows)
    return population[rows]
