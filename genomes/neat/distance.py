"""Compatibility distance of NEAT genomes.

Genes with the same key match: the key of a node is its number, that of a connection its two ends.
With N genes in the larger of two genomes, D disjoint genes, and the difference d of the attributes
of each matching pair, the distance is the sum, over node genes and connection genes, of

    (disjoint coefficient * D + weight coefficient * sum of d) / N

where d is the difference of the weights, or that of the biases plus that of the responses, plus 1
for each setting (enabled, activation, aggregation) that differs. Source: Stanley and Miikkulainen,
"Evolving neural networks through augmenting topologies", Evolutionary Computation 10 (2002),
section 3.3, equation 1, as neat-python implements it: nodes count, too, the differences are divided
by N and not by the number of pairs, and excess genes count as disjoint ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import mix
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.neat.population import NeatPopulation


def distances(
    first: NeatPopulation,
    second: NeatPopulation,
    *,
    disjoint_coefficient: float,
    weight_coefficient: float,
) -> NDArray[np.float64]:
    """Return the distance from each genome of *first* to each of *second*.

    Numbers are added in the order of the first genome's genes, as in neat-python: so these are its
    distances to the last bit, and the distance in the other direction may differ in the last bits.

    Args:
        first: Genomes without two genes of the same key.
        second: Likewise.
        disjoint_coefficient: Weight of a disjoint gene.
        weight_coefficient: Factor of the differences of matching genes.

    Returns:
        Shape ``(len(first), len(second))``.

    >>> import numpy as np
    >>> from evolve_arena.genomes.neat.population import NeatPopulation
    >>> def one_node(bias):  # and no connection
    ...     return NeatPopulation(
    ...         keys=np.array([1]), node_start=np.array([0, 1]), connection_start=np.zeros(2, int),
    ...         node_key=np.zeros(1, np.int32), bias=np.array([bias]), response=np.ones(1),
    ...         activation=np.zeros(1, np.int32), aggregation=np.zeros(1, np.int32),
    ...         source=np.zeros(0, np.int32), target=np.zeros(0, np.int32), weight=np.zeros(0),
    ...         enabled=np.zeros(0, bool), innovation=np.zeros(0, int),
    ...     )
    >>> distances(one_node(0.5), one_node(3.0), disjoint_coefficient=1.0, weight_coefficient=0.5)
    array([[1.25]])
    """
    (one, other), places = number_genes([first, second])
    result = np.empty((len(first), len(second)), dtype=np.float64)
    fill_distances(
        one, other, places, float(disjoint_coefficient), float(weight_coefficient), result
    )
    return result


class Genes(NamedTuple):
    """The parts of a population that distances read, for compiled code.

    The fields are those of :class:`~evolve_arena.genomes.neat.population.NeatPopulation`, except
    for the numbers: genes with the same key have the same number, and these count from 0.
    """

    node_start: NDArray[np.int64]
    node_number: NDArray[np.int32]
    bias: NDArray[np.float64]
    response: NDArray[np.float64]
    activation: NDArray[np.int32]
    aggregation: NDArray[np.int32]
    connection_start: NDArray[np.int64]
    connection_number: NDArray[np.int32]
    weight: NDArray[np.float64]
    enabled: NDArray[np.bool_]


class Places(NamedTuple):
    """The places of one genome's genes, by the gene's number; -1 for others and between uses."""

    nodes: NDArray[np.int32]
    connections: NDArray[np.int32]


def number_genes(populations: Sequence[NeatPopulation]) -> tuple[list[Genes], Places]:
    """Assign numbers to the genes of all *populations*, and make scratch space for their places."""
    node_numbers, nodes = _number_all(
        [population.node_key.astype(np.int64) for population in populations]
    )
    connection_numbers, connections = _number_all(
        [
            (population.source.astype(np.int64) << 32) | population.target.view(np.uint32)
            for population in populations
        ]
    )
    genes = [
        Genes(
            population.node_start,
            node_number,
            population.bias,
            population.response,
            population.activation,
            population.aggregation,
            population.connection_start,
            connection_number,
            population.weight,
            population.enabled,
        )
        for population, node_number, connection_number in zip(
            populations, node_numbers, connection_numbers, strict=True
        )
    ]
    return genes, Places(np.full(nodes, -1, np.int32), np.full(connections, -1, np.int32))


@compiled
def fill_distances(
    first: Genes, second: Genes, places: Places, disjoint: float, weight: float, result: Array
) -> None:
    """Write the distance from each genome of *first* to each of *second* to *result*.

    Args:
        first: Genes.
        second: Genes, numbered together with the first ones.
        places: Scratch space for the places of a genome's genes.
        disjoint: The coefficient for disjoint genes.
        weight: The coefficient for the differences of matching genes.
        result: Shape ``(first genomes, second genomes)``.
    """
    for other in range(result.shape[1]):
        # The places of one genome's genes serve all comparisons with it.
        note_places(second, other, places)
        for one in range(result.shape[0]):
            result[one, other] = measure_distance(
                first, one, second, other, places, disjoint, weight
            )
        forget_places(second, other, places)


@inlined
def note_places(genes: Genes, genome: int, places: Places) -> None:
    """Write the places of the genes of a *genome* to *places*.

    Args:
        genes: Genes of a population.
        genome: Row of the genome.
        places: Receives the place of each gene, by the number of the gene; all are -1 before.
    """
    for place in range(genes.node_start[genome], genes.node_start[genome + 1]):
        places.nodes[genes.node_number[place]] = np.int32(place)
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        places.connections[genes.connection_number[place]] = np.int32(place)


@inlined
def forget_places(genes: Genes, genome: int, places: Places) -> None:
    """Undo :func:`note_places` for the same *genome*.

    Args:
        genes: Genes of a population.
        genome: Row of the genome.
        places: The places of its genes, which become -1 again.
    """
    for place in range(genes.node_start[genome], genes.node_start[genome + 1]):
        places.nodes[genes.node_number[place]] = np.int32(-1)
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        places.connections[genes.connection_number[place]] = np.int32(-1)


@inlined
def measure_distance(
    first: Genes,
    one: int,
    second: Genes,
    other: int,
    places: Places,
    disjoint: float,
    weight: float,
) -> Number:
    """Return the distance from genome *one* of *first* to genome *other* of *second*.

    Args:
        first: Genes.
        one: A row of *first*.
        second: Genes, numbered together with the first ones.
        other: A row of *second*.
        places: The places of the genes of *other*.
        disjoint: The coefficient for disjoint genes.
        weight: The coefficient for the differences of matching genes.
    """
    nodes = _measure_nodes(first, one, second, other, places.nodes, disjoint, weight)
    return nodes + _measure_connections(
        first, one, second, other, places.connections, disjoint, weight
    )


@inlined
def _measure_nodes(
    first: Genes, one: int, second: Genes, other: int, places: Array, disjoint: float, weight: float
) -> Number:
    """Return the node genes' distance; unsigned indices as in :func:`_measure_connections`."""
    start, end = first.node_start[one], first.node_start[one + 1]
    mine, yours = end - start, second.node_start[other + 1] - second.node_start[other]
    total, matching = 0.0, 0
    for gene in range(start, end):
        my = np.uint64(gene)
        place = places[np.uint64(first.node_number[my])]
        if place >= 0:
            # A matching pair: differences of numbers, and 1 for each different setting.
            your = np.uint64(place)
            difference = abs(first.bias[my] - second.bias[your])
            difference += abs(first.response[my] - second.response[your])
            difference += np.float64(first.activation[my] != second.activation[your])
            difference += np.float64(first.aggregation[my] != second.aggregation[your])
            total += difference * weight
            matching += 1
    return _average(total, mine, yours, matching, disjoint)


