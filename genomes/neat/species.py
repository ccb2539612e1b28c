"""Species of NEAT genomes: speciation, stagnation, and numbers of children.

The rules are those of neat-python's ``DefaultSpeciesSet``, ``DefaultStagnation`` and
``DefaultReproduction``, with the same results, and a defined one where these fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.neat.distance import (
    Genes,
    Places,
    fill_distances,
    forget_places,
    measure_distance,
    note_places,
    number_genes,
)
from evolve_arena.genomes.neat.population import NeatPopulation

NONE = -1


@dataclass(frozen=True, eq=False)
class Species:
    """The species of a population, by ascending key; never changed in place."""

    keys: NDArray[np.int64]
    """The key of each species, unique within a run, shape ``(species,)``."""
    created: NDArray[np.int64]
    """The generation in which each species was founded."""
    improved: NDArray[np.int64]
    """The generation of each species' last improvement; at first that of its foundation."""
    representative: NDArray[np.int64]
    """The row of each species' representative genome."""
    members: NDArray[np.int32]
    """The row of each genome's species, shape ``(genomes,)``; -1 if :meth:`take` left that species
    out."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of genomes in each species, shape ``(species,)``."""
        return np.bincount(self.members[self.members >= 0], minlength=len(self)).astype(np.int64)

    def take(self, chosen: NDArray[np.bool_]) -> Species:
        """Return the *chosen* species alone; *chosen* has shape ``(species,)``."""
        # New rows of the species, by old row.
        rows = np.full(len(self) + 1, NONE, dtype=np.int32)  # the last for members of none
        rows[:-1][chosen] = np.arange(np.count_nonzero(chosen), dtype=np.int32)
        return Species(
            keys=self.keys[chosen],
            created=self.created[chosen],
            improved=self.improved[chosen],
            representative=self.representative[chosen],
            members=rows[self.members],
        )

    def find_fault(self, genomes: int) -> str | None:
        """Describe the first fault of arrays from a file for *genomes*; None if there is none."""
        for field in fields(self):
            array = getattr(self, field.name)
            kind = np.int32 if field.name == "members" else np.int64
            length = genomes if field.name == "members" else self.keys.size
            if array.dtype != kind or array.shape != (length,):
                return f"{field.name} has shape {array.shape} and type {array.dtype}"
        if np.any(np.diff(self.keys) <= 0):
            return "its keys do not ascend"
        if np.any((self.members < NONE) | (self.members >= len(self))):
            return "a genome belongs to a species that is not there"
        if np.any((self.representative < 0) | (self.representative >= genomes)):
            return "a representative is not there"
        if np.any(self.members[self.representative] != np.arange(len(self))):
            return "a representative belongs to another species"
        return None


