"""Networks whose inputs are any numbers, as source code: perceptrons and NEAT graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.genomes.network import padded
from evolve_arena.players.bred import BredPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.packed import WEIGHTS_AT
from evolve_arena.runs.export import LAYERS, NetworkSource, write_base64, write_layers
from evolve_arena.runs.export.bundle import write_value
from evolve_arena.runs.export.graphs import describe_nodes

TEMPLATES = Path(__file__).with_name("templates")


def describe_numbers(player: BredPlayer, scales: Sequence[float]) -> NetworkSource:
    """The network of *player*, as ``evaluate_numbers`` of the exported file evaluates it.

    Args:
        player: A perceptron packed by :func:`evolve_arena.genomes.dense.pack_dense`, or a graph.
        scales: What each input of a graph is multiplied by; perceptrons have it in their weights.
    """
    decoder: Any = player.decoder
    if isinstance(player, NeatPlayer):
        constants = (
            "# What each input is multiplied by.\n"
            f"SCALES = {write_value([float(scale) for scale in scales])}\n"
        )
        return describe_nodes(player, TEMPLATES / "numbers_graph.py", constants)
    assert isinstance(player, VectorPlayer)
    sizes, at = decoder.mlp.sizes, int(player.packed.seats[0, WEIGHTS_AT])
    width = padded(sizes[1])
    first = player.packed.weights[at : at + (1 + sizes[0]) * width]
    rows = first.reshape(1 + sizes[0], width)[:, : sizes[1]].astype("<f4")
    expand = getattr(decoder, "expand", lambda genomes: genomes)
    (genome,) = expand(np.asarray(player.genome, dtype=np.float32)[None])
    # Several outputs stand side by side, one alone is folded; the name of the head tells which.
    head = "policy" if sizes[-1] > 1 else "value"
    return NetworkSource(
        templates=(TEMPLATES / "numbers_mlp.py", LAYERS),
        constants=f'''\
# Biases, then what each input is multiplied by for each unit: base64 of float32.
FIRST_LAYER = """
{write_base64(rows.tobytes())}"""
{write_layers(head, decoder.mlp, genome)}''',
        description=(f"network: {'-'.join(map(str, sizes))} units, {decoder.activation}",),
    )
