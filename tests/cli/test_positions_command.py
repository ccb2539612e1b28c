"""``evolve positions`` as a user meets it: files, what is printed, and mistakes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from evolve_arena.cli.commands.positions import Display
from evolve_arena.runs.solved_positions import Progress
from tests import forked


def evolve(*words: str, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = forked.evolve(*words, folder=folder)
    assert done.returncode == code, done.stderr + done.stdout
    return done


def test_positions_are_written_and_then_asked(tmp_path: Path) -> None:
    words = ["positions", "hex", "--size", "3", "--count", "12", "--seed", "4"]
    told = evolve(*words, folder=tmp_path).stdout
    assert told.startswith("hex_size_3.csv: 12 positions after ")
    assert ", exact\n" in told
    assert "all moves are equal" in told
    assert "several keep the value" not in told, "only --only leaves these out"
    first = (tmp_path / "hex_size_3.csv").read_bytes()
    again = evolve(*words, "--force", "--json", folder=tmp_path)
    assert (tmp_path / "hex_size_3.csv").read_bytes() == first
    content = json.loads(again.stdout)
    assert (content["positions"], content["options"], again.stderr) == (12, {"size": 3}, "")
    refused = evolve(*words, folder=tmp_path, code=2).stderr
    assert refused.startswith("evolve: hex_size_3.csv exists")
    assert refused.count("\n") == 1
    wrong = ["evaluate", "random", "--game", "hex", "--positions", "hex_size_3.csv", "--games", "2"]
    assert "are for size 3" in evolve(*wrong, folder=tmp_path, code=2).stderr


def test_few_positions_and_values_of_a_search_are_said(tmp_path: Path) -> None:
    words = ["positions", "chomp", "--height", "2", "--width", "2", "--count", "90"]
    assert " of 90 positions after " in evolve(*words, folder=tmp_path).stdout
    words = ["positions", "tic-tac-toe", "--depth", "2", "--count", "5", "--plies", "2-4"]
    assert "plies, not exact: depth 2" in evolve(*words, folder=tmp_path).stdout
    assert "depth 2" in (tmp_path / "tic_tac_toe.csv").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ticket-to-ride"], "ticket-to-ride can't be solved: "),
        (["pig", "--seats", "3"], "pig can't be solved: seats is 3"),
        (["no-game"], "unknown game 'no-game'"),
        (["mine.py"], "mine.py"),
        (["hex", "--size", "99"], "size is 99"),
        (["hex", "--sise", "3"], "--size"),
        (["hex", "chomp"], "name one game"),
        (["hex", "--plies", "9-3"], "--plies is '9-3': it must look like 8-20"),
        (["hex", "--all"], "hex has more than 3,000,000 positions"),
        (["connect-four", "--nodes", "1000", "--plies", "0-1"], "no position was found"),
        (["hex", "--out", "nowhere/x.csv"], "there is no folder nowhere"),
    ],
)
def test_a_mistake_is_told_in_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    done = evolve("positions", *words, folder=tmp_path, code=2)
    lines = [line for line in done.stderr.splitlines() if line.startswith("evolve:")]
    assert len(lines) == 1, lines
    assert said in lines[0]
    assert not [*tmp_path.glob("*.csv")]


def test_progress_tells_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve_arena.cli.commands.positions.PAUSE", 0.0)
    with Display() as display:
        assert display.watch(Progress(0, 300, 1.0))
        assert display.watch(Progress(100, 300, 45.0))
        display.interrupted = True
        assert not display.watch(Progress(100, 300, 45.0))
    assert capsys.readouterr().err.splitlines()[:2] == [
        "0 of 300 positions",
        "100 of 300 positions, 1 min 30 s left",
    ]
    with Display(quiet=True) as display:
        assert display.watch(Progress(0, 300, 1.0))
    assert capsys.readouterr().err == ""
