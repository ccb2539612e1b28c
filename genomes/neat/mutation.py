"""Mutation of the structure and of the attributes of a NEAT genome, compiled.

The genome is the last one written into its arrays, so that it can grow at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.attributes import (
    AttributeRules,
    attribute_rules,
    draw_choice,
    draw_number,
    draw_switch,
    mutate_choice,
    mutate_number,
    mutate_switch,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.genes import (
    Genes,
    add_connection,
    add_node,
    delete_connection,
    delete_node,
    find_node,
)
from evolve_arena.genomes.neat.numbering import Numbering, number_link, number_split

NEW_NODES, NEW_CONNECTIONS = 1, 3
"""Most genes that one mutation adds."""


class Rules(NamedTuple):
    """Settings of mutations, for networks of one size."""

    attributes: AttributeRules
    inputs: int
    outputs: int
    feed_forward: bool
    node_add: float
    node_delete: float
    connection_add: float
    connection_delete: float
    single: bool
    """True if a child gets at most one of these four structural mutations."""
    surer: bool
    """True if an impossible structural mutation is replaced by a possible one."""


def to_rules(config: NeatConfig, inputs: int, outputs: int) -> Rules:
    """Return the settings of mutations in *config*, for compiled code.

    Args:
        config: Settings of NEAT.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
    """
    return Rules(
        attributes=attribute_rules(config),
        inputs=int(inputs),
        outputs=int(outputs),
        feed_forward=config.feed_forward,
        node_add=config.node_add_prob,
        node_delete=config.node_delete_prob,
        connection_add=config.conn_add_prob,
        connection_delete=config.conn_delete_prob,
        single=config.single_structural_mutation,
        surer=config.surer,
    )


@compiled
def mutate_genome(
    genes: Genes,
    genome: int,
    rules: Rules,
    numbering: Numbering,
    reached: Array,
    rng: Stream,
) -> None:
    """Mutate the last *genome*: its structure, then the attributes of all its genes.

    Args:
        genes: Arrays with space for :data:`NEW_NODES` and :data:`NEW_CONNECTIONS` more.
        genome: Its row.
        rules: The settings.
        numbering: Source of numbers for new genes.
        reached: Scratch space, a ``bool`` for each node of the genome and a new one.
        rng: Source of random numbers.
    """
    _mutate_structure(genes, genome, rules, numbering, reached, rng)
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        genes.weight[place] = mutate_number(rules.attributes.weight, genes.weight[place], rng)
        genes.enabled[place] = mutate_switch(rules.attributes.enabled, genes.enabled[place], rng)
    for place in range(genes.node_start[genome], genes.node_start[genome + 1]):
        genes.bias[place] = mutate_number(rules.attributes.bias, genes.bias[place], rng)
        genes.response[place] = mutate_number(rules.attributes.response, genes.response[place], rng)
        genes.activation[place] = mutate_choice(
            rules.attributes.activation, genes.activation[place], rng
        )
        genes.aggregation[place] = mutate_choice(
            rules.attributes.aggregation, genes.aggregation[place], rng
        )


@compiled
def _mutate_structure(
    genes: Genes,
    genome: int,
    rules: Rules,
    numbering: Numbering,
    reached: Array,
    rng: Stream,
) -> None:
    """Apply each of the four structural mutations with its probability, or at most one of them."""
    # With a single draw, the four have consecutive intervals of it.
    adding = rules.node_add
    deleting = adding + rules.node_delete
    linking = deleting + rules.connection_add
    total = linking + rules.connection_delete
    draw = chance(rng) * max(1.0, total)
    if (draw < adding) if rules.single else (chance(rng) < rules.node_add):
        _split(genes, genome, rules, numbering, reached, rng)
    if (adding <= draw < deleting) if rules.single else (chance(rng) < rules.node_delete):
        _delete_any_node(genes, genome, rules.outputs, rng)
    if (deleting <= draw < linking) if rules.single else (chance(rng) < rules.connection_add):
        _link(genes, genome, rules, numbering, reached, rng)
    if (linking <= draw < total) if rules.single else (chance(rng) < rules.connection_delete):
        _delete_any_connection(genes, genome, rng)


@compiled
def _split(
    genes: Genes,
    genome: int,
    rules: Rules,
    numbering: Numbering,
    reached: Array,
    rng: Stream,
) -> None:
    """Split a connection by a new node with bias 0; the connection is disabled.

    The first half has the weight 1, the second that of the whole. A genome has at most one split in
    a generation, so the node can't exist already.
    """
    start = genes.connection_start[genome]
    count = genes.connection_start[genome + 1] - start
    if count == 0:
        if rules.surer:
            _link(genes, genome, rules, numbering, reached, rng)
        return
    whole = start + below(rng, count)
    key = number_split(numbering, genes.innovation[whole])
    node = add_node(genes, genome, key)
    genes.bias[node] = 0.0
    genes.response[node] = draw_number(rules.attributes.response, rng)
    genes.activation[node] = draw_choice(rules.attributes.activation, rng)
    genes.aggregation[node] = draw_choice(rules.attributes.aggregation, rng)
    genes.enabled[whole] = False
    # The two halves.
    source, target = genes.source[whole], genes.target[whole]
    weight = genes.weight[whole]
    add_connection(genes, genome, source, key, 1.0, True, number_link(numbering, source, key))
    add_connection(genes, genome, key, target, weight, True, number_link(numbering, key, target))


@compiled
def _link(
    genes: Genes,
    genome: int,
    rules: Rules,
    numbering: Numbering,
    reached: Array,
    rng: Stream,
) -> None:
    """Connect a random input or node to a random node, if that is allowed."""
    start = genes.node_start[genome]
    count = genes.node_start[genome + 1] - start
    # Any node may be the target; inputs and hidden nodes may be the source.
    target = genes.node_key[start + below(rng, count)]
    draw = below(rng, rules.inputs + count - rules.outputs)
    if draw < rules.inputs:
        source = -1 - draw
    else:
        source = np.int64(genes.node_key[start + rules.outputs + draw - rules.inputs])
    # An existing connection is not doubled.
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        if genes.source[place] == source and genes.target[place] == target:
            if rules.surer:
                genes.enabled[place] = True
            return
    if rules.feed_forward and source >= 0 and _leads(genes, genome, target, source, reached):
        return
    number = number_link(numbering, source, target)
    weight = draw_number(rules.attributes.weight, rng)
    enabled = draw_switch(rules.attributes.enabled, rng)
    add_connection(genes, genome, source, target, weight, enabled, number)


@compiled
def _delete_any_node(genes: Genes, genome: int, outputs: int, rng: Stream) -> None:
    first = genes.node_start[genome] + outputs
    count = genes.node_start[genome + 1] - first
    if count > 0:
        delete_node(genes, genome, first + below(rng, count))


@compiled
def _delete_any_connection(genes: Genes, genome: int, rng: Stream) -> None:
    start = genes.connection_start[genome]
    count = genes.connection_start[genome + 1] - start
    if count > 0:
        delete_connection(genes, genome, start + below(rng, count))


@compiled
def _leads(genes: Genes, genome: int, start: int, goal: int, reached: Array) -> bool:
    """Return True if a path of connections, enabled or not, leads from node *start* to *goal*.

    The connections are scanned again until no further node is reached. Most come from inputs, to
    which no connection leads.
    """
    if start == goal:
        return True
    first, last = genes.node_start[genome], genes.node_start[genome + 1]
    # Nodes that the start reaches so far.
    for node in range(last - first):
        reached[node] = False
    reached[find_node(genes.node_key, first, last, start) - first] = True
    more = True
    while more:
        more = False
        for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
            if genes.source[place] < 0:
                continue
            source = find_node(genes.node_key, first, last, genes.source[place])
            target = find_node(genes.node_key, first, last, genes.target[place])
            if source >= 0 and target >= 0 and reached[source - first]:
                if genes.target[place] == goal:
                    return True
                more |= not reached[target - first]
                reached[target - first] = True
    return False
