"""Whole numbers in exported bots of board games whose rules use NumPy; see `board`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# --- Whole numbers ------------------------------------------------------------------------
np.seterr(over="ignore")


def make_words(count: int) -> Any:
    """Make an array of unsigned whole numbers, all 0."""
    return np.zeros(count, np.uint64)


def make_array(kind: str, numbers: Sequence[int]) -> Any:
    """Make an array of numbers."""
    return np.array(numbers, kind)


def make_numbers(count: int) -> Any:
    """Make an array of numbers, all 0."""
    return np.zeros(count)
