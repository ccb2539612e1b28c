"""Mutation of weight vectors in which every gene has a strength of its own, which evolves too.

Source: Fogel, "Evolutionary Computation: Toward a New Philosophy of Machine Intelligence" (1995),
as Chellapilla and Fogel used it for a board game, IEEE Transactions on Neural Networks 10 (1999).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import Stream, gaussian
from evolve_arena.genomes.mlp import Genomes

LARGEST_STRENGTH = 1000.0
"""Strengths stay below it, so that genes remain numbers in however long a run."""


def self_adaptive_rate(genes: int) -> float:
    """The usual standard deviation of a strength's logarithm, 1 / sqrt(2 * sqrt(genes)).

    >>> round(self_adaptive_rate(1741), 4)
    0.1095
    """
    return 1.0 / math.sqrt(2.0 * math.sqrt(genes))


def mutate_self_adaptive(
    genomes: Genomes,
    strengths: NDArray[np.float32],
    stream: Stream,
    *,
    rate: float,
    floor: float = 0.0,
) -> tuple[Genomes, NDArray[np.float32]]:
    """One child of each individual: its strengths change first, then its genes by these.

    A strength is multiplied by exp(rate * N(0, 1)), a number for each gene; then the gene has
    the new strength times another N(0, 1) added. Nothing is changed in place.

    Args:
        genomes: Shape ``(individuals, genes)``.
        strengths: The standard deviation for each gene, of the same shape.
        stream: Where the draws come from.
        rate: The standard deviation of the strengths' logarithms; see
            :func:`self_adaptive_rate`.
        floor: The least strength.

    Returns:
        The children's genes and their strengths.
    """
    children, varied = genomes.copy(), strengths.copy()
    _vary(children, varied, stream, rate, floor)
    return children, varied


@compiled
def _vary(genomes: Any, strengths: Any, stream: Any, rate: float, floor: float) -> None:
    for row in range(genomes.shape[0]):
        for gene in range(genomes.shape[1]):
            strength: Any = np.float64(strengths[row, gene]) * math.exp(rate * gaussian(stream))
            strength = min(max(strength, floor), LARGEST_STRENGTH)
            strengths[row, gene] = np.float32(strength)
            change = strength * gaussian(stream)
            genomes[row, gene] = np.float32(np.float64(genomes[row, gene]) + change)
