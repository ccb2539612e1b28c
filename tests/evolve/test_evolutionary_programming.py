"""The method ``evolutionary-programming``: children's mutations, survivors and the champion."""

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
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_stream
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.evolve.evolutionary_programming import (
    EvolutionaryProgramming,
    EvolutionaryProgrammingState,
)
from evolve_arena.evolve.programming_matches import draw_opponents, rank_by_merit
from evolve_arena.genomes.self_adaptive import mutate_self_adaptive, self_adaptive_rate
from evolve_arena.players.board.workspace import DEPTH
from tests.evolve.rigged import LINEAR, NetworkDecoder, Recorder, make_config
from tests.evolve.rigged import make_programming as make_method

SEARCHING = find_game("tic-tac-toe").networks["mlp"].decoder_type


# Mutation


def mutate(
    genomes: NDArray[np.float32], step_sizes: float = 0.5, seed: int = 1, **options: object
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    options = {"rate": 0.3, **options}
    before = np.full(genomes.shape, step_sizes, np.float32)
    return mutate_self_adaptive(genomes, before, new_stream(seed), **options)


def test_strengths_vary_log_normally_and_genes_by_them() -> None:
    genomes = np.linspace(-1.0, 1.0, 100_000, dtype=np.float32).reshape(200, 500)
    children, step_sizes = mutate(genomes)
    assert children.dtype == step_sizes.dtype == np.float32
    logarithms = np.log(step_sizes / 0.5) / 0.3
    assert stats.kstest(logarithms.ravel(), "norm").pvalue > 0.001
    changes = (children - genomes) / step_sizes
    assert stats.kstest(changes.ravel(), "norm").pvalue > 0.001
    # The two have nothing to do with one another, nor with those of the gene before.
    one, other = logarithms.ravel(), changes.ravel()
    for first, second in ((one, other), (one[1:], one[:-1]), (other[1:], other[:-1])):
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.015


def test_the_usual_rate() -> None:
    # tau = 1 / sqrt(2 sqrt(n)): 2 * sqrt(256) is 32; for the networks of 1741 weights 83.45.
    assert self_adaptive_rate(256) == pytest.approx(1 / 32**0.5)
    assert self_adaptive_rate(1741) == pytest.approx(0.10947, abs=1e-5)


def test_strengths_stay_between_a_floor_and_a_thousand() -> None:
    genomes = np.zeros((50, 100), np.float32)
    _, step_sizes = mutate(genomes, 0.5, rate=1.0, floor=0.25)
    share = stats.norm.cdf(np.log(0.5))  # of the numbers that lie below the floor
    assert step_sizes.min() == 0.25
    assert stats.binomtest(int((step_sizes == 0.25).sum()), 5000, share).pvalue > 0.001
    children, step_sizes = mutate(genomes, 900.0, rate=5.0)
    assert step_sizes.max() == 1000.0
    assert np.isfinite(children).all()


# Who meets whom


def test_everybody_draws_as_many_opponents() -> None:
    pairings = draw_opponents(6, 5000, np.random.default_rng(1))
    assert pairings.shape == (30000, 2)
    assert np.bincount(pairings[:, 0]).tolist() == [5000] * 6
    assert not (pairings[:, 0] == pairings[:, 1]).any()
    for player in range(6):
        drawn = np.bincount(pairings[pairings[:, 0] == player, 1], minlength=6)
        assert stats.chisquare(np.delete(drawn, player)).pvalue > 0.001


# Selection


def start(method: EvolutionaryProgramming, seed: int) -> EvolutionaryProgrammingState:
    """Return a state of parents with large weights, and with two in the hall."""
    state = method.initial(seed)
    wild = np.random.default_rng(seed).normal(size=state.population.shape).astype(np.float32)
    return replace(state, population=wild, hall=wild[:2] * 2)


def count_points(
    recorder: Recorder, players: int, win: float, draw: float, loss: float
) -> tuple[list[float], list[int]]:
    """Count points and matches by plain bookkeeping."""
    points, matches = [0.0] * players, [0] * players
    for batch, results in zip(recorder.batches, recorder.results, strict=True):
        for pair, outcome in zip(batch.pairings.tolist(), results.outcomes.tolist(), strict=True):
            for player, own in zip(pair, (outcome, -outcome), strict=True):
                if player < players:
                    points[player] += {1: win, 0: draw, -1: loss}[own]
                    matches[player] += 1
    return points, matches


@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize("counting", [{}, {"draw": 0.5, "loss": 0.25}])
@pytest.mark.parametrize("opponents", [0, 2])
def test_those_with_most_points_live_on(
    score: str, counting: dict[str, float], opponents: int
) -> None:
    """Among them those against the hall of fame."""
    keys = {f"{key}_points": value for key, value in counting.items()}
    keys |= {"hall_of_fame": {"opponents": opponents}, "step_size_rate": 0.5}
    decoder = NetworkDecoder(columns=4, rows=4, head="value", encoding="planes", hidden=())
    method = make_method(decoder, score=score, individuals=8, step_size=0.5, **keys)
    rules = {"win": 1.0, "draw": 0.0, "loss": -2.0, **counting}
    differences = draws = 0
    for seed in range(3):
        state, recorder = start(method, seed), Recorder()
        after, report = method.step(state, Arena(decoder, recorder))
        draws += int((recorder.results[0].outcomes == 0).sum())
        assert report.games == 2 * 8 * (5 + 2 * opponents)
        points, matches = count_points(recorder, 16, **rules)
        mean = [one / other for one, other in zip(points, matches, strict=True)]
        merit = points if score == "sum" else mean
        children, step_sizes = mutate_self_adaptive(
            state.population,
            state.step_sizes,
            derive_stream(state.seed, 0, "mutation"),
            rate=0.5,
            floor=0.0,
        )
        everybody = np.concatenate([state.population, children])
        step_sizes = np.concatenate([state.step_sizes, step_sizes])
        assert np.array_equal(everybody[:8], state.population)
        known = {row.tobytes(): number for number, row in enumerate(everybody)}
        lived = [known[row.tobytes()] for row in after.population]
        assert np.array_equal(after.step_sizes, step_sizes[lived])
        assert [merit[number] for number in lived] == sorted(merit, reverse=True)[:8]
        differences += sorted(points, reverse=True)[:8] != sorted(mean, reverse=True)[:8]
        lowest, highest = rules["loss"], rules["win"]
        best = (max(mean) - lowest) / (highest - lowest)
        assert report.statistics["best"] == pytest.approx(best)
    assert differences
    assert draws > 20  # of 240 games, on so small a board


def test_who_is_as_good_is_ranked_by_chance() -> None:
    rng = np.random.default_rng(1)
    rankings = [rank_by_merit(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), rng) for _ in range(900)]
    assert {tuple(ranking[:2].tolist()) for ranking in rankings} == {(1, 3)}
    third = Counter(int(ranking[2]) for ranking in rankings)
    assert set(third) == {0, 2, 4}
    assert stats.chisquare(list(third.values())).pvalue > 0.001


