"""NEAT graphs of exported bots of pyspiel's games; see `spiel`."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.runs.export.templates.graph import activate

# --- The network --------------------------------------------------------------------------
INPUTS, SLOTS = 1, 2
# --- How the network decides --------------------------------------------------------------


def evaluate_tensor(seen: Sequence[float]) -> list[float]:
    """Return the outputs of the graph for these inputs."""
    return activate([*seen, *[0.0] * (SLOTS - INPUTS)])[INPUTS:]
