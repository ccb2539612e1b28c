"""Crossover: the fitter parent's structure, and attributes from both as neat-python mixes them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.breeding import breed
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python, to_neat_python_genomes
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import CONNECTION_FIELDS, NODE_FIELDS, NeatPopulation
from tests.genomes.neat.theirs import STILL as RATES

INPUTS, OUTPUTS = 3, 2
CHILDREN = 4000

STILL = NeatConfig.model_validate(RATES)
"""Children differ from their parents by crossover alone."""

VARIED = NeatConfig.model_validate(
    {
        "pop_size": 12,
        "initial_connection": "partial_direct 0.6",
        "response_init_stdev": 0.5,
        "activation_default": "random",
        "activation_options": "tanh relu sin",
        "activation_mutate_rate": 0.5,
        "aggregation_default": "random",
        "aggregation_options": "sum max",
        "aggregation_mutate_rate": 0.5,
        "enabled_mutate_rate": 0.5,
        "node_add_prob": 0.5,
        "node_delete_prob": 0.1,
        "conn_delete_prob": 0.1,
    }
)


@pytest.fixture(scope="module")
def evolved() -> tuple[NeatPopulation, Counters]:
    """Return relatives of some generations, with common and with own genes of both sorts."""
    population, counters = create(VARIED, INPUTS, OUTPUTS, seed=1)
    rng = np.random.default_rng(1)
    for seed in range(8):
        parents = rng.integers(0, 12, (12, 2))
        population, counters = breed(
            VARIED,
            population,
            parents,
            rng.random(12),
            inputs=INPUTS,
            outputs=OUTPUTS,
            seed=seed,
            counters=counters,
        )
    return population, counters


def cross(
    population: NeatPopulation,
    counters: Counters,
    parents: ArrayLike,
    fitness: ArrayLike,
    seed: int = 5,
) -> NeatPopulation:
    children, after = breed(
        STILL,
        population,
        np.array(parents),
        np.array(fitness, dtype=np.float64),
        inputs=INPUTS,
        outputs=OUTPUTS,
        seed=seed,
        counters=counters,
    )
    assert after == counters._replace(genome=counters.genome + len(parents))
    assert children.keys.tolist() == list(range(counters.genome + 1, after.genome + 1))
    return children


def cross_there(
    population: NeatPopulation, parents: Iterable[tuple[int, ...]], fitness: Iterable[float]
) -> NeatPopulation:
    import neat

    config = to_neat_python(STILL, INPUTS, OUTPUTS).genome_config
    genomes = to_neat_python_genomes(population)
    for genome, value in zip(genomes, fitness, strict=True):
        genome.fitness = value
    children = []
    for number, (one, other) in enumerate(parents):
        children.append(neat.DefaultGenome(number))
        children[-1].configure_crossover(genomes[one], genomes[other], config)
    return from_neat_python(children)


def ends(population: NeatPopulation, row: int) -> list[tuple[int, int]]:
    places = population.connections(row)
    return list(
        zip(population.source[places].tolist(), population.target[places].tolist(), strict=True)
    )


def test_the_structure_is_that_of_neat_python(evolved: tuple[NeatPopulation, Counters]) -> None:
    """For all pairs of parents, also of equal fitness: then the second one gives it."""
    population, counters = evolved
    parents = list(product(range(12), repeat=2))
    fitness = [float(row // 2) for row in range(10)] + [np.nan] * 2
    ours = cross(population, counters, parents, fitness)
    theirs = cross_there(population, parents, fitness)
    sizes = set()
    for row, (one, other) in enumerate(parents):
        nodes = ours.node_key[ours.nodes(row)].tolist()
        assert nodes == theirs.node_key[theirs.nodes(row)].tolist()
        assert set(ends(ours, row)) == set(ends(theirs, row))
        fitter = one if fitness[one] > fitness[other] else other
        assert nodes == population.node_key[population.nodes(fitter)].tolist()
        assert set(ends(ours, row)) == set(ends(population, fitter))
        assert len(ends(ours, row)) == len(ends(population, fitter))
        numbers = ours.innovation[ours.connections(row)]
        assert np.all(np.diff(numbers) > 0)
        sizes.add((len(nodes), len(numbers)))
    assert len(sizes) > 5


def pick_pair(population: NeatPopulation) -> tuple[int, int]:
    """Return two parents of which each has nodes and connections that the other has not."""
    for one, other in product(range(len(population)), repeat=2):
        nodes = [set(population.node_key[population.nodes(row)].tolist()) for row in (one, other)]
        links = [set(ends(population, row)) for row in (one, other)]
        if all(a - b and b - a and len(a & b) > 2 for a, b in (nodes, links)):
            return one, other
    raise AssertionError("no such pair")


def test_attributes_come_from_both_as_often_as_in_neat_python(
    evolved: tuple[NeatPopulation, Counters],
) -> None:
    population, counters = evolved
    one, other = pick_pair(population)
    fitness = np.zeros(12)
    fitness[one] = 1.0
    ours = cross(population, counters, [(one, other)] * CHILDREN, fitness)
    theirs = cross_there(population, [(one, other)] * 1500, fitness)
    for field in (*NODE_FIELDS[1:], "weight", "enabled"):
        here, there = (getattr(found, field).astype(np.float64) for found in (ours, theirs))
        identity = "target" if field in CONNECTION_FIELDS else "node_key"
        count = len(getattr(ours, identity)) // CHILDREN
        here, there = here.reshape(CHILDREN, count), _in_our_order(theirs, ours, field, there)
        varied = 0
        for gene in range(count):
            values, found = np.unique(np.append(here[:, gene], there[:, gene]), return_inverse=True)
            table = np.zeros((2, len(values)), dtype=np.int64)
            np.add.at(table, (np.repeat([0, 1], [CHILDREN, len(there)]), found), 1)
            assert len(values) <= 2
            if len(values) == 2 and table.min() > 0:
                varied += 1
                assert stats.chi2_contingency(table).pvalue > 0.0005, (field, gene, table)
                if field != "enabled":
                    assert stats.binomtest(int(table[0, 0]), CHILDREN, 0.5).pvalue > 0.0005
            else:
                assert table[:, 0].tolist() in ([CHILDREN, len(there)], [0, 0])
        assert varied > 0, field


def _in_our_order(theirs: NeatPopulation, ours: NeatPopulation, field: str, values: Array) -> Array:
    """Return a row for each of their children, its genes in our order."""
    if field not in CONNECTION_FIELDS:
        return values.reshape(len(theirs), -1)
    wanted = ends(ours, 0)
    rows = []
    for row in range(len(theirs)):
        found = dict(zip(ends(theirs, row), values[theirs.connections(row)], strict=True))
        rows.append([found[link] for link in wanted])
    return np.array(rows)


def make_pair() -> NeatPopulation:
    """Return two genomes of the same structure of which no attribute is the same."""
    config = STILL.model_copy(update={"pop_size": 2, "response_init_stdev": 1.0})
    population, _ = create(config, INPUTS, OUTPUTS, seed=1)
    population.activation[:] = [3, 3, 4, 4]
    population.aggregation[:] = [1, 1, 2, 2]
    population.enabled[:] = [True] * 6 + [False] * 6
    return population


def test_every_attribute_is_drawn_for_itself() -> None:
    parents = make_pair()
    children = cross(parents, Counters(2, 1, 6), [(0, 1)] * CHILDREN, [1.0, 0.0])
    from_first = [
        (getattr(children, field).reshape(CHILDREN, -1) == getattr(parents, field)[:size]).T
        for field, size in (*((field, 2) for field in NODE_FIELDS[1:]), ("weight", 6))
    ]
    draws = np.concatenate(from_first).astype(np.float64)
    assert draws.shape == (4 * 2 + 6, CHILDREN)
    correlations = np.corrcoef(draws)
    np.fill_diagonal(correlations, 0.0)
    assert np.abs(correlations).max() < 4.5 / np.sqrt(CHILDREN)
    # A weight and its switch too: among those that could not be disabled by the rule.
    weights, enabled = draws[8:].astype(bool), children.enabled.reshape(CHILDREN, -1).T
    table = [[np.sum(weights & enabled), np.sum(weights & ~enabled)]]
    table.append([np.sum(~weights & enabled), np.sum(~weights & ~enabled)])
    assert stats.chi2_contingency(table).pvalue > 0.0005


@given(st.randoms(use_true_random=False))
def test_genes_match_whatever_their_order(shuffler: random.Random) -> None:
    """In genomes from elsewhere neither keys nor numbers need to ascend."""
    config = VARIED.model_copy(update={"pop_size": 2, "num_hidden": 3})
    population, counters = create(config, INPUTS, OUTPUTS, seed=3)
    straight = cross(population, counters, [(0, 1), (1, 0)], [1.0, 0.0], seed=8)
    nodes, links = [], []
    for row in range(2):
        hidden = list(range(row * 5 + OUTPUTS, row * 5 + 5))
        shuffler.shuffle(hidden)
        nodes += [row * 5, row * 5 + 1, *hidden]
        places = list(range(*population.connections(row).indices(len(population.source))))
        shuffler.shuffle(places)
        links += places
    mixed = NeatPopulation(
        keys=population.keys,
        node_start=population.node_start,
        connection_start=population.connection_start,
        **{field: getattr(population, field)[nodes] for field in NODE_FIELDS},
        **{field: getattr(population, field)[links] for field in CONNECTION_FIELDS},
    )
    children = cross(mixed, counters, [(0, 1), (1, 0)], [1.0, 0.0], seed=8)
    for field in CONNECTION_FIELDS:  # they are put in order before anything is drawn
        assert np.array_equal(getattr(children, field), getattr(straight, field))
    for row in (0, 1):
        keys = mixed.node_key[mixed.nodes(0)].tolist()
        assert children.node_key[children.nodes(row)].tolist() == keys
        for place, key in enumerate(keys, start=int(children.node_start[row])):
            biases = mixed.bias[mixed.node_key == key].tolist()
            assert len(biases) == 2
            assert children.bias[place] in biases
