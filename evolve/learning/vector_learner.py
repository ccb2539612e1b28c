"""The base of the learning methods whose learners are vectors of weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.tasks import Task
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Array, Floats, JsonObject, Settings
from evolve_arena.evolve.learning.learner import Learner
from evolve_arena.evolve.learning.tuple_learning import FIGURES
from evolve_arena.evolve.state_checks import find_other_arrays


@dataclass(frozen=True, eq=False)
class LearnerState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: Floats
    """Weights of the learners, shape ``(individuals, genes)``."""


class VectorLearner(Learner[LearnerState]):
    """Base of the learning methods whose learners are vectors of weights.

    Raises:
        UnknownNameError: The recipe names an unknown initialisation.
    """

    genome_kind = "vector"
    state_type = LearnerState
    kernel: ClassVar[str]
    """Import path of the kernel that plays and learns; see `evolve_arena.arena.tasks`."""
    purpose: ClassVar[str] = "games"
    """The purpose from which the seeds of games are derived."""

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.draw(0, np.random.default_rng(0))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return random initial weights of *count* learners, shape ``(count, genes)``."""
        genomes: Floats = self.decoder.initialise(count, self.config.initialisation, rng)
        return genomes

    def initial(self, seed: int) -> LearnerState:
        """Return untrained learners."""
        rng = derive_generator(seed, 0, "initialisation")
        return LearnerState(seed, 0, self.draw(self.config.individuals, rng))

    def state_of(self, seed: int, generation: int, population: Floats) -> LearnerState:
        """Return the state of a population.

        Args:
            seed: Seed of the run.
            generation: Generation whose games are next.
            population: Weights of the learners, shape ``(individuals, genes)``.
        """
        return LearnerState(seed, generation, population)

    def find_mismatch(self, state: LearnerState) -> str | None:
        """Compare the shape and type of the population with the configuration."""
        sizes = {"individuals": self.config.individuals, "genes": self.decoder.genes}
        return find_other_arrays(state, {"population": ("individuals", "genes")}, sizes)

    def arrange(self, state: LearnerState, inputs: Sequence[Array], options: Settings) -> Task:
        """Return the task of one generation's games, with one part per learner.

        Args:
            state: State before the games; each learner's are drawn from a seed of its own.
            inputs: Further inputs of the kernel, after the weights and the seeds of the learners.
            options: Further options of the kernel, ready for JSON, beside the game and its rules.
        """
        learners, game = len(state.population), self.decoder.game
        seeds = derive_seeds(state.seed, state.generation, self.purpose, learners)
        return Task(
            kernel=self.kernel,
            inputs=(state.population, seeds, *inputs),
            outputs=(("float32", state.population.shape), ("float64", (learners, FIGURES))),
            options={"game": game.name, "rules": list(game.rules), **options},
            coarse=True,
            games=self.config.games,
        )

    def epsilon_at(self, generation: int) -> float | None:
        """Return the share of random moves in a *generation*; None if reports do not show it."""
        return None

    def update(
        self, state: LearnerState, outputs: Sequence[Array]
    ) -> tuple[LearnerState, dict[str, float]]:
        """Return the state with the weights after the games, and statistics of all games."""
        population, figures = outputs
        statistics = self.sum_figures(figures)
        epsilon = self.epsilon_at(state.generation)
        if epsilon is not None:
            statistics["epsilon"] = epsilon
        after = replace(state, generation=state.generation + 1, population=population)
        return after, statistics

    def describe(self, state: LearnerState) -> JsonObject:
        """Return the numbers of individuals, genes of each, and games that each learned from."""
        individuals, genes = state.population.shape
        games = state.generation * self.config.games
        return {"individuals": individuals, "genes": genes, "games_learned": games}


def each_learner(
    inputs: Sequence[Array], outputs: Sequence[Array], part: slice
) -> Iterator[tuple[Floats, NDArray[np.uint64], NDArray[np.float64]]]:
    """Yield the learners of a *part* of the task of :meth:`VectorLearner.arrange`.

    Each item has a learner's weights, to be changed in place, its random stream, and its figures.
    For an empty part, which only compiles the kernel, one learner is yielded that must not play.

    Args:
        inputs: Weights before the games, shape ``(learners, genes)``, and seeds, shape
            ``(learners,)``; further arrays are not read.
        outputs: Weights after the games, shape ``(learners, genes)``, and figures, shape
            ``(learners, FIGURES)``.
        part: Rows of learners.
    """
    population, seeds, *_ = inputs
    if part.start == part.stop:
        yield population[0].copy(), seeds[:1].copy(), np.zeros(FIGURES)
    for row in range(part.start, part.stop):
        genes, figures = outputs[0][row], outputs[1][row]
        genes[:], figures[:] = population[row], 0.0
        yield genes, seeds[row : row + 1].copy(), figures
