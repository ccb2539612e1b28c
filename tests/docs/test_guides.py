"""The examples of the guides run, one after the other, and are short."""

from __future__ import annotations

import json
import os
import random
import re
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core import user_code
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Json, JsonObject
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export import export_player
from tests.evolved import make_evolved, random_positions
from tests.exported import Namespace

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"


def read_blocks(name: str) -> list[str]:
    """Return the examples of a guide in Python."""
    return re.findall(r"```python\n(.*?)```", (GUIDES / name).read_text("utf-8"), flags=re.DOTALL)


LIBRARY = read_blocks("library.md")
SECTIONS = (GUIDES / "export.md").read_text("utf-8").split("\n## ")[1:]
EXPORT = {
    text.partition("\n")[0]: found[1]
    for text in SECTIONS
    if (found := re.search(r"```python\n(.*?)```", text, re.DOTALL))
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_code, "_registered", {})


def run(*blocks: str) -> Namespace:
    """Run the examples and return the names that they define."""
    space = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "guide", "exec"), space)
    return space


def test_neat(capsys: pytest.CaptureFixture[str]) -> None:
    space = run(*read_blocks("neat.md"))
    assert "Population of 20 members in " in capsys.readouterr().out
    assert space["player"].genome.keys == space["champion"].genome.keys


def test_a_short_loop_of_deap_breeds_by_our_matches() -> None:
    (block,) = read_blocks("deap.md")
    code = [line for line in block.splitlines() if not re.match(r"import |from |$", line)]
    assert len(code) <= 30
    before = random.getstate()
    try:
        space = run(block)
    finally:
        random.setstate(before)
    best = space["logbook"].select("best")
    assert best == sorted(best)  # mu plus lambda, and a fitness that means the same throughout
    assert best[-1] > best[0] + 0.02
    assert space["best"][0].fitness.values == space["evaluate"](space["best"][0])
    champion = space["make_player"](space["best"][0])
    assert ea.duel(champion, "random", games=200, seed=3).score > 0.6


@pytest.fixture
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EvolvedPlayer:
    """Return a player; modules exported into the working folder can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return make_evolved("connect-four", "mlp", 8)


def run_beside(player: EvolvedPlayer, title: str, target: str, name: str) -> Namespace:
    """Export the player, run the example of a section, and return the names that it defines."""
    content = export_player(player, target)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    sys.modules.pop(Path(name).stem, None)
    return run(EXPORT[title])


def test_openspiels_example(player: EvolvedPlayer) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    space = run_beside(player, "OpenSpiel", "openspiel", "champion_openspiel.py")
    assert space["state"].is_terminal()
    assert sum(space["returns"]) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pettingzoos_example(player: EvolvedPlayer) -> None:
    pytest.importorskip("pettingzoo.classic.connect_four_v3", reason="PettingZoo is not installed")
    space = run_beside(player, "PettingZoo", "pettingzoo", "champion_pettingzoo.py")
    assert not space["env"].agents
    assert space["reward"] in (-1, 0, 1)


def test_onnxs_example(player: EvolvedPlayer) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    space = run_beside(player, "ONNX", "onnx", "champion.onnx")
    assert space["about"]["game"] == "connect-four"
    mlp = player.decoder.mlp
    wanted = mlp.evaluate(player.arrays["genome"], np.zeros((1, mlp.inputs)))
    assert space["values"] == pytest.approx(wanted, abs=1e-3)


def test_the_server_answers_as_the_player_plays(player: EvolvedPlayer) -> None:
    assert len(EXPORT["A bot on the web"].splitlines()) <= 30
    space = run_beside(player, "A bot on the web", "python", "champion.py")
    space["Handler"].log_message = lambda *_: None
    with space["HTTPServer"](("127.0.0.1", 0), space["Handler"]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"

        def ask(told: JsonObject) -> Json:
            with urllib.request.urlopen(address, json.dumps(told).encode(), timeout=20) as answer:
                return json.load(answer)

        told = {"game": "connectfour", "players": 2, "board": "", "action": "init"}
        assert ask(told) == {"name": "champion"}
        game = player.game
        for position in random_positions(game, 20):
            seat, (first, second) = game.to_move(position), game.observe(position, 0)
            cells = (first + 2 * second)[game.grid[::-1]]
            told |= {"action": "play-turn", "player-index": seat, "you": "X0"[seat]}
            told["board"] = np.array(["", "X", "0"])[cells].tolist()
            assert ask(told) == {"play": str(player.choose(position, new_stream(0)))}
        server.shutdown()


@pytest.mark.parametrize("block", LIBRARY)
def test_an_example_is_short(block: str) -> None:
    """Of ten lines without blank ones, imports, and lines that only show something."""
    lines = [line for line in block.splitlines() if line.strip()]
    assert sum(not re.match(r"(import|from|print|\s*\"\"\")|[)}\]]", line) for line in lines) <= 10


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # of loggers
def test_all_examples_run_and_do_what_the_page_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("tensorboardX", "mlflow", "wandb", "pandas"):
        pytest.importorskip(name, reason="the examples log to it")
    for name in ("WANDB_SILENT", "MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
        monkeypatch.setitem(os.environ, name, "true")
    try:
        space = run(*LIBRARY)
    finally:  # Its service would outlive the test, as a child of this process.
        pytest.importorskip("wandb").teardown()
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
    written = ["mlflow.db", "wandb", "run.png", "network.png", "sweep/runs.csv", "sweep/sweep.png"]
    assert all(Path(name).exists() for name in written)
    assert len(list(Path("tensorboard").iterdir())) == 1
    assert space["found"].settings[0].score >= space["found"].settings[-1].score
