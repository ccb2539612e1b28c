"""The hall of fame: earlier champions, kept as opponents.

A population that only meets itself forgets what it has learnt to beat. The fitness with which
a champion entered says nothing in another generation, so members are not ranked: a new one
takes the place of a random old one, and the hall keeps players of all ages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.core.config import Config
from evolve_arena.core.seeding import derive_generator


class HallOfFame(Config):
    """The section ``[method.hall_of_fame]`` of a recipe."""

    size: int = Field(default=50, ge=1, le=10_000)
    """How many champions are kept."""
    every: int = Field(default=10, ge=1)
    """A generation's fittest enters every so many generations."""
    opponents: int = Field(default=0, ge=0, le=1000)
    """How many members every individual meets, both colours; 0 switches the hall off."""
    weight: float = Field(default=1.0, ge=0.0, le=100.0)
    """What a win against a member counts, a win in the tournament being 1."""


def keep_members(
    config: HallOfFame, members: int, seed: int, generation: int
) -> NDArray[np.int64] | None:
    """The rows of the hall that stay when this *generation*'s fittest enters; None if it doesn't.

    Args:
        config: The hall.
        members: How many are in there.
        seed: The run's seed.
        generation: The number of this generation.
    """
    if not config.opponents or generation % config.every:
        return None
    stay = np.arange(members)
    if members >= config.size:
        leaves = derive_generator(seed, generation, "leaves the hall").integers(members)
        stay = np.delete(stay, leaves)
    return stay


def remember(
    config: HallOfFame,
    hall: NDArray[np.float32],
    fittest: NDArray[np.float32],
    seed: int,
    generation: int,
) -> NDArray[np.float32]:
    """The hall after this *generation*, with its *fittest* if it is time for one to enter."""
    stay = keep_members(config, len(hall), seed, generation)
    return hall if stay is None else np.concatenate([hall[stay], fittest[None, :]])
