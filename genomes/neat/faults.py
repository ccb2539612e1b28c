"""Validation of genomes from files: a description of the first fault."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.population import NeatPopulation

Item = TypeVar("Item", bound=Hashable)
SPAN = 2**33
"""More than the number of possible keys: a genome's number times this, plus a key, identifies a
node among those of all genomes."""


def find_fault(
    population: NeatPopulation, genome: int, inputs: int, outputs: int, feed_forward: bool
) -> str | None:
    """Describe the first fault of a genome; None if its network is sound.

    Disabled connections count as well, because a mutation may enable them.

    Args:
        population: Genomes, whose arrays fit together (`NeatPopulation.find_fault`).
        genome: Row of the genome.
        inputs: Number of inputs of its network.
        outputs: Number of outputs.
        feed_forward: True for a feed-forward network, where a cycle is a fault.
    """
    genes, links = population.nodes(genome), population.connections(genome)
    keys = population.node_key[genes].tolist()
    pairs = list(
        zip(population.source[links].tolist(), population.target[links].tolist(), strict=True)
    )
    return (
        _find_node_fault(population, genes, keys, outputs)
        or _find_connection_fault(population, links, pairs, set(keys), inputs)
        or (_find_cycle(pairs) if feed_forward else None)
    )


def find_faults(
    population: NeatPopulation, inputs: int, outputs: int, feed_forward: bool
) -> str | None:
    """Return the result of :func:`find_fault` for the first unsound genome; None if all are sound.

    All genomes are checked at once, which is much faster.

    Args:
        population: The genomes, whose arrays fit together (`NeatPopulation.find_fault`).
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
        feed_forward: True for feed-forward networks, where a cycle is a fault.
    """
    node_owner, link_owner = (
        np.repeat(np.arange(len(population)), np.diff(start))
        for start in (population.node_start, population.connection_start)
    )
    nodes = node_owner * SPAN + population.node_key
    sources, targets = (link_owner * SPAN + end for end in (population.source, population.target))
    pins = (population.source < 0) & (population.source >= -inputs)
    # The genomes with each kind of fault.
    suspects = [
        node_owner[population.node_key < 0],
        node_owner[~_is_place(population.activation, len(ACTIVATIONS))],
        node_owner[~_is_place(population.aggregation, len(AGGREGATIONS))],
        node_owner[~np.isfinite(population.bias) | ~np.isfinite(population.response)],
        _owners_of_repeated(node_owner, population.node_key),
        link_owner[~np.isfinite(population.weight)],
        link_owner[~pins & ((population.source < 0) | ~np.isin(sources, nodes))],
        link_owner[(population.target < 0) | ~np.isin(targets, nodes)],
        _owners_of_repeated(link_owner, population.source, population.target),
        _owners_of_repeated(link_owner, population.innovation),
    ]
    found = np.concatenate(suspects)
    if not len(found) and feed_forward:
        found = link_owner[_lie_on_cycles(nodes, sources, targets)]
    for genome in found[:1].tolist():
        return find_fault(population, genome, inputs, outputs, feed_forward)
    return None


def _is_place(codes: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
    return (codes >= 0) & (codes < count)


def _owners_of_repeated(owner: Array, *keys: Array) -> Array:
    """Return the owner of each gene that agrees in all *keys* with another gene of that owner."""
    columns = [owner, *keys]
    order = np.lexsort(columns)
    equal = [np.diff(column[order]) == 0 for column in columns]
    return owner[order][1:][np.logical_and.reduce(equal)]


def _lie_on_cycles(nodes: Array, sources: Array, targets: Array) -> NDArray[np.bool_]:
    """Mark the connections on or behind a cycle: those that Kahn's algorithm can't order."""
    ends = np.sort(nodes)
    left = np.isin(sources, nodes)  # connections from inputs are on no cycle
    source, target = np.searchsorted(ends, sources), np.searchsorted(ends, targets)
    while left.any():
        # Connections whose source no remaining connection reaches are on no cycle.
        reached = np.bincount(target[left], minlength=len(ends) + 1) > 0
        after = left & reached[source]
        if np.array_equal(after, left):
            break
        left = after
    return left


def _find_node_fault(
    population: NeatPopulation, genes: slice, keys: list[int], outputs: int
) -> str | None:
    if keys[:outputs] != list(range(outputs)):
        return f"its first {outputs} nodes are not the outputs, 0 to {outputs - 1}"
    for place, key in enumerate(keys, start=genes.start):
        if key < 0:
            return f"node {key} has the key of an input"
        for name in ("bias", "response"):
            number = getattr(population, name)[place]
            if not np.isfinite(number):
                return f"node {key} has the {name} {number}"
        for name, known in (("activation", ACTIVATIONS), ("aggregation", AGGREGATIONS)):
            code = getattr(population, name)[place]
            if not 0 <= code < len(known):
                return f"node {key} has the {name} {code}, expected 0 to {len(known) - 1}"
    twice = _find_repeated(keys)
    return None if twice is None else f"node {twice} occurs twice"


def _find_connection_fault(
    population: NeatPopulation,
    links: slice,
    pairs: list[tuple[int, int]],
    keys: set[int],
    inputs: int,
) -> str | None:
    for (source, target), weight in zip(pairs, population.weight[links], strict=True):
        name = f"connection {source} -> {target}"
        if source not in keys and not -inputs <= source < 0:
            return f"{name} comes from nowhere: there is no {source}"
        if target not in keys:
            kind = "an input" if target < 0 else "a node that does not exist"
            return f"{name} leads to {kind}"
        if not np.isfinite(weight):
            return f"{name} has the weight {weight}"
    pair = _find_repeated(pairs)
    if pair is not None:
        return f"connection {pair[0]} -> {pair[1]} occurs twice"
    number = _find_repeated(population.innovation[links].tolist())
    return None if number is None else f"two connections have the innovation number {number}"


def _find_repeated(items: Iterable[Item]) -> Item | None:
    seen: set[Item] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def _find_cycle(pairs: list[tuple[int, int]]) -> str | None:
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for source, target in pairs:
        sorter.add(target, source)
    try:
        sorter.prepare()
    except CycleError as error:
        return "its connections make a cycle: " + " -> ".join(map(str, error.args[1]))
    return None
