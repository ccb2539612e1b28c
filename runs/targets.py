"""Export targets for champions: the formats of ``evolve export``, by name."""

from __future__ import annotations

from dataclasses import dataclass

from evolve_arena.core.errors import UnknownNameError

__all__ = ["TARGETS", "Target", "check_target"]


@dataclass(frozen=True)
class Target:
    """A format that players can be exported to."""

    suffix: str
    """Suffix that follows the champion's name in the names of such files."""
    about: str
    """Short description of such a file, for the help."""
    writer: str
    """Import path of the function that writes it: ``package.module:function``. It takes the player
    and returns text or bytes, or raises a :class:`~evolve_arena.core.errors.BadValueError` that
    says why this player can't be exported."""


TARGETS = {
    "python": Target(
        ".py",
        "a bot of one file that needs no more than Python 3.8",
        "evolve_arena.runs.export.board:export_python",
    ),
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
    "c": Target(
        ".c",
        "a bot of one file of C99 that needs no more than a compiler",
        "evolve_arena.runs.export.board_c:export_c",
    ),
    "openspiel": Target(
        "_openspiel.py",
        "the bot as a pyspiel.Bot, for games that OpenSpiel has too",
        "evolve_arena.runs.export.hosts:export_openspiel",
    ),
    "botzone": Target(
        "_botzone.py",
        "the bot for botzone.org, for games that Botzone has too",
        "evolve_arena.runs.export.hosts:export_botzone",
    ),
    "pettingzoo": Target(
        "_pettingzoo.py",
        "the bot as a policy for PettingZoo's loops, for games that PettingZoo has too",
        "evolve_arena.runs.export.hosts:export_pettingzoo",
    ),
    "onnx": Target(
        ".onnx",
        "the network alone, for any runtime of ONNX",
        "evolve_arena.runs.export.onnx_model:export_onnx",
    ),
}
"""Targets in the order in which the help lists them."""


def check_target(name: str) -> Target:
    """Return the target called *name*.

    Raises:
        UnknownNameError: There is no such target.
    """
    if name not in TARGETS:
        raise UnknownNameError("export target", name, TARGETS)
    return TARGETS[name]
