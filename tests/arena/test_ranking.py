"""Configurations ranked by what their agents win."""

from __future__ import annotations

import pytest

from evolve_arena.arena.ranking import (
    Tally,
    meet_opponent,
    meet_others,
    name_configuration,
    rank_configurations,
)
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player

GAME = make_game("connect-four")


def named(player: Player, name: str) -> Player:
    player.name = name
    return player


def make_agents() -> list[Player]:
    return [
        named(make_player("minimax:depth=2", GAME), "search-1"),
        named(make_random(GAME), "chance-1"),
        named(make_player("minimax:depth=1", GAME), "search-2"),
        named(make_random(GAME), "chance-2"),
        named(make_random(GAME), "luck-1"),
    ]


def test_a_configuration_has_the_mean_the_best_and_the_worst_of_its_agents() -> None:
    shares = {"a-1": 0.5, "b-1": 0.9, "a-2": 0.1, "b-2": 0.7, "a-3": 0.6, "c": 1.0}
    rows = rank_configurations(shares, name_configuration)
    assert [(row.rank, row.name) for row in rows] == [(1, "c"), (2, "b"), (3, "a")]
    assert [row.agents for row in rows] == [1, 2, 3]
    a = rows[2]
    assert (a.mean, a.best, a.worst) == (pytest.approx(0.4), 0.6, 0.1)


def test_equal_means_share_a_rank() -> None:
    """Also if they are equal up to rounding only; the first one named stands first."""
    shares = {"x-1": 0.15, "y-1": 0.2, "x-2": 0.15, "y-2": 0.1, "z-1": 0.1, "best-1": 0.3}
    shares |= {"z-2": 0.2, "worst-1": 0.0}
    rows = rank_configurations(shares, name_configuration)
    assert [(row.rank, row.name) for row in rows] == [
        (1, "best"),
        (2, "x"),
        (2, "y"),
        (2, "z"),
        (5, "worst"),
    ]


@pytest.mark.parametrize(
    ("agent", "configuration"),
    [
        ("stage-1-mean-5k-3", "stage-1-mean-5k"),
        ("stage_one_5k_12", "stage_one_5k"),
        ("plain-2@100", "plain@100"),
        ("random #2", "random"),
        ("random", "random"),
        ("minimax:depth=4", "minimax:depth=4"),
        ("r2d2", "r2d2"),
        ("rate-0.05-1", "rate-0.05"),
        ("7", "7"),
    ],
)
def test_a_configurations_name_has_no_number_of_its_own(agent: str, configuration: str) -> None:
    assert name_configuration(agent) == configuration


def test_agents_meet_those_of_other_configurations_once_for_each_side() -> None:
    pairs: list[tuple[int, int]] = []
    tallies = meet_others(GAME, make_agents(), progress=lambda done, of: pairs.append((done, of)))
    games = {name: tally.games for name, tally in tallies.items()}
    assert games == {"search-1": 6, "chance-1": 6, "search-2": 6, "chance-2": 6, "luck-1": 8}
    assert pairs == [(number, 8) for number in range(1, 9)]
    assert sum(tally.won for tally in tallies.values()) <= 16
    assert tallies["search-1"].won >= 5


def test_other_names_make_other_configurations() -> None:
    tallies = meet_others(GAME, make_agents(), str, games=4)
    assert {tally.games for tally in tallies.values()} == {16}
    with pytest.raises(BadValueError, match="at least two; here there is 'all'"):
        meet_others(GAME, make_agents(), lambda name: "all")
    with pytest.raises(BadValueError, match="here there is 'none'"):
        meet_others(GAME, [])


def test_all_meet_one_opponent() -> None:
    tallies = meet_opponent(GAME, make_agents(), make_random(GAME), games=400, seed=2)
    assert {tally.games for tally in tallies.values()} == {400}
    rows = rank_configurations(
        {name: tally.share for name, tally in tallies.items()}, name_configuration
    )
    assert (rows[0].name, rows[0].agents) == ("search", 2)
    assert rows[0].worst > 0.85
    assert {rows[1].name, rows[2].name} == {"chance", "luck"}
    assert 0.4 < rows[2].worst <= rows[1].best < 0.6


def test_draws_are_not_won() -> None:
    assert Tally(3, 12).share == 0.25
    tiny = make_game(
        "connect-four", columns=3, rows=1, connect=3
    )  # three in a row, of which nobody can have more than two
    agents = [named(make_random(tiny), "a-1"), named(make_random(tiny), "b-1")]
    assert meet_others(tiny, agents, games=10) == {"a-1": Tally(0, 10), "b-1": Tally(0, 10)}
