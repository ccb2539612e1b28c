"""The settings of the method ``tournament``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.evolve.settings.matches import BreederConfig, MultiplayerMatchesConfig
from evolve_arena.evolve.settings.variation import OWN_OPERATORS, VariationConfig


class TournamentMatchesConfig(MultiplayerMatchesConfig):
    """The section ``[matches]`` of a recipe."""

    pairing: Literal["tournaments", "round-robin"] = "tournaments"
    """Pairs that meet. ``tournaments``: every two members of each tournament. ``round-robin``:
    every two individuals once, n(n - 1)/2 pairs; a tournament is won by the member with most
    points of these."""


class TournamentConfig(BreederConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["tournament"] = "tournament"
    individuals: int = Field(default=100, ge=2, le=100_000)
    """Individuals of the population."""
    tournament_size: int = Field(default=7, ge=2, le=1000)
    """Individuals that meet in one tournament."""
    initialisation: str = "uniform"
    """Distribution of the first weights: ``uniform``, ``normal``, ``glorot``, ``he``, ``fan-in`` or
    ``inverse``, perhaps with a width, as in ``uniform:0.5``; see
    `evolve_arena.genomes.mlp.INITIALISATIONS`."""
    matches: TournamentMatchesConfig = Field(default=TournamentMatchesConfig(), exclude=True)
    """The section ``[matches]``."""
    variation: VariationConfig = Field(default=VariationConfig(), exclude=True)
    """The section ``[variation]``."""

    @model_validator(mode="after")
    def _fit_together(self) -> TournamentConfig:
        variation = self.variation
        for key, number in (
            ("tournament_size", self.tournament_size),
            ("variation.elites", variation.elites),
        ):
            if number > self.individuals:
                raise ValueError(f"{key} is {number}, more than the {self.individuals} individuals")
        if variation.self_adaptive and variation.mutation.name != OWN_OPERATORS["mutation"]:
            raise ValueError(
                "variation.self_adaptive is true, but variation.mutation is"
                f" {variation.mutation.name!r}, which has no step sizes: use"
                f" {OWN_OPERATORS['mutation']!r}"
            )
        return self
