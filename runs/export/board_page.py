"""What makes pages of exported bots of games in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.players.board.board_view import BoardGameView
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import cut, read_template
from evolve_arena.runs.export.javascript import Source
from evolve_arena.runs.export.page import PageSource

TEMPLATE = Path(__file__).with_name("templates") / "board_page.py"
GIVEN = {
    "np": "py.lib.numpy",
    "make_words": "py.lib.bits.make_words",
    "make_array": "py.lib.bits.make_array",
    "make_numbers": "((count) => Array(Number(count)).fill(0))",
}


def write_page(player: BredPlayer) -> PageSource:
    """What follows the bot, and the rules, which are translated by themselves.

    Raises:
        BadValueError: The game hides something, which a page would hold.
    """
    game: Any = player.game
    view = BoardGameView(game)
    if "view" in game.plain:
        raise BadValueError(f"{game.name} hides something from its players: a page would show it")
    sections = cut(read_template(TEMPLATE))
    names = [game.format_move(move) for move in range(game.code.MOVES)]
    drawn = game.drawn if view.has_cells else []
    cells = {view.names[cell]: [place] for place, cell in enumerate(drawn)}
    facts = f"""\
START = {[int(number) for number in game.code.START]!r}
LONGEST, HAS_CHANCE = {int(game.code.LONGEST)}, {bool(game.code.HAS_CHANCE)}
DRAWS = {"show" in game.plain}
DIVISOR = {65536 if isinstance(player, TuplePlayer) else 1}
NAMES = {names!r}
DRAWN = {drawn!r}
CELLS_OF_MOVES = {[cells.get(name, []) for name in names]!r}
STACKS = {game.grid.shape[1] if game.stacks else 0}
"""
    drawing = sections["Cells on a page" if view.has_cells else "Text on a page"]
    text = f"from random import randrange\n\n{facts}{sections['What a page asks']}{drawing}"
    source = replace_constants(game.source, constants_of(game.rules))
    return PageSource(text, GIVEN, {"RULES": Source(source, str(game.file), game.plain)})
