"""Species of NEAT genomes: who belongs together, who has stagnated, who gets how many children.

The rules are those of neat-python's ``DefaultSpeciesSet``, ``DefaultStagnation`` and
``DefaultReproduction``, with the same results, and an answer where these fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.neat.distance import (
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
    """The species of a population, by ascending key; nothing in it is ever changed in place."""

    keys: NDArray[np.int64]
    """The number of each species, unique within a run, shape ``(species,)``."""
    created: NDArray[np.int64]
    """The generation in which it came to be."""
    improved: NDArray[np.int64]
    """The generation in which it last improved; at first that in which it came to be."""
    representative: NDArray[np.int64]
    """The row of the genome that stands for it."""
    members: NDArray[np.int32]
    """The row of each genome's species, shape ``(genomes,)``; -1 for one whose species was
    left out by :meth:`take`."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many genomes each species has, shape ``(species,)``."""
        return np.bincount(self.members[self.members >= 0], minlength=len(self)).astype(np.int64)

    def take(self, chosen: NDArray[np.bool_]) -> Species:
        """The *chosen* species alone: shape ``(species,)``."""
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
        """Why these arrays, read from a file, can't be species of *genomes*; None if they can."""
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
    """Divides a *population* into species.

    First each previous species, by ascending key, takes the free genome that is closest to its
    representative as its new one. Then every other genome, by ascending key, joins the species
    with the closest new representative if that is closer than the threshold, and founds a
    species otherwise. Among equals the lower key comes first. If fewer genomes than previous
    species are there, the species that find none, those with the highest keys, end (neat-python
    fails).

    Distances are taken from representatives to others. neat-python has some in the other
    direction in its cache, which can differ in the last bit; for that a previous representative
    must have lived on and yet not been chosen, for a twin with a lower key.

    Args:
        population: The genomes.
        previous_representatives: One genome for each previous species, in the same order; the
            row ``previous.representative`` of the population that it was made for. None if
            there are no previous species.
        previous: The species that go on; None if there are none.
        generation: The number of this generation, for species that are founded now.
        last_key: The highest key that any species ever had; new ones count on from there.
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
    to_old = np.empty((len(old), len(population)), dtype=np.float64)
    fill_distances(old_genes, genes, places, disjoint, weight, to_old)
    order = np.argsort(population.keys, kind="stable")
    members = np.full(len(population), NONE, dtype=np.int32)
    representative = np.full(len(population), NONE, dtype=np.int64)
    kept = _choose_representatives(to_old, order, members, representative)
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
    """Which *species* are to be removed, because they have not improved for too long.

    The best *species_elitism* ones are spared; among equals, those with the highest keys.

    Args:
        species: With the generation in which each last improved.
        generation: The number of this generation.
        standing: How good each species is now, higher is better, shape ``(species,)``; it
            decides nothing but the order.
        max_stagnation: After how many generations without improvement a species is removed.
        species_elitism: How many species are spared.

    Returns:
        Shape ``(species,)``.
    """
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
    """How many genomes each species has in the next generation; together exactly *pop_size*.

    A species goes half of the way from its size to its share by fitness, the counts are scaled
    to *pop_size* and rounded half to even, and what is then still missing goes to the smallest
    species, what is too much is taken from the largest ones, one by one in turn. Among equals
    the first comes first; neat-python has its species in ascending order of fitness here.

    Three cases in which neat-python fails are defined here. If *pop_size* has no room for
    *min_species_size* genomes of each species, only those of the highest adjusted fitness get
    any (among equals the first), as many species as there is room for, but at least one. If one
    turn does not take away enough, there are more turns. If the counts before scaling are all
    0, each species starts from *min_species_size*.

    Args:
        adjusted_fitness: Of each species, at least 0, in proportion to which it gets children.
        previous_sizes: How many genomes each species has now.
        pop_size: How many genomes there are to be.
        min_species_size: The least number for a species; if it is 0, a species can get none.

    Returns:
        Shape ``(species,)``; without species it is empty.
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
def _choose_representatives(to_old: Any, order: Any, members: Any, representative: Any) -> Any:
    """Gives each old species its new representative, and says how many found one.

    Args:
        to_old: The distance from each old representative to each genome.
        order: The rows of the genomes, by ascending key.
        members: The species of each genome; -1 so far.
        representative: The new representative of each species.
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
    genes: Any,
    places: Any,
    order: Any,
    numbers: Any,
    count: int,
    members: Any,
    representative: Any,
) -> Any:
    """Gives each free genome its species, and says how many species there are then.

    Args:
        genes: Those of the population.
        places: Room for the places of a genome's.
        order: The rows of the genomes, by ascending key.
        numbers: The threshold, and the coefficients for disjoint genes and differences.
        count: How many species there are so far.
        members: The species of each genome; -1 for those that are free.
        representative: The representative of each species.
    """
    threshold, disjoint, weight = numbers
    for place in range(order.shape[0]):
        row = order[place]
        if members[row] >= 0:
            continue
        note_places(genes, row, places)
        nearest, lowest = np.int64(NONE), threshold
        for species in range(count):
            distance = measure_distance(
                genes, representative[species], genes, row, places, disjoint, weight
            )
            if distance < lowest:
                nearest, lowest = np.int64(species), distance
        forget_places(genes, row, places)
        if nearest < 0:
            nearest = np.int64(count)
            representative[count] = row
            count += 1
        members[row] = np.int32(nearest)
    return count


def _scale_counts(
    fitness: list[float], sizes: list[int], pop_size: int, min_species_size: int
) -> list[int]:
    """Counts by fitness and previous size, which add up to about *pop_size*."""
    # From left to right: the built-in sum is compensated from Python 3.12 on.
    total = list(accumulate(fitness, initial=0.0))[-1]
    counts = []
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
    """The *counts*, changed one by one in turn until they add up to *pop_size*."""
    fitted = list(counts)
    missing = pop_size - sum(counts)
    step = 1 if missing > 0 else -1
    order = sorted(range(len(counts)), key=lambda row: step * counts[row])
    while missing and fitted:
        for row in order:
            if missing and (step > 0 or fitted[row] > min_species_size):
                fitted[row] += step
                missing -= step
    return fitted
