"""One seed per run; every purpose of every generation draws from a source of its own.

Nothing here has a state, so nothing has to be saved: what generation 731 draws depends on
the run's seed, the number 731 and the name of the purpose alone.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from games.errors import BadValueError
from games.stream import fill_words

__all__ = ["derive_generator", "derive_seeds"]


def derive_generator(seed: int, generation: int, purpose: str) -> np.random.Generator:
    """The random numbers for one *purpose* ("mutation", say) of one *generation*.

    Raises:
        BadValueError: *seed* is negative.
    """
    return np.random.default_rng(_sequence(seed, generation, purpose))


def derive_seeds(seed: int, generation: int, purpose: str, count: int) -> NDArray[np.uint64]:
    """Seeds for *count* matches, shape ``(count,)``.

    Match number k gets the k-th word of a SplitMix64 stream that starts from one word of the
    purpose's `numpy.random.SeedSequence`; to take all words from there would cost as much as
    a fifth of the matches themselves.

    >>> derive_seeds(1, 0, "matches", 2).tolist() == derive_seeds(1, 0, "matches", 5)[:2].tolist()
    True
    """
    start = _sequence(seed, generation, purpose).generate_state(1, np.uint64)
    seeds = np.empty(count, dtype=np.uint64)
    fill_words(start.astype(np.uint64, copy=False), seeds)
    return seeds


def _sequence(seed: int, generation: int, purpose: str) -> np.random.SeedSequence:
    if seed < 0:
        raise BadValueError(f"seed is {seed}: it must be at least 0")
    return np.random.SeedSequence((seed, generation, zlib.crc32(purpose.encode())))
