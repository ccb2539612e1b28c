"""What values checkers positions, as source code: all numbers, as the arena plays them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.games.checkers.linear import LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.seat import PLANE, TABLE_SIZE
from evolve_arena.runs.export.assembly import write_base64
from evolve_arena.runs.export.inside import LAYERS, Inside, write_layers

TEMPLATES = Path(__file__).with_name("templates")
PLANES = 4


def describe_linear(player: LinearPlayer) -> Inside:
    """The weights of *player* as source code."""
    design = player.design
    table = write_base64(player.lineup.columns.astype("<i4").tobytes())
    return Inside(
        templates=(TEMPLATES / "linear.py",),
        constants=f'''\
# How many features it counts.
FEATURES = {design.features}
# For each of them what its values from 0 to {TABLE_SIZE - 1} add: base64 of int32, in units of
# 2**-20. Larger ones count as {TABLE_SIZE - 1}.
WORTH = """
{table}"""
''',
        description=(f"value: a weighted sum of {design.features} features, {design.encoding}",),
    )


def describe_network(player: CheckersNetworkPlayer) -> Inside:
    """The network of *player* as source code."""
    design = player.design
    sizes = design.mlp.sizes
    genome = design.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    relay = ", of each hidden layer one for the sum of the inputs"
    units = "-".join(str(size) for size in sizes)
    return Inside(
        templates=(TEMPLATES / "network.py", LAYERS),
        constants=f'''\
# Biases, then what a piece on each square, 1 to 32, adds: own men, own kings, the other's men,
# the other's kings; base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{write_base64(_first_layer(player).astype("<i4").tobytes())}"""
{write_layers(design.head, design.mlp, genome)}''',
        description=(
            f"value: a network of {units} units{relay if design.piece_difference else ''},"
            f" {design.activation}",
        ),
    )


def _first_layer(player: CheckersNetworkPlayer) -> NDArray[np.int32]:
    """Biases, then the weights of each kind of piece on each square: ``(129, units)``.

    Read from the packed player: as the arena plays it, rounded and limited.
    """
    units = player.design.mlp.sizes[1]
    packed = player.lineup.columns.reshape(1 + PLANES * PLANE, -1)[:, :units]
    squares = np.arange(32)
    bits = squares + squares // 8
    places = [0, *(1 + PLANE * plane + bit for plane in range(PLANES) for bit in bits)]
    return packed[places]
