"""Sets of positions: what is drawn and left out, files that are read again, and those that ship."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, make_game, shipped_games
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board.solving import Solver
from evolve_arena.players.specification import make_player
from evolve_arena.runs import solved_positions
from evolve_arena.runs.positions import find_options, read_positions, solve_positions
from evolve_arena.runs.solved_positions import Progress, find_positions
from evolve_arena.runs.store.kept_games import KeptGames, parse_games

SHIPPED = [
    (name, path.name)
    for name in shipped_games()
    for path in find_game(name).positions
    if path.name != "concept_states.csv"
]
RECURRING = '''
"""Stroll: two tokens on six squares, each with its player, who wins at the end of the row."""
import numpy as np
MOVES = 2
LONGEST = 60
CELLS = 12
PLANES = 1
REPETITION = 3

def start():
    return 2, 3, 0

def to_move(state):
    return state[2]

def legal(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2

def play(state, move):
    step = 2 * move - 1
    if state[2] == 0:
        return min(5, max(0, state[0] + step)), state[1], 1
    return state[0], min(5, max(0, state[1] - step)), 0

def result(state):
    if state[0] == 5:
        return 1
    return -1 if state[1] == 0 else 2

def see(state, seat, planes):
    planes[0] = np.uint64(1 << state[0] | 64 << state[1])
'''


def write(found: solved_positions.PositionSet, folder: Path) -> Path:
    path = folder / "positions.csv"
    path.write_text(found.to_csv())
    return path


def test_positions_are_spread_distinct_and_telling(tmp_path: Path) -> None:
    game = make_game("hex", size=4)
    found = find_positions(game, count=40, seed=1)
    assert (len(found.rows), found.proof, found.unproven) == (40, "exact", 0)
    assert len({row.board.state for row in found.rows}) == 40
    plies = [row.board.plies for row in found.rows]
    assert plies == sorted(plies)
    assert max(plies) - min(plies) > 6
    assert found.equal > 0
    solver = Solver(game)
    for row in found.rows:
        assert set(row.scores.values()) == {-1, 1}
        assert solver.score(row.board) == row.scores
    file = read_positions(game, write(found, tmp_path))
    assert [problem.scores for problem in file.problems] == [row.scores for row in found.rows]
    assert [problem.ply for problem in file.problems] == plies
    perfect = solve_positions(make_player("minimax:depth=12", game), game, file)
    assert perfect["value_preserving"] > 0.9
    assert sum(band["count"] for band in perfect["by_ply"]) == 40


def test_the_same_seed_makes_the_same_file() -> None:
    game = make_game("breakthrough", size=4)
    first, again, other = (find_positions(game, count=15, seed=seed) for seed in (2, 2, 3))
    assert first.to_csv().encode() == again.to_csv().encode()
    assert first.to_csv() != other.to_csv()


def best_value(game: AnyGame, board: Board) -> int:
    """Return the result of best play for the player to move: 1, 0 or -1."""
    outcome = game.outcome(board)
    if outcome is not None:
        first, second = outcome.scores
        return int(np.sign(first - second)) * (1 - 2 * game.to_move(board))
    return max(-best_value(game, game.play(board, move)) for move in game.legal_moves(board))


def test_positions_with_one_right_move_are_mined_from_kept_games(tmp_path: Path) -> None:
    """In tic-tac-toe, against all lines of play."""
    game = make_game("tic-tac-toe")
    games = KeptGames(tmp_path / "games.jsonl")
    ea.duel("random", "random", games=60, game=game, seed=1, on_match=games.keep)
    games.write()
    kept = parse_games(games.path.read_text(), game)
    found = find_positions(game, count=50, games=kept, only=True, seed=1)
    assert len(found.rows) == 50
    played = {"".join(map(game.format_move, each.numbers)) for each in kept}
    groups: dict[str, int] = {}
    file = read_positions(game, write(found, tmp_path))
    for row, problem in zip(found.rows, file.problems, strict=True):
        assert any(line.startswith("".join(row.words)) for line in played)
        after = {
            move: -best_value(game, game.play(row.board, move))
            for move in game.legal_moves(row.board)
        }
        (answer,) = problem.scores
        best = max(after.values())
        assert [move for move, value in after.items() if value == best] == [answer]
        (group,) = problem.groups.values()
        assert group == ("attack" if best == 1 else "defence")
        groups[group] = groups.get(group, 0) + 1
    assert min(groups.values()) > 5
    told = solve_positions(make_player("minimax:depth=9", game), game, file)
    assert told["solved"]["overall"] == 1.0
    with pytest.raises(BadValueError, match="was not played by the rules of tic-tac-toe"):
        find_positions(game, games=[replace(kept[0], game="chomp")])
    with pytest.raises(BadValueError, match="not those of some games"):
        find_positions(game, count=None, only=True)


def test_plies_are_limited_and_the_search_can_be_stopped() -> None:
    game = make_game("tic-tac-toe")
    seen: list[Progress] = []
    found = find_positions(
        game, count=20, plies=(3, 4), progress=lambda told: not seen.append(told)
    )
    assert {row.board.plies for row in found.rows} == {3, 4}
    assert seen[-1].found == 20
    assert seen[-1].left == 0.0
    stopped = find_positions(game, count=20, progress=lambda told: told.found < 3)
    assert len(stopped.rows) == 3


def test_what_is_not_proven_is_left_out_and_counted() -> None:
    found = find_positions(make_game("connect-four"), count=10, nodes=2000)
    assert found.unproven >= solved_positions.FAILURES
    assert len(found.rows) == 10
    assert min(row.board.plies for row in found.rows) > 15
    assert found.to_dict()["left_out_not_proven"] == found.unproven


def test_a_small_game_ends_the_search_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_positions, "IN_VAIN", 40)
    found = find_positions(make_game("chomp", height=2, width=2), count=50)
    assert 0 < len(found.rows) < 8


def test_all_positions_of_tic_tac_toe() -> None:
    found = find_positions(make_game("tic-tac-toe"), count=None, distance=True)
    assert len(found.rows) + found.equal == 4520
    assert found.rows[0].board.plies == 1
    late = find_positions(make_game("tic-tac-toe"), count=None, plies=(5, 6))
    assert {row.board.plies for row in late.rows} == {5, 6}
    with pytest.raises(BadValueError, match="not with a depth"):
        find_positions(make_game("tic-tac-toe"), count=None, depth=2)


def test_positions_of_a_strangers_game_that_recurs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stroll.py").write_text(RECURRING)
    spec = load_game(tmp_path / "stroll.py")
    monkeypatch.setitem(registry._registered, "stroll", spec)
    monkeypatch.setattr(solved_positions, "IN_VAIN", 40)
    game = spec.make()
    found = find_positions(game, count=6, distance=True)
    assert found.rows
    file = read_positions(game, write(found, tmp_path))
    assert [problem.scores for problem in file.problems] == [row.scores for row in found.rows]


def test_values_of_a_search_say_so(tmp_path: Path) -> None:
    game = make_game("connect-four")
    found = find_positions(game, count=5, plies=(6, 8), depth=4)
    assert (found.proof, len(found.rows)) == ("depth 4", 5)
    file = read_positions(game, write(found, tmp_path))
    assert file.proof == "depth 4"
    told = solve_positions(make_player("minimax:depth=4", game), game, file)
    assert (told["distance_optimal"], "value_preserving" in told) == (1.0, False)


@pytest.mark.parametrize(("name", "file"), SHIPPED)
def test_shipped_sets_are_exact(name: str, file: str) -> None:
    spec = find_game(name)
    path = next(path for path in spec.positions if path.name == file)
    assert path.stat().st_size <= 200_000
    game = spec.make(**find_options(spec.make(), path))
    positions = read_positions(game, path)
    count = len(positions.problems)
    assert (positions.proof, count >= 200) == ("exact", True)
    if name == "checkers":
        pieces = [sum(map(int.bit_count, p.position.state[:2])) for p in positions.problems]  # type: ignore[attr-defined]
        assert min(pieces) <= 4
    # A few of them, solved again: the last ones, which are quick
    solver = Solver(game, nodes=5_000_000)
    for problem in positions.problems[:: -max(1, count // 5)]:
        assert solver.score(problem.position) is not None  # type: ignore[arg-type]
        again = solver.score(problem.position) or {}  # type: ignore[arg-type]
        if spec.has_chance:
            assert again == pytest.approx(dict(problem.scores), abs=1)
        else:
            assert {move: np.sign(score) for move, score in problem.scores.items()} == again
