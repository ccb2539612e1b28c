"""Connect Four: its rules against OpenSpiel's, its texts, positions and players."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, BadValueError, IllegalMoveError
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board import self_check
from evolve_arena.players.board.accelerator_check import compare_accelerators
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import duel
from evolve_arena.runs.positions import find_own_positions, read_positions, solve_positions

BOARDS = [
    (7, 6, 4),
    *[(8, 8, 4), (9, 7, 5), (7, 9, 3), (16, 4, 4), (32, 2, 2)],  # columns without a spare bit
    *[(4, 3, 3), (5, 4, 2), (6, 5, 6), (8, 7, 5), (32, 1, 6), (1, 32, 5)],
    *[(2, 31, 4), (3, 20, 5), (4, 15, 6)],  # lines in columns alone
]


@cache
def make(columns: int = 7, rows: int = 6, connect: int = 4) -> BoardGame:
    return make_game("connect-four", columns=columns, rows=rows, connect=connect)


GAME = make()


def walk(board: tuple[int, int, int], seed: int) -> Iterator[tuple[Board, list[str], str]]:
    """Yield the positions of a random game, OpenSpiel's drawings in rows, and the moves so far."""
    names = dict(zip(("columns", "rows", "x_in_row"), board, strict=True))
    state = pyspiel.load_game("connect_four", names).new_initial_state()
    choices = random.Random(seed)
    game, made = make(*board), ""
    position = game.initial()
    while True:
        yield position, str(state).split("\n")[: board[1]], made
        if state.is_terminal():
            return
        move = choices.choice(state.legal_actions())
        state.apply_action(move)
        position, made = game.play(position, move), made + game.format_move(move)


@cache
def all_lines(columns: int, rows: int, connect: int) -> list[list[tuple[int, int]]]:
    """Return the cells of every possible line."""
    lines = []
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for column in range(columns):
            for row in range(rows):
                cells = [(column + k * right, row + k * up) for k in range(connect)]
                if all(0 <= x < columns and 0 <= y < rows for x, y in cells):
                    lines.append(cells)
    return lines


def to_bits(game: BoardGame, cells: Iterable[tuple[int, int]]) -> np.uint64:
    height = game.plain["HEIGHT"]
    return np.uint64(sum(1 << height * column + row for column, row in cells))


def list_cells(drawn: list[str], mark: str) -> list[tuple[int, int]]:
    """Return columns and rows, from below, of the cells with the *mark*."""
    return [(x, y) for y, row in enumerate(drawn[::-1]) for x in range(len(row)) if row[x] == mark]


# Rules


def test_perft_of_the_start() -> None:
    known = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
    assert [GAME.perft(GAME.initial(), depth) for depth in range(9)] == known


@pytest.mark.parametrize("board", BOARDS)
def test_every_line_is_found_and_nothing_shorter_or_over_an_edge(
    board: tuple[int, int, int],
) -> None:
    game = make(*board)
    has_line, choices, lines = game.plain["has_line"], random.Random(3), all_lines(*board)
    for line in lines:
        assert has_line(to_bits(game, line))
        assert not any(has_line(to_bits(game, set(line) - {cell})) for cell in line)
    cells = [(column, row) for column in range(board[0]) for row in range(board[1])]
    for _ in range(20):  # as many discs as fit without a line
        choices.shuffle(cells)
        discs: set[tuple[int, int]] = set()
        for cell in cells:
            if not any({*line} <= discs | {cell} for line in lines if cell in line):
                discs.add(cell)
        assert not has_line(to_bits(game, discs))


def test_lines_through_each_cell_are_those_of_table_3_1() -> None:
    lines = GAME.plain["LINES"].reshape(7, 7)[:, :6].T
    assert lines.tolist() == [
        [3, 4, 5, 7, 5, 4, 3],
        [4, 6, 8, 10, 8, 6, 4],
        [5, 8, 11, 13, 11, 8, 5],
        [5, 8, 11, 13, 11, 8, 5],
        [4, 6, 8, 10, 8, 6, 4],
        [3, 4, 5, 7, 5, 4, 3],
    ]
    assert lines.sum() == 69 * 4


@pytest.mark.parametrize("board", BOARDS)
def test_what_is_said_faster_is_what_the_rules_say(board: tuple[int, int, int]) -> None:
    """In Python, then compiled: wins, safe, changes, gain, key, legal_bits, and the value."""
    game, lines = make(*board), all_lines(*board)
    assert compare_accelerators(game, 40, 60.0) > 40
    for position, drawn, _ in walk(board, 7):
        discs = [set(list_cells(drawn, mark)) for mark in "xo"]
        values = [sum(len(discs[seat].intersection(line)) for line in lines) for seat in (0, 1)]
        for seat in range(2):
            value = game.plain["evaluate"](game.to_native(position), seat)
            assert value == values[seat] - values[1 - seat]
    self_check._compare_looks(game)


