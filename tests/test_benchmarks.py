"""The benchmarks run to their ends: each part made small, with the code that measures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import blocks, exact_play
from benchmarks.line import Line, SkippedError
from benchmarks.perfect_play import Perfect, play
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import make_random

GAME = make_game("connect-four")
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("part", benchmarks.PARTS)
def test_a_part_made_small_runs_to_its_end(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # workers of Ray do a benchmark's work, too
    code = benchmarks.main([part, "--small"])
    told = capfd.readouterr()
    assert code == 0, told.out + told.err
    if "skipped: 1" in told.out:
        pytest.skip(told.out.splitlines()[-1].strip())
    (file,) = tmp_path.glob("benchmarks/results/*.csv")
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert rows
    judged = [row for row in rows if row["met"]]
    missed = sum(row["met"] == "NO" for row in judged)
    assert f"targets missed: {missed} of {len(judged)}" in told.out


def test_parts_that_fail_or_miss_a_target_are_told_at_the_end_and_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missed = Line("a sum", 3.0, "s", "", None, "1 s", False)
    package = ModuleNotFoundError("No module named 'beads'", name="beads")
    parts: dict[str, list[Line | Exception]] = {
        "first": [SkippedError("there is no abacus here")],
        "second": [Line("before it fails", 2.0, "s"), OSError("no more beads")],
        "third": [missed],
        "fourth": [package],
    }

    def measure(given: list[Line | Exception]) -> Iterator[Line]:
        for each in given:
            if isinstance(each, Exception):
                raise each
            yield each

    for name, given in parts.items():
        module = ModuleType(f"benchmarks.{name}")
        vars(module)["measure"] = partial(measure, given)
        monkeypatch.setitem(sys.modules, f"benchmarks.{name}", module)
    monkeypatch.setattr(benchmarks, "PARTS", {name: name for name in parts})
    monkeypatch.chdir(tmp_path)
    assert benchmarks.main([]) == 1
    _, _, end = capsys.readouterr().out.partition("targets missed: ")
    assert end.splitlines() == [
        "1 of 1",
        "  a sum  3  s  1 s  NO",
        "skipped: 2 of 4 parts",
        "  first: there is no abacus here",
        "  fourth: the package beads is missing (pip install -e '.[test]')",
        "failed: 1 of 4 parts",
        "  second: OSError: no more beads",
    ]


def test_a_part_that_is_unknown_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        benchmarks.main(["speed"])
    assert stopped.value.code == 2
    assert "unknown part 'speed' (known: matches, runs," in capsys.readouterr().err


def test_small_values_are_of_constants_that_exist_and_are_taken_back() -> None:
    before = blocks.POSITIONS
    with benchmarks._make_small():
        assert blocks.POSITIONS == 30
    assert before == blocks.POSITIONS == 300


def test_blocks_are_distinct_and_a_search_of_two_plies_finds_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = blocks.find_blocks(40)
    boards = {GAME.parse_position("".join(map(str, moves))) for moves, _ in found}
    assert len(boards) == 40
    monkeypatch.setattr(blocks, "POSITIONS", 40)
    lines = {line.name: line for line in blocks.measure([])}
    assert lines["minimax:depth=2"].value == 40
    assert 4 < lines["chance, expected"].value < 8 < lines["test-bot"].value < 30
    for moves, column in (
        ("", None),
        ("01010", 0),  # three in column 0
        ("010101", None),  # the player to move wins at once
        ("102030", None),  # both ends of 1, 2, 3 are the other's: nothing helps
        ("00112", 3),  # the row 0, 1, 2 has one free end
    ):
        assert blocks.find_block(GAME.parse_position(moves)) == column, moves


def test_pig_played_perfectly_wins_as_often_as_is_published() -> None:
    chances, rolls = exact_play.solve_pig(100)
    assert chances[0, 0, 0] == pytest.approx(0.530592, abs=1e-6)  # Neller and Presser
    assert rolls[20, 0, 0]
    assert not rolls[21, 0, 0]
    game = make_game("pig", goal=20)
    exact = exact_play.PigPlayer(game)
    assert exact_play.meet(exact_play.PigPlayer(game), exact, 40, seed=1).score == 0.5
    assert exact_play.meet(make_random(game), exact, 40, seed=1).score < 0.4


@pytest.mark.parametrize(
    ("name", "options", "value", "openings", "won"),
    [
        ("chomp", {"height": 2, "width": 2}, exact_play.SOON - 4, 4, 5),
        ("tic-tac-toe", {}, 0, 24, 2836),
    ],
)
def test_small_games_are_solved(
    name: str, options: dict[str, int], value: int, openings: int, won: int
) -> None:
    game = make_game(name, **options)
    exact = exact_play.ExactPlayer(game)
    assert exact.value(game.initial()) == value
    assert len(exact.openings()) == openings
    assert exact_play.count_kept(exact, exact) == (won, won)
    kept, _ = exact_play.count_kept(make_random(game), exact)
    assert kept < won
    assert exact_play.meet(exact_play.ExactPlayer(game), exact, 40, seed=1).score == 0.5
    lost = exact_play.meet(make_random(game), exact, 40, seed=1)
    assert lost.losses > lost.wins
    assert lost.games == 40


def key(moves: list[int]) -> tuple[int, int]:
    own, other, discs = GAME.parse_position("".join(map(str, moves))).state
    return (other, own) if discs % 2 else (own, other)


def test_perfect_play_takes_and_blocks_lines_and_decides_by_chance() -> None:
    perfect = Perfect(seed=1)
    assert perfect.choose([], key([])) == 3
    assert perfect.choose([0, 6, 0, 6, 0, 6], key([0, 6, 0, 6, 0, 6])) == 0
    assert perfect.choose([3, 0, 3, 0, 3], key([3, 0, 3, 0, 3])) == 3
    moves = [4, 0, 4, 0, 6, 3, 2, 4]
    chosen = {Perfect(seed).choose(moves, key(moves)) for seed in range(12)}
    scores = Perfect(0)
    scores.choose(moves, key(moves))
    assert chosen == set(scores.known[key(moves)])
    assert play(make_random(GAME), games=5, seed=1) == (0, 0)
