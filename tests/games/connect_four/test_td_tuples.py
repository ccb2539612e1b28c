"""Tuple networks that learn: games, returns and updates against plain Python, and that it helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from benchmarks import tuples_numpy
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.duel import duel
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIGURES,
    FIRST_WINS,
    PLIES,
    LearningSettings,
    TupleWorkspace,
    average_tables,
    make_tuple_workspace,
    merge_shards,
)
from evolve_arena.evolve.td_tuples import TdTuples, TdTuplesConfig, TdTuplesState
from evolve_arena.games.connect_four.bitboard import Rules
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.spec import GAME
from evolve_arena.games.connect_four.tuple_games import teach
from evolve_arena.games.connect_four.tuple_table import make_table
from evolve_arena.genomes.tuples import Cells, TuplePopulation, TupleTable, find_lines, random_walks
from evolve_arena.players.specification import make_player

PLAIN = LearningSettings(games=1, step=0.1, decay=0.7, discount=1.0, exploration=0.2, damped=0.0)
LESSONS = {
    "plain": PLAIN,
    "damped": PLAIN._replace(damped=1.0),
    "discounted": PLAIN._replace(discount=0.9, decay=0.4),
    "one step": PLAIN._replace(decay=0.0),
    "results": PLAIN._replace(decay=1.0, exploration=0.05),
    "greedy": PLAIN._replace(exploration=0.0),
    "random": PLAIN._replace(exploration=0.7),
}
BOARDS = [Rules(7, 6, 4), Rules(4, 3, 3), Rules(5, 4, 4), Rules(2, 3, 3)]


def draw(rules: Rules, tuples: int = 15) -> Cells:
    length = min(5, rules.columns * rules.rows)
    return random_walks(rules.columns, rules.rows, tuples, length, np.random.default_rng(3))


def draw_numbers(table: TupleTable, seed: int) -> NDArray[np.float32]:
    """Tables of few bits, so that sums are exact in any order and equal ones are equal."""
    numbers = np.random.default_rng(seed).normal(0.0, 0.1, table.numbers)
    return (np.rint(numbers * 256) / 256).astype(np.float32)


# Games, and what is learned from each


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@pytest.mark.parametrize("name", LESSONS)
def test_a_game_and_its_lesson_are_those_of_plain_numpy(rules: Rules, name: str) -> None:
    learning, cells = LESSONS[name], draw(rules)
    table = make_table(cells, rules)
    places = tuples_numpy.find_places(rules, cells)
    workspace = make_tuple_workspace(rules.columns * rules.rows, table.readings)
    outcomes = set()
    changed = 0
    for seed in range(25):
        numbers = draw_numbers(table, seed)
        spread = np.zeros((2, len(cells), 4 ** cells.shape[1]))
        spread.reshape(2, -1)[:, places] = numbers.reshape(2, -1)
        plain = tuples_numpy.NumpyTuples(rules, cells, spread, learning, seed)
        plain.begin()
        outcome = plain.play()
        plain.learn(outcome)
        learned, figures, stream = numbers.copy(), np.zeros(FIGURES), new_stream(seed)
        teach(rules, learning, table.structure, learned, stream, workspace, figures)
        assert stream == plain.stream
        assert figures[PLIES] == plain.ply
        assert (figures[FIRST_WINS], figures[DRAWS]) == (outcome == 1, outcome == 0)
        assert figures[ERROR] == pytest.approx(plain.error, abs=1e-5)
        expected = spread.reshape(2, -1)[:, places].ravel()
        np.testing.assert_allclose(learned, expected, atol=2e-6)
        changed += int(np.count_nonzero(learned != numbers))
        outcomes.add(outcome)
    assert changed > 100
    assert len(outcomes) > 1
    if rules in BOARDS[2:]:
        assert 0 in outcomes, "a full board was met"


def test_games_follow_each_other_with_the_same_tables_and_chance() -> None:
    rules = BOARDS[0]
    table = make_table(draw(rules), rules)
    workspace = make_tuple_workspace(rules.columns * rules.rows, table.readings)
    ends = []
    for games, repeats in ((12, 1), (1, 12), (3, 4)):
        numbers, figures, stream = draw_numbers(table, 1), np.zeros(FIGURES), new_stream(5)
        for _ in range(repeats):
            learning = PLAIN._replace(games=games)
            teach(rules, learning, table.structure, numbers, stream, workspace, figures)
        ends.append((numbers.tobytes(), figures.tolist(), int(stream[0])))
    assert ends[0] == ends[1] == ends[2]


# Returns


def find_returns(
    values: list[float], explored: list[bool], outcome: int, learning: LearningSettings
) -> dict[int, float]:
    """The forward view: means of n-step returns, which look ahead to a position or to the end.

    A return looks no further than to the position before a random move. Source: Sutton and
    Barto, "Reinforcement Learning", second edition, equation 12.3.
    """
    worth = [*values, float(outcome)]
    last = len(values)
    returns = {}
    for start in range(last):
        end = start
        while end < last and not (end + 1 < len(explored) and explored[end + 1]):
            end += 1
        ahead = end - start
        if ahead == 0:
            continue  # a random move came next: there is nothing to learn
        total = learning.decay ** (ahead - 1) * learning.discount**ahead * worth[end]
        for steps in range(1, ahead):
            look = learning.discount**steps * worth[start + steps]
            total += (1 - learning.decay) * learning.decay ** (steps - 1) * look
        returns[start] = total
    return returns


def played_by(figures: NDArray[np.float64]) -> tuple[int, int]:
    """Plies of a single game, and 1, 0 or -1."""
    draw = int(figures[DRAWS])
    return int(figures[PLIES]), 0 if draw else (1 if figures[FIRST_WINS] else -1)


def lessons_of(
    workspace: TupleWorkspace, plies: int, outcome: int, learning: LearningSettings
) -> dict[int, float]:
    """What each position of the game in the *workspace* has to be drawn towards, by its ply."""
    values = workspace.values[: plies - 1].tolist()
    # The last ply is a move that wins, which is never random, or fills the board.
    explored = [*workspace.explored[: plies - 1].astype(bool).tolist(), False]
    if outcome == 0:
        explored[-1] = bool(workspace.explored[plies - 1])
    return find_returns(values, explored, outcome, learning)


@pytest.mark.parametrize("rules", BOARDS[:3], ids=str)
@pytest.mark.parametrize("name", LESSONS)
def test_positions_are_drawn_towards_their_lambda_returns(rules: Rules, name: str) -> None:
    """By the forward view, which is how such returns are defined."""
    learning = LESSONS[name]
    table = make_table(find_lines(*rules[:3]), rules)
    workspace = make_tuple_workspace(rules.columns * rules.rows, table.readings)
    numbers = draw_numbers(table, 5)
    learned_from = 0
    for seed in range(20):
        before, figures = numbers.astype(np.float64), np.zeros(FIGURES)
        teach(rules, learning, table.structure, numbers, new_stream(seed), workspace, figures)
        plies, outcome = played_by(figures)
        expected = before.copy()
        for ply, wanted in lessons_of(workspace, plies, outcome, learning).items():
            read = workspace.past[ply * table.readings :][: table.readings]
            value = np.tanh(before[read].sum())
            assert workspace.values[ply] == pytest.approx(value, abs=1e-5)
            slope = 1.0 - value**2 if learning.damped else 1.0
            np.add.at(expected, read, learning.step * (wanted - value) * slope)
            learned_from += 1
        np.testing.assert_allclose(numbers, expected, atol=1e-5)
    assert learned_from > 40


def test_returns_by_hand() -> None:
    # Four positions, won by who began; the move to the third one was random.
    values, explored = [0.1, 0.3, -0.2, 0.5], [False, False, True, False, False]
    returns = find_returns(values, explored, 1, PLAIN._replace(decay=0.5, discount=0.9))
    assert returns == pytest.approx({0: 0.27, 2: 0.9 * (0.5 * 0.5 + 0.5 * 0.9), 3: 0.9})


# Shards and averages


def test_shards_are_brought_together_entry_by_entry() -> None:
    tables = np.array([1.0, 1.0, 1.0, 0.0, -2.0], dtype=np.float32)
    shards = np.array(
        [
            [1.0, 1.5, 2.0, 0.25, -2.0],
            [1.0, 1.0, 1.0, -0.25, -1.0],
            [1.0, 1.0, 4.0, 0.75, 0.0],
        ],
        dtype=np.float32,
    )
    merge_shards(tables, shards)
    # Nobody; one alone; two of three; all; two of three.
    assert tables.tolist() == [1.0, 1.5, 3.0, 0.25, -0.5]


def test_one_shard_is_taken_as_it_is() -> None:
    shards = np.random.default_rng(1).normal(size=(1, 100)).astype(np.float32)
    tables = np.zeros(100, dtype=np.float32)
    merge_shards(tables, shards)
    assert np.array_equal(tables, shards[0])


def test_averages_move_by_a_share() -> None:
    average = np.array([0.0, 1.0, 4.0], dtype=np.float32)
    average_tables(average, np.array([1.0, 1.0, 0.0], dtype=np.float32), 0.25)
    assert average.tolist() == [0.25, 1.0, 3.0]


# The method


def make_method(board: dict[str, int] | None = None, **changes: Any) -> TdTuples:
    """Keys of the network have an underscore in front."""
    network = {key[1:]: value for key, value in changes.items() if key[0] == "_"}
    method = {key: value for key, value in changes.items() if key[0] != "_"}
    settings = TdTuples.network_section(GAME, network)(**{"tuples": 10, "length": 4, **network})
    config = TdTuplesConfig(**{"games": 60, **method})
    return TdTuples(config, TdTuples.make_decoder(ConnectFour(**(board or {})), settings, config))


def learn(method: TdTuples, generations: int, workers: int | None = None) -> TdTuplesState:
    executor = SerialExecutor() if workers is None else ProcessExecutor(workers)
    arena = Arena(method.decoder, executor)
    state = method.initial(1)
    for _ in range(generations):
        state, _ = method.step(state, arena)
    executor.close()
    return state


def test_learners_begin_with_shapes_of_their_own_and_know_nothing() -> None:
    method = make_method(individuals=3)
    state = method.initial(1)
    assert state.population.cells.shape == (3, 10, 4)
    assert not np.array_equal(state.population.cells[0], state.population.cells[1])
    assert not state.population.tables.any()
    needed = [method.decoder.table(cells).numbers for cells in state.population.cells]
    assert state.population.tables.shape == (3, max(needed))
    again, other = make_method(individuals=3).initial(1), method.initial(2)
    assert np.array_equal(again.population.cells, state.population.cells)
    assert not np.array_equal(other.population.cells, state.population.cells)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_step_is_the_same_however_many_work(workers: int) -> None:
    method = make_method(individuals=3, shards=2)
    alone, together = learn(method, 3), learn(method, 3, workers)
    assert alone.population.tables.any(axis=1).all()
    assert np.array_equal(alone.population.tables, together.population.tables)
    assert np.array_equal(alone.averages, together.averages)


def test_learners_and_shards_play_games_of_their_own() -> None:
    method = make_method(individuals=2, shards=2)
    state = method.initial(1)
    cells = np.repeat(state.population.cells[:1], 2, axis=0)
    tables = state.population.tables
    same = TdTuplesState(1, 0, TuplePopulation(cells, tables), tables)
    shards, figures = SerialExecutor().do(method.make_work(same))
    assert len({shard.tobytes() for shard in shards}) == 4
    later = TdTuplesState(1, 1, same.population, tables)
    assert not np.array_equal(SerialExecutor().do(method.make_work(later))[0], shards)
    assert (figures[:, PLIES] > 30 * 7).all()


def test_shards_begin_with_the_tables_of_their_learner() -> None:
    method = make_method(individuals=3, shards=2, step=0.0)
    cells = method.initial(1).population.cells
    numbers = method.initial(1).population.tables + np.float32([[1.0], [2.0], [3.0]])
    state = TdTuplesState(1, 0, TuplePopulation(cells, numbers), numbers)
    shards, _ = SerialExecutor().do(method.make_work(state))
    assert shards.mean(axis=1).tolist() == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]


def test_a_step_brings_shards_together_and_averages() -> None:
    method = make_method(individuals=2, shards=3, averaging=0.25)
    state = learn(method, 5)
    work = method.make_work(state)
    outputs = SerialExecutor().do(work)
    after, statistics = method.update(state, outputs)
    assert after.generation == 6
    for one in range(2):
        tables = state.population.tables[one].copy()
        merge_shards(tables, np.ascontiguousarray(outputs[0][3 * one : 3 * one + 3]))
        assert np.array_equal(after.population.tables[one], tables)
        mean = state.averages[one] + (tables - state.averages[one]) * np.float32(0.25)
        assert np.array_equal(after.averages[one], mean)
    total = outputs[1].sum(axis=0)
    assert statistics["plies"] == total[PLIES] / 120
    assert statistics["first_wins"] == total[FIRST_WINS] / 120
    assert statistics["draws"] == total[DRAWS] / 120
    assert statistics["error"] == total[ERROR] / total[PLIES]


def test_the_first_generations_are_averaged_evenly() -> None:
    method = make_method(averaging=0.05, shards=1)
    arena = Arena(method.decoder, SerialExecutor())
    state, seen = method.initial(1), []
    for _ in range(4):
        state, _ = method.step(state, arena)
        seen.append(state.population.tables[0].astype(np.float64))
    np.testing.assert_allclose(state.averages[0], np.mean(seen, axis=0), atol=1e-6)
    genome, _ = method.champion(state, arena)
    assert np.array_equal(genome.tables[0], state.averages[0]), "what plays is the average"


def test_step_and_exploration_come_to_their_ends() -> None:
    keys = {"step": 0.5, "step_end": 0.1, "exploration": 0.2, "exploration_end": 0.0}
    method = make_method(games=100, schedule_games=400, **keys)
    state = method.initial(1)
    found = []
    for generation in (0, 1, 3, 4, 9):
        now = TdTuplesState(1, generation, state.population, state.averages)
        learning = LearningSettings(*method.make_work(now).options["learning"])
        assert learning.games == 50
        found.append((learning.step, learning.exploration))
    assert found == [
        pytest.approx(pair)
        for pair in ((0.5, 0.2), (0.4, 0.15), (0.2, 0.05), (0.1, 0.0), (0.1, 0.0))
    ]


def test_without_ends_step_and_exploration_stay() -> None:
    method = make_method(step=0.5, exploration=0.2, schedule_games=60)
    state = method.initial(1)
    later = TdTuplesState(1, 50, state.population, state.averages)
    learning = LearningSettings(*method.make_work(later).options["learning"])
    assert (learning.step, learning.exploration) == (0.5, 0.2)


def test_the_gradients_differ() -> None:
    tables = {
        gradient: learn(make_method(gradient=gradient, step=0.1), 5).population.tables
        for gradient in ("cross-entropy", "squared")
    }
    assert not np.array_equal(tables["cross-entropy"], tables["squared"])


def test_games_must_divide_into_shards() -> None:
    with pytest.raises(ValidationError, match="games is 61, no multiple of the 2 shards"):
        make_method(games=61)


def test_states_of_other_networks_are_told() -> None:
    method = make_method(individuals=2)
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    cells, tables = state.population.cells, state.population.tables
    for changed, message in (
        (TuplePopulation(cells[:1], tables), r"shape \(1, 10, 4\), not \(2, 10, 4\)"),
        (TuplePopulation(cells + np.int16(30), tables), "no cells of the board"),
        (TuplePopulation(cells.astype(np.int64), tables), "no cells of the board"),
        (TuplePopulation(cells, tables[:, 1:]), "its tables have shape"),
        (TuplePopulation(cells, tables.astype(np.float64)), "its tables have shape"),
    ):
        found = method.find_mismatch(TdTuplesState(1, 0, changed, tables))
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(found)
    assert "its tables" in str(
        method.find_mismatch(TdTuplesState(1, 0, state.population, tables[:, 1:]))
    )


def test_it_learns() -> None:
    method = make_method(games=5000, _tuples=30, _length=6, step=0.01)
    state = learn(method, 4)
    player = method.decoder.player(method.candidates(state)[0], "learner")
    result = duel(
        method.decoder.game, player, make_player("random", method.decoder.game), games=400
    )
    assert result.wins > 0.9 * 400
    begun = method.decoder.player(method.candidates(method.initial(1))[0], "beginner")
    result = duel(method.decoder.game, begun, make_player("random", method.decoder.game), games=400)
    assert result.wins < 0.9 * 400
