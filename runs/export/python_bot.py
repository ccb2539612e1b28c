"""Export as one Python file: the network and all it takes to play it, in plain Python."""

from __future__ import annotations

import base64
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genomes import network
from players.network import NetworkPlayer

__all__ = ["export_python"]

TEMPLATE = Path(__file__).with_name("bot_template.py")
IMPORTS_BEGIN = "from __future__"
NETWORK_BEGINS = "# --- The network ---"
NETWORK_ENDS = "# --- How it plays ---"


def export_python(player: NetworkPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else. It can be imported, run as a bot on
    standard input and output, or handed to Kaggle ConnectX; its docstring tells how.
    """
    template = TEMPLATE.read_text(encoding="utf-8")
    imports = template[template.index(IMPORTS_BEGIN) : template.index(NETWORK_BEGINS)]
    rest = template[template.index(NETWORK_ENDS) :]
    rule = template[template.index(NETWORK_BEGINS) :].partition("\n")[0]
    head = f'#!/usr/bin/env python3\n"""{_write_docstring(player)}"""\n\n'
    return f"{head}{imports}{rule}\n{_write_network(player)}{rest}"


def _write_docstring(player: NetworkPlayer) -> str:
    design = player.design
    units = "-".join(str(size) for size in design.mlp.sizes)
    name = ascii(" ".join(player.name.split()))[1:-1].replace('"', "'")
    return f"""The Connect Four player {name}, bred by Evolve Arena: one file that plays.

How to use it:

- Kaggle ConnectX: submit this file as it is. Its last function, agent(), is the agent.
- The AI Games or Riddles.io, or any host that speaks their text protocols: let the host run
  "python3" with this file. It reads standard input and writes standard output.
- Your own program: import it and call choose(board, mark), which returns a column.

It needs Python 3.8 or later and no other package, reads no other file, and keeps nothing from
one move to the next. All of its {design.genes} weights stand below.

What it is:

- board: {design.columns} columns, {design.rows} rows, {design.connect} in a row win
- network: {units} units, {design.activation}
- head: {_HEADS[design.head]}
- inputs: encoding {design.encoding}, viewpoint {design.viewpoint}

In every position it chooses the very move that the player chooses inside Evolve Arena.
"""


_HEADS = {
    "policy": "policy (one output per column; the strongest open one is played)",
    "value": "value (scores each position that a move can reach; a win at once is taken)",
}


def _write_network(player: NetworkPlayer) -> str:
    """The block of constants between the template's two ruled lines."""
    design = player.design
    return f'''\
COLUMNS, ROWS, CONNECT = {design.columns}, {design.rows}, {design.connect}
HEAD = "{design.head}"
VIEWPOINT = "{design.viewpoint}"
ACTIVATION = "{design.activation}"
# How many units each layer after the inputs has.
UNITS = {design.mlp.sizes[1:]!r}
# Biases, then what each kind of disc on each cell adds: base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{_write_base64(_first_layer(player).astype("<i4").tobytes())}"""
# Biases, then a row of weights per unit of the layer before; and so on: base64 of float32.
LATER_LAYERS = """
{_write_base64(_later_layers(player).astype("<f4").tobytes())}"""
# Constants of the activation function, rounded to 32 bits.
SCALE = {_SCALE!r}
POLYNOMIAL = (
{_POLYNOMIAL})
'''


def _first_layer(player: NetworkPlayer) -> NDArray[np.int32]:
    """Biases, then the weights of every disc, shape ``(1 + 2 * cells, units)``.

    Read from the packed player: as the arena plays it, rounded and limited. Discs stand
    kind by kind, cell by cell, the top row first.
    """
    design = player.design
    units = design.mlp.sizes[1]
    packed = player.lineup.columns.reshape(1 + design.board.features, -1)[:, :units]
    height = design.rows + 1
    places = [0]
    for kind in range(2):
        for row in reversed(range(design.rows)):
            for column in range(design.columns):
                places.append(1 + (kind * design.columns + column) * height + row)
    return packed[places]


def _later_layers(player: NetworkPlayer) -> NDArray[np.float32]:
    """Layer by layer the biases, then one row per unit of the layer before; flat."""
    genome = player.design.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    sizes = player.design.mlp.sizes
    at = (sizes[0] + 1) * sizes[1]
    parts = [np.zeros(0, dtype=np.float32)]
    for before, after in pairwise(sizes[1:]):
        weights = genome[at : at + before * after]
        at += (before + 1) * after
        parts += [genome[at - after : at], weights]
    return np.concatenate(parts)


def _write_base64(data: bytes) -> str:
    return base64.encodebytes(data).decode("ascii")


_SCALE = {"sigmoid": float(network.SIGMOID_SCALE), "tanh": float(network.TANH_SCALE)}
_POLYNOMIAL = "".join(
    f"    {float(coefficient)!r},\n"
    for coefficient in (network.P5, network.P4, network.P3, network.P2, network.P1, network.P0)
)
