"""Tuple networks that learn by playing, in games in one file of any number of seats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.stream import new_stream
from evolve_arena.runs.recipe import load_recipe
from tests.tracks import STONES

SMALL = {
    "method.name": "td-tuples",
    "method.individuals": 1,
    "method.shards": 1,
    "method.games": 3,
    "method.exploration": 0.0,
    "method.discount": 0.9,
    "method.step": 0.1,
    "network.tuples": 5,
    "network.length": 3,
    "run.generations": 1,
    "check.games": 2,
    "check.opponents": ["random"],
}


def breed(game: str, folder: Path, **changes: Any) -> ea.Run:
    changed = SMALL | {key.replace("__", "."): value for key, value in changes.items()}
    return ea.start(game, run=folder, changes=changed, executor="serial", allow_process=True)


class Mirror:
    """The same tables and the same lessons, in NumPy and 64 bits; cells are single bits."""

    def __init__(self, run: ea.Run) -> None:
        self.config = run.method.config
        self.game: Any = run.method.decoder.game
        population = run.state(0).population
        self.cells = population.cells[0].astype(np.int64)
        self.tables = np.zeros((len(self.cells), 2 ** self.cells.shape[1]))
        assert population.tables.size == self.tables.size

    def look(self, position: Any, seat: int) -> np.ndarray:
        """The entry of each tuple: its first cell is the lowest digit."""
        bits = self.game.observe(position, seat).ravel()[self.cells].astype(np.int64)
        return np.asarray(bits @ (1 << np.arange(bits.shape[1])))

    def value(self, entries: np.ndarray) -> float:
        """From -1 to 1."""
        return float(np.tanh(self.tables[np.arange(len(entries)), entries].sum()))

    def play(self, own: int = -1, opponent: Any = None) -> None:
        """Plays a game and learns from it; if there is an opponent, at seat *own*."""
        game, position, line = self.game, self.game.initial(0), []
        while (outcome := game.outcome(position)) is None:
            side, best, most = game.to_move(position), None, -np.inf
            if opponent and side != own:
                position = game.play(position, opponent.choose(position, new_stream(1)))
                line.append((side, None, 0.0))
                continue
            for move in game.legal_moves(position):
                after = game.play(position, move)
                end = game.outcome(after)
                worth = 10.0 if end and end.winner == side else self.value(self.look(after, side))
                if worth > most:
                    best, most = after, worth
            position = best
            entries = self.look(position, side)
            line.append((side, entries, self.value(entries)))
        following = [(1.0, 1.0) if place == 1 else (-1.0, -1.0) for place in outcome.places]
        for side, entries, value in reversed(line[:-1]):
            if entries is None:
                continue
            after, result = following[side]
            decay = self.config.trace_decay
            target = self.config.discount * ((1 - decay) * after + decay * result)
            following[side] = value, target
            change = self.config.step * (target - value)
            self.tables[np.arange(len(entries)), entries] += change


def test_three_players_learn_what_the_formulas_say(tmp_path: Path) -> None:
    run = breed(str(STONES), tmp_path / "run", method__games=20)
    mirror = Mirror(run)
    for _ in range(20):
        mirror.play()
    learned = run.state(1).population.tables[0]
    assert np.abs(learned).max() > 0.1
    np.testing.assert_allclose(learned, mirror.tables.ravel(), atol=1e-5)


def test_they_learn_their_own_moves_against_others(tmp_path: Path) -> None:
    """By turns, from each of three seats, where the opponent sits at both others."""
    game = str(STONES)
    others = [breed(game, tmp_path / str(n), run__seed=n, method__games=50) for n in (5, 6)]
    named = [f"run:{others[0].path}", f"run:{others[1].path}"]
    run = breed(game, tmp_path / "run", method__games=12, method__opponents=named)
    mirror = Mirror(run)
    for number in range(12):
        mirror.play(number % 3, others[number // 3 % 2].champion)
    learned = run.state(1).population.tables[0]
    assert np.abs(learned).max() > 0.05
    np.testing.assert_allclose(learned, mirror.tables.ravel(), atol=1e-5)


def test_opponents_are_met_by_turns_with_oneself(tmp_path: Path) -> None:
    options = {"method__games": 600, "method__exploration": 0.1, "method__discount": 1.0}
    options |= {"method__opponents": ["self", "minimax:depth=2", "random"], "method__step": 0.01}
    options |= {"network__tuples": 30, "network__length": 5}
    run = breed("tic-tac-toe", tmp_path / "run", run__generations=6, **options)
    assert ea.duel(f"run:{run.path}", "random", games=200, seed=1).wilson_95[0] > 0.75


def test_three_players_learn_pig(tmp_path: Path) -> None:
    options = {"method__games": 1000, "method__exploration": 0.3, "method__discount": 1.0}
    options |= {"method__trace_decay": 0.5, "method__step": 0.02, "network__tuples": 8}
    checks = {"check__games": 200, "check__every": 10}
    run = breed("pig", tmp_path / "run", game__seats=3, run__generations=10, **options, **checks)
    assert list(run.checks())[-1].wins > 100  # a third would be chance


def test_checkers_is_learned(tmp_path: Path) -> None:
    options = {"method__games": 1000, "method__exploration": 0.1, "method__discount": 1.0}
    options |= {"network__tuples": 60, "network__length": 6, "method__step": 0.004}
    run = breed("checkers", tmp_path / "run", run__generations=6, **options)
    assert run.method.decoder.cells == 35
    result = ea.duel(f"run:{run.path}", "random", games=100, opening_plies=2, seed=1)
    assert result.wilson_95[0] > 0.75


def test_what_it_does_not_learn_is_told() -> None:
    for game, changes, sentence in (
        ("pig", {"game.seats": 3, "method.individuals": 2}, "method.individuals is 2"),
        ("hex", {"method.opponents": ["nobody"]}, "method.opponents: unknown player"),
        (
            "connect-four",
            {"method.opponents": ["random"]},
            "method.opponents: tuple networks of connect-four learn from themselves",
        ),
    ):
        with pytest.raises(ArenaError, match=sentence):
            load_recipe(game, SMALL | changes).make_method()
