"""Tables of one player: the figures of a table worked out by hand, and pooled ones."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from evolve_arena.arena.batch import new_results, seat_players
from evolve_arena.arena.self_play import MirrorResult, play_mirror, pool
from evolve_arena.arena.statistics import normal_interval, wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.players.specification import make_player

GAME = make_game("ticket-to-ride")
SPEC = find_game("ticket-to-ride")


def by_hand() -> MirrorResult:
    """Return four games of two, of which a forbidden move ended one."""
    results = new_results(GAME, 4)
    results.columns["points"][:, :2] = [[110, 111], [141, 120], [-200, 300], [60, 58]]
    results.columns["tickets_done"][:, :2] = [[3, 2], [5, 4], [9, 9], [0, 1]]
    results.columns["tickets_failed"][:, :2] = [[0, 1], [0, 0], [9, 9], [1, 1]]
    results.columns["rounds"][:] = [[40], [43], [3], [49]]
    results.offenders[:] = -1, -1, 1, -1
    results.game_hashes[:] = 1, 2, 3, 4
    pairings = seat_players(np.zeros((4, 2)), SPEC.most_seats)
    return MirrorResult("a", pairings, results, SPEC.limits)


def test_figures_worked_out_by_hand() -> None:
    result = by_hand()
    assert result.points.tolist() == [110, 111, 141, 120, 60, 58]
    assert (result.games, result.aborted) == (4, 1)
    assert (result.maximum, result.minimum) == (141, 58)
    assert result.mean == 100.0
    assert result.median == 110.5
    # Squares: 100 + 121 + 1681 + 400 + 1600 + 1764 = 5666.
    assert result.deviation == pytest.approx(math.sqrt(5666 / 5))
    assert (result.mean_of("tickets_done"), result.mean_of("tickets_failed")) == (15 / 6, 3 / 6)
    assert result.mean_of("rounds") == 44.0
    assert [result.share_above(limit) for limit in (110, 120, 140, 141)] == [3 / 6, 1 / 6, 1 / 6, 0]
    assert result.share_interval(120) == wilson_interval(1, 6)
    # Games' means are 110.5, 130.5 and 59.
    assert result.mean_interval == pytest.approx(normal_interval([110.5, 130.5, 59.0]))


def test_the_result_as_a_dictionary() -> None:
    content = by_hand().to_dict()
    assert content["seats"] == [2]
    assert content["mean"] == 100.0
    assert content["aborted_games"] == 1
    columns = ("tickets_done", "tickets_failed", "rounds")
    assert [content[name] for name in columns] == [15 / 6, 3 / 6, 44.0]
    assert content["above"]["110"] == {"share": 0.5, "wilson_95": list(wilson_interval(3, 6))}
    json.dumps(content, allow_nan=False)


def test_pooled_games_weigh_by_their_seats() -> None:
    results = new_results(GAME, 2)
    results.columns["points"][:, :4] = [[10, 20, 30, 40], [70, 70, 70, 70]]
    results.offenders[:] = -1
    pairings = seat_players(np.zeros((2, 4)), SPEC.most_seats)
    four = MirrorResult("a", pairings, results, SPEC.limits)
    both = pool([by_hand(), four])
    assert both.games == 6
    assert both.aborted == 1
    assert both.mean == (600 + 100 + 280) / 14 == 70.0
    # Totals less 70 a seat: 81, 121, -22, -180, 0; five games of 14 seats.
    spread = (81**2 + 121**2 + 22**2 + 180**2) * 5 / 4
    half = 1.959963984540054 * math.sqrt(spread) / 14
    assert both.mean_interval == pytest.approx((70 - half, 70 + half))
    assert both.to_dict()["seats"] == [2, 4]
    assert list(both.to_dict()["above"]) == ["110", "120", "140"]


def test_of_aborted_games_nothing_is_told_but_their_number() -> None:
    result = by_hand()
    result.results.offenders[:] = 0
    assert result.aborted == 4
    assert math.isnan(result.mean)
    assert math.isnan(result.deviation)
    content = result.to_dict()
    assert content["mean"] is None
    assert content["mean_95"] is None
    assert content["above"]["110"]["share"] is None
    json.dumps(content, allow_nan=False)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_rule_player_at_all_seats(players: int) -> None:
    result = play_mirror(GAME, make_player("rule", GAME), players=players, games=50, seed=1)
    assert result.points.shape == (50 * players,)
    assert result.aborted == 0
    assert result.results.distinct_games == 50
    assert 70 < result.mean < 130
    assert 30 < result.mean_of("rounds") < 60
    assert (result.results.columns["points"][:, players:] == 0).all()
    assert (result.results.places[:, :players].min(axis=1) == 1).all()
    again = play_mirror(GAME, make_player("rule", GAME), players=players, games=50, seed=1)
    assert np.array_equal(again.results.game_hashes, result.results.game_hashes)


def test_values_out_of_range_are_refused() -> None:
    player = make_player("random", GAME)
    with pytest.raises(BadValueError, match="games is -1"):
        play_mirror(GAME, player, games=-1)
    with pytest.raises(BadValueError, match="a table of 7 seats"):
        play_mirror(GAME, player, players=7)
