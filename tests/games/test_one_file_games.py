"""Games in one file: their rules against OpenSpiel's, and against what is known of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pyspiel
import pytest

from evolve_arena.core.registry import make_game
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.text_ui import find_text_ui

POSITIONS = 10_000
Translate = Callable[[BoardGame, Board, int], int]


def same(game: BoardGame, board: Board, move: int) -> int:
    """OpenSpiel's number of a move that has the same number there."""
    return move


def step(game: BoardGame, board: Board, move: int) -> int:
    """OpenSpiel's number of a move in Breakthrough, which says whether it takes a piece."""
    cell, kind = divmod(move, 6)
    target = cell + game.plain["STEPS"][kind]
    return 2 * move + (board.state[1] >> target & 1)


def sow(game: BoardGame, board: Board, move: int) -> int:
    """OpenSpiel's number of a move in Kalah: of a pit, counted around the board from store 0."""
    return move + 1 + 7 * game.to_move(board)


AGREE: list[Any] = [
    ("tic-tac-toe", {}, "tic_tac_toe", same),
    ("gomoku", {"size": 9}, "mnk(m=9,n=9,k=5)", same),
    ("gomoku", {"size": 6, "row": 4}, "mnk(m=6,n=6,k=4)", same),
    ("gomoku", {"size": 5, "row": 6}, "mnk(m=5,n=5,k=6)", same),
    ("hex", {}, "hex(board_size=7)", same),
    ("hex", {"size": 3}, "hex(board_size=3)", same),
    ("hex", {"size": 11}, "hex(board_size=11)", same),
    ("breakthrough", {}, "breakthrough", step),
    ("breakthrough", {"size": 5}, "breakthrough(rows=5,columns=5)", step),
    ("kalah", {}, "mancala", sow),
    ("pig", {"goal": 30}, "pig(winscore=30)", same),
    ("pig", {"goal": 20, "seats": 3}, "pig(winscore=20,players=3)", same),
]
OFTEN = {name: sum(entry[0] == name for entry in AGREE) for name, *_ in AGREE}


def find_state(game: BoardGame, board: Board, state: Any) -> Any:
    """OpenSpiel's state after a die has fallen as it has here: the points tell how."""
    if not state.is_chance_node():
        return state
    for outcome, _ in state.chance_outcomes():
        after = state.child(outcome)
        if board.state[game.seats] == read_sum(after) and (
            after.is_terminal() or after.current_player() == game.to_move(board)
        ):
            return after
    raise AssertionError("no number on the die does that")


def read_sum(state: Any) -> int:
    """What was rolled in this turn, of Pig."""
    return int(str(state).partition("Turn total: ")[2].split()[0])


@pytest.mark.parametrize(("name", "options", "other", "translate"), AGREE)
def test_positions_agree_with_openspiel(
    name: str, options: dict[str, int], other: str, translate: Translate
) -> None:
    game, theirs = make_game(name, **options), pyspiel.load_game(other)
    choices, seen = random.Random(1), 0
    while seen < POSITIONS // OFTEN[name]:
        board, state = game.initial(seen), theirs.new_initial_state()
        while not state.is_terminal():
            moves = {translate(game, board, move): move for move in game.legal_moves(board)}
            assert sorted(moves) == state.legal_actions()
            assert game.to_move(board) == state.current_player()
            move = choices.choice(sorted(moves))
            board = game.play(board, moves[move])
            state.apply_action(move)
            state = find_state(game, board, state)
            seen += 1
        outcome = game.outcome(board)
        assert outcome is not None
        returns = state.returns()
        assert outcome.places == tuple(
            1 + sum(other > own for other in returns) for own in returns
        ) or (game.seats > 2 and outcome.places.index(1) == returns.index(1))


COUNT: list[Any] = [
    ("hex", {"size": 5}, "hex(board_size=5)", same, 4),
    ("hex", {"size": 3}, "hex(board_size=3)", same, 7),
    ("breakthrough", {}, "breakthrough", step, 3),
    ("breakthrough", {"size": 4}, "breakthrough(rows=4,columns=4)", step, 6),
    ("kalah", {}, "mancala", sow, 6),
]


@pytest.mark.parametrize(("name", "options", "other", "translate", "depth"), COUNT)
def test_as_many_sequences_of_moves_as_in_openspiel(
    name: str, options: dict[str, int], other: str, translate: Translate, depth: int
) -> None:
    """Compiled; some games end on the way."""
    theirs = pyspiel.load_game(other).new_initial_state()

    def count(state: Any, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return int(depth == 0)
        if depth == 1:
            return len(state.legal_actions())
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    game = make_game(name, **options)
    assert game.perft(game.initial(), depth) == count(theirs, depth)
