"""Networks that learn the values of moves, in games in one file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.core.errors import ArenaError
from evolve_arena.runs.recipes.recipe import load_recipe
from tests.evolve import mirrors

SMALL = mirrors.SMALL | {
    "method.name": "q-learning",
    "network.hidden": [6, 5],
    "network.activation": "tanh",
}


breed = partial(mirrors.breed, SMALL)


class Mirror(mirrors.NetworkMirror):
    """The same games."""

    def play(self) -> None:
        """Play a game and learn from it."""
        game, config, position = self.game, self.config, self.game.initial(0)
        line: list[tuple[int, np.ndarray, int, float]] = []
        while (outcome := game.outcome(position)) is None:
            side = game.to_move(position)
            seen = self.look(position, side)
            values = self.run(seen)[-1]
            best = max(game.legal_moves(position), key=lambda move: values[move])
            line.append((side, seen, best, values[best]))
            position = game.play(position, best)
        results = [1.0 if place == 1 else -1.0 for place in outcome.places]
        results = [0.0] * 2 if outcome.winner is None else results
        known = {side: (result, result, 1.0) for side, result in enumerate(results)}
        for side, seen, move, value in reversed(line):
            following, best, discount = known[side]
            mixed = (1 - config.trace_decay) * best + config.trace_decay * following
            self.learn(seen, discount * mixed, move)
            known[side] = (discount * mixed, value, config.discount)


@pytest.mark.parametrize("decay", [0.0, 0.7])
def test_a_network_learns_what_the_formulas_say(decay: float, tmp_path: Path) -> None:
    run = breed(
        "tic-tac-toe-evolved",
        tmp_path / "run",
        method__rate_scale=2.0,
        method__discount=0.9,
        method__trace_decay=decay,
    )
    mirror = Mirror(run)
    for _ in range(3):
        mirror.play()
    mirror.assert_learned(run)


def test_three_players_learn_with_chance_and_points(tmp_path: Path) -> None:
    options = {"network__hidden": [16], "method__exploration": 0.1}
    options |= {"method__games": 1000, "method__trace_decay": 0.9, "method__discount": 0.98}
    options |= {"run__generations": 6, "check__every": 6, "check__games": 60}
    run = breed("pig", tmp_path / "run", game__seats=3, **options)
    assert run.history()["plies"][0] > 5
    assert list(run.checks())[-1].wins > 40  # a third would be chance


def test_opponents_are_met(tmp_path: Path) -> None:
    """A learner that only meets minimax hardly ever wins at first; against itself it often does."""
    options = {"method__games": 200, "method__opponents": ["minimax:depth=6"]}
    alone = breed("tic-tac-toe-evolved", tmp_path / "alone", method__games=200)
    other = breed("tic-tac-toe-evolved", tmp_path / "other", **options)
    # Minimax moves first in every other game, and wins it.
    assert alone.history()["first_wins"][0] != other.history()["first_wins"][0]
    assert 0.3 < other.history()["first_wins"][0] < 0.7


def test_what_it_does_not_learn_is_told() -> None:
    for changes, sentence in (
        ({"network.head": "value"}, r"network\.head"),
        ({"network.activation": "cube"}, "activation"),
    ):
        with pytest.raises(ArenaError, match=sentence):
            load_recipe("hex", SMALL | changes).make_method()
