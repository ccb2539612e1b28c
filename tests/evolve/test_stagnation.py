"""Improvement of species: by their records, by players from outside, or by rank."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.core.types import Settings
from evolve_arena.evolve.stagnation import (
    Assessment,
    StagnationConfig,
    assess,
    make_judges,
    summarise_species,
)
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.neat.species import Species
from tests.evolve.rigged import GRAPHS, graph, strong, weak


@dataclass(frozen=True)
class Standing:
    """The parts of a state that a judge of species uses."""

    seed: int
    generation: int
    population: NeatPopulation
    species: Species
    species_best: NeatPopulation
    best_scores: NDArray[np.float64]


def stack(column: int, key: int) -> NeatPopulation:
    return graph(strong(column), key)


def clumsy(key: int) -> NeatPopulation:
    return graph(weak(), key)


def make_standing(
    genomes: list[NeatPopulation],
    members: list[int],
    species_best: list[NeatPopulation],
    best_scores: list[float] | None = None,
    generation: int = 5,
) -> Standing:
    rows = np.array(members, dtype=np.int32)
    count = int(rows.max()) + 1
    some = np.zeros(count, dtype=np.int64)
    firsts = np.array([int(np.flatnonzero(rows == row)[0]) for row in range(count)])
    return Standing(
        seed=3,
        generation=generation,
        population=concatenate(genomes),
        species=Species(np.arange(1, count + 1), some, some, firsts, rows),
        species_best=concatenate(species_best),
        best_scores=np.full(count, -np.inf) if best_scores is None else np.array(best_scores),
    )


def give(
    standing: Standing, fitness: list[float], function: str = "max", **config: object
) -> tuple[Assessment, int]:
    """Return the judgement, and the number of matches it took."""
    settings = StagnationConfig.model_validate(config)
    arena = Arena(GRAPHS, SerialExecutor())
    judges = make_judges(settings, GRAPHS.game)
    result = assess(settings, standing, np.array(fitness), arena, judges, function)
    return result, arena.games_played


def measure(first: NeatPopulation, second: NeatPopulation, games: int, plies: int) -> float:
    """Return the first one's share of points over all openings and both colours."""
    count = games // 2
    openings = random_openings(GRAPHS.game, plies, count, 3)
    arena = Arena(GRAPHS, SerialExecutor())
    shares = []
    for sides, sign in (([0, 1], 1), ([1, 0], -1)):
        pairings = np.tile(np.array(sides, dtype=np.int32), (count, 1))
        results = arena.play(
            concatenate([first, second]), pairings, np.zeros(count, np.uint64), openings
        )
        shares.append(sign * results.outcomes.mean())
    return float(np.mean(shares) / 2 + 0.5)


# --- by record -----------------------------------------------------------------------------


def test_who_beats_the_record_improves_and_takes_its_place() -> None:
    standing = make_standing(
        [clumsy(1), stack(3, 2), stack(2, 3), clumsy(4)], [0, 0, 1, 1], [clumsy(8), stack(3, 9)]
    )
    # The fittest of the second species is a clumsy one, however well another one could play.
    assessment, games = give(standing, [0.1, 0.9, 0.2, 0.8])
    assert assessment.improved.tolist() == [True, False]
    assert assessment.species_best.keys.tolist() == [2, 9]
    assert assessment.species_best.source[:6].tolist() == stack(3, 2).source.tolist()
    assert assessment.best_scores.tolist() == [-np.inf, -np.inf]
    assert games == 2 * 60


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.4])
def test_a_clone_of_the_record_never_improves(margin: float) -> None:
    config = NeatConfig(pop_size=6, num_hidden=2)
    population, _ = create(config, GRAPHS.inputs, GRAPHS.outputs, 1)
    renamed = replace(population, keys=population.keys + 100)
    standing = make_standing([population], list(range(6)), [renamed])
    assessment, games = give(standing, [0.5] * 6, margin=margin, games=20)
    assert games == 6 * 20
    assert not assessment.improved.any()
    assert assessment.species_best.keys.tolist() == renamed.keys.tolist()


def test_the_record_itself_plays_no_match() -> None:
    standing = make_standing([stack(3, 1), clumsy(2)], [0, 1], [stack(3, 1), clumsy(2)])
    assessment, games = give(standing, [0.9, 0.1])
    assert games == 0
    assert not assessment.improved.any()
    assert assessment.species_best.keys.tolist() == [1, 2]


def test_it_takes_the_margin_to_beat_a_record() -> None:
    population, _ = create(NeatConfig(pop_size=12), 84, 1, 5)
    record = population.take([0])
    judged = 0
    for row in range(1, 12):
        share = measure(population.take([row]), record, games=40, plies=4)
        standing = make_standing([population.take([row])], [0], [record])
        for margin in (0.0, 0.05, 0.2):
            if abs(share - 0.5 - margin) > 1e-9:
                assessment, _ = give(standing, [0.5], margin=margin, games=40)
                assert assessment.improved.tolist() == [share > 0.5 + margin]
                judged += 0.5 < share < 1.0
    assert judged > 3


def test_who_stands_for_a_species_is_its_fittest_and_among_equals_the_newest() -> None:
    genomes = [stack(3, 7), clumsy(9), clumsy(2), stack(3, 4)]
    for fitness, keys in (([0.5, 0.5, 0.5, 0.5], [9, 4]), ([0.6, 0.5, 0.5, 0.4], [7, 2])):
        best_scores = [-1.0, -1.0]
        standing = make_standing(genomes, [0, 0, 1, 1], [clumsy(11), clumsy(12)], best_scores)
        assessment, _ = give(standing, fitness, criterion="rank")
        assert assessment.species_best.keys.tolist() == keys


