"""Numbers of what is new: equal ends have equal numbers, equal splits give equal nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.numbering import (
    Counters,
    new_numbering,
    note_numbers,
    number_link,
    number_split,
)
from evolve_arena.genomes.neat.population import NeatPopulation
from tests.genomes.neat import theirs

ENDS = st.tuples(st.integers(-200, 2**31 - 1), st.integers(0, 2**31 - 1))
STILL = NeatConfig(pop_size=30, **theirs.STILL)
SPLITTING = STILL.model_copy(update={"node_add_prob": 1.0})
LINKING = STILL.model_copy(update={"conn_add_prob": 1.0, "initial_connection": "unconnected"})


def mutate_once(
    config: NeatConfig, population: NeatPopulation, counters: Counters, inputs: int = 1
) -> tuple[NeatPopulation, Counters]:
    return mutate(config, population, inputs=inputs, outputs=1, seed=3, counters=counters)


@given(
    known=st.dictionaries(ENDS, st.integers(1, 1000), max_size=20),
    asked=st.lists(ENDS, max_size=60),
    splits=st.lists(st.integers(0, 10), max_size=20),
)
def test_each_link_and_each_split_has_one_number(
    known: dict[tuple[int, int], int], asked: list[tuple[int, int]], splits: list[int]
) -> None:
    numbering = new_numbering(len(known) + len(asked), len(splits), Counters(0, 70, 5000))
    source = np.array([one for one, _ in known], dtype=np.int32)
    target = np.array([other for _, other in known], dtype=np.int32)
    note_numbers(numbering, source, target, np.array(list(known.values()), dtype=np.int64))
    expected = dict(known)
    for ends in asked:
        if ends not in expected:
            expected[ends] = 5001 + len(expected) - len(known)
        assert number_link(numbering, *ends) == expected[ends]
    nodes: dict[int, int] = {}
    for innovation in splits:
        nodes.setdefault(innovation, 71 + len(nodes))
        assert number_split(numbering, innovation) == nodes[innovation]
    assert numbering.last.tolist() == [70 + len(nodes), 5000 + len(expected) - len(known)]


def test_a_connection_that_is_new_has_one_number_for_all_in_a_generation() -> None:
    population, counters = create(LINKING, inputs=1, outputs=1, seed=1)
    assert counters.innovation == 0
    mutated, after = mutate_once(LINKING, population, counters)
    assert mutated.innovation.tolist() == [1] * 30
    assert after.innovation == 1
    # Where no parent has it any more, it is new again, as in neat-python.
    again, later = mutate_once(LINKING, population, after)
    assert again.innovation.tolist() == [2] * 30
    assert later.innovation == 2


def test_genomes_that_split_the_same_connection_get_the_same_node() -> None:
    """neat-python gives each of them a node of its own."""
    population, counters = create(SPLITTING, inputs=1, outputs=1, seed=1)
    mutated, after = mutate_once(SPLITTING, population, counters)
    assert after == Counters(30, 1, 3)
    assert mutated.node_key.tolist() == [0, 1] * 30
    assert mutated.source.tolist() == [-1, -1, 1] * 30
    assert mutated.target.tolist() == [0, 1, 0] * 30
    assert mutated.innovation.tolist() == [1, 2, 3] * 30
    assert mutated.enabled.tolist() == [False, True, True] * 30
    # In the next generation the same connection gets another node.
    again, later = mutate_once(SPLITTING, population, after)
    assert again.node_key.tolist() == [0, 2] * 30
    assert again.innovation.tolist() == [1, 4, 5] * 30
    assert later == Counters(30, 2, 5)


@pytest.mark.parametrize("key", ["node_add_prob", "conn_add_prob"])
def test_neat_python_still_numbers_otherwise(key: str) -> None:
    """A failure means that it numbers as we do now, and the documentation must say so."""
    import neat

    config = STILL.model_copy(update={key: 1.0, "initial_connection": "unconnected"})
    settings = theirs.make_config(config, 1, 1).genome_config
    genomes = [neat.DefaultGenome(number) for number in range(2)]
    for genome in genomes:
        genome.configure_new(settings)
        if key == "node_add_prob":
            genome.connect_full_direct(settings)
        else:
            settings.innovation_tracker.reset_generation()
        genome.mutate(settings)
    if key == "node_add_prob":
        assert [list(genome.nodes) for genome in genomes] == [[0, 1], [0, 2]]
    else:
        numbers = [genome.connections[-1, 0].innovation for genome in genomes]
        assert numbers == [1, 2]
