"""The genes of a population as compiled code takes them, and room for those of children.

Compiled code writes children one after the other: each begins where the one before ended, and
grows and shrinks at the end of what is written, so that nothing has to be moved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.genomes.neat.population import (
    CONNECTION_FIELDS,
    NODE_FIELDS,
    TYPES,
    NeatPopulation,
)


class Genes(NamedTuple):
    """The arrays of a :class:`NeatPopulation` but its keys, under the same names."""

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
    """The arrays of *population*; compiled code takes no others than writable ones."""
    return Genes(
        **{
            name: np.require(getattr(population, name), TYPES[name], ["C", "A", "W"])
            for name in Genes._fields
        }
    )


def empty_genes(genomes: int, nodes: int, connections: int) -> Genes:
    """Arrays for *genomes* that have up to so many *nodes* and *connections* together."""
    sizes = dict.fromkeys(NODE_FIELDS, nodes) | dict.fromkeys(CONNECTION_FIELDS, connections)
    sizes |= {"node_start": genomes + 1, "connection_start": genomes + 1}
    genes = Genes(**{name: np.empty(sizes[name], dtype=TYPES[name]) for name in Genes._fields})
    genes.node_start[0] = genes.connection_start[0] = 0
    return genes


def to_population(keys: NDArray[np.int64], genes: Genes) -> NeatPopulation:
    """The genomes that were written into *genes*, without the room that was left.

    Args:
        keys: The number of each genome, shape ``(genomes,)``.
        genes: As :func:`empty_genes` made them, filled.
    """
    sizes = dict.fromkeys(NODE_FIELDS, int(genes.node_start[-1]))
    sizes |= dict.fromkeys(CONNECTION_FIELDS, int(genes.connection_start[-1]))
    arrays = {
        name: array[: sizes[name]] if name in sizes else array
        for name, array in genes._asdict().items()
    }
    return NeatPopulation(keys=keys, **arrays)


@inlined
def copy_node(genes: Any, place: int, into: Any, there: int) -> None:
    """Copies the node gene at *place* to *there*."""
    into.node_key[there] = genes.node_key[place]
    into.bias[there] = genes.bias[place]
    into.response[there] = genes.response[place]
    into.activation[there] = genes.activation[place]
    into.aggregation[there] = genes.aggregation[place]


@inlined
def copy_connection(genes: Any, place: int, into: Any, there: int) -> None:
    """Copies the connection gene at *place* to *there*."""
    into.source[there] = genes.source[place]
    into.target[there] = genes.target[place]
    into.weight[there] = genes.weight[place]
    into.enabled[there] = genes.enabled[place]
    into.innovation[there] = genes.innovation[place]


@inlined
def add_node(genes: Any, genome: int, key: int) -> Any:
    """Makes room for a node at the end of the last *genome*; says where it stands."""
    place = genes.node_start[genome + 1]
    genes.node_start[genome + 1] = place + 1
    genes.node_key[place] = key
    return place


@inlined
def add_connection(
    genes: Any, genome: int, source: int, target: int, weight: float, enabled: bool, number: int
) -> None:
    """Adds a connection to the end of the last *genome*."""
    place = genes.connection_start[genome + 1]
    genes.connection_start[genome + 1] = place + 1
    genes.source[place] = source
    genes.target[place] = target
    genes.weight[place] = weight
    genes.enabled[place] = enabled
    genes.innovation[place] = number


@compiled
def delete_connection(genes: Any, genome: int, place: int) -> None:
    """Takes the connection at *place* out of the last *genome*; the order of others remains."""
    end = genes.connection_start[genome + 1] - 1
    for there in range(place, end):
        copy_connection(genes, there + 1, genes, there)
    genes.connection_start[genome + 1] = end


@compiled
def delete_node(genes: Any, genome: int, place: int) -> None:
    """Takes the node at *place* out of the last *genome*, with all its connections."""
    key = genes.node_key[place]
    end = genes.node_start[genome + 1] - 1
    for there in range(place, end):
        copy_node(genes, there + 1, genes, there)
    genes.node_start[genome + 1] = end
    kept = genes.connection_start[genome]
    for connection in range(kept, genes.connection_start[genome + 1]):
        if genes.source[connection] != key and genes.target[connection] != key:
            copy_connection(genes, connection, genes, kept)
            kept += 1
    genes.connection_start[genome + 1] = kept


@inlined
def find_node(node_key: Any, start: int, stop: int, key: int) -> Any:
    """Where *key* stands among the nodes from *start* to *stop*, or -1.

    Keys ascend in genomes that grew here, so half of the rest is left out at each look; where
    they do not, every node is looked at.
    """
    low, high = start, stop
    while low < high:
        middle = (low + high) >> 1
        if node_key[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < stop and node_key[low] == key:
        return low
    for place in range(start, stop):
        if node_key[place] == key:
            return place
    return -1