# --- by players from outside ---------------------------------------------------------------


def test_a_species_improves_when_it_does_better_than_ever_against_others() -> None:
    genomes = [stack(3, 1), clumsy(2)]
    standing = make_standing(genomes, [0, 1], [clumsy(8), clumsy(9)])
    first, games = give(standing, [0.9, 0.1], criterion="outside")
    assert games == 2 * 60
    assert first.improved.tolist() == [True, True]  # there was no mark
    assert first.species_best.keys.tolist() == [1, 2]
    assert first.best_scores[0] > 0.85 > first.best_scores[1]

    # The same genomes in a later generation do exactly as well, which is no better.
    later = make_standing(genomes, [0, 1], [clumsy(8), clumsy(9)], first.best_scores.tolist(), 77)
    second, _ = give(later, [0.1, 0.9], criterion="outside")
    assert second.improved.tolist() == [False, False]
    assert second.species_best.keys.tolist() == [8, 9]
    assert second.best_scores.tolist() == first.best_scores.tolist()

    # What is better than one mark and worse than the other one:
    best_scores = [first.best_scores[0] + 0.01, first.best_scores[1] - 0.01]
    third, _ = give(
        make_standing(genomes, [0, 1], [clumsy(8), clumsy(9)], best_scores),
        [0.5] * 2,
        criterion="outside",
    )
    assert third.improved.tolist() == [False, True]
    assert third.species_best.keys.tolist() == [8, 2]
    assert third.best_scores.tolist() == [best_scores[0], first.best_scores[1]]


def test_several_players_from_outside_count_alike() -> None:
    standing = make_standing([stack(3, 1), clumsy(2)], [0, 1], [clumsy(8), clumsy(9)])
    alone = [
        give(standing, [0.5] * 2, criterion="outside", opponents=[name])[0].best_scores
        for name in ("random", "test-bot")
    ]
    both, games = give(standing, [0.5] * 2, criterion="outside", opponents=["random", "test-bot"])
    assert games == 2 * 2 * 60
    assert both.best_scores == pytest.approx((alone[0] + alone[1]) / 2)


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        (["tset-bot"], r"method\.stagnation\.opponents: .*did you mean 'test-bot'"),
        (["random", "human"], r"method\.stagnation\.opponents: human can't play compiled"),
        (["file:gone"], r"method\.stagnation\.opponents: .*gone: No such file"),
    ],
)
def test_players_from_outside_that_can_not_play_are_named(
    opponents: list[str], message: str
) -> None:
    config = StagnationConfig.model_validate({"criterion": "outside", "opponents": opponents})
    with pytest.raises(BadValueError, match=message):
        make_judges(config, make_game("connect-four"))
    # Who does not ask them need not have them.
    assert (
        make_judges(config.model_copy(update={"criterion": "rank"}), make_game("connect-four"))
        == []
    )


# --- by rank -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "figures"),
    [
        ("max", [1.0, 0.75]),
        ("min", [0.0, 0.375]),
        ("mean", [0.5, 0.5]),
        ("median", [0.5, 0.375]),
    ],
)
def test_ranks_by_hand(function: str, figures: list[float]) -> None:
    # Of five, the best is above all others: 1.0. Each of two equals is above one of four, and
    # the other one counts a half: 0.375.
    fitness = [0.9, 0.4, 0.1, 0.4, 0.7]
    members = [0, 1, 0, 1, 1]
    genomes = [clumsy(key) for key in range(5)]
    standing = make_standing(genomes, members, [clumsy(8), clumsy(9)])
    assessment, games = give(standing, fitness, criterion="rank", function=function)
    assert games == 0
    assert assessment.best_scores.tolist() == figures
    assert assessment.improved.tolist() == [True, True]


def test_a_rank_says_nothing_about_how_much_fitter() -> None:
    standing = make_standing([clumsy(1), clumsy(2)], [0, 1], [clumsy(8), clumsy(9)], [0.5, 1.0])
    for fitness in ([0.51, 0.5], [1.0, 0.0]):
        assessment, _ = give(standing, fitness, criterion="rank")
        assert assessment.improved.tolist() == [True, False]
        assert assessment.best_scores.tolist() == [1.0, 1.0]
        assert assessment.species_best.keys.tolist() == [1, 9]


def test_a_population_of_one_has_a_rank() -> None:
    standing = make_standing([clumsy(1)], [0], [clumsy(9)])
    assessment, _ = give(standing, [0.5], criterion="rank")
    assert assessment.best_scores.tolist() == [0.0]


# --- the figure of a species ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("max", [0.6, 0.5]),
        ("min", [0.1, 0.5]),
        ("mean", [0.375, 0.5]),
        ("median", [0.4, 0.5]),
        ("median2", [0.4, 0.5]),
    ],
)
def test_the_figure_of_a_species(name: str, expected: list[float]) -> None:
    figures = np.array([0.1, 0.5, 0.6, 9.0, 0.5, 0.3])
    members = np.array([0, 1, 0, -1, 0, 0], dtype=np.int32)
    assert summarise_species(figures, members, name).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"criterion": "recrod"}, "criterion"),
        ({"margin": 0.5}, "margin"),
        ({"opponents": []}, "opponents is empty, but the criterion 'outside' needs"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Settings, text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        StagnationConfig.model_validate({"criterion": "outside", **settings})
