"""The settings of the methods that move a distribution: ``evolution-strategy`` and ``cma-es``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.evolve.settings.matches import (
    BreederConfig,
    MultiplayerMatchesConfig,
    OpeningsConfig,
)


class RoundRobinConfig(MultiplayerMatchesConfig):
    """The section ``[matches]``: every two individuals meet."""

    fitness_sharing: bool = False
    """true: the points for an opponent are shared among all who win points from it, so that those
    who beat the strongest count most (competitive fitness sharing)."""
    openings: OpeningsConfig = OpeningsConfig(plies=2, count=100, per_pair=1)
    """The beginnings of matches: by default two random plies, one of a hundred openings for each
    pair."""

    def count_pairs(self, individuals: int) -> int:
        """Return the number of pairs of *individuals* that meet in a generation."""
        return individuals * (individuals - 1) // 2


class DistributionConfig(BreederConfig):
    """The keys of ``[method]`` that both methods have."""

    individuals: int = Field(default=100, ge=4, le=10_000)
    """Individuals that are drawn in a generation; an even number."""
    averaging: float = Field(default=0.02, gt=0.0, le=1.0)
    """Weight with which each generation enters the running mean of the distribution's centre, which
    is the champion; 1: no mean at all."""
    initialisation: str = "normal:0.1"
    """Distribution of the first centre, such as ``normal:1``."""
    matches: RoundRobinConfig = Field(default=RoundRobinConfig(), exclude=True)
    """The section ``[matches]``."""

    @model_validator(mode="after")
    def _are_even(self) -> DistributionConfig:
        if self.individuals % 2:
            raise ValueError(f"individuals is {self.individuals}: it must be an even number")
        return self


class EvolutionStrategyMatchesConfig(RoundRobinConfig):
    """The section ``[matches]`` of the method ``evolution-strategy``."""

    pairing: Literal["round-robin", "opposites"] = "round-robin"
    """Pairs that meet. ``round-robin``: every two individuals. ``opposites``: only an individual
    and its mirror image on the other side of the centre; they differ more than others do, so that a
    game tells more."""

    @model_validator(mode="after")
    def _share_with_others(self) -> EvolutionStrategyMatchesConfig:
        if self.fitness_sharing and self.pairing == "opposites":
            raise ValueError(
                "fitness_sharing is true, but pairing is 'opposites': an individual then meets only"
                " one opponent, with nobody to share points with"
            )
        return self

    def count_pairs(self, individuals: int) -> int:
        """Return the number of pairs of *individuals* that meet in a generation."""
        return individuals // 2 if self.pairing == "opposites" else super().count_pairs(individuals)


class EvolutionStrategyConfig(DistributionConfig):
    """The section ``[method]`` of the method ``evolution-strategy``."""

    name: Literal["evolution-strategy"] = "evolution-strategy"
    """The name of this method."""
    individuals: int = Field(default=200, ge=4, le=10_000)
    """Individuals of a generation, in pairs on opposite sides of the centre; an even number."""
    step_size: float = Field(default=0.15, gt=0.0, le=100.0)
    """σ: standard deviation of each gene around the centre."""
    learning_rate: float = Field(default=0.02, gt=0.0, le=10.0)
    """The size of a step of Adam, by which the centre moves."""
    rescale: bool = True
    """true: after each step the centre is scaled so that its genes have a mean square of 1. It is
    for networks that play the same if all weights are multiplied by a number, such as ``lines``."""
    initialisation: str = "normal:1"
    """Distribution of the first centre, such as ``normal:1``."""
    matches: EvolutionStrategyMatchesConfig = Field(
        default=EvolutionStrategyMatchesConfig(), exclude=True
    )
    """The section ``[matches]``."""


class CmaEsConfig(DistributionConfig):
    """The section ``[method]`` of the method ``cma-es``."""

    name: Literal["cma-es"] = "cma-es"
    """The name of this method."""
    step_size: float = Field(default=1.0, gt=0.0, le=1000.0)
    """σ at the start: standard deviation of each gene around the centre."""
