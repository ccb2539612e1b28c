"""The page docs/first-hour.md: what it types, typed in an empty folder, in its order.

A comment above a block may change what is done with it: ``skip``; ``add WORDS`` to the command;
``type LINES`` on its standard input; or ``until TEXT``: it is stopped once it has said that.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "first-hour.md").read_text("utf-8")
BLOCK = re.compile(r"(?:^ *<!-- test: (.*?) -->\n)?^( *)```console\n(.*?)^ *```$", re.M | re.S)
EVOLVE = [sys.executable, "-m", "evolve_arena.cli.main"]


def commands() -> list[tuple[str, dict[str, str]]]:
    """Return each command with its instructions, by word."""
    found = []
    for wish, _, text in BLOCK.findall(PAGE):
        wishes = dict((f"{part.strip()} ").split(" ", 1) for part in wish.split(";") if part)
        lines = [line for line in textwrap.dedent(text).splitlines() if line.strip()]
        assert all(line.startswith(("$ ", "> ")) for line in lines), lines
        found += [(line[2:].partition("   #")[0], wishes) for line in lines]
    return found


def run(command: str, wishes: dict[str, str], folder: Path) -> str:
    """Run a command, which must succeed, and return its output."""
    name, *words = shlex.split(command)
    assert name == "evolve", command
    words = [word.replace("process:python ", f"process:{sys.executable} ") for word in words]
    if command.startswith("evolve start"):
        words += shlex.split(wishes.get("add", ""))
    elif "add" in wishes and "until" in wishes:
        words += shlex.split(wishes["add"])
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen([*EVOLVE, *words], cwd=folder, env=environment, text=True, **pipes)
    with process:
        if "until" in wishes:
            said = ""
            while wishes["until"].strip() not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
            address = re.search(r"http://\S+", said)
            assert address
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(address[0], timeout=30) as answer:
                said += answer.read().decode()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            return said
        typed = "\n".join(wishes.get("type", "").split()) + "\n"
        said, _ = process.communicate(typed, timeout=300)
    assert process.returncode == 0, f"{command}: {said}"
    return said


def test_all_that_it_types_works(tmp_path: Path) -> None:
    said = {}
    for command, wishes in commands():
        if "skip" not in wishes:
            said[command] = run(command, wishes, tmp_path)
    assert {"start", "info", "plot", "serve", "play", "duel", "export"} <= {
        command.split()[1] for command in said
    }
    first = tmp_path / "evolved" / "first"
    for name in ("champion.py", "champion.html", "plots/fitness.png"):
        assert (first / name).stat().st_size > 1000, name
    served, played = (
        next(text for command, text in said.items() if command.startswith(f"evolve {name}"))
        for name in ("serve", "play")
    )
    assert "<html" in served
    assert "would play" in played
    assert re.search(r"3: -?\d+\.\d", played)


def test_only_installing_is_skipped() -> None:
    skipped = [command for command, wishes in commands() if "skip" in wishes]
    assert all(
        re.match(r"git clone|cd |python3? -m venv|py -m venv|\.|source |pip|uv ", command)
        for command in skipped
    ), skipped
