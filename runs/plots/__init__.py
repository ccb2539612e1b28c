"""Plots of runs: their progress, their champions' networks, and how champions compare.

matplotlib is loaded when a picture is made, not on import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve_arena.core.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from evolve_arena.runs.plots.ancestors import draw_ancestors, meet_ancestors, plot_ancestors
    from evolve_arena.runs.plots.network import draw_player, plot_network
    from evolve_arena.runs.plots.progress import draw_runs, plot_runs
    from evolve_arena.runs.run import Run

_PLACES = {
    "ancestors": ("draw_ancestors", "meet_ancestors", "plot_ancestors"),
    "network": ("draw_player", "plot_network"),
    "progress": ("draw_runs", "plot_runs"),
}
__all__ = [
    "draw",
    "draw_ancestors",
    "draw_player",
    "draw_runs",
    "meet_ancestors",
    "plot_ancestors",
    "plot_network",
    "plot_runs",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"evolve_arena.runs.plots.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def draw(run: Run, what: str, generation: int | None, position: str | None, seed: int) -> Figure:
    """Draw the picture of a *run* called *what*; see `Run.plot`.

    Args:
        run: Run to draw.
        what: ``fitness``, ``network`` or ``ancestors``.
        generation: For ``network``: generation of the check whose champion is drawn; if None, the
            run's champion.
        position: For ``network``: position in which the network's reaction is drawn, as
            `evolve_arena.runs.plots.position.find_position` reads it; if None, the network is drawn
            without one.
        seed: For ``network``: seed of the game that the position comes from, if any.

    Raises:
        UnknownNameError: There is no such picture.
        ArenaError: As for `Run.plot`.
    """
    from evolve_arena.runs import plots

    pictures = {
        "fitness": lambda: plots.draw_runs([run.history()]),
        "network": lambda: plots.draw_player(
            run.champion_at(generation), run.path.resolve().name, position, seed
        ),
        "ancestors": lambda: plots.draw_ancestors(plots.meet_ancestors(run)),
    }
    if what not in pictures:
        raise UnknownNameError("picture", what, pictures)
    return pictures[what]()
