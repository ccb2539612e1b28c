"""Vectors of sixteen numbers: every operation against NumPy, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolve_arena.core.compiled import compiled
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.simd import LANES

floats = arrays(np.float32, LANES, elements=st.floats(width=32, allow_nan=False))
small = arrays(np.float32, LANES, elements=st.floats(-1000, 1000, width=32))
ints = arrays(np.int32, LANES, elements=st.integers(-(2**31), 2**31 - 1))
with_nan = arrays(np.float32, LANES, elements=st.floats(width=32, allow_nan=True))

NUMPY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": lambda left, right: np.where(left > right, left, right),
    "minimum": lambda left, right: np.where(left < right, left, right),
}


@compiled
def run_all(left: Floats, right: Floats, out: Floats) -> None:
    one, other = simd.load(left, 0), simd.load(right, 0)
    simd.store(out[0], 0, simd.add(one, other))
    simd.store(out[1], 0, simd.subtract(one, other))
    simd.store(out[2], 0, simd.multiply(one, other))
    simd.store(out[3], 0, simd.divide(one, other))
    simd.store(out[4], 0, simd.maximum(one, other))
    simd.store(out[5], 0, simd.minimum(one, other))


@compiled
def copy_from(array: Floats, at: int, out: Floats, to: int) -> None:
    simd.store(out, to, simd.load(array, at))


@compiled
def copy_ints_from(array: Array, at: int, out: Array, to: int) -> None:
    simd.store_int(out, to, simd.load_int(array, at))


@compiled
def add_ints(left: Array, right: Array, out: Array, as_floats: Floats) -> None:
    total = simd.add_int(simd.load_int(left, 0), simd.load_int(right, 0))
    simd.store_int(out, 0, total)
    simd.store(as_floats, 0, simd.to_float(total))


@compiled
def clamp(array: Floats, low: Number, high: Number, out: Floats) -> None:
    simd.store(out, 0, simd.clamp(simd.load(array, 0), low, high))


@compiled
def halve_sum(array: Floats) -> Number:
    return simd.halve_sum(simd.load(array, 0))


@compiled
def first_of_maximum(array: Floats, allowed: np.uint64) -> int:
    return simd.first_of_maximum(simd.load(array, 0), allowed)


def assert_same_bits(found: Floats, expected: Floats) -> None:
    """Assert equality, with zeros of the same sign; any not-a-number equals any other."""
    expected = np.asarray(expected, dtype=np.float32)
    both_nan = np.isnan(found) & np.isnan(expected)
    same = np.asarray(found).view(np.int32) == expected.view(np.int32)
    assert np.all(same | both_nan)


@given(with_nan, with_nan)
@settings(max_examples=200)
def test_arithmetic_rounds_like_numpy(left: Floats, right: Floats) -> None:
    out = np.zeros((len(NUMPY), LANES), dtype=np.float32)
    run_all(left, right, out)
    with np.errstate(all="ignore"):
        for found, function in zip(out, NUMPY.values(), strict=True):
            assert_same_bits(found, function(left, right))


def test_nothing_is_fused() -> None:
    """With one rounding instead of two, a product minus its rounded self is not zero."""
    array = np.full(LANES, 1.0 + 2.0**-12, dtype=np.float32)
    product = array * array
    out = np.ones(LANES, dtype=np.float32)
    multiply_subtract(array, product, out)
    assert out.tolist() == [0.0] * LANES


@compiled
def multiply_subtract(array: Floats, product: Floats, out: Floats) -> None:
    one = simd.load(array, 0)
    simd.store(out, 0, simd.subtract(simd.multiply(one, one), simd.load(product, 0)))


@pytest.mark.parametrize("at", [0, 1, 3, 16, 17])
@pytest.mark.parametrize("to", [0, 5])
def test_loads_and_stores_anywhere(at: int, to: int) -> None:
    numbers = np.arange(40, dtype=np.float32)
    out = np.full(40, -1.0, dtype=np.float32)
    copy_from(numbers, at, out, to)
    assert out[to : to + LANES].tolist() == list(range(at, at + LANES))
    assert np.all(out[:to] == -1)
    assert np.all(out[to + LANES :] == -1)
    whole = np.full(40, -1, dtype=np.int32)
    copy_ints_from(np.arange(40, dtype=np.int32), at, whole, to)
    assert whole.tolist() == out.astype(int).tolist()


@compiled
def move_number(array: Floats, at: int, out: Floats, to: int) -> None:
    simd.poke(out, to, simd.peek(array, at))


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint64, np.float32])
def test_peek_and_poke(kind: type) -> None:
    out = np.zeros(5, dtype=kind)
    move_number(np.arange(10, 20).astype(kind), 7, out, 3)
    assert out.tolist() == [0, 0, 0, 17, 0]


@given(ints, ints)
@settings(max_examples=100)
def test_integers_wrap_around_and_become_the_nearest_float(left: Array, right: Array) -> None:
    out, as_floats = np.zeros(LANES, dtype=np.int32), np.zeros(LANES, dtype=np.float32)
    add_ints(left, right, out, as_floats)
    assert out.tolist() == (left.astype(np.int64) + right).astype(np.int32).tolist()
    assert_same_bits(as_floats, out.astype(np.float32))


@given(floats, st.floats(-100, 0, width=32), st.floats(0, 100, width=32))
@settings(max_examples=100)
def test_clamp(array: Floats, low: float, high: float) -> None:
    out = np.zeros(LANES, dtype=np.float32)
    clamp(array, np.float32(low), np.float32(high), out)
    assert out.tolist() == np.clip(array, np.float32(low), np.float32(high)).tolist()


@given(small)
@settings(max_examples=100)
def test_halve_sum_adds_the_upper_half_to_the_lower(array: Floats) -> None:
    halves = array
    while len(halves) > 1:
        middle = len(halves) // 2
        halves = halves[:middle] + halves[middle:]
    assert np.float32(halve_sum(array)) == halves[0]


@given(
    arrays(np.float32, LANES, elements=st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.5, -np.inf])),
    st.integers(1, 2**64 - 1).filter(lambda allowed: allowed % 2**LANES),
)
@settings(max_examples=300)
def test_first_of_maximum(array: Floats, allowed: np.uint64) -> None:
    places = [place for place in range(LANES) if allowed >> place & 1]
    expected = max(places, key=lambda place: (array[place], -place))
    assert first_of_maximum(array, np.uint64(allowed)) == expected


@given(with_nan, st.integers(1, 2**LANES - 1))
@settings(max_examples=200)
def test_whatever_the_numbers_an_allowed_place_is_found(array: Floats, allowed: np.uint64) -> None:
    assert allowed >> int(first_of_maximum(array, np.uint64(allowed))) & 1
