"""The compiled kernel plays graphs as neat-python's own networks would, move for move."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import reduce
from itertools import product
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

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, below, next_word
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphDecoder, GraphPlayer
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.games.connect_four.workspace import TABLES, count_tables
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.interchange import to_neat_python_genomes
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import Player, make_random

GROWN: dict[str, Any] = {
    "activation_default": "random",
    "activation_options": ("tanh", "relu", "sigmoid", "sin", "gauss", "abs", "identity", "log"),
    "activation_mutate_rate": 0.1,
    "aggregation_default": "random",
    "aggregation_options": ("sum", "max", "mean", "median", "maxabs", "min"),
    "aggregation_mutate_rate": 0.1,
    "conn_delete_prob": 0.3,
    "node_add_prob": 0.4,
    "node_delete_prob": 0.1,
    "initial_connection": "partial_direct 0.7",
}
HEADS, ENCODINGS, VIEWPOINTS = (
    ("policy", "value"),
    ("0/1/2", "0/1/-1", "two-planes"),
    ("mover", "absolute"),
)


@pytest.fixture(autouse=True)
def _plain_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.12 on ``sum`` is more exact than the additions that it stands for."""
    if sys.version_info >= (3, 12):
        for module in (neat.aggregations, neat.math_util):
            monkeypatch.setattr(
                module, "sum", lambda numbers: reduce(add, numbers, 0.0), raising=False
            )


def grow(decoder: GraphDecoder, seed: int, steps: int = 20) -> NeatPopulation:
    """One genome, mutated many times."""
    config = NeatConfig(pop_size=2, feed_forward=decoder.feed_forward, **GROWN)
    size = {"inputs": decoder.inputs, "outputs": decoder.outputs}
    population, counters = create(config, **size, seed=seed)
    population = population.take([0])
    for step in range(steps):
        population, counters = mutate(
            config, population, **size, seed=1000 * seed + step, counters=counters
        )
    return population


class Reference(Player):
    """The definition of a graph that plays, in plain Python, with neat-python's network.

    Args:
        decoder: How it sees the board.
        genome: A population of one.
        noise: How often a random move is played instead.
    """

    def __init__(self, decoder: GraphDecoder, genome: NeatPopulation, noise: float = 0.0) -> None:
        self.name = "reference"
        self.decoder = decoder
        self.noise = round(noise * 2**32)
        self.activations = 0
        config = SimpleNamespace(
            input_keys=[-1 - place for place in range(decoder.inputs)],
            output_keys=list(range(decoder.outputs)),
            activation_defs=ActivationFunctionSet(),
            aggregation_function_defs=AggregationFunctionSet(),
        )
        kind = neat.nn.FeedForwardNetwork if decoder.feed_forward else neat.nn.RecurrentNetwork
        (made,) = to_neat_python_genomes(genome)
        self.network: Any = kind.create(made, SimpleNamespace(genome_config=config))

    def begin(self, side: int) -> None:
        """Forgets the game before."""
        self.side = side
        if not self.decoder.feed_forward:
            self.network.reset()

    def choose(self, position: Position, stream: Stream) -> int:
        """As the docstrings of `graph` and `board_view` in players/connect_four say in words."""
        game = self.decoder.game
        legal = game.legal_moves(position)
        if self.noise and int(next_word(stream)) >> 32 < self.noise:
            while (column := int(below(stream, game.rules.columns))) not in legal:
                pass
            return column
        if self.decoder.head == "policy":
            outputs = self.activate(position)
            return max(legal, key=lambda column: (comparable(outputs[column]), -column))
        for column in legal:
            outcome = game.outcome(game.play(position, column))
            if outcome is not None and outcome.winner == self.side:
                return column
        return self.try_all(position, legal)

    def try_all(self, position: Position, legal: list[int]) -> int:
        """Each move from the same memory; that of the chosen one is kept."""
        before = self.remembered()
        tried = []
        for column in legal:
            self.remember(before)
            (value,) = self.activate(self.decoder.game.play(position, column))
            tried.append((comparable(value), -column, self.remembered()))
        _, column, after = max(tried, key=lambda one: one[:2])
        self.remember(after)
        return -column

    def activate(self, position: Position) -> list[float]:
        """The outputs for a position, as this player sees it."""
        seat = self.side if self.decoder.viewpoint == "mover" else 0
        first, second = self.decoder.game.observe(position, seat).reshape(2, -1).astype(float)
        self.activations += 1
        inputs = {
            "0/1/2": first + 2 * second,
            "0/1/-1": first - second,
            "two-planes": np.concatenate([first, second]),
        }[self.decoder.encoding]
        return self.network.activate(inputs.tolist())

    def remembered(self) -> Any:
        """What the network knows of earlier activations."""
        if self.decoder.feed_forward:
            return None
        return [dict(plane) for plane in self.network.values], self.network.active

    def remember(self, memory: Any) -> None:
        """Puts it back to what it knew then."""
        if memory is not None:
            planes, self.network.active = memory
            self.network.values = [dict(plane) for plane in planes]


