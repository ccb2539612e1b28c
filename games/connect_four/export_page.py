"""What makes pages of exported Connect Four bots."""

from __future__ import annotations

from pathlib import Path

from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import cut, read_template
from evolve_arena.runs.export.page import PageSource

TEMPLATES = Path(__file__).with_name("templates")
INSIDES = {
    NetworkPlayer.kind: "page_mlp.py",
    GraphPlayer.kind: "page_graph.py",
    TuplePlayer.kind: "page_tuples.py",
}
"""What tells what a network thinks, by the kind of player."""


def write_page(player: BredPlayer) -> PageSource:
    """The rules as a page asks for them, and what the network thinks of each move."""
    files = (INSIDES[player.kind], "page.py")
    sections = [cut(read_template(TEMPLATES / file)) for file in files]
    return PageSource("".join(text for each in sections for text in each.values()))
