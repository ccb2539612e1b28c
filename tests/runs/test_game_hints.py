"""Tests of `evolve game validate` beside those of the rules, and the advice that it gives."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.cli import game_report
from evolve_arena.core.registry import find_game, make_game, open_file
from evolve_arena.players.board import self_check
from evolve_arena.players.board.game import BoardGame, GameFileError
from evolve_arena.players.board.hints import find_hints
from evolve_arena.players.board.spiel_check import compare_with_openspiel
from evolve_arena.players.board.symmetry_check import check_symmetry
from evolve_arena.runs import game_files
from evolve_arena.runs.recipes.recipe import load_recipe

ROWS: str = find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]


def change(source: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


DOTS = change(
    ROWS.partition("def result")[0],
    ('SYMMETRY = "all"\n', ""),
    ("TURN = CELLS\n", "TURN, SCORES, COUNT, LAST = 9, 10, 12, 13\n"),
    ("CELLS + 1, np.int8", "CELLS + 5, np.int8"),
    ("state[move] = 1 + state[TURN]\n", "state[move] = 1\n    state[LAST] = move\n"),
    (
        "    state[TURN] = 1 - state[TURN]\n",
        "    state[COUNT] += 1\n"
        "    if move % 2 == 1 and state[4] == 1:\n"
        "        state[SCORES + state[TURN]] += 1\n"
        "    else:\n"
        "        state[TURN] = 1 - state[TURN]\n",
    ),
    ('OPENSPIEL = "tic_tac_toe"\nBOTZONE = "TicTacToe"\nPETTINGZOO = "tictactoe_v3"\n', ""),
)
DOTS += """def is_over(state):
    return state[COUNT] == CELLS


def points(state, seat):
    return state[SCORES + seat]
"""
"""Dots in cells: once the middle is taken, a dot on a side scores and moves again."""
SEE = """

PLANES = 4


def see(state, seat, planes):
    for cell in range(CELLS):
        if state[cell]:
            planes[0] |= np.uint64(1) << np.uint64(cell)
    planes[1] = np.uint64(state[SCORES + seat])
    planes[2] = np.uint64(state[SCORES + 1 - seat])
    planes[3] = np.uint64(state[TURN] == seat)
"""

SEE_TURN = """

PLANES = 3


def see(state, seat, planes):
    for cell in range(CELLS):
        if state[cell] != 0:
            planes[int(state[cell] != 1 + seat)] |= np.uint64(1) << np.uint64(cell)
        elif state[TURN] == seat:
            planes[2] |= np.uint64(1) << np.uint64(cell)
"""
"""A game's own pieces, the other's, and on all empty cells whether one is to move."""


def load(folder: Path, name: str, source: str) -> BoardGame:
    file = folder / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    return open_file(file).make()


def test_numbers_and_the_turn_that_networks_do_not_see_are_named(tmp_path: Path) -> None:
    """The count of dots follows from the cells, and each move sets the last one anew."""
    first, second = find_hints(load(tmp_path, "dots_unseen", DOTS), 100)
    unseen = "state[10] (SCORES), state[11] (SCORES + 1)"
    assert first.startswith(f"networks do not see {unseen}, which change")
    assert second.startswith("the same player may move again, and networks do not see whose turn")


def test_what_a_function_see_shows_is_not_named(tmp_path: Path) -> None:
    assert find_hints(load(tmp_path, "dots_seen", DOTS + SEE), 100) == []


@pytest.mark.parametrize(
    "name", ["breakthrough", "chomp", "gomoku", "hex", "kalah", "othello", "pig", "tic-tac-toe"]
)
def test_games_that_ship_need_no_advice(name: str) -> None:
    assert find_hints(make_game(name), 30, seconds=0.5) == []


def test_hidden_numbers_are_hidden_on_purpose(tmp_path: Path) -> None:
    """A card that is drawn at the start, and that decides; its owner's networks see it."""
    source = change(
        ROWS,
        ("return np.zeros(CELLS + 1, np.int8)", "return np.zeros(CELLS + 4, np.int8)"),
        ("    return 0\n", "    return 1 if state[CELLS + 1] > state[CELLS + 2] else -1\n"),
        ('SYMMETRY = "all"\n', "PLANES = 3\n"),
    )
    source += """

def chance(state):
    return 0 if state[CELLS + 3] == 2 else 9


def resolve(state, outcome):
    state[CELLS + 3] += 1
    state[CELLS + state[CELLS + 3]] = outcome


def see(state, seat, planes):
    for cell in range(CELLS):
        if state[cell]:
            planes[state[cell] != 1 + seat] |= np.uint64(1) << np.uint64(cell)
    planes[2] = np.uint64(state[CELLS + 1 + seat])
"""
    secret = "\n\ndef view(state, seat):\n    state[CELLS + 2 - seat] = 0\n"
    assert find_hints(load(tmp_path, "cards_hidden", source + secret), 50) == []
    blind = change(source, ("    planes[2] = np.uint64(state[CELLS + 1 + seat])\n", ""))
    (hint,) = find_hints(load(tmp_path, "cards_unseen", blind), 50)
    assert hint.startswith("networks do not see state[10] (CELLS + 1), state[11] (CELLS + 2)")


