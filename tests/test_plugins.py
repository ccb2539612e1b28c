"""A game that another distribution brings: found by its entry point, and as good as our own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import evolve_arena

ROOT = Path(evolve_arena.__file__).parent.parent
OURS = ROOT / "games" / "othello"
ENTRY_POINTS = "[evolve_arena.games]\nreversi = their_reversi:GAME\n"
METADATA = "Metadata-Version: 2.1\nName: their-reversi\nVersion: 1.0\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install a distribution into a folder: Othello under another name."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "their_reversi"
    shutil.copytree(OURS, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in package.rglob("*.*"):
        text = file.read_text(encoding="utf-8")
        text = text.replace("evolve_arena.games.othello", "their_reversi")
        text = text.replace('"othello"', '"reversi"')
        file.unlink()
        place = file.with_name(file.name.replace("othello", "reversi"))
        place.write_text(text, encoding="utf-8")
    info = folder / "their_reversi-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA, encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return folder


def run(installed: Path, folder: Path, *words: str) -> str:
    """Return the command's output in a *folder*, where that distribution is installed."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(installed)])}
    command = [sys.executable, "-m", "evolve_arena.cli.main", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_game_from_elsewhere_is_bred_resumed_met_and_exported(
    installed: Path, tmp_path: Path
) -> None:
    small = [
        "method.individuals=6",
        "method.name=tournament",
        "method.tournament_size=2",
        "run.generations=1",
    ]
    changes = [word for change in (*small, "check.games=4") for word in ("--set", change)]
    run(installed, tmp_path, "start", "reversi-evolved", "--run", "one", "--quiet", *changes)
    run(installed, tmp_path, "resume", "one", "--generations", "2", "--quiet")
    assert "generation 2" in run(installed, tmp_path, "info", "one")
    table = run(installed, tmp_path, "duel", "run:one", "random", "--games", "10")
    assert "random" in table
    run(installed, tmp_path, "export", "one", "--to", "python", "--out", "bot.py")
    asked = "state 34628173824 68853694464 17729692631040 0\ngo\n"
    command = [sys.executable, "-I", "bot.py"]
    bot = subprocess.run(
        command, cwd=tmp_path, input=asked, capture_output=True, text=True, check=True
    )
    assert bot.stdout in {f"move {move}\n" for move in (19, 26, 37, 44)}


def test_what_lies_beside_a_script_is_not_taken_for_ours(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    for name in ("players.py", "games/__init__.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong file')\n", encoding="utf-8")
    script = (
        "import evolve_arena as ea\n"
        "print(ea.duel('test-bot', 'random', games=10, seed=1).score > 0)\n"
    )
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True)
    assert done.stdout == b"True\n"
