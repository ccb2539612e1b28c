"""Networks and sections of exported bots as C: C99 that needs its standard library alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.core.types import Number
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import WIDTH, cut, read_template, write_rule
from evolve_arena.runs.export.networks import (
    LIBRARY,
    POLYNOMIAL,
    SCALE,
    NetworkSource,
    describe_graph,
    describe_units,
    describe_views,
    expand_genome,
    find_first_layer,
    find_nodes,
    find_numbers,
    find_terms,
    list_bits,
    list_later_layers,
)

if TYPE_CHECKING:
    from evolve_arena.players.board.networks import GraphDecoder, NetworkDecoder

POLICIES = ("policy", "kinds")
"""Heads that choose among several outputs by the largest one."""
INCLUDE = re.compile(r"^#include .+\n", re.MULTILINE)


def assemble_c(comment: str, templates: Sequence[str], sections: Mapping[str, str]) -> str:
    """Assemble a C file from *sections*, with the ``#include`` lines of all *templates*.

    Args:
        comment: Description of the file and its use, for its readers.
        templates: Texts that the sections were cut from.
        sections: Texts by their titles, in an order in which all is defined before it is used.
    """
    lines = "".join(f"// {line}".rstrip() + "\n" for line in comment.strip().splitlines())
    includes = {line for template in templates for line in INCLUDE.findall(template)}
    parts = "".join(f"{write_rule(title, '//')}{text}" for title, text in sections.items())
    return f"{lines}\n{''.join(sorted(includes))}\n{parts}"


def arrange_c(inside: NetworkSource) -> dict[str, str]:
    """Return the sections of a network's C code by title, each after those that it depends on.

    The network's constants replace the section "The network" of the template that evaluates it.
    """
    found: dict[str, str] = {}
    for template in reversed(inside.templates):
        for title, text in cut(read_template(template)).items():
            found.setdefault(title, inside.constants if title == "The network" else text)
    return found


def write_array_c(name: str, kind: str, numbers: Iterable[Number]) -> str:
    """Write the definition of an array of constants of a *kind* such as ``int32_t``.

    Args:
        name: Name of the array in C.
        kind: Type of its items in C, such as ``int32_t``.
        numbers: Its items; without any, the array is a single 0.

    >>> print(write_array_c("A", "float", np.array([0.1, np.inf], np.float32)), end="")
    static const float A[] = {
        0.1f, INFINITY,
    };
    """
    return f"static const {kind} {name}[] = {{\n{fill_lines(map(write_number_c, numbers))}}};\n"


def fill_lines(texts: Iterable[str]) -> str:
    """Write *texts* in lines, each followed by a comma; a single 0 if there are none."""
    lines, line = [], "   "
    for text in texts:
        if len(line) + len(text) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {text},"
    if not lines and not line.strip():
        line += " 0,"
    return "\n".join([*lines, line]) + "\n"


def write_number_c(number: Number) -> str:
    """Write a *number* of Python or NumPy as C, exactly.

    >>> [write_number_c(number) for number in (-5, 0.5, -np.inf, -(2**63), np.float32(1e-5))]
    ['-5', '0.5', '-INFINITY', '(-INT64_C(9223372036854775807) - 1)', '1e-05f']
    """
    if isinstance(number, float | np.floating):
        if np.isnan(number):
            return "NAN"
        if np.isinf(number):
            return "INFINITY" if number > 0 else "-INFINITY"
        return f"{number!s}f" if isinstance(number, np.float32) else repr(float(number))
    number = int(number)
    if number == -(2**63):
        return f"(-INT64_C({2**63 - 1}) - 1)"
    if abs(number) < 2**31:
        return str(number)
    return f"INT64_C({number})" if number < 2**63 else f"UINT64_C({number})"


def describe_network(player: EvolvedPlayer) -> NetworkSource:
    """Describe the network of a player of a board game, as ``evaluate_planes`` evaluates it."""
    decoder = player.decoder
    if isinstance(player, TuplePlayer):
        return _describe_tuples(player)
    bits = "" if decoder.encoding == "features" else _write_bits(decoder)
    if isinstance(player, NeatPlayer):
        dense, template = "", "board_graph.c"
        if decoder.is_dense:
            dense, template = "#define IS_DENSE\n", "board_dense_graph.c"
        is_policy = int(decoder.head in POLICIES)
        facts = f"{dense}#define OUTPUT double\n#define IS_POLICY {is_policy}\n{bits}"
        return _describe_nodes(player, template, facts)
    facts = "#define OUTPUT float\n"
    if not decoder.is_dense:
        adds = "what each bit that is seen adds: in units of 1/65536"
        return _describe_layers(player, "board_mlp.c", adds, facts)
    facts += f"#define IS_DENSE\n#define INPUTS {decoder.mlp.inputs}\n{bits}"
    adds = "what each input is multiplied by for each unit"
    return _describe_layers(player, "board_dense.c", adds, facts)


def _write_bits(decoder: NetworkDecoder | GraphDecoder) -> str:
    """Write the constants that map each bit of the planes to an input and the value it adds."""
    board, bits = decoder.board, list_bits(decoder.game.code)
    return f"""\
