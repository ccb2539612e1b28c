"""Players of Connect Four that are written by hand, and an executor that keeps what it is asked.

They are linear: what a position is worth is the sum of the weights of the cells that they hold.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import Batch, Results
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.game import Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject, Settings, State
from evolve_arena.evolve.evolutionary_programming import (
    EvolutionaryProgramming,
)
from evolve_arena.evolve.method import Method
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.tournament import Tournament
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.players.evolved import Decoder
from tests.genomes.neat.theirs import STILL
from tests.small_recipes import FROM_THE_START, ONE_GAME

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type
GraphDecoder = find_game("connect-four").networks["graph"].decoder_type
LINEAR = NetworkDecoder(head="value", encoding="planes", hidden=())
GRAPHS = GraphDecoder(head="value", encoding="planes")
CALM = {**STILL, "activation_options": ["tanh", "identity"]}
"""Settings of NEAT with which nothing mutates."""
DOOMED = {"pop_size": 6, "max_stagnation": 1, "species_elitism": 0, "num_hidden": 1}
"""Settings of NEAT with which all species die out soon."""
HALL = {"opponents": 2, "every": 1, "size": 3}
Weights: TypeAlias = dict[tuple[int, int], float]
"""Values of cells (column, row) to a player."""


class Recorder(SerialExecutor):
    """Executor that plays in this process and keeps batches and results."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.results: list[Results] = []

    def play(self, batch: Batch) -> Results:
        """Play all matches of *batch*."""
        self.batches.append(batch)
        self.results.append(super().play(batch))
        return self.results[-1]


def strong(column: int = 3, weight: float = 1.0) -> Weights:
    """Return weights that stack four discs in a *column*; only another stacker blocks that."""
    return {(column, row): weight for row in range(6)}


def weak(number: int = 0) -> Weights:
    """Return weights that begin with columns 0, 2, 4 and 6, no line, and go on from the left."""
    bottom = {(column, 0): 0.9 - column / 10 for column in (0, 2, 4, 6)}
    return {**bottom, (6, 5): 0.001 * number}


def vector(weights: Weights) -> NDArray[np.float32]:
    """Return the genome of a vector."""
    genome = np.zeros(LINEAR.genes, np.float32)
    for (column, row), weight in weights.items():
        genome[(5 - row) * 7 + column] = weight
    return genome


def graph(weights: Weights, key: int = 1) -> NeatPopulation:
    """Return the genome of a graph, with that *key*."""
    by_cell = sorted(((5 - row) * 7 + column, value) for (column, row), value in weights.items())
    cells = np.array([cell for cell, _ in by_cell])
    return NeatPopulation(
        keys=np.array([key]),
        node_start=np.array([0, 1]),
        node_key=np.zeros(1, dtype=np.int32),
        bias=np.zeros(1),
        response=np.ones(1),
        activation=np.full(1, ACTIVATIONS.index("identity"), dtype=np.int32),
        aggregation=np.full(1, AGGREGATIONS.index("sum"), dtype=np.int32),
        connection_start=np.array([0, len(cells)]),
        source=(-1 - cells).astype(np.int32),
        target=np.zeros(len(cells), dtype=np.int32),
        weight=np.array([value for _, value in by_cell], dtype=np.float64),
        enabled=np.ones(len(cells), dtype=np.bool_),
        innovation=cells + 1,
    )


def vectors(strong_ones: dict[int, Weights], size: int) -> NDArray[np.float32]:
    """Return weak players but for those in the rows of *strong_ones*."""
    return np.stack([vector(strong_ones.get(row, weak(row))) for row in range(size)])


def graphs(strong_ones: dict[int, Weights], size: int) -> NeatPopulation:
    """Return a population of graphs, whose keys count from 1."""
    genomes = [graph(strong_ones.get(row, weak(row))) for row in range(size)]
    return replace(concatenate(genomes), keys=np.arange(1, size + 1))


def make_config(method: type[Method[State]], settings: Settings) -> Config:
    """Return the configuration: each of *settings* in the section that has a key of its name."""
    content: JsonObject = {section: {} for section in method.sections}
    for key, value in settings.items():
        if key in content:
            content[key] |= value
            continue
        sections = ((name, method.find_section(name)) for name in method.sections)
        places = [name for name, model in sections if model and key in model.model_fields]
        if key in method.config_type.model_fields or not places:
            content[key] = value
        else:
            content[places[0]][key] = value
    return method.config_type.model_validate(content)


def make_tournament(decoder: Decoder = LINEAR, **settings: object) -> Tournament:
    """Make a tournament whose children are copies, and in which each pair meets once."""
    calm = {"crossover_probability": 0.0, "mutation_probability": 0.0, "draw_points": 0.0}
    config = {"individuals": 6, "tournament_size": 3, **calm, **ONE_GAME, **settings}
    return Tournament(make_config(Tournament, config), decoder)


def make_programming(decoder: Decoder = LINEAR, **settings: object) -> EvolutionaryProgramming:
    """Make evolutionary programming with near copies as children, where each pair meets once."""
    calm = {"step_size": 1e-6, "step_size_rate": 1e-6}
    config = {"individuals": 4, **calm, **ONE_GAME, **settings}
    return EvolutionaryProgramming(make_config(EvolutionaryProgramming, config), decoder)


def make_neat(decoder: Decoder = GRAPHS, neat: Settings | None = None, **settings: object) -> Neat:
    """Make NEAT with a population of six and without openings."""
    config = {**FROM_THE_START, **settings, "neat": {"pop_size": 6, **(neat or {})}}
    return Neat(make_config(Neat, config), decoder)


def assert_same(one: object, other: object, name: str = "state") -> None:
    """Compare all parts of states, bit for bit."""
    if is_dataclass(one):
        for field in fields(one):
            parts = (getattr(each, field.name) for each in (one, other))
            assert_same(*parts, f"{name}.{field.name}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert one.tobytes() == other.tobytes(), name
    else:
        assert type(one) is type(other), name
        assert one == other, name
