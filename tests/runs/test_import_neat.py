"""Coming from neat-python and going there, by its own files and by the command line."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

import neat
import neat.activations
import neat.export
import numpy as np
import pytest

from games.connect_four import ConnectFour, Position
from games.errors import ArenaError, BadValueError, UnknownNameError
from genomes.neat.breeding import mutate
from genomes.neat.config import NeatConfig
from genomes.neat.creation import create
from genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from genomes.neat.graph import compile_graphs, evaluate
from genomes.neat.ini import to_neat_python
from genomes.tensors import DamagedFileError
from players.graph import GraphDesign, GraphPlayer
from players.network import NetworkDesign
from players.storage import read_player
from runs.api import prepare, start
from runs.cli import main
from runs.export import export_neat_python, export_player, import_neat_python

GAME = ConnectFour()
STREAM = np.zeros(1, dtype=np.uint64)


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    state = random.getstate()
    random.seed(5)
    yield
    random.setstate(state)


def random_games(count: int, seed: int) -> list[list[Position]]:
    """The positions of random games, without those that are over."""
    chance, games = random.Random(seed), []
    for _ in range(count):
        position, positions = GAME.initial(), []
        while GAME.outcome(position) is None:
            positions.append(position)
            position = GAME.play(position, chance.choice(GAME.legal_moves(position)))
        games.append(positions)
    return games


def evolve_there(inputs: int, outputs: int, feed_forward: bool) -> tuple[Any, str]:
    """A network that neat-python evolved for some generations, and the file that it wrote."""
    choices = NeatConfig(
        pop_size=10,
        feed_forward=feed_forward,
        num_hidden=2,
        node_add_prob=0.6,
        conn_delete_prob=0.1,
        activation_default="random",
        activation_options=("tanh", "sigmoid", "relu", "sin"),
        aggregation_default="random",
        aggregation_options=("sum", "max", "mean"),
    )
    config = to_neat_python(choices, inputs, outputs)
    kind = neat.nn.FeedForwardNetwork if feed_forward else neat.nn.RecurrentNetwork

    def judge(genomes: list[tuple[int, Any]], config: Any) -> None:
        """The larger the differences between outputs, the fitter."""
        for _, genome in genomes:
            values = kind.create(genome, config).activate([1.0, 0.0] * (inputs // 2))
            genome.fitness = float(max(values) - min(values) + len(genome.nodes))

    winner = neat.Population(config).run(judge, 4)
    network = kind.create(winner, config)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its datetime.utcnow()
        return network, neat.export.export_network_json(network, metadata={"genome_id": winner.key})


def encode(position: Position, planes: int) -> list[float]:
    """What the mover sees: 1 its own discs, 2 those of the other; or a plane for each."""
    mine = 1 + position.ply % 2
    cells = [(0, 1, 2)[0 if c == 0 else 1 if c == mine else 2] for c in position.cells().ravel()]
    if planes == 1:
        return [float(cell) for cell in cells]
    return [float(cell == kind) for kind in (1, 2) for cell in cells]


def best(values: dict[int, float]) -> int:
    return max(values, key=lambda column: (values[column], -column))


@pytest.mark.parametrize(("inputs", "feed_forward"), [(42, True), (84, True), (42, False)])
def test_a_policy_that_neat_python_evolved_plays_its_moves_here(
    inputs: int, feed_forward: bool
) -> None:
    network, text = evolve_there(inputs, 7, feed_forward)
    player = import_neat_python(text).player
    assert player.design == GraphDesign(
        encoding="0/1/2" if inputs == 42 else "two-planes", feed_forward=feed_forward
    )
    assert player.genome.keys[0] > 0
    compared, chosen = 0, set()
    for game in random_games(12, 1):
        if not feed_forward:
            network.reset()
        for position in game[::2]:
            outputs = network.activate(encode(position, inputs // 42))
            column = best({column: outputs[column] for column in GAME.legal_moves(position)})
            assert player.choose(position, STREAM) == column
            compared, chosen = compared + 1, chosen | {column}
    assert compared >= 100
    assert len(chosen) > 2


def test_a_value_network_that_neat_python_evolved_plays_its_moves_here() -> None:
    network, text = evolve_there(84, 1, True)
    player = import_neat_python(text).player
    assert player.design == GraphDesign(head="value", encoding="two-planes")
    positions = [position for game in random_games(12, 2) for position in game][:200]
    for position in positions:
        values = {}
        for column in GAME.legal_moves(position):
            after = GAME.play(position, column)
            won = GAME.outcome(after) is not None and GAME.outcome(after).winner is not None  # type: ignore[union-attr]
            seen = encode(replace(after, first=after.second, second=after.first), 2)
            if position.ply % 2 == 0:
                seen = encode(after, 2)
            swapped = seen[42:] + seen[:42] if position.ply % 2 == 0 else seen
            values[column] = float("inf") if won else network.activate(swapped)[0]
        assert player.choose(position, STREAM) == best(values)
    assert len(positions) == 200
