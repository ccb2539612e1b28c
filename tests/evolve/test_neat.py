"""The method ``neat``: who is fit, who lives on, who has children, and what is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.arena.pairings import both_colours, inside_groups, round_robin
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.neat import ExtinctionError, Neat, NeatMethodConfig, NeatState
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.neat.species import speciate
from tests.small_recipes import FROM_THE_START

CALM = {
    "weight_mutate_rate": 0.0,
    "weight_replace_rate": 0.0,
    "bias_mutate_rate": 0.0,
    "bias_replace_rate": 0.0,
    "enabled_mutate_rate": 0.0,
    "conn_add_prob": 0.0,
    "conn_delete_prob": 0.0,
    "node_add_prob": 0.0,
    "node_delete_prob": 0.0,
    "activation_options": ["tanh", "identity"],
}
"""Nothing mutates."""
VALUE = {"head": "value", "encoding": "planes"}
Board = tuple[int, int, int]


class Recorder(SerialExecutor):
    """Plays in this process and keeps what it was asked."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def play(self, batch: Batch) -> Results:
        """Plays all matches of *batch*."""
        self.batches.append(batch)
        return super().play(batch)


PLAIN = {"openings": {"plies": 0, "count": 1}}
"""All games from the start."""


def make_method(
    network: dict[str, Any] | None = None,
    neat: dict[str, Any] | None = None,
    board: Board = (7, 6, 4),
    **settings: Any,
) -> Neat:
    config = NeatMethodConfig.model_validate(
        {**FROM_THE_START, **settings, "neat": {"pop_size": 6, **(neat or {})}}
    )
    content = VALUE if network is None else network
    section = Neat.network_section(find_game("connect-four"), content)
    view = section.model_validate(content)
    columns, rows, connect = board
    game = make_game("connect-four", columns=columns, rows=rows, connect=connect)
    return Neat(config, Neat.make_decoder(game, view, config))


def make_arena(method: Neat, executor: Executor | None = None) -> Arena:
    return Arena(method.decoder, executor or SerialExecutor())


def prefer(weights: dict[tuple[int, int], float], key: int = 1) -> NeatPopulation:
    """A genome that goes for the cells (column, row) with the largest *weights*."""
    by_cell = sorted(((5 - row) * 7 + column, value) for (column, row), value in weights.items())
    cells = [cell for cell, _ in by_cell]
    return NeatPopulation(
        keys=np.array([key]),
        node_start=np.array([0, 1]),
        node_key=np.zeros(1, dtype=np.int32),
        bias=np.zeros(1),
        response=np.ones(1),
        activation=np.full(1, ACTIVATIONS.index("identity"), dtype=np.int32),
        aggregation=np.full(1, AGGREGATIONS.index("sum"), dtype=np.int32),
        connection_start=np.array([0, len(cells)]),
        source=np.array([-1 - cell for cell in cells], dtype=np.int32),
        target=np.zeros(len(cells), dtype=np.int32),
        weight=np.array([value for _, value in by_cell], dtype=np.float64),
        enabled=np.ones(len(cells), dtype=np.bool_),
        innovation=np.array(cells, dtype=np.int64) + 1,
    )


def strong(column: int = 3, weight: float = 1.0) -> NeatPopulation:
    """Stacks four discs in a *column*: nothing stops it but a player who does so too."""
    return prefer({(column, row): weight for row in range(6)})


def weak(number: int) -> NeatPopulation:
    """Begins with columns 0, 2, 4 and 6, which are no line, and then goes from left to right."""
    bottom = {(column, 0): 0.9 - column / 10 for column in (0, 2, 4, 6)}
    return prefer({**bottom, (6, 5): 0.001 * number})


def population_with(strong_ones: dict[int, NeatPopulation], size: int) -> NeatPopulation:
    """Weak genomes but for the *strong_ones*; keys count from 1."""
    genomes = [strong_ones.get(row, weak(row)) for row in range(size)]
    return replace(concatenate(genomes), keys=np.arange(1, size + 1))


def begin(method: Neat, population: NeatPopulation, seed: int = 1, **changes: Any) -> NeatState:
    """A state of generation 0, as the method itself would divide *population* into species."""
    neat = method.config.neat
    species = speciate(
        population,
        None,
        None,
        generation=0,
        last_key=0,
        compatibility_threshold=neat.compatibility_threshold,
        disjoint_coefficient=neat.compatibility_disjoint_coefficient,
        weight_coefficient=neat.compatibility_weight_coefficient,
    )
    state = NeatState(
        seed=seed,
        generation=0,
        population=population,
        species=species,
        counters=Counters(int(population.keys.max()), 0, 100),
        last_species=len(species),
        records=population.take(species.representative),
        marks=np.full(len(species), -np.inf),
        hall=population.take([]),
    )
    assert method.find_mismatch(state) is None
    return replace(state, **changes)


def genes_of(population: NeatPopulation, genome: int) -> tuple[bytes, ...]:
    """Everything in a genome but its key."""
    alone = population.take([genome])
    return tuple(getattr(alone, field.name).tobytes() for field in fields(alone)[1:])


def assert_same(one: Any, other: Any, name: str = "state") -> None:
    if is_dataclass(one):
        for field in fields(one):
            assert_same(
                getattr(one, field.name), getattr(other, field.name), f"{name}.{field.name}"
            )
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert one.tobytes() == other.tobytes(), name
    else:
        assert type(one) is type(other), name
        assert one == other, name


def copy_of(part: Any) -> Any:
    """The same with arrays of its own."""
    changes = {
        field.name: copy_of(getattr(part, field.name))
        for field in fields(part)
        if is_dataclass(getattr(part, field.name))
    }
    changes |= {
        field.name: getattr(part, field.name).copy()
        for field in fields(part)
        if isinstance(getattr(part, field.name), np.ndarray)
    }
    return replace(part, **changes)


# --- fitness -------------------------------------------------------------------------------


def test_the_rigged_genomes_are_what_they_seem() -> None:
    method = make_method()
    population = population_with({0: strong()}, 4)
    pairings = np.array([[0, 1], [1, 0], [0, 2], [3, 0]], np.int32)
    results = make_arena(method).play(population, pairings, derive_seeds(1, 0, "test", 4))
    assert results.outcomes.tolist() == [1, -1, 1, -1]
    assert results.plies.tolist() == [7, 8, 7, 8]


def test_fitness_is_the_share_of_points_by_hand() -> None:
    """Of three the figures are the fitness of each one, in order."""
    method = make_method(neat={"pop_size": 3}, pairing="round-robin", draw_points=0.25)
    population = population_with({1: strong()}, 3)
    pairings = both_colours(np.array([[0, 2]], dtype=np.int32))
    results = make_arena(method).play(population, pairings, np.zeros(2, dtype=np.uint64))
    first, second = results.outcomes.tolist()
    worth = {1: 1.0, 0: 0.25, -1: 0.0}
    one = (worth[first] + worth[-second]) / 4
    other = (worth[-first] + worth[second]) / 4
    _, report = method.step(begin(method, population), make_arena(method))
    figures = report.statistics
    assert figures["best"] == 1.0
    assert [figures["worst"], figures["median"]] == sorted([one, other])


@pytest.mark.parametrize("draw_points", [0.0, 0.5, 1.0])
def test_a_draw_counts_what_the_recipe_says(draw_points: float) -> None:
    # Where all discs go into one column in turn, nobody gets a line.
    method = make_method(board=(1, 6, 4), stagnation={"opening_plies": 3}, draw_points=draw_points)
    state = method.initial(1)
    _, report = method.step(state, make_arena(method))
    assert report.statistics["best"] == report.statistics["worst"] == draw_points
    _, report = method.champion(state, make_arena(method))
    assert report.statistics == {"points": 10 * draw_points, "matches": 10.0}


