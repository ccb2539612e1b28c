"""The settings of the method ``neat``, beside the section ``[neat]``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.core.game import Config
from evolve_arena.evolve.settings.matches import BreederConfig, MultiplayerMatchesConfig
from evolve_arena.evolve.settings.variation import GraphVariationConfig, Operator
from evolve_arena.genomes.neat.config import NeatConfig

OF_OWN_ENGINE = {
    "variation.selection": "neat.survival_threshold",
    "method.tournament_size": "neat.survival_threshold",
    "method.stagnation": "neat.max_stagnation, neat.species_elitism",
}
"""Keys that the engine neat-python does not read, each with the keys to use instead."""


class StagnationConfig(Config):
    """The section ``[method.stagnation]`` of a recipe."""

    criterion: Literal["record", "outside", "rank"] = "record"
    """``record``: a species improves when its best member beats the best that it had before.
    ``outside``: when its best member does better than ever against players from outside.
    ``rank``: when its members rank higher among the population than ever."""
    games: int = Field(default=60, ge=2, le=10_000)
    """Matches of each species' best against its record, or against each player from outside."""
    margin: float = Field(default=0.1, ge=0.0, lt=0.5)
    """Share of the points, above a half, that it takes to beat the record."""
    opening_plies: int = Field(default=4, ge=0, le=20)
    """Random plies at the beginning of these matches; fewer where games are too short for them."""
    opponents: tuple[str, ...] = ("random",)
    """The players from outside. Those of the recipe's checks would no longer be from outside."""

    @model_validator(mode="after")
    def _have_opponents(self) -> StagnationConfig:
        if self.criterion == "outside" and not self.opponents:
            raise ValueError("opponents is empty, but the criterion 'outside' needs some")
        return self


class NeatMatchesConfig(MultiplayerMatchesConfig):
    """The section ``[matches]`` of a recipe."""

    pairing: Literal["random", "species", "round-robin"] = "random"
    """Pairs that meet. ``random``: each individual meets as many random others as every other.
    ``species``: besides that, each member of a species every other one. ``round-robin``: every
    two individuals."""
    opponents: int = Field(default=10, ge=2, le=10_000)
    """Random others that each individual meets; an odd number is rounded up."""


class NeatMethodConfig(BreederConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["neat"] = "neat"
    engine: Literal["own", "neat-python"] = "own"
    """Implementation. ``own``: this project's compiled code. ``neat-python``: that library's own
    reproduction, species and stagnation; slower, and it measures species by their fitness alone."""
    finalists: int = Field(default=16, ge=1, le=10_000)
    """The fittest that play a round robin for the champion."""
    tournament_size: int = Field(default=3, ge=1, le=1000)
    """Members of a species that are drawn, with ``variation.selection = "tournament"``."""
    stagnation: StagnationConfig = StagnationConfig()
    """Criterion by which species stagnate, and are removed."""
    matches: NeatMatchesConfig = Field(default=NeatMatchesConfig(), exclude=True)
    """The section ``[matches]``."""
    variation: GraphVariationConfig = Field(default=GraphVariationConfig(), exclude=True)
    """The section ``[variation]``."""
    neat: NeatConfig = Field(default=NeatConfig(), exclude=True)
    """The section ``[neat]``."""

    @model_validator(mode="after")
    def _leave_the_engine_alone(self) -> NeatMethodConfig:
        keys = {} if self.engine == "own" else OF_OWN_ENGINE
        for key, instead in keys.items():
            section, _, last = key.partition(".")
            holder: Config = self.variation if section == "variation" else self
            default = type(holder).model_fields[last].default
            if getattr(holder, last) != default:
                empty = "{}" if isinstance(default, StagnationConfig) else default
                empty = default.name if isinstance(default, Operator) else empty
                shown = last if section == "method" else key
                raise ValueError(
                    f"{shown} is for the engine 'own'; 'neat-python' has its own way"
                    f" ({instead}): leave it out, or set {key}={empty}"
                )
        return self
