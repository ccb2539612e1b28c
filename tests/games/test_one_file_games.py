"""Games in one file: their rules against OpenSpiel's, and against what is known of them."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyspiel
import pytest

from evolve_arena.core.attribute_docs import read_helps
from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.specification import make_player
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.export import export_player
from evolve_arena.runs.recipes.recipe import usual_recipe
from tests.contracts.test_games import compare_matches
from tests.evolved import make_evolved
from tests.games.test_connect_four import BOARDS

POSITIONS = 10_000
Translate = Callable[[BoardGame, Board, int], int]


def same(game: BoardGame, board: Board, move: int) -> int:
    """Return OpenSpiel's number of a move with the same number in both."""
    return move


def step(game: BoardGame, board: Board, move: int) -> int:
    """Return OpenSpiel's number of a move in Breakthrough, which encodes captures."""
    cell, kind = divmod(move, 6)
    target = cell + game.plain["STEPS"][kind]
    return 2 * move + (board.state[1] >> target & 1)


def sow(game: BoardGame, board: Board, move: int) -> int:
    """Return OpenSpiel's number of a move in Kalah: a pit, counted around from store 0."""
    return move + 1 + 7 * game.to_move(board)


def place(columns: int, rows: int, row: int) -> tuple[str, dict[str, int], str, Translate]:
    """Describe a board of Connect Four."""
    options = {"columns": columns, "rows": rows, "connect": row}
    theirs = f"connect_four(columns={columns},rows={rows},x_in_row={row})"
    return "connect-four", options, theirs, same


