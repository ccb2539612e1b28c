"""Multilayer perceptrons of exported bots with numbers as inputs."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from operator import add
from struct import unpack

from evolve_arena.runs.export.templates.mlp import UNITS, evaluate_later, rounded

# --- The network --------------------------------------------------------------------------
FIRST_LAYER = """
AAAAAAAAAAAAAAAAAAAAAAAAAAA=
"""
# --- How the network sees -----------------------------------------------------------------


def evaluate_numbers(inputs: Sequence[float]) -> list[float]:
    """Return the outputs of the network for its inputs."""
    sums = ROWS[0]
    for value, row in zip(inputs, ROWS[1:]):  # noqa: B905  (Python 3.8 has no strict)
        if value:
            sums = rounded(map(add, sums, rounded([value * weight for weight in row])))
    return evaluate_later(sums)


def unpack_rows() -> list[list[float]]:
    """Return biases of the first layer, then the weights of each input."""
    data = b64decode(FIRST_LAYER)
    numbers = list(unpack(f"<{len(data) // 4}f", data))
    units = UNITS[0]
    return [numbers[i : i + units] for i in range(0, len(numbers), units)]


ROWS = unpack_rows()
