"""The network of Q-learning: its values of moves, and the effect of a sample."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Floats, Number
from evolve_arena.genomes.network import exponentials
from evolve_arena.genomes.simd import LANES
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.studies.q_learning.q_learning import (
    QLearningConfig,
    make_learning_settings,
    make_network,
    make_room,
    read_genome,
)
from evolve_arena.studies.q_learning.q_learning_games import (
    ActionNetwork,
    QLearningSettings,
    Reader,
    sum_board,
    teach,
    value_columns,
)

UNITS = 20
SIGNS = {"numbered": 2, "signed": -1}
MOVES = [3, 3, 2, 5, 0, 6, 2]
"""After them the second player is to move; no column is full."""


def make_decoder(encoding: str = "numbered", activation: str = "sigmoid") -> NetworkDecoder:
    make = find_game("connect-four").networks["mlp"].decoder_type
    return make(head="action", encoding=encoding, hidden=(UNITS,), activation=activation)


def draw_genome(decoder: NetworkDecoder) -> NDArray[np.float32]:
    return decoder.initialise(1, "uniform:0.5", np.random.default_rng(5))[0]


def lessons_of(decoder: NetworkDecoder) -> QLearningSettings:
    options = QLearningConfig().model_dump()
    return make_learning_settings(decoder.mlp, decoder.inputs_of_bits, options)


def reach(moves: list[int]) -> Board:
    game = make_game("connect-four")
    position = game.initial()
    for column in moves:
        position = game.play(position, column)
    return position


def inputs_for(encoding: str, position: Board, column: int) -> NDArray[np.float64]:
    """Return the network's inputs before the second player's move, written out."""
    cells = [7 * column + row for row in range(5, -1, -1) for column in range(7)]
    own, other = (np.array([word >> cell & 1 for cell in cells]) for word in position.state[:2])
    read = [own, other] if encoding == "planes" else [own + SIGNS[encoding] * other]
    return np.concatenate([*read, [column]]).astype(np.float64)


@compiled
def value_board(
    network: ActionNetwork,
    reader: Reader,
    own: np.uint64,
    other: np.uint64,
    workspace: Floats,
    values: Floats,
) -> int:
    sum_board(network, reader, own, other, workspace, 0)
    return value_columns(network, reader, 7, np.uint64(127), workspace, 0, values)


@compiled
def teach_move(
    network: ActionNetwork,
    reader: Reader,
    own: np.uint64,
    other: np.uint64,
    move: tuple[int, np.float32],
    rate: np.float32,
    bias: bool,
    workspace: Floats,
) -> Number:
    """Teach the network that a *move*, given as column and target, has that target."""
    sum_board(network, reader, own, other, workspace, 0)
    column, target = move
    width = reader.width
    return teach(network, reader, own, other, column, target, rate, bias, workspace, 0, width)


def teach_once(
    decoder: NetworkDecoder, network: ActionNetwork, position: Board, bias: bool = True
) -> float:
    """Teach one sample, that column 4 is worth 3, at rate 0.01; return the error."""
    learning = lessons_of(decoder)
    own, other = map(np.uint64, position.state[:2])
    sums = make_room(decoder.game.code, learning).sums
    given = own, other, (4, np.float32(3.0)), np.float32(0.01), bias, sums
    return float(teach_move(network, learning.reader, *given))


def value_all(
    decoder: NetworkDecoder, genome: NDArray[np.float32], position: Board
) -> tuple[Floats, int]:
    """Return a network's value of each column, and the best column."""
    learning, values = lessons_of(decoder), np.zeros(LANES, dtype=np.float32)
    own, other = map(np.uint64, position.state[:2])
    room, network = make_room(decoder.game.code, learning), make_network(decoder.mlp, genome)
    best = value_board(network, learning.reader, own, other, room.sums, values)
    return values[:7], best


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("encoding", ["numbered", "signed", "planes"])
def test_values_are_the_textbooks(encoding: str, activation: str) -> None:
    decoder = make_decoder(encoding, activation)
    genome, position = draw_genome(decoder), reach(MOVES)
    values, best = value_all(decoder, genome, position)
    read = np.array([inputs_for(encoding, position, column) for column in range(7)])
    expected = decoder.mlp.evaluate(genome, read)[:, 0]
    assert values == pytest.approx(expected, abs=1e-5)
    assert best == np.argmax(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_player_thinks_as_the_learner_does(seed: int) -> None:
    """With the same weights, but summed up in another order."""
    decoder, position = make_decoder(), reach(MOVES)
    genome = decoder.initialise(1, "uniform", np.random.default_rng(seed))[0]
    values, best = value_all(decoder, genome, position)
    player = decoder.player(genome, "it")
    assert list(rate_moves(player, position).values()) == pytest.approx(values, abs=1e-5)
    assert player.choose(position, new_stream(0)) == best


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("encoding", ["numbered", "planes"])
def test_a_step_follows_the_gradient(encoding: str, activation: str) -> None:
    """Each weight moves by rate · error · derivative of the value, here by finite differences."""
    decoder = make_decoder(encoding, activation)
    genome = draw_genome(decoder)
    position = reach(MOVES)
    read = inputs_for(encoding, position, 4)[None, :]
    network = make_network(decoder.mlp, genome)
    error = teach_once(decoder, network, position)
    taught = read_genome(decoder.mlp, network)

    def value(weights: NDArray[np.float64]) -> float:
        return float(decoder.mlp.evaluate(weights, read)[0, 0])

    exact = genome.astype(np.float64)
    assert error == pytest.approx(3.0 - value(exact), abs=1e-5)
    slopes = np.zeros(len(genome))
    for gene in range(len(genome)):
        step = np.zeros(len(genome))
        step[gene] = 1e-5
        slopes[gene] = (value(exact + step) - value(exact - step)) / 2e-5
    assert np.count_nonzero(slopes) > 9 * UNITS
    assert taught - exact == pytest.approx(0.01 * error * slopes, abs=3e-7)


def test_the_outputs_bias_may_be_left_alone() -> None:
    decoder = make_decoder()
    genome = draw_genome(decoder)
    position = reach(MOVES)
    learning, leaving = (make_network(decoder.mlp, genome) for _ in range(2))
    error = teach_once(decoder, learning, position)
    teach_once(decoder, leaving, position, bias=False)
    one, other = (read_genome(decoder.mlp, network) for network in (learning, leaving))
    assert np.array_equal(one[:-1], other[:-1])
    assert one[-1] == pytest.approx(genome[-1] + 0.01 * error, abs=1e-7)
    assert other[-1] == genome[-1]


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_padding_stays_zero(activation: str) -> None:
    decoder = make_decoder(activation=activation)
    network = make_network(decoder.mlp, draw_genome(decoder))
    position = reach(MOVES)
    for _ in range(10):
        teach_once(decoder, network, position)
    assert not network.rows.reshape(decoder.inputs + 1, -1)[:, UNITS:].any()
    assert not network.last[LANES + UNITS :].any()
    assert not network.last[1:LANES].any()


def test_a_genome_goes_in_and_out_unchanged() -> None:
    decoder = make_decoder("planes")
    genome = draw_genome(decoder)
    assert np.array_equal(read_genome(decoder.mlp, make_network(decoder.mlp, genome)), genome)


def test_exponentials() -> None:
    values = np.linspace(-30.0, 2.0, 2 * LANES).astype(np.float32)
    workspace = values.copy()
    exponentials(workspace, 2 * LANES, np.float32(2.0), np.float32(0.5))
    expected = np.exp((values.astype(np.float64) - 2.0) / 0.5)
    assert workspace == pytest.approx(expected, rel=1e-5)
    assert workspace[-1] == pytest.approx(1.0, abs=2e-7)
