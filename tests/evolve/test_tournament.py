"""The method ``tournament``: who wins, who has children, what the generation looks like."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy import stats

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds, derive_stream
from evolve_arena.evolve.matches import draw_members, sum_tournaments
from evolve_arena.evolve.tournament import Tournament, TournamentConfig, TournamentState
from tests.small_recipes import ONE_GAME

NetworkDecoder: Any = find_game("connect-four").networks["mlp"].decoder_type

LINEAR = NetworkDecoder(head="value", encoding="planes", hidden=())
"""Its value is the sum of the weights of the cells that are taken, so it can be written by hand."""
ROUNDS = 40


class Recorder(SerialExecutor):
    """Plays in this process and keeps what it was asked."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        self.batches.append(batch)
        return super().play(batch)


def draw_preferences(weights: dict[tuple[int, int], float]) -> NDArray[np.float32]:
    """A linear player that goes for the cells (column, row) with the largest *weights*."""
    genome = np.zeros(LINEAR.genes, np.float32)
    for (column, row), weight in weights.items():
        genome[(5 - row) * 7 + column] = weight
    return genome


def strong(weight: float = 1.0) -> NDArray[np.float32]:
    """Stacks four discs in the middle: nothing stops it but a player who does so too."""
    return draw_preferences({(3, row): weight for row in range(6)})


def weak(number: int) -> NDArray[np.float32]:
    """Begins with the cells 0, 2, 4 and 6 of the bottom row, which are no line."""
    bottom = {(column, 0): 0.9 - column / 10 for column in (0, 2, 4, 6)}
    return draw_preferences({**bottom, (6, 5): 0.001 * number})


def population_with(strong_ones: dict[int, NDArray[np.float32]], size: int) -> NDArray[np.float32]:
    return np.stack([strong_ones.get(number, weak(number)) for number in range(size)])


def make_method(decoder: NetworkDecoder = LINEAR, **settings: Any) -> Tournament:
    calm = {"crossover_probability": 0.0, "mutation_probability": 0.0, "draw_points": 0.0}
    config = {"individuals": 6, "tournament_size": 3, **calm, **ONE_GAME, **settings}
    return Tournament(TournamentConfig.model_validate(config), decoder)


def start(method: Tournament, population: NDArray[np.float32], seed: int = 1) -> TournamentState:
    return replace(method.initial(seed), population=population)


def make_arena(decoder: NetworkDecoder = LINEAR) -> Arena:
    return Arena(decoder, SerialExecutor())


def test_the_rigged_players_are_what_they_seem() -> None:
    population = population_with({0: strong()}, 4)
    pairings = np.array([[0, 1], [1, 0], [0, 2], [3, 0]], np.int32)
    results = make_arena().play(population, pairings, derive_seeds(1, 0, "test", 4))
    assert results.outcomes.tolist() == [1, -1, 1, -1]
    assert results.plies.tolist() == [7, 8, 7, 8]


@pytest.mark.parametrize("place", [0, 3, 7])
def test_the_champion_is_who_beats_everybody(place: int) -> None:
    method = make_method(individuals=8)
    state = start(method, population_with({place: strong()}, 8))
    genome, report = method.champion(state, make_arena())
    assert np.array_equal(genome, strong())
    assert report.statistics == {"points": 7.0, "matches": 7.0}
    assert report.games == 28


def test_champions_with_equal_points_are_drawn() -> None:
    # In both colours, two stackers of the same column take the same from each other.
    method = make_method(individuals=4, colours="both")
    population = population_with({1: strong(1.0), 2: strong(0.5)}, 4)
    chosen: Counter[float] = Counter()
    for seed in range(400):
        genome, report = method.champion(start(method, population, seed), make_arena())
        assert report.statistics["matches"] == 6.0
        chosen[float(genome.max())] += 1
    assert set(chosen) == {1.0, 0.5}
    assert stats.binomtest(chosen[1.0], 400, 0.5).pvalue > 0.001


def test_if_all_meet_the_best_one_is_the_parent_of_all() -> None:
    method = make_method(tournament_size=6)
    state, report = method.step(start(method, population_with({4: strong()}, 6)), make_arena())
    assert np.array_equal(state.population, np.tile(strong(), (6, 1)))
    assert report.statistics["best"] == 1.0
    assert report.games == 12 * 15


