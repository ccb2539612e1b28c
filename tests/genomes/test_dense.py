"""Networks of numbers: what is packed, and the compiled pass against the textbook's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.dense import (
    activate_first,
    add_inputs,
    add_some_inputs,
    evaluate_later,
    later_layers_at,
    pack_dense,
    room_for,
    start_first,
)
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import evaluate_hidden, single_output

NETWORKS = [
    MLP(26, (10,), 4, "tanh"),
    MLP(5, (), 3),
    MLP(7, (65, 17, 16), 4, "relu"),
    MLP(28, (180, 160), 4, "relu"),
    MLP(3, (64,), 18, "sigmoid"),
]
"""No hidden layer, one, several; widths below, at and above one vector and four."""
SINGLE = [MLP(9, (60, 24), 1), MLP(9, (20,), 1, "relu"), MLP(9, (), 1)]


def make_genomes(mlp: MLP, count: int = 3) -> NDArray[np.float32]:
    return mlp.initialise(count, "normal:0.4", np.random.default_rng(mlp.genes))


@pytest.mark.parametrize("mlp", NETWORKS, ids=str)
def test_outputs_are_the_textbooks(mlp: MLP) -> None:
    genomes = make_genomes(mlp)
    weights = pack_dense(mlp, genomes)
    inputs = np.random.default_rng(1).normal(0.0, 2.0, (20, mlp.inputs)).astype(np.float32)
    for one in range(len(genomes)):
        expected = mlp.evaluate(genomes[one], inputs)
        got = np.array([run(mlp, weights, one, row) for row in inputs])
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("mlp", SINGLE, ids=str)
def test_inputs_may_be_added_in_two_parts(mlp: MLP) -> None:
    """The first six as they come, of the last three only those that are not 0."""
    genomes = make_genomes(mlp)
    weights = pack_dense(mlp, genomes)
    inputs = np.random.default_rng(2).normal(0.0, 2.0, (20, 9)).astype(np.float32)
    inputs[:, 7] = 0.0
    expected = mlp.evaluate(genomes[1], inputs)[:, 0]
    got = [run_parts(mlp, weights, 1, row) for row in inputs]
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


def test_wrong_genomes_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"shape \(1, 6\), expected \(individuals, 7\)"):
        pack_dense(MLP(2, (1,), 2), np.zeros((1, 6), dtype=np.float32))


def run(mlp: MLP, weights: NDArray[np.float32], one: int, row: NDArray[np.float32]) -> list[float]:
    rooms = [np.full(room_for(mlp.shape[None, :]), np.nan, dtype=np.float32) for _ in range(3)]
    results = np.zeros(mlp.outputs, dtype=np.float32)
    _run(mlp.shape, weights.ravel(), one * weights.shape[1], row, *rooms, results)
    return results.tolist()


def run_parts(mlp: MLP, weights: NDArray[np.float32], one: int, row: NDArray[np.float32]) -> float:
    rooms = [np.full(room_for(mlp.shape[None, :]), np.nan, dtype=np.float32) for _ in range(3)]
    places = np.array([6, 8], dtype=np.int64)
    at = one * weights.shape[1]
    return float(_run_parts(mlp.shape, weights.ravel(), at, row, places, *rooms))


@compiled
def _run(
    shape: Array,
    weights: Array,
    at: int,
    row: Array,
    base: Array,
    ping: Array,
    pong: Array,
    results: Array,
) -> None:
    start_first(shape, weights, at, base)
    add_inputs(shape, weights, at, row, 0, shape[2], base, base)
    activate_first(shape, base, ping)
    evaluate_later(shape, weights, later_layers_at(shape, at), ping, pong, base)
    for place in range(results.shape[0]):
        results[place] = base[place]


@compiled
def _run_parts(
    shape: Array,
    weights: Array,
    at: int,
    row: Array,
    places: Array,
    base: Array,
    ping: Array,
    pong: Array,
) -> Number:
    start_first(shape, weights, at, base)
    add_inputs(shape, weights, at, row, 0, 6, base, base)
    add_some_inputs(shape, weights, at, row, places, 2, base, ping)
    activate_first(shape, ping, ping)
    at, last = evaluate_hidden(shape, weights, later_layers_at(shape, at), ping, pong)
    return single_output(shape, weights, at, last)
