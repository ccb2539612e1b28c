"""Exported Python files as programs: whatever a host writes, they answer or end with one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions
from tests.fuzz.__main__ import generate
from tests.fuzz.bot_lines import (
    botzone_lines,
    feed_python,
    four_lines,
    state_lines,
)

ASKED = [
    {"requests": [{"x": -1, "y": -1}], "responses": []},
    {"requests": [{"x": 1, "y": 1}, {"x": 0, "y": 0}], "responses": [{"x": 2, "y": 2}]},
]
BOTS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "cells": ("tic-tac-toe", "mlp", "python", {}),
    "words": ("othello", "graph", "python", {}),
    "NumPy": ("hex", "mlp", "python", {"size": 4}),
    "columns": ("connect-four", "mlp", "python", {}),
    "earlier states": ("checkers", "mlp", "python", {"depth": 1}),
    "views": (
        "ticket-to-ride",
        "mlp",
        "python",
        {"head": "kinds", "encoding": "features", "features": 28},
    ),
    "Botzone": ("tic-tac-toe", "mlp", "botzone", {}),
}
"""Game, kind of network, target, settings."""


def find_inputs(kind: str) -> st.SearchStrategy[bytes]:
    game, network, target, settings = BOTS[kind]
    if target == "botzone":
        return botzone_lines(ASKED)
    if game == "connect-four":
        return four_lines()
    positions = random_positions(make_bred(game, network, **settings).game, 20)
    past = 2 * (game == "checkers")
    return state_lines([list(position.state) for position in positions], past)


@pytest.mark.parametrize("kind", BOTS)
def test_nonsense_ends_a_bot_with_one_line(kind: str) -> None:
    game, network, target, settings = BOTS[kind]
    source = str(export_player(make_bred(game, network, seed=1, **settings), target))
    fed: list[bytes] = []
    generate(fed.append, find_inputs(kind), 60, 0)
    answers = feed_python(source, fed)
    assert any(answer.said for answer in answers)
    for data, answer in zip(fed, answers, strict=True):
        if answer.code == 0:
            assert not answer.errors
            continue
        assert answer.code == 1, (data, answer)
        assert len(answer.errors.splitlines()) == 1, (data, answer)
        assert len(answer.errors) <= len("\n") + 200, (data, answer)


def test_a_process_writes_that_line_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(make_bred("tic-tac-toe", "mlp"), "python")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        input="state 0 0 0\ngo\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    sentence = "ValueError: expected a state of 10 numbers, got 3\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


@pytest.mark.parametrize("shown", ["[", "0", '{"board": 3}', '{"board": [["?"]]}'])
def test_agents_say_that_a_text_is_no_board(shown: str) -> None:
    names: dict[str, Any] = {"__name__": "bot"}
    exec(str(export_player(make_bred("connect-four", "mlp"), "python")), names)
    observation = {"observationString": shown, "currentPlayer": 0, "playerId": 0}
    with pytest.raises(ValueError, match=r"^the observationString holds no board$"):
        names["agent"](observation)
