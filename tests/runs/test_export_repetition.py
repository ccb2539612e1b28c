"""Exported bots of games that repetition ends: told of earlier positions, they choose the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.stream import new_stream
from tests.bred import LEAST_POSITIONS
from tests.exported import Case, Table, in_every_language, load_bot, pick_player, tell
from tests.pages import ask_page, with_node
from tests.tracks import TRACKS, open_text, play_randomly

PLAYERS: Table = {
    "moves": ("tracks", "mlp", {"hidden": (4,)}),
    "a search": ("tracks", "tuples", {"tuples": 4, "length": 3, "depth": 2}),
    "a search where moves make progress": ("checkers", "mlp", {"hidden": (4,), "depth": 3}),
}


@pytest.fixture(params=PLAYERS, scope="module")
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A player, positions of random games, most near their ends, and what it chooses there."""
    open_text(tmp_path_factory.mktemp("games"), TRACKS)
    player = pick_player(PLAYERS, request.param)
    positions: list[Any] = []
    for seed in range(max(40, LEAST_POSITIONS // 4)):
        states = play_randomly(player.game, seed)[:-1]
        positions += [random.Random(seed).choice(states), *states[-3:]]
    chosen = [player.choose(position, new_stream(1)) for position in positions]
    forgetful = [player.choose(each._replace(past=()), new_stream(1)) for each in positions]
    assert forgetful != chosen  # earlier positions matter
    return player, positions, chosen


@in_every_language
def test_bots_choose_the_same(case: Case, choose: Any, tmp_path: Path) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen


def test_a_file_plays_a_game_to_its_end(case: Case) -> None:
    player, *_ = case
    bot, game = load_bot(player), player.game
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


@with_node
def test_pages_remember_earlier_states(case: Case, tmp_path: Path) -> None:
    player, positions, _ = case
    game, given = player.game, list(map(tell, positions))
    body = "return bot.ask_moves(bot.play_on_page(position, bot.ask_moves(position)[0]));"
    after = [game.legal_moves(game.play(each, game.legal_moves(each)[0])) for each in positions]
    assert ask_page(player, given, tmp_path, body)[0] == after
