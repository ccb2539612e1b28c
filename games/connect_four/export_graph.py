"""NEAT graphs that play Connect Four as source code."""

from __future__ import annotations

from pathlib import Path

from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.runs.export.graphs import describe_nodes
from evolve_arena.runs.export.inside import Inside

TEMPLATE = Path(__file__).with_name("templates") / "graph.py"


def describe_graph(player: GraphPlayer) -> Inside:
    """The network of *player* as source code."""
    design = player.design
    encoding = design.board
    second = encoding.features // 2
    discs = [
        (0, float(encoding.factor[0])),
        (encoding.inputs - design.columns * design.rows, float(encoding.factor[second])),
    ]
    constants = f"""\
HEAD = "{design.head}"
TAKES_WINS = {design.head == "value"}
VIEWPOINT = "{design.viewpoint}"
# For each kind of disc the input of the first cell, and the number that it gets.
DISCS = {discs!r}
"""
    return describe_nodes(player, TEMPLATE, constants)
