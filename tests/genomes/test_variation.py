"""Crossover and mutation: the right share of genes, the right size of steps, nothing in place."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evolve_arena.core.stream import new_stream, next_word
from evolve_arena.genomes.variation import (
    adapt_step_sizes,
    cross_uniformly,
    measure_diversity,
    mutate_gaussian,
)


def make_genomes(rows: int, genes: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(rows, genes)).astype(np.float32)


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.35, 0.9, 1.0])
@pytest.mark.parametrize("genes", [1, 2, 7, 8, 200])
def test_crossover_finds_the_parents_and_takes_two_genes_from_each_word(
    genes: int, probability: float
) -> None:
    genomes = np.arange(5 * genes, dtype=np.float32).reshape(5, genes)
    first, second = np.array([4, 0, 2]), np.array([1, 3, 2])
    rng, expected = new_stream(9), new_stream(9)
    children = cross_uniformly(genomes, first, second, rng, probability=probability)
    assert children.dtype == np.float32
    for child in range(3):
        draws: list[int] = []
        while len(draws) < genes:
            word = int(next_word(expected))
            draws += [word >> 32, word & 0xFFFFFFFF]
        for gene in range(genes):
            parent = second if draws[gene] < probability * 2**32 else first
            assert children[child, gene] == genomes[parent[child], gene]
    assert rng == expected
    assert np.array_equal(genomes.ravel(), np.arange(5 * genes))


@pytest.mark.parametrize("probability", [0.003, 0.015, 0.3])
def test_mutation_changes_genes_with_its_probability(probability: float) -> None:
    genomes = np.zeros((300, 700), np.float32)
    step_sizes = np.ones(300, np.float32)
    mutated = mutate_gaussian(genomes, step_sizes, new_stream(2), probability=probability)
    assert mutated.dtype == np.float32
    places = mutated != 0
    assert stats.binomtest(int(places.sum()), genomes.size, probability).pvalue > 0.001
    # Everywhere alike: in the first row as in the last, in the first column as in the last.
    for axis in (0, 1):
        counts = places.sum(axis=axis)
        variance = genomes.shape[axis] * probability * (1 - probability)
        chi2 = ((counts - genomes.shape[axis] * probability) ** 2).sum()
        assert 0.001 < stats.chi2.cdf(chi2 / variance, len(counts)) < 0.999


def test_steps_are_gaussian_with_the_strength_of_each_individual() -> None:
    step_sizes = np.array([0.1, 1.0, 25.0], np.float32)
    genomes = np.full((3, 40_000), 3.0, np.float32)
    mutated = mutate_gaussian(genomes, step_sizes, new_stream(3), probability=0.5)
    for row, step_size in enumerate(step_sizes):
        steps = (mutated[row] - 3.0)[mutated[row] != 3.0] / step_size
        assert stats.kstest(steps, "norm").pvalue > 0.001


def test_mutation_changes_nothing_or_everything_at_the_ends_of_its_range() -> None:
    genomes, step_sizes = make_genomes(40, 60), np.ones(40, np.float32)
    none = mutate_gaussian(genomes, step_sizes, new_stream(4), probability=0.0)
    assert np.array_equal(none, genomes)
    every = mutate_gaussian(genomes, step_sizes, new_stream(4), probability=1.0)
    assert np.all(every != genomes)
    still = mutate_gaussian(genomes, 0 * step_sizes, new_stream(4), probability=1.0)
    assert np.array_equal(still, genomes)


def test_a_mutation_that_is_next_to_impossible_does_not_happen() -> None:
    # In a process of its own, for it must also come to an end.
    script = """
import numpy as np
from evolve_arena.core.stream import new_stream
from evolve_arena.genomes.variation import mutate_gaussian
zeros, ones = np.zeros((50, 500), np.float32), np.ones(50, np.float32)
for probability in (1e-18, 1e-30, 5e-324):
    print((mutate_gaussian(zeros, ones, new_stream(0), probability=probability) != 0).sum())
"""
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n" * 3


def test_diversity_is_the_mean_standard_deviation_of_a_gene() -> None:
    assert measure_diversity(np.array([[1.0, 0.0], [3.0, 0.0]], np.float32)) == 0.5
    genomes = make_genomes(50, 31)
    expected = float(genomes.astype(np.float64).std(axis=0).mean())
    assert measure_diversity(genomes) == pytest.approx(expected, rel=1e-6)


def test_strengths_are_the_parents_mean_varied_log_normally() -> None:
    first, second = np.full(50_000, 0.5, np.float32), np.full(50_000, 2.0, np.float32)
    step_sizes = adapt_step_sizes(first, second, new_stream(5), rate=0.3, floor=0.0)
    assert step_sizes.dtype == np.float32
    # The geometric mean of 0.5 and 2 is 1, whose logarithm is 0.
    assert stats.kstest(np.log(step_sizes) / 0.3, "norm").pvalue > 0.001
    assert np.all(first == 0.5)
    assert np.all(second == 2.0)


@settings(max_examples=50)
@given(
    step_size=st.floats(0.0078125, 10.0, width=32),
    floor=st.floats(0.0, 5.0, width=32),
    rate=st.floats(0.01, 3.0),
    seed=st.integers(0, 2**32),
)
def test_no_strength_falls_below_the_floor(
    step_size: float, floor: float, rate: float, seed: int
) -> None:
    parents = np.full(100, step_size, np.float32)
    step_sizes = adapt_step_sizes(parents, parents, new_stream(seed), rate=rate, floor=floor)
    assert step_sizes.min() >= np.float32(floor)
    free = adapt_step_sizes(parents, parents, new_stream(seed), rate=rate, floor=0.0)
    assert np.array_equal(step_sizes, np.maximum(free, np.float32(floor)))
