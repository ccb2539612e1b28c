"""Champions that are large, such as tuple networks: those that may be needed are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve_arena import Run, resume, start
from evolve_arena.core.errors import BadValueError
from evolve_arena.runs.players import find_player
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

LAST = 12

Look = Callable[[Path], Any]


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The shipped one, but small, and with two learners so that there is a choice."""
    return load_recipe(
        "connect-four-td",
        (
            *("network.tuples=8", "network.length=4", f"run.generations={LAST}"),
            *("method.individuals=2", "method.games=60", "method.shards=2"),
            *("method.judge=random", "method.judge_games=20", "run.champion=best-check"),
            *("check.games=20", "check.every=1", "check.opponents=['random']"),
            "run.checkpoint_every=6",
        ),
    )


@pytest.fixture
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """These champions count as large ones."""
    monkeypatch.setattr("evolve_arena.runs.training.champions.LARGE", 1000)


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
    run = start(recipe, run=tmp_path / "run", executor="serial")
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
