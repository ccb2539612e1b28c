"""The section ``[growth]``: a run that begins with smaller networks."""

from __future__ import annotations

from pydantic import Field

from evolve_arena.core.game import Config
from evolve_arena.core.types import JsonObject


class StageConfig(Config):
    """A stage of the section ``[growth]``."""

    generations: int = Field(ge=1, le=1_000_000)
    """Generations of this stage; the next one begins with what it bred."""
    network: JsonObject = Field(default_factory=dict)
    """Keys of ``[network]`` that differ: ``{ hidden = [16] }`` or ``{ straight = 2 }``."""
    method: JsonObject = Field(default_factory=dict)
    """Keys of ``[method]`` that differ; with another ``name`` all keys of that method that are not
    its defaults, and so for ``matches``."""
    matches: JsonObject = Field(default_factory=dict)
    """Keys of ``[matches]`` that differ."""


class GrowthConfig(Config):
    """The section ``[growth]`` of a recipe."""

    stages: tuple[StageConfig, ...] = Field(default=(), max_length=8)
    """The stages before the recipe's own ``[network]`` and ``[method]``, each with smaller networks
    than the next: a table for each, with ``generations`` and what differs."""
