"""Crossover and mutation of weight vectors, a whole generation at a time.

Nothing is changed in place; all randomness comes from the stream that is handed in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import GOLDEN, Stream, chance, gaussian, mix
from evolve_arena.genomes.mlp import Genomes


def cross_uniformly(
    genomes: Genomes,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    stream: Stream,
    *,
    probability: float,
) -> Genomes:
    """Children that have each gene from their second parent with *probability*.

    Args:
        genomes: Shape ``(individuals, genes)``.
        first: The first parent of each child, shape ``(children,)``.
        second: The second parents.
        stream: Where the draws come from.
        probability: p_c, from 0 to 1; it is rounded to a multiple of 2**-32.
    """
    children = np.empty((len(first), genomes.shape[1]), dtype=np.float32)
    threshold = np.uint64(round(probability * 2**32))
    _choose_genes(genomes, first, second, stream, threshold, children)
    return children


def mutate_gaussian(
    genomes: Genomes, strengths: NDArray[np.float32], stream: Stream, *, probability: float
) -> Genomes:
    """Adds a Gaussian number to each gene with *probability*.

    Args:
        genomes: Shape ``(individuals, genes)``.
        strengths: The standard deviation for each individual, shape ``(individuals,)``.
        stream: Where the draws come from.
        probability: p_m, from 0 to 1.
    """
    mutated = genomes.copy()
    if probability > 0.0:
        failing = math.log1p(-probability) if probability < 1.0 else -math.inf
        _add_noise(mutated, strengths, stream, failing)
    return mutated


def adapt_strengths(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    stream: Stream,
    *,
    rate: float,
    floor: float,
) -> NDArray[np.float32]:
    """Mutation strengths of children: their parents' geometric mean, log-normally varied.

    Without a *floor* they shrink towards nothing: small steps lose fewer matches than large
    ones long before a population has learnt anything.

    Args:
        first: Strengths of the first parents, shape ``(children,)``.
        second: Those of the second ones.
        stream: Where the draws come from.
        rate: Standard deviation of the logarithm.
        floor: The least strength.

    Source: Beyer and Schwefel, "Evolution strategies", Natural Computing 1 (2002), section
    4.2, equation 7.
    """
    numbers = np.empty(len(first), dtype=np.float64)
    _fill_gaussian(stream, numbers)
    factors = np.exp(rate * numbers)
    strengths: NDArray[Any] = np.maximum(np.sqrt(first * second) * factors, floor)
    return strengths.astype(np.float32, copy=False)


def measure_diversity(genomes: Genomes) -> float:
    """The standard deviation of each gene over all individuals, averaged over the genes."""
    deviations = np.empty((2, genomes.shape[1]), dtype=np.float32)
    _measure_deviations(genomes, deviations)
    return float(deviations[1].mean())


@compiled
def _choose_genes(
    genomes: Any, first: Any, second: Any, stream: Any, threshold: Any, children: Any
) -> None:
    """Two genes from each word, without branches and with nothing to wait for.

    The words are those of :func:`evolve_arena.core.stream.next_word`, but no draw needs the one
    before.
    """
    half = np.uint64(32)
    genes = genomes.shape[1]
    state = stream[0]
    for child in range(children.shape[0]):
        ours, theirs = first[child], second[child]
        for pair in range(genes // 2):
            word = mix(state + GOLDEN * np.uint64(pair + 1))
            one, other = genomes[ours, 2 * pair], genomes[theirs, 2 * pair]
            children[child, 2 * pair] = other if word >> half < threshold else one
            one, other = genomes[ours, 2 * pair + 1], genomes[theirs, 2 * pair + 1]
            low = word & np.uint64(0xFFFFFFFF)
            children[child, 2 * pair + 1] = other if low < threshold else one
        state += GOLDEN * np.uint64(genes // 2)
        if genes % 2:
            state += GOLDEN
            one, other = genomes[ours, genes - 1], genomes[theirs, genes - 1]
            children[child, genes - 1] = other if mix(state) >> half < threshold else one
    stream[0] = state


@compiled
def _add_noise(genomes: Any, strengths: Any, stream: Any, failing: float) -> None:
    """Goes from one gene that changes to the next: the steps are geometrically distributed.

    *failing* is the logarithm of the probability that a gene stays as it is.
    """
    genes = genomes.shape[1]
    count = np.float64(genomes.shape[0] * genes)
    place = -1.0
    while True:
        place += 1.0 + np.floor(math.log(1.0 - chance(stream)) / failing)
        if not place < count:
            return
        row, gene = divmod(np.int64(place), genes)
        noise = np.float32(gaussian(stream))
        genomes[row, gene] += noise * strengths[row]


@compiled
def _fill_gaussian(stream: Any, numbers: Any) -> None:
    for place in range(numbers.shape[0]):
        numbers[place] = gaussian(stream)


@compiled
def _measure_deviations(genomes: Any, moments: Any) -> None:
    """Row by row, as the genes lie in memory; the second row of *moments* is the result."""
    individuals, genes = genomes.shape
    moments[:, :] = np.float32(0.0)
    for one in range(individuals):
        for gene in range(genes):
            moments[0, gene] += genomes[one, gene]
    for gene in range(genes):
        moments[0, gene] /= np.float32(individuals)
    for one in range(individuals):
        for gene in range(genes):
            distance = genomes[one, gene] - moments[0, gene]
            moments[1, gene] += distance * distance
    for gene in range(genes):
        moments[1, gene] = np.sqrt(moments[1, gene] / np.float32(individuals))
