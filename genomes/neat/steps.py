"""Compilation of genes into the steps of a network: needed nodes, their order and their slots.

:mod:`evolve_arena.genomes.neat.graph` describes the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Number
from evolve_arena.genomes.neat.functions import IDENTITY, SUM
from evolve_arena.genomes.neat.genes import Genes
from evolve_arena.genomes.neat.population import NeatPopulation

if TYPE_CHECKING:
    from evolve_arena.genomes.neat.graph import Graphs

STEP_INTEGERS, STEP_NUMBERS = 4, 2
"""Size of a step in ``structure`` and in ``numbers``, without its connections."""

NONE = -1
WRITTEN = -1


class NeatWorkspace(NamedTuple):
    """Scratch space for the compilation of one genome.

    Nodes are numbered by ascending keys, connections by their places in the genome.
    """

    key: NDArray[np.int32]
    gene: NDArray[np.int32]
    """The place of each node's gene among those of the genome."""
    needed: NDArray[np.int32]
    """1 for a node on which an output depends."""
    waiting: NDArray[np.int32]
    """The number of each node's source nodes that are not yet ordered; WRITTEN once its step is
    written."""
    slot: NDArray[np.int32]
    order: NDArray[np.int32]
    """Nodes to visit; later the nodes in the order of their steps."""
    first_in: NDArray[np.int32]
    """The first connection to each node; NONE if there is none, here and below."""
    last_in: NDArray[np.int32]
    first_out: NDArray[np.int32]
    """A connection from each node."""
    source: NDArray[np.int32]
    """The source node of each connection, or the negative key of an input."""
    target: NDArray[np.int32]
    next_in: NDArray[np.int32]
    """The next connection to the same node."""
    next_out: NDArray[np.int32]
    """Another connection from the same node."""


def make_workspace(population: NeatPopulation) -> NeatWorkspace:
    """Make the scratch space for any genome of *population*."""
    nodes = int(np.diff(population.node_start).max(initial=0))
    connections = int(np.diff(population.connection_start).max(initial=0))
    sizes = [nodes] * 9 + [connections] * 4
    return NeatWorkspace._make(np.empty(size, dtype=np.int32) for size in sizes)


@compiled
def write_networks(genes: Genes, workspace: NeatWorkspace, graphs: Graphs) -> None:
    """Fill in the :class:`~evolve_arena.genomes.neat.graph.Graphs` of *genes*.

    Args:
        genes: Genes of the population.
        workspace: Scratch space for any of its genomes.
        graphs: Receives the networks, in arrays that are large enough. ``structure_at`` and
            ``numbers_at`` have one more place than there are genomes, for the end of the last
            network; both begin with 0.
    """
    for genome in range(graphs.slots.shape[0]):
        nodes = _sort_nodes(genes, genome, workspace)
        _link_connections(genes, genome, graphs.inputs, nodes, workspace)
        _find_needed(graphs.outputs, nodes, workspace)
        if graphs.feed_forward:
            steps = _order_by_dependence(nodes, workspace)
        else:
            steps = _list_connected(nodes, workspace)
        graphs.slots[genome] = _give_slots(graphs, nodes, steps, workspace)
        _write_network(genes, genome, nodes, steps, workspace, graphs)


@inlined
def _sort_nodes(genes: Genes, genome: int, workspace: NeatWorkspace) -> Number:
    """Sort the nodes of a genome by their keys, and return how many there are."""
    start = genes.node_start[genome]
    nodes = genes.node_start[genome + 1] - start
    for node in range(nodes):
        key = genes.node_key[start + node]
        # Insertion sort, as most keys are in order already.
        place = node
        while place > 0 and workspace.key[place - 1] > key:
            workspace.key[place] = workspace.key[place - 1]
            workspace.gene[place] = workspace.gene[place - 1]
            place -= 1
        workspace.key[place], workspace.gene[place] = key, node
    return nodes


