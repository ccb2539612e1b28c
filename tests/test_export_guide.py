"""The examples of docs/guides/export.md run beside exported files."""

from __future__ import annotations

import json
import re
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.core.stream import new_stream
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "export.md"
BLOCKS = dict(
    re.findall(
        r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```",
        PAGE.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
)


@pytest.fixture
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BredPlayer:
    """A player whose exported files lie in the folder where the examples run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return make_bred("connect-four", "mlp", 8)


def run_block(player: BredPlayer, title: str, target: str, name: str) -> dict[str, Any]:
    """What the example of a section defines."""
    content = export_player(player, target)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    sys.modules.pop(Path(name).stem, None)
    space: dict[str, Any] = {"__name__": "example"}
    exec(compile(BLOCKS[title], title, "exec"), space)
    return space


def test_openspiels_example(player: BredPlayer) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    space = run_block(player, "OpenSpiel", "openspiel", "champion_openspiel.py")
    assert space["state"].is_terminal()
    assert sum(space["returns"]) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pettingzoos_example(player: BredPlayer) -> None:
    pytest.importorskip("pettingzoo.classic.connect_four_v3", reason="PettingZoo is not installed")
    space = run_block(player, "PettingZoo", "pettingzoo", "champion_pettingzoo.py")
    assert not space["env"].agents
    assert space["reward"] in (-1, 0, 1)


def test_onnxs_example(player: BredPlayer) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    space = run_block(player, "ONNX", "onnx", "champion.onnx")
    assert space["about"]["game"] == "connect-four"
    mlp = player.decoder.mlp
    wanted = mlp.evaluate(player.arrays["genome"], np.zeros((1, mlp.inputs)))
    assert space["values"] == pytest.approx(wanted, abs=1e-3)


def test_the_server_answers_as_the_player_plays(player: BredPlayer) -> None:
    assert len(BLOCKS["A bot on the web"].splitlines()) <= 30
    space = run_block(player, "A bot on the web", "python", "champion.py")
    space["Handler"].log_message = lambda *_: None
    with space["HTTPServer"](("127.0.0.1", 0), space["Handler"]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def ask(told: dict[str, Any]) -> Any:
            request = urllib.request.Request(
                f"http://127.0.0.1:{server.server_port}/", json.dumps(told).encode()
            )
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)

        told: dict[str, Any] = {"game": "connectfour", "players": 2, "board": "", "action": "init"}
        assert ask(told) == {"name": "champion"}
        for position in random_positions(player.game, 20):
            game: Any = player.game
            seat, (first, second) = game.to_move(position), game.observe(position, 0)
            cells = (first + 2 * second)[game.grid[::-1]]
            told |= {"action": "play-turn", "player-index": seat, "you": "X0"[seat]}
            told["board"] = np.array(["", "X", "0"])[cells].tolist()
            assert ask(told) == {"play": str(player.choose(position, new_stream(0)))}
        server.shutdown()