@pytest.mark.parametrize(("crossover", "parent"), [(0.0, 0), (1.0, 1)])
def test_children_descend_from_the_winners_of_consecutive_tournaments(
    crossover: float, parent: int
) -> None:
    method = make_method(individuals=30, crossover_probability=crossover)
    population = population_with({17: strong()}, 30)
    state, _ = method.step(start(method, population, seed=9), make_arena())
    seed = derive_stream(9, 0, "members")
    members = draw_members(30, 60, 3, seed)
    won = [17 in row for row in members[parent::2].tolist()]
    assert 0 < sum(won) < 30
    children = [np.array_equal(child, strong()) for child in state.population]
    assert children == won
    known = {row.tobytes() for row in population}
    assert all(child.tobytes() in known for child in state.population)


def test_children_mix_the_genes_of_two_winners() -> None:
    method = make_method(individuals=40, tournament_size=2, crossover_probability=0.35)
    ones = np.ones((40, LINEAR.genes), np.float32) * np.arange(40, dtype=np.float32)[:, None]
    state, _ = method.step(start(method, ones), make_arena())
    seed = derive_stream(1, 0, "members")
    members = draw_members(40, 80, 2, seed)
    shares = []
    for number, child in enumerate(state.population):
        first, second = members[2 * number], members[2 * number + 1]
        if not set(first.tolist()) & set(second.tolist()):
            genes = set(child.astype(int).tolist())
            assert len(genes & set(first.tolist())) == len(genes & set(second.tolist())) == 1
            shares.append(np.isin(child, second).mean())
    assert len(shares) > 20
    assert abs(np.mean(shares) - 0.35) < 0.03


def test_fitness_is_the_share_of_points_in_all_matches() -> None:
    # A strong one wins everything; the weak ones share the rest.
    method = make_method(individuals=20, tournament_size=20)
    _, report = method.step(start(method, population_with({5: strong()}, 20)), make_arena())
    figures = report.statistics
    assert figures["best"] == 1.0
    assert figures["best"] > figures["upper_quartile"] >= figures["median"]
    assert figures["median"] >= figures["lower_quartile"] >= figures["worst"] >= 0.0
    assert figures["mutation_strength"] == 1.0


@pytest.mark.parametrize("draw_points", [0.0, 0.5, 1.0])
def test_a_draw_counts_what_the_recipe_says(draw_points: float) -> None:
    # Where all discs go into one column, nobody gets a line.
    decoder = NetworkDecoder(columns=1, rows=6, head="value", hidden=(2,))
    method = make_method(decoder, draw_points=draw_points)
    state = method.initial(1)
    _, report = method.step(state, make_arena(decoder))
    assert report.statistics["best"] == report.statistics["worst"] == draw_points
    _, report = method.champion(state, make_arena(decoder))
    assert report.statistics["points"] == 5 * draw_points


def test_a_step_changes_nothing_and_repeats_itself() -> None:
    method = Tournament(
        TournamentConfig.model_validate(
            {"individuals": 10, "tournament_size": 3, "elites": 2, "self_adaptive": True}
            | {"hall_of_fame": {"opponents": 2, "every": 1, "size": 2}}
        ),
        LINEAR,
    )
    state = method.initial(3)
    for generation in range(4):
        before = replace(
            state,
            population=state.population.copy(),
            strengths=state.strengths.copy(),
            hall=state.hall.copy(),
        )
        one, first = method.step(state, make_arena())
        other, second = method.step(before, make_arena())
        assert first == second
        assert first.generation == generation
        assert (one.seed, one.generation) == (3, generation + 1)
        for field in ("population", "strengths", "hall"):
            assert np.array_equal(getattr(state, field), getattr(before, field))
            assert np.array_equal(getattr(one, field), getattr(other, field))
            assert getattr(one, field).dtype == np.float32
        assert not np.array_equal(one.population, state.population)
        state = one


def test_seeds_give_different_populations_and_different_matches() -> None:
    method = make_method()
    assert not np.array_equal(method.initial(1).population, method.initial(2).population)
    recorders = Recorder(), Recorder()
    population = population_with({}, 6)
    for seed, recorder in enumerate(recorders):
        method.step(start(method, population, seed), Arena(LINEAR, recorder))
    one, other = (recorder.batches[0] for recorder in recorders)
    assert not np.array_equal(one.seeds, other.seeds)
    assert not np.array_equal(one.seatings, other.seatings)