def comparable(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def make_decoders(board: tuple[int, int, int], feed_forward: bool) -> list[GraphDecoder]:
    """Every head with every encoding and viewpoint."""
    return [
        GraphDecoder(*board, head, encoding, viewpoint, feed_forward)
        for head, encoding, viewpoint in product(HEADS, ENCODINGS, VIEWPOINTS)
    ]


@pytest.mark.parametrize("feed_forward", [True, False], ids=["feed-forward", "recurrent"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("board", [(7, 6, 4), (4, 3, 3), (16, 3, 4), (3, 7, 4)], ids=str)
def test_games_are_those_of_neat_pythons_networks(
    board: tuple[int, int, int], noise: float, feed_forward: bool
) -> None:
    """Graphs of all sorts, perceptrons and scripted players at several tables at once."""
    game = ConnectFour(*board)
    decoders = make_decoders(board, feed_forward)
    genomes = [grow(decoder, seed + 1) for seed, decoder in enumerate(decoders)]
    perceptron = NetworkDecoder(*board, hidden=(12,))
    weights = perceptron.initialise(1, "normal", np.random.default_rng(1))
    bots = [make_test_bot(game), make_random(game), perceptron.player(weights[0], "mlp")]
    # Others stand between the graphs, so that everything about these has to be moved.
    packed_players = [
        bots[0].packed,
        *[decoder.pack(genome) for decoder, genome in zip(decoders, genomes, strict=True)],
        bots[1].packed,
    ]
    packed_players.insert(5, bots[2].packed)
    packed = with_noise(combine_players(packed_players), noise)
    assert count_tables(packed) == TABLES
    players: list[Player] = [
        Reference(decoder, genome, noise) for decoder, genome in zip(decoders, genomes, strict=True)
    ]
    for at, bot in ((0, bots[0]), (5, bots[2]), (len(packed_players) - 1, bots[1])):
        bot.packed = with_noise(bot.packed, noise)
        players.insert(at, bot)
    generator = np.random.default_rng(2)
    pairings = generator.integers(len(players), size=(80, 2)).astype(np.int32)
    pairings = pairings[pairings[:, 0] != pairings[:, 1]]
    openings = random_openings(game, 3, len(pairings), 4)
    openings[::3, 1:] = -1
    openings[1::3] = -1
    seeds = derive_seeds(3, 0, "matches", len(pairings))
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    for match, (first, second) in enumerate(pairings):
        opening = [move for move in openings[match].tolist() if move >= 0]
        played = play_match(
            game, [players[first], players[second]], seed=int(seeds[match]), opening=opening
        )
        assert results.games[match] == played.game, (match, first, second, played.moves)
        assert results.outcomes[match] == played.outcome
        assert results.plies[match] == len(played.moves)
    assert results.distinct_games > len(pairings) // 2


@pytest.fixture(scope="module")
def rivals() -> Iterator[tuple[list[GraphDecoder], list[NeatPopulation]]]:
    """Recurrent graphs of both heads, some of which remember."""
    decoders = [
        GraphDecoder(7, 6, 4, head, encoding, "mover", False)
        for head, encoding in product(HEADS, ENCODINGS)
    ]
    return decoders, [grow(decoder, seed + 50, 40) for seed, decoder in enumerate(decoders)]


def test_memory_matters(rivals: tuple[list[GraphDecoder], list[NeatPopulation]]) -> None:
    """Else nothing here would test it: a graph that forgets before each move plays otherwise."""

    class Forgetful(Reference):
        def choose(self, position: Position, stream: Stream) -> int:
            self.begin(self.side)
            return super().choose(position, stream)

    game = ConnectFour()
    differing = 0
    for decoder, genome in zip(*rivals, strict=True):
        games = []
        for kind in (Reference, Forgetful):
            pair = [kind(decoder, genome), make_random(game)]
            games.append([play_match(game, pair, seed=seed).moves for seed in range(10)])
        differing += games[0] != games[1]
    assert differing >= 3


@pytest.mark.parametrize("feed_forward", [True, False], ids=["feed-forward", "recurrent"])
@pytest.mark.parametrize("board", [(5, 4, 3), (1, 6, 4), (2, 2, 2), (32, 1, 3)], ids=str)
def test_players_choose_the_kernels_moves(board: tuple[int, int, int], feed_forward: bool) -> None:
    """Against all others and against itself, game after game with the same objects."""
    game = ConnectFour(*board)
    decoders = make_decoders(board, feed_forward)
    players: list[Any] = [
        decoder.player(grow(decoder, seed + 30), decoder.head)
        for seed, decoder in enumerate(decoders)
    ]
    players.append(make_random(game))
    packed = combine_players([player.packed for player in players])
    pairings = np.array(list(product(range(len(players)), repeat=2)), dtype=np.int32)
    seeds = derive_seeds(8, 0, "matches", len(pairings))
    openings = random_openings(game, 1, len(pairings), 4)
    openings[::2] = -1
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    for match, (first, second) in enumerate(pairings):
        opening = [move for move in openings[match].tolist() if move >= 0]
        played = play_match(
            game, [players[first], players[second]], seed=int(seeds[match]), opening=opening
        )
        assert results.games[match] == played.game, (first, second)


@pytest.mark.parametrize("start", [0, 1])
def test_what_was_not_decided_is_not_remembered(
    rivals: tuple[list[GraphDecoder], list[NeatPopulation]], start: int
) -> None:
    """A graph is activated when it decides, and at no other ply."""
    game = ConnectFour()
    opening = [3, 3, 2, 3, 2][: 4 + start]
    for decoder, genome in zip(*rivals, strict=True):
        reference = Reference(decoder, genome)
        bot = make_test_bot(game)
        played = play_match(game, [reference, bot], seed=1, opening=opening)
        turns = len(range(0, len(played.moves), 2)) - len(opening[::2])
        if decoder.head == "policy":
            assert reference.activations == turns
        packed = combine_players([decoder.pack(genome), bot.packed])
        pairing = np.array([[0, 1]], dtype=np.int32)
        seeds = np.array([1], dtype=np.uint64)
        openings = np.array([opening], dtype=np.int8)
        results = run_kernel(make_batch(game, packed, pairing, seeds, openings))
        assert results.games[0] == played.game


def by_hand(
    decoder: GraphDecoder, biases: list[float], connections: list[tuple[int, int, float]]
) -> NeatPopulation:
    """A genome of identity nodes: their biases, and source, target and weight of connections."""
    nodes, links = len(biases), len(connections)
    source, target, weight = zip(*connections, strict=True) if links else ((), (), ())
    return NeatPopulation(
        keys=np.array([1]),
        node_start=np.array([0, nodes]),
        node_key=np.arange(nodes, dtype=np.int32),
        bias=np.array(biases, dtype=np.float64),
        response=np.ones(nodes),
        activation=np.full(nodes, 9, dtype=np.int32),
        aggregation=np.ones(nodes, dtype=np.int32),
        connection_start=np.array([0, links]),
        source=np.array(source, dtype=np.int32),
        target=np.array(target, dtype=np.int32),
        weight=np.array(weight, dtype=np.float64),
        enabled=np.ones(links, dtype=np.bool_),
        innovation=np.arange(links, dtype=np.int64),
    )


def play_alone(player: GraphPlayer, seed: int = 0) -> tuple[int, ...]:
    """The game of a player with itself, in plain Python and in the kernel."""
    game = player.game
    played = play_match(game, [player, player], seed=seed)
    pairing, seeds = np.zeros((1, 2), dtype=np.int32), np.array([seed], dtype=np.uint64)
    results = run_kernel(make_batch(game, player.packed, pairing, seeds))
    assert results.games[0] == played.game
    return played.moves


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("feed_forward", [True, False])
def test_a_graph_without_connections_plays_the_first_open_column(
    head: str, feed_forward: bool
) -> None:
    decoder = GraphDecoder(4, 2, 4, head, feed_forward=feed_forward)
    player = decoder.player(by_hand(decoder, [0.0] * decoder.outputs, []), "none")
    assert play_alone(player) == (0, 0, 1, 1, 2, 2, 3)  # the bottom row is a line


def test_a_policy_plays_its_strongest_open_output_the_first_of_equals() -> None:
    decoder = GraphDecoder(4, 2, 4)
    player = decoder.player(by_hand(decoder, [1.0, 3.0, 2.0, 3.0], []), "biased")
    # A feed-forward output without connections is its bias.
    assert play_alone(player) == (1, 1, 3, 3, 2, 2, 0)


def test_a_value_takes_the_win_at_once_and_else_the_best_position() -> None:
    # The value is the weight of the cells taken: 3 in the bottom row of column 2, 2 above it.
    decoder = GraphDecoder(3, 3, 3, "value", "two-planes")
    cells = {(2, 0): 3.0, (2, 1): 2.0, (1, 0): -5.0, (0, 0): -4.0, (0, 1): -6.0}
    links = [(-1 - ((2 - row) * 3 + column), 0, weight) for (column, row), weight in cells.items()]
    player = decoder.player(by_hand(decoder, [0.0], links), "stacker")
    game = ConnectFour(3, 3, 3)
    stream = np.zeros(1, dtype=np.uint64)
    assert player.choose(game.initial(), stream) == 2
    assert player.choose(game.parse_position("22"), stream) == 2  # 0 for the top cell
    assert player.choose(game.parse_position("222"), stream) == 0  # -4 against -5
    assert player.choose(game.parse_position("0022"), stream) == 1  # completes the bottom row


def test_a_recurrent_policy_remembers_its_own_last_turn() -> None:
    """Output 0 copies a hidden node that counted the discs at the player's turn before."""
    decoder = GraphDecoder(4, 8, 4, "policy", "two-planes", "mover", False)
    discs = [(-1 - place, 4, 1.0) for place in range(decoder.inputs)]
    # Output 1 is always 2.5: in a recurrent network that takes a connection.
    genome = by_hand(decoder, [0.0, 2.5, 0.0, 0.0, 0.0], [*discs, (4, 0, 1.0), (-1, 1, 0.0)])
    # Who began sees 0, 2, 4 and 6 discs and so has 0, 0, 2 and 4 for column 0; the other one
    # sees 1, 3, 5 and 7 and has 0, 1, 3 and 5.
    assert play_alone(decoder.player(genome, "late"))[:8] == (1, 1, 1, 1, 1, 0, 0, 0)


def test_noise_of_one_is_a_random_player() -> None:
    decoder = GraphDecoder(7, 6, 4, "value", "two-planes", "mover", False)
    game = decoder.game
    packed = with_noise(combine_players([decoder.pack(grow(decoder, 3))]), 1.0)
    pairings = np.zeros((300, 2), dtype=np.int32)
    batch = make_batch(game, packed, pairings, derive_seeds(1, 0, "test", 300))
    results = run_kernel(batch)
    assert results.distinct_games == 300


def test_what_is_no_number_is_worse_than_any() -> None:
    decoder = GraphDecoder(4, 2, 4)
    player = decoder.player(by_hand(decoder, [np.nan, -3.0, -2.0, np.nan], []), "policy")
    assert play_alone(player)[:5] == (2, 2, 1, 1, 0)
    # Infinity times the 0 of an empty cell is no number, so only one move has a value.
    decoder = GraphDecoder(4, 4, 4, "value", "two-planes")
    cell = 3 * 4 + 2  # column 2 of the bottom row
    player = decoder.player(by_hand(decoder, [0.0], [(-1 - cell, 0, np.inf)]), "value")
    assert play_alone(player)[:2] == (2, 0)  # then the first of all that have none


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("head", HEADS)
def test_numbers_out_of_hand_still_give_legal_moves(head: str, value: float) -> None:
    for feed_forward in (True, False):
        decoder = GraphDecoder(4, 4, 4, head, feed_forward=feed_forward)
        links = [(-1 - place, out, 1.0) for place in range(16) for out in range(decoder.outputs)]
        genome = by_hand(decoder, [value] * decoder.outputs, links)
        moves = play_alone(decoder.player(genome, "wild"))
        assert moves[0] == 0
        assert len(moves) > 6
