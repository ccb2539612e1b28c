"""NEAT genomes as networks: their arrays for compiled code, and the forward pass over them.

A network is a list of steps, one for each node that an output depends on, and a pass reads both of
its arrays once, from the beginning to the end. Layout of one network:

- ``structure`` (``int32``): the number of steps; then for each step the slot that it fills, the
  codes of its activation and aggregation, the number of its connections, and for each connection
  the slot of its source;
- ``numbers`` (``float64``): for each step its bias, its response and the weights of its
  connections.

A slot is a place in a *plane* of values (``float64``): first the inputs, then the outputs, then the
other nodes. A node's value is activation(bias + response * aggregation(weight * value, ...)).
Connections are in the order of the genome's genes, and nothing is fused or reordered, so the values
are those of neat-python, bit for bit.

A feed-forward network reads and fills one plane; every node comes after those it depends on. A
recurrent one reads the plane of the previous activation and fills another: to try several moves
from one state, fill a plane for each; that of the chosen move becomes the state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.functions import SUM, activate, aggregate
from evolve_arena.genomes.neat.genes import to_genes
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.neat.steps import (
    STEP_INTEGERS,
    STEP_NUMBERS,
    make_workspace,
    write_networks,
)
from evolve_arena.genomes.simd import peek, poke


class Graphs(NamedTuple):
    """The networks of a population, in the layout that the module's docstring describes."""

    inputs: int
    outputs: int
    feed_forward: bool
    structure: NDArray[np.int32]
    """The structures of all networks, one after the other."""
    numbers: NDArray[np.float64]
    """The biases, responses and weights of all networks, one network after the other."""
    structure_at: NDArray[np.int64]
    """The beginning of each network's structure, shape ``(genomes,)``."""
    numbers_at: NDArray[np.int64]
    """The beginning of each network's numbers, shape ``(genomes,)``."""
    slots: NDArray[np.int32]
    """The number of slots in a plane of each network, shape ``(genomes,)``."""
    terms: NDArray[np.int32]
    """The size of the workspace of a pass, shape ``(genomes,)``: the most connections of a node
    whose aggregation is not a sum."""


def compile_graphs(
    population: NeatPopulation, inputs: int, outputs: int, feed_forward: bool
) -> Graphs:
    """Compile the genomes of *population* into networks.

    As in neat-python, disabled connections do not count, and neither do nodes on which no output
    depends. In a feed-forward network a node without incoming connections has the value
    activation(bias), or activation(bias + response) if it multiplies; nodes in a cycle or behind
    one have no value, and an output among them is 0. In a recurrent network a node without incoming
    connections is 0. Where neat-python fails, at ends that do not exist, the connection is left
    out; :mod:`evolve_arena.genomes.neat.faults` finds such genomes.

    Args:
        population: The genomes.
        inputs: Number of inputs of the networks, at least 1.
        outputs: Number of outputs, at least 1.
        feed_forward: True for feed-forward networks, False for recurrent ones.

    Raises:
        BadValueError: There is less than one input or output.
    """
    if min(inputs, outputs) < 1:
        raise BadValueError(f"{inputs} inputs and {outputs} outputs: at least one of each")
    genomes = len(population)
    connections = len(population.weight)
    steps = len(population.node_key) + genomes * outputs
    graphs = Graphs(
        inputs,
        outputs,
        feed_forward,
        structure=np.empty(genomes + steps * STEP_INTEGERS + connections, dtype=np.int32),
        numbers=np.empty(steps * STEP_NUMBERS + connections, dtype=np.float64),
        structure_at=np.zeros(genomes + 1, dtype=np.int64),
        numbers_at=np.zeros(genomes + 1, dtype=np.int64),
        slots=np.zeros(genomes, dtype=np.int32),
        terms=np.zeros(genomes, dtype=np.int32),
    )
    write_networks(to_genes(population), make_workspace(population), graphs)
    return graphs._replace(
        structure=graphs.structure[: graphs.structure_at[-1]].copy(),
        numbers=graphs.numbers[: graphs.numbers_at[-1]].copy(),
        structure_at=graphs.structure_at[:-1].copy(),
        numbers_at=graphs.numbers_at[:-1].copy(),
    )


