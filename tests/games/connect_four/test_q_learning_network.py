"""The network of Q-learning: what it says of a move, and how a sample changes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network import NetworkDesign
from evolve_arena.games.connect_four.q_learning import QLearningConfig
from evolve_arena.games.connect_four.q_learning_games import Lessons, make_lessons, make_room
from evolve_arena.games.connect_four.q_learning_network import (
    ActionNetwork,
    exponentials,
    make_network,
    read_genome,
    sum_board,
    teach,
    value_columns,
)
from evolve_arena.genomes.simd import LANES

UNITS = 20
MOVES = [3, 3, 2, 5, 0, 6, 2]
"""After them the second player is to move; no column is full."""


def make_design(encoding: str = "0/1/2", activation: str = "sigmoid") -> NetworkDesign:
    return NetworkDesign(head="action", encoding=encoding, hidden=(UNITS,), activation=activation)


def draw_genome(design: NetworkDesign) -> NDArray[np.float32]:
    return design.initialise(1, "uniform:0.5", np.random.default_rng(5))[0]


def lessons_of(design: NetworkDesign) -> Lessons:
    return make_lessons(design, QLearningConfig().model_dump())


def reach(moves: list[int]) -> Position:
    game = ConnectFour()
    position = game.initial()
    for column in moves:
        position = game.play(position, column)
    return position


def inputs_for(encoding: str, position: Position, column: int) -> NDArray[np.float64]:
    """What the network reads before the second player's move, written out."""
    cells = position.cells().ravel()
    own, other = cells == 2, cells == 1
    if encoding == "two-planes":
        read = [own, other]
    else:
        read = [own + (2 if encoding == "0/1/2" else -1) * other.astype(int)]
    return np.concatenate([*read, [column]]).astype(np.float64)


@compiled
def value_board(network: Any, reader: Any, own: Any, other: Any, room: Any, values: Any) -> Any:
    sum_board(network, reader, own, other, room, 0)
    return value_columns(network, reader, 7, np.uint64(0), room, 0, values)


@compiled
def teach_move(
    network: Any, reader: Any, own: Any, other: Any, move: Any, rate: Any, bias: Any, room: Any
) -> Any:
    """Teaches that the *move*, a column and a target, is worth the target."""
    sum_board(network, reader, own, other, room, 0)
    column, target = move
    width = reader.width
    return teach(network, reader, own, other, column, target, rate, bias, room, 0, width)


def teach_once(
    design: NetworkDesign, network: ActionNetwork, position: Position, bias: bool = True
) -> float:
    """One sample, that column 4 is worth 3, at rate 0.01; the error."""
    lessons = lessons_of(design)
    own, other = np.uint64(position.second), np.uint64(position.first)
    move = (4, np.float32(3.0))
    rate = np.float32(0.01)
    return float(
        teach_move(network, lessons.reader, own, other, move, rate, bias, make_room(lessons))
    )


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("encoding", ["0/1/2", "0/1/-1", "two-planes"])
def test_values_are_the_textbooks(encoding: str, activation: str) -> None:
    design = make_design(encoding, activation)
    genome = draw_genome(design)
    lessons = lessons_of(design)
    position = reach(MOVES)
    values = np.zeros(LANES, dtype=np.float32)
    own, other = np.uint64(position.second), np.uint64(position.first)
    network = make_network(design.mlp, genome)
    best = value_board(network, lessons.reader, own, other, make_room(lessons), values)
    read = np.array([inputs_for(encoding, position, column) for column in range(7)])
    expected = design.mlp.evaluate(genome, read)[:, 0]
    assert values[:7] == pytest.approx(expected, abs=1e-5)
    assert best == np.argmax(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_player_thinks_as_the_learner_does(seed: int) -> None:
    """But for the first layer, of which the player keeps whole numbers of 1/65536."""
    design = make_design()
    genome = design.initialise(1, "uniform", np.random.default_rng(seed))[0]
    lessons = lessons_of(design)
    position = reach(MOVES)
    values = np.zeros(LANES, dtype=np.float32)
    own, other = np.uint64(position.second), np.uint64(position.first)
    network = make_network(design.mlp, genome)
    best = value_board(network, lessons.reader, own, other, make_room(lessons), values)
    player = design.player(genome, "it")
    assert player.value_columns(position) == pytest.approx(values[:7], abs=1e-3)
    assert player.choose(position, new_stream(0)) == best


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("encoding", ["0/1/2", "two-planes"])
def test_a_step_follows_the_gradient(encoding: str, activation: str) -> None:
    """Each weight moves by rate · error · derivative of the value, here by finite differences."""
    design = make_design(encoding, activation)
    genome = draw_genome(design)
    position = reach(MOVES)
    read = inputs_for(encoding, position, 4)[None, :]
    network = make_network(design.mlp, genome)
    error = teach_once(design, network, position)
    taught = read_genome(design.mlp, network)

    def value(weights: NDArray[np.float64]) -> float:
        return float(design.mlp.evaluate(weights, read)[0, 0])

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
    design = make_design()
    genome = draw_genome(design)
    position = reach(MOVES)
    learning, leaving = (make_network(design.mlp, genome) for _ in range(2))
    error = teach_once(design, learning, position)
    teach_once(design, leaving, position, bias=False)
    one, other = (read_genome(design.mlp, network) for network in (learning, leaving))
    assert np.array_equal(one[:-1], other[:-1])
    assert one[-1] == pytest.approx(genome[-1] + 0.01 * error, abs=1e-7)
    assert other[-1] == genome[-1]


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_padding_stays_zero(activation: str) -> None:
    design = make_design(activation=activation)
    network = make_network(design.mlp, draw_genome(design))
    position = reach(MOVES)
    for _ in range(10):
        teach_once(design, network, position)
    assert not network.rows.reshape(design.inputs + 1, -1)[:, UNITS:].any()
    assert not network.last[LANES + UNITS :].any()
    assert not network.last[1:LANES].any()


def test_a_genome_goes_in_and_out_unchanged() -> None:
    design = make_design("two-planes")
    genome = draw_genome(design)
    assert np.array_equal(read_genome(design.mlp, make_network(design.mlp, genome)), genome)


def test_exponentials() -> None:
    values = np.linspace(-30.0, 2.0, 2 * LANES).astype(np.float32)
    room = values.copy()
    exponentials(room, 2 * LANES, np.float32(2.0), np.float32(0.5))
    expected = np.exp((values.astype(np.float64) - 2.0) / 0.5)
    assert room == pytest.approx(expected, rel=1e-5)
    assert room[-1] == pytest.approx(1.0, abs=2e-7)
