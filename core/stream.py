"""The random stream of a match: SplitMix64, one 64-bit word of state, compiled.

A stream is an array of one ``uint64``. The same functions serve kernels and Python, so both
draw the same numbers from the same seed. Source: Steele, Lea, Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014, figure 17 (with the constants of its mix64
variant 13).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined

Stream = NDArray[np.uint64]
"""An array of shape ``(1,)``: the state, advanced in place by each draw."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What each draw adds to the state."""
HASH_FACTOR = np.uint64(0x9FB21C651E98DF25)
"""An odd number whose bits look random: a factor of :func:`hash_word`."""


def new_stream(seed: int) -> Stream:
    """A stream that starts from *seed*, an integer of which the lowest 64 bits count."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


@inlined
def mix(word: Any) -> Any:
    """Scrambles 64 bits into 64 bits, one to one."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined
def hash_word(word: Any, number: Any) -> Any:
    """The part of word *number*, from 1, of some in a hash: :func:`mix` of the sum of all parts."""
    part = (word ^ (GOLDEN * np.uint64(number))) * HASH_FACTOR
    return part ^ (part >> np.uint64(32))


@inlined
def next_word(stream: Stream) -> Any:
    """The next 64 random bits."""
    stream[0] += GOLDEN
    return mix(stream[0])


@compiled
def fill_words(stream: Stream, words: Any) -> None:
    """Fills *words*, of shape ``(count,)``, with the next words of the stream."""
    for place in range(words.shape[0]):
        words[place] = next_word(stream)


@inlined
def below(stream: Stream, count: int) -> Any:
    """A random integer from 0 to *count* - 1; *count* is at most 2**32.

    It is the high half of a product, so its bias is below *count* / 2**32.
    """
    high = next_word(stream) >> np.uint64(32)
    return np.int64((high * np.uint64(count)) >> np.uint64(32))


@inlined
def chance(stream: Stream) -> Any:
    """A random number, uniform in [0, 1)."""
    return np.float64(next_word(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def gaussian(stream: Stream) -> Any:
    """A random number of the normal distribution with mean 0 and standard deviation 1.

    Source: the polar method, Marsaglia and Bray, "A convenient method for generating normal
    variables", SIAM Review 6 (1964). Of the two numbers that it makes the second is dropped, so
    that the stream stays all the state there is.
    """
    while True:
        first = 2.0 * chance(stream) - 1.0
        second = 2.0 * chance(stream) - 1.0
        square = first * first + second * second
        if 0.0 < square < 1.0:
            return first * math.sqrt(-2.0 * math.log(square) / square)
