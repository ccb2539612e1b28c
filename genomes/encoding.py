"""How features reach a network's inputs: which input each one raises, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Encoding:
    """A table of features, each of which adds a whole number to one input while it is on."""

    inputs: int
    """How many inputs the network has."""

    index: NDArray[np.int64]
    """The input of each feature, shape ``(features,)``; -1 for a feature that never occurs."""

    factor: NDArray[np.int64]
    """What each feature adds to its input, shape ``(features,)``."""

    active: int
    """How many features can be on at once, at most."""

    total: int | None = None
    """What all inputs add up to at most, their signs aside; None for as many of the largest
    factor as can be on at once."""

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.index)

    @property
    def most(self) -> int:
        """What all inputs add up to at most, their signs aside."""
        if self.total is not None:
            return self.total
        return self.active * int(np.abs(self.factor).max(initial=1))

    @property
    def limit(self) -> float:
        """The largest first-layer weight whose sums are sure to fit into 32 bits.

        Weights beyond it, on either side, are played as if they were this large.
        """
        return float(32767 // (self.most + 1))
