"""Operators by name: ours and DEAP's, their options, and what becomes of global random numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest
from deap import base, tools
from numpy.typing import NDArray
from pydantic import ValidationError

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.stream import new_stream, next_word
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.evolve.evolutionary_programming import EvolutionaryProgramming
from evolve_arena.evolve.matches import TournamentResults
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.operators import (
    SELECTIONS,
    make_selection,
    make_toolbox,
    operator_names,
)
from evolve_arena.evolve.settings.variation import OWN_OPERATORS, Operator, VariationConfig
from evolve_arena.evolve.tournament import Tournament
from evolve_arena.genomes.variation import cross_uniformly, mutate_gaussian
from tests.evolve.rigged import GraphDecoder, NetworkDecoder, make_config

NEEDED: dict[str, JsonObject] = {
    "cxSimulatedBinaryBounded": {"low": -1.0, "up": 1.0},
    "mutESLogNormal": {"c": 1.0},
    "mutPolynomialBounded": {"eta": 1.0, "low": -1.0, "up": 1.0},
    "mutUniformInt": {"low": 0, "up": 3},
    "selDoubleTournament": {"fitness_size": 3, "parsimony_size": 1.5, "fitness_first": True},
    "selEpsilonLexicase": {"epsilon": 0.1},
    "selNSGA3": {"ref_points": [[1.0]]},
    "selNSGA3WithMemory": {"ref_points": [[1.0]]},
}


class Individual(list[float]):
    """An individual as users of DEAP would make it."""

    def __init__(self, genes: list[float], number: int = 0, value: float = 0.0) -> None:
        super().__init__(genes)
        self.number = number
        self.fitness = Fitness((value,))


class Fitness(base.Fitness):  # type: ignore[misc]
    """The more, the better."""

    weights = (1.0,)


def make(**operators: Operator) -> base.Toolbox:
    config = VariationConfig.model_validate({"mutation_probability": 0.1, **operators})
    return make_toolbox(config, tournament_size=3)


def make_genomes(rows: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(rows, 12)).astype(np.float32)


def cross(
    toolbox: base.Toolbox, first: NDArray[np.float32], second: NDArray[np.float32], seed: int
) -> NDArray[np.float32]:
    """Return the children of each row of *first* with the same row of *second*."""
    rows = np.arange(len(first))
    both = np.concatenate([first, second])
    children: NDArray[np.float32] = toolbox.mate(both, rows, rows + len(first), new_stream(seed))
    return children


def make_contest(fitness: list[float]) -> TournamentResults:
    members = np.arange(len(fitness), dtype=np.int32)[None, :]
    return TournamentResults(members, np.array([fitness]), np.array(fitness))


@contextmanager
def as_lent(seed: int) -> Iterator[None]:
    """Seed Python's random numbers as for an operator that is handed *seed*'s stream."""
    before = random.getstate()
    random.seed(int(next_word(new_stream(seed))))
    yield
    random.setstate(before)


def breed(settings: Settings) -> list[NDArray[np.float32]]:
    """Return the populations of generations 0, 1 and 2 with these *settings*."""
    decoder = NetworkDecoder(hidden=(3,))
    config = {"individuals": 8, "tournament_size": 3, **settings}
    method = Tournament(make_config(Tournament, config), decoder)
    states = [method.initial(1)]
    for _ in range(2):
        states.append(method.step(states[-1], Arena(decoder, SerialExecutor()))[0])
    return [state.population for state in states]


def test_our_operators_are_the_functions_of_their_names() -> None:
    toolbox = make()
    first, second, step_sizes = make_genomes(9, 1), make_genomes(9, 2), np.ones(9, np.float32)
    assert np.array_equal(
        cross(toolbox, first, second, 3),
        cross_uniformly(
            np.concatenate([first, second]),
            np.arange(9),
            np.arange(9, 18),
            new_stream(3),
            probability=0.35,
        ),
    )
    assert np.array_equal(
        toolbox.mutate(first, step_sizes, new_stream(3)),
        mutate_gaussian(first, step_sizes, new_stream(3), probability=0.1),
    )


def test_our_options_replace_the_defaults() -> None:
    toolbox = make(
        crossover=Operator(name="uniform", probability=1.0),
        mutation=Operator(name="gaussian", probability=0.0),
    )
    first, second = make_genomes(9, 1), make_genomes(9, 2)
    assert np.array_equal(cross(toolbox, first, second, 3), second)
    same = toolbox.mutate(first, np.ones(9, np.float32), new_stream(3))
    assert np.array_equal(same, first)


def test_our_selection_gives_the_winners_of_the_tournaments_in_turn() -> None:
    members = np.array([[0, 1], [2, 3], [1, 3]], np.int32)
    points = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    played = TournamentResults(members, points, np.zeros(4))
    chosen = make().select(played, 5, new_stream(0))
    assert chosen.tolist() == [1, 2, 3, 1, 2]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cxTwoPoint", {}),
        ("cxOnePoint", {}),
        ("cxUniform", {"indpb": 0.35}),
        ("cxBlend", {"alpha": 0.5}),
    ],
)
def test_a_crossover_of_deap_gives_what_deap_gives(name: str, options: dict[str, float]) -> None:
    first, second = make_genomes(6, 1), make_genomes(6, 2)
    children = cross(make(crossover=Operator(name=name)), first, second, 5)
    with as_lent(5):
        expected = [
            getattr(tools, name)(Individual(one), Individual(other), **options)[0]
            for one, other in zip(first.tolist(), second.tolist(), strict=True)
        ]
    assert np.array_equal(children, np.array(expected, np.float32))
    assert children.dtype == np.float32
    assert not np.array_equal(children, first)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mutGaussian", {"mu": 0.0, "sigma": 1.0, "indpb": 0.1}),
        ("mutShuffleIndexes", {"indpb": 0.1}),
        ("mutInversion", {}),
    ],
)
def test_a_mutation_of_deap_gives_what_deap_gives(name: str, options: dict[str, float]) -> None:
    genomes = make_genomes(6, 1)
    toolbox = make(mutation=Operator(name=name))
    mutated = toolbox.mutate(genomes, np.ones(6, np.float32), new_stream(6))
    with as_lent(6):
        expected = [getattr(tools, name)(Individual(row), **options)[0] for row in genomes.tolist()]
    assert np.array_equal(mutated, np.array(expected, np.float32))
    assert not np.array_equal(mutated, genomes)
    assert np.array_equal(genomes, make_genomes(6, 1))


@pytest.mark.parametrize(
    ("name", "options"),
    [("selTournament", {"tournsize": 3}), ("selRoulette", {}), ("selRandom", {})],
)
def test_a_selection_of_deap_gives_what_deap_gives(name: str, options: dict[str, int]) -> None:
    fitness = np.random.default_rng(1).random(15).tolist()
    chosen = make(selection=Operator(name=name)).select(make_contest(fitness), 30, new_stream(7))
    individuals = [Individual([], number, value) for number, value in enumerate(fitness)]
    with as_lent(7):
        expected = [one.number for one in getattr(tools, name)(individuals, 30, **options)]
    assert chosen.tolist() == expected


def test_who_was_not_drawn_has_the_least_chance() -> None:
    toolbox = make(selection=Operator(name="selTournament", tournsize=2))
    played = make_contest([float("nan"), 0.4, 0.6])
    chosen = toolbox.select(played, 3000, new_stream(8))
    assert abs(np.mean(chosen == 0) - 1 / 9) < 0.02
    assert abs(np.mean(chosen == 2) - 5 / 9) < 0.03


@pytest.mark.parametrize("name", ["selRoulette", "selStochasticUniversalSampling"])
def test_if_nobody_has_won_anything_parents_are_not_all_the_same(name: str) -> None:
    toolbox = make(selection=Operator(name=name))
    try:
        chosen = toolbox.select(make_contest([0.0] * 20), 40, new_stream(1))
    except BadValueError as error:
        said = str(error)
    else:
        said = name
        assert len(chosen) == 40
        assert len(set(chosen.tolist())) > 5
    assert name in said


@pytest.mark.parametrize("name", ["mutGaussian", "mutUniformInt"])
def test_global_random_numbers_are_put_back_even_after_an_error(name: str) -> None:
    wrong = {"low": 3, "up": 0, "indpb": 1.0} if name == "mutUniformInt" else {}
    mutate = Operator(name=name, **wrong)
    toolbox = make(
        selection=Operator(name="selTournament"),
        crossover=Operator(name="cxBlend"),
        mutation=mutate,
    )
    before, of_numpy = random.getstate(), np.random.get_state()[1].tolist()
    genomes = make_genomes(5, 1)
    toolbox.select(make_contest([0.1, 0.2]), 4, new_stream(1))
    cross(toolbox, genomes, genomes, 1)
    with pytest.raises((ArenaError, ValueError)) if wrong else nullcontext():
        toolbox.mutate(genomes, np.ones(5, np.float32), new_stream(1))
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == of_numpy


@pytest.mark.filterwarnings("ignore:.*has been renamed:FutureWarning")
@pytest.mark.parametrize(
    ("verb", "name"), [(verb, name) for verb in OWN_OPERATORS for name in operator_names(verb)]
)
def test_every_operator_that_can_be_named_works_or_says_why_not(verb: str, name: str) -> None:
    """A whole population comes out, or one clear error; never half of it, never a traceback."""
    method_settings = {verb: {"name": name, **NEEDED.get(name, {})}}
    try:
        populations = breed(method_settings)
    except ArenaError as error:
        text = str(error)
    else:
        text = name
        assert [population.shape for population in populations] == [populations[0].shape] * 3
        assert all(population.dtype == np.float32 for population in populations)
    assert name in text


def test_unknown_operators_are_named_with_the_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"crossover.*'cxTwoPonit'.*did you mean 'cxTwoPoint'"
    ):
        make(crossover=Operator(name="cxTwoPonit"))
    with pytest.raises(UnknownNameError, match=r"'cxTwoPoint'"):
        make(selection=Operator(name="cxTwoPoint"))


@pytest.mark.parametrize(
    ("verb", "operator", "text"),
    [
        (
            "crossover",
            Operator(name="uniform", indpb=0.5),
            r"variation\.crossover: 'uniform'.*'indpb'.*prob",
        ),
        (
            "selection",
            Operator(name="played-tournament", k=3),
            r"variation\.selection.*'k'.*it has: none",
        ),
        ("mutation", Operator(name="mutGaussian", sigmas=1), r"'sigmas'.*it has: mu, sigma, indpb"),
        ("mutation", Operator(name="mutUniformInt", low=1), r"needs the option 'up'.*up = \.\.\."),
    ],
)
def test_wrong_options_are_named_with_the_right_ones(
    verb: str, operator: Operator, text: str
) -> None:
    with pytest.raises(BadValueError, match=text):
        make(**{verb: operator})


@pytest.mark.parametrize(
    ("verb", "operator"),
    [
        ("crossover", {"name": "uniform", "probability": "high"}),
        ("mutation", {"name": "gaussian", "probability": -0.5}),
        ("mutation", {"name": "mutGaussian", "sigma": "big"}),
        ("selection", {"name": "selTournament", "tournsize": "x"}),
    ],
)
def test_options_out_of_range_are_refused(verb: str, operator: Settings) -> None:
    with pytest.raises((ArenaError, ValidationError), match=operator["name"]):
        breed({verb: operator})


def test_an_operator_is_a_name_or_a_table() -> None:
    assert Operator.model_validate("cxBlend") == Operator(name="cxBlend")
    table = Operator.model_validate({"name": "cxBlend", "alpha": 0.2})
    assert table.options == {"alpha": 0.2}
    with pytest.raises(ValidationError):
        Operator.model_validate({"alpha": 0.2})


# Selections, which all methods share

FITNESS = np.array([0.3, 0.9, 0.1, 0.6, 0.8])
ORDER = [1, 4, 3, 0, 2]


def count_chosen(operator: Operator, count: int = 50_000) -> dict[int, float]:
    """Shares with which each of five is chosen."""
    chosen = make_selection(operator, "variation.selection")(FITNESS, count, new_stream(1))
    return {number: float((chosen == number).mean()) for number in range(5)}


def test_the_best_are_chosen_in_their_order() -> None:
    select = make_selection(Operator(name="best"), "variation.selection")
    assert select(FITNESS, 3, new_stream(1)).tolist() == ORDER[:3]
    assert select(FITNESS, 7, new_stream(1)).tolist() == [*ORDER, *ORDER[:2]]


@pytest.mark.parametrize(("share", "pool"), [(0.2, 2), (0.4, 2), (0.41, 3), (1.0, 5)])
def test_truncation_chooses_among_the_best_alike(share: float, pool: int) -> None:
    shares = count_chosen(Operator(name="truncation", share=share))
    for rank, number in enumerate(ORDER):
        assert shares[number] == pytest.approx(1 / pool if rank < pool else 0.0, abs=0.01)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_tournaments_are_won_by_the_fittest_drawn(size: int) -> None:
    shares = count_chosen(Operator(name="tournament", size=size))
    for rank, number in enumerate(ORDER):
        expected = ((5 - rank) ** size - (4 - rank) ** size) / 5**size
        assert shares[number] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("pressure", [1.0, 1.5, 2.0])
def test_ranks_give_chances_that_fall_evenly(pressure: float) -> None:
    shares = count_chosen(Operator(name="rank", pressure=pressure))
    for rank, number in enumerate(ORDER):
        expected = (pressure - (2 * pressure - 2) * rank / 4) / 5
        assert shares[number] == pytest.approx(expected, abs=0.01)


def test_what_is_no_number_is_worth_nothing() -> None:
    select = make_selection(Operator(name="best"), "variation.selection")
    assert select(np.array([np.nan, 0.5, -1.0]), 3, new_stream(1)).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        (
            {"name": "truncation", "share": 1.5},
            "share of 'truncation' is 1.5: it must be from 0 to",
        ),
        ({"name": "rank", "pressure": "2"}, "pressure of 'rank' is '2': it must be from 1 to 2"),
        ({"name": "best", "size": 2}, "'best' has no option 'size'"),
        ({"name": "selTournament"}, "'selTournament' needs the option 'tournsize'"),
        ({"name": "tornament"}, "unknown variation.selection 'tornament'"),
    ],
)
def test_selections_without_sense_are_refused(operator: Settings, text: str) -> None:
    with pytest.raises(ArenaError, match=text):
        make_selection(Operator.model_validate(operator), "variation.selection")


@pytest.mark.parametrize("name", [*SELECTIONS, "selRoulette", "selStochasticUniversalSampling"])
def test_every_method_knows_every_selection(name: str) -> None:
    """And what one chooses depends on it, and on the seed alone."""
    decoder = NetworkDecoder(hidden=(2,))
    arena = Arena(decoder, SerialExecutor())
    small = {"individuals": 6, "opponents": 2, "selection": name}
    programming = EvolutionaryProgramming(make_config(EvolutionaryProgramming, small), decoder)
    graphs = GraphDecoder(head="value")
    settings = {"neat": {"pop_size": 8, "survival_threshold": 0.5}, "opponents": 2}
    neat = Neat(make_config(Neat, {**settings, "selection": name}), graphs)
    vectors = [programming.step(programming.initial(1), arena)[0] for _ in range(2)]
    assert np.array_equal(vectors[0].population, vectors[1].population)
    evolved = [neat.step(neat.initial(1), Arena(graphs, SerialExecutor()))[0] for _ in range(2)]
    assert np.array_equal(evolved[0].population.weight, evolved[1].population.weight)
    assert len(breed({"selection": name})[-1]) == 8
