"""Export of players of OpenSpiel's own games, as one file that asks pyspiel for the rules."""

from __future__ import annotations

from typing import Any

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import SPIEL
from evolve_arena.players.bred import BredPlayer, NeatPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.runs.export import (
    LAYERS,
    NetworkSource,
    assemble,
    cut,
    read_template,
    wrap,
    write_base64,
    write_layers,
    write_name,
)
from evolve_arena.runs.export.graphs import describe_nodes
from evolve_arena.runs.export.hosts import HOSTS, TEMPLATES


def export_bot(player: BredPlayer) -> str:
    """The source of one Python file with a ``pyspiel.Bot``, which plays as *player* does.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    decoder: Any = player.decoder
    if isinstance(player, NeatPlayer):
        inside = describe_nodes(player, TEMPLATES / "spiel_graph.py", "")
    else:
        inside = _describe_mlp(player)
    files = (TEMPLATES / "spiel.py", TEMPLATES / "openspiel.py", *inside.templates)
    outer, host, *others = map(read_template, files)
    head = f'HEAD = "{decoder.head}"\n'
    constants = f"""\
{head}TAKES_WINS = {decoder.take_wins and decoder.head == "value"}
SEATS = {player.game.seats}
"""
    sections = {
        "The network": constants + inside.constants.replace(head, ""),
        **inside.sections(),
        "States of OpenSpiel": cut(outer)["States of OpenSpiel"],
        "How OpenSpiel asks": cut(host)["How OpenSpiel asks"],
    }
    about = HOSTS["openspiel"].about.format(game=player.game.name.removeprefix(SPIEL))
    facts = [f"game: {player.game.name}", *inside.description, f"head: {decoder.head}"]
    title = f"The {player.game.name} player {write_name(player.name)}, bred by Evolve Arena"
    docstring = f"""{title}: one file that plays.

How to use it:

{wrap(f"- {about}", "  ")}

It needs Python 3.8 or later and {HOSTS["openspiel"].needs}, and keeps nothing from one move to
the next.

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

In every position it chooses the very move that the player chooses inside Evolve Arena.
"""
    return assemble(docstring, (outer, host, *others), sections)


def _describe_mlp(player: Any) -> NetworkSource:
    mlp, features = player.decoder.mlp, player.decoder.board.features
    rows = player.packed.columns.reshape(1 + features, -1)[: 1 + mlp.inputs, : mlp.sizes[1]]
    return NetworkSource(
        templates=(TEMPLATES / "spiel_mlp.py", LAYERS),
        constants=f'''\
# Biases, then what each input adds: base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{write_base64(rows.astype("<i4").tobytes())}"""
{write_layers(player.decoder.head, mlp, player.genome)}''',
        description=(f"network: {'-'.join(map(str, mlp.sizes))} units, {mlp.activation}",),
    )
