"""The games of Q-learning: held against NumPy, and its quirks one by one."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Array, JsonObject, Settings
from evolve_arena.evolve.learning.tuple_learning import DRAWS, FIGURES, FIRST_WINS, PLIES
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.studies.q_learning.q_learning import (
    QLearningConfig,
    compile_games,
    make_learning_settings,
    make_network,
    make_room,
    read_genome,
)
from evolve_arena.studies.q_learning.q_learning_games import ActionNetwork, QLearningSettings, Room
from tests.studied import nest

ROOT = Path(__file__).parents[2]
PlainLearner = runpy.run_path(str(ROOT / "benchmarks" / "q_learning_numpy.py"))["PlainLearner"]

Decoder = find_game("connect-four").networks["mlp"].decoder_type
NETWORK = {"head": "action", "encoding": "numbered", "activation": "sigmoid"}
STANDARD = Decoder(hidden=(20,), **NETWORK)
TINY = Decoder(columns=3, rows=3, connect=3, hidden=(20,), **NETWORK)
"""Many of its games end with a full board."""
FLAT = Decoder(columns=3, rows=2, connect=3, hidden=(4,), **NETWORK)
BIAS = 0.5
"""Output for every move of a network without weights."""


def options(**changes: object) -> JsonObject:
    return QLearningConfig(**nest(changes)).model_dump()


def prepare(
    decoder: NetworkDecoder, genome: NDArray[np.float32], **changes: object
) -> tuple[QLearningSettings, ActionNetwork, Room, ModuleType]:
    """Return settings, the network of a *genome*, room to compute in, and the compiled games."""
    learning = make_learning_settings(decoder.mlp, decoder.inputs_of_bits, options(**changes))
    code, games = compile_games(decoder.game)
    return learning, make_network(decoder.mlp, genome), make_room(code, learning), games


# Whole games


def compare(decoder: NetworkDecoder, games: int, seed: int, **changes: object) -> None:
    """Play with the compiled learner and with NumPy: games and weights must be the same."""
    genome = decoder.initialise(1, "uniform", np.random.default_rng(seed))[0]
    learning, network, room, lessons = prepare(decoder, genome, **changes)
    figures = np.zeros(FIGURES)
    lessons.play_games(learning, network, new_stream(seed), room, games, figures)
    board = {"columns": decoder.columns, "rows": decoder.rows, "connect": decoder.connect}
    learner = PlainLearner(genome, decoder.hidden[0], options(**changes) | board)
    rng = new_stream(seed)
    assert figures[PLIES] == sum(len(learner.play_game(rng)) for _ in range(games))
    taught = read_genome(decoder.mlp, network)
    assert taught == pytest.approx(learner.genome(), abs=2e-4)
    assert np.abs(taught - genome).max() > 0.02


@pytest.mark.parametrize("mirror", [True, False])
@pytest.mark.parametrize("faithful", [True, False])
@pytest.mark.parametrize("future", ["best-known", "mean"])
def test_games_are_those_of_numpy(future: str, faithful: bool, mirror: bool) -> None:
    changes = {"future": future, "faithful": faithful, "mirror": mirror}
    compare(STANDARD, 3, seed=1, **changes)
    compare(TINY, 60, seed=2, **changes, discount=0.9, policy__temperature=0.5)


def test_games_are_those_of_numpy_by_epsilon() -> None:
    compare(STANDARD, 3, seed=3, policy__exploration="epsilon", policy__epsilon=0.3)


def test_outcomes_are_counted() -> None:
    """Of almost random games, whose whole tree is small."""
    decoder = Decoder(columns=3, rows=2, connect=2, hidden=(4,), **NETWORK)
    genome, figures = np.zeros(decoder.genes, dtype=np.float32), np.zeros(FIGURES)
    learning, network, room, lessons = prepare(decoder, genome, policy__temperature=1000.0)
    lessons.play_games(learning, network, new_stream(1), room, 4000, figures)
    first_wins, draws, plies = _count_random_games()
    assert figures[FIRST_WINS] / 4000 == pytest.approx(first_wins, abs=0.03)
    assert figures[DRAWS] / 4000 == pytest.approx(draws, abs=0.03)
    assert figures[PLIES] / 4000 == pytest.approx(plies, abs=0.1)


def _count_random_games() -> tuple[float, float, float]:
    """Return shares of first wins and of draws and the mean length of random games, exactly."""
    game = make_game("connect-four", columns=3, rows=2, connect=2)

    def follow(position: Board, plies: int) -> NDArray[np.float64]:
        outcome = game.outcome(position)
        if outcome is not None:
            return np.array([outcome.winner == 0, outcome.winner is None, plies], dtype=float)
        moves = game.legal_moves(position)
        return np.mean([follow(game.play(position, int(c)), plies + 1) for c in moves], axis=0)

    first_wins, draws, plies = follow(game.initial(), 0)
    return first_wins, draws, plies


# What a move is worth


def worth(decoder: NetworkDecoder, drawing: str, column: int, **changes: object) -> float:
    """Return the value that a network with output ``BIAS`` for every move learns of *column*.

    In the *drawing*, rows from the top, x are the discs of the player to move.
    """
    genome = np.zeros(decoder.genes, dtype=np.float32)
    genome[-1] = BIAS
    learning, network, room, games = prepare(decoder, genome, **changes)
    marks = np.array(list(drawing.replace(" ", "")))
    own, other = (1 << np.array(decoder.game.drawn)[marks == mark] for mark in "xo")
    state = np.uint64(own.sum()), np.uint64(other.sum()), len(own) + len(other)
    games.sum_state(learning, network, state, room)
    mover, waiter, plies = games.follow(room.states, 1, state, column)
    after = np.uint64(mover), np.uint64(waiter), plies
    given = state, column, after, games.end_of(learning, after, plies, room), plies
    return float(games.find_target(learning, network, *given, room))


THREATENED = "....... ....... ....... ....... ..x.... .ooox.x"
"""The opponent wins in the first column, which is also the first of seven equal replies."""


BOTH = ("best-known", "mean")
NEITHER: Settings = {}
FAITHFUL = {"faithful": True}
DRAW = {"rewards": {"draw": 0.25}}


@pytest.mark.parametrize(
    ("futures", "decoder", "drawing", "column", "changes", "expected"),
    [
        # The reward for a loss never arrives if the learner is faithful.
        (BOTH[:1], STANDARD, THREATENED, 6, FAITHFUL, -0.01),
        (BOTH[:1], STANDARD, THREATENED, 6, NEITHER, -0.01 - 2.0),
        (BOTH[:1], STANDARD, THREATENED, 6, {"discount": 0.5, "rewards": {"loss": -3.0}}, -1.51),
        # The mean then counts a lost reply as nothing.
        (BOTH[1:], STANDARD, THREATENED, 6, FAITHFUL, -0.01 + 6 * BIAS / 7),
        (BOTH[1:], STANDARD, THREATENED, 6, NEITHER, -0.01 + (6 * BIAS - 2.0) / 7),
        # A threat that is stopped is none.
        (BOTH, STANDARD, THREATENED, 0, NEITHER, -0.01 + BIAS),
        # A win and a draw have no future.
        (BOTH, FLAT, "oo. xx.", 2, NEITHER, 2.0),
        (BOTH, FLAT, "x.o oxo", 1, DRAW, 0.25),
        # A win with the last disc is a draw if the learner is faithful.
        (BOTH, FLAT, "xx. oxo", 2, DRAW, 2.0),
        (BOTH, FLAT, "xx. oxo", 2, {**DRAW, **FAITHFUL}, 0.25),
        (BOTH, FLAT, ".oo .ox", 0, DRAW, -0.01 - 2.0),
        (BOTH, FLAT, ".oo .ox", 0, {**DRAW, **FAITHFUL}, -0.01),
        # A reply that fills the board brings a draw unless it is.
        (BOTH, FLAT, ".ox .xo", 0, DRAW, -0.01 + 0.25),
        (BOTH, FLAT, ".ox .xo", 0, {**DRAW, **FAITHFUL}, -0.01),
    ],
)
def test_what_a_move_is_worth(
    futures: tuple[str, ...],
    decoder: NetworkDecoder,
    drawing: str,
    column: int,
    changes: Settings,
    expected: float,
) -> None:
    for future in futures:
        found = worth(decoder, drawing, column, future=future, **changes)
        assert found == pytest.approx(expected)


# How moves are chosen


def choices(full: tuple[int, ...], count: int, **changes: object) -> tuple[Array, Array]:
    """Return the frequencies of columns, and their values, for a network that prefers the right.

    Discs do not matter to it; columns that are *full* can't be chosen.
    """
    decoder = STANDARD
    genome = np.zeros(decoder.genes, dtype=np.float32)
    genome[42 * 20 : 43 * 20] = np.linspace(-1.0, 1.0, 20)
    genome[44 * 20 : 45 * 20] = np.linspace(-0.3, 0.5, 20)
    learning, network, room, games = prepare(decoder, genome, **changes)
    state = np.uint64(sum(0b111111 << 7 * column for column in full)), np.uint64(0), 6 * len(full)
    games.sum_state(learning, network, state, room)
    chosen, rng = np.zeros(7, dtype=np.int64), new_stream(4)
    for _ in range(count):
        chosen[games.choose_column(learning, network, state, rng, room)] += 1
    read = np.zeros((7, 43))
    read[:, -1] = np.arange(7)
    return chosen, decoder.mlp.evaluate(genome, read)[:, 0]


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_boltzmann_chooses_by_the_exponentials(temperature: float) -> None:
    chosen, values = choices((2, 5), 5000, policy__temperature=temperature)
    open_columns = [0, 1, 3, 4, 6]
    assert chosen[[2, 5]].tolist() == [0, 0]
    assert values.max() - values.min() > 0.5
    weights = np.exp(values[open_columns] / temperature)
    expected = 5000 * weights / weights.sum()
    assert stats.chisquare(chosen[open_columns], expected).pvalue > 0.01


def test_epsilon_chooses_the_best_or_any() -> None:
    chosen, values = choices((6,), 5000, policy__exploration="epsilon", policy__epsilon=0.3)
    assert np.argmax(values[:6]) == 5
    expected = np.array([0.05, 0.05, 0.05, 0.05, 0.05, 0.75]) * 5000
    assert chosen[6] == 0
    assert stats.chisquare(chosen[:6], expected).pvalue > 0.01


def test_a_cold_learner_chooses_the_best() -> None:
    chosen, values = choices((), 200, policy__temperature=0.001)
    assert chosen[np.argmax(values)] == 200


@pytest.mark.parametrize(("columns", "rows"), [(7, 6), (4, 9), (1, 5), (6, 1)])
def test_mirrored_discs(columns: int, rows: int) -> None:
    board = {"columns": columns, "rows": rows, "connect": max(columns, rows)}
    game = make_game("connect-four", **board)
    _, games = compile_games(game)
    position, rng = game.initial(), np.random.default_rng(columns)
    while game.outcome(position) is None:
        position = game.play(position, int(rng.choice(game.legal_moves(position))))
        for word, bits in zip(
            position.state, game.observe(position, position.plies & 1), strict=False
        ):
            image = game.grid[:, ::-1][bits[game.grid] > 0]
            assert int(games.mirror_discs(np.uint64(word))) == sum(1 << int(cell) for cell in image)