@pytest.mark.parametrize("board", [(7, 6, 4), (8, 8, 4), (9, 7, 5), (5, 4, 2)])
def test_features_count_what_can_be_completed(board: tuple[int, int, int]) -> None:
    game, lines = make(*board), all_lines(*board)
    some = Counter[bool]()
    for seed in range(4):
        for position, drawn, _ in walk(board, seed):
            discs = [set(list_cells(drawn, mark)) for mark in "xo"]
            empty = set(list_cells(drawn, "."))
            free = {min(cell for cell in empty if cell[0] == x) for x in {x for x, _ in empty}}
            expected = []
            for seat in (0, 1):
                missing = [set(line) - discs[seat] for line in lines]
                open_lines = [cells for cells in missing if cells <= empty]
                wins = {cell for cells in open_lines if len(cells) == 1 for cell in cells}
                gaps = wins - free
                through = sum(len(discs[seat].intersection(line)) for line in lines)
                expected.append(
                    [
                        len(wins & free),
                        sum(row % 2 == seat for _, row in gaps),
                        sum(row % 2 != seat for _, row in gaps),
                        sum((column, row + 1) in wins for column, row in wins),
                        sum(len(cells) == 2 for cells in open_lines) / 10,
                        through / 100,
                    ]
                )
            for seat in (0, 1):
                numbers = game.count("features", position, seat).reshape(-1, 2).T
                np.testing.assert_allclose(numbers, expected if seat == 0 else expected[::-1])
            some[bool(expected[0][1] or expected[1][2] or expected[0][3])] += 1
    assert some[True] > 5 or board[2] == 2


def test_random_games_last_as_long_and_are_won_as_often_as_is_known() -> None:
    """55.6 % for the first player, 0.25 % draws."""
    result = duel("random", "random", game="connect-four", games=200_000, seed=1)
    assert abs(result.score - 0.5) < 0.004
    assert 0.0018 < result.draws / result.games < 0.0032


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ((0, 6, 4), "columns is 0: it must be from 1 to 32"),
        ((2, 33, 4), "rows is 33: it must be from 1 to 32"),
        ((9, 8, 4), "9 columns of 8 rows: columns * rows must be 64 at most"),
        ((7, 6, 1), "connect is 1: it must be from 2 to 32"),
        ((7, 6, 8), "connect is 8: no line fits on 7 columns of 6 rows"),
        ((1, 1, 2), "connect is 2: no line fits on 1 columns of 1 rows"),
    ],
)
def test_boards_that_cannot_be_are_refused(board: tuple[int, int, int], said: str) -> None:
    with pytest.raises(BadValueError) as caught:
        make(*board)
    assert str(caught.value) == said


# Texts


@given(st.sampled_from(BOARDS), st.integers(0, 99), st.sampled_from(["", "\n", " / ", "|"]))
@settings(max_examples=25)
def test_positions_are_read_as_drawings_and_as_columns(
    board: tuple[int, int, int], seed: int, separator: str
) -> None:
    game = make(*board)
    for position, drawn, made in walk(board, seed):
        drawing = separator.join(drawn)
        for text in (drawing, drawing.upper().replace(".", "_"), made, " ".join(made)):
            assert game.parse_position(text).state == position.state
        bits = [int(to_bits(game, list_cells(drawn, mark))) for mark in "xo"]
        turn = position.plies % 2
        assert position.state == (bits[turn], bits[1 - turn], position.plies)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0000000", "move 7: 0 can't be played here, but 1, 2 or 3 can"),
        ("338", "move 3: '8' is no move, such as 0, 1 or 2"),
        ("01010101", "move 8: the game is over"),
        ("x.", "a drawing has 42 cells, which are x, o or ."),
        ("." * 35 + "x" + "." * 5 + "q", "a drawing has 42 cells, which are x, o or ."),
        ("." * 35 + "x.x....", "2 discs of x and 0 of o: x begins, in turn"),
        ("." * 35 + "o......", "0 discs of x and 1 of o: x begins, in turn"),
        ("." * 28 + "x" + "." * 13, "a disc floats above an empty cell"),
        ("." * 28 + "xxxx...oooo...", "x is to move, but has a line already"),
        ("." * 28 + "....xx.ooooxxx", "o is to move, but has a line already"),
    ],
)
def test_positions_that_cannot_be_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ArenaError) as caught:
        GAME.parse_position(text)
    assert str(caught.value).endswith(reason)


