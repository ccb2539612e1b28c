"""Every script of examples/ runs to its end, as a person would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PRINTED = {
    "train": "in this position the champion plays column",
    "own_opponent": "Cautious against random: score 0.7",
    "own_operator": "own against usual: score",
    "duel": "4000 games: 0.",
    "export": "result for both:",
    "own_game": "Moves: take",
}
"""Part of what each of them prints."""


def test_there_are_six_examples() -> None:
    assert {path.stem for path in EXAMPLES} == set(PRINTED)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    words = [str(path)]
    if path.stem == "own_game":  # a game is not run but named
        words = ["-m", "evolve_arena.cli.main", "play", "--game", str(path)]
        words += ["random", "random", "--games", "1", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[path.stem] in done.stdout + done.stderr
    assert len(path.read_text("utf-8").splitlines()) <= 60


def test_whoever_wants_to_know_how_it_works_reads_500_lines() -> None:
    """Compare the table in CONTRIBUTING.md with the files that it lists."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \| (\d+) \|", text, re.M)
    lines = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name, _ in rows}
    assert [(name, int(count)) for name, count in rows] == list(lines.items())
    assert len(rows) == 5
    assert sum(lines.values()) <= 500
