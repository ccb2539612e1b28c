"""Crossover and mutation of NEAT genomes, a whole generation in one compiled call.

Source: Stanley and Miikkulainen, "Evolving neural networks through augmenting topologies",
Evolutionary Computation 10 (2002), section 3.2, as neat-python reads it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream, fill_words, new_stream, next_word
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.genes import (
    Genes,
    copy_connection,
    copy_node,
    empty_genes,
    find_node,
    to_genes,
    to_population,
)
from evolve_arena.genomes.neat.mutation import (
    NEW_CONNECTIONS,
    NEW_NODES,
    Rules,
    mutate_genome,
    to_rules,
)
from evolve_arena.genomes.neat.numbering import (
    SPANS,
    Counters,
    Numbering,
    highest_own,
    new_numbering,
    note_numbers,
)
from evolve_arena.genomes.neat.population import NeatPopulation

LARGEST_KEY = 2**31 - 1


def breed(
    config: NeatConfig,
    population: NeatPopulation,
    parents: NDArray[np.int64],
    fitness: NDArray[np.float64],
    *,
    inputs: int,
    outputs: int,
    seed: int,
    counters: Counters,
) -> tuple[NeatPopulation, Counters]:
    """Cross and mutate *parents*, as neat-python 2.0.0 does.

    New connections and nodes are numbered in another way than in neat-python; see
    :mod:`evolve_arena.genomes.neat.numbering`. For equal ones to get equal numbers, all children of
    a generation must be bred in one call. Child k draws from a stream of its own, so it depends on
    the other children through these numbers alone.

    Args:
        config: The settings.
        population: All genomes of the generation; new genes get the numbers of their equals among
            these. If networks are feed-forward, it has no cycles (then its children have none); in
            all genomes the nodes 0 to *outputs* - 1 come first.
        parents: Rows of the population, shape ``(children, 2)``; both may be the same.
        fitness: Shape ``(genomes,)``. A child has the structure of its fitter parent, and of the
            second one if both are equal.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
        seed: Seed of the random streams; its lowest 64 bits count.
        counters: The last numbers given out.

    Returns:
        The children, with the keys after the last one given out, and the new counters.

    Raises:
        BadValueError: The arguments do not fit together.
    """
    parents, fitness = np.asarray(parents), np.asarray(fitness)
    if parents.ndim != 2 or parents.shape[1] != 2:
        raise BadValueError(f"parents have shape {parents.shape}, expected (children, 2)")
    if fitness.shape != (len(population),):
        raise BadValueError(f"fitness has shape {fitness.shape}, expected ({len(population)},)")
    if parents.size and not 0 <= parents.min() <= parents.max() < len(population):
        raise BadValueError(f"a parent is no row of the {len(population)} genomes")
    # The fitter parent first; the other one is what remains of the pair.
    fitter = np.where(fitness[parents[:, 0]] > fitness[parents[:, 1]], parents[:, 0], parents[:, 1])
    other = parents.sum(axis=1) - fitter
    keys = counters.genome + 1 + np.arange(len(parents), dtype=np.int64)
    pairs = np.stack([fitter, other], axis=1).astype(np.int64)
    return _grow(
        to_rules(config, inputs, outputs), population, pairs, keys, seed, counters, crossing=True
    )


def mutate(
    config: NeatConfig,
    population: NeatPopulation,
    *,
    inputs: int,
    outputs: int,
    seed: int,
    counters: Counters,
) -> tuple[NeatPopulation, Counters]:
    """Mutate each genome of *population*, which keeps its key and the order of its genes.

    Args:
        config: Settings of NEAT.
        population: The genomes; new genes get the numbers of their equals among these. If networks
            are feed-forward, it has no cycles (then the mutated ones have none); in all genomes the
            nodes 0 to *outputs* - 1 come first.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
        seed: Seed of the random streams; its lowest 64 bits count.
        counters: The last numbers given out; that of genomes does not change.

    Raises:
        BadValueError: The arguments do not fit together.
    """
    rows = np.arange(len(population), dtype=np.int64)
    pairs = np.stack([rows, rows], axis=1)
    rules = to_rules(config, inputs, outputs)
    mutated, last = _grow(rules, population, pairs, population.keys, seed, counters, crossing=False)
    return mutated, last._replace(genome=counters.genome)


def _grow(
    rules: Rules,
    population: NeatPopulation,
    pairs: NDArray[np.int64],
    keys: NDArray[np.int64],
    seed: int,
    counters: Counters,
    *,
    crossing: bool,
) -> tuple[NeatPopulation, Counters]:
    """Return mutated children of *pairs* of rows, the fitter first, or mutated copies of it."""
    children = len(pairs)
    _check_counters(population, counters, children)
    _check_outputs(population, rules.outputs)
    # Space for all children at their largest: each has at most the fitter parent's genes and new
    # ones.
    genes = to_genes(population)
    nodes = np.diff(genes.node_start)
    space = empty_genes(
        children,
        int(nodes[pairs[:, 0]].sum()) + NEW_NODES * children,
        int(np.diff(genes.connection_start)[pairs[:, 0]].sum()) + NEW_CONNECTIONS * children,
    )
    # Space for the numbers of all old and new genes.
    known = min(len(genes.innovation), counters.innovation + 1)
    numbering = new_numbering(known + NEW_CONNECTIONS * children, children, counters)
    seeds = np.empty(children, dtype=np.uint64)
    fill_words(new_stream(seed), seeds)
    order = np.empty(len(genes.innovation), dtype=np.int64)
    reached = np.empty(int(nodes.max(initial=0)) + NEW_NODES, dtype=np.bool_)
    _grow_all(rules, genes, order, pairs, crossing, space, seeds, numbering, reached)
    node, innovation = numbering.last.tolist()
    return to_population(keys, space), Counters(counters.genome + children, node, innovation)


def _check_counters(population: NeatPopulation, counters: Counters, children: int) -> None:
    """Make sure that new numbers are new: none in the population may be above *counters*."""
    for name, numbers in (
        ("genome", population.keys),
        ("node", population.node_key),
        ("innovation", population.innovation),
    ):
        last = getattr(counters, name)
        highest = highest_own(numbers, last, getattr(SPANS, name))
        if highest > last:
            raise BadValueError(f"the last {name} is said to be {last}, but there is {highest}")
    if counters.node + children > LARGEST_KEY:
        raise BadValueError(f"no keys are left for nodes after {counters.node}")


def _check_outputs(population: NeatPopulation, outputs: int) -> None:
    """Make sure that every genome begins with its output nodes, as compiled code expects."""
    keys = np.arange(outputs)
    complete = np.diff(population.node_start) >= outputs
    if complete.all():
        places = population.node_start[:-1, np.newaxis] + keys
        complete = (population.node_key[places] == keys).all(axis=1)
    if not complete.all():
        genome = population.keys[np.argmin(complete)]
        raise BadValueError(f"genome {genome} does not begin with its {outputs} output nodes")


@compiled
def _grow_all(
    rules: Rules,
    genes: Genes,
    order: Array,
    pairs: Array,
    crossing: bool,
    children: Genes,
    seeds: Stream,
    numbering: Numbering,
    reached: Array,
) -> None:
    """Breed all children, one after the other; *seeds* are the states of their random streams."""
    note_numbers(numbering, genes.source, genes.target, genes.innovation)
    if crossing:
        order_connections(genes, order)
    for child in range(pairs.shape[0]):
        rng = seeds[child : child + 1]
        if crossing:
            cross(genes, order, pairs[child, 0], pairs[child, 1], children, child, rng)
        else:
            copy_genome(genes, pairs[child, 0], children, child)
        mutate_genome(children, child, rules, numbering, reached, rng)


ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)
FOUR, EIGHT = np.uint64(4), np.uint64(8)
ZERO = np.uint64(0)


@compiled
def cross(
    genes: Genes, order: Array, fitter: int, other: int, children: Genes, child: int, rng: Stream
) -> None:
    """Write the child of the genomes *fitter* and *other*.

    Its structure is that of *fitter*. Each attribute of a matching gene comes from either parent
    with equal probability; a connection that is disabled in one of them is then disabled in the
    child with probability 3/4. Nodes are in the order of *fitter*, connections in that of their
    innovation numbers. As all its connections are from *fitter*, the child has no cycle if *fitter*
    has none.

    Args:
        genes: The parents' population.
        order: As :func:`order_connections` filled it.
        fitter: Row of the parent whose structure is inherited.
        other: Row of the other parent; it may be the same.
        children: Receives the child.
        child: Its row there, the first one that is not yet written.
        rng: Source of random numbers.
    """
    # Node genes: matched by key.
    at = children.node_start[child]
    for node in range(genes.node_start[fitter], genes.node_start[fitter + 1]):
        # Attributes of a matching node come from either parent.
        copy_node(genes, node, children, at)
        match = find_node(
            genes.node_key,
            genes.node_start[other],
            genes.node_start[other + 1],
            genes.node_key[node],
        )
        if match >= 0:
            _mix_nodes(genes, match, children, at, next_word(rng))
        at += 1
    children.node_start[child + 1] = at

    # Connection genes: both parents are walked through in ascending order of innovation.
    at = children.connection_start[child]
    across, end = genes.connection_start[other], genes.connection_start[other + 1]
    for rank in range(genes.connection_start[fitter], genes.connection_start[fitter + 1]):
        place = order[rank]
        number = genes.innovation[place]
        copy_connection(genes, place, children, at)
        # Skip disjoint genes of the other parent.
        while across < end and genes.innovation[order[across]] < number:
            across += 1
        if across < end and genes.innovation[order[across]] == number:
            _mix_connections(genes, place, order[across], children, at, next_word(rng))
        at += 1
    children.connection_start[child + 1] = at


@compiled
def copy_genome(genes: Genes, parent: int, children: Genes, child: int) -> None:
    """Write a copy of the genome *parent*, with its genes in the same order.

    Args:
        genes: The parent's population.
        parent: Its row.
        children: Receives the copy.
        child: Row of the copy there, the first one that is not yet written.
    """
    at = children.node_start[child]
    for node in range(genes.node_start[parent], genes.node_start[parent + 1]):
        copy_node(genes, node, children, at)
        at += 1
    children.node_start[child + 1] = at
    at = children.connection_start[child]
    for place in range(genes.connection_start[parent], genes.connection_start[parent + 1]):
        copy_connection(genes, place, children, at)
        at += 1
    children.connection_start[child + 1] = at


@compiled
def order_connections(genes: Genes, order: Array) -> None:
    """Sort the places of each genome's connections by innovation number.

    Nearly all of them are in order already, and then insertion sort is the fastest.

    Args:
        genes: A population.
        order: Receives the places: an ``int64`` for each connection gene.
    """
    for genome in range(genes.node_start.shape[0] - 1):
        start = genes.connection_start[genome]
        for place in range(start, genes.connection_start[genome + 1]):
            number = genes.innovation[place]
            hole = place
            while hole > start and genes.innovation[order[hole - 1]] > number:
                order[hole] = order[hole - 1]
                hole -= 1
            order[hole] = place


@inlined
def _mix_nodes(genes: Genes, match: int, children: Genes, at: int, word: Number) -> None:
    """Take each attribute from the other parent's gene if a bit of a random *word* is set."""
    if word & ONE != ZERO:
        children.bias[at] = genes.bias[match]
    if word & TWO != ZERO:
        children.response[at] = genes.response[match]
    if word & FOUR != ZERO:
        children.activation[at] = genes.activation[match]
    if word & EIGHT != ZERO:
        children.aggregation[at] = genes.aggregation[match]


@inlined
def _mix_connections(
    genes: Genes, place: int, match: int, children: Genes, at: int, word: Number
) -> None:
    """Mix two connection genes by a random *word*, without branches: half would be mispredicted."""
    one, other = genes.enabled[place], genes.enabled[match]
    first = word & ONE != ZERO
    children.weight[at] = genes.weight[place] if first else genes.weight[match]
    enabled = one if word & TWO != ZERO else other
    # If one parent has it disabled, the drawn value counts with probability 1/4 only.
    spared = (word >> TWO) & THREE == ZERO
    children.enabled[at] = enabled & ((one & other) | spared)
