"""A plain install has no extras: what needs one says so in a sentence, all else works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("networkx", "openskill", "scipy", "sklearn", "starlette", "uvicorn")
"""Packages that only an extra installs, or none."""
WITHOUT = "import sys\nsys.modules.update(dict.fromkeys({extras}))\n{code}"
COMMAND = "from evolve_arena.cli.main import main\nsys.argv[1:] = {words}\nmain()"


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run *code* in a process that finds none of the extras."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(extras=EXTRAS, code=code)],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        (["serve"], "starlette", "page"),
        (["tournament", "rule", "random", "--game", "ticket-to-ride"], "openskill", "ratings"),
    ],
)
def test_a_missing_extra_costs_one_sentence(
    words: list[str], package: str, extra: str, tmp_path: Path
) -> None:
    done = run(COMMAND.format(words=words), tmp_path)
    needed = f"this needs {package}: pip install 'evolve-arena[{extra}]'"
    assert (done.returncode, done.stdout) == (2, "")
    assert " ".join(done.stderr.split()) == f"evolve: {needed}"


def test_a_run_starts_and_is_plotted_without_extras(tmp_path: Path) -> None:
    code = """
import evolve_arena as ea
changes = {"neat.pop_size": 12, "check.games": 2}
ea.start("connect-four-neat", run="one", generations=1, changes=changes).plot("network")
"""
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
