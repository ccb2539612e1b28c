"""Multilayer perceptrons: their genes, their first weights, their outputs."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.genomes.mlp import INITIALISATIONS, MLP, share_genes

DECODER_TYPE = find_game("connect-four").networks["mlp"].decoder_type
DECODER = DECODER_TYPE(head="policy", encoding="numbered", hidden=(10,))


def test_sizes_name_every_layer_and_make_genes() -> None:
    assert MLP(84, (16, 5), 1).sizes == (84, 16, 5, 1)
    assert MLP(42, (10,), 7).genes == 42 * 10 + 10 + 10 * 7 + 7
    assert MLP(42, (), 7).genes == 43 * 7


# 2 inputs, 2 hidden units, 2 outputs: weights of the first input, of the second, biases; again.
TINY = np.array([1, 2, 3, 4, 0.5, -0.5, 1, -1, 2, -2, 0.25, 0.75], dtype=np.float32)


def test_a_tiny_network_by_hand() -> None:
    # Hidden sums for input (1, -1): 1 - 3 + 0.5 = -1.5 and 2 - 4 - 0.5 = -2.5.
    relu = MLP(2, (2,), 2, "relu").evaluate(TINY, np.array([[1, -1], [1, 1]]))
    assert relu.tolist() == [[0.25, 0.75], [4.5 + 2 * 5.5 + 0.25, -4.5 - 2 * 5.5 + 0.75]]
    low, lower = 1 / (1 + np.exp(1.5)), 1 / (1 + np.exp(2.5))
    sigmoid = MLP(2, (2,), 2, "sigmoid").evaluate(TINY, np.array([[1, -1]]))
    expected = [[low + 2 * lower + 0.25, -low - 2 * lower + 0.75]]
    np.testing.assert_allclose(sigmoid, expected, rtol=1e-15)
    tanh = MLP(2, (2,), 2, "tanh").evaluate(TINY, np.array([[1, -1]]))
    low, lower = np.tanh(-1.5), np.tanh(-2.5)
    np.testing.assert_allclose(tanh, [[low + 2 * lower + 0.25, -low - 2 * lower + 0.75]])


def test_a_network_without_hidden_layers_is_linear() -> None:
    genome = np.array([1, 2, 3, 4, 10, 20], dtype=np.float32)
    outputs = MLP(2, (), 2).evaluate(genome, np.array([[1, 0], [0, 1], [1, 1]]))
    assert outputs.tolist() == [[11, 22], [13, 24], [14, 26]]


def test_two_hidden_layers_follow_one_another() -> None:
    mlp = MLP(1, (1, 1), 1, "relu")
    genome = np.array([2, 1, 3, -1, 5, 7], dtype=np.float32)
    assert mlp.evaluate(genome, np.array([[1], [-1]])).tolist() == [[47], [7]]


def test_evaluation_is_in_double_precision_and_survives_large_sums() -> None:
    outputs = MLP(1, (1,), 1).evaluate(
        np.array([1e6, 0, 1, 0], dtype=np.float32), np.array([[1], [-1]])
    )
    assert outputs.dtype == np.float64
    np.testing.assert_allclose(outputs, [[1], [0]], atol=1e-200)


def test_structures_without_sense_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown activation 'sigmod': did you mean"):
        MLP(42, (10,), 7, "sigmod")
    with pytest.raises(BadValueError, match=r"at least one unit: \(42, 0, 7\)"):
        MLP(42, (0,), 7)
    with pytest.raises(BadValueError, match="at least one unit"):
        MLP(42, (10, -3), 7)
    with pytest.raises(BadValueError, match="8 hidden layers: at most 7"):
        MLP(42, (2,) * 8, 7)


LARGE = MLP(40, (50,), 30)
FIRST, SECOND = slice(0, 2000), slice(2050, 3550)
FIRST_BIASES, SECOND_BIASES = slice(2000, 2050), slice(3550, 3580)


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_first_weights(name: str) -> None:
    genomes = LARGE.initialise(200, name, np.random.default_rng(1))
    assert genomes.shape == (200, 3580)
    assert genomes.dtype == np.float32
    biased = name not in ("glorot", "he")
    for weights, biases, before, after in (
        (FIRST, FIRST_BIASES, 40, 50),
        (SECOND, SECOND_BIASES, 50, 30),
    ):
        width = {
            "uniform": 1.0,
            "normal": 1.0,
            "glorot": np.sqrt(6 / (before + after)),
            "he": np.sqrt(2 / before),
            "fan-in": 1 / np.sqrt(before),
            "inverse": 1 / before,
        }[name]
        deviation = width if name in ("normal", "he") else width / np.sqrt(3)
        parts = [genomes[:, weights], genomes[:, biases]] if biased else [genomes[:, weights]]
        for part in parts:
            count = part.size
            assert abs(part.mean()) < 5 * deviation / np.sqrt(count)
            assert abs(part.std() / deviation - 1) < 5 / np.sqrt(2 * count)
            if name not in ("normal", "he"):
                assert np.abs(part).max() <= np.float32(width)
                assert np.abs(part).max() > 0.98 * width
        if not biased:
            assert not genomes[:, biases].any()


def test_the_width_can_be_given() -> None:
    narrow = LARGE.initialise(20, "uniform:0.25", np.random.default_rng(1))
    wide = LARGE.initialise(20, "uniform", np.random.default_rng(1))
    np.testing.assert_allclose(narrow, wide / 4, rtol=1e-6)
    he = LARGE.initialise(20, "he:2", np.random.default_rng(1))
    assert abs(he[:, FIRST].std() / (2 * np.sqrt(2 / 40)) - 1) < 0.02


def test_unknown_initialisations_are_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(UnknownNameError, match="unknown initialisation 'glorott': did you mean"):
        LARGE.initialise(1, "glorott", rng)
    for name in ("uniform:0", "uniform:-1", "uniform:inf", "uniform:nan", "uniform:wide"):
        with pytest.raises(BadValueError, match=f"initialisation '{name}': its width must be"):
            LARGE.initialise(1, name, rng)


def test_genomes_of_another_length_are_refused() -> None:
    for shape in ((507,), (3, 506), (3, 508), (1, 3, 507)):
        with pytest.raises(BadValueError, match=r"expected \(individuals, 507\)"):
            DECODER.mlp.pack(np.zeros(shape, dtype=np.float32), DECODER.board)


@pytest.mark.parametrize("hidden", [(10,), (40, 10), (10, 40)])
def test_packing_keeps_genomes_apart_and_pads_with_zeros(hidden: tuple[int, ...]) -> None:
    mlp = MLP(42, hidden, 7)
    encoding = DECODER.board
    genomes = mlp.initialise(5, "normal", np.random.default_rng(1))
    columns, weights = mlp.pack(genomes, encoding)
    assert columns.dtype == np.int32
    assert weights.dtype == np.float32
    for one in range(5):
        alone_columns, alone_weights = mlp.pack(genomes[one : one + 1], encoding)
        assert alone_columns.tobytes() == columns[one].tobytes()
        assert alone_weights.tobytes() == weights[one].tobytes()
    assert not columns[:, :, hidden[0] :].any()
    assert mlp.pack(genomes[:0], encoding)[0].shape[0] == 0


def test_packing_does_not_need_contiguous_genomes() -> None:
    genomes = DECODER.initialise(6, "normal", np.random.default_rng(1))
    for view in (genomes[::2], np.asfortranarray(genomes), genomes.astype(np.float64)):
        expected = DECODER.mlp.pack(np.ascontiguousarray(view, dtype=np.float32), DECODER.board)
        found = DECODER.mlp.pack(view, DECODER.board)
        assert [array.tobytes() for array in found] == [array.tobytes() for array in expected]


def test_genes_are_shared_as_worked_out_by_hand() -> None:
    """Inputs a b (mirrored into b a), hidden units u v (a pair), one output."""
    mlp = MLP(inputs=2, hidden=(2,), outputs=1)
    shared, places = share_genes(mlp, np.array([[0, 1], [1, 0]]), np.zeros((2, 1), dtype=int))
    # au av bu bv, biases u v, uo vo, bias o
    assert shared.tolist() == [0, 1, 1, 0, 2, 2, 3, 3, 4]
    assert places.tolist() == [0, 1, 4, 6, 8]


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
@pytest.mark.parametrize("hidden", [(3,), (5, 4)])
def test_a_larger_network_has_the_outputs_of_the_smaller_one_in_it(
    hidden: tuple[int, ...], activation: str
) -> None:
    rng = np.random.default_rng(0)
    small = MLP(4, hidden, 2, activation)
    large = MLP(4, tuple(2 * units + 1 for units in hidden), 2, activation)
    genomes, base = (mlp.initialise(3, "normal", rng) for mlp in (small, large))
    embedded = large.embed(genomes, small, base)
    inputs = rng.normal(size=(10, 4))
    for one in range(3):
        expected = small.evaluate(genomes[one], inputs)
        assert large.evaluate(embedded[one], inputs) == pytest.approx(expected)
    assert (embedded != 0.0).mean() > 0.5, "new units have weights"


@pytest.mark.parametrize(
    ("small", "reason"),
    [
        (MLP(4, (9,), 2), r"hidden is \[8\]: that is smaller than \[9\]"),
        (MLP(4, (3, 3), 2), "can't grow"),
        (MLP(5, (3,), 2), "can't grow"),
    ],
)
def test_networks_that_are_no_part_of_a_larger_one_are_refused(small: MLP, reason: str) -> None:
    large = MLP(4, (8,), 2)
    genomes = np.zeros((1, small.genes), dtype=np.float32)
    with pytest.raises(BadValueError, match=reason):
        large.embed(genomes, small, np.zeros((1, large.genes), dtype=np.float32))
