"""The rules of Connect Four: counted, compared with OpenSpiel, and checked by properties."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.core.errors import BadValueError, GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Outcome
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    column_of,
    has_line,
    landing_cells,
    stack_tops,
    winning_cells,
)
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.workspace import SEAT_FIELDS
from evolve_arena.players.packed import simple_player

GAME = ConnectFour()
LARGE_BOARDS = [
    (8, 7, 4),
    (9, 6, 4),
    (9, 6, 5),
    (16, 3, 4),
    (32, 1, 4),
    (32, 1, 6),
    (1, 63, 4),
    (1, 63, 6),
    (2, 31, 4),
    (3, 20, 5),
    (4, 15, 6),
    (10, 5, 3),
    (12, 4, 2),
    (21, 2, 3),
]


@st.composite
def boards(draw: st.DrawFn) -> ConnectFour:
    columns = draw(st.integers(1, 32))
    rows = draw(st.integers(1 if columns > 1 else 2, min(64 // columns - 1, 63)))
    if max(columns, rows) < 2:
        rows = 2
    connect = draw(st.integers(2, min(6, max(columns, rows))))
    return ConnectFour(columns, rows, connect)


@st.composite
def games_with_moves(draw: st.DrawFn) -> tuple[ConnectFour, list[int]]:
    """A board and the moves of a game on it, played to the end or cut short."""
    game = draw(boards())
    choices = random.Random(draw(st.integers(0, 2**32)))
    plies = draw(st.integers(0, 64))
    position = game.initial()
    moves: list[int] = []
    while len(moves) < plies and (legal := game.legal_moves(position)):
        moves.append(choices.choice(legal))
        position = game.play(position, moves[-1])
    return game, moves


def play_all(game: ConnectFour, moves: list[int]) -> Position:
    position = game.initial()
    for move in moves:
        position = game.play(position, move)
    return position


class SlowBoard:
    """The rules once more, as lists of columns, without a bit in sight."""

    def __init__(self, columns: int, rows: int, connect: int) -> None:
        self.columns: list[list[int]] = [[] for _ in range(columns)]
        self.rows = rows
        self.connect = connect

    def count(self, depth: int, mover: int = 0) -> int:
        """Move sequences of *depth* plies."""
        if depth == 0:
            return 1
        total = 0
        for number, column in enumerate(self.columns):
            if len(column) == self.rows:
                continue
            column.append(mover)
            if depth == 1:
                total += 1
            elif not self.wins(number):
                total += self.count(depth - 1, 1 - mover)
            column.pop()
        return total

    def wins(self, number: int) -> bool:
        """Whether the topmost disc of column *number* is part of a line."""
        height = len(self.columns[number]) - 1
        mover = self.columns[number][height]
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                column, row = number + sign * right, height + sign * up
                while self.has(column, row, mover):
                    length += 1
                    column, row = column + sign * right, row + sign * up
            if length >= self.connect:
                return True
        return False

    def has(self, column: int, row: int, mover: int) -> bool:
        """Whether *mover* has a disc there."""
        if not (0 <= column < len(self.columns) and 0 <= row < len(self.columns[column])):
            return False
        return self.columns[column][row] == mover


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate([1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234])),
)
def test_perft_of_the_empty_board(depth: int, count: int) -> None:
    assert GAME.perft(GAME.initial(), depth) == count


@pytest.mark.parametrize(
    ("columns", "rows", "connect", "depth"),
    [
        (7, 6, 4, 5),
        (4, 4, 3, 7),
        (5, 4, 4, 7),
        (3, 3, 3, 9),
        (3, 3, 2, 9),
        (8, 7, 5, 4),
        (6, 2, 3, 6),
        (9, 1, 3, 5),
        (2, 5, 5, 10),
        (1, 8, 3, 8),
        (2, 31, 4, 9),
        (1, 63, 4, 9),
    ],
)
def test_perft_of_other_boards(columns: int, rows: int, connect: int, depth: int) -> None:
    game = ConnectFour(columns, rows, connect)
    for plies in range(depth + 1):
        expected = SlowBoard(columns, rows, connect).count(plies)
        assert game.perft(game.initial(), plies) == expected


@pytest.mark.parametrize("moves", ["3333334", "32233344566", "001122446655"])
def test_perft_from_the_middle_of_a_game(moves: str) -> None:
    slow = SlowBoard(7, 6, 4)
    for ply, move in enumerate(moves):
        slow.columns[int(move)].append(ply % 2)
    position = GAME.parse_position(moves)
    assert GAME.outcome(position) is None
    for depth in range(6):
        assert GAME.perft(position, depth) == slow.count(depth, len(moves) % 2)


def test_perft_counts_nothing_after_the_end() -> None:
    won = GAME.parse_position("0101010")
    assert [GAME.perft(won, depth) for depth in range(3)] == [1, 0, 0]


def test_ten_thousand_positions_agree_with_openspiel() -> None:
    theirs = pyspiel.load_game("connect_four")
    choices = random.Random(1)
    seen: set[Position] = set()
    endings = 0
    while len(seen) < 10_000:
        position, state = GAME.initial(), theirs.new_initial_state()
        while True:
            seen.add(position)
            assert GAME.legal_moves(position) == state.legal_actions()
            outcome = GAME.outcome(position)
            assert (outcome is not None) == state.is_terminal()
            if outcome is not None:
                endings += 1
                assert [2 * score - 1 for score in outcome.scores] == state.returns()
                break
            assert GAME.to_move(position) == state.current_player()
            move = choices.choice(state.legal_actions())
            position = GAME.play(position, move)
            state.apply_action(move)
    assert endings > 400


def test_full_boards_agree_with_openspiel() -> None:
    """Random games hardly ever fill the board, so look for those that do."""
    theirs = pyspiel.load_game("connect_four")
    choices = random.Random(2)
    full = 0
    while full < 5:
        state = theirs.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choices.choice(state.legal_actions()))
        if state.move_number() < 42:
            continue
        full += 1
        position = play_all(GAME, state.history())
        outcome = GAME.outcome(position)
        assert outcome is not None
        assert [2 * score - 1 for score in outcome.scores] == state.returns()


@given(boards(), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
@settings(max_examples=500, deadline=None)
def test_lines_agree_with_a_naive_finder(game: ConnectFour, some: int, more: int) -> None:
    columns, rows, *_ = game.rules
    on_board = sum(
        1 << (column * (rows + 1) + row) for column in range(columns) for row in range(rows)
    )
    for discs in (some & on_board, (some | more) & on_board, (some & more) & on_board):
        assert has_line(np.uint64(discs), game.rules) == find_line(discs, game.rules)


@pytest.mark.parametrize(("columns", "rows", "connect"), LARGE_BOARDS)
def test_every_line_is_found_and_nothing_shorter(columns: int, rows: int, connect: int) -> None:
    rules = ConnectFour(columns, rows, connect).rules
    for line in all_lines(rules):
        discs = sum(1 << bit for bit in line)
        assert has_line(np.uint64(discs), rules)
        for bit in line:
            assert not has_line(np.uint64(discs ^ 1 << bit), rules)


def test_the_usual_board_has_69_lines() -> None:
    assert len(all_lines(GAME.rules)) == 69


@pytest.mark.parametrize(("columns", "rows", "connect"), LARGE_BOARDS)
def test_no_line_runs_over_an_edge(columns: int, rows: int, connect: int) -> None:
    """Boards with as many discs as fit without a line: none may be found in them."""
    rules = ConnectFour(columns, rows, connect).rules
    lines = [sum(1 << bit for bit in line) for line in all_lines(rules)]
    choices = random.Random(3)
    on_board = [column * (rows + 1) + row for column in range(columns) for row in range(rows)]
    for _ in range(20):
        choices.shuffle(on_board)
        discs = 0
        for bit in on_board:
            more = discs | 1 << bit
            if not any(more & line == line for line in lines):
                discs = more
        assert not has_line(np.uint64(discs), rules)


def all_lines(rules: Rules) -> list[list[int]]:
    """The bits of every possible line."""
    columns, rows, connect, _ = rules
    lines = []
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for column in range(columns):
            for row in range(rows):
                cells = [(column + k * right, row + k * up) for k in range(connect)]
                if all(0 <= x < columns and 0 <= y < rows for x, y in cells):
                    lines.append([x * (rows + 1) + y for x, y in cells])
    return lines


def find_line(discs: int, rules: Rules) -> bool:
    return any(all(discs >> bit & 1 for bit in line) for line in all_lines(rules))


@given(games_with_moves())
@settings(max_examples=150, deadline=None)
def test_play_follows_the_rules_on_any_board(played: tuple[ConnectFour, list[int]]) -> None:
    game, moves = played
    columns, rows, connect, _ = game.rules
    slow = SlowBoard(columns, rows, connect)
    position = game.initial()
    for ply, move in enumerate(moves):
        assert game.outcome(position) is None
        assert game.to_move(position) == ply % 2
        open_columns = [c for c in range(columns) if len(slow.columns[c]) < rows]
        assert game.legal_moves(position) == open_columns
        position = game.play(position, move)
        slow.columns[move].append(ply % 2)
        assert position.ply == ply + 1
    expected = np.zeros((rows, columns), dtype=int)
    for column, discs in enumerate(slow.columns):
        for row, mover in enumerate(discs):
            expected[rows - 1 - row, column] = mover + 1
    assert position.cells().tolist() == expected.tolist()
    last = len(moves) - 1
    if moves and slow.wins(moves[-1]):
        places = (1, 2) if last % 2 == 0 else (2, 1)
        assert game.outcome(position) == Outcome(places, f"{connect} in a row")
    elif len(moves) == columns * rows:
        assert game.outcome(position) == Outcome((1, 1), "the board is full")
    else:
        assert game.outcome(position) is None
        return
    assert game.legal_moves(position) == []
    with pytest.raises(GameOverError, match="after the end of the game"):
        game.play(position, moves[-1])


@pytest.mark.parametrize(("columns", "rows", "connect"), LARGE_BOARDS)
def test_discs_fill_every_cell_of_a_large_board(columns: int, rows: int, connect: int) -> None:
    game = ConnectFour(columns, rows, connect)
    for column in range(columns):
        position = game.initial()
        for row in range(rows):
            discs = position.first | position.second
            position = game.play(position, column)
            gained = (position.first | position.second) ^ discs
            assert gained == 1 << (column * (rows + 1) + row)


def test_a_line_with_the_42nd_disc_counts() -> None:
    position = GAME.parse_position("52351124625333526301160613465140052064420")
    assert position.ply == 41
    assert GAME.to_move(position) == 1
    assert GAME.outcome(position) is None
    assert GAME.outcome(GAME.play(position, 4)) == Outcome((2, 1), "4 in a row")


@given(games_with_moves())
@settings(max_examples=100, deadline=None)
def test_states_are_values(played: tuple[ConnectFour, list[int]]) -> None:
    game, moves = played
    position = play_all(game, moves)
    before = position.first, position.second
    for move in game.legal_moves(position):
        game.play(position, move)
    assert (position.first, position.second) == before
    assert position == play_all(game, moves)
    assert hash(position) == hash(play_all(game, moves))


@given(games_with_moves())
@settings(max_examples=100, deadline=None)
def test_mirroring_commutes_with_play(played: tuple[ConnectFour, list[int]]) -> None:
    game, moves = played
    position = play_all(game, moves)
    mirrored = play_all(game, [game.rules.columns - 1 - move for move in moves])
    assert position.mirror() == mirrored
    assert position.mirror().mirror() == position
    assert position.mirror().cells().tolist() == position.cells()[:, ::-1].tolist()
    assert game.outcome(position.mirror()) == game.outcome(position)


@given(games_with_moves())
@settings(max_examples=100, deadline=None)
def test_swapping_colours(played: tuple[ConnectFour, list[int]]) -> None:
    game, moves = played
    position = play_all(game, moves)
    swapped = position.swap_colours()
    assert swapped.swap_colours() == position
    assert swapped.cells().tolist() == np.array([0, 2, 1])[position.cells()].tolist()


def test_observe_shows_own_discs_and_then_the_others() -> None:
    game = ConnectFour(4, 3, 3)
    position = game.parse_position("112")
    own = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]
    other = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert game.observe(position, 0).tolist() == [own, other]
    assert game.observe(position, 1).tolist() == [other, own]
    assert game.observe(position, 0).dtype == np.int8


@given(games_with_moves(), st.integers(0, 1))
@settings(max_examples=50, deadline=None)
def test_observe_matches_the_cells(played: tuple[ConnectFour, list[int]], seat: int) -> None:
    game, moves = played
    position = play_all(game, moves)
    planes = game.observe(position, seat)
    assert planes.shape == (2, game.rules.rows, game.rules.columns)
    values = planes[0] * (1 + seat) + planes[1] * (2 - seat)
    assert values.tolist() == position.cells().tolist()


@given(games_with_moves(), st.sampled_from(["", " ", "\n", "/", " / ", "  \n"]))
@settings(max_examples=150, deadline=None)
def test_a_drawing_reads_back(played: tuple[ConnectFour, list[int]], separator: str) -> None:
    game, moves = played
    position = play_all(game, moves)
    drawing = position.drawing()
    columns = game.rules.columns
    lines = [drawing[at : at + columns] for at in range(0, len(drawing), columns)]
    text = separator.join(lines)
    assert game.parse_position(text) == position
    assert game.parse_position(text.upper().replace(".", "_")) == position


@given(games_with_moves())
@settings(max_examples=100, deadline=None)
def test_moves_read_back(played: tuple[ConnectFour, list[int]]) -> None:
    game, moves = played
    text = "".join(game.format_move(move) for move in moves)
    assert len(text) == len(moves)
    assert game.parse_position(text) == play_all(game, moves)
    assert [game.parse_move(character.upper()) for character in text] == moves


def test_a_position_prints_itself() -> None:
    assert str(ConnectFour(4, 3, 3).parse_position("112")) == (". . . .\n. o . .\n. x x .\n0 1 2 3")


def test_wide_boards_have_letters_and_take_numbers() -> None:
    game = ConnectFour(32, 1, 4)
    assert game.format_move(31) == "w"
    assert game.parse_move(" W ") == 31
    assert game.parse_move("31") == 31
    assert game.parse_move("a") == 10


@pytest.mark.parametrize("text", ["7", "-1", "x", "", "  ", "3.0", "42", "²", "٣", "33333"])
def test_what_is_no_column_is_named(text: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        GAME.parse_move(text)
    assert str(caught.value) == (f"{text.strip()!r} names no column: they are numbered 0 to 6")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0000000", "move 7 of '0000000': column 0 is full"),
        ("338", "move 3 of '338': '8' names no column"),
        ("01010101", "move 8 of '01010101': column 1 is played after the end of the game"),
        ("x.", "a drawing needs 42 cells, this has 2"),
        ("." * 35 + "x" + "." * 5 + "q", "'q' in a drawing: cells are x, o or ."),
        ("." * 35 + "x.x....", "2 discs of x and 0 of o"),
        ("." * 35 + "o......", "0 discs of x and 1 of o"),
        ("." * 28 + "x" + "." * 13, "a disc floats above an empty cell"),
        ("." * 28 + "xxxx..." + "oooo...", "both players have a line"),
    ],
)
def test_what_is_no_position_is_explained(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.parse_position(text)
    assert str(caught.value).startswith(message)


@given(st.text(alphabet="xo._-XO0123456/ \nqé", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_position_or_an_error(text: str) -> None:
    try:
        position = GAME.parse_position(text)
    except PositionError:
        return
    assert GAME.parse_position(position.drawing()) == position


def test_illegal_moves_are_named() -> None:
    full = GAME.parse_position("333333")
    with pytest.raises(IllegalMoveError, match=r"^column 3 is full$"):
        GAME.play(full, 3)
    for move in (7, -1, 64):
        with pytest.raises(IllegalMoveError, match=rf"^there is no column {move}: they are"):
            GAME.play(full, move)


def test_a_move_after_the_end_is_a_kind_of_illegal_move() -> None:
    won = GAME.parse_position("0101010")
    with pytest.raises(GameOverError, match="column 5 is played after the end"):
        GAME.play(won, 5)
    assert issubclass(GameOverError, IllegalMoveError)


@pytest.mark.parametrize(
    ("columns", "rows"), [(0, 6), (7, 0), (8, 9), (-1, 6), (33, 2), (2, 64), (9, 8), (13, 5)]
)
def test_boards_that_do_not_fit_are_refused(columns: int, rows: int) -> None:
    with pytest.raises(BadValueError, match=f"{columns} columns and {rows} rows"):
        ConnectFour(columns, rows, 4)


@pytest.mark.parametrize(
    ("columns", "rows", "connect"), [(7, 6, 1), (7, 6, 8), (7, 6, 0), (1, 1, 2), (4, 3, 5)]
)
def test_lines_that_cannot_be_are_refused(columns: int, rows: int, connect: int) -> None:
    with pytest.raises(BadValueError, match=f"connect is {connect}: on a board of {columns}"):
        ConnectFour(columns, rows, connect)


def test_a_million_random_games() -> None:
    """Known shares of random play: 55.6 % for the first player, 0.25 % draws, 21.3 plies."""
    count = 1_000_000
    batch = make_batch(
        GAME,
        simple_player(SEAT_FIELDS),
        np.zeros((count, 2), dtype=np.int32),
        derive_seeds(1, 0, "matches", count),
    )
    results = run_kernel(batch)
    assert 0.554 < np.mean(results.outcomes == 1) < 0.558
    assert 0.440 < np.mean(results.outcomes == -1) < 0.444
    assert 0.0020 < np.mean(results.outcomes == 0) < 0.0032
    assert abs(np.mean(results.plies) - 21.3) < 0.05
    assert results.plies.min() == 7
    assert results.plies.max() == 42
    assert np.all(results.plies[results.outcomes == 0] == 42)


# --- sets of cells, as players use them ----------------------------------------------------


@given(games_with_moves())
@settings(max_examples=200, deadline=None)
def test_sets_of_cells_agree_with_trying_every_move(
    played: tuple[ConnectFour, list[int]],
) -> None:
    game, moves = played
    position = play_all(game, moves)
    rules = game.rules
    both = position.first | position.second
    free = int(landing_cells(np.uint64(both), rules))
    expected = 0
    for column in range(rules.columns):
        height = sum(move == column for move in moves)
        if height < rules.rows:
            expected |= 1 << (column * (rules.rows + 1) + height)
    assert free == expected
    for discs in (position.first, position.second):
        wins = int(winning_cells(np.uint64(discs), rules))
        tops = int(stack_tops(np.uint64(discs), rules))
        already = has_line(np.uint64(discs), rules)
        for column in range(rules.columns):
            bits = free >> (column * (rules.rows + 1)) << (column * (rules.rows + 1))
            bit = bits & -bits & ((1 << ((column + 1) * (rules.rows + 1))) - 1)
            if bit:
                assert int(column_of(np.uint64(bit), rules)) == column
                if not already:
                    assert bool(wins & bit) == bool(has_line(np.uint64(discs | bit), rules))
                below = sum(bit >> place for place in range(1, rules.connect))
                stack = below & both == below and below & discs == below
                enough = move_height(bit, rules) >= rules.connect - 1
                assert bool(tops & bit) == (stack and enough)


def move_height(bit: int, rules: Rules) -> int:
    """The row of a cell."""
    return (bit.bit_length() - 1) % (rules.rows + 1)


@pytest.mark.parametrize(("columns", "rows", "connect"), LARGE_BOARDS)
def test_winning_cells_complete_lines(columns: int, rows: int, connect: int) -> None:
    rules = ConnectFour(columns, rows, connect).rules
    on_board = sum(
        1 << (column * (rows + 1) + row) for column in range(columns) for row in range(rows)
    )
    choices = random.Random(5)
    for _ in range(30):
        discs = choices.getrandbits(64) & choices.getrandbits(64) & on_board
        expected = 0
        for line in all_lines(rules):
            missing = [bit for bit in line if not discs >> bit & 1]
            if len(missing) == 1:
                expected |= 1 << missing[0]
        if not has_line(np.uint64(discs), rules):
            found = int(winning_cells(np.uint64(discs), rules)) & on_board & ~discs
            # Stacks are completed from below only: nothing can be put under a disc.
            vertical = expected & ~found
            assert found & ~expected == 0
            for bit in range(64):
                if vertical >> bit & 1:
                    assert discs >> (bit + 1) & 1