@inlined
def run_graph(
    structure: Array,
    structure_at: int,
    numbers: Array,
    numbers_at: int,
    values: Array,
    read_at: int,
    write_at: int,
    workspace: Array,
) -> None:
    """Activate a network once.

    Args:
        structure: Structures of networks, ``int32``; see the module's docstring.
        structure_at: Beginning of this network's structure.
        numbers: Biases, responses and weights of networks, ``float64``.
        numbers_at: Beginning of this network's numbers.
        values: Planes of values, ``float64``.
        read_at: Beginning of the plane that nodes read; its first slots contain the inputs.
        write_at: Beginning of the plane that nodes write: the same one for a feed-forward network,
            another for a recurrent one. Its slots from ``inputs`` on receive the outputs; its first
            slots do not change.
        workspace: Scratch space, ``float64``, for :attr:`Graphs.terms` numbers.
    """
    at, number = structure_at + 1, numbers_at
    for _ in range(peek(structure, structure_at)):
        # The head of a step: its slot, its functions, and the number of its connections.
        slot, activation = peek(structure, at), peek(structure, at + 1)
        aggregation, count = peek(structure, at + 2), peek(structure, at + 3)
        bias, response = peek(numbers, number), peek(numbers, number + 1)
        at += STEP_INTEGERS
        number += STEP_NUMBERS
        # Weighted inputs: sums, the usual case, need no workspace.
        total = 0.0
        if aggregation == SUM:
            for place in range(count):
                value = peek(values, read_at + peek(structure, at + place))
                total += value * peek(numbers, number + place)
        else:
            for place in range(count):
                value = peek(values, read_at + peek(structure, at + place))
                poke(workspace, place, value * peek(numbers, number + place))
            total = aggregate(aggregation, workspace, 0, count)
        poke(values, write_at + slot, activate(activation, bias + response * total))
        at += count
        number += count


@inlined
def clear_plane(values: Array, at: int, slots: int) -> None:
    """Set all *slots* of the plane at ``values[at]`` to 0.

    All planes of a recurrent network have to be cleared before a match.

    Args:
        values: Planes of values, ``float64``.
        at: Beginning of the plane.
        slots: Number of its slots.
    """
    for place in range(at, at + slots):
        poke(values, place, 0.0)


def evaluate(graphs: Graphs, genome: int, inputs: Array) -> NDArray[np.float64]:
    """Return the outputs of one network for *inputs*, row by row.

    A recurrent network begins with a cleared state and remembers earlier rows.

    Args:
        graphs: The networks.
        genome: The network's row.
        inputs: Shape ``(rows, inputs)``.

    Returns:
        Shape ``(rows, outputs)``.

    Raises:
        BadValueError: *inputs* has another shape.
    """
    return _evaluate(graphs, genome, inputs)[0]


def evaluate_slots(graphs: Graphs, genome: int, inputs: Array) -> NDArray[np.float64]:
    """Return the value of each slot of a network after one row of *inputs*.

    The order is inputs, outputs, other nodes. A recurrent network begins with a cleared state.

    Args:
        graphs: The networks.
        genome: The network's row.
        inputs: Shape ``(inputs,)``.
    """
    values, slots = _evaluate(graphs, genome, inputs[None])[1], graphs.slots[genome]
    if not graphs.feed_forward:
        values = values[slots:].copy()
        values[: graphs.inputs] = inputs
    return values[:slots]


def _evaluate(
    graphs: Graphs, genome: int, inputs: Array
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the outputs for each row of *inputs*, and the final values of all slots."""
    if inputs.ndim != 2 or inputs.shape[1] != graphs.inputs:
        raise BadValueError(f"inputs have shape {inputs.shape}, expected (rows, {graphs.inputs})")
    results = np.empty((len(inputs), graphs.outputs), dtype=np.float64)
    values = np.empty(2 * graphs.slots[genome], dtype=np.float64)
    terms = np.empty(graphs.terms[genome], dtype=np.float64)
    rows = np.array(inputs, dtype=np.float64, order="C")
    _evaluate_rows(graphs, genome, rows, values, terms, results)
    return results, values


@compiled
def _evaluate_rows(
    graphs: Graphs, genome: int, rows: Array, values: Array, workspace: Array, results: Array
) -> None:
    # A recurrent network swaps two planes: it reads one and writes the other.
    clear_plane(values, 0, values.shape[0])
    read_at = write_at = 0
    if not graphs.feed_forward:
        write_at = values.shape[0] // 2
    for row in range(rows.shape[0]):
        for slot in range(graphs.inputs):
            poke(values, read_at + slot, rows[row, slot])
        run_graph(
            graphs.structure,
            graphs.structure_at[genome],
            graphs.numbers,
            graphs.numbers_at[genome],
            values,
            read_at,
            write_at,
            workspace,
        )
        for output in range(graphs.outputs):
            results[row, output] = peek(values, write_at + graphs.inputs + output)
        read_at, write_at = write_at, read_at
