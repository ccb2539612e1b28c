"""The base of the methods that breed weight vectors: first population, checks, migration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Floats, JsonObject
from evolve_arena.evolve.matches import Generation
from evolve_arena.evolve.method import Method
from evolve_arena.evolve.operators import initialise
from evolve_arena.evolve.state_checks import Shape, find_other_arrays

SELF_ADAPTED = "step_sizes"
"""The field of states that holds the step sizes of mutation."""


class VectorPopulation(Generation, Protocol):
    """The common part of the states of methods that breed weight vectors."""

    @property
    def population(self) -> Floats:
        """The individuals, shape ``(individuals, genes)``."""
        ...

    @property
    def hall(self) -> Floats:
        """The hall of fame, the oldest first, shape ``(members, genes)``."""
        ...


S = TypeVar("S", bound=VectorPopulation)


class VectorBreeder(Method[S]):
    """Base of the methods that breed weight vectors."""

    genome_kind = "vector"
    migrates = True
    shapes: ClassVar[Mapping[str, Shape]] = {
        "population": ("individuals", "genes"),
        "hall": (None, "genes"),
    }
    """The shapes of the arrays of a state."""

    def draw_population(self, seed: int) -> Floats:
        """Return random individuals, shape ``(individuals, genes)``."""
        config, rng = self.config, derive_generator(seed, 0, "initialisation")
        return initialise(self.decoder, config.individuals, config.initialisation, rng)

    def no_hall(self) -> Floats:
        """Return a hall of fame without members."""
        return np.zeros((0, self.decoder.genes), dtype=np.float32)

    def find_mismatch(self, state: S) -> str | None:
        """Compare the shapes and types of the arrays with the configuration."""
        sizes = {"individuals": self.config.individuals, "genes": self.decoder.genes}
        return find_other_arrays(state, self.shapes, sizes)

    def describe(self, state: S) -> JsonObject:
        """Return the numbers of individuals, and of genes of each."""
        individuals, genes = state.population.shape
        return {"individuals": individuals, "genes": genes}


class SelfAdaptiveBreeder(VectorBreeder[S]):
    """Base of the methods whose individuals carry step sizes of mutation with them."""

    @property
    def inherits_step_sizes(self) -> bool:
        """True if individuals have step sizes of their own, False if the recipe sets them."""
        return True

    def emigrants(self, state: S, rows: NDArray[np.int64]) -> Floats:
        """Return copies of the individuals in *rows*, each with its genes, then its step sizes."""
        sizes = getattr(state, SELF_ADAPTED)
        emigrants: Floats = np.column_stack([state.population, sizes])[rows]
        return emigrants

    def immigrate(self, state: S, rows: NDArray[np.int64], immigrants: Floats) -> S:
        """Return the state with *immigrants*, with their step sizes if these are inherited.

        Args:
            state: State of the population that they join.
            rows: Rows of the individuals that give way, shape ``(immigrants,)``.
            immigrants: Genes and step sizes as :meth:`emigrants` gives them, shape
                ``(immigrants, genes + step sizes)``.
        """
        genes, brought = np.split(immigrants, [self.decoder.genes], axis=1)
        changed = super().immigrate(state, rows, genes)
        if not self.inherits_step_sizes:
            return changed
        sizes = getattr(state, SELF_ADAPTED).copy()
        sizes[rows] = brought.reshape(sizes[rows].shape)
        adapted: Any = replace(cast(Any, changed), **{SELF_ADAPTED: sizes})
        return cast(S, adapted)
