"""Export as a page: the Python bot in JavaScript, the rules and a board, in one file of HTML."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.types import Json
from evolve_arena.players import board_paths
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.page_board import BoardGamePage
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.page_board import find_page_board
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import cut, read_template
from evolve_arena.runs.export.board import export_python
from evolve_arena.runs.export.javascript import Source, TranslationError, translate

PAGE = Path(__file__).resolve().parent.parent / "page"
"""Folder of the pages' scripts and styles."""
ALWAYS = (
    *("begin_page", "ask_seat", "ask_moves", "ask_names", "play_on_page", "ask_places", "ask_bot"),
    "ask_values",
)
"""Functions of the template ``board_page.py`` that a page calls in every game."""
WITH_CELLS = ("ask_pieces", "ask_paths")
WITH_TEXT = ("ask_text",)
WITH_SEARCH = ("ask_depth", "ask_ahead")
GIVEN = {
    "np": "py.lib.numpy",
    "make_words": "py.lib.bits.make_words",
    "make_array": "py.lib.bits.make_array",
    "make_numbers": "((count) => Array(Number(count)).fill(0))",
    "RULES": "RULES$",
}
"""JavaScript that replaces some names of the bot, such as those of its types of numbers."""


def export_html(player: EvolvedPlayer) -> str:
    """Return one file of HTML: the board, the rules, and a bot that plays as *player* does.

    Raises:
        BadValueError: The game has no pages, or the player can't be exported to Python.
        TranslationError: The rules use something that can't be written as JavaScript.
    """
    layout = find_page_board(player.game).layout()
    try:
        bot = write_bot(player)
    except TranslationError as error:
        raise TranslationError(f"{error}: export it with --to python") from None
    about = (ast.get_docstring(ast.parse(export_python(player))) or "").strip()
    scripts = [
        _read("python.js"),
        f"const bot = {bot};",
        f"const layout = {_embed(layout)};",
        re.sub(r"^export ", "", _read("board.js"), flags=re.MULTILINE),
        _read("export.js"),
    ]
    parts = {
        "title": escape(one_line(f"{player.name} plays {player.game.name}")),
        "about": _describe(about),
        "style": _read("board.css") + _read("export.css"),
        "script": "\n".join(scripts),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("export.html"))


def write_source(player: EvolvedPlayer) -> str:
    """Return Python source of the bot, and of the functions that a page calls.

    Raises:
        BadValueError: The game has no pages, or hides information, which a page would reveal.
    """
    game = player.game
    if not isinstance(game, BoardGame):
        raise BadValueError(f"{player.name} plays {game.name}, which can't be exported to html")
    python, view = export_python(player), BoardGamePage(game)
    if "view" in game.plain:
        raise BadValueError(f"{game.name} hides something from its players: a page would show it")
    sections = cut(read_template("board_page.py"))
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
    asked = f"from random import randrange\n\n{facts}{sections['What a page asks']}{drawing}"
    paths = inspect.getsource(board_paths).partition("\n\n\n")[2]  # without its imports
    return f"{python}\n\n{paths}\n\n{asked}"


def run_source(text: str) -> dict[str, object]:
    """Run the *text* of a Python bot, and return its definitions by name."""
    space: dict[str, object] = {"__name__": "page"}
    with np.errstate():  # bots set it for themselves
        exec(compile(text, "page", "exec", dont_inherit=True), space)
    return space


def write_bot(player: EvolvedPlayer, more: Sequence[str] = ()) -> str:
    """Write an object of JavaScript with the functions :data:`ALWAYS` and those for the board.

    Args:
        player: Player to export.
        more: Names of further functions of the bot.

    Raises:
        BadValueError: The game has no pages, or the player can't be exported to Python.
        TranslationError: The rules use something that can't be written as JavaScript.
    """
    text, game = write_source(player), player.game
    assert isinstance(game, BoardGame)
    rules = replace_constants(game.source, constants_of(game.rules))
    # Functions that this game lacks are asked for by the template, too
    asked = set(re.findall(r'\bRULES\["(\w+)"\]', text)) & game.plain.keys()
    functions = translate(Source(rules, str(game.file), game.plain), sorted(asked))
    wanted = [*ALWAYS, *(WITH_CELLS if BoardGamePage(game).has_cells else WITH_TEXT)]
    wanted += [*WITH_SEARCH, *more]
    source = Source(text, f"{one_line(player.name)}.py", run_source(text), GIVEN)
    return f"""\
(() => {{
const RULES$ = py.dict(Object.entries({functions}));
return {translate(source, wanted)};
}})()"""


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _embed(value: Json) -> str:
    """Write a value as JSON for an HTML script element, which no text in it can close."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _describe(docstring: str) -> str:
    """Return the description in a bot's docstring as HTML."""
    head = docstring.partition(": one file that plays")[0]
    facts, *others = docstring.partition("What it is:\n")[2].strip().split("\n\n")
    items = [item for item in re.split(r"^- ", facts, flags=re.MULTILINE) if item]
    lines = "".join(f"<li>{escape(' '.join(item.split()))}</li>" for item in items)
    promise = " ".join(" ".join(others).split())
    return f"<p>{escape(one_line(head))}.</p><ul>{lines}</ul><p>{escape(promise)}</p>"
