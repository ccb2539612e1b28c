"""Faults of a genome, in words."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.faults import find_fault, find_faults
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate

SOUND: Settings = {
    "keys": [7],
    "node_start": [0, 4],
    "node_key": [0, 1, 5, 4],
    "bias": [0.0, 0.5, -30.0, 1.0],
    "response": [1.0, 1.0, 1.0, 1.0],
    "activation": [0, 1, 17, 4],
    "aggregation": [1, 1, 6, 0],
    "connection_start": [0, 5],
    "source": [-1, -2, 5, 4, 5],
    "target": [5, 0, 4, 1, 0],
    "weight": [1.0, 2.0, -3.0, 0.0, 1.0],
    "enabled": [True, True, False, True, True],
    "innovation": [1, 2, 3, 4, 5],
}
"""Two inputs, two outputs, two hidden nodes, and -1 -> 5 -> 4 -> 1."""


def make(**changes: dict[int, float]) -> NeatPopulation:
    """Return the sound genome with other values at some places of some columns."""
    columns = {name: np.array(values) for name, values in SOUND.items()}
    for name, values in changes.items():
        for place, value in values.items():
            columns[name][place] = value
    return NeatPopulation(**columns)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"node_key": {1: 3}}, "its first 2 nodes are not the outputs, 0 to 1"),
        ({"node_key": {0: 1, 1: 0}}, "its first 2 nodes are not the outputs, 0 to 1"),
        ({"node_key": {2: -1}}, "node -1 has the key of an input"),
        ({"node_key": {3: 5}}, "node 5 occurs twice"),
        ({"node_key": {3: 1}}, "node 1 occurs twice"),
        ({"bias": {2: np.nan}}, "node 5 has the bias nan"),
        ({"response": {0: -np.inf}}, "node 0 has the response -inf"),
        ({"activation": {3: 18}}, "node 4 has the activation 18, expected 0 to 17"),
        ({"aggregation": {3: -1}}, "node 4 has the aggregation -1, expected 0 to 6"),
        ({"source": {0: -3}}, "connection -3 -> 5 comes from nowhere: there is no -3"),
        ({"source": {2: 6}}, "connection 6 -> 4 comes from nowhere: there is no 6"),
        ({"target": {1: 9}}, "connection -2 -> 9 leads to a node that does not exist"),
        ({"target": {1: -1}}, "connection -2 -> -1 leads to an input"),
        ({"weight": {4: np.inf}}, "connection 5 -> 0 has the weight inf"),
        ({"target": {4: 4}}, "connection 5 -> 4 occurs twice"),
        ({"innovation": {4: 2}}, "two connections have the innovation number 2"),
    ],
)
def test_every_fault_is_named(changes: Settings, fault: str) -> None:
    """In the genome in question, and in the first one that has any."""
    population = concatenate([make(), make(**changes), make()])
    for feed_forward in (True, False):
        faults = [find_fault(population, genome, 2, 2, feed_forward) for genome in range(3)]
        assert faults == [None, fault, None]
        if "outputs" not in fault:
            assert find_faults(population, 2, 2, feed_forward) == fault


@pytest.mark.parametrize(
    ("changes", "cycle"),
    [
        ({"source": {0: 4}}, {"4 -> 5 -> 4", "5 -> 4 -> 5"}),
        ({"source": {1: 0}}, {"0 -> 0"}),
    ],
)
def test_a_cycle_is_a_fault_of_a_feed_forward_genome(changes: Settings, cycle: set[str]) -> None:
    """Even though one of its connections is disabled."""
    population = make(**changes)
    text, _, names = str(find_faults(population, 2, 2, True)).partition(": ")
    assert text == "its connections make a cycle"
    assert names in cycle
    assert find_faults(population, 2, 2, False) is None
