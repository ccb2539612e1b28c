"""Mutation does what neat-python's does, as often: both change the same genome many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from scipy import stats

from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.functions import ACTIVATIONS
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python, to_neat_python_genomes
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import CONNECTION_FIELDS, NODE_FIELDS, NeatPopulation
from tests.genomes.neat.theirs import STILL

INPUTS, OUTPUTS = 3, 2
THEIRS, OURS = 1000, 4000
"""Mutations by each of the two; theirs are slow."""


def make_config(**settings: object) -> NeatConfig:
    return NeatConfig.model_validate({**STILL, "pop_size": 2, **settings})


def grow(*, steps: int = 15, **settings: object) -> tuple[NeatPopulation, Counters]:
    """Return one genome with some hidden nodes and connections of all sorts."""
    config = make_config(node_add_prob=0.4, conn_add_prob=0.5, bias_mutate_rate=1.0, **settings)
    population, counters = create(config, INPUTS, OUTPUTS, seed=4)
    population = population.take([0])
    for step in range(steps):
        population, counters = mutate(
            config, population, inputs=INPUTS, outputs=OUTPUTS, seed=step, counters=counters
        )
    return population, counters


def mutate_here(
    config: NeatConfig, genome: NeatPopulation, counters: Counters, times: int = OURS
) -> NeatPopulation:
    copies = genome.take([0] * times)
    return mutate(config, copies, inputs=INPUTS, outputs=OUTPUTS, seed=9, counters=counters)[0]


def mutate_there(config: NeatConfig, genome: NeatPopulation, counters: Counters) -> NeatPopulation:
    import neat

    theirs = to_neat_python(config, INPUTS, OUTPUTS).genome_config
    theirs.innovation_tracker = neat.innovation.InnovationTracker(counters.innovation)
    copies = to_neat_python_genomes(genome.take([0] * THEIRS))
    for copy in copies:
        theirs.innovation_tracker.reset_generation()
        copy.mutate(theirs)
    return from_neat_python(copies)


Outcome = tuple[tuple[object, ...], ...]


def outcomes(population: NeatPopulation, last_node: int) -> list[Outcome]:
    """Return all genes of each genome: nodes, then connections; a new node is called "new"."""

    def name(key: int) -> int | str:
        return key if key <= last_node else "new"

    rows = [getattr(population, field).tolist() for field in NODE_FIELDS]
    nodes = [(name(key), *rest) for key, *rest in zip(*rows, strict=True)]
    rows = [getattr(population, field).tolist() for field in CONNECTION_FIELDS[:-1]]
    links = [(name(one), name(two), *rest) for one, two, *rest in zip(*rows, strict=True)]
    return [
        (*nodes[population.nodes(row)], *links[population.connections(row)])
        for row in range(len(population))
    ]


def assert_as_frequent(ours: Sequence[Hashable], theirs: Sequence[Hashable], *, least: int) -> None:
    """Assert that each of at least so many outcomes is as frequent here as there."""
    here, there = Counter(ours), Counter(theirs)
    names = sorted(here | there, key=str)
    table = np.array([[counts[name] for name in names] for counts in (here, there)])
    rare = table.sum(axis=0) < 0.004 * table.sum()
    assert table[:, rare].sum() < 0.05 * table.sum()
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    assert table.shape[1] >= least
    assert stats.chi2_contingency(table).pvalue > 0.001, (here, there)


def assert_share(count: int, of: int, probability: float) -> None:
    assert stats.binomtest(int(count), of, probability).pvalue > 0.001


CERTAIN = {
    "weight_init_mean": 0.25,
    "weight_init_stdev": 0.0,
    "response_init_mean": 0.75,
    "activation_default": "sin",
    "activation_options": "sin tanh",
    "aggregation_default": "max",
    "aggregation_options": "max sum",
}
"""Attributes of new genes, none of them an old one's."""


@pytest.mark.parametrize(
    ("key", "settings", "least"),
    [
        ("node_add_prob", {}, 23),
        ("node_delete_prob", {}, 7),
        ("conn_delete_prob", {}, 23),
        ("conn_add_prob", {}, 57),
        ("conn_add_prob", {"structural_mutation_surer": "true"}, 65),
        ("conn_add_prob", {"feed_forward": False}, 70),
        ("conn_add_prob", {"single_structural_mutation": True}, 65),
    ],
)
def test_each_mutation_has_the_outcomes_of_neat_python(
    key: str, settings: Settings, least: int
) -> None:
    grown = {"feed_forward": settings.get("feed_forward", True)}
    genome, counters = grow(enabled_mutate_rate=0.3, **grown)
    assert not genome.enabled.all()
    config = make_config(**{key: 1.0}, **CERTAIN, **settings)
    ours = outcomes(mutate_here(config, genome, counters), counters.node)
    theirs = outcomes(mutate_there(config, genome, counters), counters.node)
    assert_as_frequent(ours, theirs, least=least)
    assert set(theirs) <= set(ours)


@pytest.mark.parametrize("key", ["node_add_prob", "conn_add_prob", "node_delete_prob"])
@pytest.mark.parametrize("surer", ["true", "false"])
def test_genomes_without_connections_change_as_in_neat_python(key: str, surer: str) -> None:
    config = make_config(
        **{key: 1.0}, **CERTAIN, structural_mutation_surer=surer, initial_connection="unconnected"
    )
    population, counters = create(config, INPUTS, OUTPUTS, seed=1)
    genome = population.take([0])
    ours = outcomes(mutate_here(config, genome, counters), counters.node)
    theirs = outcomes(mutate_there(config, genome, counters), counters.node)
    assert set(ours) == set(theirs)
    adding = key == "conn_add_prob" or (key == "node_add_prob" and surer == "true")
    assert len(set(ours)) == (INPUTS * OUTPUTS if adding else 1)
    if adding:
        assert_as_frequent(ours, theirs, least=INPUTS * OUTPUTS)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("plenty", [True, False])
