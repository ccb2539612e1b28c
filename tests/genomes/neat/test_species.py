"""Species, stagnation and shares of children: neat-python's, and an answer where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import neat
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from neat.reporting import ReporterSet
from numpy.typing import ArrayLike

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.interchange import to_neat_python_genomes
from evolve_arena.genomes.neat.population import CONNECTION_FIELDS, NeatPopulation
from evolve_arena.genomes.neat.species import Species, spawn_counts, speciate, stagnant


def describe(
    species: Species, population: NeatPopulation
) -> dict[int, tuple[int, int, int, list[int]]]:
    """Return species by key: generations of creation and improvement, representative, members."""
    return {
        int(key): (
            int(species.created[row]),
            int(species.improved[row]),
            int(population.keys[species.representative[row]]),
            sorted(population.keys[species.members == row].tolist()),
        )
        for row, key in enumerate(species.keys)
    }


def describe_theirs(
    species_set: neat.DefaultSpeciesSet,
) -> dict[int, tuple[int, int, int, list[int]]]:
    return {
        key: (
            species.created,
            species.last_improved,
            species.representative.key,
            sorted(species.members),
        )
        for key, species in species_set.species.items()
    }


def make_genomes(count: int, seed: int, first_key: int = 1, coarse: bool = False) -> NeatPopulation:
    """Return genomes of one node and some of six connections each, with random weights.

    If these are *coarse*, many distances are equal.
    """
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(6)[: rng.integers(3, 7)] for _ in range(count)]
    ends = np.concatenate(chosen)
    start = np.cumsum([0, *map(len, chosen)])
    weight, bias = (rng.normal(size=size) for size in (len(ends), count))
    return NeatPopulation(
        keys=np.arange(first_key, first_key + count),
        node_start=np.arange(count + 1),
        node_key=np.zeros(count, np.int32),
        bias=np.rint(bias) if coarse else bias,
        response=np.ones(count),
        activation=np.zeros(count, np.int32),
        aggregation=np.ones(count, np.int32),
        connection_start=start,
        source=(-1 - ends).astype(np.int32),
        target=np.zeros(len(ends), np.int32),
        weight=np.rint(weight) if coarse else weight,
        enabled=np.ones(len(ends), np.bool_),
        innovation=ends,
    )


def with_keys(population: NeatPopulation, keys: ArrayLike) -> NeatPopulation:
    return replace(population, keys=np.asarray(keys, dtype=np.int64))


NUMBERS = {"disjoint_coefficient": 1.0, "weight_coefficient": 0.5}


def make_previous(
    representative: ArrayLike, genomes: int, keys: ArrayLike | None = None
) -> Species:
    """Return species with the given representatives and no other members."""
    representative = np.asarray(representative, dtype=np.int64)
    members = np.full(genomes, -1, np.int32)
    members[representative] = np.arange(len(representative))
    zeros = np.zeros(len(representative), np.int64)
    keys = np.arange(1, len(representative) + 1) if keys is None else np.array(keys)
    return Species(keys, zeros, zeros, representative, members)


def speciate_theirs(
    population: NeatPopulation,
    old: NeatPopulation,
    keys: Sequence[int],
    threshold: float,
    last_key: int,
) -> dict[int, tuple[int, int, int, list[int]]]:
    """Divide a population by neat-python; genomes both *old* and new are the same objects."""
    genomes = {genome.key: genome for genome in to_neat_python_genomes(population)}
    set_config = SimpleNamespace(compatibility_threshold=threshold)
    species_set = neat.DefaultSpeciesSet(set_config, ReporterSet())
    for key, genome in zip(keys, to_neat_python_genomes(old), strict=True):
        species = neat.species.Species(key, 0)
        species.representative = genomes.get(genome.key, genome)
        species_set.species[key] = species
    while last_key:
        last_key -= 1
        next(species_set.indexer)
    coefficients = SimpleNamespace(
        compatibility_disjoint_coefficient=1.0, compatibility_weight_coefficient=0.5
    )
    species_set.speciate(SimpleNamespace(genome_config=coefficients), genomes, 4)
    return describe_theirs(species_set)


@given(
    seed=st.integers(0, 2**32),
    count=st.integers(3, 14),
    elites=st.integers(0, 6),
    foreign=st.integers(0, 3),
    coarse=st.booleans(),
    data=st.data(),
)
@settings(max_examples=300)
def test_species_are_those_of_neat_python(
    seed: int, count: int, elites: int, foreign: int, coarse: bool, data: st.DataObject
) -> None:
    # A threshold that is itself one of the distances, the larger of the two directions where
    # these differ: then the last bit decides who belongs together.
    assume(elites + foreign <= count)
    genomes = make_genomes(count + foreign, seed, coarse=coarse)
    shuffled = np.random.default_rng(seed).permutation(count + foreign)
    genomes = with_keys(genomes, 1 + shuffled)
    population = genomes.take(np.arange(count))
    chosen = data.draw(st.permutations([*range(elites), *range(count, count + foreign)]))
    table = distances(genomes, genomes, **NUMBERS)
    ones, others = np.nonzero(table > (0.0 if coarse else table.T))
    assume(len(ones))
    pair = data.draw(st.integers(0, len(ones) - 1))
    threshold = float(table[ones[pair], others[pair]])
    previous = make_previous(chosen, len(genomes))
    old = genomes.take(previous.representative)
    ours = speciate(
        population,
        old,
        previous,
        generation=4,
        last_key=20,
        compatibility_threshold=threshold,
        **NUMBERS,
    )
    theirs = speciate_theirs(population, old, previous.keys.tolist(), threshold, 20)
    assert describe(ours, population) == theirs
    assert ours.find_fault(count) is None


def at(*places: float) -> NeatPopulation:
    """Return genomes of one node and no connection, as far apart as the given numbers."""
    some = make_genomes(len(places), 0)
    return replace(
        some,
        bias=np.array(places, dtype=np.float64),
        connection_start=some.connection_start * 0,
        **{name: getattr(some, name)[:0] for name in CONNECTION_FIELDS},
    )


def place(
    population: NeatPopulation, old: NeatPopulation | None, previous: Species | None
) -> Species:
    """Divide with the difference of two places as the distance, and a threshold of 2."""
    return speciate(
        population,
        old,
        previous,
        generation=1,
        last_key=5,
        compatibility_threshold=2.0,
        disjoint_coefficient=1.0,
        weight_coefficient=1.0,
    )


def test_species_that_find_no_genome_end() -> None:
    old = with_keys(at(0.0, 10.0, 20.0, 30.0), [50, 51, 52, 53])
    previous = make_previous([0, 1, 2, 3], 4, keys=[1, 2, 4, 5])
    species = place(at(29.0, 31.0), old, previous)
    assert species.keys.tolist() == [1, 2]
    assert species.representative.tolist() == [0, 1]
    assert species.members.tolist() == [0, 1]
    assert species.find_fault(2) is None
    with pytest.raises(ValueError, match="empty"):
        speciate_theirs(at(29.0, 31.0), old, [1, 2, 4, 5], 2.0, 5)


def test_nobody_makes_no_species() -> None:
    nobody = at(1.0).take([])
    assert len(place(nobody, None, None)) == 0
    species = place(nobody, with_keys(at(3.0), [50]), make_previous([0], 1))
    assert len(species) == 0
    assert species.members.shape == (0,)
    assert species.find_fault(0) is None


def test_previous_species_without_sense_are_refused() -> None:
    old = at(0.0, 1.0)
    with pytest.raises(BadValueError, match="2 representatives of 1 previous species"):
        place(at(0.0), old, make_previous([0], 1))
    with pytest.raises(BadValueError, match="1 representatives of 0 previous species"):
        place(at(0.0), at(0.0), None)
    with pytest.raises(BadValueError, match="last_key is 5: there is a species 8"):
        place(at(0.0), old, make_previous([0, 1], 2, keys=[1, 8]))


def test_species_can_be_left_out() -> None:
    species = Species(
        keys=np.array([2, 5, 7]),
        created=np.array([0, 1, 2]),
        improved=np.array([3, 4, 5]),
        representative=np.array([4, 0, 1]),
        members=np.array([1, 2, 1, 0, 0, 2], np.int32),
    )
    assert species.find_fault(6) is None
    assert species.sizes.tolist() == [2, 2, 2]
    left = species.take(np.array([True, False, True]))
    assert left.keys.tolist() == [2, 7]
    assert left.created.tolist() == [0, 2]
    assert left.improved.tolist() == [3, 5]
    assert left.representative.tolist() == [4, 1]
    assert left.members.tolist() == [-1, 1, -1, 0, 0, 1]
    assert left.sizes.tolist() == [2, 2]
    assert left.find_fault(6) is None

    assert species.find_fault(5) == "members has shape (6,) and type int32"
    for changed, fault in (
        ({"created": np.zeros(2, np.int64)}, "created has shape (2,) and type int64"),
        ({"improved": np.zeros(3)}, "improved has shape (3,) and type float64"),
        ({"keys": np.array([2, 2, 3])}, "its keys do not ascend"),
        ({"representative": np.array([4, 0, 6])}, "a representative is not there"),
        ({"representative": np.array([4, 3, 1])}, "a representative belongs to another species"),
        ({"members": species.members + np.int32(1)}, "a genome belongs to a species that is not"),
        ({"members": species.members - np.int32(2)}, "a genome belongs to a species that is not"),
    ):
        assert str(replace(species, **changed).find_fault(6)).startswith(fault)


def spawn_theirs(
    fitness: Sequence[float], sizes: Sequence[int], pop_size: int, least: int
) -> list[int]:
    reproduction = neat.DefaultReproduction
    counts = reproduction.compute_spawn(fitness, sizes, pop_size, least)
    return list(reproduction._adjust_spawn_exact(None, counts, pop_size, least))


@st.composite
def species_tables(draw: st.DrawFn) -> tuple[list[float], list[int], int, int]:
    # Fitness in 64ths, so that a sum is the same in any order and with any summation.
    count = draw(st.integers(1, 12))
    fitness = draw(st.lists(st.integers(0, 64), min_size=count, max_size=count))
    sizes = draw(st.lists(st.integers(1, 60), min_size=count, max_size=count))
    return [one / 64 for one in fitness], sizes, draw(st.integers(1, 150)), draw(st.integers(0, 15))


@settings(max_examples=300)
@given(table=species_tables())
def test_shares_of_children(table: tuple[list[float], list[int], int, int]) -> None:
    fitness, sizes, pop_size, least = table
    counts = spawn_counts(fitness, sizes, pop_size, least)
    assert counts.dtype == np.int64
    assert counts.sum() == pop_size
    workspace = pop_size // least if least else len(fitness)
    if workspace >= len(fitness):
        assert counts.min() >= least
        try:
            theirs = spawn_theirs(fitness, sizes, pop_size, least)
        except (RuntimeError, ZeroDivisionError):
            return
        assert counts.tolist() == theirs
    else:
        some = np.flatnonzero(counts)
        assert len(some) == max(workspace, 1)
        assert counts[some].min() >= min(least, pop_size)
        worst = min(fitness[row] for row in some)
        assert all(value <= worst for row, value in enumerate(fitness) if row not in some)
        again = spawn_counts(
            [fitness[row] for row in some], [sizes[row] for row in some], pop_size, least
        )
        assert counts[some].tolist() == again.tolist()


def test_species_without_room_for_their_least_number() -> None:
    # Room for three species of 3 in 10: those with 0.9, 0.8 and the first with 0.5.
    counts = spawn_counts([0.5, 0.1, 0.9, 0.5, 0.8], [2, 2, 2, 2, 2], 10, 3)
    assert (counts > 0).tolist() == [True, False, True, False, True]
    assert sorted(counts[counts > 0].tolist()) == [3, 3, 4]
    with pytest.raises(RuntimeError, match="population size 10"):
        spawn_theirs([0.5, 0.1, 0.9, 0.5, 0.8], [2, 2, 2, 2, 2], 10, 3)
    # Not even room for one.
    assert spawn_counts([0.5, 0.9], [2, 2], 4, 5).tolist() == [0, 4]


def test_one_turn_may_not_take_away_enough() -> None:
    # Nine species of one genome must have ten each, which the largest one has to pay for.
    fitness, sizes = [1.0] + [0.0] * 9, [191] + [1] * 9
    with pytest.raises(RuntimeError, match="could not match pop_size"):
        spawn_theirs(fitness, sizes, 200, 10)
    assert spawn_counts(fitness, sizes, 200, 10).tolist() == [110] + [10] * 9


def test_species_that_would_all_get_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        spawn_theirs([0.0, 0.0, 0.0], [1, 1, 1], 7, 0)
    assert spawn_counts([0.0, 0.0, 0.0], [1, 1, 1], 7, 0).tolist() == [3, 2, 2]


def stagnant_theirs(
    keys: Sequence[int],
    improved: Sequence[int],
    standing: Sequence[float],
    generation: int,
    limit: int,
    elitism: int,
) -> list[bool]:
    """Return neat-python's verdicts; fitness is the earlier one where it did not improve now."""
    config = SimpleNamespace(
        species_fitness_func="max", max_stagnation=limit, species_elitism=elitism
    )
    species_set = SimpleNamespace(species={})
    for key, when, value in zip(keys, improved, standing, strict=True):
        species = neat.species.Species(key, 0)
        species.last_improved = when
        species.members = {1: SimpleNamespace(fitness=value)}
        species.fitness_history = [value + 1.0]
        species_set.species[key] = species
    verdict = neat.DefaultStagnation(config, ReporterSet()).update(species_set, generation)
    return [value for _, _, value in sorted(verdict, key=lambda one: one[0])]


@settings(max_examples=300)
@given(
    rows=st.lists(st.tuples(st.integers(0, 30), st.integers(-4, 4)), max_size=10),
    limit=st.integers(0, 25),
    elitism=st.integers(0, 6),
)
def test_stagnant_species_are_those_of_neat_python(
    rows: list[tuple[int, int]], limit: int, elitism: int
) -> None:
    count = len(rows)
    improved = np.array([one for one, _ in rows], dtype=np.int64)
    standing = np.array([value / 2 for _, value in rows])
    species = replace(make_previous(range(count), count), improved=improved)
    ours = stagnant(species, 30, standing, limit, elitism)
    assert ours.dtype == np.bool_
    theirs = stagnant_theirs(
        species.keys.tolist(), improved.tolist(), standing.tolist(), 30, limit, elitism
    )
    assert ours.tolist() == theirs
