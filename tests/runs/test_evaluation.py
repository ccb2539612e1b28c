"""Evaluation of a player from outside: its opponents, and the result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, make_game, study_ladder
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs import evaluation
from evolve_arena.runs.evaluation import evaluate_player
from tests.forked import evolve

GAME = make_game("connect-four")
OPPONENTS = find_game("connect-four").ladder


def test_a_player_is_measured_against_all_of_them() -> None:
    player, opponents = make_player("minimax:depth=2", GAME), OPPONENTS[:6]
    content = evaluate_player(player, GAME, games=400, opponents=opponents, opening_plies=0, seed=3)
    assert tuple(content["opponents"]) == opponents
    for result in content["opponents"].values():
        assert result["games"] == 400
        assert result["won"] == result["wins"] / 400
        assert result["won_wilson_95"][0] <= result["won"] <= result["won_wilson_95"][1]
    won = [result["won"] for result in content["opponents"].values()]
    assert won[0] > 0.9
    assert won[2] > won[3] > won[4] > won[5] > 0.1


def test_players_of_checkers_meet_others() -> None:
    game = make_game("checkers")
    player = make_player("minimax:depth=2", game)
    content = evaluate_player(player, game, games=2, seed=1)
    ladder = find_game("checkers").ladder
    assert tuple(content["opponents"]) == (*ladder, *study_ladder("checkers"))
    assert content["opponents"]["random"]["wins"] == 2
    assert content["opponents"]["mcts:rollouts=1000"]["wins"] == 0
    assert content["opponents"]["piotrowski:rafalmore"]["wins"] == 0
    assert list(content["positions"]) == ["exact endings"]


def test_opponents_can_be_chosen() -> None:
    names = ("minimax:depth=3", "random", "minimax:depth=3")
    content = evaluate_player(make_random(GAME), GAME, games=40, opponents=names)
    assert list(content["opponents"]) == ["minimax:depth=3", "random"]
    assert content["opponents"]["minimax:depth=3"]["wins"] <= 3
    assert evaluate_player(make_random(GAME), GAME, opponents=())["opponents"] == {}


def test_who_comes_first_is_measured_alike_whoever_follows() -> None:
    player = make_player("minimax:depth=1", GAME)
    some = evaluate_player(player, GAME, games=100, opponents=OPPONENTS[:2], seed=5)
    more = evaluate_player(player, GAME, games=100, opponents=OPPONENTS[:4], seed=5)
    for name in OPPONENTS[:2]:
        assert some["opponents"][name] == more["opponents"][name]


def test_opponents_are_closed_also_if_one_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    find = evaluation.find_player

    def watched(name: str, game: AnyGame) -> Player:
        player = find(name, game)
        monkeypatch.setattr(player, "close", lambda: closed.append(name))
        return player

    monkeypatch.setattr(evaluation, "find_player", watched)
    with pytest.raises(UnknownNameError):
        evaluate_player(make_random(GAME), GAME, games=2, opponents=["random", "minmax"])
    assert closed == ["random"]
    evaluate_player(make_random(GAME), GAME, games=2, opponents=["test-bot", "random"])
    assert sorted(closed[1:]) == ["random", "test-bot"]


def test_the_command_takes_opponents(tmp_path: Path) -> None:
    words = ["evaluate", "minimax:depth=2", "--games", "20", "--json"]
    chosen = ["--opponents", "random", "--opponents", "minimax:noise=1,depth=3"]
    done = evolve(*words, *chosen, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert list(content["opponents"]) == ["random", "minimax:noise=1,depth=3"]
    assert content["opponents"]["random"]["wins"] >= 15