def test_mutations_come_together_as_in_neat_python(single: bool, plenty: bool) -> None:
    """Among them shares that add up to more than 1, of which only one can happen."""
    genome, counters = grow()
    config = make_config(
        node_add_prob=0.9 if plenty else 0.2,
        node_delete_prob=0.3,
        conn_add_prob=0.6 if plenty else 0.3,
        conn_delete_prob=0.4 if plenty else 0.1,
        single_structural_mutation=single,
    )
    sizes = [
        list(zip(np.diff(found.node_start), np.diff(found.connection_start), strict=True))
        for found in (mutate_here(config, genome, counters), mutate_there(config, genome, counters))
    ]
    assert_as_frequent(*sizes, least=8 if single else 13)


def test_numbers_move_are_replaced_and_are_limited_as_in_neat_python() -> None:
    genome, counters = grow(weight_init_stdev=0.4)
    for settings in (
        {"rate": 0.5, "replace": 0.3, "type": "gaussian"},
        {"rate": 0.2, "replace": 0.6, "type": "uniform"},
        {"rate": 0.9, "replace": 0.4, "type": "gaussian"},  # of which 0.1 is left
    ):
        config = make_config(
            **{
                f"{name}_{key}": value
                for name in ("weight", "bias", "response")
                for key, value in {
                    "mutate_rate": settings["rate"],
                    "replace_rate": settings["replace"],
                    "init_type": settings["type"],
                    "mutate_power": 0.7,
                    "init_mean": 0.2,
                    "init_stdev": 0.5,
                    "min_value": -1.0,
                    "max_value": 0.8,
                }.items()
            }
        )
        ours = mutate_here(config, genome, counters, times=2000)
        theirs = mutate_there(config, genome, counters)
        for name in ("weight", "bias", "response"):
            before = getattr(genome, name)
            here = getattr(ours, name).reshape(-1, len(before))
            there = getattr(theirs, name).reshape(-1, len(before))
            for gene in (0, len(before) // 2, len(before) - 1):
                assert stats.ks_2samp(here[:, gene], there[:, gene]).pvalue > 0.0005, name
            changed = min(1.0, float(settings["rate"]) + float(settings["replace"]))
            moved = here != before
            assert_share(moved.sum(), moved.size, changed)
            assert -1.0 == here[moved].min() < here[moved].max() == 0.8


@pytest.mark.parametrize(
    ("rate", "to_true", "to_false"), [(0.3, 0.0, 0.0), (0.2, 0.3, 0.1), (0.0, 0.5, 0.0)]
)
def test_connections_are_switched_as_in_neat_python(
    rate: float, to_true: float, to_false: float
) -> None:
    genome, counters = grow(enabled_mutate_rate=0.3)
    config = make_config(
        enabled_mutate_rate=rate,
        enabled_rate_to_true_add=to_true,
        enabled_rate_to_false_add=to_false,
    )
    before = genome.enabled
    here = mutate_here(config, genome, counters).enabled.reshape(OURS, -1)
    there = mutate_there(config, genome, counters).enabled.reshape(THEIRS, -1)
    for was, add in ((True, to_false), (False, to_true)):
        for enabled in (here, there):  # it is a coin that is thrown: half of them stay
            switched = enabled[:, before == was] != was
            assert_share(switched.sum(), switched.size, (rate + add) / 2)


def test_activations_and_aggregations_are_drawn_as_in_neat_python() -> None:
    genome, counters = grow(activation_options="tanh relu", aggregation_options="sum max mean")
    config = make_config(
        activation_options="tanh relu hat",
        activation_mutate_rate=0.4,
        aggregation_options="sum min product median",
        aggregation_mutate_rate=0.7,
    )
    ours = mutate_here(config, genome, counters)
    theirs = mutate_there(config, genome, counters)
    assert_as_frequent(ours.activation.tolist(), theirs.activation.tolist(), least=3)
    assert_as_frequent(ours.aggregation.tolist(), theirs.aggregation.tolist(), least=4)
    tanh, drawn = ACTIVATIONS.index("tanh"), ours.activation
    assert_share(np.sum(drawn == tanh), drawn.size, 0.6 + 0.4 / 3)


def test_options_are_drawn_for_new_nodes_too() -> None:
    genome, counters = grow()
    config = make_config(
        node_add_prob=1.0,
        activation_default="random",
        activation_options="tanh relu hat",
        response_init_mean=0.2,
        response_init_stdev=2.0,
        response_max_value=3.0,
    )
    mutated = mutate_here(config, genome, counters)
    new = mutated.node_start[1:] - 1
    assert np.all(mutated.bias[new] == 0.0)
    codes = np.bincount(mutated.activation[new])
    assert stats.chisquare(codes[codes > 0]).pvalue > 0.001
    assert (codes > 0).sum() == 3
    response = mutated.response[new]
    assert response.max() == 3.0
    drawn = np.minimum(np.random.default_rng(1).normal(0.2, 2.0, OURS), 3.0)
    assert stats.ks_2samp(response, drawn).pvalue > 0.001


def test_nothing_changes_where_all_rates_are_zero() -> None:
    genome, counters = grow(enabled_mutate_rate=0.3)
    copies, after = mutate(
        make_config(), genome, inputs=INPUTS, outputs=OUTPUTS, seed=1, counters=counters
    )
    assert after == counters
    assert outcomes(copies, counters.node) == outcomes(genome, counters.node)
    assert copies.keys.tolist() == genome.keys.tolist()
    assert copies.innovation.tolist() == genome.innovation.tolist()
    assert not np.shares_memory(copies.weight, genome.weight)