def test_points_against_the_hall_count_as_others_do() -> None:
    method = make_method(
        neat={"pop_size": 3},
        pairing="round-robin",
        draw_points=0.5,
        hall_of_fame={"opponents": 2, "every": 10},
    )
    hall = population_with({0: strong(), 1: strong()}, 2)
    state = begin(method, population_with({1: strong()}, 3), hall=hall, generation=1)
    recorder = Recorder()
    _, report = method.step(state, make_arena(method, recorder))
    # The strong one wins its four games, and half of the points against each of its likes.
    assert report.statistics["best"] == (4 + 2) / (4 + 4)
    # The others lose all four to the hall.
    both = report.statistics["worst"] + report.statistics["median"]
    assert both == pytest.approx(2 / (4 + 4))
    assert report.games == 6 + 12 + len(recorder.batches[2])


@pytest.mark.parametrize(("pairing", "opponents"), [("random", 2), ("random", 5), ("species", 2)])
@pytest.mark.parametrize("colours", ["one", "both"])
def test_who_meets_whom(pairing: str, opponents: int, colours: str) -> None:
    method = make_method(
        neat={"pop_size": 15, "compatibility_threshold": 0.9},
        pairing=pairing,
        opponents=opponents,
        colours=colours,
        stagnation={"judge": "rank"},
    )
    state = begin(method, population_with({row: strong(row % 5) for row in range(0, 15, 2)}, 15))
    assert len(state.species) > 3
    recorder = Recorder()
    _, report = method.step(state, make_arena(method, recorder))
    (batch,) = recorder.batches
    assert report.games == len(batch)
    met = Counter(frozenset(pair) for pair in batch.seatings.tolist())
    times = 2 if colours == "both" else 1
    inside = Counter(
        frozenset(pair) for pair in inside_groups(state.species.members).tolist() * times
    )
    if pairing == "species":
        assert inside
        assert not inside - met
        met -= inside
    assert set(met.values()) == {times}
    each = Counter(player for pair in met.elements() for player in pair)
    assert each == dict.fromkeys(range(15), (opponents + opponents % 2) * times)
    if colours == "both":
        first = Counter(batch.seatings[:, 0].tolist())
        assert first == Counter(batch.seatings[:, 1].tolist())


def test_in_a_round_robin_everybody_meets_everybody() -> None:
    method = make_method(pairing="round-robin", colours="one", stagnation={"judge": "rank"})
    recorder = Recorder()
    method.step(method.initial(1), make_arena(method, recorder))
    assert recorder.batches[0].seatings.tolist() == round_robin(6).tolist()


# --- the champion --------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 3, 7])
def test_the_champion_is_who_beats_everybody(place: int) -> None:
    method = make_method(neat={"pop_size": 8})
    state = begin(method, population_with({place: strong()}, 8))
    genome, report = method.champion(state, make_arena(method))
    assert len(genome) == 1
    assert genome.keys.tolist() == [place + 1]
    assert genes_of(genome, 0) == genes_of(strong(), 0)
    assert report.statistics == {"points": 14.0, "matches": 14.0}
    assert report.games == 2 * 28 + 2 * 28


def test_only_the_fittest_play_for_the_champion() -> None:
    method = make_method(neat={"pop_size": 20}, finalists=2, opponents=6)
    state = begin(method, population_with({4: strong(), 17: strong(2)}, 20))
    recorder = Recorder()
    chosen: Counter[int] = Counter()
    for seed in range(60):
        recorder.batches.clear()
        genome, report = method.champion(replace(state, seed=seed), make_arena(method, recorder))
        chosen.update(genome.keys.tolist())
        assert [len(batch) for batch in recorder.batches] == [20 * 6, 2]
        assert report.statistics["matches"] == 2.0
    assert set(chosen) <= {5, 18}


def test_a_single_finalist_is_the_champion_without_a_match() -> None:
    method = make_method(finalists=1, pairing="round-robin")
    state = begin(method, population_with({2: strong()}, 6))
    genome, report = method.champion(state, make_arena(method))
    assert genome.keys.tolist() == [3]
    assert report.statistics == {"points": 0.0, "matches": 0.0}


