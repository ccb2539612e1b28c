"""What makes pages of exported Connect Four bots."""

from __future__ import annotations

from evolve_arena.games.connect_four.export_python import TEMPLATES, THOUGHTS
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import cut, read_template
from evolve_arena.runs.export.page import PageSource


def write_page(player: BredPlayer) -> PageSource:
    """The rules as a page asks for them, and what the network thinks of each move."""
    files = [THOUGHTS[player.kind], "page.py"]
    if player.decoder.steal:
        files = ["page_steal.py"]  # the bot itself says what the network thinks
    sections = [cut(read_template(TEMPLATES / file)) for file in files]
    return PageSource("".join(text for each in sections for text in each.values()))
