"""The method ``neat``: fitness, survivors, parents, and the figures of a generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from pydantic import ValidationError

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.arena.pairings import inside_groups
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.neat_state import _NO_SPECIES, ExtinctionError, NeatState
from evolve_arena.genomes.neat.distance import distances
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.neat.population import NeatPopulation
from tests.evolve.rigged import CALM, DOOMED, HALL, GraphDecoder, Recorder, graph, graphs, strong
from tests.evolve.rigged import make_neat as make_method


def make_arena(method: Neat, executor: Executor | None = None) -> Arena:
    return Arena(method.decoder, executor or SerialExecutor())


def begin(method: Neat, population: NeatPopulation, seed: int = 1, **changes: object) -> NeatState:
    """Return a state of generation 0 with the *population* divided as the method would."""
    nobody = population.take([])
    state = replace(
        method.initial(seed),
        population=population,
        species=_NO_SPECIES,
        counters=Counters(int(population.keys.max()), 0, 100),
        last_species=0,
        species_best=nobody,
        best_scores=np.zeros(0),
        hall=nobody,
    )
    state = method.founder.divide(state, nobody)
    assert method.find_mismatch(state) is None
    return replace(state, **changes)


def genes_of(population: NeatPopulation, genome: int) -> tuple[bytes, ...]:
    """Return everything in a genome but its key."""
    alone = population.take([genome])
    return tuple(getattr(alone, field.name).tobytes() for field in fields(alone)[1:])


# --- fitness -------------------------------------------------------------------------------


def test_points_against_the_hall_count_as_others_do() -> None:
    method = make_method(
        neat={"pop_size": 3},
        pairing="round-robin",
        draw_points=0.5,
        hall_of_fame={"opponents": 2, "every": 10},
    )
    hall = graphs({0: strong(), 1: strong()}, 2)
    state = begin(method, graphs({1: strong()}, 3), hall=hall, generation=1)
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
        stagnation={"criterion": "rank"},
    )
    state = begin(method, graphs({row: strong(row % 5) for row in range(0, 15, 2)}, 15))
    assert len(state.species) > 3
    recorder = Recorder()
    _, report = method.step(state, make_arena(method, recorder))
    (batch,) = recorder.batches
    assert report.games == len(batch)
    met = Counter(frozenset(pair) for pair in batch.pairings.tolist())
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
        first = Counter(batch.pairings[:, 0].tolist())
        assert first == Counter(batch.pairings[:, 1].tolist())


# --- the champion --------------------------------------------------------------------------


def test_only_the_fittest_play_for_the_champion() -> None:
    method = make_method(neat={"pop_size": 20}, finalists=2, opponents=6)
    state = begin(method, graphs({4: strong(), 17: strong(2)}, 20))
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
    state = begin(method, graphs({2: strong()}, 6))
    genome, report = method.champion(state, make_arena(method))
    assert genome.keys.tolist() == [3]
    assert report.statistics == {"points": 0.0, "matches": 0.0}


# --- who lives on --------------------------------------------------------------------------


def test_elites_live_on_unchanged_and_come_first() -> None:
    method = make_method(
        neat={"pop_size": 9, "elitism": 3, "compatibility_threshold": 1e6, "node_add_prob": 1.0},
        pairing="round-robin",
    )
    state = begin(method, graphs({6: strong(), 2: strong(weight=2.0)}, 9))
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
        stagnation={"criterion": "record"},
    )
    population = graphs({row: strong() for row in range(4)}, 8)
    state = begin(method, population)
    assert state.species.members.tolist() == [0] * 4 + [1] * 4
    # Neither improves any more; the fittest one is spared.
    old = replace(state, generation=30)
    after, report = method.step(old, make_arena(method))
    assert report.species == {1: 4, 2: 4}
    assert after.species.keys.tolist() == [1]
    assert after.species.sizes.tolist() == [8]
    assert {genes_of(after.population, row) for row in range(8)} == {genes_of(graph(strong()), 0)}
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
        stagnation={"criterion": "record"},
    )
    state = begin(method, graphs({row: strong() for row in range(4, 8)}, 8))
    assert state.species.keys.tolist() == [1, 2]
    after, _ = method.step(state, make_arena(method))
    assert {genes_of(after.population, row) for row in range(8)} == {genes_of(graph(strong()), 0)}
    assert after.species.keys.tolist() == [2]
    assert after.species_best.keys.tolist() == state.species_best.keys[1:].tolist()
    assert after.best_scores.shape == (1,)


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
                assert after.species_best.keys[row] == after.population.keys[representative]
                assert genes_of(after.species_best, row) == genes_of(
                    after.population, representative
                )
                assert after.best_scores[row] == -np.inf
                assert after.species.created[row] == after.species.improved[row] == after.generation
        state = after
    assert founded > 5


@pytest.mark.parametrize("assess", ["outside", "rank"])
def test_what_a_species_reached_is_remembered(assess: str) -> None:
    """A population that stays as it is improves once, when there is no mark yet."""
    method = make_method(
        neat={**CALM, "elitism": 3, "compatibility_threshold": 0.5},
        pairing="round-robin",
        stagnation={"criterion": assess},
    )
    state = begin(method, graphs({row: strong() for row in range(3)}, 6), generation=4)
    best_scores = []
    for _ in range(3):
        state, _ = method.step(state, make_arena(method))
        assert state.species.keys.tolist() == [1, 2]
        assert state.species.improved.tolist() == [4, 4]
        best_scores.append(state.best_scores.tolist())
    assert best_scores[0] == best_scores[1] == best_scores[2]
    assert 1.0 >= best_scores[0][0] > best_scores[0][1] > 0.0


@pytest.mark.parametrize("selection", ["truncation", "tournament"])
def test_the_recipe_says_how_parents_are_drawn(selection: str) -> None:
    method = make_method(
        neat={**CALM, "pop_size": 40, "elitism": 0, "compatibility_threshold": 1e6}
        | {"survival_threshold": 1.0},
        pairing="round-robin",
        selection=selection,
        tournament_size=100,
    )
    state = begin(method, graphs({11: strong()}, 40))
    after, _ = method.step(state, make_arena(method))
    children = [genes_of(after.population, row) for row in range(40)]
    of_best = children.count(genes_of(graph(strong()), 0))
    # A tournament of 100 among 40 is missed by the best one with probability 0.08, and then
    # both parents must be the best one; else a child is like it with probability 1/40.
    assert of_best > 25 if selection == "tournament" else of_best < 8


# --- extinction ----------------------------------------------------------------------------


def run_until_extinction(method: Neat, seed: int = 1) -> tuple[NeatState, NeatState]:
    """Return the last state before a new population takes over, and the first one after that."""
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
        GraphDecoder(columns=4, rows=4, head="policy", encoding="numbered"),
        neat={**DOOMED, "pop_size": 9, "compatibility_threshold": 1.0, "node_add_prob": 0.5},
        hall_of_fame=HALL,
        opponents=2,
        noise=0.2,
    )
    state = method.initial(2)
    known: dict[int, tuple[bytes, ...]] = {}
    last_seen: dict[int, int] = {}
    resets = 0
    for generation in range(40):
        for part in (state.population, state.species_best, state.hall):
            for row, key in enumerate(part.keys.tolist()):
                assert known.setdefault(key, genes_of(part, row)) == genes_of(part, row)
        assert method.find_mismatch(state) is None
        for key in state.species.keys.tolist():
            assert last_seen.get(key, generation - 1) == generation - 1  # none comes back
            last_seen[key] = generation
        after, _ = method.step(state, make_arena(method))
        resets += bool(after.species.keys[0] > state.last_species)
        state = after
    assert resets > 3


def test_extinction_is_an_error_if_the_recipe_says_so() -> None:
    method = make_method(neat={**DOOMED, "reset_on_extinction": False})
    message = r"^all species have stagnated by generation \d+, .*neat\.reset_on_extinction[^\n]*$"
    with pytest.raises(ExtinctionError, match=message):
        run_until_extinction(method)


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
    state, _ = method.step(method.initial(1), make_arena(method))
    _, report = method.step(state, make_arena(method))
    assert method.describe(state)["hidden_nodes"] == report.statistics["hidden_nodes"] == 1.0
    assert report.statistics["connections"] == 84 - 1 + 2


# --- states and settings -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "name", "change", "fault"),
    [
        ("population", "bias", lambda bias: bias[:-1], "its genes are incomplete"),
        ("population", "bias", lambda bias: bias.astype(np.float32), "type float32"),
        ("population", "node_start", lambda start: start + 1, "do not cover"),
        ("population", "source", lambda source: source - 85, "more than 84 inputs"),
        ("species_best", "source", lambda source: source - 85, "more than 84 inputs"),
        ("hall", "node_key", lambda keys: keys + 5, "do not have 1 outputs"),
        ("species", "members", lambda members: members * 0 + 99, "a species that is not there"),
        ("species", "keys", lambda keys: keys.astype(np.int32), "type int32"),
        (None, "species_best", lambda species_best: species_best.take([]), "its records are not"),
        (None, "best_scores", lambda best_scores: np.zeros(9), "its records are not"),
        (None, "population", lambda genomes: genomes.take([0, 1]), "members has"),
    ],
)
def test_what_does_not_fit_in_a_state_is_named(
    part: str | None, name: str, change: Callable[[Array], Array], fault: str
) -> None:
    method = make_method(hall_of_fame=HALL)
    state, _ = method.step(method.initial(1), make_arena(method))
    assert method.find_mismatch(state) is None
    if part:
        name, change = (
            part,
            lambda inner, key=name, new=change: replace(inner, **{key: new(getattr(inner, key))}),
        )
    assert fault in str(
        method.find_mismatch(replace(state, **{name: change(getattr(state, name))}))
    )


def test_a_genome_of_no_species_is_named() -> None:
    method = make_method(neat={"compatibility_threshold": 1e6})
    state = method.initial(1)
    members = np.full(6, -1, dtype=np.int32)
    members[state.species.representative] = 0
    state = replace(state, species=replace(state.species, members=members))
    assert method.find_mismatch(state) == "a genome belongs to no species"


def test_a_state_of_another_size_is_named() -> None:
    state = make_method(neat={"pop_size": 8}).initial(1)
    assert make_method().find_mismatch(state) == "it has 8 genomes, not 6"
    state = make_method().initial(1)
    policy = make_method(GraphDecoder(head="policy", encoding="planes"))
    assert policy.find_mismatch(state) == "its genomes do not have 7 outputs"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"opponents": 1}, "opponents"),
        ({"individuals": 10}, "individuals"),
        ({"neat": {"elitism": 7}}, "elitism is 7, more than pop_size, 6"),
        ({"neat": {"min_species_size": 7}}, "min_species_size is 7, more than pop_size, 6"),
        ({"neat": {"fitness_threshold": 7}}, "fitness_threshold has no meaning here"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Settings, text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make_method(**settings)


SMALLEST = GraphDecoder(columns=3, rows=2, connect=3, head="value")


def test_on_a_small_board_stagnation_is_judged_from_shorter_openings() -> None:
    method = make_method(SMALLEST)
    state, arena = method.initial(1), make_arena(method)
    for _ in range(2):
        state, _ = method.step(state, arena)
    assert state.generation == 2
