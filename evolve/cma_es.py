"""The method ``cma-es``: a normal distribution takes the shape of the directions that succeed.

The loop, for n individuals from the distribution N(m, σ² C):

1. Individuals: n vectors z of standard normal numbers; an individual is m + σ A z, with C = A Aᵀ.
2. Evaluation: every two individuals meet, from a random opening, in both colours.
3. Selection: the better half, with weights that fall with the logarithm of the rank; m moves to
   their weighted mean.
4. Step size: σ grows if the steps of m point in one direction over generations, and else shrinks.
5. Covariance: C forgets a little and takes on the direction of m's steps and those of the selected
   individuals; go to 1.

A is kept as a lower triangle and updated in place of C. No decomposition is needed, and nothing
comes from BLAS, so that populations are the same on all processors; the package ``cma`` uses the
eigenvalues of LAPACK. The champion is a running mean of m.

Source: Hansen, "The CMA evolution strategy: a tutorial" (2016), with its constants; Suttorp, Hansen
and Igel, "Efficient covariance matrix update for variable metric evolution strategies", Machine
Learning 75 (2009), for the triangle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from evolve_arena.evolve.distributions import DistributionMethod, DistributionState, Numbers
from evolve_arena.evolve.settings.distributions import CmaEsConfig
from evolve_arena.evolve.state_checks import Shape
from evolve_arena.genomes.covariance import add_directions, find_rates, transform


@dataclass(frozen=True, eq=False)
class CmaEsState(DistributionState):
    """Everything that the future of a run depends on."""

    step_size: Numbers
    """σ, shape ``(1,)``."""
    triangle: Numbers
    """A, the lower triangle of the covariance, shape ``(genes, genes)``."""
    path: Numbers
    """Evolution path of the covariance, shape ``(genes,)``."""
    step_path: Numbers
    """Evolution path of the step size, shape ``(genes,)``."""


class CmaEs(DistributionMethod[CmaEsState]):
    """Adapts the covariance matrix of a normal distribution.

    With 3,000 genes the matrix takes 72 MB, and a second for each generation.
    """

    name = "cma-es"
    config_type = CmaEsConfig
    state_type = CmaEsState
    arrays: ClassVar[Mapping[str, Shape]] = {
        **dict.fromkeys(("centre", "average", "path", "step_path"), ("genes",)),
        "triangle": ("genes", "genes"),
        "step_size": (1,),
    }
    config: CmaEsConfig

    def __init__(self, config: CmaEsConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.rates = find_rates(config.individuals, decoder.genes)

    def initial(self, seed: int) -> CmaEsState:
        """Return a distribution without any preferred direction, and individuals from it."""
        centre, genes = self.draw_centre(seed), self.decoder.genes
        nobody = np.zeros((0, genes), dtype=np.float32)
        state = CmaEsState(
            seed,
            0,
            nobody,
            self.no_hall(),
            centre,
            centre.copy(),
            np.array([self.config.step_size]),
            np.eye(genes),
            np.zeros(genes),
            np.zeros(genes),
        )
        return replace(state, population=self.draw(state).astype(np.float32))

    def draw(self, state: CmaEsState) -> Numbers:
        """Return individuals from the distribution, shape ``(individuals, genes)``."""
        normal = self.draw_normal(state, self.config.individuals)
        return state.centre + state.step_size * transform(state.triangle, normal)

    def move(self, state: CmaEsState, fitness: Numbers) -> tuple[CmaEsState, dict[str, float]]:
        """Move the centre to the selected individuals, and adapt step size and covariance."""
        rates, genes = self.rates, self.decoder.genes

        # Selection
        chosen = np.argsort(-fitness, kind="stable")[: len(rates.weights)]
        normal = self.draw_normal(state, self.config.individuals)[chosen]
        steps = transform(state.triangle, normal)
        mean = (rates.weights[:, None] * steps).sum(axis=0)
        centre = state.centre + state.step_size * mean

        # Step size
        turned = (rates.weights[:, None] * normal).sum(axis=0)
        fade = rates.step_path
        step_path = (1.0 - fade) * state.step_path
        step_path += np.sqrt(fade * (2.0 - fade) * rates.effective) * turned
        length = float(np.sqrt((step_path**2).sum()))
        expected = np.sqrt(genes) * (1.0 - 1.0 / (4.0 * genes) + 1.0 / (21.0 * genes**2))
        growth = (fade / rates.damping) * (length / expected - 1.0)
        # Rounded: the last bits of an exponential depend on the processor.
        grown = (state.step_size * np.exp(min(1.0, growth))).astype(np.float32)
        step_size = grown.astype(np.float64)

        # Covariance: without the path while the step size still grows quickly
        settled = 1.0 - (1.0 - fade) ** (2 * (state.generation + 1))
        slow = length / np.sqrt(settled) < (1.4 + 2.0 / (genes + 1)) * expected
        fade = rates.path
        path = (1.0 - fade) * state.path
        path += slow * np.sqrt(fade * (2.0 - fade) * rates.effective) * mean
        kept = 1.0 - rates.one - rates.many + (not slow) * rates.one * fade * (2.0 - fade)
        factors = np.concatenate([[rates.one], rates.many * rates.weights])
        triangle = add_directions(
            state.triangle, kept, np.concatenate([path[None], steps]), factors
        )
        after = replace(
            state,
            centre=centre,
            step_size=step_size,
            triangle=triangle,
            path=path,
            step_path=step_path,
        )
        return after, {"mutation_strength": float(step_size[0])}