def test_columns_have_numbers_then_letters() -> None:
    wide = make(32, 2, 4)
    names = [wide.format_move(move) for move in range(32)]
    assert "".join(names) == "0123456789abcdefghijklmnpqrstuvwyz"[:32]
    assert [wide.parse_move(f" {name.upper()} ") for name in names] == list(range(32))
    assert [GAME.name_cell(cell) for cell in (0, 5, 7, 47)] == ["01", "06", "11", "66"]
    for text in ("7", "-1", "x", "", "3.0", "²", "33"):
        with pytest.raises(IllegalMoveError, match="is no move, such as 0, 1 or 2"):
            GAME.parse_move(text)


def test_networks_see_the_top_row_first() -> None:
    game = make(4, 3, 3)
    board = game.parse_position("112")
    own, other = (bits[game.drawn].reshape(3, 4).tolist() for bits in game.observe(board, 0))
    assert own == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]
    assert other == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert (game.observe(board, 1) == game.observe(board, 0)[::-1]).all()


# The concept states

PATH = find_own_positions(GAME)["concept states"]
ROWS = list(csv.DictReader(PATH.read_text("utf-8").splitlines()))
FILE = read_positions(GAME, PATH)
STATES = FILE.problems


def winning(state: tuple[int, ...], seat: int) -> list[int]:
    """Return the columns in which *seat* completes a line, were it to move."""
    own, other, discs = state
    board = Board(GAME.rules, (own, other, discs) if seat == 0 else (other, own, discs))
    after = [GAME.follow(board, "play", move) for move in range(7)]
    return [move for move in GAME.legal_moves(board) if GAME.adjudicate(after[move]) != 2]


def test_every_concept_state_has_one_disc_that_wins_or_keeps_from_winning() -> None:
    assert len({problem.position for problem in STATES}) == 60
    for problem in STATES:
        attack = "A (attack)" in problem.groups.values()
        assert GAME.to_move(problem.position) == 0
        assert winning(problem.position.state, 1 - attack) == list(problem.scores)
        assert not attack or winning(problem.position.state, 1) == []
    sizes = Counter("".join(name[0] for name in each.groups.values()) for each in STATES)
    assert sizes == dict.fromkeys(["AR", "AD", "AK", "FR", "FD", "FK"], 10)


def test_a_defence_is_an_attack_with_the_colours_exchanged() -> None:
    assert [row["id"] for row in ROWS] == [f"TS{number}" for number in range(1, 61)]
    for attack, defence in zip(ROWS[:30], ROWS[30:], strict=True):
        assert attack["board"].translate(str.maketrans("xo", "ox")) == defence["board"]
        assert attack["answer"] == defence["answer"]


