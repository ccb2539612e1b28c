"""Meetings of a generation, winners of its tournaments, and members of its hall of fame."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Batch, Pairings, Results, new_results
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.pairings import both_colours, round_robin, tournaments
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.evolve.matches import (
    HallOfFame,
    MatchesConfig,
    TournamentResults,
    check_openings,
    choose_from_hall,
    describe_fitness,
    draw_members,
    meet,
    meet_hall,
    remember,
    sum_members,
    sum_points,
    sum_tournaments,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.players.packed import NOISE
from tests.evolve.rigged import GraphDecoder, Recorder
from tests.small_recipes import ONE_GAME

DECODER = GraphDecoder(columns=5, rows=4, head="value")
POPULATION, _ = create(NeatConfig(pop_size=12), DECODER.inputs, DECODER.outputs, 1)


@dataclass(frozen=True)
class Generation:
    """The parts of a state that meetings use."""

    population: NeatPopulation
    hall: NeatPopulation
    seed: int = 3
    generation: int = 7


STATE = Generation(POPULATION.take(range(4)), POPULATION.take(range(4, 12)))


def make_config(**settings: object) -> MatchesConfig:
    usual = {"draw_points": 0.0, **ONE_GAME}
    return MatchesConfig.model_validate({**usual, **settings})


def play(state: Generation = STATE, **settings: object) -> tuple[Batch, Results, Pairings]:
    recorder = Recorder()
    arena = Arena(DECODER, recorder)
    results, met = meet(make_config(**settings), arena, state, round_robin(4), "matches")
    (batch,) = recorder.batches
    assert arena.games_played == len(batch) == len(results) == len(met)
    assert np.array_equal(batch.pairings, met)
    return batch, results, met


@pytest.mark.parametrize(
    ("settings", "times"),
    [
        ({}, 1),
        ({"colours": "both"}, 2),
        ({"games": 3}, 3),
        ({"openings": {"plies": 2, "count": 5}}, 5),
        ({"openings": {"count": 5}}, 1),
        ({"games": 3, "colours": "both", "openings": {"plies": 2, "count": 5}}, 30),
    ],
)
def test_each_pair_meets_as_often_as_the_recipe_says(settings: Settings, times: int) -> None:
    batch, _, _ = play(**settings)
    met = Counter(map(tuple, batch.pairings.tolist()))
    if settings.get("colours") == "both":
        assert met == Counter(map(tuple, both_colours(round_robin(4)).tolist() * (times // 2)))
    else:
        assert met == Counter(map(tuple, round_robin(4).tolist() * times))
    assert len(set(batch.seeds.tolist())) == len(batch)


def test_every_pair_plays_every_opening_as_often() -> None:
    batch, _, _ = play(games=2, colours="both", openings={"plies": 3, "count": 4})
    met = Counter(
        (tuple(pair), tuple(opening))
        for pair, opening in zip(batch.pairings.tolist(), batch.openings.tolist(), strict=True)
    )
    openings = Counter(opening for _, opening in met.elements())
    assert len(openings) <= 4
    assert set(met.values()) <= {2, 4, 6, 8}  # the same opening may be drawn twice
    assert all(count % 12 == 0 for count in openings.values())


def test_seeds_and_openings_depend_on_seed_and_generation() -> None:
    settings = {"openings": {"plies": 4, "count": 6}}
    first, _, _ = play(**settings)
    again, _, _ = play(**settings)
    assert np.array_equal(first.seeds, again.seeds)
    assert np.array_equal(first.openings, again.openings)
    for change in ({"seed": 4}, {"generation": 8}):
        other, _, _ = play(replace(STATE, **change), **settings)
        assert not set(other.seeds.tolist()) & set(first.seeds.tolist())
        assert not np.array_equal(other.openings, first.openings)


@pytest.mark.parametrize(("noise", "units"), [(0.0, 0), (0.25, 2**30), (1.0, 2**32)])
def test_noise_and_openings_are_those_of_everybody(noise: float, units: int) -> None:
    settings = {"noise": noise, "openings": {"plies": 5, "count": 4}}
    inside, _, _ = play(**settings)
    recorder = Recorder()
    config = make_config(**settings, hall_of_fame={"opponents": 2})
    meet_hall(config, Arena(DECODER, recorder), STATE, STATE.hall.take([0, 1]))
    (outside,) = recorder.batches
    for batch, players in ((inside, 4), (outside, 6)):
        assert batch.packed.seats[:, NOISE].tolist() == [units] * players
    openings = [set(map(tuple, batch.openings.tolist())) for batch in (inside, outside)]
    assert openings[0] == openings[1]
    assert all(len(opening) == 5 and min(opening) >= 0 for opening in openings[0])


# --- the hall of fame ----------------------------------------------------------------------


@pytest.mark.parametrize("colours", ["one", "both"])
def test_everybody_meets_the_chosen_members_in_both_colours(colours: str) -> None:
    recorder = Recorder()
    arena = Arena(DECODER, recorder)
    chosen = STATE.hall.take([6, 1, 3])
    config = make_config(colours=colours, draw_points=0.5)
    points, played = meet_hall(config, arena, STATE, chosen).sum_points(4, 0.5)
    (batch,) = recorder.batches
    met = Counter(map(tuple, batch.pairings.tolist()))
    each = [(one, 4 + other) for one in range(4) for other in range(3)]
    assert met == Counter([*each, *((other, one) for one, other in each)])
    assert played.tolist() == [6.0] * 4
    assert arena.games_played == 24
    # The members' own points are not those of the population.
    outcomes = recorder.results[0].outcomes
    expected = np.zeros(7)
    for (first, second), outcome in zip(batch.pairings.tolist(), outcomes.tolist(), strict=True):
        expected[first] += (1 + outcome) / 2
        expected[second] += (1 - outcome) / 2
    assert points.tolist() == expected[:4].tolist()
    assert 0 < points.sum() < 24


def test_members_play_as_the_genomes_that_they_are() -> None:
    """The members after a population play the games that they play within one."""
    config = make_config()
    recorder = Recorder()
    meet_hall(config, Arena(DECODER, recorder), STATE, STATE.hall.take([5]))
    (batch,) = recorder.batches
    everybody = POPULATION.take([0, 1, 2, 3, 9])
    again = Arena(DECODER, SerialExecutor()).play(everybody, batch.pairings, batch.seeds)
    assert np.array_equal(recorder.results[0].game_hashes, again.game_hashes)


def test_members_are_drawn_anew_in_each_generation() -> None:
    config = make_config(hall_of_fame={"opponents": 3})
    drawn: Counter[int] = Counter()
    for generation in range(400):
        state = replace(STATE, generation=generation)
        chosen = choose_from_hall(config, state).tolist()
        assert len(set(chosen)) == 3
        drawn.update(chosen)
    assert set(drawn) == set(range(8))
    assert max(drawn.values()) < 1.4 * min(drawn.values())
    few = Generation(STATE.population, STATE.hall.take([0, 1]))
    assert sorted(choose_from_hall(config, few).tolist()) == [0, 1]
    nobody = Generation(STATE.population, STATE.hall.take([]))
    assert choose_from_hall(config, nobody).tolist() == []


# --- figures and openings ------------------------------------------------------------------


def test_figures_of_fitness() -> None:
    figures = describe_fitness(np.array([0.5, 0.1, np.nan, 0.4, 0.3, 0.2]))
    assert figures == {
        "best": 0.5,
        "upper_quartile": 0.4,
        "median": 0.3,
        "lower_quartile": 0.2,
        "worst": 0.1,
    }
    assert set(describe_fitness(np.array([0.7])).values()) == {0.7}


def test_openings_that_the_board_has_no_room_for_are_named() -> None:
    game = make_game("connect-four", columns=3, rows=2, connect=3)
    check_openings(game, 1, "matches.openings.plies")
    with pytest.raises(BadValueError, match=r"^matches\.openings\.plies: openings of 4 plies: .*1"):
        check_openings(game, 4, "matches.openings.plies")


# --- who enters the hall, and who has to leave -----------------------------------------------


def run_generations(config: HallOfFame, last: int, seed: int = 1) -> NDArray[np.float32]:
    """Return the hall after generations 0 to *last*, whose fittest are their own numbers."""
    hall = np.zeros((0, 2), np.float32)
    for generation in range(last + 1):
        fittest = np.full(2, generation, np.float32)
        hall = remember(config, hall, fittest, seed, generation)
    return hall


@pytest.mark.parametrize(
    ("size", "every", "opponents", "expected"),
    [(50, 4, 1, [0, 4, 8, 12, 16]), (50, 1, 0, []), (1, 3, 1, [15])],
)
def test_the_fittest_enters_every_so_many_generations(
    size: int, every: int, opponents: int, expected: list[int]
) -> None:
    hall = run_generations(HallOfFame(size=size, every=every, opponents=opponents), last=17)
    assert hall.dtype == np.float32
    assert hall[:, 0].tolist() == expected


def test_the_hall_never_outgrows_its_size_and_keeps_the_newest() -> None:
    config = HallOfFame(size=5, every=1, opponents=1)
    for last in range(30):
        hall = run_generations(config, last)[:, 0].tolist()
        assert len(hall) == min(5, last + 1)
        assert hall[-1] == last
        assert hall == sorted(set(hall))


def test_who_leaves_is_drawn_uniformly() -> None:
    config = HallOfFame(size=6, every=1, opponents=1)
    full = np.arange(6, dtype=np.float32)[:, None]
    left: Counter[float] = Counter()
    for seed in range(3000):
        hall = remember(config, full, np.full(1, 6, np.float32), seed, 7)
        (gone,) = set(range(6)) - set(hall[:, 0].tolist())
        left[gone] += 1
    assert stats.chisquare([left[number] for number in range(6)]).pvalue > 0.001


# --- tournaments -----------------------------------------------------------------------------


def make_contest(
    points: list[list[float]], members: NDArray[np.int32] | None = None
) -> TournamentResults:
    table = np.array(points)
    if members is None:
        members = np.tile(np.arange(table.shape[1], dtype=np.int32), (len(table), 1))
    return TournamentResults(members, table, np.zeros(table.shape[1]))


def test_who_has_most_points_wins() -> None:
    members = np.array([[4, 7, 1], [0, 2, 3], [7, 4, 5]], np.int32)
    played = make_contest([[1.0, 0.0, 2.0], [0.5, 0.0, 0.0], [3.0, 2.5, 2.0]], members)
    for seed in range(20):
        winners = played.winners(new_stream(seed))
        assert winners.tolist() == [1, 0, 7]


@pytest.mark.parametrize(
    ("points", "best"), [([2.0, 1.0, 2.0, 0.0, 2.0], {0, 2, 4}), ([0.0] * 4, {0, 1, 2, 3})]
)
def test_ties_are_drawn_uniformly_among_the_best(points: list[float], best: set[int]) -> None:
    counts = Counter(make_contest([points] * 6000).winners(new_stream(1)).tolist())
    assert set(counts) == best
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@given(individuals=st.integers(2, 30), share=st.floats(0, 1), seed=st.integers(-(2**63), 2**64 - 1))
def test_nobody_is_twice_in_a_tournament(individuals: int, share: float, seed: int) -> None:
    size = 2 + round(share * (individuals - 2))
    members = draw_members(individuals, 25, size, new_stream(seed))
    assert members.shape == (25, size)
    assert members.min() >= 0
    assert members.max() < individuals
    assert all(len(set(row)) == size for row in members.tolist())
    assert np.array_equal(members, draw_members(individuals, 25, size, new_stream(seed)))


@pytest.mark.parametrize(("individuals", "size"), [(10, 3), (7, 7), (5, 2)])
def test_members_are_drawn_uniformly(individuals: int, size: int) -> None:
    members = draw_members(individuals, 20_000, size, new_stream(3))
    for place in range(size):
        counts = np.bincount(members[:, place], minlength=individuals)
        assert stats.chisquare(counts).pvalue > 0.0005


def test_consecutive_tournaments_are_independent() -> None:
    # The deck is not put back in order between tournaments: that must leave no trace.
    firsts = draw_members(5, 40_000, 3, new_stream(5))[:, 0]
    counts = Counter(zip(firsts[0::2].tolist(), firsts[1::2].tolist(), strict=True))
    assert len(counts) == 25
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("games", [1, 2])
def test_points_add_up_match_by_match(games: int) -> None:
    members = draw_members(9, 12, 4, new_stream(6))
    pairings = np.repeat(both_colours(tournaments(members)), games, axis=0)
    outcomes = np.random.default_rng(7).integers(-1, 2, len(pairings)).astype(np.int8)
    results = new_results(make_game("connect-four"), len(pairings))
    results.places[:] = np.stack([1 + (outcomes < 0), 1 + (outcomes > 0)], axis=1)
    won = np.zeros(members.shape)
    points, played = np.zeros(9), np.zeros(9)
    for match, (first, second) in enumerate(pairings.tolist()):
        row = match // (6 * 2 * games)
        for player, outcome in ((first, outcomes[match]), (second, -outcomes[match])):
            gained = {1: 1.0, 0: 0.25, -1: 0.0}[int(outcome)]
            won[row, members[row].tolist().index(player)] += gained
            points[player] += gained
            played[player] += 1.0
    assert np.array_equal(sum_tournaments(results, pairings, members, 0.25), won)
    for sums in (
        sum_points(results, pairings, 9, 0.25),
        sum_members(members, won, len(pairings), 9),
    ):
        assert np.allclose(sums[0], points, rtol=1e-12)
        assert np.array_equal(sums[1], played)
