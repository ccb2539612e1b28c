"""Islands: migrants, arrivals, and the same bits with any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError
from evolve_arena.evolve.islands import Islands
from evolve_arena.evolve.method import State
from evolve_arena.evolve.migration import IslandResult, IslandTask, run_island
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.genomes.neat.faults import find_faults
from evolve_arena.genomes.neat.numbering import SPANS
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.checkpoint import read_state, write_state
from evolve_arena.runs.training.loop import Progress

BRIEF = ["run.generations=8", "run.checkpoint_every=4", "check.every=8", "check.games=4"]
VECTORS = ["method.individuals=10", "method.tournament_size=3", "network.hidden=[4]"]
GRAPHS = ["neat.pop_size=12"]
ISLANDS = ["islands.interval=2", "islands.migrants=2"]
KINDS = {
    "tournament": ("connect-four", [*VECTORS, "variation.self_adaptive=true"]),
    "neat": ("connect-four-neat", GRAPHS),
    "evolutionary-programming": (
        "checkers",
        ["method.individuals=6", "matches.opponents=2", "network.depth=1", "network.hidden=[3]"],
    ),
}


def make_islands(kind: str = "tournament", *changes: str) -> Islands:
    recipe, small = KINDS[kind]
    method = load_recipe(recipe, [*small, *BRIEF, *ISLANDS, *changes]).make_method()
    assert isinstance(method, Islands)
    return method


def go(method: Islands, until: int, seed: int = 3) -> State:
    state, arena = method.initial(seed), Arena(method.decoder, SerialExecutor())
    while state.generation < until:
        state, _ = method.proceed(state, arena, until)
    return state


# --- Who goes where


def test_a_ring_sends_to_the_next_and_a_complete_topology_to_all() -> None:
    assert IslandsConfig(count=3).find_senders(1, 5) == [[2], [0], [1]]
    complete = IslandsConfig(count=3, topology="complete", migrants=4)
    assert complete.find_senders(1, 5) == [[1, 2], [0, 2], [0, 1]]
    assert complete.arriving == 8


def test_a_random_topology_is_a_ring_in_a_new_order_each_time() -> None:
    config = IslandsConfig(count=6, topology="random")
    drawn = [config.find_senders(7, number) for number in range(1, 20)]
    for senders in drawn:
        assert sorted(sender for (sender,) in senders) == list(range(6))
        assert all(sender != island for island, (sender,) in enumerate(senders))
        island, seen = 0, set()
        while island not in seen:
            seen.add(island)
            (island,) = senders[island]
        assert len(seen) == 6
    assert len({str(senders) for senders in drawn}) > 10
    assert drawn == [config.find_senders(7, number) for number in range(1, 20)]


def test_newcomers_are_the_fittest_of_the_island_before() -> None:
    method = make_islands("tournament", "variation.self_adaptive=false")
    state, arena = method.initial(3), Arena(method.decoder, SerialExecutor())
    before, _ = method.proceed(state, arena, 2)
    assert len(before.waiting) == 4
    task = IslandTask(method.methods[0], before.islands[0], 3, method.config, before.waiting[3])
    alone = IslandTask(method.methods[0], before.islands[0], 3, method.config, None)
    assert not np.array_equal(run_island(task).state.population, run_island(alone).state.population)
    parents, _ = method.proceed(state, arena, 1)
    _, report = method.methods[0].step(parents.islands[0], arena)
    best = np.argsort(-report.fitness, kind="stable")[:2]
    np.testing.assert_array_equal(before.waiting[0][:, :-1], parents.islands[0].population[best])


@pytest.mark.parametrize("replaced", ["random", "worst"])
def test_newcomers_take_places_before_a_generation_plays(replaced: str) -> None:
    method = make_islands("tournament", f"islands.replace={replaced}")
    first, island = method.methods[0], method.initial(3).islands[0]
    arena = Arena(method.decoder, SerialExecutor())
    immigrants = first.emigrants(island, np.array([0, 0])) * 0 + 7
    rows = np.argsort(first.find_fitness(island, arena), kind="stable")[:2]
    changed = first.immigrate(island, rows, immigrants)
    assert (changed.population[rows] == 7).all()
    assert (changed.step_sizes[rows] == 7).all()
    others = np.setdiff1d(np.arange(10), rows)
    np.testing.assert_array_equal(changed.population[others], island.population[others])
    assert not (island.population == 7).any()
    end = run_island(IslandTask(first, replace(island, generation=2), 3, method.config, immigrants))
    if replaced == "worst":
        more = run_island(IslandTask(first, replace(island, generation=2), 3, method.config, None))
        assert end.games == 2 * more.games


# --- Graphs


def test_graphs_that_arrive_are_sound_and_mean_what_they_meant() -> None:
    method = make_islands("neat", "islands.topology=complete", "neat.node_add_prob=0.5")
    state = go(method, 8)
    inputs, outputs = method.decoder.inputs, method.decoder.outputs
    foreign = 0
    for number, island in enumerate(state.islands):
        genomes = island.population
        assert find_faults(genomes, inputs, outputs, True) is None
        assert len(set(genomes.keys.tolist())) == len(genomes)
        ends = list(zip(genomes.source.tolist(), genomes.target.tolist(), strict=True))
        by_ends = dict(zip(ends, genomes.innovation.tolist(), strict=True))
        assert [by_ends[end] for end in ends] == genomes.innovation.tolist()
        assert len(set(by_ends.values())) == len(by_ends)
        hidden = genomes.node_key[genomes.node_key >= SPANS.node * (number == 0) + outputs]
        foreign += int((hidden // SPANS.node != number).sum())
    assert foreign > 0


# --- The same bits


@pytest.mark.parametrize(
    ("kind", "topology", "executors"),
    [
        ("tournament", "ring", [("multiprocess", 2), ("spawn", 2)]),
        ("tournament", "random", [("multiprocess", 5)]),
        ("neat", "complete", [("multiprocess", 2)]),
    ],
)
def test_every_executor_gives_the_same_bits(
    kind: str,
    topology: str,
    executors: list[tuple[str, int]],
    tmp_path: Path,
    outcome_of: Callable[[Path], object],
) -> None:
    recipe, small = KINDS[kind]
    changes = [*small, *BRIEF, *ISLANDS, f"islands.topology={topology}"]
    alone = ea.start(recipe, run=tmp_path / "alone/run", executor="serial", changes=changes)
    for name, workers in executors:
        path = tmp_path / f"{name}-{workers}/run"
        ea.start(recipe, run=path, executor=name, workers=workers, changes=changes)
        assert outcome_of(path) == outcome_of(alone.path)
    assert len(Run.open(alone.path).state().islands) == 4


def test_the_method_of_checkers_has_islands_too() -> None:
    changes = ("islands.count=2", "islands.interval=1", "islands.replace=worst")
    method = make_islands("evolutionary-programming", *changes)
    one = go(method, 2)
    assert one.population.shape[0] == 12
    genome, report = method.champion(one, Arena(method.decoder, SerialExecutor()))
    assert (one.population == genome).all(axis=1).any()
    assert report.statistics["matches"] == 200


@pytest.mark.parametrize("stop", [1, 3, 4])
def test_where_it_stops_on_the_way_does_not_matter(stop: int) -> None:
    method = make_islands("tournament", "islands.interval=3")
    whole = go(method, 8)
    half = read_state(write_state(go(method, stop), method), method)
    assert method.find_mismatch(half) is None
    arena = Arena(method.decoder, SerialExecutor())
    while half.generation < 8:
        half, _ = method.proceed(half, arena, 8)
    assert write_state(half, method) == write_state(whole, method)


# --- Waiting


class Recorder(SerialExecutor):
    """An executor of several workers that breeds the islands in an order of its own."""

    workers = 4

    def __init__(self) -> None:
        self.until: list[int] = []

    def map(
        self, function: Callable[[IslandTask], IslandResult], items: Iterable[IslandTask]
    ) -> list[IslandResult]:
        """Apply the function to the items, the last one first."""
        tasks = list(items)
        self.until.append(tasks[0].until)
        ends: list[IslandResult] = [function(task) for task in tasks[::-1]]
        return ends[::-1]


@pytest.mark.parametrize(("interval", "stretches"), [(2, [2, 4, 6, 8]), (3, [3, 6, 8])])
def test_islands_wait_once_in_an_interval(interval: int, stretches: list[int]) -> None:
    method = make_islands("tournament", f"islands.interval={interval}")
    executor = Recorder()
    state, arena = method.initial(3), Arena(method.decoder, executor)
    while state.generation < 8:
        state, reports = method.proceed(state, arena, 8)
        assert [report.generation for report in reports][-1] == state.generation - 1
    assert executor.until == stretches
    np.testing.assert_array_equal(state.population, go(method, 8).population)


def test_a_callback_hears_of_each_generation_and_stops_the_run(tmp_path: Path) -> None:
    heard: list[tuple[int, bool]] = []

    def hear(progress: Progress) -> bool:
        heard.append((progress.generation, progress.state is None))
        return progress.generation < 3

    recipe, small = KINDS["tournament"]
    run = ea.start(recipe, run=tmp_path / "run", changes=[*small, *BRIEF, *ISLANDS], callbacks=hear)
    assert heard == [(1, True), (2, False), (3, True), (4, False)]
    assert run.generation == 4
    history = run.history()
    assert history.generations == 4
    shares = [history[f"median of island {number}"] for number in (1, 2, 3, 4)]
    np.testing.assert_allclose(np.mean(shares, axis=0), history["median"])


# --- Settings


def test_islands_have_settings_of_their_own() -> None:
    changes = "islands.each=[{variation={step_size=0.5}}, {individuals=14}]"
    method = make_islands("tournament", changes)
    assert [m.config.variation.step_size for m in method.methods][:2] == [0.5, 0.1]
    assert [len(island.population) for island in go(method, 4).islands] == [10, 14, 10, 10]
    graphs = make_islands("neat", "islands.each=[{neat={pop_size=20}}]")
    assert [len(island.population) for island in go(graphs, 2).islands] == [20, 12, 12, 12]


@pytest.mark.parametrize(
    ("recipe", "change", "told"),
    [
        ("connect-four-td", "islands.count=3", "individuals of 'td-tuples' can't migrate"),
        ("connect-four", "islands.migrants=300", "300 would arrive on an island of 200"),
        ("connect-four", "islands.topology=star", "must be 'ring', 'complete' or 'random'"),
        ("connect-four", "islands.cuont=3", "did you mean 'count'"),
        ("connect-four", "islands.lag=1", "lag"),
        (
            "connect-four",
            "islands.each=[{elite=3}]",
            "elite is an unknown setting: did you mean 'variation.elites'",
        ),
        ("connect-four", "islands.each=[{},{},{},{},{}]", "each has 5 tables for 4 islands"),
        ("connect-four", "islands=3", "islands is 3: it must be a section"),
    ],
)
def test_what_makes_no_sense_is_refused(recipe: str, change: str, told: str) -> None:
    with pytest.raises(ArenaError, match=told):
        load_recipe(recipe, [change])


def test_states_that_do_not_fit_are_refused() -> None:
    method = make_islands()
    state = go(method, 4)
    for wrong in (
        replace(state, islands=state.islands[:3]),
        replace(state, waiting=state.waiting[:-1]),
        replace(state, islands=(replace(state.islands[0], generation=3), *state.islands[1:])),
    ):
        assert method.find_mismatch(wrong)
    assert method.find_mismatch(state) is None
    with pytest.raises(ArenaError, match=r"its state is incomplete|of the method"):
        read_state(write_state(state.islands[0], method.methods[0]), method)
