"""Elites and parents: neat-python's rules, and tournaments inside species."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from neat.reporting import ReporterSet
from neat.reproduction import DefaultReproduction
from numpy.typing import NDArray

from evolve_arena.evolve.operators import Operator, Selection, make_selection
from evolve_arena.evolve.reproduction import plan_children
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.species import Species

Ints = NDArray[np.int64]


@pytest.fixture(autouse=True)
def _keep_random_state() -> Iterator[None]:
    before = random.getstate()
    yield
    random.setstate(before)


def make_species(members: list[int]) -> Species:
    """Make species 1, 2, ... of genomes whose rows of species are *members*; -1 for none."""
    rows = np.array(members, dtype=np.int32)
    count = int(rows.max()) + 1
    zeros = np.zeros(count, dtype=np.int64)
    firsts = np.array([int(np.flatnonzero(rows == row)[0]) for row in range(count)])
    return Species(np.arange(1, count + 1), zeros, zeros, firsts, rows)


def plan(
    members: list[int],
    fitness: list[float],
    standing: list[float] | None = None,
    tournament_size: int | None = None,
    **config: object,
) -> tuple[Ints, Ints]:
    species = make_species(members)
    figures = np.array(fitness)
    if standing is None:
        rows = range(len(species))
        standing = [figures[species.members == row].max() for row in rows]
    neat = NeatConfig(pop_size=config.pop("pop_size", len(members)), **config)
    return plan_children(
        neat,
        species,
        np.arange(len(members)),
        figures,
        np.array(standing),
        np.random.default_rng(1),
        make_choice(neat, tournament_size),
    )


def make_choice(config: NeatConfig, tournament_size: int | None) -> Selection:
    """Make truncation selection, or tournament selection of that size."""
    if tournament_size is None:
        truncation = Operator(name="truncation")
        return make_selection(truncation, "selection", share=config.survival_threshold)
    return make_selection(Operator(name="tournament", size=tournament_size), "selection")


class Child:
    """A genome of neat-python that only notes its parents."""

    def __init__(self, key: int) -> None:
        self.key = key

    def configure_crossover(self, first: Child, second: Child, config: object) -> None:
        """Keep the keys."""
        self.parents = first.key, second.key

    def mutate(self, config: object) -> None:
        """Do nothing."""


def reproduce(
    members: list[int], fitness: list[float], keys: list[int], order: list[int], config: NeatConfig
) -> list[SimpleNamespace | Child]:
    """Return neat-python's next generation: surviving genomes, and children.

    Its species come in the *order* in which its stagnation would give them.
    """
    genomes = [
        SimpleNamespace(key=key, fitness=value) for key, value in zip(keys, fitness, strict=True)
    ]
    species = [
        SimpleNamespace(
            key=row,
            members={genomes[at].key: genomes[at] for at in range(len(keys)) if members[at] == row},
        )
        for row in order
    ]
    reproduction = DefaultReproduction(
        SimpleNamespace(
            elitism=config.elitism,
            survival_threshold=config.survival_threshold,
            min_species_size=config.min_species_size,
        ),
        ReporterSet(),
        SimpleNamespace(update=lambda *_: [(one.key, one, False) for one in species]),
    )
    settings = SimpleNamespace(genome_type=Child, genome_config=SimpleNamespace())
    made = reproduction.reproduce(settings, SimpleNamespace(species={}), config.pop_size, 0)
    return list(made.values())


@settings(max_examples=60)
@given(st.data())
def test_elites_and_shares_and_parents_are_those_of_neat_python(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=count, max_size=count))
    members = data.draw(
        st.permutations([row for row, size in enumerate(sizes) for _ in [0] * size])
    )
    total = len(members)
    fitness = [
        tenth / 10
        for tenth in data.draw(st.lists(st.integers(0, 10), min_size=total, max_size=total))
    ]
    least = data.draw(st.integers(1, 3))
    config = NeatConfig(
        pop_size=max(total, 2, 3 * count),
        elitism=data.draw(st.integers(0, 3)),
        min_species_size=least,
        survival_threshold=data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])),
    )
    keys = data.draw(st.permutations(range(100, 100 + total)))
    figures = np.array(fitness)
    species = make_species(members)
    standing = np.array([figures[species.members == row].mean() for row in range(count)])
    order = np.argsort(standing, kind="stable").tolist()
    random.seed(1)
    try:
        made = reproduce(members, fitness, keys, order, config)
    except RuntimeError:  # it does not always find numbers of children that add up
        assume(False)
    born = [[keys.index(key) for key in one.parents] for one in made if isinstance(one, Child)]
    rng = np.random.default_rng(1)
    elites, parents = plan_children(
        config, species, np.array(keys), figures, standing, rng, make_choice(config, None)
    )
    assert [keys[at] for at in elites] == [one.key for one in made if not isinstance(one, Child)]
    # Children come species by species, in the same order.
    assert species.members[parents].tolist() == [[members[at] for at in pair] for pair in born]
    for row in range(count):
        ranked = [at for at in range(total) if members[at] == row]
        ranked.sort(key=lambda at: (fitness[at], keys[at]), reverse=True)
        allowed = set(ranked[: max(2, math.ceil(config.survival_threshold * len(ranked)))])
        for pairs in (parents.tolist(), born):
            assert {at for pair in pairs for at in pair if members[at] == row} <= allowed


def test_tournaments_stay_inside_species() -> None:
    members = [0, 1] * 10
    elites, parents = plan(
        members, [0.01 * row for row in range(20)], elitism=2, tournament_size=20
    )
    assert elites.tolist() == [18, 16, 19, 17]
    assert len(parents) == 16
    first, second = parents.T
    assert np.array_equal(first % 2, second % 2)
    # Nearly all are the fittest of their species.
    assert Counter(parents.ravel().tolist()).most_common(2)[1][1] >= 8


def test_where_there_is_no_room_for_all_the_fittest_species_have_children() -> None:
    members = [row // 2 for row in range(10)]
    fitness = [0.1, 0.2, 0.9, 0.8, 0.3, 0.3, 0.7, 0.7, 0.0, 0.1]
    elites, parents = plan(members, fitness, elitism=1, min_species_size=4)
    assert sorted(np.unique(np.array(members)[elites]).tolist()) == [1, 3]
    assert set(np.array(members)[parents].ravel().tolist()) == {1, 3}
    assert len(elites) + len(parents) == 10


def test_genomes_whose_species_ended_count_for_nothing() -> None:
    # The last two, with the highest and the lowest fitness, belong to no species any more.
    members, fitness = [0, 0, 1, 1, -1, -1], [0.2, 0.4, 0.6, 0.8, 5.0, -5.0]
    elites, parents = plan(members, fitness, elitism=1, standing=[0.4, 0.8])
    assert elites.tolist() == [1, 3]
    assert len(parents) == 4
    assert set(parents.ravel().tolist()) <= {0, 1, 2, 3}
    # Adjusted 0.1 and 0.5: shares of 6 are 1 (at least 2) and 5; half of the way from 2: 2 and 4.
    assert np.count_nonzero(parents[:, 0] < 2) == 1
