"""The genes of a population for compiled code, and space for those of children.

Compiled code writes children one after the other: each begins at the end of the one before, and
grows and shrinks at the end of the written part, so that nothing has to be moved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.neat.population import (
    CONNECTION_FIELDS,
    NODE_FIELDS,
    TYPES,
    NeatPopulation,
)


class Genes(NamedTuple):
    """The arrays of a :class:`NeatPopulation` without its keys, under the same names."""

    node_start: NDArray[np.int64]
    node_key: NDArray[np.int32]
    bias: NDArray[np.float64]
    response: NDArray[np.float64]
    activation: NDArray[np.int32]
    aggregation: NDArray[np.int32]
    connection_start: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    enabled: NDArray[np.bool_]
    innovation: NDArray[np.int64]


def to_genes(population: NeatPopulation) -> Genes:
    """Return the arrays of *population*, as writable ones: compiled code takes no others."""
    return Genes(
        **{
            name: np.require(getattr(population, name), TYPES[name], ["C", "A", "W"])
            for name in Genes._fields
        }
    )


def empty_genes(genomes: int, nodes: int, connections: int) -> Genes:
    """Make arrays for *genomes* with up to so many *nodes* and *connections* in total.

    Args:
        genomes: Number of genomes.
        nodes: Most node genes of all genomes together.
        connections: Most connection genes of all genomes together.
    """
    sizes = dict.fromkeys(NODE_FIELDS, nodes) | dict.fromkeys(CONNECTION_FIELDS, connections)
    sizes |= {"node_start": genomes + 1, "connection_start": genomes + 1}
    genes = Genes(**{name: np.empty(sizes[name], dtype=TYPES[name]) for name in Genes._fields})
    genes.node_start[0] = genes.connection_start[0] = 0
    return genes


def to_population(keys: NDArray[np.int64], genes: Genes) -> NeatPopulation:
    """Return the genomes that were written to *genes*, without the unused space.

    Args:
        keys: The key of each genome, shape ``(genomes,)``.
        genes: Arrays of :func:`empty_genes`, filled.
    """
    sizes = dict.fromkeys(NODE_FIELDS, int(genes.node_start[-1]))
    sizes |= dict.fromkeys(CONNECTION_FIELDS, int(genes.connection_start[-1]))
    arrays = {
        name: array[: sizes[name]] if name in sizes else array
        for name, array in genes._asdict().items()
    }
    return NeatPopulation(keys=keys, **arrays)


@inlined
def copy_node(genes: Genes, place: int, into: Genes, there: int) -> None:
    """Copy the node gene at *place* to *there*.

    Args:
        genes: Arrays with the gene.
        place: Its place among all node genes there.
        into: Arrays that receive the copy; may be *genes*.
        there: Its place among all node genes of these.
    """
    into.node_key[there] = genes.node_key[place]
    into.bias[there] = genes.bias[place]
    into.response[there] = genes.response[place]
    into.activation[there] = genes.activation[place]
    into.aggregation[there] = genes.aggregation[place]


@inlined
def copy_connection(genes: Genes, place: int, into: Genes, there: int) -> None:
    """Copy the connection gene at *place* to *there*.

    Args:
        genes: Arrays with the gene.
        place: Its place among all connection genes there.
        into: Arrays that receive the copy; may be *genes*.
        there: Its place among all connection genes of these.
    """
    into.source[there] = genes.source[place]
    into.target[there] = genes.target[place]
    into.weight[there] = genes.weight[place]
    into.enabled[there] = genes.enabled[place]
    into.innovation[there] = genes.innovation[place]


@inlined
def add_node(genes: Genes, genome: int, key: int) -> Number:
    """Append a node without attributes to the last *genome*, and return its place.

    Args:
        genes: Arrays with space for another node.
        genome: Row of the genome, the last one that is written.
        key: Key of the node.
    """
    place = genes.node_start[genome + 1]
    genes.node_start[genome + 1] = place + 1
    genes.node_key[place] = key
    return place


@inlined
def add_connection(
    genes: Genes,
    genome: int,
    source: int,
    target: int,
    weight: float,
    enabled: bool,
    number: int,
) -> None:
    """Append a connection to the last *genome*.

    Args:
        genes: Arrays with space for another connection.
        genome: Row of the genome, the last one that is written.
        source: Key of its source, a node or an input.
        target: Key of its target, a node.
        weight: Its weight.
        enabled: True if it is enabled.
        number: Its innovation number.
    """
    place = genes.connection_start[genome + 1]
    genes.connection_start[genome + 1] = place + 1
    genes.source[place] = source
    genes.target[place] = target
    genes.weight[place] = weight
    genes.enabled[place] = enabled
    genes.innovation[place] = number


@compiled
def delete_connection(genes: Genes, genome: int, place: int) -> None:
    """Delete the connection at *place* from the last *genome*, keeping the order of the others.

    Args:
        genes: Genes of a population.
        genome: Row of the genome, the last one that is written.
        place: Place of the connection among all connection genes.
    """
    end = genes.connection_start[genome + 1] - 1
    for there in range(place, end):
        copy_connection(genes, there + 1, genes, there)
    genes.connection_start[genome + 1] = end


@compiled
def delete_node(genes: Genes, genome: int, place: int) -> None:
    """Delete the node at *place* from the last *genome*, with all its connections.

    Args:
        genes: Genes of a population.
        genome: Row of the genome, the last one that is written.
        place: Place of the node among all node genes.
    """
    key = genes.node_key[place]
    end = genes.node_start[genome + 1] - 1
    for there in range(place, end):
        copy_node(genes, there + 1, genes, there)
    genes.node_start[genome + 1] = end
    # Connections of other nodes move up.
    kept = genes.connection_start[genome]
    for connection in range(kept, genes.connection_start[genome + 1]):
        if genes.source[connection] != key and genes.target[connection] != key:
            copy_connection(genes, connection, genes, kept)
            kept += 1
    genes.connection_start[genome + 1] = kept


@inlined
def find_node(node_key: Array, start: int, stop: int, key: int) -> int:
    """Return the place of *key* among the nodes from *start* to *stop*, or -1.

    Keys ascend in genomes that were bred here, so a binary search comes first; if it fails, all
    nodes are searched.

    Args:
        node_key: Keys of all node genes of a population.
        start: Place at which the search begins, the first node of a genome.
        stop: Place behind the last node that is searched.
        key: Key of the node.
    """
    # Binary search, for ascending keys.
    low, high = start, stop
    while low < high:
        middle = (low + high) >> 1
        if node_key[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < stop and node_key[low] == key:
        return low
    # Linear search, for genomes from elsewhere.
    for place in range(start, stop):
        if node_key[place] == key:
            return place
    return -1