def test_moves_named_after_other_cells_than_the_page_has(tmp_path: Path) -> None:
    below = "\n\ndef name_move(move):\n    return 'abc'[move % 3] + str(3 - move // 3)\n"
    (hint,) = find_hints(load(tmp_path, "rows_below", ROWS + below), 30)
    assert hint.startswith("name_move names other cells than the page, where ")
    named = below + below.replace("name_move(move", "name_cell(cell").replace("move", "cell")
    assert find_hints(load(tmp_path, "named_below", ROWS + named), 30) == []
    above = below.replace("3 - move // 3", "1 + move // 3")
    assert find_hints(load(tmp_path, "rows_above", ROWS + above), 30) == []


def test_cells_of_a_row_that_are_drawn_elsewhere(tmp_path: Path) -> None:
    """Cells in a spiral: tuple networks would walk along rows of its numbers."""
    spiral = """

def place_cell(cell):
    return ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (1, 1))[cell]
"""
    (hint,) = find_hints(load(tmp_path, "spiral", ROWS.replace('"all"', '"none"') + spiral), 30)
    assert hint.startswith("the page draws the 3 cells of a row of WIDTH elsewhere")
    # -1 fills up a row of an array
    near = "\nNEIGHBOURS = np.array([[cell - 1, (cell + 2) % 10 - 1] for cell in range(9)])\n"
    game = load(tmp_path, "spiral_of_neighbours", ROWS.replace('"all"', '"none"') + spiral + near)
    assert find_hints(game, 30) == []
    assert game.neighbours == [[1], *([cell - 1, cell + 1] for cell in range(1, 8)), [7]]
    # Tuples walk along the spiral: their cells are consecutive
    changes = {"method.name": "td-tuples", "network.tuples": 50, "network.length": 4}
    recipe = load_recipe(str(tmp_path / "spiral_of_neighbours.py"), changes)
    decoder: Any = recipe.make_decoder()
    for walk in decoder.draw(np.random.default_rng(1)):
        assert np.ptp(walk) == 3
        assert len(set(walk.tolist())) == 4
    skew = "\n\ndef place_cell(cell):\n    return cell % 3 + cell // 3, cell // 3\n"
    assert find_hints(load(tmp_path, "skew", ROWS.replace('"all"', '"none"') + skew), 30) == []


def count_moves(folder: Path, name: str, kind: str, step: int) -> BoardGame:
    """Return a game that counts all moves, in steps, and ends after 300 of them."""
    source = f'''"""Two pass."""

import numpy as np

MOVES, LONGEST, CELLS, PLANES = 2, 300, 8, 1


def start():
    return np.zeros(2, np.{kind})


def to_move(state):
    return state[1]


def legal(state, moves):
    moves[0], moves[1] = 0, 1
    return 2


def play(state, move):
    state[0] += {step}
    state[1] = 1 - state[1]


def result(state):
    return 1 if state[0] >= 90 or state[0] < 0 else 2


def see(state, seat, planes):
    planes[0] = np.uint64(state[0] & 127)
'''
    return load(folder, name, source)  # type: ignore[no-any-return]


