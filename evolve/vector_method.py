"""A base for methods of one's own that breed weight vectors: it plays, a subclass breeds.

class HillClimber(VectorMethod):
def breed(self, population, fitness, rng):
best = population[fitness.argmax()]
return best + rng.normal(0.0, 0.1, population.shape)
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import random_opponents
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.core.user_code import UserCodeError, call
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import describe_fitness, remember
from evolve_arena.evolve.method import Method, Report
from evolve_arena.evolve.operators import check_initialisation, initialise
from evolve_arena.evolve.table_settings import TableMatchSettings, estimate_match_bytes
from evolve_arena.genomes.variation import measure_diversity

FOR_PAIRS = {"opponents": "method.tables.decks"}


class VectorMethodConfig(TableMatchSettings):
    """The section ``[method]`` of a recipe; a subclass adds keys of its own."""

    individuals: int = Field(default=100, ge=2, le=100_000)
    """How many there are in a generation."""
    opponents: int = Field(default=10, ge=2, le=10_000)
    """How many random others everybody meets; an odd number is rounded up."""
    draw_points: float = Field(default=0.5, ge=0.0, le=1.0)
    """What a draw counts, a win being 1."""
    finalists: int = Field(default=16, ge=1, le=10_000)
    """How many of the fittest play a round robin for who is the champion."""
    initialisation: str = "fan-in"
    """How the first weights are drawn."""


@dataclass(frozen=True, eq=False)
class VectorState:
    """Everything that the future of a run depends on; a subclass may add arrays and numbers."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """Shape ``(individuals, genes)``."""
    hall: NDArray[np.float32]
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class VectorMethod(Method[Any]):
    """Breeds weight vectors; a subclass says how, in :meth:`breed`.

    It is registered with `evolve_arena.register`, or recipes name it ``my_methods.py:CLASS``. With
    settings of its own it has a ``config_type``, a subclass of :class:`VectorMethodConfig`. What
    it has to keep from one generation to the next stands in a ``state_type`` of its own, a subclass
    of :class:`VectorState`; then it says itself what :meth:`initial` and :meth:`advance` give.
    """

    config_type = VectorMethodConfig
    genome_kind = "vector"
    state_type = VectorState
    migrates = True

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.evaluation = Evaluation(config, decoder.game, config.individuals, FOR_PAIRS)
        check_initialisation(decoder, config.initialisation)

    @abstractmethod
    def breed(
        self,
        population: NDArray[np.float32],
        fitness: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> Any:
        """The next population.

        Args:
            population: A copy of the present one, shape ``(individuals, genes)``.
            fitness: How good each individual is, shape ``(individuals,)``: from 0 for who lost all
                matches to 1 for who won all, unless the recipe has a fitness of its own.
            rng: All chance must come from here.

        Returns:
            Numbers of the same shape as *population*.
        """

    def advance(self, state: Any, fitness: NDArray[np.float64], rng: np.random.Generator) -> Any:
        """The next state, but for its generation and its hall of fame; by default it breeds."""
        bred = call(self.breed, state.population.copy(), fitness.copy(), rng)
        if bred is None or isinstance(bred, tuple):
            returned = "None" if bred is None else f"a tuple of {len(bred)}"
            raise UserCodeError(
                f"{self.name}.breed returns {returned}, not one array of shape"
                f" {state.population.shape}"
            )
        return replace(state, population=bred)

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """The population's, and those of the matches."""
        pairs = max(config.individuals * config.opponents, config.finalists**2)
        bred = super().estimate_bytes(config, decoder)
        return bred + estimate_match_bytes(config, decoder.game, config.individuals, pairs)

    def initial(self, seed: int) -> Any:
        """A random population."""
        config = self.config
        rng = derive_generator(seed, 0, "initialisation")
        population = initialise(self.decoder, config.individuals, config.initialisation, rng)
        return VectorState(seed, 0, population, np.zeros((0, self.decoder.genes), np.float32))

    def find_mismatch(self, state: Any) -> str | None:
        """Compares the shape of the population with the configuration."""
        shape = self.config.individuals, self.decoder.genes
        if state.population.shape != shape or state.hall.shape[1:] != shape[1:]:
            return f"its population has shape {state.population.shape}, not {shape}"
        return None

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Plays one generation and breeds the next."""
        before, seed, now = arena.games, state.seed, state.generation
        fitness, figures = self.evaluation.measure(arena, state, self.pair)
        after = self.advance(state, fitness, derive_generator(seed, now, "variation"))
        shape = state.population.shape
        population = np.asarray(after.population, dtype=np.float32)
        if population.shape != shape or not np.isfinite(population).all():
            raise UserCodeError(
                f"{self.name} breeds numbers of shape {population.shape}: they must be finite, of"
                f" shape {shape}"
            )
        fittest = state.population[int(np.argmax(fitness))]
        hall = remember(self.config.hall_of_fame, state.hall, fittest, seed, now)
        figures = describe_fitness(fitness) | figures
        figures["diversity"] = measure_diversity(state.population)
        after = replace(after, generation=now + 1, population=population, hall=hall)
        return after, Report(now, arena.games - before, figures, fitness=fitness)

    def find_fitness(self, state: Any, arena: Arena) -> NDArray[np.float64]:
        """As in a generation's matches."""
        return self.evaluation.measure(arena, state, self.pair)[0]

    def pair(self, state: Any, purpose: str) -> Pairings:
        """Who meets whom, in games of two: everybody some random others."""
        stream = derive_stream(state.seed, state.generation, f"pairing of {purpose}")
        return random_opponents(len(state.population), self.config.opponents, stream)

    def champion(self, state: Any, arena: Arena) -> tuple[NDArray[np.float32], Report]:
        """The winner of a round robin of the fittest."""
        count = min(self.config.finalists, len(state.population))
        row, report = self.evaluation.find_champion(arena, state, self.pair, count)
        return state.population[row], report

    def describe(self, state: Any) -> dict[str, Any]:
        """Individuals, and genes of each."""
        individuals, genes = state.population.shape
        return {"individuals": individuals, "genes": genes}
