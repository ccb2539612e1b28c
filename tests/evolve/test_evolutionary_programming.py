"""The method ``evolutionary-programming``: how children differ, who lives, who is champion."""

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
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.evolutionary_programming import (
    EvolutionaryProgramming,
    EvolutionaryProgrammingConfig,
    EvolutionaryProgrammingState,
    draw_opponents,
    rank_by_merit,
)
from evolve_arena.genomes.self_adaptive import mutate_self_adaptive, self_adaptive_rate
from evolve_arena.players.board.workspace import DEPTH
from tests.small_recipes import ONE_GAME

NetworkDecoder: Any = find_game("connect-four").networks["mlp"].decoder_type

LINEAR = NetworkDecoder(head="value", encoding="planes", hidden=())
"""Its value is the sum of the weights of the cells that are taken, so it can be written by hand."""

SEARCHING: Any = find_game("tic-tac-toe").networks["mlp"].decoder_type


class Recorder(SerialExecutor):
    """Plays in this process and keeps what it was asked, and what came of it."""

    def __init__(self) -> None:
        self.played: list[tuple[Batch, Results]] = []

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        results = super().play(batch)
        self.played.append((batch, results))
        return results


# Mutation


def mutate(
    genomes: NDArray[np.float32], strengths: float = 0.5, seed: int = 1, **options: Any
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    options = {"rate": 0.3, **options}
    before = np.full(genomes.shape, strengths, np.float32)
    return mutate_self_adaptive(genomes, before, new_stream(seed), **options)


def test_strengths_vary_log_normally_and_genes_by_them() -> None:
    genomes = np.linspace(-1.0, 1.0, 100_000, dtype=np.float32).reshape(200, 500)
    children, strengths = mutate(genomes)
    assert children.dtype == strengths.dtype == np.float32
    logarithms = np.log(strengths / 0.5) / 0.3
    assert stats.kstest(logarithms.ravel(), "norm").pvalue > 0.001
    changes = (children - genomes) / strengths
    assert stats.kstest(changes.ravel(), "norm").pvalue > 0.001
    # The two have nothing to do with one another, nor with those of the gene before.
    one, other = logarithms.ravel(), changes.ravel()
    for first, second in ((one, other), (one[1:], one[:-1]), (other[1:], other[:-1])):
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.015


def test_a_gene_has_the_child_strength_not_the_parents() -> None:
    # With a rate this large the two differ by factors of hundreds.
    genomes = np.zeros((100, 100), np.float32)
    children, strengths = mutate(genomes, rate=5.0)
    assert stats.kstest((children / strengths).ravel(), "norm").pvalue > 0.001


def test_nothing_is_changed_in_place() -> None:
    genomes, strengths = np.ones((3, 4), np.float32), np.ones((3, 4), np.float32)
    mutate_self_adaptive(genomes, strengths, new_stream(1), rate=0.3)
    assert (genomes == 1.0).all()
    assert (strengths == 1.0).all()


def test_the_usual_rate() -> None:
    # tau = 1 / sqrt(2 sqrt(n)): 2 * sqrt(256) is 32; for the networks of 1741 weights 83.45.
    assert self_adaptive_rate(256) == pytest.approx(1 / 32**0.5)
    assert self_adaptive_rate(1741) == pytest.approx(0.10947, abs=1e-5)


def test_strengths_stay_between_a_floor_and_a_thousand() -> None:
    genomes = np.zeros((50, 100), np.float32)
    _, strengths = mutate(genomes, 0.5, rate=1.0, floor=0.25)
    share = stats.norm.cdf(np.log(0.5))  # of the numbers that lie below the floor
    assert strengths.min() == 0.25
    assert stats.binomtest(int((strengths == 0.25).sum()), 5000, share).pvalue > 0.001
    children, strengths = mutate(genomes, 900.0, rate=5.0)
    assert strengths.max() == 1000.0
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


def draw_preferences(weights: dict[tuple[int, int], float]) -> NDArray[np.float32]:
    """A linear player that goes for the cells (column, row) with the largest *weights*."""
    genome = np.zeros(LINEAR.genes, np.float32)
    for (column, row), weight in weights.items():
        genome[(5 - row) * 7 + column] = weight
    return genome


def strong() -> NDArray[np.float32]:
    """Stacks four discs in the middle: nothing stops it but a player who does so too."""
    return draw_preferences({(3, row): 1.0 for row in range(6)})


def weak(number: int) -> NDArray[np.float32]:
    """Begins with the cells 0, 2, 4 and 6 of the bottom row, which are no line."""
    bottom = {(column, 0): 0.9 - column / 10 for column in (0, 2, 4, 6)}
    return draw_preferences({**bottom, (6, 5): 0.001 * number})


PLAIN = {"colours": "one", "openings": {"plies": 0, "count": 1}}
"""One game of each pair, from the start."""


def make_method(decoder: Any = LINEAR, **settings: Any) -> EvolutionaryProgramming:
    calm = {"mutation_strength": 1e-6, "strength_rate": 1e-6}
    config = EvolutionaryProgrammingConfig.model_validate(
        {"individuals": 4, **calm, **ONE_GAME, **settings}
    )
    return EvolutionaryProgramming(config, decoder)


def start(
    method: EvolutionaryProgramming, *rows: NDArray[np.float32], seed: int = 1
) -> EvolutionaryProgrammingState:
    return replace(method.initial(seed), population=np.stack(rows))


def make_arena(decoder: Any = LINEAR) -> Arena:
    return Arena(decoder, SerialExecutor())


def wild_population(
    count: int, seed: int, decoder: NetworkDecoder = LINEAR
) -> list[NDArray[np.float32]]:
    return list(np.random.default_rng(seed).normal(size=(count, decoder.genes)).astype(np.float32))


def count_points(
    played: list[tuple[Batch, Results]], players: int, win: float, draw: float, loss: float
) -> tuple[list[float], list[int]]:
    """By plain bookkeeping."""
    points, matches = [0.0] * players, [0] * players
    for batch, results in played:
        for pair, outcome in zip(batch.seatings.tolist(), results.outcomes.tolist(), strict=True):
            for player, own in zip(pair, (outcome, -outcome), strict=True):
                if player < players:
                    points[player] += {1: win, 0: draw, -1: loss}[own]
                    matches[player] += 1
    return points, matches


@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize("counting", [{}, {"draw": 0.5, "loss": 0.25}])
def test_those_with_most_points_live_on(score: str, counting: dict[str, float]) -> None:
    keys = {f"{key}_points": value for key, value in counting.items()}
    decoder = NetworkDecoder(columns=4, rows=4, head="value", encoding="planes", hidden=())
    method = make_method(decoder, score=score, individuals=8, mutation_strength=0.5, **keys)
    rules = {"win": 1.0, "draw": 0.0, "loss": -2.0, **counting}
    differences = draws = 0
    for seed in range(5):
        state = start(method, *wild_population(8, seed, decoder), seed=seed)
        recorder = Recorder()
        after, report = method.step(state, Arena(decoder, recorder))
        ((batch, results),) = recorder.played
        draws += int((results.outcomes == 0).sum())
        assert report.games == len(batch) == 2 * 8 * 5
        points, matches = count_points(recorder.played, 16, **rules)
        mean = [one / other for one, other in zip(points, matches, strict=True)]
        merit = points if score == "sum" else mean
        # Rows of the linear networks as they were packed: parents first, then their children.
        everybody = np.concatenate([state.population, find_children(method, state)])
        known = {row.tobytes(): number for number, row in enumerate(everybody)}
        lived = [known[row.tobytes()] for row in after.population]
        values = [merit[number] for number in lived]
        assert values == sorted(merit, reverse=True)[:8]
        differences += sorted(points, reverse=True)[:8] != sorted(mean, reverse=True)[:8]
        lowest, highest = rules["loss"], rules["win"]
        best = (max(mean) - lowest) / (highest - lowest)
        assert report.statistics["best"] == pytest.approx(best)
    assert differences
    assert draws > 40  # of 400 games, on so small a board


def find_children(
    method: EvolutionaryProgramming, state: EvolutionaryProgrammingState
) -> NDArray[np.float32]:
    everybody, _ = method._breed(state)
    assert np.array_equal(everybody[: len(state.population)], state.population)
    return everybody[len(state.population) :]


def test_strengths_go_with_their_genes() -> None:
    method = make_method(individuals=6, mutation_strength=0.3, strength_rate=0.5)
    state = start(method, *wild_population(6, 3))
    everybody, strengths = method._breed(state)
    after, _ = method.step(state, make_arena())
    known = {row.tobytes(): number for number, row in enumerate(everybody)}
    lived = [known[row.tobytes()] for row in after.population]
    assert np.array_equal(after.strengths, strengths[lived])
    assert any(number >= 6 for number in lived)  # children as well


def test_the_better_player_and_its_child_take_over() -> None:
    method = make_method(opponents=20)
    state = start(method, strong(), weak(1), weak(2), weak(3))
    state, report = method.step(state, make_arena())
    stackers = [bool(abs(row - strong()).max() < 0.01) for row in state.population]
    assert stackers[:2] == [True, True]
    assert report.statistics["best"] > 0.7


def test_who_is_as_good_is_ranked_by_chance() -> None:
    generator = np.random.default_rng(1)
    rankings = [rank_by_merit(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), generator) for _ in range(900)]
    assert {tuple(ranking[:2].tolist()) for ranking in rankings} == {(1, 3)}
    third = Counter(int(ranking[2]) for ranking in rankings)
    assert set(third) == {0, 2, 4}
    assert stats.chisquare(list(third.values())).pvalue > 0.001