def test_elites_survive_to_the_last_bit() -> None:
    method = make_method(
        individuals=9, tournament_size=9, elites=1, mutation_probability=1.0, self_adaptive=True
    )
    state = start(method, population_with({6: strong()}, 9))
    state = replace(state, strengths=np.arange(1, 10, dtype=np.float32))
    state, _ = method.step(state, make_arena())
    assert np.array_equal(state.population[0], strong())
    assert state.strengths[0] == 7.0
    assert not any(np.array_equal(child, strong()) for child in state.population[1:])


def test_if_all_are_elites_nothing_ever_changes() -> None:
    method = make_method(individuals=6, elites=6, mutation_probability=1.0)
    population = population_with({3: strong()}, 6)
    state, _ = method.step(start(method, population), make_arena())
    assert np.array_equal(state.population[0], strong())
    assert sorted(map(bytes, state.population)) == sorted(map(bytes, population))


def test_without_self_adaptation_the_strength_stays() -> None:
    method = make_method(mutation_probability=0.5, mutation_strength=0.25)
    state, _ = method.step(method.initial(1), make_arena())
    assert state.strengths.tolist() == [0.25] * 6


def test_with_self_adaptation_strengths_are_inherited_and_bounded() -> None:
    method = make_method(individuals=50, self_adaptive=True, strength_rate=0.5, strength_floor=0.9)
    state, _ = method.step(method.initial(1), make_arena())
    assert len(set(state.strengths.tolist())) > 10
    assert state.strengths.min() == np.float32(0.9)
    assert state.strengths.max() > 1.5


def test_mutation_has_the_strength_that_the_recipe_says() -> None:
    method = make_method(individuals=40, mutation_probability=0.5, mutation_strength=3.0)
    state, _ = method.step(start(method, np.zeros((40, LINEAR.genes), np.float32)), make_arena())
    steps = state.population[state.population != 0] / 3.0
    assert stats.binomtest(len(steps), state.population.size, 0.5).pvalue > 0.001
    assert stats.kstest(steps, "norm").pvalue > 0.001


