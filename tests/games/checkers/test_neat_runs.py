"""Runs of the method ``neat`` in checkers: the same bits, and what users are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena import Run, resume, start
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.features import FEATURE_WORDS
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.graph import CheckersGraphDecoder, CheckersGraphPlayer
from evolve_arena.games.checkers.text_ui import describe_values
from evolve_arena.players.bred import read_player
from evolve_arena.runs.directory import RunDirectory
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export import export_player
from evolve_arena.runs.history import History
from evolve_arena.runs.plots.sketch import sketch_player
from evolve_arena.runs.recipe import Recipe, load_recipe

SMALL = """
title = "small graphs"

[game]
name = "checkers"

[network]
depth = 1

[method]
name = "neat"
opponents = 2
noise = 0.1
openings = { plies = 4, count = 1 }
hall_of_fame = { size = 3, every = 2, opponents = 1 }

[method.stagnation]
games = 4

[neat]
pop_size = 8
node_add_prob = 0.4
compatibility_threshold = 1.2
max_stagnation = 4

[check]
every = 3
games = 6
opponents = ["random"]
opening_plies = 2

[run]
generations = 6
checkpoint_every = 2
"""
LAST = 6
OUTSIDE = [
    "method.stagnation.judge=outside",
    "method.stagnation.opponents=['random', 'minimax:depth=1']",
    "method.pairing=species",
    "network.quiet=true",
    "game.turned=1",
]

Look = Callable[[Path], Any]
Make = Callable[..., Recipe]


@pytest.fixture(scope="module")
def make_recipe(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a recipe that runs in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text(SMALL)
    return lambda *changes: load_recipe(str(file), changes)


@pytest.fixture(scope="module")
def look(outcome_of: Look) -> Look:
    """Everything about a run that must not depend on how it was run, its species too."""

    def see(path: Path) -> Any:
        with History(RunDirectory(path).history) as history:
            return outcome_of(path), history.species()

    return see


def test_a_run_may_stop_anywhere_and_play_elsewhere(
    make_recipe: Make, tmp_path: Path, look: Look
) -> None:
    recipe = make_recipe(*OUTSIDE)
    whole = start(recipe, run=tmp_path / "whole" / "run", executor="serial")
    path = tmp_path / "stopped" / "run"
    start(recipe, run=path, executor="serial", callbacks=lambda progress: False)
    for generation in range(2, LAST):
        resume(
            path, executor="serial", callbacks=lambda now, last=generation: now.generation < last
        )
        assert Run.open(path).generation == generation
    resume(path, executor="multiprocess", workers=2)
    assert look(path) == look(whole.path)
    outcome, species = look(path)
    assert outcome.generation == LAST
    assert sum(sizes.get(LAST - 1, 0) for sizes in species.values()) == 8


def test_the_champion_plays_on_as_it_was_bred(make_recipe: Make, tmp_path: Path) -> None:
    changes = ("game.turned=1", "network.quiet=true", "network.depth=2", "run.generations=2")
    run = start(make_recipe(*changes), run=tmp_path / "run", executor="serial")
    player = read_player(run.directory.champion.read_bytes())
    assert isinstance(player, CheckersGraphPlayer)
    assert player.decoder == CheckersGraphDecoder(depth=2, quiet=True, turned=1)
    assert player.game.turned
    assert player.remarks["recipe"] == "small graphs"


def test_the_shipped_recipe_breeds(tmp_path: Path) -> None:
    changes = ["neat.pop_size=6", "run.generations=1", "check.games=2", "network.depth=1"]
    run = start(load_recipe("checkers-neat", changes), run=tmp_path / "run", executor="serial")
    assert [check.generation for check in run.checks()] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "neat.feed_forward=false",
            "neat.feed_forward is false, but in checkers graphs value positions of a search, which"
            " has nothing to remember: leave it out",
        ),
        ("network.depth=13", "depth is 13: it must be a whole number from 1 to 12"),
        ("network.head=policy", "network.head is no key (known: depth, quiet)"),
        (
            "network.kind=linear",
            "network.kind is a key of the method 'tournament', not of 'neat': leave it out",
        ),
        ("method.openings.plies=21", "method.openings.plies is 21: it must be at most 20"),
    ],
)
def test_recipes_without_sense_are_refused(make_recipe: Make, change: str, message: str) -> None:
    """The whole line: which file, which key, its value, and what it may be."""
    with pytest.raises(RecipeError) as caught:
        make_recipe(change)
    source, said = str(caught.value).split(": ", 1)
    assert source.endswith(".toml")
    assert said == message


def test_judges_play_checkers(make_recipe: Make) -> None:
    outside = "method.stagnation.judge=outside"
    with pytest.raises(RecipeError, match=r"method\.stagnation\.opponents: .*test-bot"):
        make_recipe(outside, "method.stagnation.opponents=['test-bot']")


@pytest.fixture(scope="module")
def champion(make_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> CheckersGraphPlayer:
    """A player that looks three plies ahead."""
    folder = tmp_path_factory.mktemp("champion")
    recipe = make_recipe("network.depth=3", "run.generations=1", "neat.pop_size=4")
    run = start(recipe, run=folder / "run", executor="serial")
    player = read_player(run.directory.champion.read_bytes())
    assert isinstance(player, CheckersGraphPlayer)
    return player


def test_it_is_exported(champion: CheckersGraphPlayer) -> None:
    bot: dict[str, Any] = {}
    exec(str(export_player(champion, "python")), bot)
    position = Checkers().initial()
    bot["CHANCE"].state = 5
    path = bot["choose"](bot["start_position"](0))[1:]
    assert tuple(map(bot["square_of"], path)) == champion.choose(position, new_stream(5)).path


def test_its_inputs_are_drawn_with_their_names(champion: CheckersGraphPlayer) -> None:
    sketch = sketch_player(champion)
    inputs = [sketch.nodes[node].name for node in sketch.layers[0]]
    assert set(inputs) <= set(FEATURE_WORDS[:14])
    assert sketch.remarks[-2].startswith(f"reads {len(inputs)} of 14 inputs")
    assert sketch.remarks[-1].startswith("value: what a position is worth to who looks ")


def test_it_tells_what_it_thinks(champion: CheckersGraphPlayer) -> None:
    lines = describe_values(champion, Checkers().initial()).splitlines()
    assert lines[0] == f"{champion.name}'s values of each move, 3 plies ahead, by its network:"
    assert " ".join(lines[1:]).count(":") == 7
