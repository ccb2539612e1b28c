"""The section ``[islands]``: several populations that exchange individuals."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from evolve_arena.core.game import Config
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import JsonObject
from evolve_arena.genomes.neat.numbering import MAX_ISLANDS


class IslandsConfig(Config):
    """The section ``[islands]`` of a recipe."""

    count: int = Field(default=4, ge=2, le=MAX_ISLANDS)
    """Number of populations, each as large as ``[method]`` or ``[neat]`` says."""
    topology: Literal["ring", "complete", "random"] = "ring"
    """Neighbours. ``ring``: each island sends to the next one. ``complete``: to all others.
    ``random``: along a ring whose order is drawn anew for each migration."""
    interval: int = Field(default=10, ge=1, le=1_000_000)
    """Generations between two migrations."""
    migrants: int = Field(default=2, ge=0, le=10_000)
    """Number of individuals, the fittest, that an island copies to each neighbour; 0: none."""
    replace: Literal["random", "worst"] = "random"
    """Individuals that give way to immigrants: ``random`` ones, or the ``worst``, for which an
    island plays one more generation's matches before each arrival."""
    each: tuple[JsonObject, ...] = ()
    """Settings of single islands, in place of the recipe's: a table for each, from the first on,
    with keys of ``[method]``, and tables of other sections: ``matches = { noise = 0.1 }``."""

    @model_validator(mode="after")
    def _fit_together(self) -> IslandsConfig:
        if len(self.each) > self.count:
            raise ValueError(f"each has {len(self.each)} tables for {self.count} islands")
        return self

    @property
    def arriving(self) -> int:
        """Number of immigrants of an island at a migration."""
        return self.migrants * (self.count - 1 if self.topology == "complete" else 1)

    def find_senders(self, seed: int, migration: int) -> list[list[int]]:
        """Return the islands, from 0, that send to each island at a *migration*, from 1."""
        islands = range(self.count)
        if self.topology == "complete":
            return [[other for other in islands if other != island] for island in islands]
        order = np.arange(self.count)
        if self.topology == "random":
            order = derive_generator(seed, migration, "migration").permutation(self.count)
        before = dict(zip(order.tolist(), np.roll(order, 1).tolist(), strict=True))
        return [[before[island]] for island in islands]
