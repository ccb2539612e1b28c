"""Export for hosts: the bot of one Python file, asked the way that a library or a site asks.

A host is written once, in a file of the templates here. A game says in `GameSpec.hosts` how its
moves or its board are read there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, load
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import assemble, cut, read_template, wrap

TEMPLATES = Path(__file__).with_name("templates")
ASKED = ("How hosts ask", "How sites ask", "As a program")
"""The sections of a bot that other hosts' sections stand for."""


@dataclass(frozen=True)
class HostSource:
    """A bot, and what reads a host's moves for it."""

    game: str
    """What the host calls the game."""
    bot: str
    """The exported bot."""
    sections: Mapping[str, str]
    """What follows it, by title: a function ``choose_after(told)`` that gives the move after all
    that the host told, as it writes moves; or ``choose_shown(own, other)`` for a board."""


@dataclass(frozen=True)
class Host:
    """Who asks bots in a way of its own."""

    name: str
    about: str
    """How its files are used: a paragraph, in which ``{game}`` is the host's game."""
    needs: str = "no other package"


HOSTS = {
    "openspiel": Host(
        "OpenSpiel",
        "OpenSpiel: import it and give an object of its class Bot to pyspiel.evaluate_bots(state,"
        " [Bot(), other], seed), or ask Bot().step(state). The game is"
        ' pyspiel.load_game("{game}").',
        "pyspiel (pip install open_spiel)",
    ),
    "botzone": Host(
        "Botzone",
        "Botzone (botzone.org), the game {game}: upload this file as a bot in Python 3, with JSON"
        " interaction. It reads standard input and writes standard output. If you tick the box for"
        " long-running bots, set KEEP_RUNNING below to True.",
    ),
    "pettingzoo": Host(
        "PettingZoo",
        "PettingZoo's classic environment {game}: import it and call policy(observation) with the"
        " first of what env.last() gives; it returns an action.",
    ),
}
"""By target."""


def export_openspiel(player: BredPlayer) -> str:
    """A bot with a ``pyspiel.Bot``.

    Raises:
        BadValueError: OpenSpiel has no such game, or there is no Python bot.
    """
    return _export(player, "openspiel")


def export_botzone(player: BredPlayer) -> str:
    """A bot that speaks Botzone's JSON.

    Raises:
        BadValueError: Botzone has no such game, or there is no Python bot.
    """
    return _export(player, "botzone")


def export_pettingzoo(player: BredPlayer) -> str:
    """A bot with a policy for PettingZoo's loops.

    Raises:
        BadValueError: PettingZoo has no such game, or there is no Python bot.
    """
    return _export(player, "pettingzoo")


def _export(player: BredPlayer, target: str) -> str:
    host, spec = HOSTS[target], find_game(player.game.name)
    source: HostSource | None = None
    if target in spec.hosts:
        source = load(spec.hosts[target])(player, target)
    if source is None or not source.game:
        raise BadValueError(
            f"{player.name} plays {player.game.describe()}, which can't be exported to {target}:"
            f" {host.name} does not have it by these rules"
        )
    template = read_template(TEMPLATES / f"{target}.py")
    sections = {title: text for title, text in cut(source.bot).items() if title not in ASKED}
    for title, text in (*source.sections.items(), *cut(template).items()):
        sections[title] = text.rstrip() + "\n\n\n"
    about = wrap(f"- {host.about.format(game=source.game)}", "  ")
    docstring = re.sub(
        r"(?s)(?<=How to use it:\n\n).*?(?=\n\nIt needs)",
        lambda _: about,
        source.bot.split('"""')[1],
    )
    docstring = docstring.replace("no other package", host.needs)
    return assemble(docstring, (source.bot, template), sections).rstrip() + "\n"