def test_champions_with_equal_points_are_drawn() -> None:
    method = make_method(neat={"pop_size": 4}, draw_points=0.5)
    state = begin(method, population_with({1: strong(), 2: strong(weight=0.5)}, 4))
    chosen: Counter[int] = Counter()
    for seed in range(200):
        genome, _ = method.champion(replace(state, seed=seed), make_arena(method))
        chosen.update(genome.keys.tolist())
    assert set(chosen) == {2, 3}
    assert 60 < chosen[2] < 140


# --- who lives on --------------------------------------------------------------------------


def test_elites_live_on_unchanged_and_come_first() -> None:
    method = make_method(
        neat={"pop_size": 9, "elitism": 3, "compatibility_threshold": 1e6, "node_add_prob": 1.0},
        pairing="round-robin",
    )
    state = begin(method, population_with({6: strong(), 2: strong(weight=2.0)}, 9))
    after, _ = method.step(state, make_arena(method))
    # Two equally fit ones, the newer first; they would lose nothing to a weak one.
    assert after.population.keys[:2].tolist() == [7, 3]
    assert after.population.keys[2] in set(range(1, 10)) - {7, 3}
    for row in range(3):
        old = int(after.population.keys[row]) - 1
        assert genes_of(after.population, row) == genes_of(state.population, old)
    assert after.population.keys[3:].tolist() == list(range(10, 16))
    assert after.counters.genome == 15
    known = {genes_of(state.population, row) for row in range(9)}
    assert not known & {genes_of(after.population, row) for row in range(3, 9)}


def test_children_come_only_from_species_that_go_on() -> None:
    method = make_method(
        neat={**CALM, "pop_size": 8, "compatibility_threshold": 0.5, "species_elitism": 1},
        pairing="round-robin",
        stagnation={"judge": "record"},
    )
    population = population_with({row: strong() for row in range(4)}, 8)
    state = begin(method, population)
    assert state.species.members.tolist() == [0] * 4 + [1] * 4
    # Neither improves any more; the fittest one is spared.
    old = replace(state, generation=30)
    after, report = method.step(old, make_arena(method))
    assert report.species == {1: 4, 2: 4}
    assert after.species.keys.tolist() == [1]
    assert after.species.sizes.tolist() == [8]
    assert {genes_of(after.population, row) for row in range(8)} == {genes_of(strong(), 0)}
    assert after.last_species == 2
    # If both may stay, both have children.
    young = replace(state, generation=5)
    after, _ = method.step(young, make_arena(method))
    assert after.species.keys.tolist() == [1, 2]


def test_species_for_which_there_is_no_room_end() -> None:
    """They must not live on in genomes of others, with the age and the record that they had."""
    method = make_method(
        neat={**CALM, "pop_size": 8, "compatibility_threshold": 0.5, "min_species_size": 8},
        pairing="round-robin",
        stagnation={"judge": "record"},
    )
    state = begin(method, population_with({row: strong() for row in range(4, 8)}, 8))
    assert state.species.keys.tolist() == [1, 2]
    after, _ = method.step(state, make_arena(method))
    assert {genes_of(after.population, row) for row in range(8)} == {genes_of(strong(), 0)}
    assert after.species.keys.tolist() == [2]
    assert after.records.keys.tolist() == state.records.keys[1:].tolist()
    assert after.marks.shape == (1,)


def test_a_species_that_is_founded_has_its_representative_as_its_record() -> None:
    method = make_method(
        neat={"pop_size": 30, "compatibility_threshold": 0.9, "max_stagnation": 3},
        opponents=2,
    )
    state = method.initial(4)
    founded = 0
    for _ in range(15):
        after, _ = method.step(state, make_arena(method))
        for row, key in enumerate(after.species.keys.tolist()):
            if key > state.last_species:
                founded += 1
                representative = int(after.species.representative[row])
                assert after.records.keys[row] == after.population.keys[representative]
                assert genes_of(after.records, row) == genes_of(after.population, representative)
                assert after.marks[row] == -np.inf
                assert after.species.created[row] == after.species.improved[row] == after.generation
        state = after
    assert founded > 5