def test_a_step_depends_on_nothing_but_the_state() -> None:
    method = make_method(mutation_strength=0.1, noise=0.2)
    state = method.initial(5)
    first, second = (method.step(state, make_arena())[0] for _ in range(2))
    assert np.array_equal(first.population, second.population)
    assert np.array_equal(first.strengths, second.strengths)
    assert np.array_equal(state.population, method.initial(5).population)
    other = method.step(replace(state, generation=1), make_arena())[0]
    assert not np.array_equal(first.population, other.population)


def test_the_hall_of_fame() -> None:
    hall = {"size": 2, "every": 2, "opponents": 3}
    method = make_method(hall_of_fame=hall, mutation_strength=0.1, noise=0.1)
    state = method.initial(3)
    sizes, games = [], []
    for _ in range(6):
        recorder = Recorder()
        after, report = method.step(state, Arena(LINEAR, recorder))
        if state.generation % 2 == 0:
            assert np.array_equal(after.hall[-1], after.population[0])  # the generation's best
        sizes.append(len(after.hall))
        games.append(report.games)
        if len(recorder.played) > 1:  # those points count as well
            points, matches = count_points(recorder.played, 8, 1.0, 0.0, -2.0)
            shares = [(p / m + 2) / 3 for p, m in zip(points, matches, strict=True)]
            assert report.statistics["best"] == pytest.approx(max(shares))
        state = after
    assert sizes == [1, 1, 2, 2, 2, 2]
    # Each of eight meets all members there are, in both colours.
    assert [number - 8 * 5 for number in games] == [0, 16, 16, 32, 32, 32]


