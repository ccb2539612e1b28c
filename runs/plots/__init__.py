"""Pictures of runs: what happened in them, their champions' networks, and how these compare.

matplotlib is loaded when a picture is made, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve_arena.runs.plots.ancestors import draw_ancestors, meet_ancestors, plot_ancestors
    from evolve_arena.runs.plots.network import draw_player, plot_network
    from evolve_arena.runs.plots.progress import draw_runs, plot_runs

_PLACES = {
    "ancestors": ("draw_ancestors", "meet_ancestors", "plot_ancestors"),
    "network": ("draw_player", "plot_network"),
    "progress": ("draw_runs", "plot_runs"),
}
__all__ = [
    "draw_ancestors",
    "draw_player",
    "draw_runs",
    "meet_ancestors",
    "plot_ancestors",
    "plot_network",
    "plot_runs",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"evolve_arena.runs.plots.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
