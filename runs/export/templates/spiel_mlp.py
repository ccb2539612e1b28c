"""Multilayer perceptrons of exported bots of pyspiel's games; see `spiel`."""

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
# --- How the network decides --------------------------------------------------------------


def evaluate_tensor(seen: Sequence[float]) -> list[float]:
    """Return the outputs for these inputs; weights of inputs of 1 are added as whole numbers."""
    sums, rest = ROWS[0], [0.0] * UNITS[0]
    for number, row in zip(seen, ROWS[1:]):  # noqa: B905  (Python 3.8 has no strict)
        if number == 1.0:
            sums = list(map(add, sums, row))
    for number, row in zip(reversed(seen), reversed(ROWS)):  # noqa: B905
        if number not in (0.0, 1.0):
            terms = rounded([weight * number for weight in rounded(row)])
            rest = rounded(map(add, rest, terms))
    wrapped = [(total + 2**31) % 2**32 - 2**31 for total in sums]
    whole = [total / 65536 for total in rounded(wrapped)]
    return evaluate_later(rounded(map(add, whole, [term / 65536 for term in rest])))


def unpack_rows() -> list[list[int]]:
    """Return biases, then what each input adds to the first layer, in units of 1/65536."""
    data = b64decode(FIRST_LAYER)
    numbers = list(unpack(f"<{len(data) // 4}i", data))
    units = UNITS[0]
    return [numbers[i : i + units] for i in range(0, len(numbers), units)]


ROWS = unpack_rows()
