"""Files of positions: which choices count as right, how often chance is asked, what is printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.cli.match_tables import print_evaluation
from evolve_arena.core import registry
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream, below
from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.player import Forfeit, ForfeitError, Player, make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs.evaluation import evaluate_player
from evolve_arena.runs.positions import (
    MAX_ANSWERS,
    TIMES,
    PositionFileError,
    find_own_positions,
    read_positions,
    solve_positions,
)

GAME = make_game("connect-four")
TIC_TAC_TOE = make_game("tic-tac-toe")
SCORES = """\
moves,s0,s1,s2,s3,s4,s5,s6
0,5,3,-2,0,1,1,1
1,5,3,-2,0,1,1,1
2,5,3,-2,0,1,1,1
3,-4,-9,-2,-4,-3,-4,-4
4,-4,-9,-2,-4,-4,-4,-4
5,0,0,-1,-1,-1,-1,-1
6,0,0,2,-1,-1,-1,-1
000000,,-1,-1,-1,-1,-1,-1
"""
CHOICES = {
    "0": 0,  # the best win
    "1": 1,  # a win, but not the best one
    "2": 2,  # a loss where a win is possible
    "3": 0,  # lost anyway, but sooner
    "4": 2,  # the loss that comes last
    "5": 1,  # one of two draws
    "6": 0,  # a draw where a win is possible
    "000000": 6,  # all the same
}
THEMES = """\
theme,line,moves,answer
attack,row,0,1
attack,row,1,1
attack,column,2,2
defence,column,3,3
defence,column,4,3
defence,column,5,3
defence,diagonal,6,0
"""
THEME_CHOICES = {"0": 1, "1": 0, "2": 2, "3": 3, "4": 0, "5": 0, "6": 0}
CORNERS = """\
moves,answer,group corner wins,group moved second
a1 b1 a2 b2,a3,x,
a1 b2 c3 b1,b3,,
a1 a2 b1 c3 a3,c1,x,yes
"""
"""Tic-tac-toe."""


class Choosing(Player):
    """Player that chooses as it is told, by the moves of a position."""

    name = "choosing"

    def __init__(self, choices: dict[str, int]) -> None:
        self.choices = {GAME.parse_position(moves): choice for moves, choice in choices.items()}

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the column for that position."""
        return self.choices[position]


class Knowing(Player):
    """Player with answers to the game's own positions in some groups; it counts questions."""

    name = "knowing"

    def __init__(self, known: str) -> None:
        self.known, self.asked, self.sides = known, Counter[Board](), list[int]()
        self.problems = {problem.position: problem for problem in OWN.problems}

    def begin(self, side: int) -> None:
        """Note the side."""
        self.sides.append(side)

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the answer, or another column."""
        self.asked[position] += 1
        problem = self.problems[position]
        (answer,), known = problem.scores, {name[0] for name in problem.groups.values()}
        return int(answer if known & {*self.known} else min({*range(7)} - {answer}))


class Drawing(Knowing):
    """Player with all answers that gives them in a quarter of all cases only."""

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the answer, or none."""
        answer = super().choose(position, rng)
        return answer if below(rng, 4) == 0 else -1


class Failing(Knowing):
    """Player that fails every other time."""

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the answer, or crash."""
        if len(self.sides) % 2:
            raise ForfeitError(Forfeit.CRASH, "It crashed.")
        return super().choose(position, rng)


OWN = read_positions(GAME, find_own_positions(GAME)["concept states"])


def write(folder: Path, text: str) -> Path:
    path = folder / "positions.csv"
    path.write_text(text)
    return path


def solve(
    player: Player, folder: Path, text: str, game: BoardGame = GAME, **how: object
) -> JsonObject:
    return solve_positions(player, game, read_positions(game, write(folder, text)), **how)


def solve_own(player: Player, **how: object) -> dict[str, float]:
    """Return the share of each of the game's own groups, by its letter."""
    groups = solve_positions(player, GAME, OWN, **how)["solved"]["by_group"]
    assert [group["count"] for group in groups.values()] == [30, 30, 20, 20, 20]
    return {name[0]: group["share"] for name, group in groups.items()}


