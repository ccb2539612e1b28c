"""Genome distance: that of neat-python to the last bit."""

from __future__ import annotations

import neat
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from neat.genes import DefaultConnectionGene, DefaultNodeGene

from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.interchange import from_neat_python

KEYS = st.one_of(st.integers(0, 6), st.sampled_from([2**31 - 1, 2**31 - 2, 2**16, 2**16 + 1]))
SOURCES = st.one_of(KEYS, st.integers(-6, -1), st.just(-(2**31)))
NUMBERS = st.floats(-30.0, 30.0)


@st.composite
def neat_genomes(draw: st.DrawFn) -> neat.DefaultGenome:
    """Draw a genome of neat-python with any genes in any order."""
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
    """The part of a configuration that neat-python's distance reads."""

    compatibility_disjoint_coefficient = 1.1
    compatibility_weight_coefficient = 0.7


@settings(max_examples=200)
@given(first=st.lists(neat_genomes(), max_size=3), second=st.lists(neat_genomes(), max_size=3))
def test_distances_are_those_of_neat_python_to_the_last_bit(
    first: list[neat.DefaultGenome], second: list[neat.DefaultGenome]
) -> None:
    """Whatever the order of genes, in which differences are added."""
    one, other = from_neat_python(first), from_neat_python(second)
    before = one.weight.tobytes(), other.weight.tobytes()
    ours = distances(one, other, disjoint_coefficient=1.1, weight_coefficient=0.7)
    theirs = [each.distance(another, Coefficients) for each in first for another in second]
    assert ours.dtype == np.float64
    assert np.array_equal(ours, np.array(theirs).reshape(len(first), len(second)))
    assert (one.weight.tobytes(), other.weight.tobytes()) == before
