"""Speed of dividing a NEAT population into species: against neat-python, on one core."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import neat
from neat.innovation import InnovationTracker
from neat.reporting import ReporterSet

from benchmarks.line import Line
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.neat.species import Species, speciate

__all__ = ["measure"]

TARGET = 10.0
ANCESTORS = 8
MUTATIONS = 50
"""Number of mutations of each genome; most are its ancestor's, so that genomes form families."""
OWN_MUTATIONS = 10
NEXT_MUTATIONS = 2
THRESHOLD = 2.1
DISJOINT, WEIGHT = 1.0, 0.5
SIZES, JUDGED = (150, 500), 500
"""Numbers of individuals, and the number that has a target."""
ROUNDS = 30
SMALL = {"SIZES": (60,), "JUDGED": 60, "ROUNDS": 1}

CONFIG = NeatConfig(
    conn_add_prob=0.5,
    conn_delete_prob=0.2,
    node_add_prob=0.3,
    node_delete_prob=0.1,
    bias_mutate_rate=0.5,
    bias_replace_rate=0.05,
    weight_mutate_rate=0.5,
    weight_mutate_power=0.3,
    weight_replace_rate=0.02,
    compatibility_threshold=THRESHOLD,
    compatibility_disjoint_coefficient=DISJOINT,
    compatibility_weight_coefficient=WEIGHT,
)


def measure() -> Iterator[Line]:
    """Yield all lines about species."""
    before = random.getstate()
    random.seed(1)
    try:
        for individuals in SIZES:
            yield from _measure(individuals)
    finally:
        random.setstate(before)


def _measure(individuals: int) -> Iterator[Line]:
    config = to_neat_python(CONFIG, 42, 7)
    config.genome_config.innovation_tracker = InnovationTracker()
    parents = _grow(config.genome_config, individuals)
    children = _mutate_all(parents, config.genome_config, individuals + 1, NEXT_MUTATIONS)
    first = neat.DefaultSpeciesSet(config.species_set_config, ReporterSet())
    first.speciate(config, {genome.key: genome for genome in parents}, 0)

    population, old, previous = _pack(parents, children, first)

    def ours() -> Species:
        return speciate(
            population,
            old,
            previous,
            generation=1,
            last_key=len(previous),
            compatibility_threshold=THRESHOLD,
            disjoint_coefficient=DISJOINT,
            weight_coefficient=WEIGHT,
        )

    found = ours()
    theirs, next_set = _time_theirs(config, first, children)
    _check(found, population, next_set)
    seconds = _best(ours, ROUNDS)
    size = len(population.weight) / individuals
    name = f"species of {individuals} genomes, {size:.0f} connections, {len(found)} species"
    yield Line(
        name,
        seconds * 1e3,
        "ms",
        f"neat-python: {theirs * 1e3:,.0f} ms",
        theirs / seconds,
        "10x" if individuals == JUDGED else "",
        theirs / seconds >= TARGET if individuals == JUDGED else None,
    )
    yield _measure_distances(population, children, config)


def _measure_distances(
    population: NeatPopulation, genomes: list[neat.DefaultGenome], config: neat.Config
) -> Line:
    some = population.take(range(20))

    def ours() -> Array:
        return distances(some, population, disjoint_coefficient=DISJOINT, weight_coefficient=WEIGHT)

    def theirs() -> None:
        for other in genomes[:50]:
            genomes[0].distance(other, config.genome_config)

    ours()
    one = _best(ours, 10) / (20 * len(population))
    one_of_theirs = _best(theirs, 5) / 50
    return Line(
        f"one distance, population {len(population)}",
        one * 1e6,
        "µs",
        f"neat-python: {one_of_theirs * 1e6:.0f} µs",
        one_of_theirs / one,
    )


def _grow(config: neat.Config, individuals: int) -> list[neat.DefaultGenome]:
    """Return genomes of some families, all after the same number of mutations."""
    ancestors = []
    for _ in range(ANCESTORS):
        genome = neat.DefaultGenome(0)
        genome.configure_new(config)
        for _ in range(MUTATIONS - OWN_MUTATIONS):
            genome.mutate(config)
        ancestors.append(genome)
    return _mutate_all(ancestors, config, 1, OWN_MUTATIONS, individuals)


def _mutate_all(
    parents: list[neat.DefaultGenome],
    config: neat.Config,
    first_key: int,
    mutations: int,
    count: int | None = None,
) -> list[neat.DefaultGenome]:
    """Return children of one parent each, mutated a number of times."""
    children = []
    for number in range(len(parents) if count is None else count):
        parent = parents[number % len(parents)]
        child = neat.DefaultGenome(first_key + number)
        child.nodes = {key: gene.copy() for key, gene in parent.nodes.items()}
        child.connections = {key: gene.copy() for key, gene in parent.connections.items()}
        for _ in range(mutations):
            child.mutate(config)
        children.append(child)
    return children


def _pack(
    parents: list[neat.DefaultGenome],
    children: list[neat.DefaultGenome],
    first: neat.DefaultSpeciesSet,
) -> tuple[NeatPopulation, NeatPopulation, Species]:
    """Return the children, their parents' representatives and species, as arrays."""
    before = from_neat_python(parents)
    founded = speciate(
        before,
        None,
        None,
        generation=0,
        last_key=0,
        compatibility_threshold=THRESHOLD,
        disjoint_coefficient=DISJOINT,
        weight_coefficient=WEIGHT,
    )
    _check(founded, before, first)
    return from_neat_python(children), before.take(founded.representative), founded


def _time_theirs(
    config: neat.Config, first: neat.DefaultSpeciesSet, children: list[neat.DefaultGenome]
) -> tuple[float, neat.DefaultSpeciesSet]:
    """Return the shortest of three times in seconds, and the species set of neat-python."""
    population = {genome.key: genome for genome in children}
    times = []
    for _ in range(3):
        following = neat.DefaultSpeciesSet(config.species_set_config, ReporterSet())
        for key, species in sorted(first.species.items()):
            copy = neat.species.Species(key, 0)
            copy.representative = species.representative
            following.species[key] = copy
            next(following.indexer)
        start = time.perf_counter()
        following.speciate(config, population, 1)
        times.append(time.perf_counter() - start)
    return min(times), following


def _check(ours: Species, population: NeatPopulation, theirs: neat.DefaultSpeciesSet) -> None:
    """Check that both find the same species."""
    keys = population.keys.tolist()
    members = {key: int(ours.keys[row]) for key, row in zip(keys, ours.members, strict=True)}
    if members != theirs.genome_to_species:
        raise RuntimeError("our species are not those of neat-python")


def _best(work: Callable[[], object], repeats: int) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))