@inlined
def _measure_connections(
    first: Genes, one: int, second: Genes, other: int, places: Array, disjoint: float, weight: float
) -> Number:
    """Return the distance of the connection genes, which takes nearly all of the time.

    Unsigned indices need no correction of negative ones, and a comparison that is added as a number
    needs no branch: together that makes it four times as fast.
    """
    start, end = first.connection_start[one], first.connection_start[one + 1]
    mine, yours = end - start, second.connection_start[other + 1] - second.connection_start[other]
    total, matching = 0.0, 0
    for gene in range(start, end):
        my = np.uint64(gene)
        place = places[np.uint64(first.connection_number[my])]
        if place >= 0:
            your = np.uint64(place)
            difference = abs(first.weight[my] - second.weight[your])
            difference += np.float64(first.enabled[my] != second.enabled[your])
            total += difference * weight
            matching += 1
    return _average(total, mine, yours, matching, disjoint)


@inlined
def _average(total: float, mine: int, yours: int, matching: int, disjoint: float) -> Number:
    if mine == 0 and yours == 0:
        return 0.0
    return (total + disjoint * np.float64(mine + yours - 2 * matching)) / np.float64(
        max(mine, yours)
    )


def _number_all(keys: Sequence[NDArray[np.int64]]) -> tuple[list[NDArray[np.int32]], int]:
    """Assign numbers from 0 on to the different *keys*; return them and how many there are.

    Uses a hash table, since sorting takes longer than all distances of a speciation.
    """
    size = 1 << (2 * sum(len(part) for part in keys)).bit_length()
    table_keys = np.empty(size, dtype=np.int64)
    table_numbers = np.full(size, -1, dtype=np.int32)
    numbers = [np.empty(len(part), dtype=np.int32) for part in keys]
    count = 0
    for part, chosen in zip(keys, numbers, strict=True):
        count = _number(part, table_keys, table_numbers, count, chosen)
    return numbers, count


@compiled
def _number(
    keys: Array, table_keys: Array, table_numbers: Array, count: int, numbers: Array
) -> int:
    """Assign numbers to *keys*, new ones from *count* on, and return the new count."""
    last = np.uint64(table_keys.shape[0] - 1)
    for place in range(keys.shape[0]):
        key = keys[place]
        slot = mix(np.uint64(key)) & last
        # Linear probing: the next slots, until the key or a free one is found.
        while table_numbers[slot] >= 0 and table_keys[slot] != key:
            slot = (slot + np.uint64(1)) & last
        if table_numbers[slot] < 0:
            table_keys[slot] = key
            table_numbers[slot] = np.int32(count)
            count += 1
        numbers[place] = table_numbers[slot]
    return count
