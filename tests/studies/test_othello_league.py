"""The Othello League: its files mean here what they mean there, and its games are played so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import Board
from evolve_arena.players.specification import make_player
from evolve_arena.studies.othello_league import league as rules
from evolve_arena.studies.othello_league import study
from evolve_arena.studies.othello_league.league import (
    play_league,
    read_league,
    read_member,
    read_openings,
)
from evolve_arena.studies.study import Material, Settings

GAME: Any = ea.make_game("othello")
SHARED = Path(ea.__file__).resolve().parents[2] / "shared/data/othello_league"
"""The league's own files, which are not part of the project."""

Evolve = Callable[..., tuple[str, str]]


def write(folder: Path, name: str, **content: object) -> Path:
    path = folder / f"{name}.json"
    told = {"name": name, "source": "a test", "evaluation": "board-inversion", **content}
    path.write_text(json.dumps(told), "utf-8")
    return path


def draw_tuples(seed: int) -> list[JsonObject]:
    """Draw tuples of one to three cells, up to three of them with the same weights."""
    rng = np.random.default_rng(seed)
    entries = []
    for length in (1, 2, 3, 3):
        cells = [rng.permutation(64)[:length].tolist() for _ in range(rng.integers(1, 4))]
        entries.append({"cells": cells, "weights": rng.normal(size=3**length).tolist()})
    return entries


def play_random(seed: int, plies: int) -> Board:
    rng = np.random.default_rng(seed)
    board: Board = GAME.initial()
    for _ in range(plies):
        board = GAME.play(board, int(rng.choice(GAME.legal_moves(board))))
    return board


def read_colours(board: Board) -> np.ndarray[Any, Any]:
    """Return the digit of each cell in the league's order: white 0, empty 1, black 2."""
    black, white = GAME.observe(board, 0)[:, :64].astype(int)
    return np.asarray(1 + black - white)


def value(entries: list[JsonObject], evaluation: str, board: Board, seat: int) -> float:
    """Return the value of a position that *seat* has moved to, as the league describes it."""
    digits = read_colours(board)
    if seat == 1 and evaluation == "board-inversion":
        digits = 2 - digits
    total = sum(
        entry["weights"][int("".join(map(str, digits[cells])), 3)]
        for entry in entries
        for cells in entry["cells"]
    )
    return -total if seat == 1 and evaluation == "output-negation" else total


@pytest.mark.parametrize("evaluation", ["board-inversion", "output-negation"])
def test_players_choose_the_move_of_the_highest_value(tmp_path: Path, evaluation: str) -> None:
    entries = draw_tuples(1)
    path = write(tmp_path, "drawn", evaluation=evaluation, tuples=entries)
    player = read_member(path, GAME)
    rng, seen = np.zeros(1, dtype=np.uint64), set()
    for seed in range(60):
        board = play_random(seed, seed)
        seat = GAME.to_move(board)
        moves = GAME.legal_moves(board)
        values = [value(entries, evaluation, GAME.play(board, move), seat) for move in moves]
        assert player.choose(board, rng) == moves[int(np.argmax(values))]
        seen.add((seat, len(moves) > 3))
    assert len(seen) == 4


def test_weights_of_cells_count_discs(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).normal(size=64)
    path = write(tmp_path, "cells", weights_of_cells=weights.tolist(), evaluation="output-negation")
    player = read_member(path, GAME)
    for seed in range(30):
        board = play_random(seed, seed)
        sign = 1 - 2 * GAME.to_move(board)
        moves = GAME.legal_moves(board)
        values = [
            sign * float(weights @ (read_colours(GAME.play(board, move)) - 1)) for move in moves
        ]
        assert player.choose(board, np.zeros(1, dtype=np.uint64)) == moves[int(np.argmax(values))]


