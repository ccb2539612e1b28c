"""Exported pages, run under Node without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from evolve_arena.core.types import Json
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export.page import PAGE, write_bot

NODE = shutil.which("node") or ""
with_node = pytest.mark.skipif(not NODE, reason="Node is not installed")

ASK = """
const fs = require("fs");
const numbers = (key, value) =>
  typeof value === "string" && /^-?[0-9]+$/.test(value) ? py.builtins.int(value) : value;
const given = JSON.parse(fs.readFileSync(0, "utf8"), numbers);
const write = (key, value) => (value !== null && typeof value === "object" && "high" in value
  ? String(value) : typeof value === "bigint" ? String(value) : value);
const began = process.hrtime.bigint();
const found = given.map((item) => ask(...item));
const spent = Number(process.hrtime.bigint() - began) / 1e9;
fs.writeFileSync(1, JSON.stringify({ found, spent }, write));
"""


def run_script(script: str, given: list[Json], folder: Path) -> tuple[list[Json], float]:
    """Return the results of a *script*'s ``ask`` for each item of *given*, and the seconds."""
    file = folder / "page.js"
    runtime = (PAGE / "python.js").read_text(encoding="utf-8")
    file.write_text(f"{runtime}\n{script}\n{ASK}", encoding="utf-8")
    text = json.dumps(given, default=str)
    done = subprocess.run(
        [NODE, str(file)], input=text, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout)
    return answer["found"], answer["spent"]


def ask_page(
    player: EvolvedPlayer,
    positions: list[Json],
    folder: Path,
    body: str,
    more: tuple[str, ...] = (),
) -> tuple[list[Json], float]:
    """Ask the page of a *player* about each position: *body* is that of a function of ``position``.

    Positions hold whole numbers of more than 53 bits as texts.
    """
    script = f"const bot = {write_bot(player, more)};\nconst ask = (position) => {{ {body} }};"
    return run_script(script, [[position] for position in positions], folder)


def make_safe(numbers: Iterable[int]) -> list[int | str]:
    """Convert whole numbers to JSON, to texts where its readers would round them."""
    return [int(n) if abs(int(n)) < 2**53 else str(int(n)) for n in numbers]
