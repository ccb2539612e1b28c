"""NEAT genomes as networks: arrays that compiled code reads, and the pass over them.

A network is a list of steps, one for each node that an output depends on, and a pass goes
through both of its arrays once, from the beginning to the end. Layout of one network:

- ``structure`` (``int32``): the number of steps; then for each step the slot that it fills,
  the codes of its activation and aggregation, the number of its connections, and for each
  connection the slot from which it comes;
- ``numbers`` (``float64``): for each step its bias, its response and the weights of its
  connections.

A slot is a place in a *plane* of values (``float64``): first the inputs, then the outputs,
then the other nodes. A node's value is activation(bias + response * aggregation(weight *
value, ...)). Connections stand in the order of the genome's genes, and nothing is fused or
reordered, so the values are those of neat-python, bit for bit.

A feed-forward network reads and fills one plane; every node stands after those it depends
on. A recurrent one reads the plane of the activation before and fills another: whoever tries
several moves from one state fills a plane for each, and that of the chosen move becomes the
state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
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
    """The networks of a population; the file's first lines say how they are laid out."""

    inputs: int
    outputs: int
    feed_forward: bool
    structure: NDArray[np.int32]
    """All structures, one after the other."""
    numbers: NDArray[np.float64]
    """All numbers, one after the other."""
    structure_at: NDArray[np.int64]
    """Where each network's structure begins, shape ``(genomes,)``."""
    numbers_at: NDArray[np.int64]
    """Where each network's numbers begin, shape ``(genomes,)``."""
    slots: NDArray[np.int32]
    """How many slots a plane of each network has, shape ``(genomes,)``."""
    terms: NDArray[np.int32]
    """How many numbers of workspace a pass takes, shape ``(genomes,)``: the most connections of
    a node that does not just add up."""


def compile_graphs(
    population: NeatPopulation, inputs: int, outputs: int, feed_forward: bool
) -> Graphs:
    """The networks that the genomes of *population* make.

    As in neat-python, disabled connections do not count, and neither do nodes on which no
    output depends. In a feed-forward network a node to which no connection leads has the
    value activation(bias), or activation(bias + response) if it multiplies; nodes in a cycle
    or behind one have none, and an output among them is 0. In a recurrent network a node to
    which no connection leads is 0. Where neat-python fails, at ends that do not exist, the
    connection is left out; :mod:`evolve_arena.genomes.neat.faults` names such genomes.

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
    structure: Any,
    structure_at: int,
    numbers: Any,
    numbers_at: int,
    values: Any,
    read_at: int,
    write_at: int,
    workspace: Any,
) -> None:
    """Activates a network once.

    Args:
        structure: Structures of networks.
        structure_at: Where that of this one begins.
        numbers: Numbers of networks.
        numbers_at: Where those of this one begin.
        values: Planes of values.
        read_at: Where the plane begins from which nodes take values; its first slots hold the
            inputs.
        write_at: Where the plane begins into which they put theirs: the same one for a
            feed-forward network, another for a recurrent one. From its slot ``inputs`` on
            the outputs then stand; its first slots stay as they are.
        workspace: Room for as many numbers as the network has ``terms``.
    """
    at, number = structure_at + 1, numbers_at
    for _ in range(peek(structure, structure_at)):
        slot, activation = peek(structure, at), peek(structure, at + 1)
        aggregation, count = peek(structure, at + 2), peek(structure, at + 3)
        bias, response = peek(numbers, number), peek(numbers, number + 1)
        at += STEP_INTEGERS
        number += STEP_NUMBERS
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
def clear_plane(values: Any, at: int, slots: int) -> None:
    """Sets all *slots* of the plane at ``values[at]`` to 0.

    All planes of a recurrent network have to be cleared before a match.
    """
    for place in range(at, at + slots):
        poke(values, place, 0.0)


def evaluate(graphs: Graphs, genome: int, inputs: NDArray[Any]) -> NDArray[np.float64]:
    """The outputs of one network for *inputs*, row by row.

    A recurrent network begins with a cleared state and remembers what came in earlier rows.

    Args:
        graphs: The networks.
        genome: Which one of them.
        inputs: Shape ``(rows, inputs)``.

    Returns:
        Shape ``(rows, outputs)``.

    Raises:
        BadValueError: *inputs* has another shape.
    """
    return _evaluate(graphs, genome, inputs)[0]


def evaluate_slots(graphs: Graphs, genome: int, inputs: NDArray[Any]) -> NDArray[np.float64]:
    """What stands in each slot of a network after one row of *inputs*.

    First the inputs, then the outputs, then other nodes. A recurrent network begins with a cleared
    state.

    Args:
        graphs: The networks.
        genome: Which one of them.
        inputs: Shape ``(inputs,)``.
    """
    values, slots = _evaluate(graphs, genome, inputs[None])[1], graphs.slots[genome]
    if not graphs.feed_forward:
        values = values[slots:].copy()
        values[: graphs.inputs] = inputs
    return values[:slots]


def _evaluate(
    graphs: Graphs, genome: int, inputs: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The outputs for each row of *inputs*, and what stands in all slots in the end."""
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
    graphs: Graphs, genome: int, rows: Any, values: Any, workspace: Any, results: Any
) -> None:
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
