"""Runs of the method ``td-tuples``: the same bits, whatever befalls them, and what users see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import multiprocess
import numpy as np
import pytest

from evolve_arena import Run, resume, start
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.tuple_network import TuplePlayer
from evolve_arena.players.bred import read_player
from evolve_arena.runs.errors import CheckpointError, RecipeError
from evolve_arena.runs.players import find_player
from evolve_arena.runs.recipe import Recipe, load_recipe

FORK = multiprocess.get_context("fork")
LAST = 12

Look = Callable[[Path], Any]


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The shipped one, but small, and with two learners so that there is a choice."""
    return load_recipe(
        "connect-four-td",
        (
            "network.tuples=8",
            "network.length=4",
            "method.individuals=2",
            "method.games=60",
            "method.shards=2",
            "method.judge=random",
            "method.judge_games=20",
            "check.games=20",
            "check.every=4",
            "check.opponents=['random']",
            f"run.generations={LAST}",
            "run.checkpoint_every=3",
            "run.champion=best-check",
        ),
    )


@pytest.fixture(scope="module")
def whole(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing befell."""
    return start(recipe, run=tmp_path_factory.mktemp("tuples") / "run", executor="serial")


def test_a_run_does_what_its_recipe_says(whole: Run, outcome_of: Look) -> None:
    outcome = outcome_of(whole.path)
    assert outcome.generation == LAST
    assert outcome.table["games"] == [2 * 60] * LAST
    assert {check.generation for check in outcome.checks} == {4, 8, 12}
    player = read_player(outcome.champion)
    assert isinstance(player, TuplePlayer)
    assert player.arrays["cells"].shape == (8, 4)
    assert player.arrays["tables"].any()


def test_a_recipe_that_no_longer_fits_is_an_error(recipe: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial", callbacks=lambda progress: False)
    text = (path / "recipe.toml").read_text()
    (path / "recipe.toml").write_text(text.replace("tuples = 8", "tuples = 9"))
    with pytest.raises(CheckpointError, match="genomes are made for tuples 8, not 9"):
        resume(path, executor="serial")


def test_its_champion_plays_what_it_values_most(whole: Run) -> None:
    champion = find_player(f"run:{whole.path}")
    assert isinstance(champion, TuplePlayer)
    position = champion.game.initial()
    values = champion.value_columns(position)
    assert np.isfinite(values).all()
    assert champion.choose(position, new_stream(0)) == int(values.argmax())


def test_what_a_run_is_in_figures(whole: Run) -> None:
    figures = whole.method.describe(whole.state())
    used = figures.pop("used")
    assert 0.05 < used < 1.0
    numbers = whole.state().population.tables.shape[1]
    assert figures == {"individuals": 2, "tuples": 8, "cells": 4, "numbers": numbers}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("network.shape", "line", "unknown shape of tuples 'line'"),
        ("network.length", 43, "length is 43"),
        ("method.shards", 7, "no multiple of the 7 shards"),
        ("method.mutation_strength", 1.0, "mutation_strength"),
    ],
)
def test_recipes_that_can_not_be(recipe: Recipe, key: str, value: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        recipe.change({key: value})


# Champions that are large


@pytest.fixture
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """These champions count as large ones."""
    monkeypatch.setattr("evolve_arena.runs.champions.LARGE", 1000)


def find_bests(run: Run, ends: list[int]) -> set[int]:
    """For each of the generations *ends* that of the best champion so far."""
    wins = {check.generation: check.wins for check in run.checks()}
    return {
        max((won, generation) for generation, won in wins.items() if generation <= end)[1]
        for end in ends
        if end >= min(wins)
    }


@pytest.mark.usefixtures("_large")
def test_of_large_champions_only_those_that_may_be_needed_are_kept(
    recipe: Recipe, tmp_path: Path, outcome_of: Look
) -> None:
    often = recipe.change({"check.every": 1, "run.checkpoint_every": 6})
    run = start(often, run=tmp_path / "run", executor="serial")
    kept = find_bests(run, [0, 6, LAST]) | {LAST}
    forgotten = sorted({*range(1, LAST + 1)} - kept)
    assert len(forgotten) >= LAST - 4
    for generation in kept:
        assert run.champion_at(generation).remarks["generation"] == generation
    with pytest.raises(BadValueError, match=r"run no longer has the champion of generation \d+:"):
        run.champion_at(forgotten[0])
    with pytest.raises(BadValueError, match=r"keeps only the newest and the best at each") as told:
        find_player(f"run:{run.path}@{forgotten[-1]}")
    assert ", ".join(map(str, sorted(kept))) in str(told.value)
    # It may go back to a checkpoint, and has the champion of that time again.
    outcome = outcome_of(run.path)
    resume(
        run.path, from_generation=6, force=True, executor="serial", callbacks=lambda progress: False
    )
    (best,) = find_bests(Run.open(run.path), [6])
    assert best <= 7
    assert Run.open(run.path).champion.remarks["generation"] in {best, 7}
    resume(run.path, executor="serial")
    again = outcome_of(run.path)
    assert (again.sha256, again.champion) == (outcome.sha256, outcome.champion)


def test_small_champions_are_all_kept(whole: Run) -> None:
    for generation in (4, 8, 12):
        assert whole.champion_at(generation).remarks["generation"] == generation
