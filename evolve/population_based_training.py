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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.core.types import Floats
from evolve_arena.evolve.learning.tuple_learning import TDSettings, merge_shards
from evolve_arena.evolve.matches import (
    TournamentResults,
    describe_fitness,
    draw_members,
    measure_signal,
    sum_points,
)
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.migration import pick
from evolve_arena.evolve.population_based_state import (
    PopulationBasedBreeder,
    from_scale,
    to_scale,
    weights_of,
    with_weights,
)
from evolve_arena.evolve.settings.population_based_training import (
    GENES,
    PopulationBasedTrainingConfig,
)


class PopulationBasedTraining(PopulationBasedBreeder):
    """Selects individuals by what they have learned."""

    name = "population-based-training"
    config_type = PopulationBasedTrainingConfig

    def initial(self, seed: int) -> Any:
        """Return individuals with random networks and genes; if they recombine, the same one."""
        config = self.config
        population = self.teacher.initial(seed).population
        if config.inheritance == "recombined":
            population = pick(population, np.zeros(config.individuals, dtype=np.int64))
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
        size = config.tournament_size
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
        inherited, averages = self._inherit(state, weights, fitness, first)
        population = with_weights(pick(state.population, first), inherited)
        if self.replaced and (now + 1) % config.tuples.every == 0:
            population, averages = self.replace_tuples(population, averages, seed, now)

        told = describe_fitness(fitness) | self.teacher.sum_figures(figures)
        told["signal_to_noise"] = measure_signal(fitness, played)
        told["diversity"] = float(state.genes.std(axis=0).mean())
        told |= dict(zip(GENES, np.median(from_scale(state.genes), axis=0).tolist(), strict=True))
        report = Report(now, arena.games_played - before, told, fitness=fitness)
        return self.state_type(seed, now + 1, population, averages, genes, parents), report

    def find_fitness(self, state: Any, arena: Arena) -> NDArray[np.float64]:
        """Return the fitness of the individuals before they learn, shape ``(individuals,)``."""
        lesson = self.teacher.state_of(state.seed, state.generation, state.population)
        results, pairings = self.teacher.meet_one_another(lesson, arena, self.candidates(state))
        points, played = sum_points(results, pairings, len(state.genes), 0.5)
        return np.asarray(points / played)

    def _inherit(
        self,
        state: Any,
        learned: Floats,
        fitness: NDArray[np.float64],
        parents: NDArray[np.int64],
    ) -> tuple[Floats, Floats]:
        """Return the weights of children and their running means, shape ``(individuals, numbers)``.

        Args:
            state: State before the generation's games.
            learned: Weights after them, shape ``(individuals, numbers)``.
            fitness: Share of points of each individual, shape ``(individuals,)``.
            parents: Row of each child's first parent, shape ``(individuals,)``.
        """
        config, count = self.config, self.config.individuals
        share = np.float32(max(config.averaging, 1.0 / (state.generation + 1)))
        if config.inheritance == "baldwin":
            return weights_of(state.population)[parents], learned[parents]
        if config.inheritance == "lamarck":
            averages = state.averages + share * (learned - state.averages)
            return learned[parents], averages[parents]
        ranks = np.argsort(np.argsort(-fitness, kind="stable"))
        lead = config.selection_pressure - 1.0
        worth = 1.0 + lead * (1.0 - 2.0 * ranks / (count - 1))
        common = weights_of(state.population)[0].copy()
        merge_shards(common, learned, worth.astype(np.float32))
        inherited = np.tile(common, (count, 1))
        return inherited, state.averages + share * (inherited - state.averages)