def speciate(
    population: NeatPopulation,
    previous_representatives: NeatPopulation | None,
    previous: Species | None,
    *,
    generation: int,
    last_key: int,
    compatibility_threshold: float,
    disjoint_coefficient: float,
    weight_coefficient: float,
) -> Species:
    """Divide a *population* into species.

    First each previous species, by ascending key, takes the free genome that is closest to its
    representative as its new one. Then every other genome, by ascending key, joins the species
    with the closest new representative if that is closer than the threshold, and founds a species
    otherwise. Among equals the lower key comes first. If there are fewer genomes than previous
    species, those with the highest keys find none and end (neat-python fails).

    Distances are from representatives to others. neat-python has some of the other direction in its
    cache, which can differ in the last bit; that requires a previous representative that survived
    and was not chosen, in favour of a twin with a lower key.

    Args:
        population: The genomes.
        previous_representatives: One genome for each previous species, in the same order: the row
            ``previous.representative`` of the previous population. None if there are no previous
            species.
        previous: The species to continue; None if there are none.
        generation: The number of this generation, for new species.
        last_key: The highest key that any species ever had; new ones get the following keys.
        compatibility_threshold: From this distance on, genomes do not share a species.
        disjoint_coefficient: See :func:`evolve_arena.genomes.neat.distance.distances`.
        weight_coefficient: Likewise.

    Raises:
        BadValueError: There is not one representative for each previous species, or one of
            these has a key above *last_key*.

    Source: Stanley and Miikkulainen, "Evolving neural networks through augmenting topologies",
    Evolutionary Computation 10 (2002), section 3.3; the choice of representatives is
    neat-python's.
    """
    old = _no_species() if previous is None else previous
    old_genomes = (
        population.take([]) if previous_representatives is None else previous_representatives
    )
    _check_previous(old, old_genomes, last_key)
    disjoint, weight = float(disjoint_coefficient), float(weight_coefficient)
    (old_genes, genes), places = number_genes([old_genomes, population])
    # Previous species choose their new representatives.
    to_old = np.empty((len(old), len(population)), dtype=np.float64)
    fill_distances(old_genes, genes, places, disjoint, weight, to_old)
    order = np.argsort(population.keys, kind="stable")
    members = np.full(len(population), NONE, dtype=np.int32)
    representative = np.full(len(population), NONE, dtype=np.int64)
    kept = _choose_representatives(to_old, order, members, representative)
    # All others join a species, or found one.
    numbers = (float(compatibility_threshold), disjoint, weight)
    count = _assign_members(genes, places, order, numbers, kept, members, representative)
    founded = np.full(count - kept, generation, dtype=np.int64)
    return Species(
        keys=np.concatenate([old.keys[:kept], last_key + 1 + np.arange(count - kept)]),
        created=np.concatenate([old.created[:kept], founded]),
        improved=np.concatenate([old.improved[:kept], founded]),
        representative=representative[:count].copy(),
        members=members,
    )


def stagnant(
    species: Species,
    generation: int,
    standing: NDArray[np.float64],
    max_stagnation: int,
    species_elitism: int,
) -> NDArray[np.bool_]:
    """Return the *species* to remove, because they have not improved for too long.

    The best *species_elitism* ones are spared; among equals, those with the highest keys.

    Args:
        species: With the generation in which each last improved.
        generation: The number of this generation.
        standing: The fitness of each species now, higher is better, shape ``(species,)``; only its
            order matters.
        max_stagnation: Generations without improvement after which a species is removed.
        species_elitism: Number of species that are spared.

    Returns:
        True for each species to remove, shape ``(species,)``.
    """
    # Too old, unless among the best.
    removed = generation - species.improved >= max_stagnation
    ascending = np.argsort(standing, kind="stable")
    removed[ascending[max(len(species) - species_elitism, 0) :]] = False
    return removed


def spawn_counts(
    adjusted_fitness: Sequence[float] | NDArray[np.float64],
    previous_sizes: Sequence[int] | NDArray[np.int64],
    pop_size: int,
    min_species_size: int,
) -> NDArray[np.int64]:
    """Return the number of genomes of each species in the next generation, *pop_size* in total.

    A species moves half of the way from its size to its share by fitness, the counts are scaled to
    *pop_size* and rounded half to even, and then missing genomes are added to the smallest species,
    surplus ones taken from the largest, one by one in turn. Among equals the first comes first;
    neat-python has its species in ascending order of fitness here.

    Three cases in which neat-python fails are defined here. If *pop_size* is not enough for
    *min_species_size* genomes of each species, only those of the highest adjusted fitness get any
    (among equals the first), as many species as possible, but at least one. If one turn does not
    remove enough, there are more turns. If the counts before scaling are all 0, each species starts
    from *min_species_size*.

    Args:
        adjusted_fitness: The fitness of each species, at least 0; children are in proportion to it.
        previous_sizes: The number of genomes of each species now.
        pop_size: The total of the next generation.
        min_species_size: Fewest genomes of a species; if it is 0, a species can get none.

    Returns:
        The numbers, shape ``(species,)``; empty without species.
    """
    fitness = [float(value) for value in adjusted_fitness]
    workspace = pop_size // min_species_size if min_species_size > 0 else len(fitness)
    best = sorted(range(len(fitness)), key=lambda row: -fitness[row])[: max(workspace, 1)]
    chosen = sorted(best)
    least = min(min_species_size, pop_size)
    wanted = _scale_counts(
        [fitness[row] for row in chosen],
        [int(previous_sizes[row]) for row in chosen],
        pop_size,
        least,
    )
    counts = np.zeros(len(fitness), dtype=np.int64)
    counts[chosen] = _fit_exactly(wanted, pop_size, least)
    return counts


