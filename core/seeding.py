"""Random streams derived from a run's seed: one for each purpose of each generation.

Nothing here has a state, so nothing has to be saved: the numbers drawn in generation 731 depend on
the run's seed, the number 731 and the name of the purpose alone.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream, fill_words, new_stream

GOLDEN = 0x9E3779B97F4A7C15
WORD = 2**64 - 1


def derive_stream(seed: int, generation: int, purpose: str) -> Stream:
    """Derive the random stream for one *purpose* ("mutation", say) of one *generation*.

    `numpy.random.SeedSequence` turns the seed into one word, at which a SplitMix64 stream starts.
    Word g of that stream starts the stream of generation g, and word p of the latter, where p is a
    checksum of the purpose's name, starts the stream of the purpose. Calling SeedSequence for each
    stream would take as long as breeding does.

    Args:
        seed: A seed, such as that of a run; at least 0.
        generation: Number of the generation; 0 where there are none.
        purpose: Name of the purpose, such as ``mutation``: each has a stream of its own.

    Raises:
        BadValueError: *seed* is negative.
    """
    word = _word(_word(_first_word(seed), generation), zlib.crc32(purpose.encode()))
    return new_stream(word)


def derive_seeds(seed: int, generation: int, purpose: str, count: int) -> NDArray[np.uint64]:
    """Derive seeds for *count* matches, shape ``(count,)``: the next words of the purpose's stream.

    Args:
        seed: A seed, such as that of a run; at least 0.
        generation: Number of the generation; 0 where there are none.
        purpose: Name of the purpose, such as ``mutation``: each has a stream of its own.
        count: Number of seeds; fewer are the first ones of more.

    Raises:
        BadValueError: *seed* is negative.

    >>> derive_seeds(1, 0, "matches", 2).tolist() == derive_seeds(1, 0, "matches", 5)[:2].tolist()
    True
    """
    seeds = np.empty(count, dtype=np.uint64)
    fill_words(derive_stream(seed, generation, purpose), seeds)
    return seeds


def derive_generator(seed: int, generation: int, purpose: str) -> np.random.Generator:
    """Derive a NumPy generator, seeded with the state of the purpose's stream.

    Args:
        seed: A seed, such as that of a run; at least 0.
        generation: Number of the generation; 0 where there are none.
        purpose: Name of the purpose, such as ``mutation``: each has a stream of its own.

    Raises:
        BadValueError: *seed* is negative.
    """
    return np.random.default_rng(int(derive_stream(seed, generation, purpose)[0]))


@lru_cache(maxsize=64)
def _first_word(seed: int) -> int:
    if seed < 0:
        raise BadValueError(f"seed is {seed}: it must be at least 0")
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def _word(start: int, number: int) -> int:
    """Return word *number* of the SplitMix64 stream at *start*; plain integers are fastest here."""
    word = (start + GOLDEN * (number + 1)) & WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)
