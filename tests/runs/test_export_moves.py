"""Exported bots of all kinds of states, networks and rules choose what the arena chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve_arena.core.stream import new_stream
from tests.bred import random_positions
from tests.exported import Case, Table, in_every_language, pick_player

PLAYERS: Table = {
    "words": ("othello", "mlp", {"activation": "tanh"}),
    "words, graph": ("breakthrough", "graph", {"head": "policy"}),
    "words, tuples, a function that calls itself": ("hex", "tuples", {"tuples": 20, "length": 4}),
    "words, large constants": ("chomp", "mlp", {}),
    "words in which some bits are no cells": ("checkers", "mlp", {}),
    "features of moves": (
        "othello",
        "mlp",
        {"encoding": "features", "head": "action", "size": 6},
    ),
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


@pytest.fixture(params=PLAYERS, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """A player, positions, and what it chooses there in the arena."""
    player = pick_player(PLAYERS, request.param)
    positions = random_positions(player.game, 200)
    chosen = [player.choose(position, new_stream(0)) for position in positions]
    assert len(set(chosen)) > 1
    return player, positions, chosen


@in_every_language
def test_bots_choose_the_same(case: Case, choose: Any, tmp_path: Path) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen
