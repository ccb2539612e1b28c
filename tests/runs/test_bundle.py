"""Kernels as plain Python: the same numbers, nothing that is not needed, no name twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from evolve_arena.core import stream
from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes import simd
from evolve_arena.runs.export.bundle import bundle, write_value
from evolve_arena.runs.export.templates import kernel

HAS_MORE = True
PLACES = np.array([[3, 1], [2, 0]])
BEST = np.uint64(2**63 + 5)
COUNT = 7


@inlined
def _double(number: int) -> int:
    """Twice as much.

    And more of it.
    """
    return 2 * number


@inlined
def _never(number: int) -> int:
    return 1 // number


@compiled
def read_places(values: Any, place: int) -> Any:
    """Sums up.

    And changes the first value.
    """
    total: int = simd.peek(values, PLACES[place, 1])
    simd_place = np.int64(np.uint64(place) ^ BEST)
    if HAS_MORE and place > 0:
        return total
    if not HAS_MORE or (place < 0 and HAS_MORE):
        total += _never(place)
    simd.poke(values, 0, _double(COUNT) if HAS_MORE else _never(total))
    return total + PLACES.shape[0] + simd_place


def fail(number: int) -> None:
    raise BadValueError(f"{number} of {COUNT}")


def run(*entries: Any, **options: Any) -> tuple[dict[str, Any], str]:
    """What a bundle defines, and its text."""
    text = "".join(bundle(entries, **options))
    space: dict[str, Any] = {"array": kernel.array, "operator": kernel.operator}
    space["SimpleNamespace"] = SimpleNamespace
    exec(compile(text, "bundle", "exec", dont_inherit=True), space)
    return space, text


def test_a_kernel_runs_as_it_does_compiled() -> None:
    space, text = run(read_places)
    for place in (0, 1):
        ours, theirs = np.array([4, 5, 6, 7]), [4, 5, 6, 7]
        assert space["read_places"](theirs, place) == read_places(ours, place)
        assert theirs == ours.tolist()
    assert theirs == [4, 5, 6, 7]
    assert '"""Sums up.\n' in text
    assert '"""Twice as much."""' in text


def test_branches_that_are_closed_are_left_out() -> None:
    space, text = run(read_places)
    assert {"_never", "_double"} <= space.keys()
    assert "HAS_MORE" not in text
    space, text = run(read_places, constants={"HAS_MORE": False})
    assert "_double" not in space
    assert "if " not in text


def test_names_that_are_taken_get_another() -> None:
    space, _ = run(read_places, beside=["from math import sqrt as COUNT\n_double = 1\n"])
    assert space["COUNT_test_bundle"] == COUNT
    assert "COUNT" not in space
    assert space["_double_test_bundle"](4) == 8
    values = [4, 5, 6, 7]
    space["read_places"](values, 0)
    assert values[0] == 14


def test_constants_are_put_in_and_errors_are_pythons() -> None:
    space, _ = run(fail, constants={"COUNT": 9})
    with pytest.raises(ValueError, match="3 of 9"):
        space["fail"](3)


def test_values_are_written_as_they_are() -> None:
    class Pair(NamedTuple):
        one: Any
        other: Any

    value = Pair({"a": (1,), "b": [None, True]}, Pair(np.zeros(3, np.uint64), np.float32(0.1)))
    text = write_value(value)
    read = eval(text, {"SimpleNamespace": SimpleNamespace, "array": kernel.array})
    assert (read.one, read.other.one) == ({"a": (1,), "b": [None, True]}, [0, 0, 0])
    assert read.other.other == float(np.float32(0.1))
    floats = np.array([0.1, 1e30, np.inf, -0.0], np.float32)
    assert bytes(eval(write_value(floats), {"array": kernel.array})) == floats.tobytes()
    assert eval(write_value(np.array([[0.0, 1.5]], np.float32))) == [[0.0, 1.5]]
    assert write_value(-np.inf) == 'float("-inf")'
    with pytest.raises(TypeError, match="can't be written"):
        write_value({1, 2})


# What stands for functions that are no Python


@compiled
def _bits(word: Any) -> Any:
    return lowest_bit(word), count_bits(word)


@compiled
def _vectors(left: Any, right: Any, out: Any) -> Any:
    one, other = simd.load(left, 1), simd.load(right, 2)
    simd.store(out, 0, simd.minimum(one, simd.add(other, simd.spread(np.float32(0.3)))))
    return simd.halve_sum(simd.subtract(one, other))


@compiled
def _convert(number: Any) -> Any:
    return np.int64(np.uint64(number)), np.uint64(number) >> np.uint64(3), np.float32(number)


def test_bits_and_numbers() -> None:
    space, _ = run(_bits, _convert)
    for number in (0, 1, 12, 2**40, 2**63, 2**64 - 1):
        assert space["_bits"](number) == _bits(np.uint64(number))
    for number in (5, -1, -(2**63), 2**62 + 12345):
        assert space["_convert"](number) == _convert(np.int64(number))


def test_vectors() -> None:
    space, _ = run(_vectors)
    generator = np.random.default_rng(1)
    left, right = generator.normal(size=(2, 20)).astype(np.float32)
    ours, theirs = np.zeros(16, np.float32), kernel.array("f", bytes(64))
    lists = [kernel.array("f", values.tolist()) for values in (left, right)]
    assert space["_vectors"](*lists, theirs) == _vectors(left, right, ours)
    assert theirs.tolist() == ours.tolist()


def test_streams() -> None:
    ours, theirs = stream.new_stream(2**64 - 9), [2**64 - 9]
    drawn = [kernel.below(theirs, count) for count in range(1, 200)]
    assert drawn == [stream.below(ours, count) for count in range(1, 200)]
    assert kernel.next_word(theirs) == int(stream.next_word(ours))
