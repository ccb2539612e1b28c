"""Networks of exported bots as Python: templates that evaluate them, and their constants.

It also prepares the data that Python and C (`evolve_arena.runs.export.c`) write in different forms:
layers, the nodes of graphs and the tables of tuples.
"""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import Array
from evolve_arena.genomes import network
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import Graphs, compile_graphs
from evolve_arena.genomes.neat.steps import STEP_INTEGERS, STEP_NUMBERS
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.stacks import list_tuples
from evolve_arena.players.board.workspace import plane_words
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer
from evolve_arena.players.packed import INPUTS_AT
from evolve_arena.players.tuples import TupleDecoder, TuplePlayer
from evolve_arena.runs.export import WIDTH, cut, read_template

if TYPE_CHECKING:
    from evolve_arena.players.board.networks import (
        BoardTupleDecoder,
        GraphDecoder,
        NetworkDecoder,
    )

INDENT = " " * 8
SPACE = "\xa0"
"""Placeholder for spaces at which lines must not be broken."""
LIBRARY = "That holds as long as exp, tanh and the like are those of the same C library."
"""Condition under which an exported graph chooses the same moves, for the file's docstring."""
SCALE = {"sigmoid": float(network.SIGMOID_SCALE), "tanh": float(network.TANH_SCALE)}
POLYNOMIAL = tuple(
    float(coefficient)
    for coefficient in (network.P5, network.P4, network.P3, network.P2, network.P1, network.P0)
)


@dataclass(frozen=True)
class NetworkSource:
    """Source code of a network for an exported file."""

    templates: tuple[str, ...]
    """Names of the templates that evaluate such networks."""
    constants: str
    """Lines that define the network, in place of the template's section "The network"."""
    description: tuple[str, ...]
    """Its description in lines, for the file's docstring."""
    remark: str = ""
    """Further sentence for that docstring."""

    def sections(self) -> dict[str, str]:
        """Return the sections of the templates, by title, without "The network" and the like."""
        found: dict[str, str] = {}
        for template in self.templates:
            for title, text in cut(read_template(template)).items():
                found.setdefault(title, text)
        return {title: text for title, text in found.items() if not title.startswith("The ")}


def describe_network(player: EvolvedPlayer) -> NetworkSource:
    """Describe the network of a player of a board game, as ``evaluate_planes`` evaluates it."""
    decoder = player.decoder
    if isinstance(player, TuplePlayer):
        return _describe_tuples(player)
    bits = "" if decoder.encoding == "features" else _write_bits(decoder)
    is_graph = isinstance(player, NeatPlayer)
    if not decoder.is_dense and is_graph:
        return describe_nodes(player, ("board_graph.py",), bits)
    if not decoder.is_dense:
        return describe_layers(player, ("board_mlp.py",), "what each bit that is seen adds")
    seen = f"""\
# How many inputs the planes of bits have.
SEEN = {decoder.board.inputs if bits else 0}
{bits or "BITS = []" + chr(10)}"""
    if is_graph:
        seen += f"# What each input is multiplied by.\nSCALES = {[1.0] * decoder.inputs!r}\n"
        return describe_nodes(player, ("board_numbers.py", "numbers_graph.py"), seen)
    templates, adds = ("board_numbers.py", "numbers_mlp.py"), "what each input is multiplied by"
    return describe_layers(player, templates, f"{adds} for each unit", seen)


# Layers


class LayeredDecoder(Protocol):
    """A decoder of multilayer perceptrons."""

    @property
    def mlp(self) -> MLP:
        """Sizes and activation of the layers."""
        ...

    @property
    def activation(self) -> str:
        """Name of the hidden units' activation."""
        ...


class SizedDecoder(Protocol):
    """A decoder of graphs with numbers of inputs and outputs."""

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        ...

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        ...


def find_first_layer(player: EvolvedPlayer) -> Array:
    """Return the biases and weights of the first layer, shape ``(1 + inputs, units)``.

    The first row has the biases. As in the arena, numbers are ``float32``, or ``int32`` in units of
    1/65536 where the network reads planes of bits, or a tensor of OpenSpiel.
    """
    decoder = player.decoder
    mlp, units = decoder.mlp, decoder.mlp.sizes[1]
    if decoder.is_dense:
        weights = expand_genome(player)[: units * (1 + mlp.inputs)].reshape(-1, units)
        return np.roll(weights, 1, axis=0)
    rows = player.packed.columns.reshape(1 + decoder.board.features, -1)[:, :units]
    if not isinstance(player.game, BoardGame):
        return rows[: 1 + mlp.inputs]
    return rows[[0, *(1 + bit for bit in list_bits(player.game.code))]]


def list_bits(code: ModuleType) -> list[int]:
    """Return the positions in the planes' words of all bits that networks read, by plane."""
    plane_bits = 64 * plane_words(code)
    return [plane_bits * plane + cell for plane in range(code.PLANES) for cell in range(code.CELLS)]