def test_a_species_that_improves_is_known_to_have_done_so() -> None:
    method = make_method(
        neat={**CALM, "pop_size": 6, "compatibility_threshold": 1e6}, pairing="round-robin"
    )
    population = population_with({2: strong()}, 6)
    state = begin(method, population, generation=7)
    after, _ = method.step(state, make_arena(method))
    assert after.species.improved.tolist() == [7]
    assert after.species.created.tolist() == [0]
    assert after.records.keys.tolist() == [3]
    again, _ = method.step(after, make_arena(method))
    assert again.species.improved.tolist() == [7]
    assert again.records.keys.tolist() == [3]


@pytest.mark.parametrize("judge", ["outside", "rank"])
def test_what_a_species_reached_is_remembered(judge: str) -> None:
    """A population that stays as it is improves once, when there is no mark yet."""
    method = make_method(
        neat={**CALM, "elitism": 3, "compatibility_threshold": 0.5},
        pairing="round-robin",
        stagnation={"judge": judge},
    )
    state = begin(method, population_with({row: strong() for row in range(3)}, 6), generation=4)
    marks = []
    for _ in range(3):
        state, _ = method.step(state, make_arena(method))
        assert state.species.keys.tolist() == [1, 2]
        assert state.species.improved.tolist() == [4, 4]
        marks.append(state.marks.tolist())
    assert marks[0] == marks[1] == marks[2]
    assert 1.0 >= marks[0][0] > marks[0][1] > 0.0


@pytest.mark.parametrize("selection", ["truncation", "tournament"])
def test_the_recipe_says_how_parents_are_drawn(selection: str) -> None:
    method = make_method(
        neat={**CALM, "pop_size": 40, "elitism": 0, "compatibility_threshold": 1e6}
        | {"survival_threshold": 1.0},
        pairing="round-robin",
        selection=selection,
        tournament_size=100,
    )
    state = begin(method, population_with({11: strong()}, 40))
    after, _ = method.step(state, make_arena(method))
    children = [genes_of(after.population, row) for row in range(40)]
    of_best = children.count(genes_of(strong(), 0))
    # A tournament of 100 among 40 is missed by the best one with probability 0.08, and then
    # both parents must be the best one; else a child is like it with probability 1/40.
    assert of_best > 25 if selection == "tournament" else of_best < 8


# --- extinction ----------------------------------------------------------------------------

DOOMED = {"pop_size": 6, "max_stagnation": 1, "species_elitism": 0, "num_hidden": 1}
HALL = {"opponents": 2, "every": 1, "size": 3}


def run_until_extinction(method: Neat, seed: int = 1) -> tuple[NeatState, NeatState]:
    """The last state before a new population takes over, and the first one after that."""
    state = method.initial(seed)
    for _ in range(50):
        after, _ = method.step(state, make_arena(method))
        if after.species.keys[0] > state.last_species:
            return state, after
        state = after
    raise AssertionError("nothing died out")


def test_a_new_population_takes_over_and_numbers_go_on() -> None:
    method = make_method(neat=DOOMED, hall_of_fame=HALL)
    before, after = run_until_extinction(method)
    assert after.generation == before.generation + 1
    assert after.seed == before.seed
    first = before.counters.genome + 1
    assert after.population.keys.tolist() == list(range(first, first + 6))
    assert after.counters == Counters(first + 5, 1, after.counters.innovation)
    assert (after.species.keys > before.last_species).all()
    assert after.last_species == after.species.keys[-1]
    assert after.species.created.tolist() == [after.generation] * len(after.species)
    # The hall stays, with the fittest of the population that died out.
    assert after.hall.keys[-1] in before.population.keys
    assert len(after.hall) == min(len(before.hall) + 1, 3)
    assert set(after.hall.keys[:-1].tolist()) <= set(before.hall.keys.tolist())
    # Another random population than the first one, and than another seed's.
    one = method.initial(before.seed)
    assert not np.array_equal(after.population.weight, one.population.weight)
    assert method.find_mismatch(after) is None


