"""One seed per run; every purpose of every generation draws from a source of its own.

Nothing here has a state, so nothing has to be saved: what generation 731 draws depends on
the run's seed, the number 731 and the name of the purpose alone.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["derive_generator", "derive_seeds"]


def derive_generator(seed: int, generation: int, purpose: str) -> np.random.Generator:
    """The random numbers for one *purpose* ("mutation", say) of one *generation*."""
    return np.random.default_rng(_sequence(seed, generation, purpose))


def derive_seeds(seed: int, generation: int, purpose: str, count: int) -> NDArray[np.uint64]:
    """Seeds for *count* matches, shape ``(count,)``.

    >>> derive_seeds(1, 0, "matches", 2).tolist() == derive_seeds(1, 0, "matches", 5)[:2].tolist()
    True
    """
    words = _sequence(seed, generation, purpose).generate_state(count, np.uint64)
    return words.astype(np.uint64, copy=False)


def _sequence(seed: int, generation: int, purpose: str) -> np.random.SeedSequence:
    return np.random.SeedSequence((seed, generation, zlib.crc32(purpose.encode())))
