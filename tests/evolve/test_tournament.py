"""The method ``tournament``: winners, parents, and the figures of a generation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy import stats

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.types import Settings
from evolve_arena.evolve.matches import draw_members, sum_points, sum_tournaments
from evolve_arena.evolve.tournament import Tournament, TournamentState
from tests.evolve.rigged import LINEAR, Recorder, strong, vector, vectors
from tests.evolve.rigged import make_tournament as make_method

ARENA = Arena(LINEAR, SerialExecutor())
STRONG = vector(strong())


def start(method: Tournament, population: NDArray[np.float32], seed: int = 1) -> TournamentState:
    return replace(method.initial(seed), population=population)


@pytest.mark.parametrize(("crossover", "parent"), [(0.0, 0), (1.0, 1)])
def test_children_descend_from_the_winners_of_consecutive_tournaments(
    crossover: float, parent: int
) -> None:
    method = make_method(individuals=30, crossover_probability=crossover)
    population = vectors({17: strong()}, 30)
    state, _ = method.step(start(method, population, seed=9), ARENA)
    seed = derive_stream(9, 0, "members")
    members = draw_members(30, 60, 3, seed)
    won = [17 in row for row in members[parent::2].tolist()]
    assert 0 < sum(won) < 30
    children = [np.array_equal(child, STRONG) for child in state.population]
    assert children == won
    known = {row.tobytes() for row in population}
    assert all(child.tobytes() in known for child in state.population)


def test_elites_survive_to_the_last_bit() -> None:
    method = make_method(
        individuals=9, tournament_size=9, elites=1, mutation_probability=1.0, self_adaptive=True
    )
    state = start(method, vectors({6: strong()}, 9))
    state = replace(state, step_sizes=np.arange(1, 10, dtype=np.float32))
    state, _ = method.step(state, ARENA)
    assert np.array_equal(state.population[0], STRONG)
    assert state.step_sizes[0] == 7.0
    assert not any(np.array_equal(child, STRONG) for child in state.population[1:])


def test_with_self_adaptation_strengths_are_inherited_and_bounded() -> None:
    method = make_method(individuals=50, self_adaptive=True, step_size_rate=0.5, min_step_size=0.9)
    state, _ = method.step(method.initial(1), ARENA)
    assert len(set(state.step_sizes.tolist())) > 10
    assert state.step_sizes.min() == np.float32(0.9)
    assert state.step_sizes.max() > 1.5


def test_mutation_has_the_strength_that_the_recipe_says() -> None:
    method = make_method(individuals=40, mutation_probability=0.5, step_size=3.0)
    state, _ = method.step(start(method, np.zeros((40, LINEAR.genes), np.float32)), ARENA)
    assert state.step_sizes.tolist() == [3.0] * 40
    steps = state.population[state.population != 0] / 3.0
    assert stats.binomtest(len(steps), state.population.size, 0.5).pvalue > 0.001
    assert stats.kstest(steps, "norm").pvalue > 0.001


def test_members_of_a_tournament_meet_as_often_as_the_recipe_says() -> None:
    settings = {"openings": {"plies": 4, "count": 3}, "colours": "both", "games": 2}
    recorder = Recorder()
    method = make_method(individuals=5, tournament_size=5, **settings)
    _, report = method.step(method.initial(1), Arena(LINEAR, recorder))
    (batch,) = recorder.batches
    assert len(batch) == report.games == 10 * 20 * 6
    for rows in batch.pairings.reshape(10, 20 * 6, 2).tolist():
        met = Counter(map(tuple, rows))
        assert len(met) == 20
        assert set(met.values()) == {6}


@pytest.mark.parametrize("colours", ["one", "both"])
def test_in_a_round_robin_everybody_meets_everybody_once(colours: str) -> None:
    times = 1 + (colours == "both")
    method = make_method(individuals=20, pairing="round-robin", colours=colours)
    recorder = Recorder()
    state, report = method.step(method.initial(1), Arena(LINEAR, recorder))
    method.step(state, Arena(LINEAR, recorder))
    one, other = (batch.pairings for batch in recorder.batches)
    assert report.games == 190 * times
    met = Counter(frozenset(pair) for pair in one.tolist())
    assert len(met) == 190
    assert set(met.values()) == {times}
    # Nobody moves first in more than one pairing more than anybody else.
    first = np.bincount(one[:, 0], minlength=20)
    assert first.max() - first.min() <= 2 - times
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("pairing", ["tournaments", "round-robin"])
def test_who_has_most_points_inside_and_against_the_hall_wins_a_tournament(pairing: str) -> None:
    method = make_method(individuals=30, pairing=pairing, hall_of_fame={"opponents": 5})
    recorder = Recorder()
    state = replace(method.initial(1), hall=method.initial(2).population[:5])
    after, report = method.step(state, Arena(LINEAR, recorder))
    members = draw_members(30, 60, 3, derive_stream(1, 0, "members"))
    inside, outside = recorder.batches
    (points, played), (bonus, more) = (
        sum_points(results, batch.pairings, 35, 0.0)
        for results, batch in zip(recorder.results, recorder.batches, strict=True)
    )
    assert len(outside) == 300
    if pairing == "tournaments":
        won = sum_tournaments(recorder.results[0], inside.pairings, members, 0.0) + bonus[members]
    else:
        won = (points + bonus)[members]
        assert (played + more)[:30].tolist() == [29 + 10] * 30
    shares = (points + bonus)[:30] / (played + more)[:30]
    assert report.statistics["best"] == pytest.approx(shares.max())
    assert len(set(won.ravel().tolist())) > 5
    for child, row, gained in zip(after.population, members[0::2], won[0::2], strict=True):
        (parent,) = np.flatnonzero((state.population == child).all(axis=1))
        assert gained[row == parent].tolist() == [gained.max()]


def test_who_was_not_drawn_is_no_elite_and_spoils_no_figure() -> None:
    method = make_method(individuals=200, tournament_size=2, elites=80)
    population = method.initial(1).population
    recorder = Recorder()
    state, report = method.step(start(method, population), Arena(LINEAR, recorder))
    drawn = set(recorder.batches[0].pairings.ravel().tolist())
    missing = [number for number in range(200) if number not in drawn]
    assert missing
    elites = {row.tobytes() for row in state.population[:80]}
    assert not elites & {population[number].tobytes() for number in missing}
    assert all(np.isfinite(value) for value in report.statistics.values())


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"tournament_size": 7}, "tournament_size is 7, more than the 6 individuals"),
        ({"elites": 7}, "elites is 7, more than the 6 individuals"),
        (
            {"self_adaptive": True, "mutation": "mutShuffleIndexes"},
            "self_adaptive is true, but variation.mutation is 'mutShuffleIndexes'",
        ),
        ({"step_size": 0.0}, "step_size"),
        ({"openings": {"plies": 21}}, r"openings\.plies"),
        ({"pairing": "species"}, "pairing"),
        ({"elite": 1}, "elite"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Settings, text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make_method(**settings)
