"""The examples of docs/guides/library.md: each is short, and they run one after the other."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core import user_code

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "library.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
LONGEST = 10
"""Lines of code in an example, without blank ones, imports, and lines that only show something."""


def count_lines(block: str) -> int:
    lines = [line for line in block.splitlines() if line.strip()]
    return sum(not re.match(r"(import|from|print|\s*\"\"\")|[)}\]]", line) for line in lines)


@pytest.mark.parametrize("block", BLOCKS)
def test_an_example_is_short(block: str) -> None:
    assert count_lines(block) <= LONGEST


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of loggers
def test_all_examples_run_and_do_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("tensorboardX", "mlflow", "wandb", "pandas"):
        pytest.importorskip(name, reason="the examples log to it")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_registered", {})
    for name in ("WANDB_SILENT", "MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
        monkeypatch.setitem(os.environ, name, "true")
    space: dict[str, Any] = {"__name__": "library"}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), space)
    printed = capsys.readouterr().out
    assert "<Run 'first': tournament, generation 4 of 4>" in printed
    assert "weights_1 (84, 48)" in printed
    assert "(20, 2065) ('individual', 'gene')" in printed

    # What was brought along was used.
    assert ea.load("against-cautious").checks()[0].opponent == "Cautious"
    assert ea.load("calm").history()["games"].sum() == 0
    weights = abs(np.asarray(ea.load("calm").population())).mean()
    assert weights < abs(np.asarray(ea.load("first").population())).mean()
    assert ea.load("climbed").method.name == "HillClimber"
    assert len(list(Path("watched").glob("champion-*.safetensors"))) == 2
    written = [
        "mlflow.db",
        "wandb",
        "run.png",
        "network.png",
        "sweep/runs.csv",
        "sweep/sweep.png",
    ]
    assert all(Path(name).exists() for name in written)
    assert len(list(Path("tensorboard").iterdir())) == 1
    assert space["found"].settings[0].score >= space["found"].settings[-1].score