def test_a_run_goes_on_after_extinctions() -> None:
    """Genomes and species never get a number twice; a genome that lives on keeps its genes."""
    method = make_method(
        network={"head": "policy", "encoding": "numbered"},
        board=(4, 4, 4),
        neat={**DOOMED, "pop_size": 9, "compatibility_threshold": 1.0, "node_add_prob": 0.5},
        hall_of_fame=HALL,
        opponents=2,
        noise=0.2,
    )
    state = method.initial(2)
    known: dict[int, tuple[Any, ...]] = {}
    last_seen: dict[int, int] = {}
    resets = 0
    for generation in range(40):
        for part in (state.population, state.records, state.hall):
            for row, key in enumerate(part.keys.tolist()):
                assert known.setdefault(key, genes_of(part, row)) == genes_of(part, row)
        for row in range(9):
            assert find_fault(state.population, row, 16, 4, True) is None
        for key in state.species.keys.tolist():
            assert last_seen.get(key, generation - 1) == generation - 1  # none comes back
            last_seen[key] = generation
        assert state.counters.genome >= state.population.keys.max()
        assert state.counters.node >= state.population.node_key.max()
        assert state.counters.innovation >= state.population.innovation.max(initial=0)
        assert state.last_species >= state.species.keys.max()
        after, _ = method.step(state, make_arena(method))
        resets += bool(after.species.keys[0] > state.last_species)
        state = after
    assert resets > 3


def test_extinction_is_an_error_if_the_recipe_says_so() -> None:
    method = make_method(neat={**DOOMED, "reset_on_extinction": False})
    state = method.initial(1)
    message = ""
    for _ in range(50):
        try:
            state, _ = method.step(state, make_arena(method))
        except ExtinctionError as error:
            message = str(error)
            break
    assert message.startswith(f"all species have stagnated by generation {state.generation}, ")
    assert "neat.reset_on_extinction" in message
    assert "\n" not in message
    # It has not changed its mind when asked again.
    with pytest.raises(ExtinctionError):
        method.step(state, make_arena(method))


# --- the hall of fame ----------------------------------------------------------------------


def test_the_fittest_of_every_so_many_generations_enters_the_hall() -> None:
    method = make_method(
        pairing="round-robin", hall_of_fame={"opponents": 1, "every": 3, "size": 2}
    )
    state = begin(method, population_with({4: strong()}, 6))
    expected = []
    for generation in range(10):
        assert len(state.hall) == min(len(expected), 2)
        assert set(state.hall.keys.tolist()) <= set(expected)
        if expected:
            assert state.hall.keys[-1] == expected[-1]
        after, _ = method.step(state, make_arena(method))
        if generation % 3 == 0:
            expected.append(int(after.hall.keys[-1]))
            assert expected[-1] in state.population.keys
        else:
            assert_same(after.hall, state.hall)
        state = after
    assert expected[0] == 5


def test_without_opponents_there_is_no_hall() -> None:
    method = make_method()
    state, _ = method.step(method.initial(1), make_arena(method))
    assert len(state.hall) == 0


# --- what is told --------------------------------------------------------------------------


def test_figures_by_hand() -> None:
    method = make_method(neat={"pop_size": 3, "compatibility_threshold": 1.0})
    first = method.initial(1)
    population = first.population
    enabled = population.enabled.copy()
    enabled[population.connections(1).start : population.connections(1).start + 5] = False
    state = replace(first, population=replace(population, enabled=enabled))
    after, report = method.step(state, make_arena(method))
    figures = report.statistics
    assert figures["connections"] == pytest.approx((84 + 79 + 84) / 3)
    assert figures["hidden_nodes"] == figures["hidden_nodes_of_best"] == 0.0
    assert figures["connections_of_best"] in {84.0, 79.0}
    assert figures["species"] == len(state.species)
    apart = distances(
        state.population, state.population, disjoint_coefficient=1.0, weight_coefficient=0.5
    )
    assert figures["diversity"] == pytest.approx(apart.sum() / 6)
    assert report.species == dict(
        zip(state.species.keys.tolist(), state.species.sizes.tolist(), strict=True)
    )
    assert sum(report.species.values()) == 3
    assert report.generation == 0
    described = method.describe(state)
    assert described["individuals"] == 3
    assert described["species"] == len(state.species)
    assert described["connections"] == figures["connections"]
    assert method.describe(after)["individuals"] == 3


