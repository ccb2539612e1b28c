"""The base of methods that move a distribution of weight vectors, in place of a population."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings
from evolve_arena.core.game import GameSpec
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Floats
from evolve_arena.evolve.evaluation import Evaluation
from evolve_arena.evolve.matches import describe_fitness, remember
from evolve_arena.evolve.memory import estimate_matches
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.operators import check_initialisation, initialise
from evolve_arena.evolve.settings.distributions import DistributionConfig
from evolve_arena.evolve.state_checks import Shape, find_other_arrays
from evolve_arena.evolve.tournament_matches import pair_all
from evolve_arena.evolve.vectors import S, VectorBreeder
from evolve_arena.genomes.variation import measure_diversity
from evolve_arena.players.evolved import EvolvedPlayer

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DistributionState:
    """The part of a state that all these methods have."""

    seed: int
    generation: int
    population: Floats
    """The individuals of the generation, shape ``(individuals, genes)``."""
    hall: Floats
    """The hall of fame, the oldest first, shape ``(members, genes)``."""
    centre: Numbers
    """The centre of the distribution, shape ``(genes,)``."""
    average: Numbers
    """Running mean of the centres, shape ``(genes,)``."""


class DistributionMethod(VectorBreeder[S]):
    """Draws individuals around a centre, lets every two meet, and moves the centre.

    Fitness counts by rank alone. The champion is a running mean of the centres.
    """

    sections = ("matches",)
    only_pairs = True
    migrates = False
    arrays: ClassVar[Mapping[str, Shape]] = {"centre": ("genes",), "average": ("genes",)}
    """The shapes of the arrays of a state of 64-bit numbers."""
    config: DistributionConfig

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.evaluation = Evaluation(config, config.matches, decoder.game, config.individuals)
        check_initialisation(decoder, config.initialisation)

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return the networks that it can breed for *game*: straight tuples before others."""
        found = super().networks(game)
        return {name: found[name] for name in sorted(found, key=lambda name: name != "lines")}

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """Estimate the bytes of the individuals, the distribution, and a generation's matches."""
        count, genes = config.individuals, int(decoder.genes)
        pairs = config.matches.count_pairs(count)
        played = estimate_matches(config.matches, decoder.game, count, pairs)
        numbers = sum(genes ** len(shape) for shape in cls.arrays.values())
        own: int = 8 * (2 * count * genes + 3 * numbers) + played
        return own + super().estimate_bytes(config, decoder)

    def find_mismatch(self, state: Any) -> str | None:
        """Compare the shapes and types of the arrays with the configuration."""
        sizes = {"individuals": self.config.individuals, "genes": self.decoder.genes}
        return find_other_arrays(state, self.shapes, sizes) or find_other_arrays(
            state, self.arrays, sizes, np.float64
        )

    def draw_centre(self, seed: int) -> Numbers:
        """Return the first centre, shape ``(genes,)``."""
        rng = derive_generator(seed, 0, "initialisation")
        drawn = initialise(self.decoder, 1, self.config.initialisation, rng)
        return np.asarray(drawn[0], dtype=np.float64)

    def candidates(self, state: Any) -> Floats:
        """Return the champion and the individuals, shape ``(individuals + 1, genes)``."""
        return np.concatenate([state.average[None].astype(np.float32), state.population])

    def enter(self, state: Any, individuals: Floats) -> Any:
        """Return the initial *state* with the first of *individuals* as centre."""
        centre = individuals[0].astype(np.float64)
        after = replace(state, centre=centre, average=centre.copy())
        return replace(after, population=self.draw(after).astype(np.float32))

    def draw_normal(self, state: Any, count: int) -> Numbers:
        """Return the standard normal numbers of a generation, shape ``(count, genes)``."""
        rng = derive_generator(state.seed, state.generation, "individuals")
        return np.asarray(rng.standard_normal((count, self.decoder.genes)))

    @abstractmethod
    def draw(self, state: Any) -> Numbers:
        """Return the individuals of a generation around ``state.centre``.

        The shape is ``(individuals, genes)``; the same state always gives the same ones.
        """

    @abstractmethod
    def move(self, state: Any, fitness: Numbers) -> tuple[Any, dict[str, float]]:
        """Return the state with another distribution, and figures about it.

        Args:
            state: State whose individuals played.
            fitness: Fitness of each individual, shape ``(individuals,)``.
        """

    def pair(self, state: Any, purpose: str = "") -> Pairings:
        """Pair the individuals that meet: every two of them, once."""
        return pair_all(state, purpose)

    def step(self, state: Any, arena: Arena) -> tuple[Any, Report]:
        """Play one generation, move the distribution, and draw the next individuals."""
        seed, now, games = state.seed, state.generation, arena.games_played

        # Evaluation
        fitness, figures = self.evaluation.measure(arena, state, self.pair)

        # The distribution moves, and the champion follows its centre.
        after, moved = self.move(state, fitness)
        share = max(self.config.averaging, 1.0 / (now + 1))
        average = state.average + share * (after.centre - state.average)
        hall = remember(
            self.config.matches.hall_of_fame,
            state.hall,
            state.population[np.argmax(fitness)],
            seed,
            now,
        )
        after = replace(after, generation=now + 1, average=average, hall=hall)

        # The next individuals
        after = replace(after, population=self.draw(after).astype(np.float32))
        figures = describe_fitness(fitness) | figures | moved
        figures["diversity"] = measure_diversity(state.population)
        report = Report(now, arena.games_played - games, figures, fitness=fitness)
        return after, report

    def find_fitness(self, state: Any, arena: Arena) -> Numbers:
        """Play a generation's matches, and return the fitness, shape ``(individuals,)``."""
        return self.evaluation.measure(arena, state, self.pair)[0]

    def champion(self, state: Any, arena: Arena) -> tuple[Floats, Report]:
        """Return the running mean of the centres, without matches."""
        figures = {"points": 0.0, "matches": 0.0}
        return state.average.astype(np.float32), Report(state.generation, 0, figures)
