"""Mutation of weight vectors in which every gene has a strength of its own, which evolves too.

Source: Fogel, "Evolutionary Computation: Toward a New Philosophy of Machine Intelligence" (1995),
as Chellapilla and Fogel used it for a board game, IEEE Transactions on Neural Networks 10 (1999).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import Stream, below, gaussian
from evolve_arena.genomes.mlp import Genomes

LARGEST_STRENGTH = 1000.0
"""Strengths stay below it, so that genes remain numbers in however long a run."""


@dataclass(frozen=True)
class StepGene:
    """A gene that is no weight: it goes up or down by a fixed step, or stays."""

    gene: int
    """Its place in the genome."""
    step: float
    low: float
    high: float
    """It stays between the two, both included."""


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
    step_genes: Sequence[StepGene] = (),
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
        step_genes: Genes that change by a step instead: -step, 0 or +step, each as likely.

    Returns:
        The children's genes and their strengths.
    """
    children, varied = genomes.copy(), strengths.copy()
    _vary(children, varied, stream, rate, floor)
    for one in step_genes:
        place = one.gene % genomes.shape[1]
        children[:, place] = genomes[:, place]
        varied[:, place] = strengths[:, place]
        _take_steps(children[:, place], stream, one.step, one.low, one.high)
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


@compiled
def _take_steps(values: Any, stream: Any, step: float, low: float, high: float) -> None:
    for row in range(values.shape[0]):
        value: Any = np.float64(values[row]) + step * np.float64(below(stream, 3) - 1)
        values[row] = np.float32(max(low, min(high, value)))
