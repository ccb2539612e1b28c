"""What champions are exported to: the targets of ``evolve export``, by name."""

from __future__ import annotations

from dataclasses import dataclass

from evolve_arena.core.errors import UnknownNameError

__all__ = ["TARGETS", "Target", "check_target"]


@dataclass(frozen=True)
class Target:
    """A way to export a player."""

    suffix: str
    """How the names of such files end."""
    about: str
    """What such a file is, in some words for the help."""
    writer: str = ""
    """What writes it, found at ``package.module:function``, for every game that does not name an
    exporter of its own; it takes the player and gives text or bytes, or raises a
    :class:`~evolve_arena.core.errors.BadValueError` that says why it can't. Empty if only games
    themselves say how."""


TARGETS = {
    "python": Target(".py", "a bot of one file that needs no more than Python 3.8"),
    "html": Target(
        ".html",
        "a page that needs no more than a browser: the board, the rules, and the bot",
        "evolve_arena.runs.export.page:export_html",
    ),
    "neat-python": Target(
        ".json",
        "as export_network_json does; for champions bred by NEAT",
        "evolve_arena.runs.export.neat_python:export_neat_python",
    ),
}
"""In the order in which the help lists them."""


def check_target(name: str) -> Target:
    """The target of that *name*.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in TARGETS:
        raise UnknownNameError("export target", name, TARGETS)
    return TARGETS[name]