def test_shares_of_values_that_are_kept_and_of_themes_and_lines(tmp_path: Path) -> None:
    def measured(count: int, kept: int, best: int) -> JsonObject:
        return {
            "count": count,
            "value_preserving": kept / count,
            "value_preserving_wilson_95": list(wilson_interval(kept, count)),
            "distance_optimal": best / count,
            "distance_optimal_wilson_95": list(wilson_interval(best, count)),
        }

    bands = [
        measured(7, 5, 3) | {"first": 1, "last": 1},
        measured(1, 1, 1) | {"first": 6, "last": 6},
    ]
    # Kept are all but a loss for a win, and a draw for a win.
    whole = measured(8, 6, 4) | {"proof": "exact", "by_ply": bands}
    assert solve(Choosing(CHOICES), tmp_path, SCORES) == whole
    found = solve(Choosing(THEME_CHOICES), tmp_path, THEMES)
    solved = {"overall": 4 / 7, "wilson_95": list(wilson_interval(4, 7)), "by_group": {}}
    solved["by_theme"] = {"attack": 2 / 3, "defence": 2 / 4}
    solved["by_line"] = {"column": 2 / 4, "diagonal": 1.0, "row": 1 / 2}
    assert found == {"count": 7, "solved": solved}
    others = {"theme": "category", "line": "win_type", "answer": "correct_column_0based"}
    for name, other in others.items():
        assert solve(Choosing(THEME_CHOICES), tmp_path, THEMES.replace(name, other, 1)) == found


def test_any_game_has_positions_with_groups(tmp_path: Path) -> None:
    class First(Player):
        def choose(self, position: Board, rng: Stream) -> int:
            return int(TIC_TAC_TOE.legal_moves(position)[0])

    found = solve(First(), tmp_path, CORNERS, TIC_TAC_TOE)["solved"]
    assert (found["by_theme"], found["by_line"]) == ({}, {})
    assert found["overall"] == 1 / 3  # c1 is the first free cell of the first row in two of them
    groups = {name: (group["count"], group["share"]) for name, group in found["by_group"].items()}
    assert groups == {"corner wins": (2, 1 / 2), "moved second": (1, 1.0)}
    searching = make_player("mcts:rollouts=300", TIC_TAC_TOE)
    assert solve(searching, tmp_path, CORNERS, TIC_TAC_TOE)["solved"]["overall"] > 0.9


