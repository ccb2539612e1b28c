"""What the source of an exported bot needs to know of the network inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes import network

__all__ = ["POLYNOMIAL", "SCALE", "Inside", "later_layers"]


@dataclass(frozen=True)
class Inside:
    """A network, ready to be written down."""

    template: Path
    """The file that evaluates such networks."""
    constants: str
    """The lines that define it, in place of those in the template's section of the network."""
    description: tuple[str, ...]
    """What it is, in lines for the file's docstring."""
    remembers: bool = False
    """Whether a move depends on the moves before."""
    remark: str = ""
    """What else a reader of that docstring should know: a sentence."""


def later_layers(sizes: Sequence[int], genome: NDArray[np.float32]) -> NDArray[np.float32]:
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


SCALE = {"sigmoid": float(network.SIGMOID_SCALE), "tanh": float(network.TANH_SCALE)}
POLYNOMIAL = "".join(
    f"    {float(coefficient)!r},\n"
    for coefficient in (network.P5, network.P4, network.P3, network.P2, network.P1, network.P0)
)
