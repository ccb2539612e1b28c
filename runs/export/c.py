"""Networks and sections of exported bots as C: C99 that needs its standard library alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.bred import NeatPlayer
from evolve_arena.runs.export import (
    POLYNOMIAL,
    SCALE,
    WIDTH,
    NetworkSource,
    cut,
    later_layers,
    read_template,
    write_rule,
)
from evolve_arena.runs.export.graphs import Node, describe_nodes

TEMPLATES = Path(__file__).with_name("templates")
LAYERS_C = TEMPLATES / "mlp.c"
"""What evaluates multilayer perceptrons."""
GRAPH_C = TEMPLATES / "graph.c"
"""What evaluates NEAT graphs."""
TUPLES_C = TEMPLATES / "tuples.c"
"""What keeps the numbers of tuple networks."""
INCLUDE = re.compile(r"^#include .+\n", re.MULTILINE)


def assemble_c(comment: str, templates: Sequence[str], sections: Mapping[str, str]) -> str:
    """The source of a file with these *sections*, and all that the *templates* include.

    Args:
        comment: What the file is and how it is used, for those who open it.
        templates: The texts of which sections were cut.
        sections: By their titles, in an order in which everything is defined before it is used.
    """
    lines = "".join(f"// {line}".rstrip() + "\n" for line in comment.strip().splitlines())
    includes = {line for template in templates for line in INCLUDE.findall(template)}
    parts = "".join(f"{write_rule(title, '//')}{text}" for title, text in sections.items())
    return f"{lines}\n{''.join(sorted(includes))}\n{parts}"


def arrange_c(inside: NetworkSource) -> dict[str, str]:
    """The sections of a network in C, by title, in the order in which they need one another.

    Its constants stand as "The network", where the template of what evaluates it has its own.
    """
    found: dict[str, str] = {}
    for template in reversed(inside.templates):
        for title, text in cut(read_template(template)).items():
            found.setdefault(title, inside.constants if title == "The network" else text)
    return found


def write_array_c(name: str, kind: str, numbers: Iterable[Any]) -> str:
    """The definition of an array of constants of a *kind* such as ``int32_t``.

    >>> print(write_array_c("A", "float", np.array([0.1, np.inf], np.float32)), end="")
    static const float A[] = {
        0.1f, INFINITY,
    };
    """
    return f"static const {kind} {name}[] = {{\n{fill_lines(map(write_number_c, numbers))}}};\n"


def fill_lines(texts: Iterable[str]) -> str:
    """The *texts* with commas behind them, in lines; 0 if there are none."""
    lines, line = [], "   "
    for text in texts:
        if len(line) + len(text) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {text},"
    if not lines and not line.strip():
        line += " 0,"
    return "\n".join([*lines, line]) + "\n"


def write_number_c(number: Any) -> str:
    """A *number* as C, exactly: Python's or NumPy's.

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


def write_sparse_c(numbers: NDArray[np.int32]) -> str:
    """The *numbers* of tuple networks, of which most may be 0, as ``tuples.c`` takes them."""
    places = np.flatnonzero(numbers)
    pairs = np.stack([np.diff(places, prepend=-1) - 1, numbers[places]], axis=1)
    return f"""\
#define NUMBER_COUNT {len(numbers)}
// What each entry of each tuple is worth, in units of 1/65536, but for zeros: pairs of how many of
// these come before, and the number.
{write_array_c("NUMBERS", "int32_t", pairs.ravel().tolist())}"""


def write_layers_c(head: str, mlp: MLP, genome: NDArray[np.float32]) -> str:
    """What a network does behind its first layer, as lines of C that define it.

    Args:
        head: What its output is for.
        mlp: Its structure.
        genome: All its weights.
    """
    numbers = [float(line.strip(" ,")) for line in POLYNOMIAL.splitlines()]
    polynomial = write_array_c("POLYNOMIAL", "float", np.array(numbers, np.float32))
    scale = np.float32(SCALE.get(mlp.activation, 0.0))
    return f"""\
#define IS_POLICY {int(head in ("policy", "kinds"))}
#define ACTIVATION {mlp.activation.upper()}
// How many units each layer after the inputs has, how many such layers there are, and how many
// units the widest one has.
#define LAYERS {len(mlp.sizes) - 1}
#define WIDEST {max(mlp.sizes[1:])}
static const int UNITS[] = {{{", ".join(map(str, mlp.sizes[1:]))}}};
// Biases, then a row of weights per unit of the layer before; and so on.
{write_array_c("LATER_LAYERS", "float", later_layers(mlp.sizes, genome))}\
// Constants of the activation function, rounded to 32 bits.
static const float SCALE = {write_number_c(scale)};
{polynomial}"""


def describe_nodes_c(player: NeatPlayer, template: Path, constants: str) -> NetworkSource:
    """The graph of *player* as C.

    Args:
        player: Whose graph it is.
        template: What shows positions to the graph, and decides by its outputs.
        constants: What that needs to know, as lines.
    """
    return describe_nodes(player, template, constants, evaluator=GRAPH_C, write=_write_nodes_c)


def _write_nodes_c(decoder: Any, slots: int, nodes: list[Node]) -> str:
    rows, links = "", []
    for node in nodes:
        bias, response = write_number_c(node.bias), write_number_c(node.response)
        functions = f"{node.activation.upper()}, {node.aggregation.upper()}"
        rows += f"    {{{node.slot}, {functions}, {bias}, {response}, {len(node.connections)}}},\n"
        links += [f"{{{slot}, {write_number_c(weight)}}}" for slot, weight in node.connections]
    return f"""\
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
"""
