"""Exported Python files alone: whole games by their start, legal, play and result."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import shipped_games
from evolve_arena.runs.export import export_player
from tests.bred import make_bred

OPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("connect-four", "mlp", {}),
    ("connect-four", "mlp", {"columns": 9, "rows": 7}),
    ("kalah", "mlp", {}),
    ("pig", "mlp", {"goal": 20, "seats": 3}),
    ("hex", "mlp", {"size": 4}),
    ("othello", "mlp", {"size": 6, "encoding": "features", "head": "action"}),
]
BOARDS = shipped_games()
"""Games whose champions become Python files."""
CHANCE = ("pig", "ticket-to-ride")
KINDS = [(name, "mlp", {}) for name in BOARDS] + OPTIONS


def run_file(game: str, network: str, options: dict[str, Any]) -> tuple[AnyGame, dict[str, Any]]:
    """A game, and what an exported file defines that plays it."""
    player = make_bred(game, network, **options)
    space: dict[str, Any] = {"__name__": "champion"}
    exec(str(export_player(player, "python")), space)
    return player.game, space


@pytest.mark.parametrize(("game", "network", "options"), KINDS, ids=str)
def test_games_of_a_file_are_those_of_the_arena(
    game: str, network: str, options: dict[str, Any]
) -> None:
    rules, bot = run_file(game, network, options)
    chance = random.Random(1)
    for seed in range(6):
        position, state = rules.initial(seed), bot["start"]()
        for _ in range(getattr(getattr(rules, "code", None), "LONGEST", 1000)):
            if game in CHANCE:  # which decided otherwise
                state = list(position.state)
            moves = rules.legal_moves(position)
            if not moves:
                break
            assert bot["result"](state) is None
            assert bot["legal"](state) == moves
            move = chance.choice(moves)
            position = rules.play(position, move)
            state = bot["play"](state, move)
            assert len(state) == len(bot["start"]())
        outcome = rules.outcome(position)
        assert outcome is not None
        if game in CHANCE:
            state = list(position.state)
        assert bot["legal"](state) == []
        result = bot["result"](state)
        assert [sum(other > own for other in result) + 1 for own in result] == list(outcome.places)
        if game not in (*CHANCE, "kalah"):
            assert result in [(1, -1), (0, 0), (-1, 1)]


@pytest.mark.parametrize(("game", "network", "options"), KINDS, ids=str)
def test_the_example_in_a_file_plays_a_game(
    game: str, network: str, options: dict[str, Any], tmp_path: Path
) -> None:
    source = str(export_player(make_bred(game, network, **options), "python"))
    (tmp_path / "champion.py").write_text(source, encoding="utf-8")
    blocks = re.findall(
        r"^    from FILE import .*\n(?:(?:    .*)?\n)*?(?=  \S)", source, re.MULTILINE
    )
    assert len(blocks) == 1
    example = textwrap.dedent(blocks[0]).replace("FILE", "champion")
    words = [sys.executable, "-S", "-c", example]
    if "import numpy" in source:
        words.remove("-S")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"\((-?\d+(, )?)+\)|None", last), last
    assert "state is" in source or "position has" in source


def test_a_move_that_is_none_is_refused() -> None:
    for game in ("connect-four", "tic-tac-toe"):
        _, bot = run_file(game, "mlp", {})
        with pytest.raises(ValueError, match="there is no move 99 here"):
            bot["play"](bot["start"](), 99)


def test_chance_decides_in_a_file() -> None:
    _, bot = run_file("pig", "mlp", {})
    rolled = {tuple(bot["play"](bot["start"](), 0)) for _ in range(200)}
    assert len(rolled) == 6
