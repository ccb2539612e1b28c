"""What makes pages of exported checkers bots."""

from __future__ import annotations

from pathlib import Path

from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import cut, read_template
from evolve_arena.runs.export.page import PageSource

TEMPLATE = Path(__file__).with_name("templates") / "page.py"


def write_page(player: BredPlayer) -> PageSource:
    """The rules as a page asks for them."""
    return PageSource("".join(cut(read_template(TEMPLATE)).values()))
