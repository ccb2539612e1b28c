"""The method ``evolutionary-programming``: every parent has one child, and the better half lives.

The loop, for n parents:

1. Mutation: each parent has a child; every step size σ of the child is its parent's times a
   log-normal factor, then each gene gets a number from N(0, σ²) added. There is no crossover.
2. Evaluation: each of the 2n parents and children meets opponents drawn from all of them; a win
   counts 1, a draw 0, a loss -2, for both players of a match.
3. Selection: the n individuals with most points are the next parents; go to 1.

Source: Chellapilla and Fogel, IEEE Transactions on Neural Networks 10 (1999), pages 1382 to 1391,
section III. A hall of fame as opponents, common openings and random moves are off unless the recipe
asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.core.types import Floats
from evolve_arena.evolve.matches import describe_fitness, remember
from evolve_arena.evolve.memory import estimate_pairs
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.operators import check_initialisation, make_selection
from evolve_arena.evolve.programming_matches import ProgrammingMatches, rank_by_merit
from evolve_arena.evolve.settings.evolutionary_programming import (
    EvolutionaryProgrammingConfig,
    ProgrammingMatchesConfig,
)
from evolve_arena.evolve.settings.matches import OpeningsConfig
from evolve_arena.evolve.state_checks import Shape
from evolve_arena.evolve.vectors import SelfAdaptiveBreeder, VectorBreeder
from evolve_arena.genomes.self_adaptive import mutate_self_adaptive, self_adaptive_rate
from evolve_arena.genomes.variation import measure_diversity
from evolve_arena.players.evolved import Decoder


@dataclass(frozen=True, eq=False)
class EvolutionaryProgrammingState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: Floats
    """The parents, shape ``(individuals, genes)``; from generation 1 on in the order in which they
    were selected, by default the best first."""
    step_sizes: Floats = field(metadata={"stored": "strengths"})
    """The mutation step size of each gene of the parents, shape ``(individuals, genes)``."""
    hall: Floats
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class EvolutionaryProgramming(SelfAdaptiveBreeder[EvolutionaryProgrammingState]):
    """Breeds weight vectors by self-adaptive mutation alone."""

    name = "evolutionary-programming"
    config_type = EvolutionaryProgrammingConfig
    sections = ("matches", "variation")
    only_pairs = True
    state_type = EvolutionaryProgrammingState
    shapes: ClassVar[Mapping[str, Shape]] = {
        **VectorBreeder.shapes,
        "step_sizes": ("individuals", "genes"),
    }
    config: EvolutionaryProgrammingConfig

    def __init__(self, config: EvolutionaryProgrammingConfig, decoder: Decoder) -> None:
        if find_game(decoder.game.name).has_chance:  # where there are no openings by default
            usual = ProgrammingMatchesConfig().openings
            if config.matches.openings == usual:
                matches = config.matches.model_copy(update={"openings": OpeningsConfig()})
                config = config.model_copy(update={"matches": matches})
        super().__init__(config, decoder)
        self.matches = ProgrammingMatches(config, decoder)
        check_initialisation(decoder, config.initialisation)
        self._select = make_selection(config.variation.selection, "variation.selection")
        rate = config.variation.step_size_rate
        self._rate = self_adaptive_rate(self.decoder.genes) if rate is None else rate

    @classmethod
    def estimate_bytes(cls, config: EvolutionaryProgrammingConfig, decoder: Decoder) -> int:
        """Estimate the bytes of parents, children, step sizes, and a generation's matches."""
        count, matches = config.individuals, config.matches
        met = matches.opponents + matches.hall_of_fame.opponents
        pairs = max(2 * count * met, count * (count - 1) // 2)
        return 2 * super().estimate_bytes(config, decoder) + estimate_pairs(
            matches, pairs, 2 * count
        )

    def initial(self, seed: int) -> EvolutionaryProgrammingState:
        """Return random parents."""
        parents = self.draw_population(seed)
        sizes = np.full(parents.shape, self.config.variation.step_size, dtype=np.float32)
        return EvolutionaryProgrammingState(seed, 0, parents, sizes, self.no_hall())

    def step(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> tuple[EvolutionaryProgrammingState, Report]:
        """Breed the children, let all play, and keep the better half."""
        config, seed, now = self.config, state.seed, state.generation
        games = arena.games_played

        # Mutation
        children, step_sizes = mutate_self_adaptive(
            state.population,
            state.step_sizes,
            derive_stream(seed, now, "mutation"),
            rate=self._rate,
            floor=config.variation.min_step_size,
        )
        everybody = np.concatenate([state.population, children])
        step_sizes = np.concatenate([state.step_sizes, step_sizes])

        # Evaluation
        points, played = self.matches.play(state, everybody, arena)
        mean = points / played
        merit = points if config.matches.score == "sum" else mean

        # Selection
        ranking = rank_by_merit(merit, derive_generator(seed, now, "ties"))
        chance = derive_generator(seed, now, "selection")
        chosen = ranking[self._select(merit[ranking], config.individuals, chance)]

        fittest = everybody[ranking[0]]
        after = EvolutionaryProgrammingState(
            seed,
            now + 1,
            everybody[chosen],
            step_sizes[chosen],
            remember(config.matches.hall_of_fame, state.hall, fittest, seed, now),
        )
        figures = describe_fitness(self.matches.scale(mean))
        figures["diversity"] = measure_diversity(state.population)
        figures["mutation_strength"] = float(np.median(state.step_sizes))
        fitness = mean[: config.individuals]
        return after, Report(now, arena.games_played - games, figures, fitness=fitness)

    def find_fitness(
        self, state: EvolutionaryProgrammingState, arena: Arena
    ) -> NDArray[np.float64]:
        """Return 0, -1, ... as fitness, shape ``(individuals,)``: the best parents come first."""
        return -np.arange(len(state.population), dtype=np.float64)

    def champion(self, state: EvolutionaryProgrammingState, arena: Arena) -> tuple[Floats, Report]:
        """Return the winner of the parents' round robin, or the parents' mean, without matches."""
        if self.config.champion == "mean":
            mean = state.population.mean(axis=0, dtype=np.float64).astype(np.float32)
            return mean, Report(state.generation, 0, {"points": 0.0, "matches": 0.0})
        row, report = self.matches.find_best(state, arena)
        return state.population[row], report