@inlined
def _find_node(key: Number, nodes: int, workspace: NeatWorkspace) -> Number:
    """Return the number of the node with that *key*, or NONE."""
    if 0 <= key < nodes and workspace.key[key] == key:  # as always without deleted nodes
        return np.int64(key)
    # Binary search.
    low, high = np.int64(0), np.int64(nodes)
    while low < high:
        middle = (low + high) >> 1
        if workspace.key[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < nodes and workspace.key[low] == key else np.int64(NONE)


@inlined
def _link_connections(
    genes: Genes, genome: int, inputs: int, nodes: int, workspace: NeatWorkspace
) -> None:
    """Link the enabled connections into lists: those to each node, and those from it."""
    for node in range(nodes):
        workspace.first_in[node] = workspace.first_out[node] = NONE
        workspace.waiting[node] = 0
    start = genes.connection_start[genome]
    for connection in range(genes.connection_start[genome + 1] - start):
        gene = start + connection
        source: Number = np.int64(genes.source[gene])
        target = _find_node(genes.target[gene], nodes, workspace)
        if (
            not genes.enabled[gene]
            or source < -inputs
            or target == NONE
            or workspace.key[target] < 0
        ):
            continue
        # The list of connections from a node, the last one first.
        if source >= 0:
            source = _find_node(source, nodes, workspace)
            if source == NONE:
                continue
            workspace.next_out[connection] = workspace.first_out[source]
            workspace.first_out[source] = connection
            workspace.waiting[target] += 1
        # The list of connections to a node, in the order of genes.
        workspace.source[connection], workspace.target[connection] = source, target
        workspace.next_in[connection] = NONE
        if workspace.first_in[target] == NONE:
            workspace.first_in[target] = connection
        else:
            workspace.next_in[workspace.last_in[target]] = connection
        workspace.last_in[target] = connection


@inlined
def _find_needed(outputs: int, nodes: int, workspace: NeatWorkspace) -> None:
    """Mark the nodes with a path to an output."""
    for node in range(nodes):
        workspace.needed[node] = 0
    found = 0
    for output in range(outputs):
        node = _find_node(output, nodes, workspace)
        if node != NONE:
            workspace.needed[node] = 1
            workspace.order[found] = node
            found += 1
    # Backwards along connections, depth first.
    while found > 0:
        found -= 1
        connection = workspace.first_in[workspace.order[found]]
        while connection != NONE:
            source = workspace.source[connection]
            if source >= 0 and workspace.needed[source] == 0:
                workspace.needed[source] = 1
                workspace.order[found] = source
                found += 1
            connection = workspace.next_in[connection]


@inlined
def _order_by_dependence(nodes: int, workspace: NeatWorkspace) -> int:
    """List the needed nodes, each after those it depends on, and return how many there are.

    Nodes in a cycle or behind one are left out. Source: Kahn, "Topological sorting of large
    networks", Communications of the ACM 5 (1962).
    """
    found = 0
    for node in range(nodes):
        if workspace.needed[node] and workspace.waiting[node] == 0:
            workspace.order[found] = node
            found += 1
    done = 0
    while done < found:
        connection = workspace.first_out[workspace.order[done]]
        done += 1
        while connection != NONE:
            target = workspace.target[connection]
            workspace.waiting[target] -= 1
            if workspace.needed[target] and workspace.waiting[target] == 0:
                workspace.order[found] = target
                found += 1
            connection = workspace.next_out[connection]
    return found


@inlined
def _list_connected(nodes: int, workspace: NeatWorkspace) -> int:
    """List the needed nodes with incoming connections, and return how many there are."""
    found = 0
    for node in range(nodes):
        if workspace.needed[node] and workspace.first_in[node] != NONE:
            workspace.order[found] = node
            found += 1
    return found


@inlined
def _give_slots(graphs: Graphs, nodes: int, steps: int, workspace: NeatWorkspace) -> int:
    """Give every needed node a slot, first those with a step, and return the number of slots.

    In a recurrent network other nodes read the 0 of a node without a step.
    """
    for node in range(nodes):
        key = workspace.key[node]
        workspace.slot[node] = graphs.inputs + key if 0 <= key < graphs.outputs else NONE
    slots = graphs.inputs + graphs.outputs
    # Outputs have fixed slots; other nodes follow in the order of their steps.
    for place in range(steps):
        node = workspace.order[place]
        if workspace.slot[node] == NONE:
            workspace.slot[node] = slots
            slots += 1
    for node in range(nodes):
        if workspace.needed[node] and workspace.slot[node] == NONE:
            workspace.slot[node] = slots
            slots += 1
    return slots


@inlined
def _write_network(
    genes: Genes, genome: int, nodes: int, steps: int, workspace: NeatWorkspace, graphs: Graphs
) -> None:
    """Write the steps, and for every output without one a step that gives 0."""
    begin, number = graphs.structure_at[genome], graphs.numbers_at[genome]
    at, written = begin + 1, steps
    for place in range(steps):
        node = workspace.order[place]
        workspace.waiting[node] = WRITTEN
        at, number = _write_step(genes, genome, node, workspace, graphs, at, number)
    for output in range(graphs.outputs):
        node = _find_node(output, nodes, workspace)
        if node == NONE or workspace.waiting[node] != WRITTEN:
            written += 1
            graphs.structure[at], graphs.structure[at + 1] = graphs.inputs + output, IDENTITY
            graphs.structure[at + 2], graphs.structure[at + 3] = SUM, 0
            graphs.numbers[number] = graphs.numbers[number + 1] = 0.0
            at, number = at + STEP_INTEGERS, number + STEP_NUMBERS
    graphs.structure[begin] = written
    graphs.structure_at[genome + 1], graphs.numbers_at[genome + 1] = at, number


@inlined
def _write_step(
    genes: Genes,
    genome: int,
    node: int,
    workspace: NeatWorkspace,
    graphs: Graphs,
    at: int,
    number: int,
) -> tuple[int, int]:
    """Write the step of a node from ``structure[at]`` on, and return the next free places."""
    gene = genes.node_start[genome] + workspace.gene[node]
    first = genes.connection_start[genome]
    graphs.structure[at], graphs.structure[at + 1] = workspace.slot[node], genes.activation[gene]
    graphs.structure[at + 2] = genes.aggregation[gene]
    graphs.numbers[number], graphs.numbers[number + 1] = genes.bias[gene], genes.response[gene]
    # Its connections, in the order of genes.
    sources, weights = at + STEP_INTEGERS, number + STEP_NUMBERS
    count = 0
    connection = workspace.first_in[node]
    while connection != NONE:
        source = workspace.source[connection]
        graphs.structure[sources + count] = workspace.slot[source] if source >= 0 else -1 - source
        graphs.numbers[weights + count] = genes.weight[first + connection]
        count += 1
        connection = workspace.next_in[connection]
    graphs.structure[at + 3] = count
    if genes.aggregation[gene] != SUM:
        graphs.terms[genome] = max(graphs.terms[genome], count)
    return sources + count, weights + count
