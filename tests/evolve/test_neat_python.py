"""The engine ``neat-python``: what that library alone would do, and nothing else is disturbed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import neat
import numpy as np
import pytest

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.neat_python import NeatPython
from evolve_arena.evolve.neat_state import ExtinctionError
from evolve_arena.evolve.operators import seeded_global_random
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import from_neat_python
from evolve_arena.runs.store.checkpoint import digest_population, read_state, write_state
from tests.evolve.rigged import make_config

GraphDecoder = find_game("connect-four").networks["graph"].decoder_type

DECODER = GraphDecoder(columns=4, rows=4, connect=3, head="value")
QUICK = {"pop_size": 24, "node_add_prob": 0.4, "compatibility_threshold": 3.2}


def make(**keys: object) -> Neat:
    """Make the method, with these keys of neat-python."""
    config = NeatMethodConfig(engine="neat-python", neat=NeatConfig(**QUICK | keys))
    return Neat(config, DECODER)


def draw_fitness(generation: int, count: int) -> Array:
    return np.random.default_rng(generation).random(count)


@pytest.mark.parametrize(
    "keys",
    [
        {"num_hidden": 2, "species_fitness_func": "mean"},
        {"initial_connection": "partial_direct 0.5", "elitism": 0},
        {"max_stagnation": 1, "species_elitism": 0, "min_species_size": 1},
    ],
)
def test_it_breeds_what_a_population_of_neat_python_breeds_that_is_never_taken_apart(
    keys: Settings,
) -> None:
    method = make(**keys)
    assert isinstance(method, NeatPython)
    state = method.initial(seed=3)
    config = to_neat_python(method.config.neat, DECODER.inputs, DECODER.outputs)
    with seeded_global_random(derive_generator(3, 0, "initialisation by neat-python")):
        alone = neat.Population(config)
    extinct = 0
    for generation in range(12):
        genomes = list(alone.population.values())
        assert digest_population(from_neat_python(genomes)) == digest_population(state.population)
        assert {key: list(each.members) for key, each in alone.species.species.items()} == {
            key: sorted(
                state.population.keys[state.species.members == row].tolist(),
                key=lambda genome: (
                    genome != state.population.keys[state.species.representative[row]],
                    genome,
                ),
            )
            for row, key in enumerate(state.species.keys.tolist())
        }
        fitness = draw_fitness(generation, len(genomes))
        values = dict(zip((genome.key for genome in genomes), fitness.tolist(), strict=True))

        def assign(
            everybody: list[tuple[int, neat.DefaultGenome]],
            config: neat.Config,
            values: dict[int, float] = values,
        ) -> None:
            for key, genome in everybody:
                genome.fitness = values[key]

        with seeded_global_random(derive_generator(3, generation, "neat-python")):
            alone.run(assign, 1)
        extinct += state.species.keys.max() < min(alone.species.species)
        state = method._breed(read_state(write_state(state, method), method), fitness)
        assert method.find_mismatch(state) is None
    assert bool(extinct) == ("max_stagnation" in keys)


class Meddler(neat.reporting.BaseReporter):
    """Reporter that draws random numbers, and counts its calls."""

    def __init__(self) -> None:
        self.told: list[int] = []
        self.messages: list[str] = []

    def post_evaluate(
        self,
        config: neat.Config,
        population: Sequence[object],
        species: object,
        best: neat.DefaultGenome,
    ) -> None:
        """Use up a node and a random number."""
        self.told.append(len(population))
        config.genome_config.get_new_node_key(best.nodes)
        random.random()

    def info(self, msg: str) -> None:
        """Keep the message."""
        self.messages.append(msg)


def test_global_random_numbers_and_reporters_change_nothing_and_are_not_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = []
    meddler = Meddler()
    saver = neat.Checkpointer(1, filename_prefix=str(tmp_path / "saved-"))
    for reporters in ([], [meddler, neat.StdOutReporter(True), neat.StatisticsReporter(), saver]):
        method = make()
        method.report_to(reporters)
        random.seed(len(reporters))
        before = random.getstate()
        state = method.initial(seed=1)
        for generation in range(5):
            state = method._breed(state, draw_fitness(generation, 24))
        assert random.getstate() == before
        outcomes.append((digest_population(state.population), state.counters, state.last_species))
    assert outcomes[0] == outcomes[1]
    assert meddler.told == [24] * 5
    assert any(message.startswith("Mean genetic distance") for message in meddler.messages)
    assert "Running generation 4" in capsys.readouterr().out
    assert len(list(tmp_path.iterdir())) == 5


def test_an_end_of_all_species_is_told_of_in_a_line() -> None:
    method = make(
        max_stagnation=1,
        species_elitism=0,
        reset_on_extinction=False,
        compatibility_threshold=100.0,
    )
    state = method.initial(seed=1)
    state = method._breed(state, np.ones(24))
    with pytest.raises(ExtinctionError, match=r"^all species have stagnated by generation 1, "):
        method._breed(state, np.ones(24))


def test_what_neat_python_can_not_do_is_told_of_in_a_line() -> None:
    method = make(compatibility_threshold=0.0)
    with pytest.raises(ArenaError, match=r"^neat-python can't breed generation 1 with 24 spec"):
        method._breed(method.initial(seed=1), draw_fitness(0, 24))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"selection": {"name": "tournament"}}, "selection is for the engine 'own'"),
        ({"stagnation": {"criterion": "rank"}}, r"stagnation is for.*max_stagnation.*=\{\}"),
        ({"tournament_size": 5}, "tournament_size is for the engine 'own'.*=3"),
    ],
)
def test_keys_that_it_would_not_read_are_refused(section: Settings, message: str) -> None:
    make_config(Neat, section)
    with pytest.raises(ValueError, match=message):
        make_config(Neat, {"engine": "neat-python", **section})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("history_start", np.array([0, 5]), "its histories are not those of its species"),
        ("last_species", 0, "the last number of a species is 0"),
    ],
)
def test_damaged_states_are_named(name: str, value: object, message: str) -> None:
    method = make()
    state = method._breed(method.initial(seed=1), draw_fitness(0, 24))
    vars(state)[name] = value
    assert method.find_mismatch(state) == message
