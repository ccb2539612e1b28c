"""Crossover and mutation of weight vectors, for a whole generation at a time.

Nothing is changed in place; all randomness comes from the given stream.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import GOLDEN, Stream, chance, gaussian, mix
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes.mlp import Genomes


def cross_uniformly(
    genomes: Genomes,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    rng: Stream,
    *,
    probability: float,
) -> Genomes:
    """Return children that take each gene from their second parent with *probability*.

    Args:
        genomes: Shape ``(individuals, genes)``.
        first: The first parent of each child, shape ``(children,)``.
        second: The second parent of each child, likewise.
        rng: Source of random numbers.
        probability: p_c, from 0 to 1; it is rounded to a multiple of 2**-32.
    """
    children = np.empty((len(first), genomes.shape[1]), dtype=np.float32)
    threshold = np.uint64(round(probability * 2**32))
    _choose_genes(genomes, first, second, rng, threshold, children)
    return children


def mutate_gaussian(
    genomes: Genomes, step_sizes: NDArray[np.float32], rng: Stream, *, probability: float
) -> Genomes:
    """Return genomes with a Gaussian number added to each gene with *probability*.

    Args:
        genomes: Shape ``(individuals, genes)``.
        step_sizes: Standard deviation of each individual, shape ``(individuals,)``.
        rng: Source of random numbers.
        probability: p_m, from 0 to 1.
    """
    mutated = genomes.copy()
    if probability > 0.0:
        failing = math.log1p(-probability) if probability < 1.0 else -math.inf
        _add_noise(mutated, step_sizes, rng, failing)
    return mutated


def adapt_step_sizes(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    rng: Stream,
    *,
    rate: float,
    floor: float,
) -> NDArray[np.float32]:
    """Return step sizes of children: their parents' geometric mean, log-normally varied.

    Without a *floor* they shrink towards 0: small steps lose fewer matches than large ones long
    before a population has learnt anything.

    Args:
        first: Step sizes of the first parents, shape ``(children,)``.
        second: Step sizes of the second parents, likewise.
        rng: Source of random numbers.
        rate: Standard deviation of the logarithm.
        floor: Smallest step size.

    Source: Beyer and Schwefel, "Evolution strategies", Natural Computing 1 (2002), section
    4.2, equation 7.
    """
    numbers = np.empty(len(first), dtype=np.float64)
    _fill_gaussian(rng, numbers)
    factors = np.exp(rate * numbers)
    step_sizes: Array = np.maximum(np.sqrt(first * second) * factors, floor)
    return step_sizes.astype(np.float32, copy=False)


def measure_diversity(genomes: Genomes) -> float:
    """Return the standard deviation of each gene over all individuals, averaged over the genes."""
    deviations = np.empty((2, genomes.shape[1]), dtype=np.float32)
    _measure_deviations(genomes, deviations)
    return float(deviations[1].mean())


@compiled
def _choose_genes(
    genomes: Genomes,
    first: Array,
    second: Array,
    rng: Stream,
    threshold: Number,
    children: Genomes,
) -> None:
    """Choose two genes with each random word, without branches or dependent draws.

    The words are those of :func:`evolve_arena.core.stream.next_word`, but computed from the state
    at the beginning of the child, so that no draw waits for the one before.
    """
    half = np.uint64(32)
    genes = genomes.shape[1]
    state = rng[0]
    for child in range(children.shape[0]):
        ours, theirs = first[child], second[child]
        # The upper half of a word decides on the first gene of a pair, the lower on the second.
        for pair in range(genes // 2):
            word = mix(state + GOLDEN * np.uint64(pair + 1))
            one, other = genomes[ours, 2 * pair], genomes[theirs, 2 * pair]
            children[child, 2 * pair] = other if word >> half < threshold else one
            one, other = genomes[ours, 2 * pair + 1], genomes[theirs, 2 * pair + 1]
            low = word & np.uint64(0xFFFFFFFF)
            children[child, 2 * pair + 1] = other if low < threshold else one
        state += GOLDEN * np.uint64(genes // 2)
        if genes % 2:  # the last gene, with a word of its own
            state += GOLDEN
            one, other = genomes[ours, genes - 1], genomes[theirs, genes - 1]
            children[child, genes - 1] = other if mix(state) >> half < threshold else one
    rng[0] = state


@compiled
def _add_noise(genomes: Genomes, step_sizes: Floats, rng: Stream, failing: float) -> None:
    """Skip from one gene that changes to the next: the steps are geometrically distributed.

    *failing* is the logarithm of the probability that a gene does not change.
    """
    genes = genomes.shape[1]
    count = np.float64(genomes.shape[0] * genes)
    place = -1.0
    while True:
        place += 1.0 + np.floor(math.log(1.0 - chance(rng)) / failing)
        if not place < count:
            return
        row, gene = divmod(np.int64(place), genes)
        noise = np.float32(gaussian(rng))
        genomes[row, gene] += noise * step_sizes[row]


@compiled
def _fill_gaussian(rng: Stream, numbers: Array) -> None:
    for place in range(numbers.shape[0]):
        numbers[place] = gaussian(rng)


@compiled
def _measure_deviations(genomes: Genomes, moments: Floats) -> None:
    """Compute means and standard deviations of genes, the two rows of *moments*.

    Both passes go row by row, as the genes lie in memory.
    """
    individuals, genes = genomes.shape
    moments[:, :] = np.float32(0.0)
    # Means.
    for one in range(individuals):
        for gene in range(genes):
            moments[0, gene] += genomes[one, gene]
    for gene in range(genes):
        moments[0, gene] /= np.float32(individuals)
    # Standard deviations.
    for one in range(individuals):
        for gene in range(genes):
            distance = genomes[one, gene] - moments[0, gene]
            moments[1, gene] += distance * distance
    for gene in range(genes):
        moments[1, gene] = np.sqrt(moments[1, gene] / np.float32(individuals))
