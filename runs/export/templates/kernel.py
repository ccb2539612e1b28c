"""What kernels call that is no Python, or that counts beyond 64 bits, in exported bots.

Each name is that of the function for which it stands: NumPy's types, and those of
:mod:`evolve_arena.core.bits`, :mod:`evolve_arena.core.stream` and :mod:`evolve_arena.genomes.simd`.
It must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import operator
from array import array
from typing import Any

inf = float("inf")


def int64(number: Any) -> int:
    """The lowest 64 bits of a number, of which the first is a sign."""
    return (int(number) + (1 << 63)) % (1 << 64) - (1 << 63)


def uint64(number: Any) -> int:
    """The lowest 64 bits of a number."""
    return int(number) & 0xFFFFFFFFFFFFFFFF


def float32(number: float) -> float:
    """The nearest number that 32 bits can hold."""
    return array("f", (number,))[0]


def float64(number: float) -> float:
    """The number with 64 bits."""
    return float(number)


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (word & -word).bit_length() - 1 if word else 64


def count_bits(word: int) -> int:
    """How many bits are set."""
    return bin(word).count("1")


def next_word(stream: list[int]) -> int:
    """The next 64 random bits: SplitMix64."""
    stream[0] = word = uint64(stream[0] + 0x9E3779B97F4A7C15)
    word = uint64((word ^ word >> 30) * 0xBF58476D1CE4E5B9)
    word = uint64((word ^ word >> 27) * 0x94D049BB133111EB)
    return word ^ word >> 31


def below(stream: list[int], count: int) -> int:
    """A random integer from 0 to count - 1."""
    return (next_word(stream) >> 32) * count >> 32


def load(values: Any, at: int) -> Any:
    """Sixteen numbers."""
    return values[at : at + 16]


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


def minimum(left: Any, right: Any) -> Any:
    """The smaller of each pair."""
    return array("f", map(min, right, left))


def halve_sum(vector: Any) -> float:
    """The sum, by adding the upper half to the lower one until one number is left."""
    while len(vector) > 1:
        half = len(vector) // 2
        vector = array("f", map(operator.add, vector[:half], vector[half:]))
    return vector[0]  # type: ignore[no-any-return]