def test_hidden_nodes_are_counted() -> None:
    method = make_method(neat={**CALM, "pop_size": 4, "node_add_prob": 1.0, "elitism": 0})
    state = method.initial(1)
    assert method.describe(state)["hidden_nodes"] == 0.0
    state, _ = method.step(state, make_arena(method))
    assert method.describe(state)["hidden_nodes"] == 1.0
    _, report = method.step(state, make_arena(method))
    assert report.statistics["hidden_nodes"] == 1.0
    assert report.statistics["connections"] == 84 - 1 + 2


def test_the_same_figures_are_reported_at_each_step() -> None:
    method = make_method(neat=DOOMED, hall_of_fame=HALL)
    state = method.initial(1)
    names = []
    for _ in range(4):
        state, report = method.step(state, make_arena(method))
        names.append(list(report.statistics))
        assert all(isinstance(value, float) for value in report.statistics.values())
    assert all(each == names[0] for each in names)
    assert {"best", "median", "worst", "diversity", "species"} <= set(names[0])


# --- states --------------------------------------------------------------------------------

SORTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "doomed": {"neat": DOOMED, "hall_of_fame": HALL},
    "species": {"pairing": "species", "neat": {"compatibility_threshold": 1.0}},
    "outside": {"stagnation": {"judge": "outside"}, "noise": 1.0},
    "rank": {"stagnation": {"judge": "rank"}, "selection": "tournament"},
    "alone": {"neat": {"compatibility_threshold": 0.0, "min_species_size": 1, "elitism": 1}},
    "two": {"neat": {"pop_size": 2}},
    "kept": {"neat": {"elitism": 6}},
    "policy": {"network": {"head": "policy"}, "openings": {"plies": 2, "count": 2}},
    "empty": {"neat": {"initial_connection": "unconnected"}},
}


@pytest.mark.parametrize("sort", list(SORTS))
def test_a_step_changes_nothing_and_repeats_itself(sort: str) -> None:
    method = make_method(**SORTS[sort])
    state = method.initial(3)
    for generation in range(5):
        before = copy_of(state)
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
        assert len(one.population) == method.config.neat.pop_size
        assert len(one.records) == len(one.marks) == len(one.species) > 0
        assert sum(first.species.values()) == len(state.population)
        state = one


def test_seeds_give_different_populations() -> None:
    method = make_method()
    one, other = method.initial(1), method.initial(2)
    assert not np.array_equal(one.population.weight, other.population.weight)
    same = replace(other, population=one.population, species=one.species)
    after = [method.step(state, make_arena(method))[0] for state in (one, same)]
    assert not np.array_equal(after[0].population.weight, after[1].population.weight)


Change = Callable[[NeatState], NeatState]


def changed(part: str, **arrays: NDArray[Any] | Callable[[Any], Any]) -> Change:
    """Replaces arrays in a part of the state."""

    def change(state: NeatState) -> NeatState:
        inner = getattr(state, part)
        new = {
            name: value(getattr(inner, name)) if callable(value) else value
            for name, value in arrays.items()
        }
        return replace(state, **{part: replace(inner, **new)})

    return change


