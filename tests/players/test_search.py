"""The compiled search finds what a plain search without shortcuts finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve_arena.games.connect_four.column_player import count_lines
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.search import find_moves
from evolve_arena.players.search import INFINITE, NODES, WIN, make_memory

BOARDS = [(7, 6, 4), (4, 4, 3), (5, 3, 3), (9, 6, 5), (3, 9, 4), (16, 3, 3), (6, 4, 2), (2, 6, 5)]


def count_lines_plainly(game: ConnectFour) -> np.ndarray:
    """How many lines run through each cell, shape ``(rows, columns)``, by trying all lines."""
    columns, rows, connect, _ = game.rules
    lines = np.zeros((rows, columns), dtype=np.int64)
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * down, column + k * right) for k in range(connect)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    for cell in cells:
                        lines[cell] += 1
    return lines


def value(game: ConnectFour, position: Position, depth: int, lines: np.ndarray) -> int:
    """Minimax in words of the rules alone: no bounds, no table, no running sums."""
    mover = game.to_move(position)
    outcome = game.outcome(position)
    if outcome is not None:
        return 0 if outcome.winner is None else -(WIN + depth + 1)
    if depth == 0:
        cells = position.cells()
        return int(lines[cells == 1 + mover].sum() - lines[cells == 2 - mover].sum())
    moves = game.legal_moves(position)
    return max(-value(game, game.play(position, move), depth - 1, lines) for move in moves)


def best_moves(game: ConnectFour, position: Position, depth: int) -> tuple[list[int], int]:
    """All moves of the highest value, and that value."""
    lines = count_lines_plainly(game)
    values = {
        move: -value(game, game.play(position, move), depth - 1, lines)
        for move in game.legal_moves(position)
    }
    best = max(values.values())
    return [move for move, worth in values.items() if worth == best], best


def search(
    game: ConnectFour, position: Position, depth: int, memory: np.ndarray
) -> tuple[list[int], int]:
    """The same from the compiled search."""
    own, other = position.first, position.second
    if position.ply % 2:
        own, other = other, own
    boards = np.uint64(own), np.uint64(other)
    found, worth = find_moves(game.rules, count_lines(game.rules), 0, memory, *boards, depth)
    height = game.rules.rows + 1
    return [c for c in range(game.rules.columns) if int(found) >> c * height & 2**height - 1], worth


def random_positions(game: ConnectFour, count: int, seed: int) -> list[Position]:
    """Positions of random games, of all lengths, that are not over."""
    draw = random.Random(seed)
    cells = game.rules.columns * game.rules.rows
    positions: list[Position] = []
    while len(positions) < count:
        position = game.initial()
        for _ in range(draw.randrange(cells)):
            following = game.play(position, draw.choice(game.legal_moves(position)))
            if game.outcome(following) is not None:
                break
            position = following
        positions.append(position)
    return positions


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_value_and_best_moves_are_those_of_plain_minimax(board: tuple[int, int, int]) -> None:
    """One table serves all depths and positions, and must confuse none of them."""
    game = ConnectFour(*board)
    with_table, without = make_memory(6), make_memory(0)
    wide = board[0] > 7
    for depth, count in ((1, 30), (2, 30), (3, 8 if wide else 12), (4, 1 if wide else 4)):
        for position in random_positions(game, count, depth):
            expected = best_moves(game, position, depth)
            assert search(game, position, depth, without) == expected
            assert search(game, position, depth, with_table) == expected
            assert search(game, position, depth, with_table) == expected


@pytest.mark.parametrize("board", [(4, 4, 4), (5, 4, 4)], ids=str)
def test_whole_endgames(board: tuple[int, int, int]) -> None:
    """Depths beyond the end of the game, where full boards count nothing."""
    game = ConnectFour(*board)
    memory = make_memory(8)
    late = [p for p in random_positions(game, 400, 1) if p.ply >= board[0] * board[1] - 6]
    assert len(late) > 20
    values = set()
    for position in late[:40]:
        for depth in (5, 6, 7):
            expected = best_moves(game, position, depth)
            assert search(game, position, depth, memory) == expected
            values.add(np.sign(expected[1]) * (abs(expected[1]) > WIN // 2))
    assert {0, 1} <= values


@pytest.mark.parametrize("depth", [6, 8])
def test_a_table_changes_no_result(depth: int) -> None:
    """Also a tiny one, in which everything is overwritten all the time."""
    game = ConnectFour()
    memories = [make_memory(bits) for bits in (3, 10, 14)]
    for position in random_positions(game, 60, depth):
        expected = search(game, position, depth, make_memory(0))
        for memory in memories:
            assert search(game, position, depth, memory) == expected


def test_a_deeper_search_misleads_no_shallower_one_that_follows() -> None:
    """It left bounds, from narrow windows, of the very positions that are now to be valued."""
    game = ConnectFour()
    bounded = 0
    for position in random_positions(game, 12, 2):
        memory = make_memory(14)
        search(game, position, 7, memory)
        for move in game.legal_moves(position):
            following = game.play(position, move)
            if game.outcome(following) is None:
                expected = search(game, following, 6, make_memory(0))
                before = memory[NODES]
                assert search(game, following, 6, memory) == expected
                bounded += memory[NODES] > before
    assert bounded > 40


def test_a_table_saves_work() -> None:
    game = ConnectFour()
    without, with_table = make_memory(0), make_memory(14)
    for memory in (without, with_table):
        search(game, game.initial(), 10, memory)
    assert 0 < with_table[NODES] < 0.7 * without[NODES]


def test_a_table_of_another_depth_is_not_believed() -> None:
    game = ConnectFour()
    memory = make_memory(12)
    for depth in (8, 4, 6, 3, 7, 5):
        expected = search(game, game.initial(), depth, make_memory(0))
        assert search(game, game.initial(), depth, memory) == expected


def test_sooner_wins_and_later_losses_are_worth_more() -> None:
    game = ConnectFour()
    memory = make_memory(0)
    assert search(game, game.parse_position("030303"), 1, memory) == ([0], WIN + 1)
    assert search(game, game.parse_position("030303"), 4, memory) == ([0], WIN + 4)
    # x has 2, 3 and 4 in the bottom row: o is lost, wherever it plays.
    lost = game.parse_position("22334")
    columns, worth = search(game, lost, 2, memory)
    assert columns == list(range(7))
    assert worth == -(WIN + 1)
    assert abs(worth) < INFINITE


def test_lines_through_each_cell_by_counting_all_lines() -> None:
    for board in BOARDS:
        game = ConnectFour(*board)
        columns, rows, _ = board
        lines = count_lines(game.rules).reshape(columns, rows + 1)
        assert lines[:, rows].tolist() == [0] * columns
        assert lines[:, :rows].T[::-1].tolist() == count_lines_plainly(game).tolist()


def test_values_up_to_a_win_fit_into_an_entry_of_the_table() -> None:
    """Beside 18 bits for bound, move and depth, and without a sign."""
    assert WIN == 2**40
    assert (2 * INFINITE + 1) << 18 < 2**63
    memory = make_memory(4)
    game = ConnectFour()
    won = game.parse_position("2233")
    for depth in (6, 7, 8):
        assert search(game, won, depth, memory)[1] == WIN + depth - 2
        assert search(game, won, depth, memory)[1] == WIN + depth - 2
