"""NEAT graphs of exported bots with numbers as inputs."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from evolve_arena.runs.export.templates.graph import activate

# --- The network --------------------------------------------------------------------------
INPUTS, SLOTS = 1, 2
SCALES = [1.0]
# --- How the network sees -----------------------------------------------------------------


def evaluate_numbers(inputs: Sequence[float]) -> list[float]:
    """Return the outputs of the graph for its inputs."""
    seen = list(map(mul, inputs, SCALES))
    return activate(seen + [0.0] * (SLOTS - INPUTS))[INPUTS:]
