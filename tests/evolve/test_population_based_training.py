"""Population-based training: one lineage that all teach, rivals, and genes that are selected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError
from evolve_arena.evolve.learning.tuple_learning import merge_shards
from evolve_arena.evolve.learning.tuple_structure import put_together, take_apart
from evolve_arena.evolve.population_based_state import from_scale, to_scale, weights_of
from evolve_arena.evolve.settings.population_based_training import GENES
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.runs.recipes.recipe import load_recipe

SMALL = ["method.name=population-based-training", "method.games=60", "method.individuals=4"]
TUPLES = ["network.kind=tuples", "network.tuples=6", "network.length=3"]
LAYERS = ["network.kind=mlp", "network.hidden=[6]", "method.genes.learning_rate=0.3"]


def make(*changes: str) -> tuple[Any, Arena]:
    method = load_recipe("tic-tac-toe", [*SMALL, *changes]).make_method()
    return method, Arena(method.decoder, SerialExecutor())


def learn(method: Any, state: Any) -> Any:
    """Return the weights after the games of a generation, shape ``(individuals, numbers)``."""
    lesson = method.teacher.state_of(state.seed, state.generation, state.population)
    arena = Arena(method.decoder, SerialExecutor())
    return method.teacher.learn(lesson, arena, method.express(state))[0]


@pytest.mark.parametrize("network", [TUPLES, LAYERS])
def test_all_individuals_begin_with_what_all_have_learned(network: list[str]) -> None:
    method, arena = make(*network, "method.selection_pressure=1.6", "method.averaging=0.25")
    state = method.initial(1)
    for _ in range(6):
        before, (state, report) = state, method.step(state, arena)
    learned, old = learn(method, before), weights_of(before.population)
    assert len({row.tobytes() for row in learned}) == 4, "each plays games of its own"
    assert len({row.tobytes() for row in old}) == 1
    ranks = np.argsort(np.argsort(-report.fitness, kind="stable"))
    expected = old[0].copy()
    merge_shards(expected, learned, np.float32(1.6) - np.float32(0.4) * ranks.astype(np.float32))
    found = weights_of(state.population)
    assert found == pytest.approx(np.tile(expected, (4, 1)), abs=1e-6)
    mean = before.averages + 0.25 * (found - before.averages)
    assert state.averages == pytest.approx(mean, abs=1e-6)
    champion, final = method.champion(state, arena)
    assert weights_of(champion).ravel() == pytest.approx(state.averages[0])
    assert final.games == 0


def test_with_equal_genes_and_ranks_it_learns_as_shards_of_td_tuples_do() -> None:
    genes = {"trace_decay": 0.75, "exploration": 0.125}  # exact in 32 bits, as genes are rounded
    scheduled = {"learning_rate": 1 / 256, "random_starts": 0.25}
    method, arena = make(
        *TUPLES,
        *("method.selection_pressure=1", "variation.step_size=0", "method.schedule.final=1"),
        *(f"method.genes.{name}={value}" for name, value in (genes | scheduled).items()),
    )
    learner = load_recipe(
        "tic-tac-toe",
        [
            *TUPLES[1:],
            *("method.name=td-tuples", "method.individuals=1"),
            *("method.shards=4", "method.games=240", "method.schedule.final_random_starts=0.25"),
            *(f"method.{name}={value}" for name, value in genes.items()),
            *(f"method.schedule.{name}={value}" for name, value in scheduled.items()),
        ],
    ).make_method()
    state, alone = method.initial(1), learner.initial(1)
    for _ in range(3):
        state, _ = method.step(state, arena)
        alone, _ = learner.step(alone, arena)
    assert alone.averages.any()
    assert np.array_equal(state.averages, np.tile(alone.averages, (4, 1)))
    assert np.array_equal(weights_of(state.population)[:1], alone.population.tables)


@pytest.mark.parametrize("network", [TUPLES, LAYERS])
def test_children_of_rivals_have_what_their_first_parent_learned(network: list[str]) -> None:
    method, arena = make(*network, "method.inheritance=lamarck")
    state = method.initial(1)
    assert len({row.tobytes() for row in learn(method, state)}) == 4
    after, _ = method.step(state, arena)
    assert np.array_equal(weights_of(after.population), learn(method, state)[after.parents[:, 0]])
    if network is TUPLES:
        cells = state.population.cells
        assert np.array_equal(after.population.cells, cells[after.parents[:, 0]])
        assert len({one.tobytes() for one in cells}) == 4, "they have tuples of their own"
    assert method.champion(after, arena)[1].statistics["matches"] > 0


def test_what_was_learned_dies_with_its_owner_if_only_genes_are_inherited() -> None:
    method, arena = make(*TUPLES, "method.inheritance=baldwin")
    state = method.initial(1)
    after, _ = method.step(state, arena)
    assert not weights_of(after.population).any()
    assert np.array_equal(after.averages, learn(method, state)[after.parents[:, 0]])


@pytest.mark.parametrize("inheritance", ["recombined", "lamarck"])
def test_states_fit_when_the_individual_with_the_largest_tables_has_left(inheritance: str) -> None:
    changes = [*SMALL, f"method.inheritance={inheritance}", "network.tuples=6"]
    method = load_recipe("connect-four-td", changes).make_method()
    smaller = []
    for seed in range(8):
        drawn = method.teacher.initial(seed).population
        sizes = [method.teacher.count_numbers(one.cells) for one in drawn]
        smaller += [seed] if sizes[0] < max(sizes) else []
        state = method.initial(seed)
        rows = np.zeros(4, dtype=np.int64)
        heirs = replace(state, population=state.population.take(rows))
        assert method.find_mismatch(state) is None
        assert method.find_mismatch(heirs) is None
    assert smaller, "in none of these runs the first individual has smaller tables than another"
    short = replace(state, averages=state.averages[:, :-1])
    assert "averages" in str(method.find_mismatch(short))
    room = method.teacher.count_numbers(state.population.cells)
    for tables in (state.population.tables[:, : room - 1], state.population.tables[0]):
        cut = replace(state, population=TuplePopulation(state.population.cells, tables))
        assert "tables" in str(method.find_mismatch(cut))


def test_parents_win_tournaments() -> None:
    method, arena = make(*TUPLES, "method.tournament_size=4")
    state, report = method.step(method.initial(1), arena)
    assert set(state.parents.ravel()) <= set(np.flatnonzero(report.fitness == report.fitness.max()))


def test_genes_come_from_both_parents_and_mutate_on_their_scale() -> None:
    method, arena = make(*TUPLES, "variation.step_size=0", "variation.crossover_probability=0.5")
    state = method.initial(1)
    own = np.arange(16.0).reshape(4, 4) / 10 - 2
    state = type(state)(**{**vars(state), "genes": own})
    after, _ = method.step(state, arena)
    for child, (first, second) in zip(after.genes, after.parents, strict=True):
        assert all(gene in (own[first, k], own[second, k]) for k, gene in enumerate(child))
    method, _ = make(
        *(*TUPLES, "variation.step_size=0.3", "method.individuals=1000"),
        "method.genes.fixed=['trace_decay']",
    )
    drawn = method.initial(1).genes
    started = to_scale(np.array([0.002, 0.8, 0.1, 0.8]))
    assert drawn.mean(axis=0) == pytest.approx(started, abs=0.05)
    assert drawn.std(axis=0) == pytest.approx([0.3, 0.0, 0.3, 0.3], abs=0.03)


def test_settings_are_what_genes_say_and_rates_are_annealed() -> None:
    method, _ = make(*TUPLES, "method.schedule.generations=10", "method.schedule.final=0.5")
    state = method.initial(1)
    genes = from_scale(state.genes)
    assert to_scale(genes) == pytest.approx(state.genes, abs=1e-5)
    for generation, factor in ((0, 1.0), (4, 0.8), (10, 0.5), (99, 0.5)):
        now = type(state)(**{**vars(state), "generation": generation})
        for settings, gene in zip(method.express(now), genes, strict=True):
            expected = dict(zip(GENES, gene, strict=True))
            assert settings.step == pytest.approx(factor * expected["learning_rate"])
            assert settings.decay == expected["trace_decay"]
            assert settings.exploration == expected["exploration"]
            assert settings.random_starts == expected["random_starts"]


@pytest.mark.parametrize("network", [TUPLES, LAYERS])
def test_games_begin_with_random_moves_if_genes_say_so(network: list[str]) -> None:
    """Weights stay as they are, so that only random moves make games differ."""
    plies = {}
    for share in ("0.001", "0.999"):
        method, arena = make(
            *(*network, "method.genes.learning_rate=1e-30", "method.genes.exploration=1e-9"),
            *(f"method.genes.random_starts={share}", "method.start_plies=9"),
            *("variation.step_size=0", "method.games=300"),
        )
        _, report = method.step(method.initial(1), arena)
        plies[share] = report.statistics["plies"]
    assert abs(plies["0.001"] - plies["0.999"]) > 0.1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["method.tournament_size=5"], "tournament_size is 5, more than the 4 individuals"),
        (["method.selection_pressure=2"], "selection_pressure is 2.*below 2"),
        (["method.genes.fixed=['lambda']"], "fixed"),
        (["game.name=hex", "network.kind=mlp", "network.activation=relu"], "activation"),
    ],
)
def test_settings_without_sense_are_refused(changes: list[str], sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence):
        load_recipe("tic-tac-toe", [*SMALL, *changes])


def test_states_of_other_shapes_are_refused() -> None:
    method, _ = make(*TUPLES)
    state = method.initial(1)
    for name, changed in (
        ("genes", state.genes[:, :3]),
        ("parents", state.parents + 4),
        ("averages", state.averages[:, 1:]),
    ):
        wrong = type(state)(**{**vars(state), name: changed})
        assert name in str(method.find_mismatch(wrong))


def test_tuples_that_contribute_least_give_way_to_mutants() -> None:
    method, arena = make(*TUPLES, "method.tuples.replaced=0.34", "method.tuples.every=3")
    state = method.initial(1)
    for _ in range(2):
        state, _ = method.step(state, arena)
    weights, cells = method.decoder.split, state.population.cells[0]
    after, _ = method.step(state, arena)
    old = {tuple(one) for one in cells.tolist()}
    new = [tuple(one) for one in after.population.cells[0].tolist()]
    assert sum(one in old for one in new[:4]) == 4, "the others stay, with the best first"
    *parts, rest = weights(after.population.cells[0], after.averages[0])
    assert rest.size == 0
    sums = [np.abs(each).sum() for each in parts]
    assert sums[:4] == sorted(sums[:4], reverse=True)
    assert sums[4:] == [0.0, 0.0]
    for mutant, parent in zip(new[4:], new[:2], strict=True):
        assert len(set(mutant) & set(parent)) == 2
        assert len(set(mutant)) == 3
    assert method.find_mismatch(after) is None
    assert len({one.tobytes() for one in after.population.tables}) == 1


def test_weights_of_tuples_are_taken_apart_and_put_together() -> None:
    changes = [*("game.name=connect-four", "network.by_seat=true"), *TUPLES, "network.length=4"]
    changes += ["network.counts=true", "network.stages=2"]
    method, arena = make(*changes, "check.opponents=['random']")
    state, _ = method.step(method.initial(2), arena)
    given = state.population.cells[0], state.population.tables[0], state.averages[0]
    tuples, rest = take_apart(method.decoder, *given)
    assert rest.contribution > 0
    again = put_together(method.decoder, tuples, rest)
    players = [
        method.decoder.player(TuplePopulation(cells[None], average[None]), "")
        for cells, _, average in (given, again)
    ]
    position = method.decoder.game.initial()
    for move in (3, 2, 3, 4, 1):
        values = [player.values(position) for player in players]
        assert list(values[0].values()) == pytest.approx(list(values[1].values()), abs=1e-6)
        position = method.decoder.game.play(position, move)


def test_immigrants_bring_their_best_tuples() -> None:
    method, arena = make(*TUPLES, "method.tuples.crossed=0.34")
    states = [method.step(method.initial(seed), arena)[0] for seed in (1, 2)]
    rows = np.array([0, 1])
    after = method.immigrate(states[0], rows, method.emigrants(states[1], rows))
    own, theirs, now = (
        take_apart(
            method.decoder,
            state.population.cells[0],
            state.population.tables[0],
            state.averages[0],
        )[0]
        for state in (*states, after)
    )
    expected = [tuple(one.cells.tolist()) for one in (*own[:4], *theirs[:2])]
    assert sorted(tuple(one.cells.tolist()) for one in now) == sorted(expected)
    assert method.find_mismatch(after) is None


def test_a_run_begins_with_the_network_of_another() -> None:
    method, arena = make(*TUPLES)
    state, _ = method.step(method.initial(1), arena)
    found = method.enter(method.initial(5), method.candidates(state))
    assert np.array_equal(found.population.tables[2], state.averages[0])
    assert method.find_mismatch(found) is None