def test_positions_are_reached_by_seven_plies(tmp_path: Path) -> None:
    boards = [play_random(seed, 7) for seed in range(20)]
    lines = ["".join("O.X"[digit] for digit in read_colours(board)) for board in boards]
    path = tmp_path / "boards.txt"
    path.write_text("\n".join(lines) + "\n", "ascii")
    openings = read_openings(path, GAME)
    assert openings.shape == (20, 7)
    for moves, board in zip(openings.tolist(), boards, strict=True):
        reached = GAME.initial()
        for move in moves:
            reached = GAME.play(reached, move)
        assert reached.state == board.state
    path.write_text(lines[0] + "\n" + "X" * 64, "ascii")
    with pytest.raises(BadValueError, match=r"boards\.txt', line 2: no seven plies lead to 'XXX"):
        read_openings(path, GAME)


SINGLE = {"cells": [[0, 1]], "weights": [0.0] * 9}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "either tuples or weights_of_cells"),
        ({"tuples": [SINGLE], "weights_of_cells": [0.0] * 64}, "either tuples or weights_of_cells"),
        ({"weights_of_cells": [0.0] * 63}, "has 63 numbers, not 64"),
        ({"tuples": [{**SINGLE, "weights": [0.0] * 8}]}, "need 9 finite weights"),
        ({"tuples": [{**SINGLE, "weights": [float("nan")] * 9}]}, "need 9 finite weights"),
        ({"tuples": [{**SINGLE, "cells": [[0, 64]]}]}, "are no 2 different cells from 0 to 63"),
        ({"tuples": [{**SINGLE, "cells": [[3, 3]]}]}, "are no 2 different cells from 0 to 63"),
        ({"tuples": [{**SINGLE, "cells": [[3, 4], [5]]}]}, "the same number of cells, 1 to 8"),
        ({"tuples": [{**SINGLE, "cells": [[]]}]}, "the same number of cells, 1 to 8"),
        ({"tuples": [SINGLE], "evaluation": "none"}, "evaluation: Input should be"),
        ({"tuples": [SINGLE], "more": 1}, "more: Extra inputs are not permitted"),
    ],
)
def test_files_that_are_wrong_get_one_line(
    tmp_path: Path, content: JsonObject, message: str
) -> None:
    path = write(tmp_path, "wrong", **content)
    with pytest.raises(BadValueError, match="wrong") as error:
        read_member(path, GAME)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_file_of_the_league_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000, "utf-8")
    with pytest.raises(BadValueError, match=r"deep\.json' is no JSON file"):
        read_member(path, GAME)
    with pytest.raises(BadValueError, match="not here"):
        read_member("not here.json", GAME)
    small = ea.make_game("othello", size=6)
    with pytest.raises(BadValueError, match="on 8 by 8 cells"):
        read_member(write(tmp_path, "flat", tuples=[SINGLE]), small)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="othello-league"):
        read_league(tmp_path / "empty", GAME)


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with three players and twenty positions."""
    folder = tmp_path / "othello_league"
    folder.mkdir()
    write(folder, "one", tuples=draw_tuples(1))
    write(folder, "two", tuples=draw_tuples(2), evaluation="output-negation")
    corners = np.zeros(64)
    corners[[0, 7, 56, 63]] = 1.0
    write(folder, "corners", weights_of_cells=corners.tolist())
    boards = {play_random(seed, 7) for seed in range(20)}
    lines = ["".join("O.X"[digit] for digit in read_colours(board)) for board in boards]
    (folder / "boards.txt").write_text("\n".join(lines), "ascii")
    monkeypatch.chdir(tmp_path)
    return folder


def test_shares_are_those_of_duels(league: Path) -> None:
    """By the protocol boards each pair of games has a position, with colours exchanged."""
    players = read_league(league, GAME)
    openings = read_openings(league / "boards.txt", GAME)[:10]
    result = play_league(players, openings=openings, pairs=10)
    assert result.members == ("corners", "one", "two")
    assert np.isnan(result.matrix[np.arange(3), np.arange(3)]).all()
    assert np.nansum(result.matrix + result.matrix.T) == pytest.approx(6.0)
    for pair, moves in enumerate(openings.tolist()):
        points = 0.0
        for seats in ([0, 1], [1, 0]):
            board = GAME.initial()
            for move in moves:
                board = GAME.play(board, move)
            while GAME.outcome(board) is None:
                player = players[seats[GAME.to_move(board)]]
                board = GAME.play(board, player.choose(board, np.zeros(1, dtype=np.uint64)))
            won = GAME.outcome(board).winner
            points += 0.5 if won is None else float(seats[won] == 0)
        assert result.points[0, 1, pair] == points / 2
    against = play_league(players[:1], players[1:], openings=openings, pairs=10)
    assert (against.matrix[0] == result.matrix[0, 1:]).all()


def test_only_opponents_play_at_random(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players = read_league(league, GAME)
    result = play_league(players, protocol="noise", pairs=100)
    again = play_league(players, protocol="noise", pairs=100)
    assert np.array_equal(result.points, again.points, equal_nan=True)
    assert len(np.unique(result.points[0, 1])) > 1
    # Corners are worth something against players that only move at random, and without any random
    # moves all games of two players are the same.
    monkeypatch.setattr(rules, "NOISE", 1.0)
    assert play_league(players, protocol="noise", pairs=100).matrix[0, 1] > 0.6
    monkeypatch.setattr(rules, "NOISE", 0.0)
    assert len(np.unique(play_league(players, protocol="noise", pairs=10).points[0, 1])) == 1
    with pytest.raises(BadValueError, match="pairs is 30: there are 20 positions"):
        play_league(players, openings=np.zeros((20, 7), dtype=np.int64), pairs=30)


def test_the_command_prints_tables(league: Path, evolve: Evolve) -> None:
    printed, _ = evolve("league", "--pairs", "10")
    assert "Othello League, protocol boards: 20 games with each opponent" in printed
    assert "corners" in printed
    printed, _ = evolve("league", "league:othello_league/one.json", "random", "--pairs", "10")
    assert [line.split()[0] for line in printed.splitlines() if "[" in line][-1] == "all"
    content = json.loads(evolve("league", "--protocol", "noise", "--pairs", "10", "--json")[0])
    assert content["protocol"] == "noise"
    assert {member["name"] for member in content["members"]} == {"corners", "one", "two"}
    (league / "one.json").unlink()
    (league / "two.json").unlink()
    (league / "corners.json").unlink()
    _, told = evolve("league", code=2)
    assert told.startswith("evolve: 'othello_league' has no files of players (.json)")


def test_the_study_compares_with_given_shares(league: Path) -> None:
    table = study.measure("boards", Material(Settings(1, 0.02), {}, workers=1))
    assert {row.row for row in table.rows} == {"corners", "one", "two"}
    assert all(row.published is None and row.games == 80 for row in table.rows)
    assert len(study.published()) == 19


@pytest.mark.skipif(not SHARED.is_dir(), reason="the league's weights are not part of the project")
def test_the_league_has_the_shares_that_another_program_found() -> None:
    players = read_league(SHARED, GAME)
    openings = read_openings(SHARED / "boards.txt", GAME)
    result = play_league(players, openings=openings[::10], pairs=100)
    given = {line["player"]: float(line["share"]) for line in study.published()}
    for row, name in enumerate(result.members):
        low, high = result.interval(row)
        assert low - 0.02 < given[name] < high + 0.02


def test_intervals_stay_within_0_and_1() -> None:
    points = np.array([[[1.0, 1.0, 1.0, 0.5]]])
    result = rules.LeagueResult("boards", ("one",), ("two",), points)
    assert result.interval(0)[1] == result.interval_against(0, 0)[1] == 1.0
    assert result.interval(0)[0] < 0.875


def test_its_players_meet_others(league: Path) -> None:
    player = make_player("league:othello_league/corners.json", GAME)
    assert ea.duel(player, "random", games=200).score > 0.6
