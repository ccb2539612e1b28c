"""Exported bots of games that repetition ends: told of earlier positions, they choose the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.stream import new_stream
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import export_player
from tests.bred import LEAST_POSITIONS, make_bred
from tests.c_bots import ask, build, with_gcc
from tests.pages import ask_page, make_safe, with_node
from tests.tracks import TRACKS, open_text, play_randomly

PLAYERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "moves": ("tracks", "mlp", {"hidden": (4,)}),
    "a search": ("tracks", "tuples", {"tuples": 4, "length": 3, "depth": 2}),
    "a search where moves make progress": ("checkers", "mlp", {"hidden": (4,), "depth": 3}),
}
"""Game, network and its settings."""
Case = tuple[BredPlayer, list[Any], list[int]]


@pytest.fixture(params=PLAYERS, scope="module")
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A player, positions of random games, most near their ends, and what it chooses there."""
    open_text(tmp_path_factory.mktemp("games"), TRACKS)
    game, network, settings = PLAYERS[request.param]
    player = make_bred(game, network, seed=3, **settings)
    positions: list[Any] = []
    for seed in range(max(40, LEAST_POSITIONS // 4)):
        states = play_randomly(player.game, seed)[:-1]
        positions += [random.Random(seed).choice(states), *states[-3:]]
    chosen = [player.choose(position, new_stream(1)) for position in positions]
    forgetful = [player.choose(each._replace(past=()), new_stream(1)) for each in positions]
    assert forgetful != chosen  # earlier positions matter
    return player, positions, chosen


def run_python(player: BredPlayer) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "bot"}
    exec(str(export_player(player, "python")), space)
    return space


def test_python_files_choose_the_same(case: Case) -> None:
    player, positions, chosen = case
    bot = run_python(player)
    assert [bot["choose"](each.state, past=each.past) for each in positions] == chosen


def test_a_file_plays_a_game_to_its_end(case: Case) -> None:
    player, *_ = case
    bot, game = run_python(player), player.game
    for seed in range(5):
        choices, state, past = random.Random(seed), bot["start"](), []
        position = game.initial()
        while moves := bot["legal"](state, past):
            assert moves == game.legal_moves(position)
            assert bot["result"](state, past) is None
            move = choices.choice(moves)
            past, state = bot["remember"](past, state, move), bot["play"](state, move)
            position = game.play(position, move)
            assert [tuple(each) for each in past] == list(position.past)
        outcome: Any = game.outcome(position)
        first, second = bot["result"](state, past)
        assert (1 + (second > first), 1 + (first > second)) == outcome.places


def say(name: str, numbers: Sequence[int]) -> str:
    return f"{name} {' '.join(map(str, numbers))}"


@with_gcc
def test_programs_in_c_choose_the_same(case: Case, tmp_path: Path) -> None:
    player, positions, chosen = case
    program = build(str(export_player(player, "c")), tmp_path)
    lines = [
        line
        for each in positions
        for line in (*(say("past", past) for past in each.past), say("state", each.state), "go")
    ]
    assert ask(program, lines) == chosen


@with_node
def test_pages_choose_the_same(case: Case, tmp_path: Path) -> None:
    player, positions, chosen = case
    given = [
        [make_safe(each.state), each.plies, [make_safe(past) for past in each.past]]
        for each in positions
    ]
    assert ask_page(player, given, tmp_path, "return bot.ask_bot(position);")[0] == chosen
    body = "return bot.ask_moves(bot.play_on_page(position, bot.ask_moves(position)[0]));"
    after = [
        player.game.legal_moves(player.game.play(each, player.game.legal_moves(each)[0]))
        for each in positions
    ]
    assert ask_page(player, given, tmp_path, body)[0] == after