def test_the_champion_may_be_the_mean() -> None:
    method = make_method(individuals=2, champion="mean")
    rows = np.full((2, LINEAR.genes), [[0.25], [-1.25]], np.float32)
    state = replace(method.initial(1), population=rows)
    genome, report = method.champion(state, Arena(LINEAR, SerialExecutor()))
    assert genome.dtype == np.float32
    assert (genome == -0.5).all()
    assert (report.games, report.statistics) == (0, {"points": 0.0, "matches": 0.0})


@pytest.mark.parametrize(
    ("depths", "expected"), [((), [3, 3, 3, 3]), ((1,), [1, 1, 1, 1]), ((2, 1), [2, 1, 2, 1])]
)
def test_matches_may_be_shallower_than_the_game(
    depths: tuple[int, ...], expected: list[int]
) -> None:
    decoder, recorder = SEARCHING(hidden=(3,), depth=3), Recorder()
    method = make_method(decoder, individuals=2, opponents=1, training_depths=depths)
    state, arena = method.initial(1), Arena(decoder, recorder)
    for _ in range(3):
        state, report = method.step(state, arena)
        assert report.games == 4
    method.champion(state, arena)
    assert arena.games_played == 3 * 4 + 2
    seen = [set(batch.packed.seats[:, DEPTH].tolist()) for batch in recorder.batches]
    assert seen == [{depth} for depth in expected]


# Configurations and states


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss_points": 1.0}, "less than 1"),
        ({"draw_points": -2.5}, "draw_points is -2.5"),
        ({"score": "best"}, "score"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Settings, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        make_config(EvolutionaryProgramming, settings)


def test_openings_and_initialisations_are_looked_at_first() -> None:
    with pytest.raises(BadValueError, match=r"matches.openings.plies: openings of 20 plies"):
        make_method(NetworkDecoder(columns=4, rows=4), openings={"plies": 20})
    with pytest.raises(BadValueError, match="initialisation 'uniform:-1'"):
        make_method(initialisation="uniform:-1")


def test_a_training_depth_is_for_those_who_search() -> None:
    policy = NetworkDecoder(head="policy")
    with pytest.raises(BadValueError, match=r"training_depths: depth: a policy has no values"):
        make_method(policy, training_depths=[2])
    with pytest.raises(BadValueError, match=r"matches.training_depths: depth is 13"):
        make_method(SEARCHING(), training_depths=[2, 13])


def test_states_of_other_runs_are_noticed() -> None:
    method = make_method()
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    assert state.step_sizes.shape == state.population.shape == (4, LINEAR.genes)
    assert (state.step_sizes == np.float32(1e-6)).all()
    for changed, fault in (
        (replace(state, population=state.population[:3]), "its population has shape (3, 85)"),
        (replace(state, step_sizes=state.step_sizes[:, :1]), "its array of step sizes has shape"),
        (replace(state, hall=state.hall[:, :5]), "its hall of fame has shape"),
        (replace(state, step_sizes=state.step_sizes.astype(float)), "of type float64, not float32"),
    ):
        assert fault in (method.find_mismatch(changed) or "")
