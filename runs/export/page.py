"""Export as a page: the Python bot in JavaScript, the rules and a board, in one file of HTML."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.game import Game
from evolve_arena.core.registry import find_game, load
from evolve_arena.players import board_paths
from evolve_arena.players.board_view import find_board_view
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export.javascript import Source, TranslationError, translate

PAGE = Path(__file__).resolve().parent.parent / "page"
"""Where the scripts and styles of pages lie."""
ALWAYS = (
    *("begin_page", "ask_seat", "ask_moves", "ask_names"),
    *("play_on_page", "ask_places", "ask_bot", "ask_values"),
)
"""What a page asks in every game."""
WITH_CELLS = ("ask_pieces", "ask_paths")
WITH_TEXT = ("ask_text",)
WITH_SEARCH = ("ask_depth", "ask_ahead")


@dataclass(frozen=True)
class PageSource:
    """What makes a page of an exported Python bot."""

    text: str
    """Plain Python that follows the bot: functions called :data:`ALWAYS` and, as the board is,
    :data:`WITH_CELLS` or :data:`WITH_TEXT`; and :data:`WITH_SEARCH` if bots can look ahead."""
    given: Mapping[str, str] = field(default_factory=dict)
    """JavaScript for names of the bot, such as those that stand for Python's own numbers."""
    modules: Mapping[str, Source] = field(default_factory=dict)
    """Other modules, each by the name of a dictionary of the bot that holds its functions."""


def export_html(player: BredPlayer) -> str:
    """One file of HTML: the board, the rules, and a bot that plays as *player* does.

    Raises:
        BadValueError: The game has no pages, or the player can't be exported to Python.
        TranslationError: The rules need what can't be written as JavaScript.
    """
    layout = find_board_view(player.game).layout()
    try:
        bot = write_bot(player)
    except TranslationError as error:
        raise TranslationError(f"{error}: export it with --to python") from None
    about = (ast.get_docstring(ast.parse(write_python(player))) or "").strip()
    title = one_line(f"{player.name} plays {player.game.name}")
    return fill_page(
        title=title,
        about=_describe(about),
        script="\n".join(
            [
                _read("python.js"),
                f"const bot = {bot};",
                f"const layout = {_embed(layout)};",
                re.sub(r"^export ", "", _read("board.js"), flags=re.MULTILINE),
                _read("export.js"),
            ]
        ),
    )


def write_source(player: BredPlayer) -> tuple[str, PageSource]:
    """The bot and what a page asks of it as Python, and how that was made."""
    spec = find_game(player.game.name)
    if spec.page is None:
        hides = type(player.game).view is not Game.view
        reason = ": it hides something from its players, which a page would show" if hides else ""
        raise BadValueError(
            f"{player.name} plays {spec.name}, which can't be exported to html{reason}"
        )
    python = write_python(player)
    page: PageSource = load(spec.page)(player)
    paths = inspect.getsource(board_paths).partition("\n\n\n")[2]  # without its imports
    return f"{python}\n\n{paths}\n\n{page.text}", page


def run_source(text: str) -> dict[str, Any]:
    """What the *text* of a Python bot defines, by name."""
    space: dict[str, Any] = {"__name__": "page"}
    with np.errstate():  # bots set it for themselves
        exec(compile(text, "page", "exec", dont_inherit=True), space)
    return space


def write_python(player: BredPlayer) -> str:
    """The Python file that *player* is exported to."""
    return str(load(find_game(player.game.name).exporters["python"])(player))


def write_bot(player: BredPlayer, more: Sequence[str] = ()) -> str:
    """An object of JavaScript with the functions :data:`ALWAYS` and those for the board.

    Args:
        player: Who plays.
        more: What else of the bot it is to have, by name.

    Raises:
        BadValueError: The game has no pages, or the player can't be exported to Python.
        TranslationError: The rules need what can't be written as JavaScript.
    """
    text, page = write_source(player)
    space = run_source(text)
    given, texts = dict(page.given), []
    for name, module in page.modules.items():
        # What only other games have is asked for, too.
        asked = set(re.findall(rf'\b{name}\["(\w+)"\]', text)) & module.space.keys()
        functions = translate(module, sorted(asked))
        texts.append(f"const {name}$ = py.dict(Object.entries({functions}));\n")
        given[name] = f"{name}$"
    kind = find_board_view(player.game).layout()["kind"]
    wanted = [*ALWAYS, *(WITH_TEXT if kind == "text" else WITH_CELLS), *more]
    wanted += [name for name in WITH_SEARCH if f"def {name}(" in page.text]
    bot = translate(Source(text, f"{one_line(player.name)}.py", space, given), wanted)
    return f"(() => {{\n{''.join(texts)}return {bot};\n}})()"


def fill_page(*, title: str, about: str, script: str) -> str:
    """The file of HTML; *about* is HTML already."""
    parts = {
        "title": escape(title),
        "about": about,
        "style": _read("board.css") + _read("export.css"),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("export.html"))


def _read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _embed(value: Any) -> str:
    """A value in a script: nothing in it ends the script."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _describe(docstring: str) -> str:
    """What a bot's docstring says of where it comes from, as HTML."""
    head = docstring.partition(": one file that plays")[0]
    facts, *others = docstring.partition("What it is:\n")[2].strip().split("\n\n")
    items = [item for item in re.split(r"^- ", facts, flags=re.MULTILINE) if item]
    lines = "".join(f"<li>{escape(' '.join(item.split()))}</li>" for item in items)
    promise = " ".join(" ".join(others).split())
    return f"<p>{escape(one_line(head))}.</p><ul>{lines}</ul><p>{escape(promise)}</p>"
