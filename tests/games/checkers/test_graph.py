"""NEAT graphs that play checkers: their values are those of neat-python's networks."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from types import SimpleNamespace
from typing import Any

import neat
import neat.aggregations
import neat.math_util
import numpy as np
import pytest
from neat.activations import ActivationFunctionSet
from neat.aggregations import AggregationFunctionSet

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.board import MOST_MOVES, repetition_key
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.graph import CheckersGraphDecoder, CheckersGraphPlayer
from evolve_arena.games.checkers.linear import make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkDecoder
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.values import (
    DEPTH,
    UNIT,
    CheckersWorkspace,
    make_checkers_workspace,
)
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.interchange import to_neat_python_genomes
from evolve_arena.genomes.neat.population import NeatPopulation, concatenate
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.bred import read_player
from evolve_arena.players.packed import PackedPlayers, combine_players
from evolve_arena.players.search import WIN

GAME = Checkers()
INPUTS = 14
PIECES = {0: 8.0, 1: 12.0, 2: -8.0, 3: -12.0}
"""A man is worth 1 and a king 1.5: inputs are eighths of what is counted."""
WILD: dict[str, Any] = {
    "activation_default": "random",
    "activation_options": ACTIVATIONS,
    "aggregation_default": "random",
    "aggregation_options": AGGREGATIONS,
    "node_add_prob": 0.5,
    "initial_connection": "partial_direct 0.7",
}


@pytest.fixture(autouse=True)
def _plain_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.12 on ``sum`` is more exact than the additions that it stands for."""
    if sys.version_info >= (3, 12):
        for module in (neat.aggregations, neat.math_util):
            monkeypatch.setattr(
                module, "sum", lambda numbers: reduce(add, numbers, 0.0), raising=False
            )


def grow(seed: int, steps: int = 20) -> NeatPopulation:
    """One genome, mutated many times."""
    config = NeatConfig(pop_size=2, **WILD)
    population, counters = create(config, INPUTS, 1, seed=seed)
    population = population.take([0])
    for step in range(steps):
        population, counters = mutate(
            config, population, inputs=INPUTS, outputs=1, seed=1000 * seed + step, counters=counters
        )
    return population


def weigh(weights: dict[int, float], bias: float = 0.0) -> NeatPopulation:
    """A genome whose output is the sum of inputs times *weights*; -1 stands for the output."""
    links = len(weights)
    return NeatPopulation(
        keys=np.array([1]),
        node_start=np.array([0, 1]),
        node_key=np.zeros(1, dtype=np.int32),
        bias=np.array([bias]),
        response=np.ones(1),
        activation=np.full(1, ACTIVATIONS.index("identity"), dtype=np.int32),
        aggregation=np.full(1, AGGREGATIONS.index("sum"), dtype=np.int32),
        connection_start=np.array([0, links]),
        source=np.array([-1 - place for place in weights], dtype=np.int32),
        target=np.zeros(links, dtype=np.int32),
        weight=np.array(list(weights.values())),
        enabled=np.ones(links, dtype=np.bool_),
        innovation=np.arange(1, links + 1, dtype=np.int64),
    )


def pack(genome: NeatPopulation, depth: int = 1, quiet: bool = False) -> PackedPlayers:
    return CheckersGraphDecoder(depth=depth, quiet=quiet).pack(genome)


def random_positions(count: int, seed: int) -> list[Position]:
    """Positions of random games, of all lengths, that are not over and forget their past."""
    draw = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = GAME.initial()
        for _ in range(draw.randrange(80)):
            following = GAME.play(position, draw.choice(GAME.legal_moves(position)))
            if GAME.outcome(following) is not None:
                break
            position = following
        positions.append(replace(position, past=()))
    return positions


