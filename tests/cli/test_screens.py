"""Every command of the guide at a terminal of 80 columns: no line is longer, nothing is cut off.

The commands run in their order, with few games and generations. Those are left out that need a
file of the reader's, a browser or hours, and those that name a run which is not there.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import struct
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len

from evolve_arena.cli.app import app
from evolve_arena.cli.commands.renames import RENAMED
from tests import forked

COLUMNS, LINES = 80, 24
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "guides" / "commands-by-example.md"]
LEFT_OUT = {"serve", "reproduce", "import-neat"}
FEW = ["--set", "check.games=4", "--set", "check.every=1", "--generations", "1"]
STARTED = {"connect-four", "connect-four-neat", "hex", "ticket-to-ride", "my_game.py"}
SMALL = {
    "connect-four": "method.individuals=10",
    "connect-four-neat": "neat.pop_size=10",
    "hex": "method.games=20",
    "ticket-to-ride": "method.individuals=12",
    "my_game.py": "method.individuals=10",
}
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SECONDS = 240


def list_names(group: Any, *before: str) -> Iterator[list[str]]:
    """Yield the words of each group and command, former spellings too."""
    for name, command in group.commands.items():
        yield [*before, name]
        if hasattr(command, "commands"):
            yield from list_names(command, *before, name)


NAMES = [*list_names(typer.main.get_command(app))]


def read_commands() -> list[list[str]]:
    """Return the commands behind ``$ evolve`` in the README and the guide, without remarks."""
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    lines = re.findall(r"^\$ evolve (.*?)(?:  +#.*)?$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def shorten(words: list[str]) -> list[str] | None:
    """Return the same command with little to do; None if it is left out."""
    words = [word.replace("@500", "@1") for word in words]
    command, *rest = words
    if command in LEFT_OUT or any("my_bot.py" in word or "reproduced" in word for word in rest):
        return None
    if command == "start":
        races = "--minutes" in rest  # whose compiling takes longer than all the others
        few = [*words, *FEW, "--set", SMALL[rest[0]]] if rest[0] in STARTED else None
        return None if races else few
    if command == "resume":
        return None if "--from" in rest else [command, rest[0], "--generations", "2"]
    if command == "branch":
        return [*words, "--generations", "3"]
    if command in {"duel", "tournament", "evaluate"}:
        if "--games" in words:
            words = words[: words.index("--games")] + words[words.index("--games") + 2 :]
        words = [re.sub(r"rollouts=\d+", "rollouts=10", word) for word in words]
        return [*words, "--games", "4"]
    if "--count" in words:
        words[words.index("--count") + 1] = "2"
    few = {
        "sweep": [*FEW[:4], "--set", "run.generations=1", "--games", "4", "--seeds", "1"],
    }
    return [*words, *few.get(command, [])]


def watch(words: list[str], folder: Path, typed: Sequence[str] = ()) -> tuple[int | None, str]:
    """Run ``evolve`` at a terminal, where a line is typed at each prompt.

    Returns:
        The exit code, and all that it wrote.
    """
    here, there = os.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    with os.fdopen(there, "r+b", buffering=0) as end:
        process = forked.start_evolve(words, end, end, folder=folder, typed=end)
    lines, written, deadline = list(typed), b"", time.monotonic() + SECONDS
    os.set_blocking(here, False)
    while process.exitcode is None and time.monotonic() < deadline:
        process.join(0.02)
        written += (new := _read(here))
        if lines and new.endswith(b": "):
            os.write(here, f"{lines.pop(0)}\n".encode())
    if process.exitcode is None:
        process.kill()
    written += _read(here)
    os.close(here)
    return process.exitcode, written.decode()


def _read(descriptor: int) -> bytes:
    parts = []
    try:
        while part := os.read(descriptor, 65536):
            parts.append(part)
    except OSError:  # there is nothing now, or the other end is closed
        pass
    return b"".join(parts)


def check_screen(text: str) -> None:
    """Assert that each line fits, nothing is cut off, and no output is a traceback."""
    lines = [CODES.sub("", part) for line in text.split("\n") for part in line.split("\r")]
    for line in lines:
        short = " " not in line.strip()  # a path or a hash, which is copied as a whole
        assert cell_len(line) <= COLUMNS or short, line
        assert "…" not in line, line
    assert "Traceback" not in text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            patch.delenv(name, raising=False)
        yield tmp_path_factory.mktemp("screens")


def test_no_command_of_the_guide_is_wider_than_the_terminal(folder: Path) -> None:
    seen = set()
    for words in read_commands():
        short = shorten(words)
        runs = {run for word in words for run in re.findall(r"evolved/[\w*-]+(?=[@,]|$)", word)}
        if short is None or (
            words[0] not in ("start", "branch") and not all(any(folder.glob(run)) for run in runs)
        ):
            continue
        code, text = watch(short, folder, ["help", "quit"] if words[0] == "play" else [])
        assert code == 0 or "no champion of generation 100" in text, (short, text)
        check_screen(text)
        seen.add(words[1] if words[0] in ("game", "list") else words[0])
    assert seen >= {
        *("new", "validate", "start", "play", "duel", "export", "recipes", "resume", "branch"),
        *("info", "plot", "players", "tournament", "evaluate", "sweep", "games", "runs"),
    }


@pytest.mark.parametrize(
    "words",
    [[], ["-h"], *([*names, "-h"] for names in NAMES)],
    ids=" ".join,
)
def test_every_help_fits(folder: Path, words: list[str]) -> None:
    code, text = watch(words, folder)
    assert code == (0 if words else 2)
    assert "Usage: evolve" in text
    assert "-h, --help" in text
    check_screen(text)
    shown = [line for line in text.splitlines() if line.rstrip().endswith("...")]
    assert not [line for line in shown if "Usage" not in line], "a sentence is cut off"


@pytest.mark.parametrize("words", [["--help"], [], ["game", "-h"], ["list", "-h"]], ids=" ".join)
def test_the_list_of_commands_is_one_screen(folder: Path, words: list[str]) -> None:
    _, text = watch(words, folder)
    lines = [CODES.sub("", line).rstrip() for line in text.strip().splitlines()]
    assert len(lines) < LINES, "the prompt needs a line"
    first = lines.index("Commands:") + 1
    end = lines.index("", first) if "" in lines[first:] else len(lines)
    described = [line.split()[0] for line in lines[first:end] if line[:2] == "  "]
    if words[0:1] in ([], ["--help"]):
        assert described[:4] == ["start", "resume", "info", "plot"]
        assert described[-2:] == ["list", "game"]
        after = " ".join(" ".join(lines[end:]).split())
        more = after.partition("More commands: ")[2].partition(" Options:")[0].split(", ")
        assert "league" in more
        assert not RENAMED.keys() & {*described, *more}


def test_the_list_of_recipes_is_one_screen(folder: Path) -> None:
    _, text = watch(["list", "recipes"], folder)
    lines = text.strip().splitlines()
    assert len(lines) < LINES
    first = next(line for line in lines if line.startswith(" connect-four"))
    assert lines.index(first) == 3, "the usual recipe of the usual game comes first"
    _, text = watch(["list", "recipes", "hex"], folder)
    assert [line.split()[0] for line in text.splitlines()[3:5]] == ["hex", "hex-evolved"]
    _, text = watch(["list", "recipes", "--all"], folder)
    assert "checkers-16-rafalmored" in text
    check_screen(text)
