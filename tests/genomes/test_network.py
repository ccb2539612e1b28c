"""Compiled networks against plain NumPy, and against themselves along other paths."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from evolve_arena.core.compiled import compiled
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import (
    ACTIVATIONS,
    RESOLUTION,
    SIZES,
    activate_sums,
    add_column,
    evaluate_hidden,
    padded,
    single_output,
    start_sums,
)
from evolve_arena.players.board import networks
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.evolved import VectorPlayer

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

HIDDEN_SHAPES = [(), (1,), (10,), (16,), (17,), (10, 10), (33, 5), (4, 20, 7)]
HEADS, ENCODINGS = ["policy", "value"], ["planes", "signed", "numbered"]
DECODERS = [
    NetworkDecoder(head=head, encoding=encoding, hidden=hidden, activation=activation)
    for head, encoding, hidden, activation in product(HEADS, ENCODINGS, HIDDEN_SHAPES, ACTIVATIONS)
] + [
    NetworkDecoder(**size, head=head, hidden=(12,), encoding=encoding)
    for size, head, encoding in product(
        [
            {"columns": 4, "rows": 3, "connect": 3},
            {"columns": 16, "rows": 3},
            {"columns": 5, "rows": 11},
        ],
        HEADS,
        ENCODINGS,
    )
]


def name_decoder(decoder: networks.NetworkDecoder) -> str:
    hidden = "-".join(map(str, decoder.hidden)) or "none"
    board = f"{decoder.columns}x{decoder.rows}"
    return f"{board} {decoder.head} {decoder.encoding} {hidden} {decoder.activation}"


def draw_positions(game: BoardGame, count: int, seed: int) -> list[Board]:
    """Return unfinished positions of random games."""
    choices = random.Random(seed)
    positions: list[Board] = []
    while len(positions) < count:
        position = game.initial()
        history = []
        while game.outcome(position) is None:
            history.append(position)
            position = game.play(position, choices.choice(game.legal_moves(position)))
        positions.append(choices.choice(history))
    return positions


def encode(decoder: networks.NetworkDecoder, position: Board, side: int) -> np.ndarray:
    """Return the inputs, by the definition of the encodings."""
    own, other = decoder.game.observe(position, side)[:, decoder.game.drawn].astype(int)
    if decoder.encoding == "planes":
        return np.concatenate([own, other])
    return own + {"numbered": 2, "signed": -1}[decoder.encoding] * other


def round_first_layer(decoder: networks.NetworkDecoder, genome: np.ndarray) -> np.ndarray:
    """Return the genome with its first layer in whole units of a running sum, as it is played."""
    rounded = genome.astype(np.float64)
    count = (decoder.mlp.inputs + 1) * decoder.mlp.sizes[1]
    rounded[:count] = np.rint(rounded[:count] * RESOLUTION) / RESOLUTION
    return rounded


@pytest.mark.parametrize("decoder", DECODERS, ids=name_decoder)
def test_moves_and_values_agree_with_numpy(decoder: networks.NetworkDecoder) -> None:
    rng = np.random.default_rng(len(name_decoder(decoder)))
    compared = 0
    for number, genome in enumerate(decoder.initialise(3, "normal", rng)):
        player = decoder.player(genome, "network")
        exact = round_first_layer(decoder, genome)
        for position in draw_positions(decoder.game, 6, number):
            compared += compare(decoder, player, exact, position)
    assert compared >= 9


def compare(
    decoder: networks.NetworkDecoder, player: VectorPlayer, genome: np.ndarray, position: Board
) -> bool:
    """Compare values and the choice; return True if the choice was clear enough to compare."""
    game = decoder.game
    side = game.to_move(position)
    legal = game.legal_moves(position)
    if decoder.head == "policy":
        outputs = decoder.mlp.evaluate(genome, encode(decoder, position, side)[None])[0]
    else:
        after = [game.play(position, move) for move in legal]
        inputs = np.array([encode(decoder, reached, side) for reached in after])
        outputs = np.full(decoder.columns, np.nan)
        outputs[legal] = decoder.mlp.evaluate(genome, inputs)[:, 0]
        compare_values(player, position, outputs)
        wins = [move for move, reached in zip(legal, after, strict=True) if game.outcome(reached)]
        wins = [move for move in wins if game.outcome(game.play(position, move)).winner == side]
        if wins:
            assert player.choose(position, new_stream(0)) == wins[0]
            return True
    best, *rest = sorted(outputs[legal], reverse=True)
    if rest and best - rest[0] <= 1e-3:
        return False
    expected = max(legal, key=lambda move: outputs[move])
    assert player.choose(position, new_stream(0)) == expected
    return True


def compare_values(player: VectorPlayer, position: Board, outputs: np.ndarray) -> None:
    """Compare the player's values of moves; immediate wins are worth more than any."""
    for move, value in rate_moves(player, position).items():
        assert value == np.inf or abs(value - outputs[move]) < 1e-4