@pytest.mark.parametrize(
    ("known", "shares"),
    [
        ("AF", [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("A", [1.0, 0.0, 0.5, 0.5, 0.5]),
        ("K", [1 / 3, 1 / 3, 0.0, 0.0, 1.0]),
        ("", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_shares_are_of_the_positions_of_each_group(known: str, shares: list[float]) -> None:
    player = Knowing(known)
    assert solve_own(player) == pytest.approx(dict(zip("AFRDK", shares, strict=True)))
    assert set(player.asked.values()) == {1}
    assert player.sides == [0] * 60


def test_whoever_draws_is_asked_again_and_again() -> None:
    player = Drawing("AF")
    shares = solve_own(player, times=200, seed=4)
    assert set(player.asked.values()) == {200}
    # A quarter of 6000 and 4000 answers: three standard errors.
    assert shares == pytest.approx(dict.fromkeys("AFRDK", 0.25), abs=3 * np.sqrt(0.1875 / 4000))
    again, other = (solve_own(Drawing("AF"), times=200, seed=seed) for seed in (4, 5))
    assert shares == again != other
    solved = solve_positions(Drawing("AF"), GAME, OWN, times=2)["solved"]["by_group"]["A (attack)"]
    assert solved["wilson_95"] == list(wilson_interval(30 * solved["share"], 30))


@pytest.mark.parametrize(("rows", "times"), [(60, TIMES), (200, 30), (MAX_ANSWERS + 1, 1)])
def test_many_positions_are_asked_less_often(rows: int, times: int) -> None:
    player = Drawing("AF")
    many = OWN._replace(problems=[OWN.problems[row % 60] for row in range(rows)])
    solve_positions(player, GAME, many)
    assert sum(player.asked.values()) == rows * times


def test_a_bot_that_fails_or_makes_an_illegal_move_has_not_solved_the_position(
    tmp_path: Path,
) -> None:
    assert solve_own(Failing("AF")) == dict.fromkeys("AFRDK", 0.5)
    wrong = dict.fromkeys(CHOICES, 9)
    found = solve(Choosing(wrong), tmp_path, SCORES)
    assert (found["value_preserving"], found["distance_optimal"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("theme,line,moves,answer\nattack,row,0,1\nattack,row,9,1\n", ", line 3", "'9' is no move"),
        ("moves,answer\n3,x\n", ", line 2", "'x' is no move"),
        ("moves,answer\n000000,0\n", ", line 2", "the answer '0' can't be played here"),
        ("moves,answer\n0101010,2\n", ", line 2", "the game is over here"),
        ("moves,s0,s1\n3,1,1\n", ", line 2", "the score of 2 is missing"),
        (SCORES.replace("5,3", "5,much", 1), ", line 2", "'much'"),
        ("board,answer\nxo,1\n", ", line 2", "a drawing has 42 cells"),
        ("moves,solution\n3,1\n", "", "its columns are moves, solution; expected moves or board"),
        ("moves,answer\n", "", "holds no positions"),
        ("moves,answer\n3\n", ", line 2", "it has fewer cells than the first line"),
    ],
)
def test_the_line_of_a_mistake_is_named(tmp_path: Path, text: str, line: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(PositionFileError, match=rf"positions\.csv{line}.*{re.escape(said)}"):
        read_positions(GAME, path)


def test_a_mistake_is_told_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve_arena.runs.evaluation.duel", None)
    for path in (tmp_path / "nowhere.csv", write(tmp_path, "moves,answer\n3,x\n")):
        with pytest.raises(PositionFileError, match=path.name):
            evaluate_player(make_random(GAME), GAME, games=2, positions=[path])


def test_scores_and_drawings_of_boards_are_read(tmp_path: Path) -> None:
    lines = "moves,s0,s1,s2,s3,s4,s5,s6\n646633464116435461,-2,1,-2,2,-2,-1,\n"
    (scored,) = read_positions(GAME, write(tmp_path, lines)).problems
    assert scored.scores == {0: -2, 1: 1, 2: -2, 3: 2, 4: -2, 5: -1}
    lines = "category,win_type,board_top_to_bottom_x_to_move,correct_column_0based\n"
    lines += "attack,column,....ox.....xo.....oo..o.xoxx.xooxoxoxxooxx,6\n"
    (problem,) = read_positions(GAME, write(tmp_path, lines)).problems
    assert (problem.position, problem.scores) == (OWN.problems[0].position, {6: 1})
    assert problem.groups == {"theme": "attack", "line": "column"}


@pytest.mark.parametrize(
    "told", ["3", "''", "'rows.txt'", "'/etc/rows.csv'", "'../rows.csv'", "('a.csv', 'b')"]
)
def test_a_game_names_a_file_beside_its_own(told: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{TIC_TAC_TOE.source}\nPOSITIONS = {told}\n")
    sentence = r"mine\.py, line \d+: POSITIONS is .*data/positions\.csv"
    with pytest.raises(GameFileError, match=sentence):
        load_game(tmp_path / "mine.py")


def test_a_game_of_ones_own_has_positions_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(TIC_TAC_TOE.source + '\nPOSITIONS = "positions.csv"\n')
    spec = load_game(tmp_path / "mine.py")
    monkeypatch.setitem(registry._registered, "mine", spec)
    game = spec.make()
    assert find_own_positions(game) == {}
    print_evaluation(evaluate_player(make_random(game), game, opponents=[]), game)
    path = write(tmp_path, CORNERS)
    assert capsys.readouterr().out == f"positions: skipped, {path} is missing\n"
    assert find_own_positions(game) == {"positions": path}
    assert spec.positions == (path,)
    content = evaluate_player(make_random(game), game, opponents=[])
    assert content["positions"]["positions"]["count"] == 3


def test_an_evaluation_tells_of_the_games_own_positions_and_of_others(
    tmp_path: Path, printed: Callable[[], dict[str, list[dict[str, str]]]]
) -> None:
    scores, themes = tmp_path / "scores.csv", tmp_path / "themes.csv"
    scores.write_text(SCORES)
    themes.write_text(THEMES)
    player = make_player("minimax:depth=2", GAME)
    content = evaluate_player(player, GAME, opponents=[], positions=[scores, themes])
    own = ["concept states", "exact positions"]
    assert list(content["positions"]) == [*own, str(scores), str(themes)]
    found = [
        solve(Choosing(CHOICES), tmp_path, SCORES),
        solve(Choosing(THEME_CHOICES), tmp_path, THEMES),
    ]
    content["positions"] |= dict(zip(["scores.csv", "themes.csv"], found, strict=True))
    print_evaluation(content, GAME)
    tables = printed()
    assert len(tables["concept states: 60 positions"]) == 5
    kept, best = "value kept, 95 % interval", "best moves, 95 % interval"
    rows = [
        (row["plies"], row["positions"], row[kept], row[best])
        for row in tables["scores.csv: 8 positions"]
    ]
    assert rows == [
        ("all", "8", "0.750 [0.409, 0.929]", "0.500 [0.215, 0.785]"),
        ("1–1", "7", "0.714 [0.359, 0.918]", "0.429 [0.158, 0.750]"),
        ("6–6", "1", "1.000 [0.207, 1.000]", "1.000 [0.207, 1.000]"),
    ]
    themes = {"attack": "0.667", "defence": "0.500"}
    lines = {"column": "0.500", "diagonal": "1.000", "row": "0.500"}
    solved = {row[""]: row["share"] for row in tables["themes.csv: 7 positions"]}
    assert solved == {"solved": "0.571 [0.250, 0.842]", **themes, **lines}


def test_own_positions_are_left_out_on_other_boards(capsys: pytest.CaptureFixture[str]) -> None:
    game = find_game("connect-four").make(connect=5)
    content = evaluate_player(make_random(game), game, opponents=[])
    assert content["positions"] == {}
    print_evaluation(content, game)
    usual = "connect-four with columns 7, rows 6, connect 4"
    assert capsys.readouterr().out.splitlines() == [
        f"{name}: skipped, they are for {usual}" for name in ("concept states", "exact positions")
    ]


def test_a_set_states_its_options_and_is_used_for_these_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (find_game("hex").game.source).replace("POSITIONS = ", "OTHERS = ")
    (tmp_path / "six.py").write_text(source + '\nPOSITIONS = ("three.csv", "usual.csv")\n')
    three = tmp_path / "three.csv"
    three.write_text("moves,s0,s1,s2,s3,s4,s5,s6,s7,s8,option size\na1 a2,,-1,1,,1,-1,-1,-1,-1,3\n")
    (tmp_path / "usual.csv").write_text("moves,answer\na1 b1,c1\n")
    spec = load_game(tmp_path / "six.py")
    monkeypatch.setitem(registry._registered, "six", spec)
    assert list(find_own_positions(spec.make(size=3))) == ["three"]
    assert list(find_own_positions(spec.make())) == ["usual"]
    assert find_own_positions(spec.make(size=4)) == {}
    with pytest.raises(PositionFileError, match=r"three\.csv: its positions are for size 3"):
        read_positions(spec.make(), three)
    game = spec.make(size=3)
    print_evaluation(evaluate_player(make_random(game), game, opponents=[]), game)
    assert "usual: skipped, they are for six with size 7" in capsys.readouterr().out


def test_plies_of_boards_come_from_their_column_and_searched_values_say_so(tmp_path: Path) -> None:
    board = "." * 42
    scores = f"board,ply,s0,s1,s2,s3,s4,s5,s6,proof\n{board},,0,0,1,5,1,0,0,depth 4\n"
    file = read_positions(GAME, write(tmp_path, scores))
    assert (file.problems[0].ply, file.proof) == (None, "depth 4")
    found = solve_positions(make_random(GAME), GAME, file)
    assert (found["by_ply"], found["proof"], "value_preserving" in found) == ([], "depth 4", False)
    file = read_positions(
        GAME, write(tmp_path, scores.replace(",,0,", ",8,0,").replace("depth 4", ""))
    )
    assert (file.problems[0].ply, file.proof) == (8, "exact")
    with pytest.raises(PositionFileError, match=r"line 2: .*'x'"):
        read_positions(GAME, write(tmp_path, "moves,option size,answer\n3,x,3\n"))
