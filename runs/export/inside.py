"""What the source of an exported bot needs to know of the network inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes import network
from evolve_arena.genomes.mlp import MLP
from evolve_arena.runs.export.assembly import cut, read_template, write_base64

LAYERS = Path(__file__).with_name("templates") / "mlp.py"
"""What evaluates multilayer perceptrons."""


@dataclass(frozen=True)
class Inside:
    """A network, ready to be written down."""

    templates: tuple[Path, ...]
    """The files that evaluate such networks."""
    constants: str
    """The lines that define it, in place of those in the template's section of the network."""
    description: tuple[str, ...]
    """What it is, in lines for the file's docstring."""
    remembers: bool = False
    """Whether a move depends on the moves before."""
    remark: str = ""
    """What else a reader of that docstring should know: a sentence."""

    def sections(self) -> dict[str, str]:
        """What stands in the templates, by title, but for "The network" and the like."""
        found: dict[str, str] = {}
        for template in self.templates:
            for title, text in cut(read_template(template)).items():
                found.setdefault(title, text)
        return {title: text for title, text in found.items() if not title.startswith("The ")}


def _later_layers(sizes: Sequence[int], genome: NDArray[np.float32]) -> NDArray[np.float32]:
    """Layer by layer the biases, then one row per unit of the layer before; flat.

    *sizes* are those of all layers, *genome* has all weights of the network.
    """
    at = (sizes[0] + 1) * sizes[1]
    parts = [np.zeros(0, dtype=np.float32)]
    for before, after in pairwise(sizes[1:]):
        weights = genome[at : at + before * after]
        at += (before + 1) * after
        parts += [genome[at - after : at], weights]
    return np.concatenate(parts)


def write_layers(head: str, mlp: MLP, genome: NDArray[np.float32]) -> str:
    """What a network does behind its first layer, as lines that define it.

    Args:
        head: What its output is for.
        mlp: Its structure.
        genome: All its weights.
    """
    later = _later_layers(mlp.sizes, genome)
    return f'''\
HEAD = "{head}"
ACTIVATION = "{mlp.activation}"
# How many units each layer after the inputs has.
UNITS = {mlp.sizes[1:]!r}
# Biases, then a row of weights per unit of the layer before; and so on: base64 of float32.
LATER_LAYERS = """
{write_base64(later.astype("<f4").tobytes())}"""
# Constants of the activation function, rounded to 32 bits.
SCALE = {SCALE!r}
POLYNOMIAL = (
{POLYNOMIAL})
'''


SCALE = {"sigmoid": float(network.SIGMOID_SCALE), "tanh": float(network.TANH_SCALE)}
POLYNOMIAL = "".join(
    f"    {float(coefficient)!r},\n"
    for coefficient in (network.P5, network.P4, network.P3, network.P2, network.P1, network.P0)
)
