"""NEAT graphs of exported bots of board games; see `board`."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.runs.export.templates.graph import activate

# --- The network --------------------------------------------------------------------------
INPUTS, SLOTS = 1, 2
BITS = [[(0, 1.0)]]
# --- How the network decides --------------------------------------------------------------


def evaluate_planes(planes: Sequence[int]) -> list[float]:
    """Return the outputs of the graph for these planes of bits."""
    values = [0.0] * SLOTS
    for word, inputs in zip(planes, BITS):  # noqa: B905  (Python 3.8 has no strict)
        for cell, (place, number) in enumerate(inputs):
            if word >> cell & 1:
                values[place] += number
    return activate(values)[INPUTS:]
