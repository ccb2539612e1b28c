"""NEAT graphs as source code: every node with its connections, in the order of evaluation."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import Graphs, compile_graphs
from evolve_arena.genomes.neat.steps import STEP_INTEGERS, STEP_NUMBERS
from evolve_arena.players.bred import NeatPlayer
from evolve_arena.runs.export import NetworkSource

TEMPLATE = Path(__file__).with_name("templates") / "graph.py"
WIDTH = 96
INDENT = " " * 8
SPACE = "\xa0"
"""A space at which a line is not to be broken."""


@dataclass(frozen=True)
class Node:
    """A step of a compiled graph; see :mod:`evolve_arena.genomes.neat.graph`."""

    slot: int
    activation: str
    aggregation: str
    bias: float
    response: float
    connections: list[tuple[int, float]]
    """The slot from which each one comes, and its weight."""


def write_nodes(decoder: Any, slots: int, nodes: list[Node]) -> str:
    """The *nodes* for a *decoder* as Python, with how many *slots* there are."""
    return f"""\
# Slots are places in a list of numbers: first the inputs, then the outputs, then other nodes.
INPUTS, SLOTS = {decoder.inputs}, {slots}
# Nodes: slot, activation, aggregation, bias, response, and for each connection the slot from
# which it comes and its weight. What has no effect on any output is left out.
NODES = [
{"".join(map(_write_node, nodes))}]
"""


def describe_nodes(
    player: NeatPlayer,
    template: Path,
    constants: str,
    *,
    evaluator: Path = TEMPLATE,
    write: Callable[[Any, int, list[Node]], str] = write_nodes,
) -> NetworkSource:
    """The graph of *player* as source code: what the arena evaluates, step by step.

    Args:
        player: Whose graph it is.
        template: What shows positions to the graph, and decides by its outputs.
        constants: What that needs to know, as lines.
        evaluator: What evaluates the graph.
        write: Writes its nodes as lines, like :func:`write_nodes`.
    """
    decoder: Any = player.decoder
    graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, feed_forward=True)
    nodes = list(read_nodes(graphs))
    return NetworkSource(
        templates=(template, evaluator),
        constants=constants + write(decoder, int(graphs.slots[0]), nodes),
        description=tuple(_describe(decoder, nodes)),
        remark="That holds as long as exp, tanh and the like are those of the same C library.",
    )


def read_nodes(graphs: Graphs) -> Iterator[Node]:
    """The steps of the only network in *graphs*."""
    structure, numbers = graphs.structure.tolist(), graphs.numbers.tolist()
    at, number = 1, 0
    for _ in range(structure[0]):
        slot, activation, aggregation, count = structure[at : at + STEP_INTEGERS]
        bias, response = numbers[number : number + STEP_NUMBERS]
        at, number = at + STEP_INTEGERS, number + STEP_NUMBERS
        sources, weights = structure[at : at + count], numbers[number : number + count]
        at, number = at + count, number + count
        names = ACTIVATIONS[activation], AGGREGATIONS[aggregation]
        yield Node(slot, *names, bias, response, list(zip(sources, weights, strict=True)))


def _describe(decoder: Any, nodes: list[Node]) -> Iterator[str]:
    connections = sum(len(node.connections) for node in nodes)
    hidden = len(nodes) - decoder.outputs
    yield (
        f"network: feed-forward NEAT graph, inputs {decoder.inputs}, hidden nodes {hidden},"
        f" outputs {decoder.outputs}, connections {connections}"
    )
    yield f"activations: {_count(node.activation for node in nodes)}"
    yield f"aggregations: {_count(node.aggregation for node in nodes)}"


def _count(names: Iterator[str]) -> str:
    """Each name with how often it occurs, the commonest first."""
    return ", ".join(f"{name} {times}" for name, times in Counter(names).most_common())


def _write_node(node: Node) -> str:
    head = (
        f'    ({node.slot}, "{node.activation}", "{node.aggregation}",'
        f" {node.bias!r}, {node.response!r}, ["
    )
    links = ", ".join(f"({slot},{SPACE}{weight!r})" for slot, weight in node.connections)
    body = textwrap.wrap(
        links,
        WIDTH,
        initial_indent=INDENT,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    lines = [head, *(line.replace(SPACE, " ") for line in body), "    ]),"]
    return "".join(f"{line}\n" for line in lines) if body else f"{head}]),\n"
