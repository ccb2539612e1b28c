"""Matches, fitness, hall of fame and champion: common to all methods that breed a population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.method import Method, State
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.players.evolved import Decoder
from tests.evolve.rigged import (
    DOOMED,
    GRAPHS,
    HALL,
    LINEAR,
    GraphDecoder,
    NetworkDecoder,
    Recorder,
    Weights,
    assert_same,
    graph,
    graphs,
    make_neat,
    make_programming,
    make_tournament,
    strong,
    vector,
    vectors,
)

KINDS = ("tournament", "neat", "evolutionary-programming")


def make(
    kind: str, individuals: int = 6, decoder: Decoder | None = None, **settings: object
) -> Method[State]:
    """Make a method of that *kind* with so many individuals."""
    if kind == "neat":
        return make_neat(decoder or GRAPHS, {"pop_size": individuals}, **settings)
    make_one = make_tournament if kind == "tournament" else make_programming
    return make_one(decoder or LINEAR, individuals=individuals, **settings)


def begin(method: Method[State], seed: int = 1, **strong_ones: Weights) -> State:
    """Return a state of weak players but for the named rows, like ``row_3``."""
    state = method.initial(seed)
    chosen = {int(name[4:]): weights for name, weights in strong_ones.items()}
    if method.name != "neat":
        return replace(state, population=vectors(chosen, len(state.population)))
    population = graphs(chosen, len(state.population))
    species_best = population.take(state.species.representative)
    return replace(state, population=population, species_best=species_best)


def make_arena(method: Method[State]) -> Arena:
    return Arena(method.decoder, SerialExecutor())


@pytest.mark.parametrize("build", [vectors, graphs])
def test_the_rigged_players_are_what_they_seem(
    build: Callable[..., Array | NeatPopulation],
) -> None:
    pairings = np.array([[0, 1], [1, 0], [0, 2], [3, 0]], np.int32)
    arena = Arena(LINEAR if build is vectors else GRAPHS, SerialExecutor())
    results = arena.play(build({0: strong()}, 4), pairings, derive_seeds(1, 0, "test", 4))
    assert results.outcomes.tolist() == [1, -1, 1, -1]
    assert results.plies.tolist() == [7, 8, 7, 8]


@pytest.mark.parametrize("draw_points", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_a_draw_counts_what_the_recipe_says(kind: str, draw_points: float) -> None:
    # Where all discs go into one column in turn, nobody gets a line.
    narrow = {"columns": 1, "rows": 6, "head": "value"}
    decoder = GraphDecoder(**narrow) if kind == "neat" else NetworkDecoder(**narrow, hidden=(2,))
    more = {"stagnation": {"opening_plies": 3}} if kind == "neat" else {}
    more |= {"loss_points": 0.0} if kind == "evolutionary-programming" else {}
    method = make(kind, decoder=decoder, draw_points=draw_points, **more)
    state, arena = method.initial(1), make_arena(method)
    _, report = method.step(state, arena)
    assert report.statistics["best"] == report.statistics["worst"] == draw_points
    _, report = method.champion(state, arena)
    assert report.statistics["points"] == report.statistics["matches"] * draw_points > -1.0


@pytest.mark.parametrize("place", [0, 3, 7])
@pytest.mark.parametrize(
    ("kind", "matches", "games"),
    [("tournament", 7, 28), ("neat", 14, 2 * 56), ("evolutionary-programming", 14, 56)],
)
def test_the_champion_is_who_beats_everybody(
    kind: str, matches: int, games: int, place: int
) -> None:
    method = make(kind, 8)
    state = begin(method, **{f"row_{place}": strong()})
    genome, report = method.champion(state, make_arena(method))
    rows = state.population.take([place]) if kind == "neat" else state.population[place]
    assert_same(genome, rows)
    assert report.statistics == {"points": matches, "matches": matches}
    assert report.games == games


@pytest.mark.parametrize("kind", ["tournament", "neat"])
def test_champions_with_equal_points_are_drawn(kind: str) -> None:
    # In both colours, two stackers of the same column take the same from each other.
    method = make(kind, 4, colours="both")
    chosen: Counter[float] = Counter()
    for seed in range(200):
        state = begin(method, seed, row_1=strong(), row_2=strong(weight=0.5))
        genome, _ = method.champion(state, make_arena(method))
        chosen[float((genome.weight if kind == "neat" else genome).max())] += 1
    assert set(chosen) == {1.0, 0.5}
    assert 60 < chosen[1.0] < 140


@pytest.mark.parametrize("kind", KINDS)
def test_the_fittest_of_every_so_many_generations_enters_the_hall_and_is_met(kind: str) -> None:
    more = {"tournament_size": 6} if kind == "tournament" else {}
    method = make(kind, hall_of_fame={"opponents": 2, "every": 2, "size": 3}, **more)
    state = begin(method, row_2=strong())
    players = 12 if kind == "evolutionary-programming" else 6  # children as well
    for members in (0, 1, 1, 2, 2, 3, 3, 3):
        assert len(state.hall) == members
        recorder = Recorder()
        state, _ = method.step(state, Arena(method.decoder, recorder))
        if members == 0:
            best = state.hall.weight if kind == "neat" else state.hall[0]
            expected = graph(strong()).weight if kind == "neat" else vector(strong())
            np.testing.assert_allclose(best, expected, atol=1e-4)
            continue
        met = Counter(map(tuple, recorder.batches[1].pairings.tolist()))
        each = [
            (one, players + other) for one in range(players) for other in range(min(members, 2))
        ]
        assert met == Counter([*each, *((other, one) for one, other in each)])


SORTS: dict[str, tuple[str, Settings]] = {
    "vectors": (
        "tournament",
        {"mutation_probability": 0.1, "elites": 2, "self_adaptive": True, "hall_of_fame": HALL},
    ),
    "programming": (
        "evolutionary-programming",
        {"step_size": 0.1, "noise": 0.2, "hall_of_fame": HALL},
    ),
    "plain": ("neat", {}),
    "doomed": ("neat", {"neat": DOOMED, "hall_of_fame": HALL}),
    "species": ("neat", {"pairing": "species", "neat": {"compatibility_threshold": 1.0}}),
    "outside": ("neat", {"stagnation": {"criterion": "outside"}, "noise": 1.0}),
    "rank": ("neat", {"stagnation": {"criterion": "rank"}, "selection": "tournament"}),
    "alone": ("neat", {"neat": {"compatibility_threshold": 0.0, "min_species_size": 1}}),
    "two": ("neat", {"neat": {"pop_size": 2}}),
    "kept": ("neat", {"neat": {"elitism": 6}}),
    "openings": ("neat", {"openings": {"plies": 2, "count": 2}}),
    "empty": ("neat", {"neat": {"initial_connection": "unconnected"}}),
}


@pytest.mark.parametrize("sort", SORTS)
def test_a_step_changes_nothing_and_repeats_itself(sort: str) -> None:
    kind, settings = SORTS[sort]
    method = make_neat(**settings) if kind == "neat" else make(kind, **settings)
    state, names = method.initial(3), []
    for generation in range(4):
        before = deepcopy(state)
        one, first = method.step(state, make_arena(method))
        other, second = method.step(before, make_arena(method))
        champions = [method.champion(each, make_arena(method))[0] for each in (state, before)]
        assert_same(champions[0], champions[1])
        assert first == second
        assert first.generation == generation
        assert (one.seed, one.generation) == (3, generation + 1)
        assert_same(state, before)
        assert_same(one, other)
        assert method.find_mismatch(one) is None
        names.append(list(first.statistics))
        assert all(isinstance(value, float) for value in first.statistics.values())
        if kind == "neat":
            assert len(one.species_best) == len(one.best_scores) == len(one.species) > 0
            assert sum(first.species.values()) == len(state.population)
        state = one
    assert all(each == names[0] for each in names)
    assert {"best", "median", "worst", "diversity"} <= set(names[0])


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_give_different_populations_and_different_matches(kind: str) -> None:
    method = make(kind, 40)
    one, other = (method.initial(seed).population for seed in (1, 2))
    if kind == "neat":
        one, other = one.weight, other.weight
    assert not np.array_equal(one, other)
    batches = []
    for seed in (1, 2):
        recorder = Recorder()
        method.step(begin(method, seed), Arena(method.decoder, recorder))
        batches.append(recorder.batches[0])
    assert not np.array_equal(batches[0].seeds, batches[1].seeds)
    assert not np.array_equal(batches[0].pairings, batches[1].pairings)


LEARNERS: dict[str, tuple[Settings, int]] = {
    "tournament": (
        {"crossover_probability": 0.35, "mutation_probability": 0.015, "tournament_size": 5},
        40,
    ),
    "neat": (
        {"neat": {"pop_size": 40, "weight_mutate_rate": 0.1, "weight_replace_rate": 0.01}}
        | {"noise": 0.2},
        20,
    ),
    "evolutionary-programming": (
        {"opponents": 10, "noise": 0.1, "step_size": 0.05, "step_size_rate": None},
        30,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_population_finds_out_how_to_win(kind: str) -> None:
    settings, generations = LEARNERS[kind]
    decoder = NetworkDecoder(head="value", encoding="planes", hidden=(4,), activation="tanh")
    method = make_neat(**settings) if kind == "neat" else make(kind, 40, decoder, **settings)
    arena, state = make_arena(method), method.initial(1)
    first = state.population
    for _ in range(generations):
        state, _ = method.step(state, arena)
    old, new = np.arange(40, dtype=np.int32), np.arange(40, 80, dtype=np.int32)
    pairs = np.stack(np.meshgrid(old, new), axis=-1).reshape(-1, 2)
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    join = concatenate if kind == "neat" else np.concatenate
    seeds = derive_seeds(1, 0, "test", len(pairs))
    outcomes = arena.play(join([first, state.population]), pairs, seeds).outcomes.astype(float)
    outcomes[: len(pairs) // 2] *= -1
    assert outcomes.mean() > 0.2
