"""Exported bots of Ticket to Ride: the arena's moves, no illegal one, from what a seat knows."""

from __future__ import annotations

import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from evolve_arena.arena.match import Termination, play_match
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.player import make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.evolved import compile_together, make_evolved, random_positions

COUNTED = {"encoding": "features"}
PLAYERS: dict[str, tuple[str, Settings]] = {
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
def evolved(kind: str) -> EvolvedPlayer:
    return _make_all()[kind]


@cache
def _make_all() -> dict[str, EvolvedPlayer]:
    made = {
        kind: make_evolved("ticket-to-ride", network, seed=3, **settings)
        for kind, (network, settings) in PLAYERS.items()
    }
    compile_together([player for kind, player in made.items() if kind != "values"])
    return made


@pytest.mark.parametrize("kind", PLAYERS)
def test_a_file_chooses_what_the_arena_does(kind: str) -> None:
    player, chosen = evolved(kind), set()
    space = {"__name__": "bot"}
    exec(compile(str(export_player(player, "python")), kind, "exec", dont_inherit=True), space)
    for number, position in enumerate(random_positions(player.game, 120, 1)):
        view = player.game.view(position, player.game.to_move(position))
        ours, theirs = new_stream(number), [number]
        expected = player.choose(view, ours)
        move = space["choose"](space["view"](list(position.state)), stream=theirs)
        assert move in player.game.legal_moves(position)
        if expected >= 0:  # else the arena forfeits, and the bot does something else
            assert (move, theirs) == (expected, ours.tolist())
        chosen.add(move)
    assert len(chosen) > 5


def test_it_plays_as_a_process(tmp_path: Path) -> None:
    file, player = tmp_path / "bot.py", evolved("kinds")
    file.write_text(str(export_player(player, "python")), encoding="utf-8")
    game = player.game
    bot = ProcessPlayer(game, f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(file))}")
    bot.check_ready()
    match = play_match(game, [*[make_random(game)] * (game.seats - 1), bot], seed=5)
    assert match.termination in (Termination.WIN, Termination.DRAW), match.sentence
