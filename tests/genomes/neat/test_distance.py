"""Genome distance: that of neat-python to the last bit, and a few by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import neat
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neat.genes import DefaultConnectionGene, DefaultNodeGene

from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.interchange import from_neat_python
from tests.genomes.neat.theirs import make_config

CONFIG = NeatConfig(
    compatibility_disjoint_coefficient=1.1,
    compatibility_weight_coefficient=0.7,
    conn_add_prob=0.6,
    conn_delete_prob=0.3,
    node_add_prob=0.4,
    node_delete_prob=0.15,
    activation_default="random",
    activation_options=("tanh", "sigmoid", "relu"),
    activation_mutate_rate=0.1,
    aggregation_default="random",
    aggregation_options=("sum", "max"),
    aggregation_mutate_rate=0.1,
    response_init_stdev=0.3,
    response_mutate_power=0.1,
    response_mutate_rate=0.2,
    enabled_mutate_rate=0.1,
)
COEFFICIENTS = {"disjoint_coefficient": 1.1, "weight_coefficient": 0.7}


def load(connection: str, feed_forward: bool) -> Any:
    """What neat-python needs for genomes, with numbers for innovations."""
    changes = {"initial_connection": connection, "feed_forward": feed_forward}
    return make_config(CONFIG.model_copy(update=changes), 5, 3).genome_config


def grow(config: Any, count: int, mutations: int) -> list[Any]:
    """Genomes of which each is made from an earlier one, or anew, by some mutations."""
    genomes: list[Any] = []
    for key in range(count):
        genome = neat.DefaultGenome(key)
        if genomes and random.random() < 0.8:
            parents = random.choices(genomes, k=2)
            for parent in parents:
                parent.fitness = random.random()
            genome.configure_crossover(*parents, config)
        else:
            genome.configure_new(config)
        for _ in range(random.randrange(mutations)):
            genome.mutate(config)
        genomes.append(genome)
    return genomes


def measure(first: Sequence[Any], second: Sequence[Any], config: Any) -> np.ndarray[Any, Any]:
    return np.array([[one.distance(other, config) for other in second] for one in first])


@pytest.mark.parametrize("connection", ["full_direct", "unconnected", "partial_direct 0.5"])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_distances_are_those_of_neat_python_to_the_last_bit(
    connection: str, feed_forward: bool
) -> None:
    random.seed(f"{connection} {feed_forward}")
    config = load(connection, feed_forward)
    genomes = grow(config, 60, 25)
    first, second = genomes[:25], genomes[10:]
    ours = distances(from_neat_python(first), from_neat_python(second), **COEFFICIENTS)
    theirs = measure(first, second, config)
    assert ours.dtype == np.float64
    assert ours.shape == (25, 50)
    assert np.array_equal(ours, theirs)
    # Genes stand in different orders in different genomes, so that the order of addition shows.
    square = measure(genomes, genomes, config)
    assert np.any(square != square.T)
    assert np.all(np.diag(square) == 0.0)
    packed = from_neat_python(genomes)
    assert np.array_equal(distances(packed, packed, **COEFFICIENTS), square)


KEYS = st.one_of(st.integers(0, 6), st.sampled_from([2**31 - 1, 2**31 - 2, 2**16, 2**16 + 1]))
SOURCES = st.one_of(KEYS, st.integers(-6, -1), st.just(-(2**31)))
NUMBERS = st.floats(-30.0, 30.0)


@st.composite
def neat_genomes(draw: st.DrawFn) -> Any:
    """A genome of neat-python with any genes in any order."""
    genome = neat.DefaultGenome(draw(st.integers(0, 9)))
    for key in draw(st.lists(KEYS, unique=True, max_size=8)):
        node = DefaultNodeGene(key)
        node.bias, node.response, node.time_constant = draw(NUMBERS), draw(NUMBERS), 1.0
        node.activation = draw(st.sampled_from(["tanh", "relu"]))
        node.aggregation = draw(st.sampled_from(["sum", "max"]))
        genome.nodes[key] = node
    for ends in draw(st.lists(st.tuples(SOURCES, KEYS), unique=True, max_size=12)):
        connection = DefaultConnectionGene(ends, innovation=len(genome.connections))
        connection.weight, connection.enabled = draw(NUMBERS), draw(st.booleans())
        genome.connections[ends] = connection
    return genome


class Coefficients:
    """What the distance of neat-python reads of its configuration."""

    compatibility_disjoint_coefficient = 1.1
    compatibility_weight_coefficient = 0.7


@settings(max_examples=150)
@given(first=st.lists(neat_genomes(), max_size=3), second=st.lists(neat_genomes(), max_size=3))
def test_any_keys_in_any_order(first: list[Any], second: list[Any]) -> None:
    one, other = from_neat_python(first), from_neat_python(second)
    before = one.weight.tobytes(), other.weight.tobytes()
    ours = distances(one, other, **COEFFICIENTS)
    theirs = measure(first, second, Coefficients).reshape(len(first), len(second))
    assert np.array_equal(ours, theirs)
    assert (one.weight.tobytes(), other.weight.tobytes()) == before
