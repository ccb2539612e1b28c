"""Export for hosts: a bot in one Python file, with the interface of a library or a website.

Each host has a template. A game's file defines how the host's moves or boards are read. Games of
OpenSpiel have no such file: their bots take the rules from pyspiel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import SPIEL
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import assemble, cut, read_template, wrap, write_name
from evolve_arena.runs.export.board import export_python
from evolve_arena.runs.export.networks import describe_layers, describe_nodes

ASKED = ("How hosts ask", "How sites ask", "As a program")
"""Titles of the sections of a bot that the host's own sections replace."""


@dataclass(frozen=True)
class Host:
    """A library or website that calls bots through an interface of its own."""

    name: str
    about: str
    """Instructions for use of the exported file; ``{game}`` is the host's name of the game."""
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
"""Hosts by target."""


def export_openspiel(player: EvolvedPlayer) -> str:
    """Return the source of a bot with a ``pyspiel.Bot``.

    Raises:
        BadValueError: OpenSpiel lacks the game, or the player can't be exported to Python.
    """
    if player.game.name.startswith(SPIEL):
        return _export_with_pyspiel(player)
    return _export(player, "openspiel")


def export_botzone(player: EvolvedPlayer) -> str:
    """Return the source of a bot that speaks Botzone's JSON.

    Raises:
        BadValueError: Botzone lacks the game, or the player can't be exported to Python.
    """
    return _export(player, "botzone")


def export_pettingzoo(player: EvolvedPlayer) -> str:
    """Return the source of a bot with a policy for PettingZoo's loops.

    Raises:
        BadValueError: PettingZoo lacks the game, or the player can't be exported to Python.
    """
    return _export(player, "pettingzoo")


def _export(player: EvolvedPlayer, target: str) -> str:
    host, game = HOSTS[target], player.game
    name = ""
    if isinstance(game, BoardGame) and target.upper() in game.plain:
        if game.code.HAS_CHANCE:
            raise BadValueError(f"{game.name} is a game of chance: export it with --to python")
        name = str(game.plain[target.upper()])
    if not isinstance(game, BoardGame) or not name:
        raise BadValueError(
            f"{player.name} plays {game.describe()}, which can't be exported to {target}:"
            f" {host.name} does not have it by these rules"
        )

    # Take the Python bot, with the host's functions of the game's file
    bot = export_python(player, (f"{target}_move", f"{target}_state"))
    facts = f"""\
START = {[int(number) for number in game.code.START]!r}
# Whether moves are told as pairs of row and column, and how many cells stand in a row.
PAIRS, WIDTH = {target == "botzone"}, {int(game.code.WIDTH)}
"""

    # Replace the sections that ask and answer
    template = read_template(f"{target}.py")
    moves = cut(read_template("board_hosts.py"))["Moves of the host"]
    sections = {title: text for title, text in cut(bot).items() if title not in ASKED}
    own = {"The game at the host": facts, "Moves of the host": moves, **cut(template)}
    sections |= {title: text.rstrip() + "\n\n\n" for title, text in own.items()}

    # Replace the part of the docstring that explains the use
    about = wrap(f"- {host.about.format(game=name)}", "  ")
    docstring = re.sub(
        r"(?s)(?<=How to use it:\n\n).*?(?=\n\nIt needs)",
        lambda _: about,
        bot.split('"""')[1],
    )
    docstring = docstring.replace("no other package", host.needs)
    return assemble(docstring, (bot, template), sections).rstrip() + "\n"


def _export_with_pyspiel(player: EvolvedPlayer) -> str:
    """Return the source of a Python file with a ``pyspiel.Bot`` that uses pyspiel's rules.

    Raises:
        BadValueError: The player makes random moves, or is a tuple network.
    """
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    decoder, game, host = player.decoder, player.game, HOSTS["openspiel"]
    if isinstance(player, TuplePlayer):
        raise BadValueError(f"{player.name} is a tuple network, which asks for a game in one file")
    if isinstance(player, NeatPlayer):
        inside = describe_nodes(player, ("spiel_graph.py",), "")
    else:
        inside = describe_layers(player, ("spiel_mlp.py",), "what each input adds")
    outer, asks, *others = map(read_template, ("spiel.py", "openspiel.py", *inside.templates))
    constants = f"""\
HEAD = "{decoder.head}"
TAKES_WINS = {decoder.take_wins and decoder.head == "value"}
SEATS = {game.seats}
"""
    sections = {
        "The network": constants + inside.constants,
        **inside.sections(),
        "States of OpenSpiel": cut(outer)["States of OpenSpiel"],
        "How OpenSpiel asks": cut(asks)["How OpenSpiel asks"],
    }
    about = wrap(f"- {host.about.format(game=game.name.removeprefix(SPIEL))}", "  ")
    facts = [f"game: {game.name}", *inside.description, f"head: {decoder.head}"]
    title = f"The {game.name} player {write_name(player.name)}, bred by Evolve Arena"
    docstring = f"""{title}: one file that plays.

How to use it:

{about}

It needs Python 3.8 or later and {host.needs}, and keeps nothing from one move to
the next.

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

In every position it chooses the very move that the player chooses inside Evolve Arena.
"""
    return assemble(docstring, (outer, asks, *others), sections)
