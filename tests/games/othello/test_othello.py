"""Othello: its rules against OpenSpiel's, its texts, what plays it, and what is exported."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyspiel
import pytest

from evolve_arena.core.errors import IllegalMoveError, PositionError
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.networks import find_symmetries
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.api import duel, start
from evolve_arena.runs.export import export_player

GAME, SMALL = make_game("othello"), make_game("othello", size=6)


def walk(game: BoardGame, seed: int) -> Iterator[Board]:
    """The positions of random games, without end."""
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


def test_perft_counts_passes_and_ends_as_python_does() -> None:
    def count(board: Board, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(count(SMALL.play(board, move), depth - 1) for move in SMALL.legal_moves(board))

    late = [board for board, _ in zip(walk(SMALL, 3), range(200), strict=False)][27::28]
    for board in late:
        assert SMALL.perft(board, 4) == count(board, 4)


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
    assert [GAME.format_move(move) for move in GAME.legal_moves(GAME.initial())] == [
        "d3",
        "c4",
        "f5",
        "e6",
    ]
    assert GAME.parse_move(" D3 ") == 19
    assert GAME.parse_move("pass") == 64
    for wrong in ("i1", "a9", "d", "33", "dd3", "passes", ""):
        with pytest.raises(IllegalMoveError, match="is no move, such as d3, c4 or f5"):
            GAME.parse_move(wrong)
    with pytest.raises(IllegalMoveError, match="'g1' is no move"):
        SMALL.parse_move("g1")


def test_positions_are_given_by_moves() -> None:
    board = GAME.parse_position("d3 c5 d6")
    assert board.state[3] == 1
    with pytest.raises(PositionError, match="d3 can't be played here, but c3, e3 or c5 can"):
        GAME.parse_position("d3 d3")


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


def test_a_square_board_has_eight_views() -> None:
    views = find_symmetries(64, 8, "all")
    assert len({view.tobytes() for view in views}) == 8
    for view in views:  # what is legal is so in every view
        board = GAME.parse_position("d3 c5 d6")
        own, other = (_turn(bits, view) for bits in board.state[:2])
        seen = [move for move in range(64) if board.state[2] >> view[move] & 1]
        turned = Board(GAME.rules, (own, other, _turn(board.state[2], view), 1))
        assert GAME.legal_moves(turned) == seen


def _turn(bits: int, view: Any) -> int:
    return sum((bits >> int(cell) & 1) << place for place, cell in enumerate(view))


# Players


def negamax(game: BoardGame, board: Board, depth: int) -> int:
    """What a position is worth to who is to move: the same search, written down once more."""
    outcome = game.outcome(board)
    side = game.to_move(board)
    if outcome:
        sign = outcome.places[1 - side] - outcome.places[side]
        return sign * (2**40 + depth)
    if depth == 0:
        return _count(game, board)
    after = (game.play(board, move) for move in game.legal_moves(board))
    return max(-negamax(game, each, depth - 1) for each in after)


def _count(game: BoardGame, board: Board) -> int:
    size, (own, other, moves, _) = game.rules.size, board.state
    corners = [0, size - 1, size * size - size, size * size - 1]
    beside = [size + 1, 2 * size - 2, size * (size - 2) + 1, size * (size - 1) - 2]
    value = 0
    for bits, sign in ((own, 1), (other, -1)):
        value += sign * 16 * sum(bits >> cell & 1 for cell in corners)
        value -= sign * 4 * sum(bits >> cell & 1 for cell in beside)
    passed = game.ask("play", game.thaw(board), size * size)
    return value + int(moves).bit_count() - int(passed[2]).bit_count()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_chooses_a_best_move_and_each_of_them_now_and_then(depth: int) -> None:
    player = make_player(f"minimax:depth={depth}", SMALL)
    ties = 0
    for board, _ in zip(walk(SMALL, depth), range(60), strict=False):
        moves = SMALL.legal_moves(board)
        values = {move: -negamax(SMALL, SMALL.play(board, move), depth - 1) for move in moves}
        best = {move for move in moves if values[move] == max(values.values())}
        chosen = {player.choose(board, new_stream(seed)) for seed in range(40)}
        assert chosen <= best
        ties += len(best) > 1 and chosen == best
    assert ties > 5


def test_a_deeper_search_wins() -> None:
    result = duel("minimax:depth=3,noise=0.1", "minimax:depth=1,noise=0.1", games=200, game=GAME)
    assert result.score_interval[0] > 0.6


def test_what_was_compiled_is_found_again_by_another_process(tmp_path: Path) -> None:
    """What plays, and what learns, too."""
    program = (
        "import sys\n"
        "from evolve_arena.core.compiled import compiling_seconds\n"
        "from evolve_arena.runs.api import start\n"
        "changes = ['method.games=4', 'run.generations=1', 'check.games=2']\n"
        "changes += ['method.individuals=2', 'check.opponents=[\"random\"]']\n"
        "run = start('othello', run=sys.argv[1], changes=changes, executor='serial')\n"
        "print(run.population_sha256, compiling_seconds())\n"
    )
    outputs = []
    for name in ("one", "other"):
        told = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)],
            check=True,
            capture_output=True,
            text=True,
        )
        outputs.append(told.stdout.split())
    assert outputs[0][0] == outputs[1][0]
    assert float(outputs[1][1]) == 0.0


# What is bred and learned


@pytest.fixture(scope="module")
def bred(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BredPlayer]:
    """What came of a few generations of each method, on the small board."""
    folder = tmp_path_factory.mktemp("bred")
    changes = {
        "othello-evolved": (
            "method.individuals=20",
            "method.tournament_size=3",
            "run.generations=5",
        ),
        "othello-neat": ("neat.pop_size=20", "run.generations=5"),
        "othello": ("method.games=1000", "run.generations=4"),
    }
    players = {}
    for recipe, settings in changes.items():
        common = ("game.size=6", "check.games=20", "check.every=5")
        run = start(recipe, run=folder / recipe, changes=(*settings, *common), executor="serial")
        players[recipe] = run.champion
    policy = start(
        "othello-evolved",
        run=folder / "policy",
        changes=(
            *changes["othello-evolved"],
            "game.size=6",
            "network.head=policy",
            "check.games=20",
        ),
        executor="serial",
    )
    return {**players, "policy": policy.champion}


def test_a_tuple_network_learns_to_beat_random(bred: dict[str, BredPlayer]) -> None:
    assert duel(bred["othello"], "random", games=400, game=SMALL).score_interval[0] > 0.8


@pytest.mark.parametrize("name", ["othello-evolved", "othello-neat", "othello", "policy"])
def test_an_exported_file_chooses_the_same_moves(
    name: str, bred: dict[str, BredPlayer], tmp_path: Path
) -> None:
    player = bred[name]
    bot = _import(export_player(player, "python"), tmp_path / "bot.py")
    for board, _ in zip(walk(SMALL, 7), range(400), strict=False):
        assert bot.choose(board.state) == player.choose(board, new_stream(1))


def test_an_exported_file_plays_as_a_program(bred: dict[str, BredPlayer], tmp_path: Path) -> None:
    player, file = bred["othello-evolved"], tmp_path / "bot.py"
    file.write_text(export_player(player, "python"), encoding="utf-8")
    program = f'process:"{sys.executable}" "{file}"'
    result = duel(player, program, games=4, opening_plies=4, game=SMALL)
    assert result.score == 0.5
    assert not result.forfeits


def _import(text: str, file: Path) -> ModuleType:
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("bot", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
