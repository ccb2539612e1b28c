"""Checks of states that were read from files: shapes and types of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

import numpy as np

Shape = tuple[int | str | None, ...]
"""Lengths of the axes of an array: numbers, names of numbers, or None for any length."""
WORDS = {
    "hall": "hall of fame",
    "step_sizes": "array of step sizes",
    "population.cells": "array of tuples",
    "population.tables": "array of tables",
    "averages": "array of averages",
}
"""Names of fields in messages, where these differ from the fields' own."""


def find_other_arrays(
    state: object,
    shapes: Mapping[str, Shape],
    sizes: Mapping[str, int],
    dtype: type[np.generic] | None = np.float32,
) -> str | None:
    """Return what is wrong with the arrays of a *state*; None if nothing is.

    Args:
        state: The state of a method.
        shapes: The expected shape of each array, by field, or ``field.field`` for a field's field.
        sizes: The lengths of axes that *shapes* names.
        dtype: The expected type of elements; None for any.
    """
    for name, shape in shapes.items():
        words = WORDS.get(name, name)
        array: np.ndarray[tuple[int, ...], np.dtype[np.generic]] = attrgetter(name)(state)
        expected = [sizes[axis] if isinstance(axis, str) else axis for axis in shape]
        pairs = zip(array.shape, expected, strict=False)
        if array.ndim != len(expected) or any(size not in (own, None) for own, size in pairs):
            shown = tuple("any" if size is None else size for size in expected)
            told = f"({', '.join(map(str, shown))}{',' if len(shown) == 1 else ''})"
            return f"its {words} has shape {array.shape}, not {told}"
        if dtype is not None and array.dtype != dtype:
            return f"its {words} has elements of type {array.dtype}, not {dtype.__name__}"
    return None
