"""Backpropagation: its gradient against finite differences, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array, Number
from evolve_arena.evolve.learning.backprop import (
    Network,
    learn,
    new_network,
    read_genes,
    write_genes,
)
from evolve_arena.genomes.mlp import MLP

INPUTS, UNITS = 6, 20
NETWORK = MLP(INPUTS, (UNITS,), 1, "tanh")
BIASES = [*range(INPUTS * UNITS, (INPUTS + 1) * UNITS), NETWORK.genes - 1]
LAST = slice((INPUTS + 1) * UNITS, NETWORK.genes - 1)


@pytest.fixture
def genome() -> NDArray[np.float32]:
    rng = np.random.default_rng(3)
    return rng.uniform(-0.5, 0.5, NETWORK.genes).astype(np.float32)


@compiled
def train(
    network: Network,
    sources: Array,
    values: Array,
    target: Number,
    hidden_rate: Number,
    output_rate: Number,
    bias: Number,
) -> Number:
    return learn(network, sources, values, 0, len(sources), target, hidden_rate, output_rate, bias)


def make(genome: Array) -> Network:
    network = new_network(INPUTS, UNITS)
    read_genes(network, genome)
    return network


def genes(network: Network) -> NDArray[np.float32]:
    copy = np.full(NETWORK.genes, np.nan, dtype=np.float32)
    write_genes(network, copy)
    return copy


def sparse(board: list[float]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    sources = np.flatnonzero(board)
    return sources, np.array(board, dtype=np.float32)[sources]


def loss(genome: NDArray[np.float64], board: list[float], target: float) -> float:
    value = np.tanh(NETWORK.evaluate(genome, np.array([board]))[0, 0])
    return float(0.5 * (target - value) ** 2)


BOARDS = [[1.0, -1.0, 0.0, 1.0, 0.0, -1.0], [0.0, 2.0, 1.0, 0.0, 0.0, 0.0], [0.0] * 6]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("target", [1.0, -0.3])
def test_a_step_goes_down_the_gradient_of_half_the_squared_error(
    genome: NDArray[np.float32], board: list[float], target: float
) -> None:
    network = make(genome)
    value = train(network, *sparse(board), *map(np.float32, (target, 1.0, 1.0, 1.0)))
    assert value == pytest.approx(
        np.tanh(NETWORK.evaluate(genome, np.array([board]))[0, 0]), abs=1e-6
    )
    step = genes(network).astype(np.float64) - genome
    tiny = 1e-6
    expected = np.empty(NETWORK.genes)
    for gene in range(NETWORK.genes):
        changed = genome.astype(np.float64)
        changed[gene] += tiny
        above = loss(changed, board, target)
        changed[gene] -= 2 * tiny
        expected[gene] = (loss(changed, board, target) - above) / (2 * tiny)
    np.testing.assert_allclose(step, expected, atol=3e-7)
    assert np.abs(expected[LAST]).max() > 0.01
    assert np.abs(expected[BIASES]).max() > 0.01


def test_each_layer_has_its_rate_and_biases_can_stay(genome: NDArray[np.float32]) -> None:
    example = *sparse(BOARDS[0]), np.float32(0.9)
    whole, half = make(genome), make(genome)
    train(whole, *example, *map(np.float32, (1.0, 1.0, 1.0)))
    train(half, *example, *map(np.float32, (0.5, 0.25, 0.0)))
    step, part = genes(whole) - genome, genes(half) - genome
    assert part[BIASES].tolist() == [0.0] * len(BIASES)
    np.testing.assert_allclose(part[LAST], 0.25 * step[LAST], atol=1e-7)
    first = slice(0, INPUTS * UNITS)
    np.testing.assert_allclose(part[first], 0.5 * step[first], atol=1e-7)


def test_padding_stays_exactly_zero(genome: NDArray[np.float32]) -> None:
    network = make(genome)
    for _ in range(50):
        train(network, *sparse(BOARDS[0]), *map(np.float32, (1.0, 1.0, 1.0, 1.0)))
    assert network.width == 32
    rows = network.first.reshape(INPUTS + 1, 32)
    assert not rows[:, UNITS:].any()
    assert not network.last[UNITS : network.width].any()
    assert not network.last[network.width + 1 :].any()
