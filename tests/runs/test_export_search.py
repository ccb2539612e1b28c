"""Exported bots that look ahead: how far, how long, and who can't."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.runs.export import export_player, look_ahead
from tests.bred import make_bred, random_positions
from tests.c_bots import ask, build, with_gcc
from tests.exported import load_bot, tell, write_state
from tests.forked import evolve
from tests.pages import ask_page, with_node


@with_node
@pytest.mark.parametrize("depth", [0, 3])
def test_pages_say_how_far_they_look(depth: int, tmp_path: Path) -> None:
    player = make_bred("tic-tac-toe", "mlp", depth=depth)
    start = tell(player.game.initial())
    assert ask_page(player, [start], tmp_path, "return bot.ask_depth();")[0] == [depth]
    assert find_depth(str(export_player(player, "python"))) == depth


def find_depth(text: str) -> int:
    found = re.search(r"- search: alpha-beta, (\d+) pl(y|ies)\n", text)
    return int(found[1]) if found else 0


def test_a_file_searches_as_long_as_it_may(tmp_path: Path) -> None:
    player = make_bred("hex", "mlp", hidden=(4,), size=5)
    bot = load_bot(player)
    state = bot["play"](bot["start"](), 3)
    begun = time.monotonic()
    assert bot["choose"](state, seconds=0.2) in bot["legal"](state)
    assert time.monotonic() - begun < 60.0
    # Where the end is in sight, what it finds in time is what it finds with patience.
    small = make_bred("tic-tac-toe", "mlp", seed=3)
    bot = load_bot(small)
    for position in random_positions(small.game, 30, 2):
        state = list(map(int, position.state))
        if (empty := state[:9].count(0)) <= 4:
            whole = bot["choose"](state, depth=empty)
            timed = bot["choose"](state, seconds=300.0)
            assert value(bot, state, timed) == value(bot, state, whole)


def test_a_depth_below_0_is_refused() -> None:
    bot = load_bot(make_bred("tic-tac-toe", "mlp"))
    with pytest.raises(ValueError, match=r"^depth is -1: it must be 0 or more$"):
        bot["choose"](bot["start"](), depth=-1)


def value(bot: dict[str, Any], state: list[int], move: int) -> int:
    """What a move leads to if both play perfectly: -1, 0 or 1."""
    after = bot["play"](state, move)
    if (end := bot["result"](after)) is not None:
        return int(end[state[9]])
    return -max(value(bot, after, answer) for answer in bot["legal"](after))


@with_gcc
def test_a_program_searches_as_long_as_it_may(tmp_path: Path) -> None:
    player = make_bred("hex", "mlp", hidden=(4,), size=5)
    program = build(str(export_player(player, "c")), tmp_path)
    positions = random_positions(player.game, 3)
    told = [write_state("state", position.state) for position in positions]
    moves = ask(program, [line for each in told for line in (each, "go movetime 100")])
    for position, move in zip(positions, moves, strict=True):
        assert move in player.game.legal_moves(position)


CANNOT: list[tuple[str, dict[str, Any]]] = [
    ("tic-tac-toe", {"head": "policy"}),
    ("pig", {"seats": 3}),
]


@pytest.mark.parametrize(("game", "settings"), CANNOT)
def test_who_cannot_look_ahead_says_so(game: str, settings: dict[str, Any]) -> None:
    player = make_bred(game, "mlp", **settings)
    text = str(export_player(player, "python"))
    bot = load_bot(player)
    assert "looks three plies ahead" not in text
    with pytest.raises(ValueError, match=r"^this bot can't look ahead$"):
        bot["choose"](bot["start"](), depth=2)
    with pytest.raises(BadValueError, match="depth"):
        look_ahead(player, "depth=2")


@with_gcc
def test_a_program_that_cannot_look_ahead_says_so(tmp_path: Path) -> None:
    player = make_bred("tic-tac-toe", "mlp", head="policy")
    program = build(str(export_player(player, "c")), tmp_path)
    told = "state 0 0 0 0 0 0 0 0 0 0\ngo depth 2\n"
    done = subprocess.run([str(program)], input=told, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "this bot can't look ahead\n")


def test_who_searches_a_tree_is_told_what_bots_do_instead() -> None:
    player = make_bred("tic-tac-toe", "mlp", rollouts=10)
    for target in ("python", "c", "html"):
        with pytest.raises(BadValueError, match=r"by rollouts, which .* such as RUN,depth=2$"):
            export_player(player, target)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ea.Run:
    changes = {
        "method.individuals": 4,
        "method.tournament_size": 2,
        "network.hidden": [4],
        "run.generations": 1,
        "check.games": 2,
        "check.opponents": ["random"],
        "search.depth": 2,
    }
    folder = tmp_path_factory.mktemp("runs") / "run"
    return ea.start("tic-tac-toe-evolved", run=folder, changes=changes, executor="serial")


@pytest.mark.parametrize("place", ["{}", "file:{}/champion.safetensors"])
def test_the_command_exports_how_far_it_looks(run: ea.Run, place: str, tmp_path: Path) -> None:
    for settings, depth in (("", 2), (",depth=4", 4), (",depth=0", 0)):
        out = tmp_path / f"bot{depth}.py"
        named = f"{place.format(run.path)}{settings}"
        done = evolve("export", named, "--out", str(out), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert find_depth(out.read_text(encoding="utf-8")) == depth


WRONG = {
    ",depth=13": "depth is 13: it must be from 1 to 12",
    ",dept=3": "unknown setting of exported bots 'dept'",
    ",depth=x": "run,depth=x: depth is 'x': it must be a whole number",
    ",time=100ms": "unknown setting of exported bots 'time'",
}


@pytest.mark.parametrize("settings", WRONG)
def test_wrong_settings_are_named(run: ea.Run, settings: str, tmp_path: Path) -> None:
    done = evolve("export", f"{run.path}{settings}", folder=tmp_path)
    assert done.returncode != 0
    assert WRONG[settings] in done.stderr


def test_wrong_settings_of_players_are_named_as_they_were_typed(run: ea.Run) -> None:
    place = f"run:{run.path}"
    with pytest.raises(ArenaError) as told:
        ea.load_player(f"{place},depth=99")
    assert f"{place},depth=99" in str(told.value)
    assert "minimax" not in str(told.value)
    with pytest.raises(ArenaError, match=r"unknown setting of .*'dept'.*depth"):
        ea.load_player(f"{place},dept=3")
