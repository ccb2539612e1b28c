"""Pictures of runs: what happened in them, their champions' networks, and how these compare.

matplotlib is loaded when a picture is made, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.runs.plots.ancestors import plot_ancestors
    from evolve_arena.runs.plots.network import plot_network
    from evolve_arena.runs.plots.progress import plot_runs

__all__ = ["plot_ancestors", "plot_network", "plot_runs"]

_PLACES = {
    "plot_ancestors": "evolve_arena.runs.plots.ancestors",
    "plot_network": "evolve_arena.runs.plots.network",
    "plot_runs": "evolve_arena.runs.plots.progress",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
