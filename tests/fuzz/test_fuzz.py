"""The fuzzer, some thousand inputs of it; and whether it would find anything at all."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError
from tests.fuzz.__main__ import feed, judge
from tests.fuzz.targets import TARGETS, Target

ROOT = Path(__file__).parents[2]
PARTS = 4
"""Parts of the targets, as one process with all of them may compile for minutes."""
FED = 250
"""Inputs per part."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a temporary folder, as inputs write into the current one."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_input_does_what_it_must_not(part: int, tmp_path: Path) -> None:
    names = list(TARGETS)[part::PARTS]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz", "--inputs", str(FED)),
            *("--keep", str(tmp_path / "found"), *(f"--only={name}" for name in names)),
        ],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    left_out = {name for name, *said in rows if said[:2] == ["left", "out:"]}
    rows = [row for row in rows if row[0] not in left_out]
    assert [row[0] for row in rows] == [name for name in names if name not in left_out]
    assert sum(int(row[1]) for row in rows) == FED
    for _, fed, accepted, rejected, faults, _ in rows:
        assert int(fed) == int(accepted) + int(rejected)
        if int(fed) > 30:  # else there may be none of a kind
            assert int(accepted) > 0
            assert int(rejected) > 0
        assert faults == "0"
    assert not (tmp_path / "found").exists()


def fail(data: bytes) -> None:
    """Fail in the way that its input says."""
    if data == b"crash":
        ctypes.string_at(0)
    if data == b"eat":
        bytearray(1 << 33)
    if data == b"wait":
        time.sleep(60)
    if data == b"raise":
        raise KeyError("k")
    if data == b"lines":
        error = ArenaError("short")
        error.args = ("two\nlines",)
        raise error
    if data == b"reject":
        raise ArenaError("no")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"crash", "the process ended with -11"),
        (b"eat", "MemoryError"),
        (b"wait", "OverdueError"),
        (b"raise", "KeyError: 'k'"),
        (b"lines", r"the text of an error: 'two\nlines'"),
    ],
)
def test_what_an_input_does_is_found(
    monkeypatch: pytest.MonkeyPatch, data: bytes, said: str
) -> None:
    monkeypatch.setattr("tests.fuzz.__main__.SECONDS", 1)
    target = Target("failing", list, lambda samples: st.just(data), fail)
    faults: dict[str, bytes] = {}
    tally = feed(target, st.just(data), 1, 0, faults)
    ((place, kept),) = faults.items()
    assert said in place
    assert kept == data
    assert tally == {"faults": 1}


def test_who_takes_long_to_begin_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.__main__.SECONDS", 1)
    slow = st.builds(lambda: b"" if time.sleep(4) is None else b"late")
    target = Target("failing", list, lambda samples: slow, fail)
    faults: dict[str, bytes] = {}
    assert feed(target, slow, 1, 0, faults) == {"accepted": 1}
    assert faults == {}


def test_inputs_are_accepted_or_rejected() -> None:
    target = Target("failing", list, lambda samples: st.just(b""), fail)
    assert judge(target, b"") == "accepted"
    assert judge(target, b"reject") == "rejected"