// For each bit that is seen an input, and what it adds to it.
{write_array_c("BIT_INPUTS", "int", board.index[bits].clip(0).tolist())}\
{write_array_c("BIT_NUMBERS", "double", board.factor[bits].astype(float).tolist())}"""


def _describe_layers(
    player: EvolvedPlayer, template: str, adds: str, constants: str
) -> NetworkSource:
    """Describe a perceptron as C; the other arguments are those of `networks.describe_layers`."""
    decoder = player.decoder
    mlp, rows = decoder.mlp, find_first_layer(player)
    kind = "float" if rows.dtype.kind == "f" else "int32_t"
    scale = np.float32(SCALE.get(mlp.activation, 0.0))
    later = list_later_layers(mlp.sizes, expand_genome(player))
    return NetworkSource(
        templates=(template, "mlp.c"),
        constants=f"""\
{constants}// Biases, then {adds}.
{write_array_c("FIRST_LAYER", kind, rows.ravel())}\
#define IS_POLICY {int(decoder.head in POLICIES)}
#define ACTIVATION {mlp.activation.upper()}
// How many units each layer after the inputs has, how many such layers there are, and how many
// units the widest one has.
#define LAYERS {len(mlp.sizes) - 1}
#define WIDEST {max(mlp.sizes[1:])}
static const int UNITS[] = {{{", ".join(map(str, mlp.sizes[1:]))}}};
// Biases, then a row of weights per unit of the layer before; and so on.
{write_array_c("LATER_LAYERS", "float", later)}\
// Constants of the activation function, rounded to 32 bits.
static const float SCALE = {write_number_c(scale)};
{write_array_c("POLYNOMIAL", "float", np.array(POLYNOMIAL, np.float32))}""",
        description=(describe_units(decoder),),
    )


def _describe_nodes(player: NeatPlayer, template: str, constants: str) -> NetworkSource:
    """Describe a graph as C; the other arguments are those of `networks.describe_nodes`."""
    decoder, (slots, nodes) = player.decoder, find_nodes(player)
    rows, links = "", []
    for node in nodes:
        bias, response = write_number_c(node.bias), write_number_c(node.response)
        functions = f"{node.activation.upper()}, {node.aggregation.upper()}"
        rows += f"    {{{node.slot}, {functions}, {bias}, {response}, {len(node.connections)}}},\n"
        links += [f"{{{slot}, {write_number_c(weight)}}}" for slot, weight in node.connections]
    return NetworkSource(
        templates=(template, "graph.c"),
        constants=f"""\
{constants}\
// Slots are places in an array of numbers: first the inputs, then the outputs, then other nodes.
#define INPUTS {decoder.inputs}
#define SLOTS {slots}
#define NODE_COUNT {len(nodes)}
#define MOST_TERMS {max([2, *(len(node.connections) for node in nodes)])}
// Nodes: slot, activation, aggregation, bias, response, and how many connections; what has no
// effect on any output is left out. Connections: the slot from which one comes, and its weight.
static const struct node NODES[] = {{
{rows}}};
static const struct connection CONNECTIONS[] = {{
{fill_lines(links or ["{0, 0.0}"])}}};
""",
        description=describe_graph(decoder, nodes),
        remark=LIBRARY,
    )


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    decoder = player.decoder
    read, cells, numbers = decoder.reading, player.genome.cells[0], find_numbers(player)
    if decoder.game.stacks:
        template, found = "board_stacks.c", find_terms(decoder, cells)
        ends = np.cumsum([len(terms) for _, terms in found]).tolist()
        pairs = [(first, end) for (first, _), end in zip(found, ends, strict=True)]
        constants = f"""\
// The bit of each cell, row by row from the top.
#define GRID_SIZE {read.cells}
{write_array_c("GRID", "int", decoder.game.grid.ravel().tolist())}\
// The cells that matter, tuple by tuple: what an empty one, an own and another piece adds. And for
// each tuple its first entry, and where its cells end.
static const int TERMS[][4] = {_write_rows(term for _, terms in found for term in terms)};
static const int TUPLES[][2] = {_write_rows(pairs)};
"""
    else:
        template = "board_tuples.c"
        constants = f"""\
#define TUPLE_LENGTH {cells.shape[1]}
// How many cells tuples read, how many contents each can have, how many planes and which bits of
// each count, and what these do: how far a plane and a bit are from the next one, and what they
// add.
#define READ {read.cells}
#define CONTENTS {read.kinds}
#define READ_PLANES {read.planes}
#define BIT_COUNT {len(read.bits)}
{write_array_c("BITS", "int", list(read.bits))}\
#define TABLE_SIZE {read.kinds ** cells.shape[1]}
#define PLANE_STEP {read.plane_step}
#define BIT_STEP {read.bit_step}
#define KIND_STEP {read.kind_step}
static const int TUPLES[TUPLE_COUNT][TUPLE_LENGTH] = {_write_rows(cells.tolist())};
"""

    # Most numbers are 0: tell the distances between the others
    places = np.flatnonzero(numbers)
    told = np.stack([np.diff(places, prepend=-1) - 1, numbers[places]], axis=1)
    return NetworkSource(
        templates=(template, "tuples.c"),
        constants=f"""\
#define OUTPUT int64_t
#define IS_POLICY 0
#define VIEW_COUNT {len(decoder.views)}
#define TUPLE_COUNT {len(cells)}
// How many numbers each entry has, of which one counts by what is seen beside the planes.
#define TABLES {len(decoder.sides)}
// How many of these numbers, the last ones of a table, are for the number of pieces in each plane.
#define COUNTS {decoder.count_weights // int(decoder.game.code.PLANES)}
// Where each cell lies in each view of the board.
static const int VIEWS[VIEW_COUNT][{read.cells}] = {_write_rows(decoder.views.tolist())};
{constants}\
#define NUMBER_COUNT {len(numbers)}
// What each entry of each tuple is worth, in units of 1/65536, but for zeros: pairs of how many of
// these come before, and the number.
{write_array_c("NUMBERS", "int32_t", told.ravel().tolist())}""",
        description=(describe_views(decoder, cells),),
    )


def _write_rows(rows: Iterable[Iterable[int]]) -> str:
    """Write the initialiser of a two-dimensional array."""
    return "{\n" + fill_lines("{" + ", ".join(map(str, row)) + "}" for row in rows) + "}"