def test_the_disc_that_wins_completes_lines_of_one_kind() -> None:
    kinds = {(0, 1): "K (column)", (1, 0): "R (row)"}
    kinds |= dict.fromkeys(((1, 1), (1, -1)), "D (diagonal)")
    for row, problem in zip(ROWS[:30], STATES, strict=False):
        discs = {(at % 7, 5 - at // 7) for at, mark in enumerate(row["board"]) if mark == "x"}
        cell = int(row["answer"]), int(row["landing_row_from_bottom"])
        found = {
            kinds[b[0] - a[0], b[1] - a[1]]
            for a, b, *rest in all_lines(7, 6, 4)
            if cell in (a, b, *rest) and {a, b, *rest} <= discs | {cell}
        }
        assert {"A (attack)"} | found == set(problem.groups.values())


@pytest.mark.parametrize(("depth", "defences"), [(1, 0.18), (2, 1.0), (3, 1.0), (4, 1.0)])
def test_a_search_of_one_ply_attacks_and_of_two_defends(depth: int, defences: float) -> None:
    player = make_player(f"minimax:depth={depth}", GAME)
    solved = solve_positions(player, GAME, FILE)["solved"]["by_group"]
    assert solved["A (attack)"]["share"] == 1.0
    assert solved["F (defence)"]["share"] == pytest.approx(defences, abs=0.05 * (depth == 1))


def test_chance_alone_solves_one_state_in_six() -> None:
    expected = np.mean([1 / len(GAME.legal_moves(problem.position)) for problem in STATES])
    solved = solve_positions(make_random(GAME), GAME, FILE, times=100)
    assert solved["solved"]["overall"] == pytest.approx(expected, abs=0.015)


# Players


def list_stacks(drawn: list[str], mark: str, connect: int) -> list[int]:
    """Return the columns in which one disc more makes a line upwards."""
    columns = ["".join(cells).rstrip(".") for cells in zip(*drawn[::-1], strict=True)]
    ends = mark * (connect - 1)
    return [
        x for x, discs in enumerate(columns) if discs.endswith(ends) and len(discs) < len(drawn)
    ]


@pytest.mark.parametrize("board", [(7, 6, 4), (8, 8, 4), (5, 6, 3), (5, 4, 2), (3, 20, 5)])
def test_the_test_bot_completes_or_blocks_a_stack_or_plays_at_random(
    board: tuple[int, int, int],
) -> None:
    game = make(*board)
    bot, rng = make_player("test-bot", game), new_stream(1)
    taken = Counter[str]()
    for seed in range(40):
        for position, drawn, _ in walk(board, seed):
            if game.is_over(position):
                continue
            seat = position.plies % 2
            own, other = (list_stacks(drawn, mark, board[2]) for mark in "xoxo"[seat : seat + 2])
            chosen = bot.choose(position, rng)
            assert chosen == (own or other or [chosen])[0]
            assert chosen in game.legal_moves(position)
            taken["own" if own else "other" if other else "any"] += 1
    assert min(taken[kind] for kind in ("own", "other", "any")) > 5
    begun = {bot.choose(game.initial(), rng) for _ in range(200)}
    assert begun == set(range(board[0]))


@pytest.mark.parametrize("name", ["random", "test-bot"])
@pytest.mark.parametrize("moves", ["", "000000666666"])
def test_chance_is_fair(name: str, moves: str) -> None:
    """Chi-square over the open columns; five standard deviations are far."""
    player = make_player(name, GAME)
    position = GAME.parse_position(moves)
    open_columns = GAME.legal_moves(position)
    rng = new_stream(3)
    draws = 7_000
    counts = np.bincount([player.choose(position, rng) for _ in range(draws)], minlength=7)
    assert np.flatnonzero(counts).tolist() == open_columns
    expected = draws / len(open_columns)
    chi_square = float(np.sum((counts[open_columns] - expected) ** 2 / expected))
    freedom = len(open_columns) - 1
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)


def test_minimax_draws_among_equal_moves_and_as_many_random_ones_as_it_is_told() -> None:
    rng = new_stream(3)
    for name, moves, expected in (
        ("minimax:depth=1", "333333", [0, 0, 1 / 2, 0, 1 / 2, 0, 0]),
        ("minimax:depth=2", "22334", [1 / 7] * 7),  # lost
        ("minimax:depth=3,noise=0.2", "", [0.2 / 7] * 3 + [0.8 + 0.2 / 7] + [0.2 / 7] * 3),
    ):
        player, position = make_player(name, GAME), GAME.parse_position(moves)
        counts = np.bincount([player.choose(position, rng) for _ in range(5_000)], minlength=7)
        shares = np.array(expected)
        errors = np.sqrt(shares * (1 - shares) / 5_000)
        assert np.all(abs(counts / 5_000 - shares) <= 5 * errors)
    before = int(rng[0])
    assert make_player("minimax:depth=3", GAME).choose(GAME.initial(), rng) == 3
    assert int(rng[0]) == before  # a single best move draws nothing


PUBLISHED = {
    **{(1, 0): 0.89, (3, 0): 0.97, (4, 0): 0.98},
    **{(1, 2): 0.42, (1, 3): 0.21, (1, 4): 0.16},
    **{(2, 2): 0.48, (2, 3): 0.37, (2, 4): 0.24},
    **{(3, 1): 0.77, (3, 2): 0.62, (3, 4): 0.37},
    **{(4, 1): 0.86, (4, 2): 0.77, (4, 3): 0.66},
}
"""Table 5.1 of Löfroth and Dalenius (2011): points of MM1 to MM4 against each other and, as
number 0, the random player; the cells that are off by more stand in docs."""


@pytest.mark.parametrize(("first", "second"), PUBLISHED)
def test_the_ladder_is_as_strong_as_published(first: int, second: int) -> None:
    """Three and a half standard errors."""
    names = [f"minimax:depth={depth},noise=0.2" if depth else "random" for depth in (first, second)]
    result = duel(*names, game="connect-four", games=10_000, seed=1)
    error = np.sqrt(result.score * (1 - result.score) * (1 / result.games + 1 / 1000))
    assert abs(result.score - PUBLISHED[first, second]) < 3.5 * error
