"""Networks of exported bots of board games with numbers as inputs; see `board`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.runs.export.templates.numbers_mlp import evaluate_numbers

# --- The network --------------------------------------------------------------------------
BITS: list[list[tuple[int, float]]] = []
SEEN = 0
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(shown: Sequence[Any]) -> list[float]:
    """Return the outputs of the network for planes of bits, if any, and the numbers after them."""
    values = [0.0] * SEEN
    for word, inputs in zip(shown, BITS):  # noqa: B905  (Python 3.8 has no strict)
        for cell, (place, number) in enumerate(inputs):
            if word >> cell & 1:
                values[place] += number
    return evaluate_numbers(values + list(shown[len(BITS) :]))
