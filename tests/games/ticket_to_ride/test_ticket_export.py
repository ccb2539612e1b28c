"""Exported bots of Ticket to Ride: the arena's moves, no illegal one, from what a seat knows."""

from __future__ import annotations

import ast
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.arena.match import Termination, play_match
from evolve_arena.core.stream import new_stream
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.player import make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import compile_together, make_bred, random_positions

COUNTED = {"encoding": "features"}
PLAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "moves": ("mlp", {**COUNTED, "head": "action"}),
    "moves, code": ("mlp", {**COUNTED, "head": "action", "script": "rule:code"}),
    "kinds": ("mlp", {**COUNTED, "head": "kinds", "features": 28}),
    "kinds, unmasked": (
        "mlp",
        {**COUNTED, "head": "kinds", "masked": False, "script": "rule:text,long=6,needs=lengths"},
    ),
    "graph of kinds": ("graph", {**COUNTED, "head": "kinds", "script": "rule:text,lacking=none"}),
    "policy": ("mlp", {"head": "policy", "hidden": (4,)}),
    "values": ("mlp", {"hidden": (4,), "seats": 2, "longest_path": 1}),
}
"""Kind of network, settings."""


@cache
def bred(kind: str) -> BredPlayer:
    return _make_all()[kind]


@cache
def _make_all() -> dict[str, BredPlayer]:
    made = {
        kind: make_bred("ticket-to-ride", network, seed=3, **settings)
        for kind, (network, settings) in PLAYERS.items()
    }
    compile_together([player for kind, player in made.items() if kind != "values"])
    return made


@cache
def load_bot(kind: str) -> dict[str, Any]:
    """What the exported file defines."""
    space: dict[str, Any] = {"__name__": "bot"}
    text = str(export_player(bred(kind), "python"))
    exec(compile(text, kind, "exec", dont_inherit=True), space)
    return space


@pytest.mark.parametrize("kind", PLAYERS)
def test_a_file_chooses_what_the_arena_does(kind: str) -> None:
    player, choose = bred(kind), load_bot(kind)["choose"]
    game, chosen = player.game, set()
    for number, position in enumerate(random_positions(game, 120, 1)):
        view = game.view(position, game.to_move(position))
        ours, theirs = new_stream(number), [number]
        expected = player.choose(view, ours)
        move = choose(list(view.state), stream=theirs)
        assert move in game.legal_moves(position)
        if expected >= 0:  # else the arena forfeits, and the bot does something else
            assert (move, theirs) == (expected, ours.tolist())
        chosen.add(move)
    assert len(chosen) > 5


def test_a_game_is_played_with_the_file_alone() -> None:
    bot, game = load_bot("kinds"), bred("kinds").game
    for seed in range(2):
        position = game.initial(seed)
        state = list(position.state)
        while moves := game.legal_moves(position):
            assert bot["result"](state) is None
            assert bot["legal"](state) == moves
            seat = game.to_move(position)
            assert bot["view"](state) == list(game.view(position, seat).state)
            move = bot["choose"](bot["view"](state))
            position, state = game.play(position, move), bot["play"](state, move)
            assert state == list(position.state)
        outcome = game.outcome(position)
        assert outcome is not None
        assert bot["result"](state) == outcome.points


def test_the_file_is_python_3_8_and_needs_nothing_else() -> None:
    for kind in ("moves", "kinds", "graph of kinds"):
        tree = ast.parse(str(export_player(bred(kind), "python")), feature_version=(3, 8))
        modules = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                modules.add(str(node.module))
            elif isinstance(node, ast.Import):
                modules.update(alias.name for alias in node.names)
        assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_what_a_player_does_not_need_is_left_out() -> None:
    moves, kinds = load_bot("moves"), load_bot("kinds")
    assert "rule_move" in kinds
    assert "rule_move" not in moves
    assert "write_move" in moves
    assert "write_move" not in kinds


@pytest.mark.parametrize("kind", ["kinds", "moves, code"])
def test_it_plays_as_a_process(tmp_path: Path, kind: str) -> None:
    file, player = tmp_path / "bot.py", bred(kind)
    file.write_text(str(export_player(player, "python")), encoding="utf-8")
    game = player.game
    bot = ProcessPlayer(game, f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(file))}")
    bot.check_ready()
    others = [make_random(game)] * (game.seats - 1)
    match = play_match(game, [*others, bot], seed=5)
    assert match.termination in (Termination.WIN, Termination.DRAW), match.sentence