AGREE: list[tuple[str, dict[str, int], str, Translate]] = [
    *(place(*board) for board in BOARDS),
    ("tic-tac-toe", {}, "tic_tac_toe", same),
    ("gomoku", {}, "mnk(m=15,n=15,k=5)", same),
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


def find_state(game: BoardGame, board: Board, state: pyspiel.State) -> pyspiel.State:
    """Return OpenSpiel's state after the same roll of the die as here, found by the points."""
    if not state.is_chance_node():
        return state
    for outcome, _ in state.chance_outcomes():
        after = state.child(outcome)
        if board.state[game.seats] == read_sum(after) and (
            after.is_terminal() or after.current_player() == game.to_move(board)
        ):
            return after
    raise AssertionError("no number on the die does that")


def read_sum(state: pyspiel.State) -> int:
    """Read the points rolled in this turn of Pig."""
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


COUNT: list[tuple[str, dict[str, int], str, Translate, int]] = [
    *(
        (*place(*board), depth)
        for board, depth in (((4, 4, 3), 7), ((3, 3, 2), 9), ((2, 31, 4), 9))
    ),
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

    def count(state: pyspiel.State, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return int(depth == 0)
        if depth == 1:
            return len(state.legal_actions())
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    game = make_game(name, **options)
    assert game.perft(game.initial(), depth) == count(theirs, depth)


# What is known


def test_every_game_of_tic_tac_toe() -> None:
    game = make_game("tic-tac-toe")
    ends = [game.perft(game.initial(), depth) for depth in range(10)]
    assert ends == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


@pytest.mark.parametrize("height", range(1, 5))
@pytest.mark.parametrize("width", range(1, 5))
def test_who_begins_wins_chomp_unless_all_is_poisoned(height: int, width: int) -> None:
    game = make_game("chomp", height=height, width=width)

    @cache
    def wins(left: int) -> bool:
        """Test whether the player to move wins with so much left."""
        board = Board(game.rules, (left, 0))
        outcome = game.outcome(board)
        if outcome:
            return outcome.places == (1, 2)
        after = [game.play(board, move) for move in game.legal_moves(board)]
        return any(not wins(board.state[0]) for board in after)

    board = game.initial()
    assert wins(board.state[0]) == (height * width > 1)
    if height == width > 1:  # to leave a row and a column of the same length wins
        assert not wins(game.play(board, width + 1).state[0])


def test_each_number_is_rolled_as_often_in_pig() -> None:
    game = make_game("pig")
    after = [game.play(game.initial(seed), 0) for seed in range(3000)]
    rolled = [board.state[4] for board in after]
    assert set(rolled) == set(range(1, 7))
    assert all(440 < rolled.count(number) < 560 for number in range(1, 7))
    for board, number in zip(after, rolled, strict=True):
        assert board.state[:4] == ((0, 0, 0, 1) if number == 1 else (0, 0, number, 0))
        assert board.state[5] == 0


# What people and networks see


DRAWINGS = {
    "hex": (
        "d4 a7",
        """\
  a b c d e f g
 1 . . . . . . . 1
  2 . . . . . . . 2
   3 . . . . . . . 3
    4 . . . x . . . 4
     5 . . . . . . . 5
      6 . . . . . . . 6
       7 o . . . . . . 7
          a b c d e f g
x: top to bottom, o: left to right""",
    ),
    "kalah": (
        "3 6",
        """\
       6  5  4  3  2  1
    [  4  4  5  5  5  5 ]  north
  0                        2
    [  4  4  0  5  5  0 ]  south
       1  2  3  4  5  6""",
    ),
}


def test_breakthrough_moves_are_named_by_both_cells() -> None:
    game = make_game("breakthrough", size=5)
    names = [game.format_move(move) for move in game.legal_moves(game.initial())]
    assert names[:5] == ["a1a2", "a1b2", "b1a2", "b1b2", "b1c2"]
    board = game.parse_position("b1c2 c5b4 c2d3 b4a3 d3d4")
    assert {game.format_move(move) for move in game.legal_moves(board)} >= {"e5d4", "a3a2"}
    assert "d5d4" not in {game.format_move(move) for move in game.legal_moves(board)}
    assert find_text_ui(game).draw(board).splitlines()[4] == " 4 . . . w . 4"


def test_messages_name_moves_that_can_be_played() -> None:
    game = make_game("breakthrough", size=5)
    ui, board = find_text_ui(game), game.parse_position("b1c2")
    assert ui.greeting == "The name of a move, such as c1c2, plays it."
    with pytest.raises(IllegalMoveError, match="'a2b9' is no move, such as a5a4, a5b4 or b5a4"):
        ui.read("a2b9", board)
    with pytest.raises(IllegalMoveError, match="a1a2 can't be played here, but a5a4, a5b4 or"):
        game.play(board, game.parse_move("a1a2"))
    assert ui.advise(IllegalMoveError(), board).startswith("These moves can be played: a5a4, ")
    rows = make_game("tic-tac-toe")
    few = rows.parse_position("a1 b1 c1 a2 c2 b2 a3")
    assert find_text_ui(rows).advise(IllegalMoveError(), few) == ""  # the error names both


def test_each_seat_of_hex_and_breakthrough_sees_itself_go_the_same_way() -> None:
    game = make_game("hex", size=3)
    first, second = game.parse_position("b1 c3"), game.parse_position("c3 a2")
    assert np.array_equal(game.observe(first, 0), game.observe(second, 1))
    game = make_game("breakthrough")
    board = game.initial()
    assert np.array_equal(game.observe(board, 0), game.observe(board, 1))
    first, second = game.parse_position("b2c3"), game.parse_position("a2a3 b7c6 a1a2")
    assert np.array_equal(game.observe(first, 0)[0], game.observe(second, 1)[0])


@pytest.mark.parametrize("name", DRAWINGS)
def test_boards_of_other_shapes_are_drawn(name: str) -> None:
    moves, drawing = DRAWINGS[name]
    game = make_game(name)
    assert find_text_ui(game).draw(game.parse_position(moves)) == drawing


# Compiled


@pytest.mark.parametrize(
    ("name", "repeats"), [("kalah", True), ("pig", True), ("chomp", False), ("othello", False)]
)
def test_where_the_same_player_moves_again_is_found(name: str, repeats: bool) -> None:
    assert make_game(name).repeats_turns() is repeats
    usual = usual_recipe(find_game(name), {"method.name": "td-tuples"})
    assert usual.get("network", {}).get("turns", False) is repeats


@pytest.mark.parametrize("name", ["chomp", "gomoku"])
@pytest.mark.usefixtures("compiled_as_needed")
def test_compiled_matches_are_those_of_the_file(name: str) -> None:
    """For games of which sequences of moves are not counted above."""
    game = make_game(name)
    compare_matches(game, [make_player("random", game)] * 2, 10)


def test_exported_bots_say_nothing_of_options() -> None:
    player = make_evolved("chomp", "mlp", 1, hidden=(4,))
    sentences = read_helps(type(player.game.rules)).values()
    assert sentences
    assert not any(sentence in str(export_player(player, "python")) for sentence in sentences)


def test_what_was_compiled_is_found_again_by_another_process(tmp_path: Path) -> None:
    """Compiled players and learners, too, are found again."""
    program = (
        "import sys\n"
        "from evolve_arena.core.compiled import compiling_seconds\n"
        "from evolve_arena.runs.api import start\n"
        "changes = ['method.games=4', 'run.generations=1', 'check.games=2']\n"
        "changes += ['method.individuals=2', 'check.opponents=[\"random\"]']\n"
        "run = start('tic-tac-toe', run=sys.argv[1], changes=changes, executor='serial')\n"
        "print(run.population_sha256, compiling_seconds())\n"
    )
    outputs = []
    for name in ("one", "other"):
        words = [sys.executable, "-c", program, str(tmp_path / name)]
        outputs.append(subprocess.run(words, check=True, capture_output=True).stdout.split())
    assert outputs[0][0] == outputs[1][0]
    assert float(outputs[1][1]) == 0.0
