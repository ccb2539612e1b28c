"""Export as one Python file: the network and all it takes to play it, in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolve_arena.games.connect_four.export_graph import describe_graph
from evolve_arena.games.connect_four.export_mlp import describe_mlp
from evolve_arena.games.connect_four.export_tuples import describe_tuples
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export.assembly import assemble, cut, read_template, wrap, write_name
from evolve_arena.runs.export.inside import Inside

TEMPLATE = Path(__file__).with_name("templates") / "bot.py"
INSIDES: dict[str, Callable[[Any], Inside]] = {
    NetworkPlayer.kind: describe_mlp,
    GraphPlayer.kind: describe_graph,
    TuplePlayer.kind: describe_tuples,
}
"""What describes the network, by the kind of player."""


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else. It can be imported, run as a bot on
    standard input and output, or handed to Kaggle; its docstring tells how.

    Raises:
        BadValueError: The player makes random moves now and then.
    """
    design = player.design
    inside = INSIDES[player.kind](player)
    bot, networks = read_template(TEMPLATE), tuple(map(read_template, inside.templates))
    board = f"COLUMNS, ROWS, CONNECT = {design.columns}, {design.rows}, {design.connect}\n"
    outer = cut(bot)
    sections = {
        "The network": board + inside.constants,
        "How it plays": outer["How it plays"],
        **inside.sections(),
        "How hosts ask": outer["How hosts ask"],
    }
    return assemble(_write_docstring(player, inside), (bot, *networks), sections)


def _write_docstring(player: BredPlayer, inside: Inside) -> str:
    design = player.design
    name = write_name(player.name)
    kept = "remembers its own moves of a game" if inside.remembers else "keeps nothing"
    terms = (
        "It needs Python 3.8 or later and no other package, reads no other file, and"
        f" {kept} from one move to the next.{_RECURRENT if inside.remembers else ''}"
    )
    head = _HEADS[design.head]
    if isinstance(player, NetworkPlayer) and not player.design.take_wins:
        head = _GREEDY
    facts = [
        f"board: {design.columns} columns, {design.rows} rows, {design.connect} in a row win",
        *inside.description,
        f"head: {head}",
    ]
    if not isinstance(player, TuplePlayer):
        facts.append(f"inputs: encoding {design.encoding}, viewpoint {design.viewpoint}")
    where = "game" if inside.remembers else "position"
    promise = (
        f"In every {where} it chooses the very move that the player chooses inside Evolve Arena."
        f" {inside.remark}"
    )
    return f"""The Connect Four player {name}, bred by Evolve Arena: one file that plays.

How to use it:

- Kaggle ConnectX: submit this file as it is. Its last function, agent(), is the agent.
- The AI Games or Riddles.io, or any host that speaks their text protocols: let the host run
  "python3" with this file. It reads standard input and writes standard output.
- Your own program: import it and call choose(board, mark), which returns a column.

{wrap(terms)}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(promise.rstrip())}
"""


_HEADS = {
    "policy": "policy (one output per column; the strongest open one is played)",
    "value": "value (scores each position that a move can reach; a win at once is taken)",
    "action": "action (scores each move, whose column is the last input)",
}
_GREEDY = "value (scores each position that a move can reach, won ones like all others)"
_RECURRENT = (
    " A game goes on if all discs still lie where they lay when it last chose for the same mark,"
    " and each player has put one more; any other board begins a new game, of which it remembers"
    " nothing."
)
