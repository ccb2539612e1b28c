"""The tutorial of docs/guides/your-own-game.md: every block of it, in order."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolve_arena.core import registry
from evolve_arena.players.board import kernel
from evolve_arena.runs.commands import app

ROOT = Path(__file__).resolve().parent.parent
TUTORIAL = (ROOT / "docs" / "guides" / "your-own-game.md").read_text(encoding="utf-8")
SMALL = ("run.generations=2", "check.games=20", "check.every=2", "check.opponents=['random']")
"""What runs are made smaller by, so that the tests take seconds."""
USUAL = {"HAS_VALUES", "HAS_GRAPHS", "HAS_TUPLES"}
"""What its game is compiled for at once, and not for each mixture of players by itself."""
FEWER = {
    "tournament": "method.individuals=10",
    "neat": "neat.pop_size=10",
    "td-tuples": "method.games=200",
}


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", TUTORIAL, flags=re.DOTALL)


def commands() -> list[list[str]]:
    """The words of each command that the tutorial types, without ``evolve``."""
    lines = [line for block in blocks("console") for line in block.splitlines()]
    assert all(line.startswith("$ evolve ") for line in lines)
    return [shlex.split(line.removeprefix("$ evolve ")) for line in lines]


def make_smaller(words: list[str]) -> list[str]:
    """The same command, but for how long it takes."""
    if words[0] == "start":
        method = next((name for name in FEWER if f"method.name={name}" in words), "tournament")
        small = [each for value in (*SMALL, FEWER[method]) for each in ("--set", value)]
        return [*words, *small]
    if words[0] == "check":
        return [*words, "--games", "20"]
    return [word.replace("rollouts=1000", "rollouts=20") for word in words]


def test_all_that_it_says_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})  # other tests shall not find its game
    monkeypatch.setenv("COLUMNS", "200")
    needs = kernel._needs

    def need(players: Any) -> set[str]:
        return needs(players) if "HAS_MCTS" in needs(players) else USUAL

    monkeypatch.setattr(kernel, "_needs", need)
    source = "\n\n".join(block.rstrip("\n") + "\n" for block in blocks("python"))
    Path("four_corners.py").write_text(source, encoding="utf-8")
    lines = [line for line in source.splitlines() if line.strip()]
    assert f"That is all: {len(lines)} lines." in TUTORIAL
    done = set()
    for words in commands():
        typed = [word.replace("python3", sys.executable) for word in make_smaller(words)]
        result = CliRunner().invoke(app, typed)
        assert result.exit_code == 0, f"{words}: {result.output}{result.exception!r}"
        done.add(words[0])
    assert {"check", "play", "start", "duel", "tournament", "export", "new-game", "plot"} <= done
    assert Path("my_game.py").is_file()
    assert Path("evolved/tables/champion.py").is_file()


def test_the_table_names_all_that_the_example_has() -> None:
    example = (ROOT / "players" / "board" / "example.py").read_text(encoding="utf-8")
    ours = example.partition("# The framework writes")[0]
    names = re.findall(r"^(?:def )?(\w+)(?: = |\()", ours, flags=re.MULTILINE)
    table = TUTORIAL.partition("## All that a file may say")[2]
    for name in set(names) - {"TOKENS"}:
        assert re.search(rf"`{name}\b", table), f"{name} is missing"
