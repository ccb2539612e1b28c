"""Self-adaptive mutation of weight vectors: every gene has a step size that evolves, too.

Source: Fogel, "Evolutionary Computation: Toward a New Philosophy of Machine Intelligence" (1995),
as used for a board game by Chellapilla and Fogel, IEEE Transactions on Neural Networks 10 (1999).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import Stream, gaussian
from evolve_arena.core.types import Floats, Number
from evolve_arena.genomes.mlp import Genomes

LARGEST_STRENGTH = 1000.0
"""Largest step size, so that genes remain finite in runs of any length."""


def self_adaptive_rate(genes: int) -> float:
    """Return the usual standard deviation of a step size's logarithm, 1 / sqrt(2 * sqrt(genes)).

    >>> round(self_adaptive_rate(1741), 4)
    0.1095
    """
    return 1.0 / math.sqrt(2.0 * math.sqrt(genes))


def mutate_self_adaptive(
    genomes: Genomes,
    step_sizes: NDArray[np.float32],
    rng: Stream,
    *,
    rate: float,
    floor: float = 0.0,
) -> tuple[Genomes, NDArray[np.float32]]:
    """Return one child of each individual: its step sizes change first, then its genes by these.

    Each step size is multiplied by exp(rate * N(0, 1)), drawn for each gene; then the new step size
    times another N(0, 1) is added to the gene. Nothing is changed in place.

    Args:
        genomes: Shape ``(individuals, genes)``.
        step_sizes: The step size of each gene, a standard deviation, of the same shape.
        rng: Source of random numbers.
        rate: Standard deviation of the step sizes' logarithms; see :func:`self_adaptive_rate`.
        floor: Smallest step size.

    Returns:
        The children's genes and their step sizes.
    """
    children, varied = genomes.copy(), step_sizes.copy()
    _vary(children, varied, rng, rate, floor)
    return children, varied


@compiled
def _vary(genomes: Genomes, step_sizes: Floats, rng: Stream, rate: float, floor: float) -> None:
    for row in range(genomes.shape[0]):
        for gene in range(genomes.shape[1]):
            # The step size first: it takes effect at once.
            step_size: Number = np.float64(step_sizes[row, gene]) * math.exp(rate * gaussian(rng))
            step_size = min(max(step_size, floor), LARGEST_STRENGTH)
            step_sizes[row, gene] = np.float32(step_size)
            change = step_size * gaussian(rng)
            genomes[row, gene] = np.float32(np.float64(genomes[row, gene]) + change)