def expand_genome(player: EvolvedPlayer) -> NDArray[np.float32]:
    """Return all weights and biases that the genome of a *player* encodes, layer by layer; flat."""
    genome: NDArray[np.float32] = np.asarray(player.genome, dtype=np.float32)[None]
    expanded: NDArray[np.float32] = player.decoder.expand(genome)[0]
    return expanded


def list_later_layers(sizes: Sequence[int], genome: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the biases and weights of all layers but the first, layer by layer; flat.

    The weights of a layer have a row for each unit of the layer before. *sizes* are the numbers of
    units of all layers, including the inputs; *genome* has all weights and biases.
    """
    at = (sizes[0] + 1) * sizes[1]
    parts = [np.zeros(0, dtype=np.float32)]
    for before, after in pairwise(sizes[1:]):
        weights = genome[at : at + before * after]
        at += (before + 1) * after
        parts += [genome[at - after : at], weights]
    return np.concatenate(parts)


def describe_units(decoder: LayeredDecoder) -> str:
    """Describe the layers of a *decoder* in a line."""
    return f"network: {'-'.join(map(str, decoder.mlp.sizes))} units, {decoder.activation}"


def describe_layers(
    player: EvolvedPlayer, templates: tuple[str, ...], adds: str, constants: str = ""
) -> NetworkSource:
    """Describe the perceptron of *player* as source code.

    Args:
        player: Player with the perceptron.
        templates: Templates that encode positions and decide by outputs.
        adds: Meaning of the first layer's weights, in words, for a comment.
        constants: Lines that these templates need.
    """
    mlp, rows = player.decoder.mlp, find_first_layer(player)
    kind = "float32" if rows.dtype.kind == "f" else "int32, in units of 1/65536"
    later = list_later_layers(mlp.sizes, expand_genome(player))
    polynomial = "".join(f"    {number!r},\n" for number in POLYNOMIAL)
    return NetworkSource(
        templates=(*templates, "mlp.py"),
        constants=f'''\
{constants}# Biases, then {adds}: base64 of {kind}.
FIRST_LAYER = """
{_write_base64(rows)}"""
ACTIVATION = "{mlp.activation}"
# How many units each layer after the inputs has.
UNITS = {mlp.sizes[1:]!r}
# Biases, then a row of weights per unit of the layer before; and so on: base64 of float32.
LATER_LAYERS = """
{_write_base64(later)}"""
# Constants of the activation function, rounded to 32 bits.
SCALE = {SCALE!r}
POLYNOMIAL = (
{polynomial})
''',
        description=(describe_units(player.decoder),),
    )


def _write_base64(numbers: Array) -> str:
    """Write numbers of 32 bits as lines of base64, little-endian."""
    data = numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()
    return base64.encodebytes(data).decode("ascii")


def _write_bits(decoder: NetworkDecoder | GraphDecoder) -> str:
    """Write the constant that maps each bit of the planes to an input and the value it adds."""
    code, board = decoder.game.code, decoder.board
    bits = [
        [(max(0, int(board.index[bit])), float(board.factor[bit])) for bit in plane]
        for plane in np.reshape(list_bits(code), (code.PLANES, code.CELLS))
    ]
    return (
        "# For each bit of each word that is seen an input, and what it adds to it.\n"
        f"BITS = {_fill(bits)}\n"
    )


def _fill(value: object) -> str:
    """Write a constant as source code, wrapped into lines."""
    return textwrap.fill(repr(value), WIDTH, subsequent_indent="    ")


# Graphs


@dataclass(frozen=True)
class Node:
    """Evaluation of a node, as a step of a compiled graph; its output goes to its slot."""

    slot: int
    activation: str
    aggregation: str
    bias: float
    response: float
    connections: list[tuple[int, float]]
    """Source slot and weight of each connection."""


def describe_nodes(
    player: EvolvedPlayer, templates: tuple[str, ...], constants: str
) -> NetworkSource:
    """Describe the graph of *player* as source code, step by step as the arena evaluates it.

    Args:
        player: Player with the graph.
        templates: Templates that encode positions and decide by outputs.
        constants: Lines that these templates need.
    """
    decoder, (slots, nodes) = player.decoder, find_nodes(player)
    return NetworkSource(
        templates=(*templates, "graph.py"),
        constants=f"""\
{constants}\
# Slots are places in a list of numbers: first the inputs, then the outputs, then other nodes.
INPUTS, SLOTS = {decoder.inputs}, {slots}
# Nodes: slot, activation, aggregation, bias, response, and for each connection the slot from
# which it comes and its weight. What has no effect on any output is left out.
NODES = [
{"".join(map(_write_node, nodes))}]
""",
        description=describe_graph(decoder, nodes),
        remark=LIBRARY,
    )


def find_nodes(player: EvolvedPlayer) -> tuple[int, list[Node]]:
    """Return the number of slots of the graph of a *player*, and its steps of evaluation."""
    decoder = player.decoder
    graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, feed_forward=True)
    return int(graphs.slots[0]), list(read_nodes(graphs))


def read_nodes(graphs: Graphs) -> Iterator[Node]:
    """Yield the steps of the only network in *graphs*."""
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


def describe_graph(decoder: SizedDecoder, nodes: list[Node]) -> tuple[str, ...]:
    """Describe a graph of these *nodes* in lines."""
    connections = sum(len(node.connections) for node in nodes)
    return (
        f"network: feed-forward NEAT graph, inputs {decoder.inputs}, hidden nodes"
        f" {len(nodes) - decoder.outputs}, outputs {decoder.outputs}, connections {connections}",
        f"activations: {_count(node.activation for node in nodes)}",
        f"aggregations: {_count(node.aggregation for node in nodes)}",
    )


def _count(names: Iterator[str]) -> str:
    """Write each name with its count, the most frequent first."""
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


# Tuples


def find_numbers(player: EvolvedPlayer) -> NDArray[np.int32]:
    """Return the tables of all tuples, flat: the value of each entry, in units of 1/65536."""
    return player.packed.columns[int(player.packed.seats[0, INPUTS_AT]) :]


def find_terms(decoder: BoardTupleDecoder, cells: Array) -> list[tuple[int, list[tuple[int, ...]]]]:
    """Return each tuple's index of its first entry and its relevant cells, in a game of stacks.

    Each cell is given by its number and by the amounts that an empty cell, an own piece and another
    player's piece there add to the entry's index.
    """
    found, _ = list_tuples(cells, decoder.game.grid.shape)
    return [(first, [(cell, 0, *adds) for cell, *adds in terms]) for first, terms in found]


def describe_views(decoder: TupleDecoder, cells: Array) -> str:
    """Describe a network with tuples of these *cells* in a line."""
    views = len(decoder.views)
    return f"network: {len(cells)} tuples of {len(cells[0])} cells, in {views} views"


def _write_numbers(numbers: NDArray[np.int32]) -> str:
    """Write the numbers of tables, most of which may be 0, as source code."""
    places = np.flatnonzero(numbers)
    unit = int(np.gcd.reduce(numbers, initial=0)) or 1
    given = numbers[places] // unit
    most = int(abs(given).max(initial=0))
    kind = next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)
    gaps = np.diff(places, prepend=-1) - 1
    zeros = np.full(int((gaps // 255 + 1).sum()), 255, dtype=np.uint8)
    zeros[np.cumsum(gaps // 255 + 1) - 1] = gaps % 255
    data = given.astype(np.dtype(kind).newbyteorder("<")).tobytes() + zeros.tobytes()
    packed = base64.b85encode(zlib.compress(data, 9)).decode("ascii")
    return f'''\
# What each entry of each tuple is worth, in units of 1/65536: how many numbers, and how many that
# are not 0; these in multiples of a number, and their type; base85, of zlib, of the latter and of
# bytes that say how many zeros come before each, or if 255 that there are more.
NUMBER_COUNT, GIVEN, UNIT, KIND = {len(numbers)}, {len(given)}, {unit}, "{np.dtype(kind).char}"
NUMBERS = """
{textwrap.fill(packed, WIDTH)}
"""
'''


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    decoder = player.decoder
    read, cells, numbers = decoder.reading, player.genome.cells[0], find_numbers(player)
    templates: tuple[str, ...] = ("board_tuples.py",)
    if decoder.game.stacks:
        templates = ("board_stacks.py", *templates)
        constants = f"""\
# The bit of each cell, row by row from the top.
GRID = {_fill(decoder.game.grid.ravel().tolist())}
# For each tuple its first entry, and the cells that matter: what an own and another's piece adds.
TUPLES = {_fill(find_terms(decoder, cells))}
"""
    else:
        constants = f"""\
# How many cells tuples read, how many contents each can have, how many planes and which bits of
# each count, and what these do: how far a plane and a bit are from the next one, and from that what
# they add.
READ, CONTENTS, READ_PLANES = {read.cells}, {read.kinds}, {read.planes}
BITS = {_fill(list(read.bits))}
PLANE_STEP, BIT_STEP, KIND_STEP = {read.plane_step}, {read.bit_step}, {read.kind_step}
TUPLES = {_fill(cells.tolist())}
"""
    return NetworkSource(
        templates=templates,
        constants=f"""\
{constants}\
# Where each cell lies in each view of the board.
VIEWS = {_fill(decoder.views.tolist())}
# How many numbers each entry has, of which one counts by what is seen beside the planes.
TABLES = {len(decoder.sides)}
# How many of these numbers, the last ones of a table, are for the number of pieces in each plane.
COUNTS = {decoder.count_weights // int(decoder.game.code.PLANES)}
{_write_numbers(numbers)}""",
        description=(
            describe_views(decoder, cells),
            f"numbers: {len(numbers):,}, of which {np.count_nonzero(numbers):,} are not 0",
        ),
    )