def _no_species() -> Species:
    none = np.zeros(0, dtype=np.int64)
    return Species(none, none, none, none, none.astype(np.int32))


def _check_previous(old: Species, representatives: NeatPopulation, last_key: int) -> None:
    if len(representatives) != len(old):
        raise BadValueError(
            f"there are {len(representatives)} representatives of {len(old)} previous species"
        )
    if len(old) and old.keys[-1] > last_key:
        raise BadValueError(f"last_key is {last_key}: there is a species {old.keys[-1]}")


@compiled
def _choose_representatives(
    to_old: Array, order: Array, members: Array, representative: Array
) -> Number:
    """Choose the new representative of each old species, and return how many found one.

    Args:
        to_old: Distances from old representatives to genomes, shape ``(species, genomes)``.
        order: The rows of the genomes, by ascending key.
        members: The species of each genome, -1 so far; updated.
        representative: Receives the new representative of each species.
    """
    for species in range(to_old.shape[0]):
        best = np.int64(NONE)
        for place in range(order.shape[0]):
            row = order[place]
            if members[row] < 0 and (best < 0 or to_old[species, row] < to_old[species, best]):
                best = row
        if best < 0:
            return species
        members[best] = np.int32(species)
        representative[species] = best
    return to_old.shape[0]


@compiled
def _assign_members(
    genes: Genes,
    places: Places,
    order: Array,
    numbers: tuple[float, float, float],
    count: int,
    members: Array,
    representative: Array,
) -> int:
    """Assign each free genome to a species, and return the new number of species.

    Args:
        genes: The genes of the population.
        places: Scratch space for the places of a genome's genes.
        order: The rows of the genomes, by ascending key.
        numbers: The threshold, and the coefficients for disjoint genes and differences.
        count: The number of species so far.
        members: The species of each genome, -1 for free ones; updated.
        representative: The representative of each species; updated.
    """
    threshold, disjoint, weight = numbers
    for place in range(order.shape[0]):
        row = order[place]
        if members[row] >= 0:
            continue
        note_places(genes, row, places)
        # The closest representative below the threshold.
        nearest, lowest = np.int64(NONE), threshold
        for species in range(count):
            distance = measure_distance(
                genes, representative[species], genes, row, places, disjoint, weight
            )
            if distance < lowest:
                nearest, lowest = np.int64(species), distance
        forget_places(genes, row, places)
        # None is close enough: the genome founds a species.
        if nearest < 0:
            nearest = np.int64(count)
            representative[count] = row
            count += 1
        members[row] = np.int32(nearest)
    return count


def _scale_counts(
    fitness: list[float], sizes: list[int], pop_size: int, min_species_size: int
) -> list[int]:
    """Return counts by fitness and previous size, which add up to about *pop_size*."""
    # From left to right: the built-in sum is compensated from Python 3.12 on.
    total = list(accumulate(fitness, initial=0.0))[-1]
    counts = []
    # Half a step towards the share by fitness, but at least one genome.
    for value, size in zip(fitness, sizes, strict=True):
        share = max(min_species_size, value / total * pop_size) if total > 0 else min_species_size
        half = (share - size) * 0.5
        step = round(half)
        if step == 0:
            step = (half > 0) - (half < 0)
        counts.append(size + step)
    scale = pop_size / sum(counts) if sum(counts) > 0 else 0.0
    return [max(min_species_size, round(count * scale)) for count in counts]


def _fit_exactly(counts: list[int], pop_size: int, min_species_size: int) -> list[int]:
    """Change the *counts* one by one in turn until they add up to *pop_size*."""
    fitted = list(counts)
    missing = pop_size - sum(counts)
    step = 1 if missing > 0 else -1
    order = sorted(range(len(counts)), key=lambda row: step * counts[row])
    while missing and fitted:
        # The smallest first if genomes are missing, else the largest.
        for row in order:
            if missing and (step > 0 or fitted[row] > min_species_size):
                fitted[row] += step
                missing -= step
    return fitted
