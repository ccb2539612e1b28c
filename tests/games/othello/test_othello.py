"""Othello: its rules against OpenSpiel's and written cell by cell, and its texts."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pyspiel
import pytest

from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.registry import make_game
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.text_ui import find_text_ui

GAME, SMALL = make_game("othello"), make_game("othello", size=6)


def walk(game: BoardGame, seed: int) -> Iterator[Board]:
    """Yield the positions of random games, without end."""
    choices = random.Random(seed)
    while True:
        board = game.initial()
        while moves := game.legal_moves(board):
            yield board
            board = game.play(board, choices.choice(moves))


# Rules


def test_perft() -> None:
    known = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
    assert [GAME.perft(GAME.initial(), depth) for depth in range(1, 10)] == known


def test_ten_thousand_positions_agree_with_openspiel() -> None:
    theirs, choices = pyspiel.load_game("othello"), random.Random(1)
    seen, passes, ends = 0, 0, 0
    while seen < 10_000:
        board, state = GAME.initial(), theirs.new_initial_state()
        while not state.is_terminal():
            moves = GAME.legal_moves(board)
            assert moves == state.legal_actions()
            assert GAME.to_move(board) == state.current_player()
            cells = np.array(state.observation_tensor(board.state[3])).reshape(3, 64)[1:]
            assert np.array_equal(GAME.observe(board, board.state[3]), cells)
            move = choices.choice(moves)
            passes += move == 64
            board = GAME.play(board, move)
            state.apply_action(move)
            seen += 1
        outcome = GAME.outcome(board)
        assert outcome is not None
        assert [2 * score - 1 for score in outcome.scores] == state.returns()
        ends += sum(map(int.bit_count, board.state[:2])) < 64
    assert passes > 50
    assert ends > 0


def test_the_small_board_agrees_with_rules_written_cell_by_cell() -> None:
    size = 6
    for board, _ in zip(walk(SMALL, 2), range(2_000), strict=False):
        own, other = board.state[:2]
        legal = []
        for cell in range(size * size):
            if (own | other) >> cell & 1:
                continue
            row, column = divmod(cell, size)
            for down, right in np.ndindex(3, 3):
                length, r, c = 0, row, column
                while True:
                    r, c = r + down - 1, c + right - 1
                    bit = r * size + c
                    if not (0 <= r < size and 0 <= c < size and other >> bit & 1):
                        break
                    length += 1
                if length and 0 <= r < size and 0 <= c < size and own >> bit & 1:
                    legal.append(cell)
                    break
        assert SMALL.legal_moves(board) == (legal or [36])


# Texts


def test_cells_have_letters_and_numbers() -> None:
    named = [GAME.format_move(move) for move in GAME.legal_moves(GAME.initial())]
    assert named == ["d3", "c4", "f5", "e6"]
    assert GAME.parse_move(" D3 ") == 19
    assert GAME.parse_move("pass") == 64
    for wrong in ("i1", "a9", "d", "33", "dd3", "passes", ""):
        with pytest.raises(IllegalMoveError, match="is no move, such as d3, c4 or f5"):
            GAME.parse_move(wrong)
    with pytest.raises(IllegalMoveError, match="'g1' is no move"):
        SMALL.parse_move("g1")


def test_the_board_is_drawn() -> None:
    ui = find_text_ui(SMALL)
    assert ui.draw(SMALL.parse_position("c2"), 8) == (
        "   a b c d e f\n"
        " 1 . . . . . . 1\n"
        " 2 . · X · . . 2\n"
        " 3 . . x x . . 3\n"
        " 4 . · x o . . 4\n"
        " 5 . . . . . . 5\n"
        " 6 . . . . . . 6\n"
        "   a b c d e f"
    )
    assert "\x1b[1;33mX\x1b[0m" in ui.draw(SMALL.parse_position("c2"), 8, colour=True)
