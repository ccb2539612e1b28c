"""Initial NEAT genomes: one of neat-python's initial structures, with random attributes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream, below, fill_words, new_stream
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.attributes import (
    AttributeRules,
    attribute_rules,
    draw_choice,
    draw_number,
    draw_switch,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.genes import (
    Genes,
    add_connection,
    add_node,
    empty_genes,
    to_population,
)
from evolve_arena.genomes.neat.numbering import Counters, Numbering, new_numbering, number_link
from evolve_arena.genomes.neat.population import NeatPopulation


def create(
    config: NeatConfig, inputs: int, outputs: int, seed: int, *, last_genome: int = 0
) -> tuple[NeatPopulation, Counters]:
    """Create a random population of ``config.pop_size`` genomes.

    Structures are those of neat-python 2.0.0, with genes in the same order, except that hidden
    nodes have the same keys in all genomes. There each genome has hidden nodes of its own, so that
    no gene of two genomes matches.

    Args:
        config: The settings.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
        seed: Seed of the random streams; its lowest 64 bits count.
        last_genome: The last key that the run gave to a genome, if a former population has died
            out.

    Returns:
        The population, with keys from *last_genome* + 1 on, and the last numbers given out.

    Raises:
        BadValueError: There is no input or no output.

    >>> population, counters = create(NeatConfig(pop_size=2), inputs=3, outputs=2, seed=1)
    >>> population.source[population.connections(1)].tolist()
    [-1, -1, -2, -2, -3, -3]
    >>> counters
    Counters(genome=2, node=1, innovation=6)
    """
    if min(inputs, outputs) < 1:
        raise BadValueError(f"a network with {inputs} inputs and {outputs} outputs is none")
    genomes, nodes = config.pop_size, outputs + config.num_hidden
    source, target = _possible_links(config, inputs, outputs)
    kind = config.connection_kind
    chosen = round(len(source) * config.connection_fraction)
    if kind.startswith("fs_neat"):
        chosen //= inputs
    children = empty_genes(genomes, genomes * nodes, genomes * chosen)
    numbering = new_numbering(len(source), 0, Counters(last_genome, nodes - 1, 0))
    seeds = np.empty(genomes, dtype=np.uint64)
    fill_words(new_stream(seed), seeds)
    _create_all(
        children,
        nodes,
        source,
        target,
        chosen,
        kind.startswith("fs_neat"),
        kind.startswith("partial"),
        np.arange(len(source), dtype=np.int64),
        seeds,
        attribute_rules(config),
        numbering,
    )
    node, innovation = numbering.last.tolist()
    keys = last_genome + 1 + np.arange(genomes, dtype=np.int64)
    return to_population(keys, children), Counters(last_genome + genomes, node, innovation)


def _possible_links(
    config: NeatConfig, inputs: int, outputs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sources and targets of all connections that an initial genome may have."""
    kind = config.connection_kind
    pins = range(-1, -1 - inputs, -1)
    ends, hidden = range(outputs), range(outputs, outputs + config.num_hidden)
    links: list[tuple[int, int]] = []
    if kind.startswith("fs_neat"):
        targets = [*ends, *hidden] if kind == "fs_neat_hidden" else [*ends]
        links = [(pin, target) for pin in pins for target in targets]
    elif kind != "unconnected":
        links += [(pin, node) for pin in pins for node in hidden]
        links += [(node, end) for node in hidden for end in ends]
        if kind.endswith("_direct") or not hidden:
            links += [(pin, end) for pin in pins for end in ends]
        if not config.feed_forward:
            links += [(node, node) for node in (*ends, *hidden)]
    source = np.array([source for source, _ in links], dtype=np.int64)
    target = np.array([target for _, target in links], dtype=np.int64)
    return source, target


@compiled
def _create_all(
    genes: Genes,
    nodes: int,
    source: Array,
    target: Array,
    chosen: int,
    block: bool,
    shuffled: bool,
    places: Array,
    seeds: Stream,
    attributes: AttributeRules,
    numbering: Numbering,
) -> None:
    """Fill *genes* with genomes of *chosen* links each.

    The links are a *block* that begins at a random multiple of that number, or random ones in
    *shuffled* order, or the first ones. *places* are the places of all links, in any order; *seeds*
    are the states of the genomes' random streams.
    """
    for genome in range(seeds.shape[0]):
        rng = seeds[genome : genome + 1]
        # An empty genome behind the one before.
        genes.node_start[genome + 1] = genes.node_start[genome]
        genes.connection_start[genome + 1] = genes.connection_start[genome]
        # Node genes: the outputs, then the hidden nodes.
        for key in range(nodes):
            node = add_node(genes, genome, key)
            genes.bias[node] = draw_number(attributes.bias, rng)
            genes.response[node] = draw_number(attributes.response, rng)
            genes.activation[node] = draw_choice(attributes.activation, rng)
            genes.aggregation[node] = draw_choice(attributes.aggregation, rng)
        # Connection genes; a shuffled choice is a partial Fisher-Yates shuffle of the places.
        first = below(rng, source.shape[0] // chosen) * chosen if block else 0
        for link in range(chosen):
            place = first + link
            if shuffled:
                other = link + below(rng, places.shape[0] - link)
                places[link], places[other] = places[other], places[link]
                place = places[link]
            weight = draw_number(attributes.weight, rng)
            enabled = draw_switch(attributes.enabled, rng)
            number = number_link(numbering, source[place], target[place])
            add_connection(genes, genome, source[place], target[place], weight, enabled, number)
