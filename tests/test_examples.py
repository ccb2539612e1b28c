"""Every script of examples/ runs to its end, as a person would run it."""

from __future__ import annotations

import os
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
    "duel": "1000 games: 0.",
    "export": "result for both:",
    "own_game": "whoever takes the last one wins",
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
