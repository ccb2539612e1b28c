"""Runs of the method ``neat``: the same bits, whatever befalls them, and what users are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena import Run, resume, start
from evolve_arena.players.bred import NeatPlayer, read_player
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.store.history import History
from tests.forked import evolve

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


@pytest.fixture(scope="session")
def neat_recipe(tmp_path_factory: pytest.TempPathFactory) -> RecipeMaker:
    """Makes a recipe that runs in a moment, with changes like ``run.seed=7``."""
    file = tmp_path_factory.mktemp("recipe") / "graphs.toml"
    file.write_text(SMALL)
    return lambda *changes: load_recipe(str(file), changes)


def read_species(run: Run) -> dict[int, dict[int, int]]:
    with History(run.directory.history) as history:
        return history.species()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_run_is_the_same_in_spite_of_stops_and_workers(
    variant: str,
    neat_recipe: RecipeMaker,
    tmp_path: Path,
    outcome_of: Callable[[Path], Any],
    stop_anywhere: Callable[[Recipe, Run, Path], None],
) -> None:
    recipe = neat_recipe(*VARIANTS[variant])
    whole = start(recipe, run=tmp_path / "whole" / "run", executor="serial")
    outcome, species = outcome_of(whole.path), read_species(whole)
    assert outcome.generation == LAST
    assert {check.generation for check in outcome.checks} == {0, 3, 6, 9}
    for generation in range(LAST):
        sizes = [sizes.get(generation, 0) for sizes in species.values()]
        assert sum(sizes) == 12
        assert sum(size > 0 for size in sizes) == outcome.table["species"][generation]
    assert len(species) > 1
    player = read_player(outcome.champion)
    assert isinstance(player, NeatPlayer)
    assert player.remarks["recipe"] == "small graphs"
    stop_anywhere(recipe, whole, tmp_path / "stopped" / "run")
    assert read_species(Run.open(tmp_path / "stopped" / "run")) == species


def test_where_nothing_takes_over_a_run_ends_with_one_line(
    neat_recipe: RecipeMaker, tmp_path: Path
) -> None:
    end = ("neat.reset_on_extinction=false", "run.checkpoint_every=1")
    (tmp_path / "doomed.toml").write_text(neat_recipe(*VARIANTS["doomed"], *end).to_toml())
    path = tmp_path / "run"
    words = ("doomed.toml", "--run", "run", "--executor", "serial")
    ended = evolve("start", *words, folder=tmp_path)
    lines = ended.stderr.splitlines()
    run = Run.open(path)
    assert ended.returncode == len(lines) == 2
    assert lines[0].startswith("generation 0/")
    sentence = f"evolve: all species have stagnated by generation {run.generation}, "
    assert lines[1].startswith(sentence)
    assert 0 < run.generation < LAST
    assert run.warnings == []
    digest = run.population_sha256
    assert max(run.directory.generations()) == run.generation
    # It ends there again, and nothing is lost.
    again = evolve("resume", "run", "--executor", "serial", folder=tmp_path)
    assert again.returncode == 2
    assert again.stderr.splitlines()[-1] == lines[-1]
    assert Run.open(path).population_sha256 == digest
    # With what the line asks for, the run goes on from there.
    recipe = path / "recipe.toml"
    text = recipe.read_text()
    assert "reset_on_extinction = false" in text
    recipe.write_text(text.replace("reset_on_extinction = false", "reset_on_extinction = true"))
    assert resume(path, executor="serial").generation == LAST
