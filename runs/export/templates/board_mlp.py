"""Multilayer perceptrons of exported bots of board games; see `board`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from operator import add
from struct import unpack

from evolve_arena.runs.export.templates.mlp import UNITS, evaluate

# --- The network --------------------------------------------------------------------------
CELLS = 1
FIRST_LAYER = """
AAAAAAAAAAAAAAAAAAAAAAAAAAA=
"""
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(planes: Sequence[int]) -> list[float]:
    """Return the outputs of the network for these planes of bits."""
    sums = ROWS[0]
    for plane, word in enumerate(planes):
        for cell in range(CELLS):
            if word >> cell & 1:
                sums = list(map(add, sums, ROWS[1 + CELLS * plane + cell]))
    return evaluate(sums)


def unpack_rows() -> list[list[int]]:
    """Return biases, then what each bit adds to the first layer, in units of 1/65536."""
    data = b64decode(FIRST_LAYER)
    numbers = list(unpack(f"<{len(data) // 4}i", data))
    units = UNITS[0]
    return [numbers[i : i + units] for i in range(0, len(numbers), units)]


ROWS = unpack_rows()
