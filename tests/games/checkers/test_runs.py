"""Runs that breed players of checkers: the same bits, whatever befalls them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena import Run, resume, start
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.linear import LinearDecoder, LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkDecoder, CheckersNetworkPlayer
from evolve_arena.players.bred import read_player
from evolve_arena.runs.errors import CheckpointError, RecipeError
from evolve_arena.runs.recipe import Recipe, load_recipe

SMALL = """
title = "small"

[game]
name = "checkers"

[network]
hidden = [6]
depth = 1

[method]
name = "evolutionary-programming"
individuals = 4
opponents = 2
colours = "one"
noise = 0.1
openings = { plies = 4, count = 1 }
hall_of_fame = { size = 3, every = 2, opponents = 1 }

[check]
every = 3
games = 6
opponents = ["random"]
opening_plies = 2

[run]
generations = 8
checkpoint_every = 2
"""
LAST = 8

Look = Callable[[Path], Any]
Make = Callable[..., Recipe]


@pytest.fixture(scope="module")
def make_recipe(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a recipe that runs in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text(SMALL)
    return lambda *changes: load_recipe(str(file), changes)


@pytest.fixture(scope="module")
def whole(make_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing befell."""
    return start(make_recipe(), run=tmp_path_factory.mktemp("ep") / "run", executor="serial")


def test_a_run_does_what_its_recipe_says(whole: Run, outcome_of: Look) -> None:
    outcome = outcome_of(whole.path)
    assert outcome.generation == LAST
    # Eight draw two opponents each; from generation 1 on they meet a member of the hall of fame
    # in both colours.
    assert outcome.table["games"] == [16] + [16 + 16] * (LAST - 1)
    assert {check.generation for check in outcome.checks} == {0, 3, 6, 8}
    player = read_player(outcome.champion)
    assert isinstance(player, CheckersNetworkPlayer)
    assert player.decoder == CheckersNetworkDecoder(hidden=(6,), depth=1)
    assert player.genome.shape == (32 * 6 + 6 + 6 + 1 + 1,)


def test_a_champion_plays_on_as_it_was(whole: Run, outcome_of: Look) -> None:
    player = read_player(outcome_of(whole.path).champion)
    game = Checkers()
    position = game.initial()
    again = read_player(player.serialise())
    assert isinstance(again, CheckersNetworkPlayer)
    assert isinstance(player, CheckersNetworkPlayer)
    assert np.array_equal(again.genome, player.genome)
    for ply in range(30):
        move = player.choose(position, new_stream(ply))
        assert move in game.legal_moves(position)
        assert again.choose(position, new_stream(ply)) == move
        position = game.play(position, move)
        if game.outcome(position) is not None:
            break


def test_a_recipe_that_no_longer_fits_is_an_error(make_recipe: Make, tmp_path: Path) -> None:
    path = tmp_path / "run"
    start(make_recipe(), run=path, executor="serial", callbacks=lambda progress: False)
    text = (path / "recipe.toml").read_text()
    (path / "recipe.toml").write_text(text.replace("individuals = 4", "individuals = 5"))
    with pytest.raises(CheckpointError, match=r"population has shape \(4, 206\), not \(5, 206\)"):
        resume(path, executor="serial")


def test_weights_of_features_are_bred_too(make_recipe: Make, tmp_path: Path) -> None:
    changes = ("network={kind='linear',features=4,depth=1}", "method.initialisation=pieces:0.1")
    run = start(make_recipe(*changes), run=tmp_path / "run", executor="serial")
    player = read_player(run.directory.champion.read_bytes())
    assert isinstance(player, LinearPlayer)
    assert player.decoder == LinearDecoder(features=4, depth=1)
    assert player.genome.shape == (4,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("network.kind=linear", "hidden is a key of the kind 'network', not of 'linear'"),
        ("network.kind=lineal", "unknown kind 'lineal': did you mean 'linear'?"),
        ("network.features=14", "features is a key of the kind 'linear', not of 'network'"),
        ("network.depth=0", "depth is 0: it must be a whole number from 1 to 12"),
        ("network.hiden=[5]", "network.hiden"),
        ("method.loss_points=2", "a loss must count less than a win"),
        ("game.name=chequers", "unknown game 'chequers': did you mean 'checkers'?"),
    ],
)
def test_recipes_without_sense_are_refused(make_recipe: Make, change: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        make_recipe(change)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["checkers", "checkers-features"])
def test_the_shipped_recipes_breed(name: str, tmp_path: Path) -> None:
    changes = ["method.individuals=6", "run.generations=1", "check.games=2", "network.depth=1"]
    run = start(load_recipe(name, changes), run=tmp_path / "run", executor="serial")
    assert run.generation == 1
    opponents = len(run.recipe.check.opponents)
    assert [check.generation for check in run.checks()] == [0] * opponents + [1] * opponents
