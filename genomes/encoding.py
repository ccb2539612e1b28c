"""Encoding of features as a network's inputs: the input that each one raises, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Encoding:
    """A table of features: each adds a whole number to one input while it is on."""

    inputs: int
    """Number of inputs of the network."""

    index: NDArray[np.int64]
    """The input of each feature, shape ``(features,)``; -1 for a feature that never occurs."""

    factor: NDArray[np.int64]
    """The number that each feature adds to its input, shape ``(features,)``."""

    active: int
    """Most features that can be on at once."""

    total: int | None = None
    """Largest sum of the absolute inputs; None for :attr:`active` times the largest factor."""

    @property
    def features(self) -> int:
        """Number of features."""
        return len(self.index)

    @property
    def most(self) -> int:
        """Largest sum of the absolute inputs."""
        if self.total is not None:
            return self.total
        return self.active * int(np.abs(self.factor).max(initial=1))

    @property
    def limit(self) -> float:
        """The largest first-layer weight for which all sums are guaranteed to fit into 32 bits.

        Larger weights, of either sign, are clipped to it in play.
        """
        return float(32767 // (self.most + 1))
