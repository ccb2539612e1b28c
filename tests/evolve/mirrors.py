"""Small runs of learners, and networks that learn the same in NumPy and 64 bits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

import evolve_arena as ea
from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import Board

SMALL = {
    "method.games": 3,
    "method.exploration": 0.0,
    "run.generations": 1,
    "check.games": 2,
    "check.opponents": ["random"],
}
"""Settings of lessons that a mirror repeats."""


def breed(small: JsonObject, game: str, folder: Path, **changes: object) -> ea.Run:
    """Start a run with *small* settings and changes like ``method__games``."""
    changed = small | {key.replace("__", "."): value for key, value in changes.items()}
    return ea.start(game, run=folder, changes=changed, executor="serial", allow_process=True)


class NetworkMirror:
    """The first network of a run before it has learned, with tanh in all layers."""

    def __init__(self, run: ea.Run) -> None:
        self.decoder = run.method.decoder
        self.config, self.game = run.method.config, self.decoder.game
        genes, at = run.state(0).population[0].astype(np.float64), 0
        self.layers = []
        for before, after in pairwise(self.decoder.mlp.sizes):
            size = (before + 1) * after
            self.layers.append(genes[at : at + size].reshape(before + 1, after).copy())
            at += size

    def look(self, position: Board, seat: int) -> np.ndarray:
        """Return the inputs."""
        if self.decoder.encoding == "features":
            return np.array(self.game.count("features", position, seat), dtype=np.float64)
        planes = np.asarray(self.game.observe(position, seat), dtype=np.float64)
        return (planes[0] - planes[1] if self.decoder.encoding == "signed" else planes).ravel()

    def run(self, seen: np.ndarray) -> list[np.ndarray]:
        """Return the units of each layer, the outputs among them."""
        units = [seen]
        for layer in self.layers:
            units.append(np.tanh(units[-1] @ layer[:-1] + layer[-1]))
        return units

    def learn(self, seen: np.ndarray, target: float, output: int = 0) -> None:
        """Move an output one step towards a target."""
        units = self.run(seen)
        delta = np.zeros(len(units[-1]))
        delta[output] = target - units[-1][output]
        if getattr(self.config, "gradient", "") == "squared":
            delta = delta * (1.0 - units[-1] ** 2)
        for number in range(len(self.layers) - 1, -1, -1):
            layer, below = self.layers[number], units[number]
            passed = (layer[:-1] @ delta) * (1.0 - below * below)
            rate = self.config.rate_scale / len(below)
            self.layers[number] = layer + rate * np.outer(np.append(below, 1.0), delta)
            delta = passed

    def assert_learned(self, run: ea.Run) -> None:
        """Assert that the run's network changed, and into this one."""
        learned = run.state(1).population[0]
        assert np.abs(learned - run.state(0).population[0]).max() > 0.01
        genes = np.concatenate([layer.ravel() for layer in self.layers])
        np.testing.assert_allclose(learned, genes, atol=2e-5)
