"""Runs of the method ``neat``: the same bits, whatever befalls them, and what users are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena import Run, resume, start
from evolve_arena.players.bred import NeatPlayer, read_player
from evolve_arena.runs.errors import CheckpointError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import History

SMALL = """
title = "small graphs"

[network]
head = "value"
encoding = "planes"

[method]
name = "neat"
opponents = 4

[method.stagnation]
games = 8

[method.hall_of_fame]
opponents = 2
every = 2
size = 3

[neat]
pop_size = 12
node_add_prob = 0.4
compatibility_threshold = 1.2
max_stagnation = 4

[check]
every = 3
games = 20

[run]
generations = 9
checkpoint_every = 2
"""
LAST = 9
VARIANTS = {
    "record": ["method.noise=0.1", "method.draw_points=0.25", "method.colours=one"],
    "outside": [
        "network.head=policy",
        "method.pairing=species",
        "method.stagnation.judge=outside",
        "method.stagnation.opponents=['random', 'test-bot']",
        "method.selection=tournament",
    ],
    "rank": [
        "method.pairing=round-robin",
        "method.stagnation.judge=rank",
        "method.openings={plies = 3, count = 2}",
        "neat.activation_options=['tanh', 'relu', 'sin']",
        "neat.activation_default=random",
        "neat.activation_mutate_rate=0.2",
    ],
    "doomed": [
        "method.selection=tournament",
        "method.games=2",
        "method.noise=1.0",
        "neat.max_stagnation=1",
        "neat.species_elitism=0",
        "neat.initial_connection=partial_direct 0.3",
    ],
}

RecipeMaker = Callable[..., Recipe]
Look = Callable[[Path], Any]


@pytest.fixture(scope="session")
def neat_recipe(tmp_path_factory: pytest.TempPathFactory) -> RecipeMaker:
    """Makes a recipe that runs in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "graphs.toml"
    file.write_text(SMALL)
    return lambda *changes: load_recipe(str(file), changes)


@pytest.fixture(scope="session")
def look(outcome_of: Callable[[Path], Any]) -> Look:
    """Everything about a run that must not depend on how it was run, its species too."""

    def see(path: Path) -> Any:
        with History(RunDirectory(path).history) as history:
            species = history.species()
        return outcome_of(path), species

    return see


@pytest.fixture(scope="module", params=list(VARIANTS))
def recipe(request: pytest.FixtureRequest, neat_recipe: RecipeMaker) -> Recipe:
    return neat_recipe(*VARIANTS[request.param])


@pytest.fixture(scope="module")
def expected(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory, look: Look) -> Any:
    """What the recipe gives without being stopped, in one process."""
    path = tmp_path_factory.mktemp("serial") / "run"
    return look(start(recipe, run=path, executor="serial").path)


def stop_at(generation: int) -> Callable[[Any], bool]:
    return lambda progress: progress.generation < generation


def test_a_run_does_what_its_recipe_says(expected: Any) -> None:
    outcome, species = expected
    assert outcome.generation == LAST
    assert outcome.table["generation"] == list(range(LAST))
    assert {check.generation for check in outcome.checks} == {0, 3, 6, 9}
    for generation in range(LAST):
        sizes = [sizes.get(generation, 0) for sizes in species.values()]
        assert sum(sizes) == 12
        assert sum(size > 0 for size in sizes) == outcome.table["species"][generation]
    assert len(species) > 1
    player = read_player(outcome.champion)
    assert isinstance(player, NeatPlayer)
    assert player.remarks["recipe"] == "small graphs"


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_does_not_matter(
    recipe: Recipe, expected: Any, tmp_path: Path, look: Look, workers: int
) -> None:
    run = start(recipe, run=tmp_path / "run", executor="multiprocess", workers=workers)
    assert look(run.path) == expected


def test_a_run_may_stop_anywhere(recipe: Recipe, expected: Any, tmp_path: Path, look: Look) -> None:
    """After each generation once, with another executor each time."""
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial", callbacks=lambda progress: False)
    for generation in range(2, LAST + 1):
        options: dict[str, Any] = {"executor": "serial"}
        if generation % 4 == 0:
            options = {"executor": "multiprocess", "workers": 2}
        resume(path, callbacks=stop_at(generation), **options)
        assert Run.open(path).generation == generation
    resume(path, executor="serial")
    assert look(path) == expected


def test_a_run_may_go_back_to_any_checkpoint(
    recipe: Recipe, expected: Any, tmp_path: Path, look: Look
) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial")
    for generation in (8, 0, 4):
        resume(path, from_generation=generation, force=True, executor="serial")
        assert look(path) == expected


SHIPPED = [
    "neat.pop_size=20",
    "method.hall_of_fame.opponents=2",
    "method.hall_of_fame.every=3",
    "run.generations=12",
    "run.checkpoint_every=1",
    "check.every=5",
    "check.games=40",
]


