"""Exported bots as programs: whatever a host writes, they answer or end with one line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evolve_arena.runs.export import export_player
from tests.bred import make_bred
from tests.exported import load_bot
from tests.fuzz.__main__ import generate, judge
from tests.fuzz.bot_targets import BOT_TARGETS
from tests.fuzz.target import Target


@pytest.mark.parametrize("target", BOT_TARGETS, ids=lambda target: target.name)
def test_nonsense_ends_in_one_line(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots in C run under sanitizers, which end a program that reads beyond its tables."""
    monkeypatch.chdir(tmp_path)
    if missing := [program for program in target.needs if shutil.which(program) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    fed: list[bytes] = []
    generate(fed.append, target.inputs(target.samples()), 200, 0)
    judged = Counter(judge(target, data) for data in fed)
    assert set(judged) == {"accepted", "rejected"}
    assert min(judged.values()) > 20


def test_a_process_writes_that_line_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(make_bred("tic-tac-toe", "mlp"), "python")), encoding="utf-8")
    words, told = [sys.executable, str(file)], "state 0 0 0\ngo\n"
    done = subprocess.run(words, input=told, capture_output=True, text=True, check=False)
    sentence = "ValueError: expected a state of 10 numbers, got 3\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


@pytest.mark.parametrize("shown", ["[", "0", '{"board": 3}', '{"board": [["?"]]}'])
def test_agents_say_that_a_text_is_no_board(shown: str) -> None:
    agent = load_bot(make_bred("connect-four", "mlp"))["agent"]
    observation = {"observationString": shown, "currentPlayer": 0, "playerId": 0}
    with pytest.raises(ValueError, match=r"^the observationString holds no board$"):
        agent(observation)
