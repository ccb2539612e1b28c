"""Files of positions: which choices keep a value, which are best, and the intervals of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.stream import Stream
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.positions import PositionFileError, solve_positions
from evolve_arena.players.player import Player
from evolve_arena.runs.evaluation import print_evaluation

GAME = ConnectFour()
SCORES = """\
moves,s0,s1,s2,s3,s4,s5,s6
0,5,3,-2,0,1,1,1
1,5,3,-2,0,1,1,1
2,5,3,-2,0,1,1,1
3,-4,-9,-2,-4,,-4,-4
4,-4,-9,-2,-4,-4,-4,-4
5,0,0,-1,-1,-1,-1,-1
6,0,0,2,-1,-1,-1,-1
00,-1,-1,-1,-1,-1,-1,-1
"""
CHOICES = {
    "0": 0,  # the best win
    "1": 1,  # a win, but not the best one
    "2": 2,  # a loss where a win is possible
    "3": 0,  # lost anyway, but sooner
    "4": 2,  # the loss that comes last
    "5": 1,  # one of two draws
    "6": 0,  # a draw where a win is possible
    "00": 6,  # all the same
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


class Choosing(Player):
    """Chooses as it is told, by the moves of a position."""

    name = "choosing"

    def __init__(self, choices: dict[str, int]) -> None:
        self.choices = {GAME.parse_position(moves): choice for moves, choice in choices.items()}

    def choose(self, position: Position, stream: Stream) -> int:
        """The column for that position."""
        return self.choices[position]


def write(folder: Path, text: str) -> Path:
    path = folder / "positions.csv"
    path.write_text(text)
    return path


def test_what_keeps_a_value_and_what_is_best(tmp_path: Path) -> None:
    found = solve_positions(Choosing(CHOICES), GAME, write(tmp_path, SCORES))
    assert found == {
        "count": 8,
        "value_preserving": 6 / 8,  # all but a loss for a win, and a draw for a win
        "value_preserving_wilson_95": list(wilson_interval(6, 8)),
        "distance_optimal": 4 / 8,
        "distance_optimal_wilson_95": list(wilson_interval(4, 8)),
    }


def test_solved_positions_by_theme_and_by_line(tmp_path: Path) -> None:
    choices = {"0": 1, "1": 0, "2": 2, "3": 3, "4": 0, "5": 0, "6": 0}
    found = solve_positions(Choosing(choices), GAME, write(tmp_path, THEMES))
    assert found == {
        "count": 7,
        "solved": {
            "overall": 4 / 7,
            "wilson_95": list(wilson_interval(4, 7)),
            "by_theme": {"attack": 2 / 3, "defence": 2 / 4},
            "by_line": {"column": 2 / 4, "diagonal": 1.0, "row": 1 / 2},
        },
    }


def test_both_kinds_are_printed(
    tmp_path: Path, printed: Callable[[], dict[str, list[dict[str, str]]]]
) -> None:
    scores = solve_positions(Choosing(CHOICES), GAME, write(tmp_path, SCORES))
    choices = {"0": 1, "1": 0, "2": 2, "3": 3, "4": 0, "5": 0, "6": 0}
    themes = solve_positions(Choosing(choices), GAME, write(tmp_path, THEMES))
    found = {"scores.csv": scores, "themes.csv": themes}
    content = {"player": "choosing", "opponents": {}, "concepts": {}, "positions": found}
    print_evaluation(content, GAME)
    tables = printed()
    assert {row[""]: row["share"] for row in tables["scores.csv: 8 positions"]} == {
        "value preserving": "0.750 [0.409, 0.929]",
        "distance optimal": "0.500 [0.215, 0.785]",
    }
    assert {row[""]: row["share"] for row in tables["themes.csv: 7 positions"]} == {
        "solved": "0.571 [0.250, 0.842]",
        "attack": "0.667",
        "defence": "0.500",
        "column": "0.500",
        "diagonal": "1.000",
        "row": "0.500",
    }


def test_the_line_of_a_mistake_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "theme,line,moves,answer\nattack,row,0,1\nattack,row,9,1\n")
    with pytest.raises(PositionFileError, match=r"positions\.csv, line 3: "):
        solve_positions(Choosing({"0": 1}), GAME, path)
