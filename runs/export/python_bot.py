"""Export as one Python file: the network and all it takes to play it, in plain Python."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from players.bred import BredPlayer
from players.graph import GraphPlayer
from players.network import NetworkPlayer
from players.tuple_network import TuplePlayer
from runs.export.graph_inside import describe_graph
from runs.export.inside import Inside
from runs.export.mlp_inside import describe_mlp
from runs.export.tuples_inside import describe_tuples

__all__ = ["export_python"]

TEMPLATES = Path(__file__).with_name("templates")
RULE = re.compile(r"^# --- (.+?) -+\n", re.MULTILINE)
WIDTH = 96

INSIDES: dict[str, Callable[[Any], Inside]] = {
    NetworkPlayer.kind: describe_mlp,
    GraphPlayer.kind: describe_graph,
    TuplePlayer.kind: describe_tuples,
}
"""What describes the network, by the kind of player."""


def export_python(player: BredPlayer) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later and nothing else. It can be imported, run as a bot on
    standard input and output, or handed to Kaggle ConnectX; its docstring tells how.
    """
    design = player.design
    inside = INSIDES[player.kind](player)
    bot, network = (
        (TEMPLATES / name).read_text(encoding="utf-8") for name in ("bot.py", inside.template)
    )
    board = f"COLUMNS, ROWS, CONNECT = {design.columns}, {design.rows}, {design.connect}\n"
    outer, inner = _cut(bot), _cut(network)
    sections = {
        "The network": board + inside.constants,
        "How it plays": outer["How it plays"],
        "How the network decides": inner["How the network decides"],
        "How hosts ask": outer["How hosts ask"],
    }
    rules = "".join(f"{_rule(title)}{text}" for title, text in sections.items())
    docstring = _write_docstring(player, inside)
    return f'#!/usr/bin/env python3\n"""{docstring}"""\n\n{_merge_imports(bot, network)}\n{rules}'


def _cut(template: str) -> dict[str, str]:
    """The sections of a template, each without its ruled line, by their titles."""
    parts = RULE.split(template)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _rule(title: str) -> str:
    return f"# --- {title} ".ljust(92, "-") + "\n"


def _merge_imports(*templates: str) -> str:
    """The imports that all *templates* need together, but for those of each other."""
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for template in templates for node in ast.parse(template).body):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("runs."):
            names.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    future = f"from __future__ import {', '.join(names.pop('__future__'))}\n\n"
    lines = [f"import {module}" for module in sorted(modules)]
    lines += [
        f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names)
    ]
    return future + "\n".join(lines) + "\n"


def _write_docstring(player: BredPlayer, inside: Inside) -> str:
    design = player.design
    name = ascii(" ".join(player.name.split()))[1:-1].replace('"', "'")
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

{_wrap(terms)}

What it is:

{chr(10).join(_wrap(f"- {fact}", "  ") for fact in facts)}

{_wrap(promise.rstrip())}
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


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
