"""Round robins, and their tables."""

from __future__ import annotations

import json

import pytest

from evolve_arena.arena.crosstable import Crosstable, play_tournament
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.executors import ProcessExecutor
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved

GAME = make_game("connect-four")


def make_players() -> list[Player]:
    network = make_evolved("connect-four", "mlp", head="policy", hidden=(4,))
    return [make_random(GAME), network, make_player("test-bot", GAME)]


def make_result(wins: int, draws: int, losses: int) -> DuelResult:
    return DuelResult(("", ""), wins, draws, losses, 1, {})


TABLE = Crosstable(
    ("a", "b", "c"),
    {(0, 1): make_result(2, 2, 6), (0, 2): make_result(1, 0, 9), (1, 2): make_result(6, 1, 3)},
)


def test_the_table_ranks_by_strength() -> None:
    assert TABLE.ranking == [1, 2, 0]
    content = json.loads(json.dumps(TABLE.to_dict(), allow_nan=False))
    rows = content["players"]
    assert [(row["rank"], row["name"]) for row in rows] == [(1, "b"), (2, "c"), (3, "a")]
    assert [row["points"] for row in rows] == [13.5, 12.5, 4.0]
    assert [row["games"] for row in rows] == [20, 20, 20]
    assert rows[0]["score"] == 0.675
    assert rows[0]["elo"] > rows[1]["elo"] > 0.0 > rows[2]["elo"]
    assert sum(row["elo"] for row in rows) == pytest.approx(0.0, abs=1e-6)
    for row in rows:
        low, high = row["wilson_95"]
        assert low < row["score"] < high
    assert content["crosstable"] == {
        "b": {"c": 0.65, "a": 0.7},
        "c": {"b": 0.35, "a": 0.9},
        "a": {"b": 0.3, "c": 0.1},
    }
    assert len(content["duels"]) == 3


def test_a_printed_table_has_a_line_for_each_player() -> None:
    lines = str(TABLE).splitlines()
    assert [line.split()[0] for line in lines] == ["b", "c", "a"]
    assert lines[0].endswith("score 0.675 in 20 games")
    assert "Elo" in lines[2]


def test_every_two_players_meet() -> None:
    told: list[tuple[int, int]] = []
    table = play_tournament(
        GAME, make_players(), games=51, seed=1, progress=lambda *done: told.append(done)
    )
    assert set(table.duels) == {(0, 1), (0, 2), (1, 2)}
    assert all(result.games == 52 for result in table.duels.values())
    assert table.points.sum() == 3 * 52
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert table.names == ("random", "weights", "test-bot")
    assert table.duels[0, 2].names == ("random", "test-bot")
    assert table.ranking[0] == 2


def test_a_tournament_repeats_itself_with_any_executor() -> None:
    def play(seed: int, executor: ProcessExecutor | None = None) -> dict[str, object]:
        table = play_tournament(
            GAME, make_players(), games=200, opening_plies=4, seed=seed, executor=executor
        )
        return table.to_dict()

    expected = play(1)
    with ProcessExecutor(2) as executor:
        assert play(1, executor) == expected
    assert play(2) != expected


def test_equal_names_are_numbered() -> None:
    players = [make_random(GAME), make_player("test-bot", GAME), make_random(GAME)]
    players[1].name = "random #1"
    table = play_tournament(GAME, players, games=2)
    assert len(set(table.names)) == 3
    assert len(table.to_dict()["crosstable"]) == 3


@pytest.mark.parametrize("count", [0, 1])
def test_a_tournament_needs_two_players(count: int) -> None:
    with pytest.raises(BadValueError, match="at least two players"):
        play_tournament(GAME, make_players()[:count])


def test_forfeits_give_no_points_and_no_rating() -> None:
    """C forfeits everything against a and b, and never wins; a and b met by the rules."""
    gone = (ForfeitCount(1, "crash", 10, "c crashed."),)
    met = DuelResult(("a", "b"), 6, 0, 4, 2, {"win": 10})
    absent = DuelResult(("", "c"), 0, 0, 0, 0, {"crash": 10}, forfeits=gone)
    table = Crosstable(("a", "c", "b"), {(0, 2): met, (0, 1): absent, (1, 2): absent.reversed()})
    assert table.games.tolist() == [[0, 0, 10], [0, 0, 0], [10, 0, 0]]
    content = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    keys = ("name", "games", "counted_games", "finished_games", "forfeited_games")
    assert [[row[key] for key in keys] for row in content["players"]] == [
        ["a", 20, 10, 10, 0],
        ["b", 20, 10, 10, 0],
        ["c", 20, 20, 0, 20],
    ]
    assert [row["score"] for row in content["players"]] == [0.6, 0.4, 0.0]
    assert [row["distinct_games"] for row in content["players"]] == [2, 2, 0]
    assert content["players"][2]["elo"] is None
    assert content["players"][0]["elo"] > 0 > content["players"][1]["elo"]
    assert content["crosstable"] == {"a": {"b": 0.6}, "b": {"a": 0.4}, "c": {"a": 0.0, "b": 0.0}}
