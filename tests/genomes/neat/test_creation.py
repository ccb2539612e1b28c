"""First genomes: the structures of neat-python for each kind, and the asked distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.neat.config import CONNECTIONS, NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import NeatPopulation

if TYPE_CHECKING:
    import neat

INPUTS, OUTPUTS = 4, 3


def create_in_neat_python(config: NeatConfig) -> list[neat.DefaultGenome]:
    """Return genomes that neat-python makes of *config*."""
    import neat

    theirs = to_neat_python(config, INPUTS, OUTPUTS)
    reproduction = neat.DefaultReproduction(theirs.reproduction_config, None, None)
    made = reproduction.create_new(neat.DefaultGenome, theirs.genome_config, config.pop_size)
    return list(made.values())


def their_structure(genome: neat.DefaultGenome) -> tuple[list[int], list[tuple[int, int]]]:
    """Return node keys and endpoints in order, with hidden nodes numbered as if they were alone."""
    names = {key: place for place, key in enumerate(genome.nodes)}
    links = [(names.get(source, source), names[target]) for source, target in genome.connections]
    return list(names.values()), links


def our_structure(population: NeatPopulation, row: int) -> tuple[list[int], list[tuple[int, int]]]:
    places = population.connections(row)
    links = zip(population.source[places].tolist(), population.target[places].tolist(), strict=True)
    return population.node_key[population.nodes(row)].tolist(), list(links)


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.parametrize("hidden", [0, 2])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_structures_are_those_of_neat_python(
    kind: str, hidden: int, feed_forward: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    config = NeatConfig(
        pop_size=200,
        num_hidden=hidden,
        feed_forward=feed_forward,
        initial_connection=f"{kind} 0.3" if kind.startswith("partial") else kind,
    )
    theirs = [their_structure(genome) for genome in create_in_neat_python(config)]
    capsys.readouterr()  # it warns of some kinds
    population, _ = create(config, INPUTS, OUTPUTS, seed=1)
    ours = [our_structure(population, row) for row in range(200)]
    assert [nodes for nodes, _ in ours] == [nodes for nodes, _ in theirs]
    if kind.startswith("partial"):
        assert [len(links) for _, links in ours] == [len(links) for _, links in theirs]
        assert {link for _, links in ours for link in links} == {
            link for _, links in theirs for link in links
        }
        assert len({tuple(links) for _, links in ours}) > 100  # shuffled anew for each genome
        assert all(len(set(links)) == len(links) for _, links in ours)
    elif kind.startswith("fs_neat"):
        assert {tuple(links) for _, links in ours} == {tuple(links) for _, links in theirs}
    else:
        assert ours == theirs


def test_a_part_of_the_connections_is_chosen_evenly() -> None:
    config = NeatConfig(pop_size=6000, initial_connection="partial_direct 0.25")
    population, counters = create(config, INPUTS, OUTPUTS, seed=3)
    assert counters == Counters(6000, OUTPUTS - 1, INPUTS * OUTPUTS)
    first = population.connection_start[:-1]
    for places in (slice(None), first):  # all chosen ones, and those that come first
        counts = np.zeros((INPUTS, OUTPUTS))
        np.add.at(counts, (-1 - population.source[places], population.target[places]), 1)
        assert stats.chisquare(counts.ravel()).pvalue > 0.001


def test_feature_selection_takes_each_input_as_often() -> None:
    config = NeatConfig(pop_size=4000, initial_connection="fs_neat")
    population, _ = create(config, INPUTS, OUTPUTS, seed=3)
    source = population.source.reshape(4000, OUTPUTS)
    assert np.all(source == source[:, :1])
    assert stats.chisquare(np.bincount(-1 - source[:, 0])).pvalue > 0.001


@pytest.mark.parametrize("kind", ["full_direct", "partial_direct 0.5", "fs_neat_hidden"])
def test_equal_connections_have_equal_numbers_given_out_in_order(kind: str) -> None:
    config = NeatConfig(pop_size=50, num_hidden=2, initial_connection=kind)
    population, counters = create(config, INPUTS, OUTPUTS, seed=2, last_genome=1000)
    links = list(zip(population.source.tolist(), population.target.tolist(), strict=True))
    numbers: dict[tuple[int, int], int] = {}
    for link in links:
        numbers.setdefault(link, len(numbers) + 1)
    assert population.innovation.tolist() == [numbers[link] for link in links]
    assert counters == Counters(1050, OUTPUTS + 1, len(numbers))
    assert population.keys.tolist() == list(range(1001, 1051))
    assert population.find_fault() is None


def test_attributes_have_the_distributions_of_neat_python() -> None:
    config = NeatConfig.model_validate(
        {
            "pop_size": 3000,
            "weight_init_mean": 0.5,
            "weight_init_stdev": 2.0,
            "bias_init_type": "uniform",
            "bias_init_mean": 1.0,
            "bias_init_stdev": 3.0,
            "bias_max_value": 5.0,
            "response_init_mean": 1.5,
            "response_init_stdev": 1.0,
            "response_max_value": 1.5,
            "activation_default": "random",
            "activation_options": "relu tanh cube",
            "aggregation_default": "max",
            "aggregation_options": "sum max",
            "enabled_default": "random",
        }
    )
    ours, _ = create(config, INPUTS, OUTPUTS, seed=5)
    theirs = from_neat_python(create_in_neat_python(config))
    for name in ("weight", "bias", "response"):
        here, there = getattr(ours, name), getattr(theirs, name)
        assert stats.ks_2samp(here, there).pvalue > 0.001, name
    assert 4.99 < ours.bias.max() <= 5.0
    assert ours.response.max() == 1.5
    for name in ("activation", "aggregation", "enabled"):
        counts = [np.bincount(getattr(each, name), minlength=20) for each in (ours, theirs)]
        table = np.array(counts)[:, counts[1] > 0]
        assert table.sum() == sum(map(sum, counts))
        assert table.shape[1] == 1 or stats.chi2_contingency(table).pvalue > 0.001, name


@pytest.mark.parametrize(("inputs", "outputs"), [(0, 1), (1, 0)])
def test_networks_without_ends_are_refused(inputs: int, outputs: int) -> None:
    with pytest.raises(BadValueError, match=f"{inputs} inputs and {outputs} outputs is none"):
        create(NeatConfig(), inputs, outputs, seed=1)
