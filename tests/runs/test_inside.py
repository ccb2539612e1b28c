"""What is told of the inside of networks is what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.runs.inside import look_inside

SMALL = ("run.generations=1", "check.games=2", "check.opponents=['random']")
BRED = {
    "connect-four": ("method.individuals=6", "method.tournament_size=2", "network.hidden=[5, 3]"),
    "connect-four-neat": ("neat.pop_size=8", "neat.node_add_prob=0.9"),
    "tic-tac-toe": ("method.individuals=6", "method.tournament_size=2"),
}


@pytest.mark.parametrize("recipe", BRED)
def test_layers_and_wires_add_up(recipe: str, tmp_path: Any) -> None:
    changes = [*SMALL, *BRED[recipe]]
    player: Any = ea.start(
        recipe, run=tmp_path / "run", changes=changes, executor="serial"
    ).champion
    game = player.game
    position = game.play(game.play(game.initial(), 2), 1)
    found: Any = look_inside(player, position)
    assert sum(len(plane["values"]) for plane in found["planes"]) == found["inputs"]
    seen = np.array([plane["values"] for plane in found["planes"]])
    assert np.abs(seen).sum() == 2  # two pieces
    units = [unit["value"] for layer in found["layers"] for unit in layer]
    assert len(found["layers"][-1]) == 1
    for source, target, carried in found["wires"]:
        assert source < target < found["inputs"] + len(units)
        value = (
            seen.ravel()[source] if source < found["inputs"] else units[source - found["inputs"]]
        )
        assert (value == 0) == (carried == 0)
    if recipe == "connect-four":
        genome = player.decoder.expand(player.genome[None])[0]
        outputs = player.decoder.mlp.evaluate(genome, seen.reshape(1, -1))
        assert found["layers"][-1][0]["value"] == pytest.approx(float(outputs[0, 0]))
        assert [len(layer) for layer in found["layers"]] == [5, 3, 1]


def test_who_has_no_network_has_no_inside() -> None:
    game: Any = ea.make_game("connect-four")
    assert look_inside(ea.load_player("random"), game.initial()) is None