@pytest.mark.parametrize(
    ("activation", "exact", "error"),
    [
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), 2e-7),
        ("tanh", np.tanh, 4e-7),
        ("relu", lambda x: np.maximum(x, 0.0), 1e-30),
    ],
)
def test_activations_are_accurate(
    activation: str, exact: Callable[[Array], Array], error: float
) -> None:
    """A network whose only hidden unit sees nothing but its bias shows its activation."""
    mlp = MLP(42, (1,), 1, activation)
    decoder = NetworkDecoder(head="value", hidden=(1,), activation=activation, encoding="numbered")
    points = np.concatenate([np.linspace(-20, 20, 801), [-300, -100, -88, 88, 100, 300]])
    points = np.rint(points * RESOLUTION) / RESOLUTION
    genome = np.zeros(mlp.genes, dtype=np.float32)
    genome[-2] = 1.0
    for point in points:
        genome[-3] = point
        value = rate_moves(decoder.player(genome, "network"), decoder.game.initial())[0]
        assert abs(value - exact(point)) <= error
        assert np.isfinite(value)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("size", [1e3, 1e9, np.inf])
def test_weights_beyond_the_limit_count_as_the_limit(encoding: str, size: float) -> None:
    decoder = NetworkDecoder(encoding=encoding, hidden=(), take_wins=False)
    limit = decoder.board.limit
    assert 100 < limit < 1000
    rng = np.random.default_rng(1)
    signs = rng.choice([-1.0, 1.0], (30, decoder.genes))
    for row in np.concatenate([signs, np.ones((1, decoder.genes)), -np.ones((1, decoder.genes))]):
        player = decoder.player((row * size).astype(np.float32), "network")
        for position in draw_positions(decoder.game, 2, 1):
            values = rate_moves(player, position)
            for move in decoder.game.legal_moves(position):
                inputs = encode(decoder, decoder.game.play(position, move), position.plies % 2)
                exact = decoder.mlp.evaluate(np.clip(row * size, -limit, limit), inputs[None])
                np.testing.assert_allclose(values[move], exact[0, 0], rtol=1e-6, atol=1e-3)


def test_genes_that_are_no_numbers_count_as_zero_in_the_first_layer() -> None:
    decoder = NetworkDecoder(encoding="numbered", hidden=(), take_wins=False)
    genome = decoder.initialise(1, "normal", np.random.default_rng(1))[0]
    genome[::3] = np.nan
    position = decoder.game.parse_position("3342561")
    values = rate_moves(decoder.player(genome, "network"), position)
    assert values == rate_moves(decoder.player(np.nan_to_num(genome), "network"), position)


def test_the_limit_leaves_room_for_every_disc() -> None:
    cells = 42
    for factor in (1, 2, -3):
        encoding = Encoding(cells, np.arange(cells), np.full(cells, factor), cells)
        assert encoding.features == cells
        largest = (cells * abs(factor) + 1) * encoding.limit * RESOLUTION
        assert largest <= 2**31 - 1
        assert largest > 0.9 * 2**31


# --- one position, one value ---------------------------------------------------------------


@compiled
def value_along(
    shape: Array,
    columns: Array,
    weights: Array,
    features: Array,
    workspace: tuple[Array, Array, Array],
) -> Number:
    """Return the value after the *features* were switched on one after the other."""
    sums, ping, pong = workspace
    width = padded(shape[SIZES + 1])
    start_sums(sums, 0, columns, 0, width)
    for feature in features[:-1]:
        add_column(sums, 0, columns, (1 + feature) * width, width)
    activate_sums(shape, sums, 0, columns, (1 + features[-1]) * width, True, ping)
    at, inputs = evaluate_hidden(shape, weights, 0, ping, pong)
    return single_output(shape, weights, at, inputs)


@pytest.mark.parametrize("hidden", [(16,), (40,), (20, 9)])
def test_the_order_of_discs_does_not_matter_to_the_last_bit(hidden: tuple[int, ...]) -> None:
    decoder = NetworkDecoder(head="value", encoding="planes", hidden=hidden)
    genomes = decoder.initialise(20, "normal:3", np.random.default_rng(1))
    columns, weights = decoder.mlp.pack(genomes, decoder.board)
    rng = np.random.default_rng(2)
    workspace = np.zeros(64, dtype=np.int32), *np.zeros((2, 64), dtype=np.float32)
    real = np.flatnonzero(decoder.board.index >= 0)
    for one in range(len(genomes)):
        features = rng.choice(real, 30, replace=False)
        values = set()
        for _ in range(20):
            rng.shuffle(features)
            arguments = columns[one].ravel(), weights[one], features, workspace
            values.add(np.float32(value_along(decoder.mlp.shape, *arguments)).tobytes())
        assert len(values) == 1
