"""Choices of exported bots: files of Python, programs in C, and pages under Node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.types import Json, Settings
from evolve_arena.players.board.game import Board
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export import export_player
from tests.c_bots import ask, build, with_gcc
from tests.evolved import compile_together, make_evolved
from tests.pages import ask_page, make_safe, with_node

Namespace = dict[str, Any]
"""Names that executed source defines, and their values."""
Table = Mapping[str, tuple[str, str, Settings]]
"""Players by their names: game, kind of network, settings."""
Case = tuple[EvolvedPlayer, list[Board], list[int]]
"""A player, positions, and what it chooses there in the arena."""


def pick_player(table: Table, name: str, seed: int = 3) -> EvolvedPlayer:
    """Return a player of a *table*; all players with the same rules are compiled at once."""
    alike = {each: made for each, made in table.items() if made[0] == table[name][0]}
    players = {each: make_evolved(*made[:2], seed, **made[2]) for each, made in alike.items()}
    rules = players[name].game.rules
    compile_together([each for each in players.values() if each.game.rules == rules])
    return players[name]


def load_bot(player: EvolvedPlayer, target: str = "python") -> Namespace:
    """Return the names that an exported file defines."""
    return load_text(str(export_player(player, target)))


def load_text(text: str) -> Namespace:
    """Return the names that the *text* of an exported file defines."""
    names = {"__name__": "bot"}
    exec(compile(text, "bot.py", "exec", dont_inherit=True), names)
    return names


def write_state(name: str, numbers: Sequence[int]) -> str:
    """Format a line of the plain dialect."""
    return f"{name} {' '.join(str(int(number)) for number in numbers)}"


def tell(position: Board) -> list[Json]:
    """Return a position as a page takes it."""
    return [make_safe(position.state), position.plies, [make_safe(past) for past in position.past]]


def choose_in_python(
    player: EvolvedPlayer, positions: Sequence[Board], folder: Path, depth: int | None = None
) -> list[int]:
    """Return the file's choices, with its player's depth of search or *depth*."""
    choose, options = load_bot(player)["choose"], {} if depth is None else {"depth": depth}
    return [choose(list(each.state), past=each.past, **options) for each in positions]


def choose_in_c(
    player: EvolvedPlayer, positions: Sequence[Board], folder: Path, depth: int | None = None
) -> list[int]:
    """Return the program's choices, with its player's depth of search or *depth*."""
    program, go = build(str(export_player(player, "c")), folder), "go"
    lines = []
    for each in positions:
        lines += [write_state("past", past) for past in each.past]
        lines += [write_state("state", each.state), go if depth is None else f"go depth {depth}"]
    return ask(program, lines)


def choose_on_page(
    player: EvolvedPlayer, positions: Sequence[Board], folder: Path, depth: int | None = None
) -> list[int]:
    """Return the page's choices, with its player's depth of search or *depth*."""
    asked = "ask_bot(position)" if depth is None else f"ask_ahead(position, {depth})"
    return ask_page(player, list(map(tell, positions)), folder, f"return bot.{asked};")[0]


in_every_language = pytest.mark.parametrize(
    "choose",
    [
        pytest.param(choose_in_python, id="python"),
        pytest.param(choose_in_c, id="c", marks=with_gcc),
        pytest.param(choose_on_page, id="page", marks=with_node),
    ],
)
