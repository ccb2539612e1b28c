"""Tuple networks that learn by playing: games and lessons against plain NumPy, and the method."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.game import Outcome
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import below, chance, new_stream, next_word
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIGURES,
    FIRST_WINS,
    PLIES,
    TDSettings,
    average_tables,
    merge_shards,
)
from evolve_arena.evolve.td_tuples import TdTuples, TdTuplesState
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.player import Player
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.evolve import mirrors
from tests.tracks import STONES
from tests.tuples import PlainTuples

SMALL = mirrors.SMALL | {
    "method.name": "td-tuples",
    "method.individuals": 1,
    "method.shards": 1,
    "method.discount": 0.9,
    "method.schedule.learning_rate": 0.1,
    "network.tuples": 5,
    "network.length": 3,
}


breed = partial(mirrors.breed, SMALL)


class Mirror:
    """The same tables and the same lessons, in NumPy and 64 bits."""

    def __init__(self, method: TdTuples, state: TdTuplesState) -> None:
        self.config, self.game = method.config, method.decoder.game
        self.settings = method.make_settings(state)
        genome = state.population
        cells, numbers = genome.cells[0].astype(np.int64), genome.tables[0].astype(np.float64)
        self.network = PlainTuples(method.decoder, cells, numbers)
        self.rng = derive_seeds(state.seed, state.generation, "learning", 1)
        self.figures = np.zeros(FIGURES)

    def play(self, own: int = -1, opponent: Player | None = None) -> None:
        """Play a game and learn from it; if there is an opponent, at seat *own*."""
        game, position, line = self.game, self.game.initial(0), []
        starts, opening = self.settings, 0
        if opponent:
            next_word(self.rng)  # the seed of the opponents' moves
        if starts.random_starts and chance(self.rng) < starts.random_starts:
            opening = 1 + below(self.rng, starts.start_plies)
        while (outcome := game.outcome(position)) is None:
            side, moves = game.to_move(position), game.legal_moves(position)
            if opponent and side != own:
                position = game.play(position, opponent.choose(position, new_stream(1)))
                line.append((side, None, 0.0, False))
                continue
            explores = len(line) < opening or chance(self.rng) < self.config.exploration
            if not self.config.explore_wins:
                after = [game.outcome(game.play(position, move)) for move in moves]
                explores &= not any(
                    end and end.places[side] < end.places[1 - side] for end in after
                )
            if explores or len(moves) == 1:
                move = moves[below(self.rng, len(moves)) if len(moves) > 1 else 0]
            else:
                move = self.network.choose(position, moves)
            position = game.play(position, move)
            value = float(np.tanh(self.network.value(position, side)))
            read = self.network.read(position, side)
            line.append((side, read, value, explores and len(moves) > 1))
        self.learn(line, outcome)

    def learn(
        self, line: list[tuple[int, tuple[int, Array] | None, float, bool]], outcome: Outcome
    ) -> None:
        """Move values towards their returns: of two players along one line, else of each."""
        config, pair = self.config, self.game.seats == 2
        places = outcome.places
        ends = [0.0 if places.count(1) > 1 else 1.0 if place == 1 else -1.0 for place in places]
        following = [(end, end, True) for end in ends]
        last = 0 if pair else line[-1][0]
        following[last] = (*following[last][:2], not line[-1][3])
        for side, read, value, explored in reversed(line[:-1]):
            if read is None:
                continue
            sign, at = (1 - 2 * side, 0) if pair else (1, side)
            after, result, chosen = following[at]
            if chosen:
                mixed = (1 - config.trace_decay) * after + config.trace_decay * result
                result = config.discount * mixed
                slope = 1.0 - value * value if config.gradient == "squared" else 1.0
                change = config.schedule.learning_rate * (sign * result - value) * slope
                np.add.at(self.network.tables[read[0]], read[1], change)
                self.figures[ERROR] += abs(sign * result - value)
            else:
                result = sign * value
            following[at] = sign * value, result, not explored
        self.figures[[PLIES, FIRST_WINS, DRAWS]] += len(line), ends[0] == 1, ends[0] == 0


def make_method(game: str = "connect-four", **changes: object) -> TdTuples:
    return load_recipe(
        game, SMALL | {k.replace("__", "."): changes[k] for k in changes}
    ).make_method()


LESSONS: dict[str, Settings] = {
    "plain": {"exploration": 0.2, "discount": 1.0},
    "squared": {"exploration": 0.2, "gradient": "squared", "trace_decay": 0.0},
    "discounted": {"exploration": 0.05, "trace_decay": 0.4},
    "results": {"exploration": 0.7, "trace_decay": 1.0},
}
BOARDS: dict[str, tuple[str, Settings]] = {
    "stacks": ("connect-four", {"network__by_seat": True}),
    "wins are taken": ("connect-four", {"network__by_seat": True, "method__explore_wins": False}),
    "stacks of 64": ("connect-four", {"game__columns": 8, "game__rows": 8}),
    "small stacks": (
        "connect-four",
        {"game__columns": 4, "game__rows": 3, "game__connect": 3, "network__turns": True},
    ),
    "stages of stacks": (
        "connect-four",
        {"network__by_seat": True, "network__stages": 6, "network__counts": True},
    ),
    "stages of cells": ("tic-tac-toe", {"network__stages": 4, "network__systematic": True}),
    "stages of turns": (
        "kalah",
        {
            "game__pits": 3,
            "network__turns": True,
            "network__stages": 3,
            "network__contents": 0,
            "network__counts": True,
        },
    ),
    "cells": ("tic-tac-toe", {"network__by_seat": True}),
    "numbers": ("kalah", {"game__pits": 3, "network__turns": True, "network__contents": 0}),
    "few contents": ("kalah", {"game__pits": 3, "network__contents": 6}),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_game_and_its_lesson_are_those_of_plain_numpy(name: str) -> None:
    """From tables of few bits, so that sums are exact in any order and equal ones are equal."""
    game, changes = BOARDS[name]
    seen, changed = set(), 0
    for lesson in LESSONS.values():
        settings = {f"method__{key}": value for key, value in lesson.items()}
        method = make_method(game, **changes, **settings, method__games=1, network__tuples=12)
        for seed in range(6):
            population = method.initial(1).population
            numbers = np.random.default_rng(seed).normal(0.0, 0.1, population.tables.shape)
            tables = (np.rint(numbers * 256) / 256).astype(np.float32)
            population = TuplePopulation(population.cells, tables)
            state = TdTuplesState(seed, 0, population, tables)
            learned, figures = SerialExecutor().run(method.make_task(state))
            mirror = Mirror(method, state)
            mirror.play()
            np.testing.assert_allclose(figures[0], mirror.figures, atol=1e-4)
            np.testing.assert_allclose(learned[0], mirror.network.numbers, atol=2e-6)
            changed += np.count_nonzero(learned != tables)
            seen.add(tuple(figures[0, [FIRST_WINS, DRAWS]]))
    assert changed > 500
    assert len(seen) > 1


def test_three_players_learn_what_the_formulas_say(tmp_path: Path) -> None:
    run = breed(str(STONES), tmp_path / "run", method__games=20)
    mirror = Mirror(run.method, run.state(0))
    for _ in range(20):
        mirror.play()
    learned = run.state(1).population.tables[0]
    assert np.abs(learned).max() > 0.1
    np.testing.assert_allclose(learned, mirror.network.numbers, atol=1e-5)


def test_they_learn_their_own_moves_against_others(tmp_path: Path) -> None:
    """By turns, from each of three seats, where the opponent sits at both others."""
    game = str(STONES)
    others = [breed(game, tmp_path / str(n), run__seed=n, method__games=50) for n in (5, 6)]
    named = [f"run:{others[0].path}", f"run:{others[1].path}"]
    run = breed(game, tmp_path / "run", method__games=12, method__opponents=named)
    mirror = Mirror(run.method, run.state(0))
    for number in range(12):
        mirror.play(number % 3, others[number // 3 % 2].champion)
    learned = run.state(1).population.tables[0]
    assert np.abs(learned).max() > 0.05
    np.testing.assert_allclose(learned, mirror.network.numbers, atol=1e-5)


def test_three_players_learn_pig(tmp_path: Path) -> None:
    options = {"method__games": 1000, "method__exploration": 0.3, "method__discount": 1.0}
    options |= {"method__trace_decay": 0.5, "method__step": 0.02, "network__tuples": 8}
    checks = {"check__games": 200, "check__every": 10}
    run = breed("pig", tmp_path / "run", game__seats=3, run__generations=10, **options, **checks)
    assert list(run.checks())[-1].wins > 100  # a third would be chance


def test_what_it_does_not_learn_is_told() -> None:
    for game, changes, sentence in (
        ("pig", {"game.seats": 3, "method.individuals": 2}, "method.individuals is 2"),
        ("hex", {"method.opponents": ["nobody"]}, "method.opponents: unknown player"),
        ("hex", {"method.shards": 2}, "games is 3, no multiple of the 2 shards"),
        ("kalah", {"method.explore_wins": False}, "the file of kalah has no function wins"),
    ):
        with pytest.raises(ArenaError, match=sentence):
            load_recipe(game, SMALL | changes).make_method()


# Shards and averages


def learn(method: TdTuples, generations: int) -> TdTuplesState:
    arena, state = Arena(method.decoder, SerialExecutor()), method.initial(1)
    for _ in range(generations):
        state, _ = method.step(state, arena)
    return state  # type: ignore[no-any-return]


def test_shards_are_brought_together_entry_by_entry() -> None:
    tables = np.array([1.0, 1.0, 1.0, 0.0, -2.0], dtype=np.float32)
    rows = [1.0, 1.5, 2.0, 0.25, -2.0], [1.0, 1.0, 1.0, -0.25, -1.0], [1.0, 1.0, 4.0, 0.75, 0.0]
    merge_shards(tables, np.array(rows, dtype=np.float32), np.ones(3, dtype=np.float32))
    # Nobody; one alone; two of three; all; two of three.
    assert tables.tolist() == [1.0, 1.5, 3.0, 0.25, -0.5]


def test_averages_move_by_a_share() -> None:
    average = np.array([0.0, 1.0, 4.0], dtype=np.float32)
    average_tables(average, np.array([1.0, 1.0, 0.0], dtype=np.float32), 0.25)
    assert average.tolist() == [0.25, 1.0, 3.0]


MANY = {"method__exploration": 0.1, "method__shards": 2, "method__games": 60}


def test_shards_begin_with_their_learners_tables_and_play_games_of_their_own() -> None:
    method = make_method("tic-tac-toe", **MANY, method__individuals=2)
    cells = np.repeat(method.initial(1).population.cells[:1], 2, axis=0)
    tables, done = np.repeat(method.initial(1).population.tables[:1], 2, axis=0), []
    for generation in (0, 1):
        state = TdTuplesState(1, generation, TuplePopulation(cells, tables), tables)
        done += list(SerialExecutor().run(method.make_task(state))[0])
    assert len({shard.tobytes() for shard in done}) == 8
    method = make_method("tic-tac-toe", **MANY, method__individuals=2, method__step=0.0)
    tables += np.float32([[1.0], [2.0]])
    state = TdTuplesState(1, 0, TuplePopulation(cells, tables), tables)
    shards, _ = SerialExecutor().run(method.make_task(state))
    assert np.array_equal(shards, np.repeat(tables, 2, axis=0))


def test_a_step_brings_shards_together_and_averages() -> None:
    method = make_method(
        "tic-tac-toe", **MANY, method__individuals=2, method__schedule__averaging=0.25
    )
    state = learn(method, 5)
    shards, figures = SerialExecutor().run(method.make_task(state))
    after, statistics = method.update(state, [shards, figures])
    assert after.generation == 6
    for one in range(2):
        tables = state.population.tables[one].copy()
        merge_shards(tables, shards[2 * one : 2 * one + 2].copy(), np.ones(2, dtype=np.float32))
        assert np.array_equal(after.population.tables[one], tables)
        mean = state.averages[one] + (tables - state.averages[one]) * np.float32(0.25)
        assert np.array_equal(after.averages[one], mean)
    total = figures.sum(axis=0)
    for name, place in (("plies", PLIES), ("first_wins", FIRST_WINS), ("draws", DRAWS)):
        assert statistics[name] == total[place] / 120
    assert statistics["error"] == total[ERROR] / total[PLIES]


def test_the_first_generations_are_averaged_evenly() -> None:
    method = make_method("tic-tac-toe", method__games=60)
    seen = [learn(method, number).population.tables[0] for number in (1, 2, 3, 4)]
    state = learn(method, 4)
    np.testing.assert_allclose(state.averages[0], np.mean(seen, axis=0), atol=1e-6)
    assert np.array_equal(method.candidates(state).tables, state.averages), "these play"


@pytest.mark.parametrize(
    ("changes", "expected"), [({"step_end": 0.1}, [0.5, 0.4, 0.1]), ({}, [0.5] * 3)]
)
def test_the_step_comes_to_its_end(changes: dict[str, float], expected: list[float]) -> None:
    usual = {"games": 100, "schedule_games": 400, "step": 0.5}
    method = make_method(**{f"method__{key}": value for key, value in (usual | changes).items()})
    state, found = method.initial(1), []
    for generation in (0, 1, 9):
        now = TdTuplesState(1, generation, state.population, state.averages)
        learning = TDSettings(*method.make_task(now).options["learning"][0])
        found.append(learning.step)
    assert found == pytest.approx(expected)


def test_random_starts_become_rare_and_change_what_is_learned() -> None:
    schedule = {"random_starts": 0.8, "start_plies": 3, "games": 400, "final_random_starts": 0.2}
    method = make_method("tic-tac-toe", method__games=100, method__schedule=schedule)
    shares = []
    for generation in (0, 1, 4, 9):
        state = replace(method.initial(1), generation=generation)
        settings = method.make_settings(state)
        assert settings.start_plies == 3
        shares.append(settings.random_starts)
    assert shares == pytest.approx([0.8, 0.65, 0.2, 0.2])
    without = make_method("tic-tac-toe", method__games=100)
    assert not np.array_equal(learn(method, 1).averages, learn(without, 1).averages)


def test_learners_begin_with_shapes_of_their_own_and_know_nothing() -> None:
    method = make_method(method__individuals=3, network__by_seat=True)
    population = method.initial(1).population
    assert not np.array_equal(population.cells[0], population.cells[1])
    needed = [method.decoder.table(cells).numbers for cells in population.cells]
    assert population.tables.shape == (3, max(needed))
    assert not population.tables.any()
    assert np.array_equal(method.initial(1).population.cells, population.cells)
    assert not np.array_equal(method.initial(2).population.cells, population.cells)
    figures = method.describe(method.initial(1))
    assert figures == {"individuals": 3, "tuples": 5, "cells": 3, "numbers": max(needed), "used": 0}


def test_states_of_other_networks_are_told() -> None:
    method: TdTuples = make_method(method__individuals=2)
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    cells, tables = state.population.cells, state.population.tables
    for changed, averages, message in (
        (TuplePopulation(cells[:1], tables), tables, "shape (1, 5, 3), not (2, 5, 3)"),
        (TuplePopulation(cells + np.int16(40), tables), tables, "no cells of the board"),
        (TuplePopulation(cells.astype(np.int64), tables), tables, "of type int64, not int16"),
        (TuplePopulation(cells, tables[:, 1:]), tables, "its array of tables has shape"),
        (TuplePopulation(cells, tables.astype(np.float64)), tables, "type float64, not float"),
        (state.population, tables[:, 1:], "its array of averages has shape"),
    ):
        assert message in str(method.find_mismatch(TdTuplesState(1, 0, changed, averages)))
