"""Exported files alone: whole games by their start, legal, play and result, and as programs."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from evolve_arena.core.registry import shipped_games
from evolve_arena.core.types import Settings
from evolve_arena.runs.export import export_player
from tests.evolved import make_evolved
from tests.exported import load_bot
from tests.fuzz.__main__ import feed
from tests.fuzz.bot_targets import BOT_TARGETS
from tests.fuzz.target import Target

OPTIONS: list[tuple[str, str, Settings]] = [
    ("connect-four", "mlp", {"columns": 9, "rows": 7}),
    ("pig", "mlp", {"goal": 20, "seats": 3}),
    ("hex", "mlp", {"size": 4}),
    ("othello", "mlp", {"size": 6, "encoding": "features", "head": "action"}),
]
BOARDS = shipped_games()
"""Games whose champions become Python files."""
CHANCE = ("pig", "ticket-to-ride")
KINDS = [(name, "mlp", {}) for name in BOARDS] + OPTIONS


@pytest.mark.parametrize(("game", "network", "options"), KINDS, ids=str)
def test_games_of_a_file_are_the_arenas(game: str, network: str, options: Settings) -> None:
    player = make_evolved(game, network, **options)
    rules, bot = player.game, load_bot(player)
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
    game: str, network: str, options: Settings, tmp_path: Path
) -> None:
    source = str(export_player(make_evolved(game, network, **options), "python"))
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
        bot = load_bot(make_evolved(game, "mlp"))
        with pytest.raises(ValueError, match="there is no move 99 here"):
            bot["play"](bot["start"](), 99)


def test_chance_decides_in_a_file() -> None:
    bot = load_bot(make_evolved("pig", "mlp"))
    rolled = {tuple(bot["play"](bot["start"](), 0)) for _ in range(200)}
    assert len(rolled) == 6


# Whatever a host writes


@pytest.mark.parametrize("target", BOT_TARGETS, ids=lambda target: target.name)
def test_nonsense_ends_in_one_line(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots in C run under sanitizers, which end a program that reads beyond its tables."""
    monkeypatch.chdir(tmp_path)
    if missing := [program for program in target.needs if shutil.which(program) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    faults: dict[str, bytes] = {}
    tally = feed(target, target.inputs(target.samples()), 200, 0, faults)
    assert faults == {}
    assert min(tally["accepted"], tally["rejected"]) > 20


def test_a_process_writes_that_line_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        str(export_player(make_evolved("tic-tac-toe", "mlp"), "python")), encoding="utf-8"
    )
    words, told = [sys.executable, str(file)], "state 0 0 0\ngo\n"
    done = subprocess.run(words, input=told, capture_output=True, text=True, check=False)
    sentence = "ValueError: expected a state of 10 numbers, got 3\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


@pytest.mark.parametrize("shown", ["[", "0", '{"board": 3}', '{"board": [["?"]]}'])
def test_agents_say_that_a_text_is_no_board(shown: str) -> None:
    agent = load_bot(make_evolved("connect-four", "mlp"))["agent"]
    observation = {"observationString": shown, "currentPlayer": 0, "playerId": 0}
    with pytest.raises(ValueError, match=r"^the observationString holds no board$"):
        agent(observation)
