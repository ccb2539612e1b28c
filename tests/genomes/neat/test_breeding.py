"""A generation of children: sound whatever happens, repeatable, and each on its own."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.breeding import breed, mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.faults import find_faults
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import NeatPopulation

INPUTS, OUTPUTS = 4, 3

RATE = st.sampled_from([0.0, 0.1, 0.5, 1.0])
CONFIGS = st.builds(
    NeatConfig,
    pop_size=st.just(12),
    feed_forward=st.booleans(),
    num_hidden=st.integers(0, 3),
    initial_connection=st.sampled_from(
        ["unconnected", "fs_neat_hidden", "full_direct", "full_nodirect", "partial_direct 0.4"]
    ),
    conn_add_prob=RATE,
    conn_delete_prob=RATE,
    node_add_prob=RATE,
    node_delete_prob=RATE,
    single_structural_mutation=st.booleans(),
    structural_mutation_surer=st.sampled_from(["default", "true", "false"]),
    weight_max_value=st.just(0.5),
    weight_replace_rate=RATE,
    response_init_stdev=st.just(1.0),
    response_mutate_rate=RATE,
    activation_options=st.just(("tanh", "relu", "hat")),
    activation_mutate_rate=RATE,
    aggregation_options=st.just(("sum", "max")),
    aggregation_mutate_rate=RATE,
    enabled_default=st.sampled_from([True, False, "random"]),
)


def evolve(
    config: NeatConfig, generations: int, seed: int = 1
) -> list[tuple[NeatPopulation, Counters]]:
    """Return random generations, the first one included; two genomes of each live on."""
    history = [create(config, INPUTS, OUTPUTS, seed)]
    rng = np.random.default_rng(seed)
    for generation in range(generations):
        population, counters = history[-1]
        parents = rng.integers(0, len(population), (config.pop_size, 2))
        fitness = rng.integers(0, 4, len(population)).astype(np.float64)
        history.append(step(config, population, counters, parents, fitness, seed=generation))
    return history


def step(
    config: NeatConfig,
    population: NeatPopulation,
    counters: Counters,
    parents: ArrayLike,
    fitness: ArrayLike,
    seed: int = 1,
) -> tuple[NeatPopulation, Counters]:
    return breed(
        config,
        population,
        np.asarray(parents),
        np.asarray(fitness, dtype=np.float64),
        inputs=INPUTS,
        outputs=OUTPUTS,
        seed=seed,
        counters=counters,
    )


def to_bytes(population: NeatPopulation) -> dict[str, bytes]:
    return {field.name: getattr(population, field.name).tobytes() for field in fields(population)}


def check_sound(population: NeatPopulation, counters: Counters, config: NeatConfig) -> None:
    assert population.find_fault() is None
    assert find_faults(population, INPUTS, OUTPUTS, config.feed_forward) is None
    first = population.node_start[:-1, None] + np.arange(OUTPUTS)
    assert (population.node_key[first] == np.arange(OUTPUTS)).all()
    ascending = np.diff(population.node_key) > 0
    ascending[population.node_start[1:-1] - 1] = True  # where another genome begins
    assert ascending.all()
    links = list(zip(population.source.tolist(), population.target.tolist(), strict=True))
    numbers = population.innovation.tolist()
    pairs = set(zip(links, numbers, strict=True))
    assert len(pairs) == len(set(links)) == len(set(numbers))
    assert max(numbers, default=0) <= counters.innovation
    assert population.node_key.max() <= counters.node
    assert len(set(population.keys.tolist())) == len(population)
    assert population.keys.max() <= counters.genome
    assert population.weight.max(initial=0.0) <= 0.5 or config.node_add_prob > 0  # halves weigh 1
    assert set(population.activation) <= {1, 4, 15}
    assert set(population.aggregation) <= {1, 2}


@settings(max_examples=60)
@given(CONFIGS, st.integers(0, 2**64 - 1))
def test_all_generations_are_sound(config: NeatConfig, seed: int) -> None:
    before: Counters | None = None
    for population, counters in evolve(config, 8, seed):
        check_sound(population, counters, config)
        if before is not None:
            assert population.keys.tolist() == list(range(before.genome + 1, counters.genome + 1))
            assert counters.node >= before.node
            assert counters.innovation >= before.innovation
        before = counters


@pytest.mark.parametrize("feed_forward", [True, False])
def test_genomes_stay_sound_while_they_grow(feed_forward: bool) -> None:
    config = NeatConfig(
        pop_size=20,
        feed_forward=feed_forward,
        initial_connection="unconnected",
        weight_max_value=0.5,
        activation_options=("tanh", "relu", "hat"),
        activation_mutate_rate=0.1,
    )
    population, counters = create(config, INPUTS, OUTPUTS, seed=1)
    for seed in range(100):
        population, counters = mutate(
            config, population, inputs=INPUTS, outputs=OUTPUTS, seed=seed, counters=counters
        )
        check_sound(population, counters, config)
    assert np.diff(population.connection_start).max() > 10
    assert np.diff(population.node_start).max() > OUTPUTS + 3
    inner = (population.source >= 0) & (population.target >= OUTPUTS)
    assert inner.any()
    assert feed_forward or (inner & (population.source >= population.target)).any()


GROWING = NeatConfig(pop_size=12, num_hidden=1, activation_options=("tanh", "relu"))


def test_children_depend_on_others_through_new_numbers_alone() -> None:
    config = GROWING.model_copy(update={"node_add_prob": 0.9, "conn_add_prob": 0.9})
    population, counters = evolve(config, 4)[-1]
    rng = np.random.default_rng(1)
    parents, fitness = rng.integers(0, 12, (40, 2)), rng.random(12)
    others = rng.integers(0, 12, (40, 2))
    others[20:] = parents[20:]
    one, last = step(config, population, counters, parents, fitness, seed=3)
    other, _ = step(config, population, counters, others, fitness, seed=3)
    fewer, _ = step(config, population, counters, parents[:20], fitness, seed=3)
    assert last.node > counters.node

    # Those that are bred first are the same whoever follows, with all numbers.
    assert to_bytes(one.take(range(20))) == to_bytes(fewer)

    # Those that follow are the same but for what is new.
    rest = np.arange(20, 40)
    one, other = one.take(rest), other.take(rest)
    for name, highest in (
        ("node_key", counters.node),
        ("source", counters.node),
        ("target", counters.node),
        ("innovation", counters.innovation),
    ):
        found = [np.minimum(getattr(each, name), highest + 1) for each in (one, other)]
        assert np.array_equal(*found), name
    for name in ("bias", "response", "activation", "aggregation", "weight", "enabled", "keys"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert not np.array_equal(one.node_key, other.node_key)


def test_parents_are_not_touched_and_may_be_read_only() -> None:
    population, counters = evolve(GROWING, 3)[-1]
    before = to_bytes(population)
    parents, fitness = [(0, 1), (2, 2)], np.zeros(12)
    children, _ = step(GROWING, population, counters, parents, fitness)
    mutated, _ = mutate(
        GROWING, population, inputs=INPUTS, outputs=OUTPUTS, seed=1, counters=counters
    )
    assert to_bytes(population) == before
    for name, array in vars(population).items():
        assert not np.shares_memory(array, getattr(children, name))
        assert name == "keys" or not np.shares_memory(array, getattr(mutated, name))
        array.setflags(write=False)
    again, _ = step(GROWING, population, counters, parents, fitness)
    assert to_bytes(again) == to_bytes(children)


def test_no_children_are_no_trouble() -> None:
    population, counters = create(GROWING, INPUTS, OUTPUTS, seed=1)
    children, after = step(GROWING, population, counters, np.zeros((0, 2), np.int64), np.zeros(12))
    assert len(children) == 0
    assert children.find_fault() is None
    assert after == counters


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"parents": [0, 1]}, r"parents have shape \(2,\), expected \(children, 2\)"),
        ({"parents": [(0, 12)]}, "a parent is no row of the 12 genomes"),
        ({"parents": [(-1, 0)]}, "a parent is no row of the 12 genomes"),
        ({"fitness": np.zeros(11)}, r"fitness has shape \(11,\), expected \(12,\)"),
        ({"counters": Counters(11, 99, 99)}, "the last genome is said to be 11, but there is 12"),
        ({"counters": Counters(12, 2, 99)}, "the last node is said to be 2, but there is 3"),
        ({"counters": Counters(12, 99, 18)}, "the last innovation is said to be 18, but there"),
        ({"counters": Counters(12, 2**31 - 1, 99)}, "no keys are left for nodes after 2147483647"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: Settings, expected: str) -> None:
    config = GROWING.model_copy(update={"initial_connection": "full_direct"})
    population, counters = create(config, INPUTS, OUTPUTS, seed=1)
    assert counters == Counters(12, 3, 19)
    arguments = {"parents": [(0, 1)], "fitness": np.zeros(12), "counters": counters, **changes}
    with pytest.raises(BadValueError, match=expected):
        step(config, population, **arguments)


def test_genomes_without_their_outputs_are_refused() -> None:
    population, counters = create(GROWING, INPUTS, OUTPUTS, seed=1)
    for outputs in (OUTPUTS + 2, 100):
        with pytest.raises(BadValueError, match=f"genome 1 does not begin with its {outputs}"):
            mutate(GROWING, population, inputs=INPUTS, outputs=outputs, seed=1, counters=counters)
    keys = population.node_key.copy()
    keys[population.node_start[4]] = 2
    broken = NeatPopulation(**{**vars(population), "node_key": keys})
    with pytest.raises(BadValueError, match=f"genome 5 does not begin with its {OUTPUTS}"):
        mutate(GROWING, broken, inputs=INPUTS, outputs=OUTPUTS, seed=1, counters=counters)
