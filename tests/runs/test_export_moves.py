"""Exported bots of all kinds of states, networks and rules choose what the arena chooses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import look_ahead
from tests.bred import LEAST_POSITIONS, random_positions
from tests.exported import Case, Table, in_every_language, load_bot, pick_player, tell
from tests.pages import ask_page, with_node
from tests.tracks import TRACKS, open_text, play_randomly

NERVOUS = "nervous"
"""Tic-tac-toe, whose states are not quiet while its corner is free and its middle is not."""
COUNTED = {"encoding": "features", "hidden": ()}
SIGNED = {"encoding": "signed", "shortcut": True}
PLAYERS: Table = {
    "words": ("othello", "mlp", {"activation": "tanh"}),
    "words, graph": ("breakthrough", "graph", {"head": "policy"}),
    "words, tuples, a function that calls itself": ("hex", "tuples", {"tuples": 20, "length": 4}),
    "words, large constants": ("chomp", "mlp", {}),
    "words in which some bits are no cells": ("checkers", "mlp", {}),
    "features of moves": ("othello", "mlp", {"encoding": "features", "head": "action", "size": 6}),
    "features of moves, graph": ("othello", "graph", {"size": 6, "head": "action"}),
    "cells": ("tic-tac-toe", "mlp", {"activation": "tanh", "take_wins": False}),
    "more cells than a word has bits": ("gomoku", "mlp", {"head": "policy", "size": 9}),
    "numbers": ("kalah", "mlp", {"head": "policy", "activation": "sigmoid"}),
    "numbers, turns": ("kalah", "tuples", {"tuples": 10, "length": 3, "turns": True}),
    "features, graph": ("kalah", "graph", {"encoding": "features", "head": "policy"}),
    "stacks": ("connect-four", "tuples", {"tuples": 20, "length": 6, "by_seat": True}),
    "stacks, numbered": ("connect-four", "mlp", {"columns": 9, "rows": 7, "encoding": "numbered"}),
    "stacks, graph": ("connect-four", "graph", {}),
    "three seats, chance": ("pig", "graph", {"seats": 3}),
    "three seats, tuples": ("pig", "tuples", {"seats": 3, "tuples": 6, "length": 3}),
}
LOOKING: Table = {
    "cells": ("tic-tac-toe", "mlp", {"depth": 3}),
    "a graph": ("tic-tac-toe", "graph", {"depth": 2}),
    "words": ("othello", "mlp", {"size": 6, "hidden": (4,), "depth": 2}),
    "tuples": ("hex", "tuples", {"size": 4, "tuples": 10, "length": 3, "depth": 3}),
    "changes": ("breakthrough", "mlp", {"size": 5, "hidden": (4, 4), "depth": 3}),
    "turns": ("kalah", "tuples", {"tuples": 6, "length": 3, "turns": True, "depth": 4}),
    "features": ("kalah", "mlp", {"encoding": "features", "hidden": (4,), "depth": 3}),
    "linear features": ("kalah", "mlp", {"encoding": "features", "hidden": (), "depth": 2}),
    "features of a graph": ("kalah", "graph", {"encoding": "features", "depth": 3}),
    "few features": ("checkers", "mlp", {**COUNTED, "features": 14, "depth": 3}),
    "values of features": ("checkers", "mlp", {**COUNTED, "features": 4, "bins": 8, "depth": 2}),
    "a shortcut": ("checkers", "mlp", {**SIGNED, "hidden": (4, 2), "depth": 2}),
    "a shortcut of relu": ("checkers", "mlp", {**SIGNED, "activation": "relu", "depth": 2}),
    "chance": ("pig", "mlp", {"goal": 20, "depth": 2}),
    "quiet": (NERVOUS, "mlp", {"depth": 2}),
    "quiet tuples": (NERVOUS, "tuples", {"tuples": 8, "length": 3, "depth": 1}),
}
"""They look ahead."""
REPEATING: Table = {
    "moves that repeat": ("tracks", "mlp", {"hidden": (4,)}),
    "a search of repetitions": ("tracks", "tuples", {"tuples": 4, "length": 3, "depth": 2}),
    "a search of moves that make progress": ("checkers", "mlp", {"hidden": (4,), "depth": 3}),
}
"""Repetition ends their games, and bots are told of earlier positions."""
ALL = {**PLAYERS, **LOOKING, **REPEATING}


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, rows = tmp_path_factory.mktemp("games"), find_game("tic-tac-toe").game
    open_text(folder, TRACKS)
    quiet = "\n\ndef quiet(state):\n    return state[0] != 0 or state[4] == 0\n"
    open_text(folder, rows.source + quiet, f"{NERVOUS}.py")  # type: ignore[attr-defined]


def ask_arena(player: BredPlayer, positions: Sequence[Any]) -> list[int]:
    return [player.choose(position, new_stream(0)) for position in positions]


def find_ends(player: BredPlayer) -> list[Any]:
    """Positions of random games, most of them near their ends."""
    positions: list[Any] = []
    for seed in range(max(40, LEAST_POSITIONS // 4)):
        states = play_randomly(player.game, seed)[:-1]
        positions += [random.Random(seed).choice(states), *states[-3:]]
    return positions


@pytest.fixture(params=ALL, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    player = pick_player(ALL, request.param)
    if request.param in REPEATING:
        positions = find_ends(player)
        forgetful = ask_arena(player, [position._replace(past=()) for position in positions])
    else:
        count = 30 if request.param in LOOKING else 200
        positions, forgetful = random_positions(player.game, count, 1), []
    chosen = ask_arena(player, positions)
    assert len(set(chosen)) > 1
    assert forgetful != chosen  # earlier positions matter
    if request.param in LOOKING:
        near = look_ahead(player, "depth=1" if player.decoder.depth > 1 else "depth=2")
        assert ask_arena(near, positions) != chosen  # how far it looks matters
    return player, positions, chosen


@in_every_language
def test_bots_choose_the_same(case: Case, choose: Any, tmp_path: Path) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen
    if depth := getattr(player.decoder, "depth", 0):
        plain = look_ahead(player, "depth=0")  # which is asked for another depth than its own
        assert choose(plain, positions, tmp_path, depth) == chosen


@pytest.mark.parametrize("name", REPEATING)
def test_a_file_plays_a_game_to_its_end(name: str) -> None:
    player = pick_player(REPEATING, name)
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
@pytest.mark.parametrize("name", REPEATING)
def test_pages_remember_earlier_states(name: str, tmp_path: Path) -> None:
    player = pick_player(REPEATING, name)
    positions, game = find_ends(player), player.game
    given = list(map(tell, positions))
    body = "return bot.ask_moves(bot.play_on_page(position, bot.ask_moves(position)[0]));"
    after = [game.legal_moves(game.play(each, game.legal_moves(each)[0])) for each in positions]
    assert ask_page(player, given, tmp_path, body)[0] == after