@pytest.mark.parametrize("place", [0, 2, 3])
def test_the_champion_is_who_beats_everybody(place: int) -> None:
    method = make_method()
    rows = [weak(number) for number in range(4)]
    rows[place] = strong()
    genome, report = method.champion(start(method, *rows), make_arena())
    assert np.array_equal(genome, strong())
    assert report.statistics == {"points": 6.0, "matches": 6.0}  # both colours, three others
    assert report.games == 12


def test_it_learns_connect_four() -> None:
    decoder = NetworkDecoder(head="value", encoding="planes", hidden=(16,), activation="tanh")
    config = EvolutionaryProgrammingConfig.model_validate(
        {"opponents": 10, "noise": 0.1, **ONE_GAME}
    )
    method = EvolutionaryProgramming(config, decoder)
    arena = make_arena(decoder)
    state = first = method.initial(1)
    for _ in range(40):
        state, _ = method.step(state, arena)
    champion, _ = method.champion(state, arena)
    pairings = np.array([[0, 1 + k % 15] if k % 2 else [1 + k % 15, 0] for k in range(600)])
    genomes = np.concatenate([champion[None, :], first.population])
    seeds = derive_seeds(9, 0, "test", 600)
    results = arena.play(genomes, pairings.astype(np.int32), seeds, noise=0.1)
    won = (results.outcomes == np.where(pairings[:, 0] == 0, 1, -1)).mean()
    assert won > 0.75


