"""What is told of the inside of networks is what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.match import play_match
from evolve_arena.games.checkers.graph import CheckersGraphDecoder
from evolve_arena.games.checkers.network import CheckersNetworkDecoder
from evolve_arena.games.ticket_to_ride.logs import log_games
from evolve_arena.games.ticket_to_ride.network import CLASSES, DecisionDecoder
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
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


def test_pieces_of_checkers_are_seen_by_who_is_to_move() -> None:
    decoder = CheckersNetworkDecoder(hidden=(4,), depth=1)
    player = decoder.player(decoder.initialise(1, "uniform", np.random.default_rng(1))[0], "one")
    game = decoder.game
    found: Any = look_inside(player, game.initial())
    (plane,) = found["planes"]
    assert plane["values"] == [1.0] * 12 + [0.0] * 8 + [-1.0] * 12
    turned: Any = look_inside(
        player, game.play(game.initial(), game.legal_moves(game.initial())[0])
    )
    assert sum(value == -1.0 for value in turned["planes"][0]["values"][:12]) == 11
    outputs = decoder.mlp.evaluate(
        decoder.expand(player.genome[None])[0], np.array([plane["values"]])
    )
    assert found["layers"][-1][0]["value"] == pytest.approx(float(outputs[0, 0]))


def test_features_of_checkers_are_counted() -> None:
    decoder = CheckersGraphDecoder(depth=1)
    genome, _ = create(NeatConfig(pop_size=2), decoder.inputs, decoder.outputs, seed=1)
    found: Any = look_inside(decoder.player(genome.take([0]), "one"), decoder.game.initial())
    (plane,) = found["planes"]
    assert plane["values"][:4] == [12 / 8, 0, 12 / 8, 0]
    assert len(plane["names"]) == len(plane["values"]) == found["inputs"] == 14


def test_features_at_tables_are_those_that_are_logged() -> None:
    decoder = DecisionDecoder(players=3)
    player = decoder.player(decoder.initialise(1, "uniform", np.random.default_rng(1))[0], "one")
    seeds = np.array([5], dtype=np.uint64)
    seatings = np.array([[0, 0, 0, -1, -1]], dtype=np.int32)
    (log,) = log_games(decoder.game, [player], seatings, seeds)
    seen: list[Any] = []

    def watch(position: Any, move: Any) -> None:
        if decoder.game.outcome(position) is None and (found := look_inside(player, position)):
            seen.append(found)

    play_match(decoder.game, [player] * 3, seed=5, watch=watch)
    assert len(seen) == len(log) > 20
    values = np.array([found["planes"][0]["values"] for found in seen])
    np.testing.assert_array_equal(values, log.features[:, :26] * decoder.scales)
    likely = player.decision_probabilities(log.features[:, :26]).argmax(axis=1)
    for found, decision in zip(seen, likely, strict=True):
        strongest = max(found["layers"][-1], key=lambda unit: unit["value"])
        assert strongest["name"] == CLASSES[decision]


def test_who_has_no_network_has_no_inside() -> None:
    game: Any = ea.make_game("connect-four")
    assert look_inside(ea.load_player("random"), game.initial()) is None
