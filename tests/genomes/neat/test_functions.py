"""Activations and aggregations: those of neat-python, bit for bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from neat.activations import ActivationFunctionSet
from neat.aggregations import AggregationFunctionSet
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS, activate, aggregate

NAN, INFINITY = math.nan, math.inf
SPECIAL = [0.0, -0.0, INFINITY, -INFINITY, 5e-324, -5e-324, 1.7e308, -1.7e308, 1e-7, 1.0, -1.0]
SPECIAL += [3.4, -3.4, 12.0, -12.0, 24.0, -24.0, 60.0, -60.0, 1e103, -1e103, 1.3e154, -1.4e154]
numbers = st.floats(allow_nan=False) | st.floats(-100, 100) | st.integers(-3, 3).map(float)


@compiled
def activate_all(code: int, inputs: Array, outputs: Array) -> None:
    for place in range(inputs.shape[0]):
        outputs[place] = activate(code, inputs[place])


def activated(name: str, inputs: NDArray[np.float64] | list[float]) -> list[float]:
    array = np.array(inputs, dtype=np.float64)
    outputs = np.empty_like(array)
    activate_all(ACTIVATIONS.index(name), array, outputs)
    return outputs.tolist()


def aggregated(name: str, terms: list[float]) -> float:
    array = np.array([9.0, *terms, 9.0])
    result = aggregate(AGGREGATIONS.index(name), array, 1, len(terms))
    assert sorted(map(bits, array[1:-1])) == sorted(map(bits, terms))
    assert array[0] == array[-1] == 9.0
    return result


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


def draw_inputs() -> NDArray[np.float64]:
    """Return numbers of every size, most of them where functions are not flat."""
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**64, 10_000, dtype=np.uint64).view(np.float64)
    drawn = [rng.normal(0.0, scale, 10_000) for scale in (0.1, 1.0, 10.0)]
    return np.concatenate([SPECIAL, words[~np.isnan(words)], *drawn])


def test_names_and_codes_are_those_of_neat_python() -> None:
    assert tuple(ActivationFunctionSet().functions) == ACTIVATIONS
    assert tuple(AggregationFunctionSet().functions) == AGGREGATIONS


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_equal_those_of_neat_python(name: str) -> None:
    """A power computed as a product, say, differs for one number in a thousand."""
    function = ActivationFunctionSet().get(name)
    inputs = draw_inputs()
    raised = 0
    for before, after in zip(inputs.tolist(), activated(name, inputs), strict=True):
        try:
            expected = float(function(before))
        except OverflowError:
            raised += 1
            expected = -INFINITY if name == "cube" and before < 0 else INFINITY
        assert bits(after) == bits(expected), before
    assert (raised > 0) == (name in {"square", "cube"})


def test_activations_of_what_is_no_number() -> None:
    upper = {name: activated(name, [1e300])[0] for name in ACTIVATIONS}
    expected = dict.fromkeys(ACTIVATIONS, NAN) | {
        name: upper[name]
        for name in ("sigmoid", "tanh", "sin", "gauss", "softplus", "clamped", "exp")
    }
    expected |= {"relu": 0.0, "hat": 0.0, "log": math.log(1e-7)}
    for name in ACTIVATIONS:
        assert bits(activated(name, [NAN])[0]) == bits(expected[name]), name
        assert bits(ActivationFunctionSet().get(name)(NAN)) == bits(expected[name]), name


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(terms=st.lists(numbers, max_size=12))
@example(terms=[])
@example(terms=[-0.0])
@example(terms=[2.0, -2.0, 1.0])
@example(terms=[-2.0, 2.0, 1.0])
@example(terms=[0.0, -0.0, 0.0, -0.0])
@example(terms=[1e16, 1.0, -1e16])
@example(terms=[1e308, 1e308, 1e308])
def test_aggregations_equal_those_of_neat_python(name: str, terms: list[float]) -> None:
    expected = AggregationFunctionSet().get(name)(terms)
    result = aggregated(name, terms)
    if math.isnan(expected):
        assert math.isnan(result)
    else:
        assert bits(result) == bits(float(expected))


@pytest.mark.parametrize(
    ("name", "pick"), [("max", max), ("min", min), ("maxabs", lambda row: max(row, key=abs))]
)
def test_an_extreme_passes_over_what_is_no_number_unless_it_comes_first(
    name: str, pick: Callable[[list[float]], float]
) -> None:
    for terms in ([1.0, NAN, -3.0], [1.0, -3.0, NAN], [2.0, NAN]):
        assert aggregated(name, terms) == pick(terms)
        assert not math.isnan(pick(terms))
    assert math.isnan(aggregated(name, [NAN, 1.0]))
    assert math.isnan(pick([NAN, 1.0]))


@pytest.mark.parametrize("name", ["product", "sum", "median", "mean"])
@pytest.mark.parametrize("place", range(5))
def test_what_is_no_number_spoils_the_others_wherever_it_stands(name: str, place: int) -> None:
    terms = [4.0, -1.0, 2.0, 8.0]
    terms.insert(place, NAN)
    assert math.isnan(aggregated(name, terms))
