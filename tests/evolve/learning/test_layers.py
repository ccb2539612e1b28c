"""Backpropagation through any layers: against NumPy, finite differences, and formulas of Adam."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array
from evolve_arena.evolve.learning.layers import (
    Layers,
    aim_at_choice,
    backward,
    descend,
    forward,
    new_layers,
    pad_numbers,
    unpad_numbers,
)
from evolve_arena.genomes.mlp import MLP

SHAPES = [(), (5,), (20, 7), (3, 17, 4)]
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0.0),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
}
SOURCES, VALUES = np.array([1, 4]), np.array([1.0, -0.5], dtype=np.float32)
ALLOWED = np.array([0b1011], dtype=np.uint64)


def make(hidden: tuple[int, ...], activation: str) -> tuple[MLP, Layers, NDArray[np.float32]]:
    mlp = MLP(6, hidden, 4, activation)
    genes = np.random.default_rng(5).uniform(-0.6, 0.6, mlp.genes).astype(np.float32)
    layers = new_layers(mlp)
    pad_numbers(layers, genes, layers.weights)
    return mlp, layers, genes


def find_loss(mlp: MLP, genes: Array, choice: int) -> float:
    """Return the cross-entropy of a choice among outputs 0, 1 and 3, in 64 bits."""
    units = np.zeros(mlp.inputs)
    units[SOURCES] = VALUES
    at, last = 0, len(mlp.sizes) - 2
    for layer, (before, after) in enumerate(zip(mlp.sizes, mlp.sizes[1:], strict=False)):
        rows = genes[at : at + (before + 1) * after].reshape(before + 1, after)
        at += rows.size
        units = units @ rows[:-1] + rows[-1]
        units = ACTIVATIONS[mlp.activation](units) if layer < last else units
    shares = np.exp(units[[0, 1, 3]])
    return float(-np.log(np.exp(units[choice]) / shares.sum()))


@compiled
def go_up(
    layers: Layers, sources: Array, values: Array, allowed: Array, choice: int, into: Array
) -> int:
    forward(layers, sources, values, sources.shape[0])
    chosen = aim_at_choice(layers, allowed, 0, choice)
    backward(layers, into, layers.scratch, sources, values, sources.shape[0])
    return chosen


@pytest.mark.parametrize("hidden", SHAPES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_are_those_of_finite_differences(
    hidden: tuple[int, ...], activation: str
) -> None:
    mlp, layers, genes = make(hidden, activation)
    layers.scratch[:] = 1.0  # a rate for each layer
    into, choice = np.zeros_like(layers.weights), 1
    chosen = go_up(layers, SOURCES, VALUES, ALLOWED, choice, into)
    assert chosen == pytest.approx(np.exp(-find_loss(mlp, genes, choice)), abs=1e-5)
    found = np.zeros(mlp.genes, dtype=np.float32)
    unpad_numbers(layers, into, found)
    for gene in range(mlp.genes):
        up, down = genes.astype(np.float64), genes.astype(np.float64)
        up[gene] += 1e-5
        down[gene] -= 1e-5
        slope = (find_loss(mlp, up, choice) - find_loss(mlp, down, choice)) / 2e-5
        assert found[gene] == pytest.approx(-slope, abs=2e-5), gene


def test_padding_stays_zero_and_genes_come_back() -> None:
    mlp, layers, genes = make((20, 7), "sigmoid")
    layers.scratch[:] = 1.0
    go_up(layers, SOURCES, VALUES, ALLOWED, 3, layers.weights)
    changed = np.zeros(mlp.genes, dtype=np.float32)
    unpad_numbers(layers, layers.weights, changed)
    assert np.abs(changed - genes).max() > 0.01
    copy = np.zeros_like(layers.weights)
    pad_numbers(layers, changed, copy)
    assert np.array_equal(copy, layers.weights)  # so all else is 0


def test_steps_are_adams() -> None:
    mlp, layers, genes = make((5,), "tanh")
    moments = np.zeros((2, len(layers.weights)), dtype=np.float32)
    first, second = np.zeros(mlp.genes), np.zeros(mlp.genes)
    weights = genes.astype(np.float64)
    rng = np.random.default_rng(1)
    for step in range(1, 6):
        sums = rng.normal(0.0, 1.0, mlp.genes).astype(np.float32)
        gradient = np.zeros_like(layers.weights)
        pad_numbers(layers, sums, gradient)
        descend(layers, moments, gradient, np.float32(0.5), np.float32(0.01), step)
        assert not gradient.any()
        direction = 0.5 * sums
        first = 0.9 * first + 0.1 * direction
        second = 0.999 * second + 0.001 * direction**2
        size = np.sqrt(second / (1 - 0.999**step)) + 1e-8
        weights += 0.01 * first / (1 - 0.9**step) / size
        found = np.zeros(mlp.genes, dtype=np.float32)
        unpad_numbers(layers, layers.weights, found)
        np.testing.assert_allclose(found, weights, atol=1e-5)
