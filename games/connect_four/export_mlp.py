"""Multilayer perceptrons as source code: all weights, as the arena plays them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.runs.export.assembly import write_base64
from evolve_arena.runs.export.inside import LAYERS, Inside, write_layers

TEMPLATE = Path(__file__).with_name("templates") / "mlp.py"


def describe_mlp(player: NetworkPlayer) -> Inside:
    """The network of *player* as source code."""
    design = player.design
    units = "-".join(str(size) for size in design.mlp.sizes)
    return Inside(
        templates=(TEMPLATE, LAYERS),
        constants=_write_network(player),
        description=(f"network: {units} units, {design.activation}",),
    )


def _write_network(player: NetworkPlayer) -> str:
    design = player.design
    genome = design.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    moves = ", then what each move adds" if design.head == "action" else ""
    return f'''\
TAKES_WINS = {design.head == "value" and design.take_wins}
VIEWPOINT = "{design.viewpoint}"
CELLS = {design.columns * design.rows}
# Biases, then what each kind of disc on each cell adds{moves}: base64 of int32, in units
# of 1/65536.
FIRST_LAYER = """
{write_base64(_first_layer(player).astype("<i4").tobytes())}"""
{write_layers(design.head, design.mlp, genome)}'''


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