def sides(position: Position, side: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The pieces of *side*, those of the other, and the kings."""
    pieces = [np.uint64(position.dark), np.uint64(position.light)]
    return pieces[side], pieces[1 - side], np.uint64(position.kings)


def search(
    packed: PackedPlayers,
    position: Position,
    workspace: CheckersWorkspace | None = None,
    player: int = 0,
) -> tuple[set[Move], int]:
    """The best moves of the compiled search, and their value."""
    workspace = workspace or make_checkers_workspace(packed)
    board = sides(position, position.side)
    workspace.past[0] = repetition_key(*board, position.side)
    count, value = find_moves(packed, player, *board, position.side, 0, workspace)
    return {GAME.move_of(int(word)) for word in workspace.moves[:count]}, int(value)


class Reference:
    """A genome as neat-python's network, and a choice one ply ahead in words of the rules."""

    def __init__(self, genome: NeatPopulation) -> None:
        config = SimpleNamespace(
            input_keys=[-1 - place for place in range(INPUTS)],
            output_keys=[0],
            activation_defs=ActivationFunctionSet(),
            aggregation_function_defs=AggregationFunctionSet(),
        )
        (made,) = to_neat_python_genomes(genome)
        settings: Any = SimpleNamespace(genome_config=config)
        self.network: Any = neat.nn.FeedForwardNetwork.create(made, settings)

    def value(self, position: Position, side: int) -> int:
        """What the network thinks of a position, as *side* sees it."""
        counts = np.zeros(INPUTS, dtype=np.int64)
        moves = np.zeros(MOST_MOVES, dtype=np.uint64)
        count_features(counts, 0, INPUTS, *sides(position, side), side, moves, 0)
        (output,) = self.network.activate((counts / 8).tolist())
        if math.isnan(output):
            return 0
        return round(min(max(output * UNIT, -(2.0**39)), 2.0**39))

    def best_moves(self, position: Position) -> tuple[set[Move], int]:
        """One ply ahead."""
        values = {}
        for move in GAME.legal_moves(position):
            after = GAME.play(position, move)
            values[move] = self.value(after, position.side)
            if GAME.outcome(after) is not None:
                values[move] = WIN + 1
        best = max(values.values())
        return {move for move, value in values.items() if value == best}, best


def test_one_ply_ahead_values_are_those_of_neat_pythons_network() -> None:
    """For both colours, by graphs with all functions, one after another in the same room."""
    genomes = [grow(seed) for seed in range(12)]
    packed = pack(concatenate(genomes))
    workspace = make_checkers_workspace(packed)
    seen = set()
    for position in random_positions(60, seed=1):
        for player, genome in enumerate(genomes):
            expected = Reference(genome).best_moves(position)
            assert search(packed, position, workspace, player) == expected
            seen.add((position.side, expected[1]))
    assert sum(side == 0 for side, _ in seen) > 50
    assert sum(side == 1 for side, _ in seen) > 50


@pytest.mark.parametrize("quiet", [False, True])
def test_a_graph_that_counts_pieces_is_minimax(quiet: bool) -> None:
    """Weights of eight and twelve undo the scale of the inputs."""
    packed = pack(weigh(PIECES), 4, quiet)
    plain = make_minimax(GAME, depth=4, quiet=quiet).packed
    workspace, other = make_checkers_workspace(packed), make_checkers_workspace(plain)
    for position in random_positions(60, seed=2):
        assert search(packed, position, workspace) == search(plain, position, other)


def test_a_position_worked_out_by_hand() -> None:
    """Two men and a king against a man and two kings; nothing is taken in the first ply."""
    position = GAME.parse_position("B:W29,K32,K31:B1,2,K4")
    # (2 x 3 + 1 x 5 - 1 x 7 - 2 x 2) / 8 + 0.25 = 0 / 8 + 0.25
    genome = weigh({0: 3.0, 1: 5.0, 2: -7.0, 3: -2.0}, bias=0.25)
    _, value = search(pack(genome), position)
    assert value == 0.25 * UNIT


def test_colours_make_no_difference() -> None:
    """The same board turned round, with the other colour to move, is worth as much."""
    packed = combine_players([pack(grow(seed), 3) for seed in range(4)])
    workspace = make_checkers_workspace(packed)
    for position in random_positions(20, seed=3):
        turned = replace(
            position,
            dark=turn(position.light),
            light=turn(position.dark),
            kings=turn(position.kings),
            side=1 - position.side,
        )
        for player in range(4):
            moves, value = search(packed, position, workspace, player)
            others, same = search(packed, turned, workspace, player)
            assert (len(moves), value) == (len(others), same)


def turn(bits: int) -> int:
    """Bit b becomes bit 34 - b."""
    return int(f"{bits:035b}"[::-1], 2)


def test_players_share_a_room_and_a_table_but_no_values() -> None:
    network = CheckersNetworkDecoder(hidden=(6,), depth=4)
    weights = network.initialise(1, "normal", np.random.default_rng(1))
    players: Sequence[PackedPlayers] = [
        pack(grow(1), 4),
        make_minimax(GAME, depth=4).packed,
        pack(grow(2), 4, quiet=True),
        network.pack(weights),
        pack(grow(3, steps=60), 5),
    ]
    together = combine_players(players)
    workspace = make_checkers_workspace(together)
    for position in random_positions(12, seed=4):
        for player, alone in enumerate(players):
            assert search(together, position, workspace, player) == search(alone, position)


def test_an_output_that_nothing_fills_is_0() -> None:
    """Its only connection comes from itself. The player before has left a number there."""
    counting, circular = pack(weigh(PIECES)), pack(weigh({-1: 1.0}))
    packed = combine_players([counting, circular])
    workspace = make_checkers_workspace(packed)
    position = GAME.parse_position("B:W32:B1,2")
    assert search(packed, position, workspace, 0)[1] == UNIT
    assert search(packed, position, workspace, 1)[1] == 0


@pytest.mark.parametrize(
    ("genome", "expected"),
    [
        (weigh({0: 1e308, 1: 1e308}), 2**39),
        (weigh({0: -1e300}), -(2**39)),
        (weigh({0: 1.0}, bias=math.nan), 0),
    ],
    ids=["infinite", "huge", "no number"],
)
def test_outputs_out_of_range_count_less_than_a_win(genome: NeatPopulation, expected: int) -> None:
    assert search(pack(genome), GAME.initial())[1] == expected


def test_a_player_is_read_as_it_was_written() -> None:
    genome = grow(5)
    player = CheckersGraphDecoder(depth=3, quiet=True, turned=1).player(genome, "graph")
    again = read_player(player.serialise(generation=7))
    assert isinstance(again, CheckersGraphPlayer)
    assert (again.kind, again.name, again.decoder) == ("checkers-neat", "graph", player.decoder)
    assert again.remarks == {"generation": 7}
    for name, array in player.arrays.items():
        assert np.array_equal(again.arrays[name], array)
    position = Checkers(turned=1).initial()
    for ply in range(20):
        move = player.choose(position, new_stream(ply))
        assert again.choose(position, new_stream(ply)) == move
        position = player.game.play(position, move)


@pytest.mark.parametrize(
    ("genome", "message"),
    [
        (weigh({14: 1.0}), "connection -15 -> 0 comes from nowhere"),
        (weigh({-1: 1.0}), "its connections make a cycle: 0 -> 0"),
        (weigh({0: math.inf}), "its weight holds NaN or infinity"),
    ],
)
def test_a_genome_that_is_none_is_refused(genome: NeatPopulation, message: str) -> None:
    blob = CheckersGraphDecoder().player(genome, "graph").serialise()
    with pytest.raises(DamagedFileError, match=message):
        read_player(blob)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth is 0: it must be a whole number from 1 to 12"),
        ({"depth": True}, "depth is True"),
        ({"quiet": 1}, "quiet is 1: it must be true or false"),
        ({"turned": 2}, "turned"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        CheckersGraphDecoder(**options)


def test_a_population_of_no_genomes_packs() -> None:
    assert len(pack(grow(1).take([])).seats) == 0
    assert pack(grow(1), 7).seats[0, DEPTH] == 7
