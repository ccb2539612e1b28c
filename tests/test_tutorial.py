"""The two tutorials of docs/guides/your-own-game*.md: every block of them, in order."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolve_arena.cli.app import app
from evolve_arena.core import registry
from evolve_arena.players.board import kernel
from evolve_arena.players.board.hints import find_hints

ROOT = Path(__file__).resolve().parent.parent
GUIDES = ROOT / "docs" / "guides"
TUTORIAL = (GUIDES / "your-own-game.md").read_text(encoding="utf-8")
SECOND = (GUIDES / "your-own-game-2.md").read_text(encoding="utf-8")
SMALL = ("run.generations=2", "check.games=20", "check.every=2", "check.opponents=['random']")
"""Changes that make runs small, so that the tests take seconds."""
FEWER = {"tournament": "method.individuals=10", "neat": "neat.pop_size=10"}
FEWER |= {"td": "method.games=100", "td-tuples": "method.games=200"}


def blocks(tutorial: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", tutorial, flags=re.DOTALL)


def write_game(tutorial: str) -> str:
    return "\n\n".join(block.rstrip("\n") + "\n" for block in blocks(tutorial, "python"))


def commands(tutorial: str) -> list[list[str]]:
    """Return the words of each command that a tutorial types, without ``evolve``."""
    lines = [line for block in blocks(tutorial, "console") for line in block.splitlines()]
    assert all(line.startswith("$ evolve ") for line in lines)
    return [shlex.split(line.removeprefix("$ evolve ")) for line in lines]


def make_smaller(words: list[str]) -> list[str]:
    """Return the same command with less to do."""
    if words[0] == "start":
        method = next((name for name in FEWER if f"method.name={name}" in words), "tournament")
        small = [each for value in (*SMALL, FEWER[method]) for each in ("--set", value)]
        return [*words, *small]
    if words[:2] == ["game", "validate"]:
        return [*words, "--games", "20"]
    return [word.replace("rollouts=1000", "rollouts=20") for word in words]


@pytest.fixture(autouse=True)
def _as_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})  # other tests shall not find its game
    monkeypatch.setenv("COLUMNS", "200")


def compile_at_once(usual: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile the game for all *usual* players at once, and not for each mixture by itself."""
    needs = kernel._needs

    def need(players: object) -> set[str]:
        return needs(players) if "HAS_MCTS" in needs(players) else usual

    monkeypatch.setattr(kernel, "_needs", need)


def type_all(tutorial: str) -> dict[str, str]:
    """Type all commands; return the last output of each kind."""
    done = {}
    for words in commands(tutorial):
        typed = [word.replace("python3", sys.executable) for word in make_smaller(words)]
        result = CliRunner().invoke(app, typed)
        assert result.exit_code == 0, f"{words}: {result.output}{result.exception!r}"
        done[words[1] if words[0] in ("game", "list") else words[0]] = result.output
    return done


def test_all_that_it_says_works(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = "VALUES OWN_VALUES GRAPHS TUPLES DENSE SCRIPTS DENSE_VALUES OUTPUTS ACTIONS DENSE_SIGHT"
    compile_at_once({f"HAS_{kind}" for kind in kinds.split()}, monkeypatch)
    source = write_game(TUTORIAL)
    Path("four_corners.py").write_text(source, encoding="utf-8")
    rules = write_game(TUTORIAL.partition("That is all: ")[0])
    lines = [line for line in rules.splitlines() if line.strip()]
    assert f"That is all: {len(lines)} lines." in TUTORIAL
    done = type_all(TUTORIAL)
    assert {"validate", "play", "start", "duel", "tournament", "export", "new"} <= done.keys()
    assert "hint:" not in done["validate"]
    assert "compiled, 20 random games are the same as plain" in done["validate"]
    assert Path("my_game.py").is_file()
    assert Path("evolved/tables/champion.py").is_file()


def test_all_that_the_second_one_says_works(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_at_once({"HAS_VALUES", "HAS_OWN_VALUES"}, monkeypatch)
    source = write_game(SECOND)
    Path("gems.py").write_text(source, encoding="utf-8")
    done = type_all(SECOND)
    assert {"validate", "play", "start", "duel", "export"} <= done.keys()
    assert "hint:" not in done["validate"]
    assert re.search(r"plays \w\d[nwes], then \w\d[nwes]", done["play"])
    assert Path("evolved/gems/champion.py").is_file()


def test_the_second_one_gets_the_hints_of_which_it_tells() -> None:
    lines = write_game(SECOND).splitlines(keepends=True)
    for number, hint in ((4, "networks do not see whose turn it is"), (3, "state[26] (POINTS)")):
        source = "".join(line for line in lines if f"planes[{number}] = " not in line)
        assert len(source) < len("".join(lines))
        file = Path(f"gems_without_{number}.py")
        file.write_text(source, encoding="utf-8")
        (found,) = find_hints(registry.open_file(file).make(), 20)
        assert hint in found


def test_the_table_names_all_that_the_example_has() -> None:
    example = (ROOT / "players" / "board" / "example.py").read_text(encoding="utf-8")
    ours = example.partition("# The framework writes")[0]
    names = re.findall(r"^(?:def )?(\w+)(?: = |\()", ours, flags=re.MULTILINE)
    table = TUTORIAL.partition("## All that a file may say")[2]
    for name in set(names) - {"TOKENS", "FEW"}:
        assert re.search(rf"`{name}\b", table), f"{name} is missing"