def with_first(value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        copy = array.copy()
        copy[0] = value
        return copy

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: replace(state, population=state.population.take([0, 1])), "members has"),
        (lambda state: replace(state, records=state.records.take([])), "its records are not"),
        (lambda state: replace(state, marks=np.zeros(9)), "its records are not"),
        (changed("population", bias=lambda bias: bias[:-1]), "its genes are incomplete"),
        (changed("population", bias=lambda bias: bias.astype(np.float32)), "type float32"),
        (changed("population", node_start=with_first(1)), "do not cover"),
        (changed("population", source=with_first(-85)), "more than 84 inputs"),
        (changed("records", source=with_first(-85)), "more than 84 inputs"),
        (changed("population", node_key=with_first(5)), "do not have 1 outputs"),
        (changed("hall", node_key=with_first(5)), "do not have 1 outputs"),
        (changed("species", members=with_first(-1)), "to no species|to another species"),
        (changed("species", members=with_first(99)), "a species that is not there"),
        (changed("species", representative=with_first(99)), "a representative is not there"),
        (changed("species", keys=lambda keys: keys.astype(np.int32)), "type int32"),
    ],
)
def test_what_does_not_fit_in_a_state_is_named(change: Change, message: str) -> None:
    method = make_method(hall_of_fame=HALL)
    state, _ = method.step(method.initial(1), make_arena(method))
    assert method.find_mismatch(state) is None
    fault = method.find_mismatch(change(state))
    assert fault is not None
    assert any(part in fault for part in message.split("|"))


def test_a_genome_of_no_species_is_named() -> None:
    method = make_method(neat={"compatibility_threshold": 1e6})
    state = method.initial(1)
    other = int(np.flatnonzero(np.arange(6) != state.species.representative[0])[0])
    members = state.species.members.copy()
    members[other] = -1
    state = replace(state, species=replace(state.species, members=members))
    assert method.find_mismatch(state) == "a genome belongs to no species"


def test_a_state_of_another_size_is_named() -> None:
    state = make_method(neat={"pop_size": 8}).initial(1)
    assert make_method().find_mismatch(state) == "it has 8 genomes, not 6"
    state = make_method(neat={"num_hidden": 2}).initial(1)
    narrow = make_method({"head": "value", "encoding": "numbered"}, {"num_hidden": 2})
    assert narrow.find_mismatch(state) == "its genomes have more than 42 inputs"
    policy = make_method({"head": "policy", "encoding": "planes"}, {"num_hidden": 2})
    assert policy.find_mismatch(state) == "its genomes do not have 7 outputs"


# --- settings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"pairing": "rond-robin"}, "pairing"),
        ({"opponents": 1}, "opponents"),
        ({"selection": ["tournament"]}, "selection"),
        ({"tournament_size": 0}, "tournament_size"),
        ({"finalists": 0}, "finalists"),
        ({"draw_points": 1.5}, "draw_points"),
        ({"individuals": 10}, "individuals"),
        ({"neat": {"pop_size": 1}}, "pop_size"),
        ({"neat": {"elitism": 7}}, "elitism is 7, more than pop_size, 6"),
        ({"neat": {"min_species_size": 7}}, "min_species_size is 7, more than pop_size, 6"),
        ({"neat": {"fitness_threshold": 7}}, "fitness_threshold has no meaning here"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make_method(**settings)


def test_openings_longer_than_the_board_allows_are_named_with_their_key() -> None:
    with pytest.raises(BadValueError, match=r"method\.openings\.plies: .*from 0 to 1"):
        make_method(board=(3, 2, 3), openings={"plies": 4})


def test_on_a_small_board_stagnation_is_judged_from_shorter_openings() -> None:
    method = make_method(board=(3, 2, 3))
    state, arena = method.initial(1), make_arena(method)
    for _ in range(2):
        state, _ = method.step(state, arena)
    assert state.generation == 2


# --- does it work? -------------------------------------------------------------------------


def test_a_population_finds_out_how_to_win() -> None:
    neat = {"pop_size": 40, "weight_mutate_rate": 0.1, "weight_replace_rate": 0.01}
    method = make_method(neat=neat, noise=0.2)
    arena = make_arena(method)
    state = method.initial(1)
    first = state.population
    for _ in range(20):
        state, _ = method.step(state, arena)
    old, new = np.arange(40, dtype=np.int32), np.arange(40, 80, dtype=np.int32)
    pairs = np.stack(np.meshgrid(old, new), axis=-1).reshape(-1, 2)
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    both = concatenate([first, state.population])
    results = arena.play(both, pairs, derive_seeds(1, 0, "test", len(pairs)))
    outcomes = results.outcomes.astype(float)
    outcomes[: len(pairs) // 2] *= -1
    assert outcomes.mean() > 0.25