def evolve(*arguments: str, hashing: str = "0") -> subprocess.Popen[str]:
    """Starts the command line in a process of its own, with other hashes."""
    return subprocess.Popen(
        [sys.executable, "-m", "evolve_arena.cli.main", *arguments],
        env={**os.environ, "PYTHONHASHSEED": hashing},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_shipped_recipe_ends_the_same_by_any_way_on_the_command_line(tmp_path: Path) -> None:
    changes = [part for change in SHIPPED for part in ("--set", change)]
    ways = {
        "serial": ["--executor", "serial"],
        "one": ["--executor", "multiprocess", "--workers", "1"],
        "two": ["--executor", "multiprocess", "--workers", "2"],
    }
    whole = start("connect-four-neat", run=tmp_path / "whole", changes=SHIPPED, executor="serial")
    begun = []
    for number, (name, way) in enumerate(ways.items()):
        command = ["start", "connect-four-neat", "--quiet", "--run", str(tmp_path / name)]
        begun.append(evolve(*command, *changes, *way, hashing=str(number + 1)))
        if number == 0:
            begun[0].communicate()  # the others find what it has compiled
    # The last one is killed as soon as it has got somewhere.
    directory = RunDirectory(tmp_path / "two")
    while len(directory.generations()) < 3 and begun[-1].poll() is None:
        time.sleep(0.001)
    begun[-1].kill()
    for process in begun:
        process.communicate()
    assert [process.returncode for process in begun[:-1]] == [0, 0]
    if begun[-1].returncode:
        assert Run.open(tmp_path / "two").generation < 12
    resumed = evolve("resume", str(tmp_path / "two"), "--quiet", "--workers", "1", hashing="77")
    _, said = resumed.communicate()
    assert (resumed.returncode, said) == (0, "")
    info = evolve("info", str(tmp_path / "two"), "--json", hashing="5")
    digest = json.loads(info.communicate()[0])["population_sha256"]
    digests = [Run.open(tmp_path / name).population_sha256 for name in ways]
    assert [digest, *digests] == [whole.population_sha256] * 4


# --- extinction ----------------------------------------------------------------------------

END = [*VARIANTS["doomed"], "neat.reset_on_extinction=false", "run.checkpoint_every=1"]


def test_where_nothing_takes_over_a_run_ends_with_one_line(
    neat_recipe: RecipeMaker, tmp_path: Path
) -> None:
    file = tmp_path / "doomed.toml"
    file.write_text(neat_recipe(*END).to_toml())
    path = tmp_path / "run"
    ended = evolve("start", str(file), "--run", str(path), "--executor", "serial")
    _, said = ended.communicate()
    assert ended.returncode == 2
    lines = said.splitlines()
    run = Run.open(path)
    assert len(lines) == 2
    assert lines[0].startswith("generation 0/")
    assert lines[1].startswith(
        f"evolve: all species have stagnated by generation {run.generation}, "
    )
    assert 0 < run.generation < LAST
    assert run.warnings == []
    digest = run.population_sha256
    assert [row for row in run.directory.generations() if row > run.generation] == []
    # It ends there again, and nothing is lost.
    again = evolve("resume", str(path), "--executor", "serial")
    _, said = again.communicate()
    assert again.returncode == 2
    assert said.splitlines()[-1] == lines[-1]
    assert Run.open(path).population_sha256 == digest
    # With what the line asks for, the run goes on from there.
    recipe = path / "recipe.toml"
    text = recipe.read_text()
    assert "reset_on_extinction = false" in text
    recipe.write_text(text.replace("reset_on_extinction = false", "reset_on_extinction = true"))
    assert resume(path, executor="serial").generation == LAST


# --- recipes that no longer fit ------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pop_size = 12", "pop_size = 14", "it has 12 genomes, not 14"),
        ('encoding = "planes"', 'encoding = "numbered"', "encoding 'planes', not 'numbered'"),
        ('head = "value"', 'head = "policy"', "for head 'value', not 'policy'"),
        ("rows = 6", "rows = 5", "for rows 6, not 5"),
    ],
)
def test_a_recipe_that_no_longer_fits_is_named_and_costs_nothing(
    neat_recipe: RecipeMaker, tmp_path: Path, old: str, new: str, message: str
) -> None:
    run = start(neat_recipe("run.generations=4"), run=tmp_path / "run", executor="serial")
    before = {file: file.read_bytes() for file in (run.path / "checkpoints").iterdir()}
    text = run.directory.recipe.read_text()
    assert old in text
    run.directory.recipe.write_text(text.replace(old, new))
    with pytest.raises(CheckpointError, match="does not fit the recipe") as caught:
        resume(run.path, executor="serial")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert {file: file.read_bytes() for file in (run.path / "checkpoints").iterdir()} == before
