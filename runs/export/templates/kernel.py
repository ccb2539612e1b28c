"""What compiled functions call that is no Python, in exported bots.

Each name is that of the function of :mod:`evolve_arena.core.bits` or
:mod:`evolve_arena.genomes.simd` for which it stands. It must stay free of everything but Python 3.8
and its standard library.
"""

from __future__ import annotations

import operator
from array import array
from typing import Any


def shift_left(number: Any, count: int) -> Any:
    """A number times a power of two: its lowest 64 bits, of which the first is a sign."""
    found = number << count
    return (found + (1 << 63)) % (1 << 64) - (1 << 63) if type(found) is int else found


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def count_bits(word: int) -> int:
    """How many bits are set."""
    return bin(int(word)).count("1")


def load(values: Any, at: int) -> Any:
    """Sixteen numbers."""
    return array("f", values[at : at + 16])


def store(values: Any, at: int, vector: Any) -> None:
    """Puts sixteen numbers."""
    values[at : at + 16] = vector


def spread(value: float) -> Any:
    """Sixteen times the same number."""
    return array("f", (value,)) * 16


def add(left: Any, right: Any) -> Any:
    """The sum of each pair."""
    return array("f", map(operator.add, left, right))


def subtract(left: Any, right: Any) -> Any:
    """The difference of each pair."""
    return array("f", map(operator.sub, left, right))


def multiply(left: Any, right: Any) -> Any:
    """The product of each pair."""
    return array("f", map(operator.mul, left, right))


def maximum(left: Any, right: Any) -> Any:
    """The larger of each pair."""
    return array("f", map(max, right, left))


def minimum(left: Any, right: Any) -> Any:
    """The smaller of each pair."""
    return array("f", map(min, right, left))


def halve_sum(vector: Any) -> float:
    """The sum, by adding the upper half to the lower one until one number is left."""
    while len(vector) > 1:
        half = len(vector) // 2
        vector = array("f", map(operator.add, vector[:half], vector[half:]))
    return vector[0]  # type: ignore[no-any-return]