def test_counters_that_wrap(tmp_path: Path) -> None:
    told = (
        r"line 21: play makes 160 of state\[0\], of which np.int8 leaves -96: begin with np.int16"
    )
    with pytest.raises(GameFileError, match=f"{told} in start"):
        find_hints(count_moves(tmp_path, "wrapped", "int8", 80), 5)
    assert find_hints(count_moves(tmp_path, "wide", "int16", 80), 5) == []
    (hint,) = find_hints(count_moves(tmp_path, "soon", "int8", 1), 5)
    assert hint.startswith("state[0] counts the moves, and np.int8 can't count beyond 127")
    assert find_hints(count_moves(tmp_path, "later", "int16", 1), 5) == []


def test_symmetries_are_tried(tmp_path: Path) -> None:
    right = check_symmetry(load(tmp_path, "rows_right", ROWS), 100)
    assert (right.views, right.declared, right.fixed) == (7, 7, "")
    assert right.positions > 1000
    assert check_symmetry(make_game("kalah"), 10) is None
    othello = check_symmetry(make_game("othello"), 10)
    assert (othello.views, othello.declared, othello.exchanging) == (3, 7, 4)


def test_a_turn_that_networks_see_turns_with_the_board(tmp_path: Path) -> None:
    """On all empty cells, as the hint says; on one of them it does not, and the hint names that."""
    again = change(ROWS, ("= 1 - state[TURN]", "= state[TURN] if move == 4 else 1 - state[TURN]"))
    (hint,) = find_hints(load(tmp_path, "turn_unseen", again), 100)
    bits = "the bits of all cells that are empty in the others if to_move(state) == seat"
    assert hint.endswith(f"let see set in a plane of its own {bits}")
    game = load(tmp_path, "turn_on_empty", again + SEE_TURN)
    assert find_hints(game, 100) == []
    symmetry = check_symmetry(game, 20)
    assert (symmetry.views, symmetry.fixed) == (7, "")
    changes = ["method.name=td-tuples", "method.games=20", "run.generations=1", "check.games=2"]
    ea.start(str(tmp_path / "turn_on_empty.py"), run=tmp_path / "run", changes=changes)
    corner = change(again + SEE_TURN, ("elif state[TURN]", "elif cell == 0 and state[TURN]"))
    symmetry = check_symmetry(load(tmp_path, "turn_on_corner", corner), 20)
    assert (symmetry.views, symmetry.exchanging, symmetry.fixed) == (1, 0, "a1")


def test_an_error_names_numbers_that_do_not_turn(tmp_path: Path) -> None:
    source = change(
        ROWS + SEE_TURN, ("elif state[TURN] == seat", "elif cell == 0 and state[4] != 0")
    )
    with pytest.raises(
        GameFileError, match=r"or see shows something that does not turn .* PLANE_NUMBERS"
    ):
        check_symmetry(load(tmp_path, "number_on_corner", source), 100)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("one_diagonal", ", (2, 4, 6))", ")"),
        (
            "no_middle",
            "if state[cell] == 0:\n            m",
            "if state[cell] == 0 and (cell != 2 or state[0]):\n            m",
        ),
    ],
)
def test_wrong_symmetries_are_refused(name: str, old: str, new: str, tmp_path: Path) -> None:
    game = load(tmp_path, name, change(ROWS, (old, new)))
    told = r"line 12: SYMMETRY is 'all', but (after|at the start)"
    with pytest.raises(GameFileError, match=told):
        check_symmetry(game, 100)