def test_the_champion_may_be_the_mean() -> None:
    method = make_method(individuals=2, champion="mean")
    rows = [np.full(LINEAR.genes, value, np.float32) for value in (0.25, -1.25)]
    genome, report = method.champion(start(method, *rows), make_arena())
    assert genome.dtype == np.float32
    assert (genome == -0.5).all()
    assert (report.games, report.statistics) == (0, {"points": 0.0, "matches": 0.0})


def test_matches_may_be_shallower_than_the_game() -> None:
    decoder = SEARCHING(hidden=(3,), depth=3)
    for depths in ((), (1,), (2, 1)):
        method = make_method(decoder, individuals=2, opponents=1, training_depths=depths)
        recorder = Recorder()
        arena = Arena(decoder, recorder)
        state = method.initial(1)
        for _ in range(3):
            state, report = method.step(state, arena)
            assert report.games == 4
        method.champion(state, arena)
        assert arena.games == 3 * 4 + 2
        expected = {(): [3, 3, 3, 3], (1,): [1, 1, 1, 1], (2, 1): [2, 1, 2, 1]}[depths]
        seen = [set(batch.packed.seats[:, DEPTH].tolist()) for batch, _ in recorder.played]
        assert seen == [{depth} for depth in expected]


# Configurations and states


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"individuals": 1}, "individuals"),
        ({"opponents": 0}, "opponents"),
        ({"loss_points": 1.0}, "less than 1"),
        ({"draw_points": 1.5}, "less than or equal to 1"),
        ({"draw_points": -2.5}, "draw_points is -2.5"),
        ({"score": "best"}, "score"),
        ({"mutation_strength": 0.0}, "mutation_strength"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        EvolutionaryProgrammingConfig.model_validate(settings)


def test_openings_and_initialisations_are_looked_at_first() -> None:
    with pytest.raises(BadValueError, match=r"method.openings.plies: openings of 20 plies"):
        make_method(NetworkDecoder(columns=4, rows=4), openings={"plies": 20})
    with pytest.raises(BadValueError, match="initialisation 'uniform:-1'"):
        make_method(initialisation="uniform:-1")


def test_a_training_depth_is_for_those_who_search() -> None:
    policy = NetworkDecoder(head="policy")
    with pytest.raises(BadValueError, match=r"training_depths: depth: a policy has no values"):
        make_method(policy, training_depths=[2])
    with pytest.raises(BadValueError, match=r"method.training_depths: depth is 13"):
        make_method(SEARCHING(), training_depths=[2, 13])


def test_states_of_other_runs_are_noticed() -> None:
    method = make_method()
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    assert state.strengths.shape == state.population.shape == (4, LINEAR.genes)
    assert (state.strengths == np.float32(1e-6)).all()
    for changed, fault in (
        (replace(state, population=state.population[:3]), "its population has shape (3, 85)"),
        (replace(state, strengths=state.strengths[:, :1]), "its strengths or its hall"),
        (replace(state, hall=state.hall[:, :5]), "its strengths or its hall"),
        (replace(state, strengths=state.strengths.astype(float)), "no 32-bit numbers"),
    ):
        assert fault in (method.find_mismatch(changed) or "")


def make_section(game: str, **content: Any) -> Any:
    section = EvolutionaryProgramming.network_section(find_game(game), content)
    return section.model_validate(content)


def test_decoders_of_games_with_code_of_their_own_and_in_one_file() -> None:
    method, config = EvolutionaryProgramming, EvolutionaryProgrammingConfig()
    network = make_section("connect-four", head="value")
    decoder = method.make_decoder(make_game("connect-four"), network, config)
    assert decoder == NetworkDecoder(head="value")
    network = make_section("othello", hidden=[8], depth=2)
    decoder = method.make_decoder(make_game("othello", size=6), network, config)
    made_of: Any = find_game("othello").networks["mlp"].decoder_type
    assert decoder == made_of(hidden=(8,), depth=2, size=6)
    made = EvolutionaryProgramming(config, decoder).initial(1)
    assert made.population.shape == (15, 2 * 36 * 8 + 8 + 8 + 1)
