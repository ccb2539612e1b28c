"""Kernels as plain Python: the same numbers, nothing that is not needed, no name twice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import floor
from typing import NamedTuple

import numpy as np
import pytest

from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Floats, Function, Number
from evolve_arena.genomes import simd
from evolve_arena.runs.export.bundle import bundle, write_value
from evolve_arena.runs.export.templates import board, kernel
from tests.exported import Namespace

PLACES = np.array([[3, 1], [2, 0]])
BEST = np.uint64(2**63 + 5)
COUNT = 7
WORDS = np.array([[1, 2**64 - 1]], dtype=np.uint64)


class Pair(NamedTuple):
    """A pair of anything."""

    one: object
    other: object


PAIR = Pair(np.array([0.1, 2.0], np.float32), (1, -np.inf))


@inlined
def _double(number: int) -> int:
    """Return twice as much.

    And more of it.
    """
    return 2 * number


@compiled
def read_places(values: Array, place: int) -> Number:
    """Return a sum.

    And change the first value.
    """
    total: int = simd.peek(values, PLACES[place, 1])
    simd_place = np.int64(np.uint64(place) ^ BEST)
    if place > 0:
        return total
    simd.poke(values, 0, _double(COUNT))
    return total + PLACES.shape[0] + simd_place


def fail(number: int) -> None:
    raise BadValueError(f"{number} of {COUNT}")


def measure(number: float) -> Pair:
    return Pair(math.sqrt(number) + PAIR.one[1], floor(number))


def add_words(place: int) -> Number:
    return WORDS[0, 1] + np.uint64(place), ~WORDS[0, 0], BEST * BEST


def run(*entries: Function, beside: Sequence[str] = ()) -> tuple[Namespace, str]:
    """Return the names that a bundle defines, and its text, with the numbers that bots have."""
    named = {each.__name__: each for each in entries}
    text, called = bundle(named, "test_bundle", board, beside)
    space = dict(vars(board))
    exec(compile(text, "bundle", "exec", dont_inherit=True), space)
    return space | {name: space[place] for name, place in called.items()}, text


def test_a_kernel_runs_as_it_does_compiled() -> None:
    space, text = run(read_places)
    for place in (0, 1):
        ours, theirs = np.array([4, 5, 6, 7]), [4, 5, 6, 7]
        assert space["read_places"](theirs, place) == read_places(ours, place)
        assert theirs == ours.tolist()
    assert '"""Return a sum."""' in text
    assert '"""Return twice as much."""' in text


def test_names_that_are_taken_get_another() -> None:
    space, _ = run(read_places, beside=["from math import sqrt as COUNT\n_double = 1\n"])
    assert space["COUNT_test_bundle"] == COUNT
    assert "COUNT" not in space
    assert space["_double_test_bundle"](4) == 8
    values = [4, 5, 6, 7]
    space["read_places"](values, 0)
    assert values[0] == 14


def test_errors_are_pythons() -> None:
    space, _ = run(fail)
    with pytest.raises(ValueError, match="3 of 7"):
        space["fail"](3)


def test_records_words_and_python_itself_are_taken_along() -> None:
    space, text = run(measure, add_words)
    assert text.startswith(
        "from collections import namedtuple\nfrom math import floor\nimport math\n"
    )
    found = space["measure"](6.25)
    assert (found.one, found.other) == (4.5, 6)
    assert space["PAIR"].other == (1, -math.inf)
    assert bytes(space["PAIR"].one) == PAIR.one.tobytes()
    with np.errstate(over="ignore"):
        assert space["add_words"](3) == tuple(map(int, add_words(3)))


def test_values_are_written_as_they_are() -> None:
    value = {"a": (1,), "b": [None, True], "c": np.zeros(3, np.int64), "d": np.float32(0.1)}
    read = eval(write_value(value))
    assert (read["a"], read["b"], read["c"]) == ((1,), [None, True], [0, 0, 0])
    assert read["d"] == float(np.float32(0.1))
    floats = np.array([0.1, 1e30, np.inf, -0.0], np.float32)
    assert bytes(eval(write_value(floats), {"array": kernel.array})) == floats.tobytes()
    assert eval(write_value(np.array([[0.0, 1.5]], np.float32))) == [[0.0, 1.5]]
    assert write_value(-np.inf) == 'float("-inf")'
    with pytest.raises(TypeError, match="can't be written"):
        write_value({1, 2})


@compiled
def _load_ints(values: Array) -> None:
    simd.store_int(values, 0, simd.load_int(values, 0))


LETTERS = {"a", "b"}


def _tell_letters() -> set[str]:
    return LETTERS


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_load_ints, r"is no plain Python, so that what uses it can't be exported$"),
        (_tell_letters, r"test_bundle: LETTERS is of type set, which can't be exported$"),
    ],
)
def test_what_cannot_be_taken_along_is_named(function: Function, said: str) -> None:
    with pytest.raises(BadValueError, match=said):
        run(function)


# What stands for functions that are no Python


@compiled
def _bits(word: Number) -> tuple[Number, Number]:
    return lowest_bit(word), count_bits(word)


@compiled
def _vectors(left: Floats, right: Floats, out: Floats) -> Number:
    one, other = simd.load(left, 1), simd.load(right, 2)
    simd.store(out, 0, simd.minimum(one, simd.add(other, simd.spread(np.float32(0.3)))))
    return simd.halve_sum(simd.subtract(one, other))


@compiled
def _convert(number: Number) -> tuple[Number, Number, Number]:
    return np.int64(np.uint64(number)), np.uint64(number) >> np.uint64(3), np.float32(number)


def test_bits_and_numbers() -> None:
    space, _ = run(_bits, _convert)
    for number in (0, 1, 12, 2**40, 2**63, 2**64 - 1):
        assert space["_bits"](number) == _bits(np.uint64(number))
    for number in (5, -1, -(2**63), 2**62 + 12345):
        assert space["_convert"](number) == _convert(np.int64(number))


@compiled
def _read_words(numbers: Array) -> Number:
    return numbers.view(np.uint64)[1] >> np.uint64(60)


def test_signed_numbers_are_read_as_words() -> None:
    space, _ = run(_read_words)
    numbers = board.make_array("int64", [3, -1])
    assert space["_read_words"](numbers) == _read_words(np.array([3, -1])) == 15


@compiled
def _shift(number: Number, count: Number) -> tuple[Number, Number]:
    return (number << count) | 1, np.uint64(number) << np.uint64(count)


def test_shifted_numbers_keep_64_bits() -> None:
    space, _ = run(_shift)
    for count in (0, 1, 40, 62, 63):
        for number in (1, 5, -3):
            assert space["_shift"](number, count) == _shift(np.int64(number), np.int64(count))


def test_vectors() -> None:
    space, _ = run(_vectors)
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=(2, 20)).astype(np.float32)
    ours, theirs = np.zeros(16, np.float32), kernel.array("f", bytes(64))
    lists = [kernel.array("f", values.tolist()) for values in (left, right)]
    assert space["_vectors"](*lists, theirs) == _vectors(left, right, ours)
    assert theirs.tolist() == ours.tolist()
