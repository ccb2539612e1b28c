"""Base class of users' methods for weight vectors: it plays the matches, a subclass breeds.

Such a method needs no more than this::

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
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.arena.pairings import random_opponents
from evolve_arena.core.seeding import derive_generator, derive_stream
from evolve_arena.core.user_code import UserCodeError, call
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import describe_fitness, remember
from evolve_arena.evolve.memory import estimate_matches
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.operators import check_initialisation
from evolve_arena.evolve.settings.matches import BreederConfig, MultiplayerMatchesConfig
from evolve_arena.evolve.state_checks import find_other_arrays
from evolve_arena.evolve.vectors import VectorBreeder
from evolve_arena.genomes.variation import measure_diversity

TWO_PLAYER_KEYS = {"matches.opponents": "matches.multiplayer.deals"}


class VectorMatchesConfig(MultiplayerMatchesConfig):
    """The section ``[matches]`` of a recipe."""

    opponents: int = Field(default=10, ge=2, le=10_000)
    """Random others that each individual meets; an odd number is rounded up."""


class VectorMethodConfig(BreederConfig):
    """The section ``[method]`` of a recipe; a subclass adds keys of its own.

    A subclass may give a key of ``[matches]`` a default of its own, as an attribute of this class.
    Then the key stands in ``[method]``.
    """

    individuals: int = Field(default=100, ge=2, le=100_000)
    """Individuals of a generation."""
    finalists: int = Field(default=16, ge=1, le=10_000)
    """The fittest that play a round robin for the champion."""
    initialisation: str = "fan-in"
    """Distribution of the first weights."""
    matches: VectorMatchesConfig = Field(default=VectorMatchesConfig(), exclude=True)
    """The section ``[matches]``."""

    @model_validator(mode="after")
    def _take_own_defaults(self) -> VectorMethodConfig:
        own = type(self).model_fields.keys() & VectorMatchesConfig.model_fields.keys()
        if own:
            changed = {name: getattr(self, name) for name in own}
            matches = self.matches.model_copy(update=changed)
            object.__setattr__(self, "matches", matches)
        return self

    def __getattr__(self, name: str) -> Any:
        """Return a key of ``[matches]``, as if it were one of ``[method]``."""
        if name in VectorMatchesConfig.model_fields:
            return getattr(self.matches, name)
        parent: Any = super()
        return parent.__getattr__(name)


@dataclass(frozen=True, eq=False)
class VectorState:
    """Everything that the future of a run depends on; a subclass may add arrays and numbers."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """The individuals, shape ``(individuals, genes)``."""
    hall: NDArray[np.float32]
    """The hall of fame, the oldest first, shape ``(members, genes)``."""


class VectorMethod(VectorBreeder[Any]):
    """Breeds weight vectors, by the :meth:`breed` of a subclass.

    It is registered with `evolve_arena.register`, or recipes name it ``my_methods.py:CLASS``. With
    settings of its own it has a ``config_type``, a subclass of :class:`VectorMethodConfig`. If it
    keeps more from one generation to the next, it has a ``state_type`` of its own, a subclass of
    :class:`VectorState`, and defines :meth:`initial` and :meth:`advance`.
    """

    config_type = VectorMethodConfig
    sections = ("matches",)
    state_type = VectorState

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.evaluation = Evaluation(
            config, config.matches, decoder.game, config.individuals, TWO_PLAYER_KEYS
        )
        check_initialisation(decoder, config.initialisation)

    @abstractmethod
    def breed(
        self,
        population: NDArray[np.float32],
        fitness: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> Any:
        """Return the next population.

        Args:
            population: A copy of the present one, shape ``(individuals, genes)``.
            fitness: Fitness of each individual, shape ``(individuals,)``: from 0 for losing all
                matches to 1 for winning all, unless the recipe has a fitness of its own.
            rng: Source of all random numbers.

        Returns:
            Numbers of the same shape as *population*.
        """

    def advance(self, state: Any, fitness: NDArray[np.float64], rng: np.random.Generator) -> Any:
        """Return the next state, but for its generation and hall of fame; by default it breeds.

        Args:
            state: State whose population was measured.
            fitness: Fitness of each individual, shape ``(individuals,)``; see :meth:`breed`.
            rng: Source of all random numbers.

        Raises:
            UserCodeError: :meth:`breed` fails, or returns None or a tuple.
        """
        evolved = call(self.breed, state.population.copy(), fitness.copy(), rng)
        if evolved is None or isinstance(evolved, tuple):
            returned = "None" if evolved is None else f"a tuple of {len(evolved)}"
            raise UserCodeError(
                f"{self.name}.breed returns {returned}, not one array of shape"
                f" {state.population.shape}"
            )
        return replace(state, population=evolved)

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """Estimate the bytes of the population and of its matches."""
        matches, individuals = config.matches, config.individuals
        pairs = max(individuals * matches.opponents, config.finalists**2)
        played = estimate_matches(matches, decoder.game, individuals, pairs)
        return super().estimate_bytes(config, decoder) + played

    def initial(self, seed: int) -> Any:
        """Return a random population."""
        return VectorState(seed, 0, self.draw_population(seed), self.no_hall())

    def find_mismatch(self, state: Any) -> str | None:
        """Compare the shapes of the arrays with the configuration, but not their types."""
        sizes = {"individuals": self.config.individuals, "genes": self.decoder.genes}
        return find_other_arrays(state, self.shapes, sizes, dtype=None)

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Play one generation and breed the next.

        Raises:
            UserCodeError: The next population is not of finite numbers, or not of the same shape.
        """
        before, seed, now = arena.games_played, state.seed, state.generation
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
        hall = remember(self.config.matches.hall_of_fame, state.hall, fittest, seed, now)
        figures = describe_fitness(fitness) | figures
        figures["diversity"] = measure_diversity(state.population)
        after = replace(after, generation=now + 1, population=population, hall=hall)
        return after, Report(now, arena.games_played - before, figures, fitness=fitness)

    def find_fitness(self, state: Any, arena: Arena) -> NDArray[np.float64]:
        """Play a generation's matches, and return the fitness, shape ``(individuals,)``."""
        return self.evaluation.measure(arena, state, self.pair)[0]

    def pair(self, state: Any, purpose: str) -> Pairings:
        """Pair each individual with some random others, in games of two."""
        rng = derive_stream(state.seed, state.generation, f"pairing of {purpose}")
        return random_opponents(len(state.population), self.config.matches.opponents, rng)

    def champion(self, state: Any, arena: Arena) -> tuple[NDArray[np.float32], Report]:
        """Return the winner of a round robin of the fittest."""
        count = min(self.config.finalists, len(state.population))
        row, report = self.evaluation.find_champion(arena, state, self.pair, count)
        return state.population[row], report