@pytest.mark.parametrize(
    ("settings", "times"),
    [
        ({}, 1),
        ({"colours": "both"}, 2),
        ({"openings": {"plies": 4, "count": 3}}, 3),
        ({"games": 4}, 4),
        ({"openings": {"plies": 4, "count": 3}, "colours": "both", "games": 2}, 12),
    ],
)
def test_each_pair_meets_as_often_as_the_recipe_says(settings: dict[str, Any], times: int) -> None:
    method = make_method(individuals=5, tournament_size=5, **settings)
    recorder = Recorder()
    _, report = method.step(method.initial(1), Arena(LINEAR, recorder))
    (batch,) = recorder.batches
    assert len(batch) == report.games == 10 * 10 * times
    assert len(set(batch.seeds.tolist())) == len(batch)
    for tournament in range(10):
        games = range(tournament * 10 * times, (tournament + 1) * 10 * times)
        met = Counter(frozenset(batch.seatings[game].tolist()) for game in games)
        assert len(met) == 10
        assert set(met.values()) == {times}
        in_order = Counter(tuple(batch.seatings[game].tolist()) for game in games)
        if settings.get("colours") == "both":
            assert len(in_order) == 20
            assert set(in_order.values()) == {times // 2}
        else:
            assert len(in_order) == 10


@pytest.mark.parametrize(
    ("settings", "times"),
    [({}, 1), ({"colours": "both"}, 2), ({"openings": {"plies": 4, "count": 3}, "games": 2}, 6)],
)
def test_in_a_round_robin_everybody_meets_everybody_once(
    settings: dict[str, Any], times: int
) -> None:
    method = make_method(individuals=20, tournament_size=20, pairing="round-robin", **settings)
    recorder = Recorder()
    state, report = method.step(method.initial(1), Arena(LINEAR, recorder))
    (batch,) = recorder.batches
    assert len(batch) == report.games == 190 * times
    met = Counter(frozenset(pair) for pair in batch.seatings.tolist())
    assert len(met) == 190
    assert set(met.values()) == {times}
    # Nobody moves first in more than one pairing more than anybody else.
    first = np.bincount(batch.seatings[:, 0], minlength=20)
    assert first.max() - first.min() <= (times if settings.get("colours") != "both" else 0)
    before = batch.seatings.copy()
    method.step(state, Arena(LINEAR, recorder))
    assert not np.array_equal(recorder.batches[1].seatings, before)


def test_after_a_round_robin_a_tournament_goes_to_the_member_with_most_points() -> None:
    hall = {"opponents": 5}
    method = make_method(individuals=30, pairing="round-robin", hall_of_fame=hall)
    recorder = Recorder()
    state = replace(method.initial(1), hall=method.initial(2).population[:5])
    after, report = method.step(state, Arena(LINEAR, recorder))
    points, played = np.zeros(35), np.zeros(35)
    bonus = np.zeros(35)
    for batch, won in zip(recorder.batches, (points, bonus), strict=True):
        outcomes = SerialExecutor().play(batch).outcomes
        np.add.at(won, batch.seatings[outcomes != 0, (outcomes[outcomes != 0] < 0) * 1], 1.0)
        np.add.at(played, batch.seatings.ravel(), 1.0)
    assert report.games == 435 + 300
    assert played[:30].tolist() == [29 + 10] * 30
    assert report.statistics["best"] == pytest.approx(((points + bonus) / played)[:30].max())
    members = draw_members(30, 60, 3, derive_stream(1, 0, "members"))
    judged = points + bonus
    assert len(set(judged[:30].tolist())) > 10
    for child, row in zip(after.population, members[0::2], strict=True):
        (parent,) = np.flatnonzero((state.population == child).all(axis=1))
        assert parent in row
        assert judged[parent] == judged[row].max()


def test_noise_is_in_all_matches_of_the_population() -> None:
    def play(noise: float) -> list[Results]:
        recorder = Recorder()
        method = make_method(individuals=20, tournament_size=20, noise=noise)
        state = start(method, population_with({3: strong()}, 20))
        method.step(state, Arena(LINEAR, recorder))
        return [SerialExecutor().play(batch) for batch in recorder.batches]

    # Without noise there are few games, as nobody here draws any number.
    (calm,), (noisy,) = play(0.0), play(1.0)
    assert calm.distinct_games <= 20 * 19
    assert noisy.distinct_games > 0.99 * len(noisy)


def test_everybody_plays_the_same_openings_of_a_generation() -> None:
    method = make_method(
        openings={"plies": 5, "count": 4},
        hall_of_fame={"opponents": 2, "every": 1, "size": 3},
        colours="both",
    )
    recorder = Recorder()
    state = method.initial(1)
    used = []
    for _ in range(3):
        recorder.batches.clear()
        state, _ = method.step(state, Arena(LINEAR, recorder))
        sets = [
            {tuple(row) for row in batch.openings[at : at + 4].tolist()}
            for batch in recorder.batches
            for at in range(0, len(batch), 4)
        ]
        assert all(each == sets[0] for each in sets)
        assert all(len(opening) == 5 and min(opening) >= 0 for opening in sets[0])
        used.append(sets[0])
    assert used[0] != used[1] != used[2]


def test_the_hall_of_fame_is_met_in_both_colours_by_everybody() -> None:
    method = make_method(hall_of_fame={"opponents": 2, "every": 2, "size": 3})
    recorder = Recorder()
    state = method.initial(1)
    expected_members = [0, 1, 1, 2, 2, 3, 3, 3]
    for members in expected_members:
        assert state.hall.shape == (members, LINEAR.genes)
        recorder.batches.clear()
        state, report = method.step(state, Arena(LINEAR, recorder))
        opponents = min(members, 2)
        assert report.games == 12 * 3 + 6 * 2 * opponents
        if not opponents:
            assert len(recorder.batches) == 1
            continue
        met = Counter(map(tuple, recorder.batches[1].seatings.tolist()))
        each = [(one, 6 + other) for one in range(6) for other in range(opponents)]
        assert met == Counter([*each, *((other, one) for one, other in each)])


def test_the_fittest_of_a_generation_enters_the_hall() -> None:
    method = make_method(tournament_size=6, hall_of_fame={"opponents": 1, "every": 1, "size": 9})
    state, _ = method.step(start(method, population_with({2: strong()}, 6)), make_arena())
    assert np.array_equal(state.hall, strong()[None, :])


def test_wins_against_the_hall_count_in_tournaments() -> None:
    recorder = Recorder()

    def breed(**hall: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        method = make_method(individuals=30, tournament_size=4, hall_of_fame=hall)
        state = method.initial(1)
        others = method.initial(2).population[:5]
        recorder.batches.clear()
        after, _ = method.step(replace(state, hall=others), Arena(LINEAR, recorder))
        return state.population, after.population

    without = breed(opponents=0)[1]
    population, children = breed(opponents=5)
    assert not np.array_equal(children, without)
    inside, outside = recorder.batches
    bonus = np.zeros(len(outside.packed.seats))
    for (first, second), outcome in zip(
        outside.seatings.tolist(), SerialExecutor().play(outside).outcomes.tolist(), strict=True
    ):
        bonus[first if outcome == 1 else second] += outcome != 0
    members = draw_members(30, 60, 4, derive_stream(1, 0, "members"))
    results = SerialExecutor().play(inside)
    won = sum_tournaments(results, inside.seatings, members, 0.0) + bonus[members]
    for child, row, points in zip(children, members[0::2], won[0::2], strict=True):
        (parent,) = np.flatnonzero((population == child).all(axis=1))
        assert points[row == parent].tolist() == [points.max()]


def test_who_was_not_drawn_is_no_elite_and_spoils_no_figure() -> None:
    method = make_method(individuals=200, tournament_size=2, elites=80)
    population = method.initial(1).population
    recorder = Recorder()
    state, report = method.step(start(method, population), Arena(LINEAR, recorder))
    drawn = set(recorder.batches[0].seatings.ravel().tolist())
    missing = [number for number in range(200) if number not in drawn]
    assert missing
    elites = {row.tobytes() for row in state.population[:80]}
    assert not elites & {population[number].tobytes() for number in missing}
    assert all(np.isfinite(value) for value in report.statistics.values())


def test_the_same_figures_are_reported_at_each_step() -> None:
    method = make_method(hall_of_fame={"opponents": 1, "every": 1})
    state = method.initial(1)
    state, first = method.step(state, make_arena())
    state, second = method.step(state, make_arena())
    assert list(first.statistics) == list(second.statistics)
    assert {"best", "median", "worst", "diversity", "mutation_strength"} <= set(first.statistics)


def test_diversity_is_the_mean_spread_of_the_genes() -> None:
    method = make_method()
    equal = start(method, np.tile(weak(1), (6, 1)))
    assert method.step(equal, make_arena())[1].statistics["diversity"] < 1e-6
    state = method.initial(1)
    expected = state.population.std(axis=0).mean()
    assert method.step(state, make_arena())[1].statistics["diversity"] == pytest.approx(expected)


def test_a_population_finds_out_how_to_win() -> None:
    decoder = NetworkDecoder(head="value", encoding="planes", hidden=(4,), activation="tanh")
    method = Tournament(TournamentConfig(individuals=40, tournament_size=5), decoder)
    state = method.initial(1)
    arena = make_arena(decoder)
    first = state.population
    for _ in range(ROUNDS):
        state, _ = method.step(state, arena)
    both = np.concatenate([first, state.population])
    old, new = np.arange(40, dtype=np.int32), np.arange(40, 80, dtype=np.int32)
    pairs = np.stack(np.meshgrid(old, new), axis=-1).reshape(-1, 2)
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    results = arena.play(both, pairs, derive_seeds(1, 0, "test", len(pairs)))
    outcomes = results.outcomes.astype(float)
    outcomes[: len(pairs) // 2] *= -1
    assert outcomes.mean() > 0.2


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"tournament_size": 7}, "tournament_size is 7, more than the 6 individuals"),
        ({"elites": 7}, "elites is 7, more than the 6 individuals"),
        (
            {"self_adaptive": True, "mutate": "mutShuffleIndexes"},
            "self_adaptive is true, but mutate is 'mutShuffleIndexes'",
        ),
        ({"individuals": 1}, "individuals"),
        ({"mutation_strength": 0.0}, "mutation_strength"),
        ({"crossover_probability": 1.5}, "crossover_probability"),
        ({"openings": {"plies": 21}}, r"openings\.plies"),
        ({"draw_points": -0.1}, "draw_points"),
        ({"colours": "three"}, "colours"),
        ({"pairing": "species"}, "pairing"),
        ({"elite": 1}, "elite"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make_method(**settings)
