"""The method ``evolution-strategy``: the centre of a distribution climbs by ranks of its samples.

The loop, for n individuals around a centre m:

1. Individuals: n/2 vectors z of standard normal numbers; the individuals are m + σz and m - σz
   (antithetic or mirrored sampling).
2. Evaluation: every two individuals meet, from a random opening, in both colours; or only the two
   of each z, from several openings.
3. Ranking: the fittest counts ½, the last one -½, the others lie between in equal steps. If only
   the two of each z meet, their shares of the points count.
4. Gradient: the mean of all ± z, each times what its individual counts.
5. Step: m moves along the gradient by Adam, and is scaled to a mean square of 1; go to 1.

Fitness is measured inside the population, so only differences between individuals of a generation
count. If all weights of a tuple network are multiplied by a number, it plays the same; without
step 5's scaling σ would mean less and less. The champion is a running mean of m.

Source: Salimans et al., "Evolution strategies as a scalable alternative to reinforcement learning"
(2017), for steps 1 to 4; Kingma and Ba, "Adam" (2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from evolve_arena.arena.batch import Pairings
from evolve_arena.core.types import Floats
from evolve_arena.evolve.distributions import DistributionMethod, DistributionState, Numbers
from evolve_arena.evolve.settings.distributions import EvolutionStrategyConfig
from evolve_arena.evolve.state_checks import Shape

FIRST, SECOND = 0.9, 0.99
"""Adam's β₁ and β₂: the decay rates of the two moments of the gradient."""
TINY = 1e-9
"""Adam's ε, which keeps steps finite."""


@dataclass(frozen=True, eq=False)
class EvolutionStrategyState(DistributionState):
    """Everything that the future of a run depends on."""

    first: Numbers
    """Running mean of the gradient, Adam's first moment, shape ``(genes,)``."""
    second: Numbers
    """Running mean of its squares, Adam's second moment, shape ``(genes,)``."""


class EvolutionStrategy(DistributionMethod[EvolutionStrategyState]):
    """Climbs along the gradient that ranks of random neighbours give."""

    name = "evolution-strategy"
    config_type = EvolutionStrategyConfig
    state_type = EvolutionStrategyState
    arrays: ClassVar[Mapping[str, Shape]] = {
        **DistributionMethod.arrays,
        "first": ("genes",),
        "second": ("genes",),
    }
    config: EvolutionStrategyConfig

    def initial(self, seed: int) -> EvolutionStrategyState:
        """Return a random centre, and individuals around it."""
        centre = self._rescale(self.draw_centre(seed))
        zeros = np.zeros_like(centre)
        nobody = np.zeros((0, len(centre)), dtype=np.float32)
        state = EvolutionStrategyState(
            seed, 0, nobody, self.no_hall(), centre, centre.copy(), zeros, zeros.copy()
        )
        return replace(state, population=self.draw(state).astype(np.float32))

    def enter(self, state: EvolutionStrategyState, individuals: Floats) -> EvolutionStrategyState:
        """Return the initial *state* with the first of *individuals* as centre, scaled."""
        first = self._rescale(individuals[0].astype(np.float64))
        changed: EvolutionStrategyState = super().enter(state, first[None].astype(np.float32))
        return changed

    def draw(self, state: EvolutionStrategyState) -> Numbers:
        """Return individuals in pairs on opposite sides of the centre, shape ``(n, genes)``."""
        normal = self.draw_normal(state, self.config.individuals // 2)
        return state.centre + self.config.step_size * np.concatenate([normal, -normal])

    def pair(self, state: EvolutionStrategyState, purpose: str = "") -> Pairings:
        """Pair every two individuals, or only those on opposite sides of the centre."""
        if self.config.matches.pairing == "round-robin":
            return super().pair(state, purpose)
        half = np.arange(self.config.individuals // 2, dtype=np.int32)
        return np.stack([half, half + len(half)], axis=1)

    def move(
        self, state: EvolutionStrategyState, fitness: Numbers
    ) -> tuple[EvolutionStrategyState, dict[str, float]]:
        """Move the centre along the gradient of fitness, by Adam."""
        count, now = self.config.individuals, state.generation + 1

        # Ranking, from a half for the fittest to minus a half; or, if opposites alone meet, the
        # share of the points, since ranks would compare individuals with other opponents
        worth = fitness
        if self.config.matches.pairing == "round-robin":
            worth = np.empty(count)
            worth[np.argsort(-fitness, kind="stable")] = 0.5 - np.arange(count) / (count - 1)

        # Gradient: both individuals of a pair share their random numbers.
        normal = self.draw_normal(state, count // 2)
        difference = worth[: count // 2] - worth[count // 2 :]
        gradient = (difference[:, None] * normal).sum(axis=0) / count

        # Step
        first = FIRST * state.first + (1.0 - FIRST) * gradient
        second = SECOND * state.second + (1.0 - SECOND) * gradient**2
        direction = first / (1.0 - FIRST**now)
        direction /= np.sqrt(second / (1.0 - SECOND**now)) + TINY
        centre = self._rescale(state.centre + self.config.learning_rate * direction)
        after = replace(state, centre=centre, first=first, second=second)
        turned = float((centre * state.centre).sum()) / np.sqrt(
            float((centre**2).sum()) * float((state.centre**2).sum()) + TINY
        )
        return after, {"turn": float(np.degrees(np.arccos(min(1.0, turned))))}

    def _rescale(self, centre: Numbers) -> Numbers:
        """Return the *centre* scaled to a mean square of 1, if the recipe says so."""
        size = float(np.sqrt((centre**2).mean()))
        return centre / size if self.config.rescale and size > 0.0 else centre
