"""Crossover of two NEAT genomes, compiled.

Source: Stanley and Miikkulainen, "Evolving neural networks through augmenting topologies",
Evolutionary Computation 10 (2002), section 3.2, as neat-python reads it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.compiled import compiled, internal
from evolve_arena.core.stream import next_word
from evolve_arena.genomes.neat.genes import copy_connection, copy_node, find_node

ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)
FOUR, EIGHT = np.uint64(4), np.uint64(8)
ZERO = np.uint64(0)


@compiled
def cross(
    genes: Any, order: Any, fitter: int, other: int, children: Any, child: int, stream: Any
) -> None:
    """Writes the child of the genomes *fitter* and *other*.

    Its structure is that of *fitter*. Each attribute of a gene that both have comes from either
    with equal probability; a connection that is disabled in one of them is then disabled in
    the child with probability 3/4. Nodes stand in the order of *fitter*, connections in that
    of their innovation numbers. As its connections are all of *fitter*'s, the child has no
    cycle if *fitter* has none.

    Args:
        genes: The parents' population.
        order: As :func:`order_connections` filled it.
        fitter: Row of the parent whose structure is inherited.
        other: Row of the other parent; it may be the same.
        children: Where the child is written.
        child: Its row there, the first that is not yet written.
        stream: Where the draws come from.
    """
    at = children.node_start[child]
    for node in range(genes.node_start[fitter], genes.node_start[fitter + 1]):
        copy_node(genes, node, children, at)
        match = find_node(
            genes.node_key,
            genes.node_start[other],
            genes.node_start[other + 1],
            genes.node_key[node],
        )
        if match >= 0:
            _mix_nodes(genes, match, children, at, next_word(stream))
        at += 1
    children.node_start[child + 1] = at

    at = children.connection_start[child]
    across, end = genes.connection_start[other], genes.connection_start[other + 1]
    for rank in range(genes.connection_start[fitter], genes.connection_start[fitter + 1]):
        place = order[rank]
        number = genes.innovation[place]
        copy_connection(genes, place, children, at)
        while across < end and genes.innovation[order[across]] < number:
            across += 1
        if across < end and genes.innovation[order[across]] == number:
            _mix_connections(genes, place, order[across], children, at, next_word(stream))
        at += 1
    children.connection_start[child + 1] = at


@compiled
def copy_genome(genes: Any, parent: int, children: Any, child: int) -> None:
    """Writes a copy of the genome *parent*, its genes in the same order."""
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
def order_connections(genes: Any, order: Any) -> None:
    """Puts the places of each genome's connections in ascending order of innovation.

    Nearly all of them stand so already, and then sorting by insertion is the fastest.

    Args:
        genes: A population.
        order: One ``int64`` for each connection gene.
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


@internal
def _mix_nodes(genes: Any, match: int, children: Any, at: int, word: Any) -> None:
    if word & ONE != ZERO:
        children.bias[at] = genes.bias[match]
    if word & TWO != ZERO:
        children.response[at] = genes.response[match]
    if word & FOUR != ZERO:
        children.activation[at] = genes.activation[match]
    if word & EIGHT != ZERO:
        children.aggregation[at] = genes.aggregation[match]


@internal
def _mix_connections(genes: Any, place: int, match: int, children: Any, at: int, word: Any) -> None:
    """Without branches, which would be guessed wrong half of the time."""
    one, other = genes.enabled[place], genes.enabled[match]
    first = word & ONE != ZERO
    children.weight[at] = genes.weight[place] if first else genes.weight[match]
    enabled = one if word & TWO != ZERO else other
    spared = (word >> TWO) & THREE == ZERO
    children.enabled[at] = enabled & ((one & other) | spared)