def test_a_check_tells_what_it_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No second game is begun, in which points decide after LONGEST moves."""
    rules = ROWS.partition("def result")[0].replace("OPENSPIEL", "_")
    source = change(rules, ("LONGEST = CELLS\nSYMMETRY", "LONGEST = 5\n_"))
    source += "def is_over(state):\n    return False\n\n\n"
    source += "def points(state, seat):\n    return 2 * (state[seat] == 1 + seat) + seat\n"
    file = tmp_path / "check_tells.py"
    file.write_text(source, encoding="utf-8")
    monkeypatch.setattr(game_files, "SECONDS", 0.0)
    content = game_files.report(file)
    assert content["parts"].keys() == {"legal", "play", "result", "see", "the network"}
    game_report.print_report({**content, "limit": ""})
    told = capsys.readouterr().out
    ended = "1 of 200 random games by the plain rules (stopped after 0 s) end after 5 to 5 moves"
    assert f"{ended}; 1 unfinished after LONGEST moves: points decide" in told
    assert "compiled, 1 random games are the same as plain" in told
    assert "there is no clear bottleneck: 5 measurements disagree" in told


def test_the_smallest_and_the_largest_value_of_options_are_tried(tmp_path: Path) -> None:
    source = change(
        ROWS,
        ("LONGEST = CELLS", "LONGEST = CELLS\nLIMIT = 2\nOPTIONS = {'LIMIT': range(1, 4)}"),
        ("state[move] = 1 + state[TURN]", "state[move] = 1 + state[TURN] // (3 - LIMIT)"),
    )
    game = load(tmp_path, "option_fails", source)
    with pytest.raises(GameFileError, match=r"line \d+: .*divide by zero.* \(with LIMIT = 3\)$"):
        game_files._try_options(game, {"LIMIT": [1, 2, 3]})
    assert game_files._try_options(game, {"LIMIT": [1, 2]}) == {"LIMIT": [1, 2]}

    # The file refuses a value
    source += "\n\nif LIMIT == 3:\n    raise ValueError('no')\n"
    game = load(tmp_path, "option_refused", source)
    assert game_files._try_options(game, {"LIMIT": [1, 2, 3]}) == {"LIMIT": [1, 2]}


def test_advice_on_speed_fits_the_file(tmp_path: Path) -> None:
    code = load(tmp_path, "advice_cells", ROWS).code
    assert game_files._advise("result", code).endswith("keep the last move's cell in the state")
    assert game_files._advise("see", code) == ""
    assert "no see at all" not in game_files._advise("see", load(tmp_path, "more", DOTS + SEE).code)
    assert "points count" in game_files._advise("result", load(tmp_path, "points", DOTS).code)
    needless = ROWS + SEE_TURN.replace("PLANES = 3", "PLANES = 2").partition("        elif")[0]
    assert "no see at all" in game_files._advise("see", load(tmp_path, "two_planes", needless).code)


def test_rules_are_compared_with_openspiel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = compare_with_openspiel(load(tmp_path, "spiel_right", ROWS), 200)
    assert right.positions >= 200
    assert compare_with_openspiel(make_game("chomp")) is None
    wrong = change(ROWS, (", (2, 4, 6))", ")"))
    with pytest.raises(GameFileError, match=r"over there, not here|there \(1, 2\)"):
        compare_with_openspiel(load(tmp_path, "spiel_wrong", wrong), 1000)
    for name, called, told in (
        ("spiel_other", "tictactoe", "line 15: OPENSPIEL is 'tictactoe'"),
        ("spiel_hex", "hex(board_size=4)", "is legal there, not here"),
    ):
        other = load(tmp_path, name, change(ROWS, ('"tic_tac_toe"', f'"{called}"')))
        with pytest.raises(GameFileError, match=told):
            compare_with_openspiel(other)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    missing = compare_with_openspiel(load(tmp_path, "spiel_missing", ROWS))
    assert "not installed" in missing.obstacle


def test_texts_that_name_no_move_are_read_without_an_error(tmp_path: Path) -> None:
    read = "\n\ndef read_move(text):\n    return 'abc'.index(text[0]) + 3 * (int(text[1:]) - 1)\n"
    game = load(tmp_path, "read_raises", ROWS + read)
    with pytest.raises(GameFileError, match=r"line \d+: IndexError: .* \(read_move was given ''"):
        self_check.check_typed(game)
    body = "    if text[:1] not in {} or text[1:] not in {}:\n        return None\n    return"
    careful = read.replace("    return", body.format("'abc'", "'123'"))
    with pytest.raises(GameFileError, match="read_move was given ''"):  # "" in "abc" holds
        self_check.check_typed(load(tmp_path, "read_careful", ROWS + careful))
    right = read.replace("    return", body.format("('a', 'b', 'c')", "('1', '2', '3')"))
    self_check.check_typed(load(tmp_path, "read_right", ROWS + right))
    capital = "\n\ndef name_move(move):\n    return 'ABCDEFGHI'[move]\n"
    capital += "\n\ndef read_move(text):\n    return 'ABCDEFGHI'.find(text) if text else None\n"
    with pytest.raises(GameFileError, match=r"read_move reads 'a', move 0, as -1"):
        self_check.check_typed(load(tmp_path, "read_capitals", ROWS + capital))
