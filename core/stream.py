"""The random stream of a match: SplitMix64, one 64-bit word of state, compiled.

A stream is an array of one ``uint64``. The same functions serve kernels and Python, so both
draw the same numbers from the same seed. Source: Steele, Lea, Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014, figure 17 (with the constants of its mix64
variant 13).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Number

Stream = NDArray[np.uint64]
"""An array of shape ``(1,)``: the state, advanced in place by each draw."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Increment of the state at each draw."""
HASH_FACTOR = np.uint64(0x9FB21C651E98DF25)
"""An odd number whose bits look random: a factor of :func:`hash_word`."""


def new_stream(seed: int) -> Stream:
    """Return a stream that starts from *seed*, an integer whose lowest 64 bits count."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


@inlined
def mix(word: Number) -> Number:
    """Scramble 64 bits into 64 bits, one to one."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined
def hash_word(word: Number, number: Number) -> Number:
    """Return the share of word *number*, from 1, in a hash, which is :func:`mix` of their sum.

    The share is a pseudorandom function of the word's 64 bits and of its *number*. When one word
    changes, the sum changes by the difference of two shares.
    """
    part = (word ^ (GOLDEN * np.uint64(number))) * HASH_FACTOR
    return part ^ (part >> np.uint64(32))


@inlined
def next_word(rng: Stream) -> Number:
    """Return the next 64 random bits."""
    rng[0] += GOLDEN
    return mix(rng[0])


@compiled
def fill_words(rng: Stream, words: Array) -> None:
    """Fill *words*, of shape ``(count,)``, with the next words of the stream."""
    for place in range(words.shape[0]):
        words[place] = next_word(rng)


@inlined
def below(rng: Stream, count: int) -> Number:
    """Draw a random integer from 0 to *count* - 1; *count* is at most 2**32.

    The integer is the high half of a product, so its bias is below *count* / 2**32.
    """
    high = next_word(rng) >> np.uint64(32)
    return np.int64((high * np.uint64(count)) >> np.uint64(32))


@inlined
def chance(rng: Stream) -> Number:
    """Draw a random number, uniform in [0, 1)."""
    return np.float64(next_word(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def gaussian(rng: Stream) -> Number:
    """Draw from the normal distribution with mean 0 and standard deviation 1.

    Source: the polar method, Marsaglia and Bray, "A convenient method for generating normal
    variables", SIAM Review 6 (1964). The second of the two numbers that it makes is dropped, so
    that the stream remains the only state.
    """
    # Points of the square until one lies in the unit circle: 4 / pi tries on average.
    while True:
        first = 2.0 * chance(rng) - 1.0
        second = 2.0 * chance(rng) - 1.0
        square = first * first + second * second
        if 0.0 < square < 1.0:
            return first * math.sqrt(-2.0 * math.log(square) / square)
