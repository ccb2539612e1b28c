"""Python versions, for exported bots, of functions that are no Python where rules are compiled.

Each has the name of the function of :mod:`evolve_arena.core.bits` or
:mod:`evolve_arena.genomes.simd` that it replaces. It must need nothing but Python 3.8 and its
standard library.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence


def shift_left(number: int, count: int) -> int:
    """Shift a number to the left, and keep its lowest 64 bits, the first of them a sign."""
    found = number << count
    return (found + (1 << 63)) % (1 << 64) - (1 << 63) if type(found) is int else found


def lowest_bit(word: int) -> int:
    """Return the place of the lowest bit that is set; 64 if none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def count_bits(word: int) -> int:
    """Return the number of bits that are set."""
    return bin(int(word)).count("1")


def load(values: Sequence[float], at: int) -> array[float]:
    """Return sixteen numbers."""
    return array("f", values[at : at + 16])


def store(values: array[float], at: int, vector: array[float]) -> None:
    """Store sixteen numbers."""
    values[at : at + 16] = vector


def spread(value: float) -> array[float]:
    """Return sixteen times the same number."""
    return array("f", (value,)) * 16


def add(left: array[float], right: array[float]) -> array[float]:
    """Add each pair."""
    return array("f", map(operator.add, left, right))


def subtract(left: array[float], right: array[float]) -> array[float]:
    """Subtract each pair."""
    return array("f", map(operator.sub, left, right))


def multiply(left: array[float], right: array[float]) -> array[float]:
    """Multiply each pair."""
    return array("f", map(operator.mul, left, right))


def maximum(left: array[float], right: array[float]) -> array[float]:
    """Return the larger number of each pair."""
    return array("f", map(max, right, left))


def minimum(left: array[float], right: array[float]) -> array[float]:
    """Return the smaller number of each pair."""
    return array("f", map(min, right, left))


def halve_sum(vector: array[float]) -> float:
    """Return the sum, by adding the upper half to the lower one until one number is left."""
    while len(vector) > 1:
        half = len(vector) // 2
        vector = array("f", map(operator.add, vector[:half], vector[half:]))
    return vector[0]
