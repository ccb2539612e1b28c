"""Multilayer perceptrons as source code: all weights, as the arena plays them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.runs.export.assembly import MLP, write_base64
from evolve_arena.runs.export.inside import POLYNOMIAL, SCALE, Inside, later_layers

__all__ = ["describe_mlp"]


def describe_mlp(player: NetworkPlayer) -> Inside:
    """The network of *player* as source code."""
    design = player.design
    units = "-".join(str(size) for size in design.mlp.sizes)
    return Inside(
        template=MLP,
        constants=_write_network(player),
        description=(f"network: {units} units, {design.activation}",),
    )


def _write_network(player: NetworkPlayer) -> str:
    design = player.design
    genome = design.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    later = later_layers(design.mlp.sizes, genome)
    moves = ", then what each move adds" if design.head == "action" else ""
    return f'''\
HEAD = "{design.head}"
TAKES_WINS = {design.head == "value" and design.take_wins}
VIEWPOINT = "{design.viewpoint}"
ACTIVATION = "{design.activation}"
# How many units each layer after the inputs has.
UNITS = {design.mlp.sizes[1:]!r}
CELLS = {design.columns * design.rows}
# Biases, then what each kind of disc on each cell adds{moves}: base64 of int32, in units
# of 1/65536.
FIRST_LAYER = """
{write_base64(_first_layer(player).astype("<i4").tobytes())}"""
# Biases, then a row of weights per unit of the layer before; and so on: base64 of float32.
LATER_LAYERS = """
{write_base64(later.astype("<f4").tobytes())}"""
# Constants of the activation function, rounded to 32 bits.
SCALE = {SCALE!r}
POLYNOMIAL = (
{POLYNOMIAL})
'''


def _first_layer(player: NetworkPlayer) -> NDArray[np.int32]:
    """Biases, then the weights of every disc, shape ``(1 + 2 * cells, units)``.

    Read from the packed player: as the arena plays it, rounded and limited. Discs stand
    kind by kind, cell by cell, the top row first. With an action head the weights of every
    move follow, ``columns`` more rows.
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
    if design.head == "action":
        places += range(1 + 2 * design.columns * height, len(packed))
    return packed[places]
