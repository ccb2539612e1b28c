"""Exact values of moves, compared with minimax that is written plainly, and with known results."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError, PositionError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import below, new_stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board.solving import SCALE, Solver

KNOWN = Path(__file__).parent / "connect_four_scored.csv"
"""The longest positions of a table about Connect Four, with scores of a solver that is not ours."""
RACE = '''
"""Race: take one or two of the counters; a move of two may be made {again}; the last one wins."""
import numpy as np
COUNTERS = 7
MOVES = 2
LONGEST = {longest}
CELLS = 8
PLANES = 1

def start():
    return COUNTERS, 0

def to_move(state):
    return state[1]

def legal(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2 if state[0] > 1 else 1

def play(state, move):
    return state[0] - 1 - move, 1 - state[1] if move == 0 or {turns} else state[1]

def result(state):
    return 2 if state[0] > 0 else (1 if state[1] == 1 else -1)

def see(state, seat, planes):
    planes[0] = np.uint64(1 << state[0])
'''
WALK = '''
"""Walk: a token goes to and fro; seat 0 wants it on the last square, seat 1 on the first."""
import numpy as np
MOVES = 3
LONGEST = {longest}
CELLS = 5
PLANES = 1

def start():
    return 2, 0

def to_move(state):
    return state[1]

def legal(state, moves):
    for move in range(3):
        moves[move] = move
    return 3

def play(state, move):
    return min(4, max(0, state[0] + move - 1)), 1 - state[1]

def result(state):
    return 1 if state[0] == 4 else (-1 if state[0] == 0 else 2)

def see(state, seat, planes):
    planes[0] = np.uint64(1 << state[0])
'''


def solve_plainly(game: BoardGame) -> dict[Board, tuple[int, int]]:
    """Return a function from a position to its value for seat 0, and the plies to the end."""

    @cache
    def solve(board: Board) -> tuple[int, int]:
        outcome = game.outcome(board)
        if outcome is not None:
            won = outcome.winner
            return (0 if won is None else 1 - 2 * won), 0
        sign = 1 - 2 * game.to_move(board)
        after = [solve(game.play(board, move)) for move in game.legal_moves(board)]
        return max(
            ((value, plies + 1) for value, plies in after),
            key=lambda told: rank(sign * told[0], told[1]),
        )

    return solve  # type: ignore[return-value]


def rank(value: int, plies: int) -> tuple[int, int]:
    """Return a key by which a quick win is best, and a quick loss is worst."""
    return value, -value * plies


def check(game: BoardGame, boards: list[Board]) -> None:
    """Compare both solvers, with and without distance, with plain minimax."""
    solve = solve_plainly(game)
    exact, signs = Solver(game, distance=True), Solver(game)
    for board in boards:
        sign, expected = 1 - 2 * game.to_move(board), {}
        for move in game.legal_moves(board):
            value, plies = solve(game.play(board, move))  # type: ignore[operator]
            expected[move] = sign * value * (int(game.code.LONGEST) - plies)
        assert exact.score(board) == expected, board
        assert signs.score(board) == {move: int(np.sign(v)) for move, v in expected.items()}


def draw(game: BoardGame, games: int, least: int = 0) -> list[Board]:
    """Return the positions of random games after *least* moves or more."""
    rng, found = new_stream(3), []
    for _ in range(games):
        board = game.initial()
        while moves := game.legal_moves(board):
            if board.plies >= least:
                found.append(board)
            board = game.play(board, moves[int(below(rng, len(moves)))])
    return found


@pytest.mark.parametrize(
    ("name", "options", "least"),
    [
        ("tic-tac-toe", {}, 0),
        ("hex", {"size": 3}, 1),
        ("chomp", {"height": 3, "width": 4}, 0),
        ("kalah", {"pits": 2, "seeds": 2}, 0),
        ("breakthrough", {"size": 4}, 12),
        ("connect-four", {"columns": 4, "rows": 4, "connect": 3}, 5),
        ("othello", {"size": 6}, 27),
        ("gomoku", {"size": 5, "row": 3}, 18),
    ],
)
def test_values_are_those_of_plain_minimax(name: str, options: dict[str, int], least: int) -> None:
    game = make_game(name, **options)
    check(game, draw(game, 12, least))


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        (RACE.replace("{again}", "again").replace("{turns}", "False"), 20),
        (RACE.replace("{again}", "in turn").replace("{turns}", "True"), 20),
        (RACE.replace("{again}", "in turn").replace("{turns}", "True"), 4),  # LONGEST matters
        (WALK, 6),
        (WALK, 9),
    ],
)
def test_a_strangers_rules_are_solved(
    text: str, longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(text.replace("{longest}", str(longest)))
    spec = load_game(tmp_path / "mine.py")
    monkeypatch.setitem(registry._registered, "mine", spec)
    game = spec.make()
    check(game, draw(game, 10))
    solve = solve_plainly(game)
    found = list(Solver(game, distance=True).solve_all())
    assert len(found) >= 6
    for words, board, scores in found:
        assert game.parse_position(" ".join(words)) == board
        value, plies = solve(board)  # type: ignore[operator]
        best = (1 - 2 * game.to_move(board)) * value * (longest + 1 - plies)
        assert max(scores.values()) == best


def test_all_positions_of_a_game() -> None:
    found = list(Solver(make_game("tic-tac-toe"), distance=True).solve_all())
    # Positions that are not over: 5478 in all, of which 958 are. Source: OEIS A008907 and others.
    assert len(found) == 5478 - 958
    assert found[0][2] == dict.fromkeys(range(9), 0)


def test_connect_four_as_another_solver_has_it() -> None:
    game = make_game("connect-four")
    solver, seen = Solver(game, distance=True), 0
    for row in csv.DictReader(KNOWN.read_text().splitlines()):
        scores = solver.score(game.parse_position(row["moves"]))
        assert scores is not None
        known = {move: int(row[f"s{move}"]) for move in scores}
        assert {m: np.sign(s) for m, s in scores.items()} == {
            m: np.sign(s) for m, s in known.items()
        }
        order = sorted(scores, key=scores.__getitem__)
        assert [known[move] for move in order] == sorted(known.values())
        seen += 1
    assert seen == 100


def test_endgames_of_checkers_are_consistent() -> None:
    """The value of each move is that of the position after it, seen from the other side."""
    game = make_game("checkers")
    solver, longest = Solver(game, distance=True), int(game.code.LONGEST)
    seen = {-1: 0, 0: 0, 1: 0}
    for text in ("B:BK1,5:WK18,26", "W:BK1,K2:WK14,K15,K23", "B:B9:WK32", "W:B21:W30,K3"):
        waiting = [game.parse_position(text)]
        for _ in range(40):
            board = waiting.pop(0)
            scores = solver.score(board)
            assert scores is not None
            for move, score in scores.items():
                after = game.play(board, move)
                fresh = after._replace(past=(), plies=0)
                if game.outcome(fresh):
                    assert abs(score) == longest
                    continue
                best = max((solver.score(fresh) or {}).values())
                sign = 1 if game.to_move(fresh) == game.to_move(board) else -1
                assert score == sign * (best - np.sign(best))
                seen[int(np.sign(score))] += 1
                waiting.append(fresh)
    assert min(seen.values()) > 20


def test_two_kings_beat_one_and_one_in_the_double_corner_of_a_single_king_draws() -> None:
    game = make_game("checkers")
    solver = Solver(game)
    assert max((solver.score(game.parse_position("W:BK1:WK14,K23")) or {}).values()) == 1
    assert set((solver.score(game.parse_position("W:BK1:WK14")) or {}).values()) == {0}


def test_positions_that_recurred_are_not_proven() -> None:
    """A third time would be a draw; where no position came twice, whoever wins avoids it."""
    game = make_game("checkers")
    board = game.parse_position("W:BK1:WK14,K23")
    word, seen = game.find_word(board.state), [board]
    for _ in range(4):
        seen = [game.play(each, move) for each in seen for move in game.legal_moves(each)]
    again = [each for each in seen if each.past and game.find_word(each.state) == word]
    solver = Solver(game)
    assert again
    assert solver.score(again[0]) is None
    after = game.play(board, game.legal_moves(board)[0])
    assert after.past
    assert solver.score(after) is not None


def test_the_limit_of_nodes_ends_a_proof() -> None:
    game = make_game("connect-four")
    solver = Solver(game, nodes=1000)
    assert solver.score(game.initial()) is None
    assert solver._search_room[2][0] == 1001
    checkers = make_game("checkers")
    assert Solver(checkers, nodes=1000).score(checkers.initial()) is None
    with pytest.raises(BadValueError, match="tic-tac-toe has more than 1,000 positions"):
        list(Solver(make_game("tic-tac-toe"), nodes=1000).solve_all())


def test_the_first_player_of_pig_wins_with_probability_0_5306() -> None:
    """Source: Neller and Presser, "Optimal play of the dice game Pig", UMAP Journal 25 (2004)."""
    game = make_game("pig")
    solver = Solver(game)
    scores = solver.score(game.initial())
    assert scores is not None
    assert (1 + scores[0] / SCALE) / 2 == pytest.approx(0.5306, abs=5e-5)
    # With 20 points in a turn at 0 to 0 one rolls on; figure 3 there holds at 21.
    last = [solver.score(game.parse_position(f"roll *5 roll *5 roll *5 roll *{k}")) for k in (1, 2)]
    assert [max(each, key=each.__getitem__) for each in last if each] == [0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("roll *2 roll", "word 4: '' must be *0 to *5, an outcome of chance"),
        ("roll *6", "word 2: '*6' must be *0 to *5, an outcome of chance"),
        ("roll *5 *5", "word 3: '*5' is no move"),
        ("roll roll *3", "word 2: 'roll' must be *0 to *5, an outcome of chance"),
        ("jump *3", "word 1: 'jump' is no move"),
    ],
)
def test_outcomes_of_chance_must_fit(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=re.escape(said)):
        make_game("pig").parse_position(text)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("ticket-to-ride", {"seats": 2}, "can't be solved: something is hidden"),
        ("pig", {"seats": 3}, "can't be solved: seats is 3"),
    ],
)
def test_other_games_are_refused(name: str, options: dict[str, int], said: str) -> None:
    with pytest.raises(BadValueError, match=said):
        Solver(find_game(name).make(**options))
