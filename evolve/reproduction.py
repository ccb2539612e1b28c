"""Elites and parents of the next generation, species by species, as in neat-python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.evolve.operators import Selection
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.species import Species, spawn_counts

LEAST_RANGE = 1.0
"""neat-python's least difference between the fittest and the least fit."""


def plan_children(
    config: NeatConfig,
    species: Species,
    keys: NDArray[np.int64],
    fitness: NDArray[np.float64],
    standing: NDArray[np.float64],
    rng: np.random.Generator,
    select: Selection,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return elites and the parents of all children of the next generation.

    The mean fitness of its members decides the share of each species (Stanley and Miikkulainen
    2002, section 3.3, in neat-python's form), which keeps its fittest members and fills up with
    children of two of its members.

    Args:
        config: The settings.
        species: Species that continue.
        keys: The key of each genome, shape ``(genomes,)``.
        fitness: Fitness of each genome, shape ``(genomes,)``.
        standing: Fitness of each species, shape ``(species,)``; the lowest one comes first.
        rng: Draws parents.
        select: Chooses parents among the members of a species.

    Returns:
        The rows of the elites, and the rows of parents, shape ``(children, 2)``.
    """
    order = np.argsort(standing, kind="stable")
    means = np.array([fitness[species.members == row].mean() for row in order])
    playing = fitness[species.members >= 0]
    spread = max(LEAST_RANGE, float(playing.max() - playing.min()))
    least = max(config.min_species_size, config.elitism)
    counts = spawn_counts(
        (means - playing.min()) / spread, species.sizes[order], config.pop_size, least
    )
    elites: list[NDArray[np.int64]] = []
    parents: list[NDArray[np.int64]] = []
    for row, count in zip(order, counts.tolist(), strict=True):
        if not count:
            continue
        members = np.flatnonzero(species.members == row)
        members = members[np.lexsort((keys[members], fitness[members]))[::-1]]
        kept = min(config.elitism, len(members), count)
        elites.append(members[:kept])
        chosen = select(fitness[members], 2 * (count - kept), rng)
        parents.append(members[chosen.reshape(-1, 2)])
    return np.concatenate(elites), np.concatenate(parents)
