"""How far NEAT genomes are from each other: in which genes, and in what these say.

Genes match that have the same key: nodes their number, connections their two ends. With N
genes in the larger of two genomes, D genes that only one of them has, and for each matching
pair the difference d of what the genes say, their distance is, for node genes and connection
genes each, and then added,

    (disjoint coefficient * D + weight coefficient * sum of d) / N

where d is the difference of the weights, or of the biases plus that of the responses, and 1
more for each setting (enabled, activation, aggregation) that is not the same. Source: Stanley
and Miikkulainen, "Evolving neural networks through augmenting topologies", Evolutionary
Computation 10 (2002), section 3.3, equation 1, as neat-python reads it: nodes count too, the
differences are divided by N and not by the number of pairs, excess genes count as disjoint ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import mix
from evolve_arena.genomes.neat.population import NeatPopulation


def distances(
    first: NeatPopulation,
    second: NeatPopulation,
    *,
    disjoint_coefficient: float,
    weight_coefficient: float,
) -> NDArray[np.float64]:
    """The distance from each genome of *first* to each of *second*.

    Numbers are added in the order of the first genome's genes, as neat-python does: so these
    are its distances to the last bit, and the distance back may differ in the last bits.

    Args:
        first: Genomes, none of which has two genes of the same key.
        second: Likewise.
        disjoint_coefficient: What a gene counts that only one of the two has.
        weight_coefficient: By what the differences of matching genes are multiplied.

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
    """What distances read of a population, as compiled code takes it.

    The fields are those of :class:`~evolve_arena.genomes.neat.population.NeatPopulation`, but for
    the
    numbers: genes with the same key have the same number, and these count from 0.
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
    """Where one genome has the gene of each number; -1 if it has none, and between uses."""

    nodes: NDArray[np.int32]
    connections: NDArray[np.int32]


def number_genes(populations: Sequence[NeatPopulation]) -> tuple[list[Genes], Places]:
    """The genes of all *populations*, numbered together, and room for the places of a genome's."""
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
    first: Any, second: Any, places: Any, disjoint: float, weight: float, result: Any
) -> None:
    """Puts the distance from each genome of *first* to each of *second* into *result*.

    Args:
        first: Genes.
        second: Genes, numbered together with the first ones.
        places: Room for the places of a genome's.
        disjoint: The coefficient for genes that only one of the two has.
        weight: The coefficient for the differences of matching genes.
        result: Shape ``(first genomes, second genomes)``.
    """
    for other in range(result.shape[1]):
        note_places(second, other, places)
        for one in range(result.shape[0]):
            result[one, other] = measure_distance(
                first, one, second, other, places, disjoint, weight
            )
        forget_places(second, other, places)


@inlined
def note_places(genes: Any, genome: int, places: Any) -> None:
    """Writes into *places* where the genes of a *genome* stand."""
    for place in range(genes.node_start[genome], genes.node_start[genome + 1]):
        places.nodes[genes.node_number[place]] = np.int32(place)
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        places.connections[genes.connection_number[place]] = np.int32(place)


@inlined
def forget_places(genes: Any, genome: int, places: Any) -> None:
    """Takes back what :func:`note_places` wrote for the same *genome*."""
    for place in range(genes.node_start[genome], genes.node_start[genome + 1]):
        places.nodes[genes.node_number[place]] = np.int32(-1)
    for place in range(genes.connection_start[genome], genes.connection_start[genome + 1]):
        places.connections[genes.connection_number[place]] = np.int32(-1)


@inlined
def measure_distance(
    first: Any, one: int, second: Any, other: int, places: Any, disjoint: float, weight: float
) -> Any:
    """The distance from genome *one* of *first* to genome *other* of *second*.

    Args:
        first: Genes.
        one: A row of *first*.
        second: Genes, numbered together with the first ones.
        other: A row of *second*.
        places: Where the genes of *other* stand.
        disjoint: The coefficient for genes that only one of the two has.
        weight: The coefficient for the differences of matching genes.
    """
    nodes = _measure_nodes(first, one, second, other, places.nodes, disjoint, weight)
    return nodes + _measure_connections(
        first, one, second, other, places.connections, disjoint, weight
    )


@inlined
def _measure_nodes(
    first: Any, one: int, second: Any, other: int, places: Any, disjoint: float, weight: float
) -> Any:
    """The part of the node genes; unsigned indices, as in :func:`_measure_connections`."""
    start, end = first.node_start[one], first.node_start[one + 1]
    mine, yours = end - start, second.node_start[other + 1] - second.node_start[other]
    total, matching = 0.0, 0
    for gene in range(start, end):
        my = np.uint64(gene)
        place = places[np.uint64(first.node_number[my])]
        if place >= 0:
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
    first: Any, one: int, second: Any, other: int, places: Any, disjoint: float, weight: float
) -> Any:
    """The part of the connection genes, in which nearly all of the time is spent.

    With unsigned indices nothing has to be done for negative ones, and a comparison that is
    added as a number needs no branch: together they make it four times as fast.
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
def _average(total: float, mine: int, yours: int, matching: int, disjoint: float) -> Any:
    if mine == 0 and yours == 0:
        return 0.0
    return (total + disjoint * np.float64(mine + yours - 2 * matching)) / np.float64(
        max(mine, yours)
    )


def _number_all(keys: Sequence[NDArray[np.int64]]) -> tuple[list[NDArray[np.int32]], int]:
    """Numbers from 0 for the different *keys*, and how many these are.

    A hash table, since sorting takes longer than all distances of a speciation.
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
def _number(keys: Any, table_keys: Any, table_numbers: Any, count: int, numbers: Any) -> Any:
    """Numbers *keys*, new ones from *count* on, and gives how many are known then."""
    last = np.uint64(table_keys.shape[0] - 1)
    for place in range(keys.shape[0]):
        key = keys[place]
        slot = mix(np.uint64(key)) & last
        while table_numbers[slot] >= 0 and table_keys[slot] != key:
            slot = (slot + np.uint64(1)) & last
        if table_numbers[slot] < 0:
            table_keys[slot] = key
            table_numbers[slot] = np.int32(count)
            count += 1
        numbers[place] = table_numbers[slot]
    return count
